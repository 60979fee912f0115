// The commands of a mix: marks on a strip that can be dragged, a list in which everything of them can be changed, and undo.
import { h, select } from "./dom";
import { SLOTS, type Command, type Timeline } from "./layers";
import type { RiftViewer } from "./viewer";

export const LENGTH = 4; // seconds of a new mix
const STEP = 0.05; // seconds by which marks move

type Field = "clip" | "mask" | "base" | "weight" | "seconds" | "speed" | "mode" | "loop";

// What each command says besides its second and its slot.
const FIELDS: Record<Command["op"], Field[]> = {
    play: ["clip", "weight", "speed", "loop"],
    play_masked: ["clip", "mask", "weight", "speed", "loop"],
    play_additive: ["clip", "mask", "base", "weight", "speed", "loop"],
    stop: [],
    set_mask: ["mask"],
    set_weight: ["weight"],
    fade: ["weight", "seconds"],
    set_mode: ["mode"],
};

// Mask names for a list: none, stored ones, the game's own.
export function maskChoices(viewer: RiftViewer): [string, string][] {
    const game = (viewer.data?.masks ?? []).map((m): [string, string] => [`game:${m.name ?? m.hash}`, `${m.name ?? m.hash} (the game's)`]);
    return [["", "no mask"], ...[...viewer.masks.keys()].map((name): [string, string] => [name, name]), ...game];
}

const words = (list: readonly string[]) => list.map((word): [string, string] => [word, word]);
const rounded = (seconds: number) => Math.round(seconds / STEP) * STEP;
const exact = (seconds: number) => Number(Math.max(seconds, 0).toFixed(4));

// A command of another kind keeps what both kinds say.
function become(viewer: RiftViewer, command: Command, op: Command["op"]): Command {
    const next: Record<string, unknown> = { at: command.at, op, slot: command.slot };
    const defaults: Record<Field, unknown> = { clip: viewer.clips[0], mask: null, base: "bind", weight: 1, seconds: 0.25, speed: 1, mode: "replace", loop: true };
    for (const field of FIELDS[op]) next[field] = command[field] ?? defaults[field];
    if ("clip" in next && command.start !== undefined) next.start = command.start;
    return next as unknown as Command;
}

export function commandStrip(viewer: RiftViewer) {
    const head = h("i", { class: "head" });
    const strip = h("div", { class: "strip", role: "group", "aria-label": "Commands on the strip: arrows move one, Delete takes it away" });
    const list = h("ol", { class: "commands" });
    const undo = h("button", { type: "button", disabled: true, onclick: () => back() }, "Undo");
    const add = h("button", { type: "button", onclick: () => edit([...viewer.timeline.commands, { at: exact(viewer.currentTime), op: "set_weight", slot: 0, weight: 1 }]) }, "Add command");
    const past: Timeline[] = [];
    let now = viewer.timeline;

    const length = () => (Number.isFinite(viewer.duration) ? viewer.duration : Math.max(viewer.currentTime, LENGTH)) || 1;

    function edit(commands: Command[]) {
        void viewer.mix({ ...viewer.timeline, duration: viewer.alone ? LENGTH : viewer.timeline.duration, commands });
    }

    const put = (at: number, changed: Command | null) => edit(viewer.timeline.commands.flatMap((c, i) => (i !== at ? [c] : changed ? [changed] : [])));

    function back() {
        const before = past.pop();
        if (!before) return;
        now = before;
        void viewer.mix(before);
    }

    function placeMark(mark: HTMLElement, at: number, slot: number) {
        mark.style.left = `${(100 * Math.min(at, length())) / length()}%`;
        mark.style.top = `${(100 * slot) / SLOTS}%`;
    }

    function mark(command: Command, i: number): HTMLElement {
        const what = `${command.op} in slot ${command.slot} at ${command.at} s`;
        const element = h("button", { type: "button", class: `command ${command.op}`, title: what, "aria-label": `Command ${i + 1}: ${what}` });
        placeMark(element, command.at, command.slot);
        element.addEventListener("keydown", (event) => {
            const step = event.shiftKey ? 10 * STEP : STEP;
            const moves: Record<string, Partial<Command>> = {
                ArrowLeft: { at: exact(command.at - step) }, ArrowRight: { at: exact(command.at + step) },
                ArrowUp: { slot: Math.max(command.slot - 1, 0) }, ArrowDown: { slot: Math.min(command.slot + 1, SLOTS - 1) },
            };
            if (event.key === "Delete") put(i, null);
            else if (moves[event.key]) put(i, { ...command, ...moves[event.key] });
            else return;
            event.preventDefault();
            (strip.querySelectorAll<HTMLElement>("button")[i] ?? undo).focus();
        });
        element.addEventListener("pointerdown", (event) => drag(element, command, i, event));
        return element;
    }

    // The mark follows the pointer; the command changes when it is let go.
    function drag(element: HTMLElement, command: Command, i: number, begun: PointerEvent) {
        const box = strip.getBoundingClientRect();
        let { at, slot } = command;
        element.setPointerCapture(begun.pointerId);
        element.onpointermove = (event) => {
            at = exact(rounded((Math.min(Math.max(event.clientX - box.left, 0), box.width) / box.width) * length()));
            slot = Math.min(Math.max(Math.floor(((event.clientY - box.top) / box.height) * SLOTS), 0), SLOTS - 1);
            placeMark(element, at, slot);
        };
        element.onpointerup = element.onpointercancel = (event) => {
            element.onpointermove = element.onpointerup = element.onpointercancel = null;
            if (event.type === "pointerup" && (at !== command.at || slot !== command.slot)) put(i, { ...command, at, slot });
            else placeMark(element, command.at, command.slot);
        };
    }

    function row(command: Command, i: number): HTMLElement {
        const set = (changes: Partial<Command>) => put(i, { ...command, ...changes });
        const named = <T extends HTMLElement>(field: string, control: T): T => {
            control.setAttribute("aria-label", `${field} of command ${i + 1}`);
            control.title = field;
            return control;
        };
        const number = (field: "at" | "weight" | "seconds" | "speed") => named(field, h("input", {
            type: "number", step: "0.05", value: String(command[field] ?? 1),
            onchange: (event: globalThis.Event) => set({ [field]: Number((event.target as HTMLInputElement).value) }),
        }));
        const choice = (field: "clip" | "base" | "mode", values: readonly string[]) =>
            named(field, select(words(values), command[field] ?? values[0], (value) => set({ [field]: value })));
        const mask = () => {
            const given = typeof command.mask === "object" && command.mask ? [["in place", command.mask.name ?? "its own joints"] as [string, string]] : [];
            const value = given.length > 0 ? "in place" : ((command.mask as string | null | undefined) ?? "");
            return named("mask", select([...maskChoices(viewer), ...given], value, (name) => name !== "in place" && set({ mask: name || null })));
        };
        const controls: Record<Field, () => HTMLElement> = {
            clip: () => choice("clip", viewer.clips), mask, base: () => choice("base", ["bind", "identity"]), weight: () => number("weight"), seconds: () => number("seconds"),
            speed: () => number("speed"), mode: () => choice("mode", ["replace", "additive"]),
            loop: () => named("loop", h("input", { type: "checkbox", checked: command.loop ?? false, onchange: (event: globalThis.Event) => set({ loop: (event.target as HTMLInputElement).checked }) })),
        };
        return h("li", {}, number("at"),
            named("op", select(words(Object.keys(FIELDS)), command.op, (op) => put(i, become(viewer, command, op as Command["op"])))),
            named("slot", select(Array.from({ length: SLOTS }, (_, s) => [String(s), `slot ${s}`]), String(command.slot), (slot) => set({ slot: Number(slot) }))),
            ...FIELDS[command.op].map((field) => controls[field]()),
            h("button", { type: "button", "aria-label": `Remove command ${i + 1}`, onclick: () => put(i, null) }, "✕"));
    }

    function fill() {
        const { commands } = viewer.timeline;
        strip.replaceChildren(head, ...commands.map(mark));
        list.replaceChildren(...commands.map(row));
        undo.disabled = past.length === 0;
    }

    function onMix() {
        if (viewer.timeline !== now) past.push(now);
        now = viewer.timeline;
        fill();
    }

    viewer.whileShown("mix", onMix);
    viewer.whileShown("clip", () => {
        now = viewer.timeline;
        fill();
    });
    viewer.whileShown("tick", () => (head.style.left = `${(100 * viewer.currentTime) / length()}%`));
    fill();
    return { strip, list, undo, add };
}
