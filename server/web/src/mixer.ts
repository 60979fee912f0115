// The layers panel: eight slots, the commands on their strip, and the bake of the mix beside the live one.
import { h, labelled, select } from "./dom";
import { SLOTS, type Command, type Mask, type Slot, type Span, type Timeline } from "./layers";
import type { Job } from "./server";
import { commandStrip, LENGTH, maskChoices } from "./strip";
import type { RiftViewer } from "./viewer";

const FADE = 0.4; // seconds

export function mixerPanel(viewer: RiftViewer): HTMLElement {
    const { strip, list, undo, add } = commandStrip(viewer);
    const warnings = h("ul", { class: "warnings" });
    const result = h("p", { role: "status" });
    const slots = Array.from({ length: SLOTS }, (_, i) => slotRow(viewer, i));
    const seconds = h("input", { type: "number", min: "0", max: "600", step: "0.1", value: String(LENGTH), placeholder: "no end", onchange: () => change({}) });

    function change(changes: Partial<Timeline>) {
        const duration = seconds.value === "" ? undefined : Math.max(Number(seconds.value), 0);
        void viewer.mix({ ...viewer.timeline, duration, ...changes });
    }

    function fill() {
        if (!viewer.alone) seconds.value = String(viewer.timeline.duration ?? "");
        warnings.replaceChildren(...viewer.warnings.map((text) => h("li", {}, text)));
    }

    async function bake() {
        button.disabled = true;
        result.textContent = "Baking …";
        try {
            const timeline = forServer(viewer);
            const job = await viewer.server.send<Job>("POST", "/v1/jobs", { skin: viewer.getAttribute("skin"), options: { ...viewer.space(), layers: timeline, clips: "none" } });
            const done = await viewer.server.follow(job, (phase, share) => (result.textContent = `${phase}, ${Math.round(Math.max(share, 0) * 100)} %`), new AbortController().signal);
            const url = viewer.server.url(done.result!.url);
            const other = viewer.showBeside({ src: url, clip: timeline.name })!;
            await new Promise((go, stop) => {
                other.addEventListener("load", go);
                other.addEventListener("error", () => stop(new Error("The baked file could not be loaded.")));
            });
            result.replaceChildren("Live on the left, baked on the right. ", h("a", { href: url, download: "", onclick: (event: globalThis.Event) => void viewer.download(event, done.result!.url, `${timeline.name}.glb`) }, "Download the bake"), " ",
                h("button", { type: "button", onclick: () => viewer.showBeside(null) }, "Close"));
        } catch (error) {
            result.textContent = error instanceof Error ? error.message : String(error);
        } finally {
            button.disabled = false;
        }
    }

    const button = h("button", { type: "button", onclick: () => void bake() }, "Bake");
    viewer.whileShown("mix", fill);
    viewer.whileShown("clip", fill);
    viewer.whileShown("tick", () => {
        const now = viewer.slotsNow();
        slots.forEach((slot, i) => slot.update(now[i]));
    });
    fill();
    return h("div", { class: "mixer" },
        h("div", { class: "row" }, labelled("Seconds", seconds),
            h("button", { type: "button", onclick: () => change({ commands: [] }) }, "Clear"), viewer.getAttribute("skin") ? button : null),
        strip, result, ...slots.map((slot) => slot.element), h("h2", {}, "Commands"), h("div", { class: "row" }, add, undo), list, warnings);
}

// What a slot holds, played on from where it is in another way: no command but a play changes these. A looping clip keeps its
// local time by itself, and a fade that runs is taken up by a second one.
function replay(viewer: RiftViewer, slot: number, { span, time, weight }: Slot, changes: Partial<Pick<Span, "speed" | "loop" | "mode" | "base">>) {
    const { speed, loop, mode, base } = { ...span, ...changes };
    const at = viewer.currentTime;
    const op = mode === "additive" ? "play_additive" : span.given ? "play_masked" : "play";
    const play: Command = { at, op, slot, clip: span.clip.name, loop, speed, weight };
    if (!loop) play.start = time;
    if (op !== "play") play.mask = span.given;
    if (op === "play_additive") play.base = base;
    const fade: Command[] = span.fadeTo > at ? [{ at, op: "fade", slot, weight: span.fadeWeight, seconds: span.fadeTo - at }] : [];
    void viewer.mix({ ...viewer.timeline, commands: [...viewer.timeline.commands, play, ...fade] });
}

// One slot: what it holds or would play, and buttons that put commands at the present second.
function slotRow(viewer: RiftViewer, slot: number) {
    const clips = viewer.clips.map((name): [string, string] => [name, name]);
    const say = (text: string) => `${text} of slot ${slot}`;
    const clip = select([["", "choose a clip"], ...clips], "", () => {});
    const mask = select(maskChoices(viewer), "", () => held() && void viewer.setSlotMask(slot, chosenMask()));
    const mode = select([["replace", "replace"], ["bind", "add to the rest pose"], ["identity", "add differences"]], "replace", () => {
        const now = held();
        if (!now) return;
        if (mode.value === "replace" || mode.value === now.span.base) viewer.setSlotLayerMode(slot, mode.value === "replace" ? "replace" : "additive");
        else replay(viewer, slot, now, { mode: "additive", base: mode.value as Span["base"] });
    });
    const weight = h("input", { type: "range", min: "0", max: "1", step: "0.05", value: "1", onchange: () => held() && viewer.setSlotWeight(slot, Number(weight.value)) });
    const speed = h("input", { type: "number", step: "0.25", value: "1", onchange: () => change({ speed: Number(speed.value) }) });
    const loop = h("input", { type: "checkbox", checked: true, onchange: () => change({ loop: loop.checked }) });
    const fields: [string, HTMLElement][] = [["Clip", clip], ["Mask", mask], ["Mode", mode], ["Weight", weight], ["Speed", speed], ["Loop", loop]];
    for (const [name, field] of fields) field.setAttribute("aria-label", say(name));
    const held = (): Slot | null => (viewer.alone ? null : viewer.slotsNow()[slot]); // by the mix; a clip alone is changed by Play
    const change = (changes: Partial<Span>) => {
        const now = held();
        if (now) replay(viewer, slot, now, changes);
    };
    // A mask that stands in the command itself has no name to choose it by.
    let ownMask: Mask | null = null;
    const chosenMask = () => (mask.value === "in place" ? ownMask : mask.value || null);
    const options = (value: string) => {
        const choices: [string, string][] = [...maskChoices(viewer), ...(value === "in place" ? [["in place", "its own joints"] as [string, string]] : [])];
        return choices.map(([name, text]) => h("option", { value: name }, text));
    };
    mask.onfocus = () => {
        const kept = mask.value;
        mask.replaceChildren(...options(kept));
        mask.value = kept;
    };

    function play() {
        if (clip.value === "") return;
        const op = mode.value !== "replace" ? "play_additive" : chosenMask() ? "play_masked" : "play";
        const wanted = {
            op, slot, clip: clip.value, loop: loop.checked, speed: Number(speed.value), weight: Number(weight.value),
            ...(op === "play" ? {} : { mask: chosenMask() }), ...(op === "play_additive" ? { base: mode.value as "bind" } : {}),
        } as const;
        // The first command of a new mix takes the place of the clip that played alone.
        const first = viewer.alone !== null;
        const commands = first && slot === 0 ? [] : viewer.timeline.commands;
        const at = first ? 0 : viewer.currentTime;
        void viewer.mix({ ...viewer.timeline, duration: viewer.timeline.duration ?? (first ? LENGTH : undefined), commands: [...commands, { at, ...wanted }] });
        viewer.play();
    }

    const act = (text: string, work: () => void) => h("button", { type: "button", "aria-label": say(text), onclick: work }, text);
    const state = h("output", { "aria-label": say("State") });
    const element = h("details", { class: "slot", open: slot === 0 },
        h("summary", {}, `Slot ${slot} `, state),
        ...fields.map(([name, field]) => labelled(name, field)),
        h("div", { class: "row" }, act("Play", play), act("Fade in", () => viewer.fadeSlotWeight(slot, 1, FADE)),
            act("Fade out", () => viewer.fadeSlotWeight(slot, 0, FADE)), act("Stop", () => viewer.stopSlot(slot))));

    // The fields say what the slot holds when that becomes another thing; what somebody chose to play next stays till then.
    let shown = "";
    function update(now: Slot | null) {
        state.value = now ? `${now.span.clip.name}, ${Math.round(now.weight * 100)} %` : "";
        if (!now) return;
        const { span } = now;
        const busy = (field: HTMLElement) => field.matches(":focus");
        if (!busy(weight)) weight.value = String(now.weight);
        const holds = JSON.stringify([span.clip.name, span.given, span.mode, span.base, span.speed, span.loop]);
        if (holds === shown) return;
        shown = holds;
        ownMask = typeof span.given === "object" ? span.given : null;
        const name = ownMask ? "in place" : (span.given as string | null) ?? "";
        mask.replaceChildren(...options(name));
        mask.value = name;
        clip.value = span.clip.name;
        mode.value = span.mode === "replace" ? "replace" : span.base;
        loop.checked = span.loop;
        if (!busy(speed)) speed.value = String(span.speed);
    }
    return { element, update };
}

// Stored masks are sent as they are, so that the bake does not depend on what the server has stored.
export function forServer(viewer: RiftViewer): Timeline {
    const inPlace = (mask: Command["mask"]): Command["mask"] => {
        const stored: Mask | undefined = typeof mask === "string" ? viewer.masks.get(mask) : undefined;
        return stored ?? mask;
    };
    const commands = viewer.timeline.commands.map((c) => (c.mask ? { ...c, mask: inPlace(c.mask) } : c));
    return { ...viewer.timeline, duration: Number.isFinite(viewer.duration) ? viewer.duration : viewer.currentTime, commands };
}
