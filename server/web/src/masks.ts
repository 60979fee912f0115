// The mask editor: a tree of joints to include and exclude, drawn on the moving pose.
import { checkbox, h, labelled } from "./dom";
import { findJoint, resolveMask, type Mask } from "./layers";
import type { RiftViewer } from "./viewer";

// Presets look for the first joint of each list that the skeleton has.
const PRESETS: Record<string, { include: RegExp[]; exclude?: RegExp[] }> = {
    "Upper body": { include: [/^spine_?1?$/i, /^spine/i, /^chest/i, /^torso/i] },
    "Lower body": { include: [/^(hips?|pelvis)$/i, /^root$/i], exclude: [/^spine_?1?$/i, /^spine/i, /^chest/i] },
    Arms: { include: [/^l_?(clavicle|shoulder)/i, /^r_?(clavicle|shoulder)/i, /^l_?(upper)?_?arm/i, /^r_?(upper)?_?arm/i] },
    Head: { include: [/^neck/i, /^head$/i] },
};

const PRESET = "preset:"; // no name of a stored mask has a colon

export function masksPanel(viewer: RiftViewer): HTMLElement {
    const model = viewer.model!;
    const joints = model.original;
    const include = new Set<string>();
    const exclude = new Set<string>();
    let list: number[] | null = null; // weights by joint: a mask that names cannot say
    let selfOnly = false;
    let shown = true;
    let current = 0; // the row that the keys move
    const count = h("p", { role: "status" });
    const tree = h("div", { role: "tree", "aria-label": "Joints", class: "tree" });
    const menu = h("div", { role: "menu", class: "menu", hidden: true, "aria-label": "Joint" });
    const name = h("input", { placeholder: "name", "aria-label": "Name of the mask" });
    const note = h("p", { role: "status" });
    const only = checkbox("Self only: named joints without what is below them", false, (on) => {
        selfOnly = on;
        fill();
    });
    const rows = inTreeOrder(viewer).map(({ joint, depth }) => row(joint, depth));

    const mask = (): Mask => (list ? { weight_list: list } : { include: [...include], exclude: [...exclude], ...(selfOnly ? { self_only: true } : {}) });

    function row(joint: number, depth: number): HTMLElement {
        const element = h("div", { role: "treeitem", "aria-level": String(depth + 1), tabindex: "-1", "data-joint": String(joint),
            onfocus: () => (current = rows.indexOf(element)), onclick: (event: PointerEvent) => {
                choose(joint);
                if (event.pointerType === "touch") openMenu(element);
            }, oncontextmenu: (event: MouseEvent) => {
                event.preventDefault();
                choose(joint);
                openMenu(element);
            } });
        element.style.paddingLeft = `${0.4 + depth * 0.8}rem`;
        return element;
    }

    function choose(joint: number) {
        current = rows.findIndex((r) => r.dataset.joint === String(joint));
        rows.forEach((r, i) => (r.tabIndex = i === current ? 0 : -1));
        rows[current].focus();
    }

    function put(joint: number, to: "include" | "exclude" | "clear") {
        const { name: joined } = joints[joint];
        if (list) {
            const touched = resolveMask({ include: [joined], self_only: selfOnly }, joints).weights;
            list = list.map((weight, j) => (touched[j] > 0 ? (to === "include" ? 1 : 0) : weight));
            fill();
            return;
        }
        include.delete(joined);
        exclude.delete(joined);
        if (to === "include") include.add(joined);
        if (to === "exclude") exclude.add(joined);
        fill();
    }

    function openMenu(at: HTMLElement) {
        const joint = Number(at.dataset.joint);
        const item = (text: string, to: "include" | "exclude" | "clear") => h("button", { type: "button", role: "menuitem", onclick: () => {
            menu.hidden = true;
            put(joint, to);
            at.focus();
        } }, text);
        menu.replaceChildren(item("Include", "include"), item("Exclude", "exclude"), item("Clear", "clear"));
        menu.style.top = `${at.offsetTop - tree.scrollTop + at.offsetHeight}px`;
        menu.hidden = false;
        menu.querySelector("button")!.focus();
    }

    menu.addEventListener("keydown", (event) => {
        const items = [...menu.querySelectorAll("button")];
        const at = items.indexOf(event.target as HTMLButtonElement);
        if (event.key === "ArrowDown") items[(at + 1) % items.length].focus();
        else if (event.key === "ArrowUp") items[(at + items.length - 1) % items.length].focus();
        else if (event.key === "Escape") {
            menu.hidden = true;
            rows[current].focus();
        } else return;
        event.preventDefault();
        event.stopPropagation();
    });

    tree.addEventListener("keydown", (event) => {
        const joint = Number(rows[current].dataset.joint);
        const move = (by: number) => choose(Number(rows[Math.min(Math.max(current + by, 0), rows.length - 1)].dataset.joint));
        const keys: Record<string, () => void> = {
            ArrowDown: () => move(1), ArrowUp: () => move(-1), Home: () => move(-rows.length), End: () => move(rows.length),
            Enter: () => openMenu(rows[current]), ContextMenu: () => openMenu(rows[current]),
            "+": () => put(joint, "include"), "-": () => put(joint, "exclude"), Delete: () => put(joint, "clear"),
        };
        if (!keys[event.key] || !(event.target as HTMLElement).matches("[role=treeitem]")) return;
        keys[event.key]();
        event.preventDefault();
    });

    function fill() {
        const { weights, warnings } = resolveMask(mask(), joints);
        // Of equal names the first joint is meant.
        const named = (names: Set<string>) => new Set([...names].map((n) => findJoint(joints, n)));
        const [plus, minus] = [named(include), named(exclude)];
        for (const element of rows) {
            const joint = Number(element.dataset.joint);
            const state = minus.has(joint) ? "excluded" : weights[joint] > 0 ? (list || plus.has(joint) ? "included" : "inherited") : "out";
            const sign = { excluded: "−", included: "+", inherited: "·", out: " " }[state];
            const word = { excluded: "excluded", included: "included", inherited: "included by a parent", out: "not included" }[state];
            element.className = state;
            const share = weights[joint] > 0 && weights[joint] < 1 ? ` ${Math.round(100 * weights[joint])} %` : "";
            element.textContent = `${sign} ${joints[joint].name}${share}`;
            element.setAttribute("aria-label", `${joints[joint].name}, ${word}${share}`);
        }
        const inside = weights.filter((w) => w > 0).length;
        count.textContent = `${inside} of ${joints.length} joints`;
        note.textContent = warnings.filter((w) => w !== "mask_empty").join(", ");
        viewer.stage?.setMask(shown && (list || include.size > 0 || exclude.size > 0) ? weights : null);
    }

    function take(given: Mask) {
        list = given.weight_list ? joints.map((_, j) => given.weight_list![j] ?? 0) : null;
        include.clear();
        exclude.clear();
        for (const joint of given.include ?? []) include.add(joint);
        for (const joint of given.exclude ?? []) exclude.add(joint);
        selfOnly = given.self_only === true;
        only.querySelector("input")!.checked = selfOnly;
        fill();
    }

    function preset(key: string) {
        const find = (patterns: RegExp[]) => {
            const matches = (p: RegExp) => joints.filter((j) => p.test(j.name)).map((j) => j.name);
            // Arms are two, of everything else one.
            if (key === "Arms") return [patterns.slice(0, 2), patterns.slice(2)].map((pair) => pair.flatMap((p) => matches(p).slice(0, 1))).find((names) => names.length > 0) ?? [];
            return patterns.map(matches).find((names) => names.length > 0)?.slice(0, 1) ?? [];
        };
        const included = find(PRESETS[key].include);
        take({ include: included, exclude: find(PRESETS[key].exclude ?? []) });
        if (included.length === 0) note.textContent = `This skeleton has no joint that “${key}” could begin with. Include one yourself.`;
    }

    async function store() {
        const called = name.value.trim();
        if (!/^[\w-]{1,64}$/.test(called)) {
            note.textContent = "Give the mask a name of letters, digits, - and _.";
            return;
        }
        viewer.masks.set(called, { name: called, ...mask() });
        try {
            if (await viewer.server.has("/v1/masks")) {
                await viewer.server.ask(`/v1/masks/${called}`, { method: "PUT", body: JSON.stringify({ name: called, ...mask() }), headers: { "Content-Type": "application/json" } });
                note.textContent = `Saved as “${called}”.`;
            } else {
                note.textContent = `“${called}” is kept while this page is open: this server stores no masks.`;
            }
        } catch (error) {
            note.textContent = `“${called}” is kept while this page is open. ${(error as Error).message}`;
        }
        fillStored();
    }

    const stored = h("select", { "aria-label": "Begin with", onchange: () => {
        const game = viewer.data?.masks.find((m) => `game:${m.name ?? m.hash}` === stored.value);
        if (game?.weights) take({ weight_list: game.weights });
        else if (game) take({ include: game.joints, self_only: true });
        else if (stored.value.startsWith(PRESET)) preset(stored.value.slice(PRESET.length));
        else if (viewer.masks.has(stored.value)) take(viewer.masks.get(stored.value)!);
        else take({});
    } });

    function fillStored() {
        const group = (label: string, entries: [string, string][]) => {
            const element = document.createElement("optgroup");
            element.label = label;
            element.append(...entries.map(([value, text]) => h("option", { value }, text)));
            return entries.length > 0 ? element : "";
        };
        const kept = stored.value;
        stored.replaceChildren(h("option", { value: "" }, "nothing"),
            group("Presets", Object.keys(PRESETS).map((k) => [PRESET + k, k])),
            group("The game's", (viewer.data?.masks ?? []).map((m) => [`game:${m.name ?? m.hash}`, m.name ?? m.hash])),
            group("Stored", [...viewer.masks.keys()].map((k) => [k, k])));
        stored.value = kept;
    }

    tree.append(...rows);
    rows[0]?.setAttribute("tabindex", "0");
    fill();
    fillStored();
    void viewer.loadMasks().then(fillStored);
    if (joints.length === 0) return h("p", {}, "This file has no joints.");
    const close = (event: globalThis.Event) => (menu.hidden ||= !menu.contains(event.target as Node));
    return h("div", { class: "masks", onpointerdown: close },
        labelled("Begin with", stored), only,
        checkbox("Draw it on the model", true, (on) => {
            shown = on;
            fill();
        }),
        count, h("p", {}, h("small", {}, "Right-click or tap a joint, or Enter, for its menu; + includes, − excludes, Delete clears.")),
        h("div", { class: "tree-box" }, tree, menu), h("div", { class: "row" }, name, h("button", { type: "button", onclick: () => void store() }, "Save")), note);
}

function inTreeOrder(viewer: RiftViewer): { joint: number; depth: number }[] {
    const joints = viewer.model!.original;
    const rows: { joint: number; depth: number }[] = [];
    const children = new Map<number, number[]>();
    joints.forEach((joint, j) => children.set(joint.parent, [...(children.get(joint.parent) ?? []), j]));
    const stack = (children.get(-1) ?? []).map((joint) => ({ joint, depth: 0 })).reverse();
    while (stack.length > 0) {
        const next = stack.pop()!;
        rows.push(next);
        for (const joint of [...(children.get(next.joint) ?? [])].reverse()) stack.push({ joint, depth: next.depth + 1 });
    }
    return rows;
}

