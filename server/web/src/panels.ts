// What stands below and beside the picture: the player's bar and the panels.
import { bytesText, checkbox, h, labelled, save, select, tabs } from "./dom";
import { masksPanel } from "./masks";
import { mixerPanel } from "./mixer";
import { reportPanel } from "./report";
import { BACKGROUNDS } from "./stage";
import { glbPath } from "./server";
import type { RiftViewer } from "./viewer";

// --- the bar -----------------------------------------------------------------------------------------------------------

export interface PlayerBar {
    element: HTMLElement;
    update(): void;
}

const seconds = (t: number) => t.toFixed(2);

export function playerBar(viewer: RiftViewer): PlayerBar {
    const toggle = h("button", { type: "button", class: "play", onclick: () => (viewer.isPaused ? viewer.play() : viewer.pause()) });
    const scrub = h("input", { type: "range", min: "0", step: "0.001", value: "0", "aria-label": "Time", oninput: () => {
        const wanted = Number(scrub.value); // pausing writes the present second there
        viewer.pause();
        viewer.currentTime = wanted;
    } });
    const marks = h("div", { class: "marks", "aria-hidden": "true" });
    const time = h("output", { class: "time", "aria-label": "Seconds" });
    const loop = checkbox("Loop", viewer.loop, (on) => (viewer.loop = on));
    const looping = loop.querySelector("input")!;
    const speeds = ["0.1", "0.25", "0.5", "1", "1.5", "2", "-1"].map((s): [string, string] => [s, `${s} ×`]);
    const speed = select(speeds, String(viewer.playbackRate), (value) => (viewer.playbackRate = Number(value)));
    speed.setAttribute("aria-label", "Speed");
    const step = (frames: number, label: string, text: string): HTMLButtonElement => h("button", { type: "button", "aria-label": label, onclick: () => viewer.step(frames) }, text);
    const steps = [step(-1, "One frame back", "◂|"), step(1, "One frame on", "|▸")];
    let marked: unknown = null;

    function mark() {
        marked = viewer.alone;
        const { duration } = viewer;
        const events = viewer.alone?.events.filter((e) => e.t !== null && e.t <= duration) ?? [];
        marks.replaceChildren(...events.map((event) => {
            const at = h("i", { class: `mark ${event.class}`, title: `${event.class} at ${seconds(event.t!)} s` });
            at.style.left = `${(100 * event.t!) / (duration || 1)}%`;
            return at;
        }));
    }

    function update() {
        const { duration, currentTime, isPaused } = viewer;
        const rate = String(viewer.playbackRate);
        if (speed.value !== rate) {
            if (![...speed.options].some((option) => option.value === rate)) speed.add(new Option(`${rate} ×`, rate));
            speed.value = rate;
        }
        looping.checked = viewer.loop;
        for (const control of [toggle, scrub, ...steps]) control.disabled = viewer.clips.length === 0;
        toggle.textContent = isPaused ? "▶" : "❚❚";
        toggle.setAttribute("aria-label", isPaused ? "Play" : "Pause");
        scrub.max = String(Number.isFinite(duration) ? duration : Math.max(currentTime, 1));
        scrub.value = String(currentTime);
        time.value = Number.isFinite(duration) ? `${seconds(currentTime)} / ${seconds(duration)} s` : `${seconds(currentTime)} s`;
        if (marked !== viewer.alone) mark();
    }

    const element = h("div", { class: "player", role: "group", "aria-label": "Player" },
        toggle, ...steps,
        h("div", { class: "scrub" }, marks, scrub), time, loop, speed);
    update();
    return { element, update };
}

// --- the panels --------------------------------------------------------------------------------------------------------

export function panels(viewer: RiftViewer): HTMLElement {
    return h("div", { class: "panels" }, tabs("Panels", [
        { name: "Clips", make: () => clipsPanel(viewer) },
        { name: "Parts", make: () => partsPanel(viewer) },
        { name: "View", make: () => viewPanel(viewer) },
        { name: "Layers", make: () => mixerPanel(viewer) },
        { name: "Masks", make: () => masksPanel(viewer) },
        { name: "Report", make: () => reportPanel(viewer) },
        { name: "Download", make: () => downloadPanel(viewer) },
    ]));
}

function clipsPanel(viewer: RiftViewer): HTMLElement {
    const list = h("div", { class: "clips" });
    const search = h("input", { type: "search", placeholder: "Search clips", "aria-label": "Search clips", oninput: () => fill() });
    const model = viewer.model!;

    function button(name: string) {
        const info = model.info(name)!;
        const notes = [info.additive && "additive", info.events.length > 0 && (info.events.length === 1 ? "1 event" : `${info.events.length} events`)].filter(Boolean).join(", ");
        const current = viewer.alone === info;
        return h("li", {}, h("button", { type: "button", "aria-current": current ? "true" : null, onclick: () => void viewer.playAlone(name) },
            h("span", {}, name), h("small", {}, `${info.length.toFixed(2)} s${notes ? `, ${notes}` : ""}`)));
    }

    function fill() {
        const wanted = search.value.toLowerCase();
        const kinds = new Map<string, string[]>();
        for (const name of viewer.clips) {
            const kind = viewer.kindOf(name);
            if (!`${name} ${kind}`.toLowerCase().includes(wanted)) continue;
            kinds.set(kind, [...(kinds.get(kind) ?? []), name]);
        }
        list.replaceChildren(...[...kinds].map(([kind, names]) => h("section", {}, h("h2", {}, kind), h("ul", {}, ...names.map(button)))));
        if (kinds.size === 0) list.append(h("p", {}, viewer.clips.length === 0 ? "This file has no clips." : "No clip has such a name."));
        list.append(eventList());
    }

    function eventList(): HTMLElement {
        const events = viewer.alone?.events ?? [];
        if (events.length === 0) return h("div");
        const rows = events.map((e) => h("li", {}, `${e.t === null ? "never" : `${seconds(e.t)} s`}: ${e.class}${e.joint ? ` ${e.joint} → ${e.to}` : ""}`));
        return h("details", {}, h("summary", {}, `Events of ${viewer.alone!.name}`), h("ul", {}, ...rows));
    }

    viewer.whileShown("clip", fill);
    fill();
    return h("div", {}, search, list);
}

function partsPanel(viewer: RiftViewer): HTMLElement {
    const list = h("div", { class: "parts" });
    const model = viewer.model!;
    const set = (names: string[], shown: boolean | undefined) => {
        for (const part of model.parts) if (names.includes(part.name)) part.shown = shown;
        viewer.refresh();
    };
    const boxes = model.parts.map((part) => {
        const row = checkbox(part.name, part.mesh.visible, (on) => set([part.name], on));
        row.append(h("small", {}, `${part.triangles} triangles${part.hidden ? ", hidden at the start" : ""}`));
        return row;
    });
    viewer.whileShown("parts", () => boxes.forEach((row, i) => (row.querySelector("input")!.checked = model.parts[i].mesh.visible)));
    list.append(h("p", {}, "Parts follow the skin and the clip until you switch them."), ...boxes);
    list.append(h("button", { type: "button", onclick: () => set(model.parts.map((p) => p.name), undefined) }, "Follow the clip again"));
    const forms = viewer.data?.forms ?? [];
    if (forms.length > 0) {
        const options = [["", "as it starts"], ...forms.map((f, i) => [String(i), f.name])] as [string, string][];
        list.prepend(labelled("Form", select(options, "", (at) => {
            set(model.parts.map((p) => p.name), undefined);
            if (at === "") return;
            set(forms[Number(at)].show, true);
            set(forms[Number(at)].hide, false);
        })));
    }
    return list;
}

function viewPanel(viewer: RiftViewer): HTMLElement {
    const stage = viewer.stage!;
    const model = viewer.model!;
    const flag = (text: string, name: "ground" | "wireframe" | "skeleton" | "names" | "bounds") =>
        checkbox(text, stage.look[name], (on) => {
            stage.look[name] = on;
            stage.applyLook();
        });
    const backgrounds = Object.entries(BACKGROUNDS).map(([key, [text]]): [string, string] => [key, text]);
    const background = select(backgrounds, stage.look.background, (value) => viewer.setAttribute("background", value));
    const rows: [string, string][] = [
        ["Triangles", String(model.statistics.triangles)], ["Joints", String(model.statistics.joints)], ["Parts", String(model.parts.length)],
        ["Clips", String(model.clips.length)], ["Textures", String(model.statistics.textures)],
        ["File", bytesText(model.statistics.bytes)], ["GPU memory", `about ${bytesText(model.statistics.gpuBytes)}`],
    ];
    const shoot = async () => save(await viewer.screenshot(), `${fileName(viewer)}.png`);
    return h("div", { class: "look" },
        labelled("Background", background),
        model.variants.length > 0 && labelled("Variant", select([["", "as it is"], ...model.variants.map((v): [string, string] => [v, v])],
            viewer.getAttribute("variant") ?? "", (value) => viewer.setAttribute("variant", value))),
        flag("Ground", "ground"), flag("Wireframe", "wireframe"), flag("Skeleton", "skeleton"), flag("Joint names (with the skeleton)", "names"), flag("Bounds", "bounds"),
        h("p", {}, h("button", { type: "button", onclick: () => viewer.fit() }, "Fit"), h("button", { type: "button", onclick: shoot }, "Screenshot")),
        h("dl", {}, ...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
}

const fileName = (viewer: RiftViewer) => (viewer.getAttribute("skin") ?? "model").replace(/[^\w-]+/g, "-");

// The options are those that the server's own contract names. What is not chosen is not said: the operator may have set another
// default than the contract names.
function downloadPanel(viewer: RiftViewer): HTMLElement {
    const skin = viewer.getAttribute("skin");
    if (!skin) return h("p", {}, "This file came from a plain link: ", h("a", { href: viewer.getAttribute("src") ?? "", download: true }, "download it"), ".");
    const chosen = new Map<string, string>();
    const name = viewer.data ? `${viewer.data.champion.alias}-${viewer.data.number}.glb` : `${fileName(viewer)}.glb`;
    let path = "";
    const link = h("a", { class: "button", onclick: (event: globalThis.Event) => void viewer.download(event, path, name) }, "Download GLB");
    link.setAttribute("download", name);
    const curl = h("code", { tabindex: "0" });
    const copy = h("button", { type: "button", onclick: () => void navigator.clipboard.writeText(curl.textContent!).then(() => (copy.textContent = "Copied")) }, "Copy");
    const fields = h("div", { class: "fields" });
    const update = () => {
        const query = [...chosen].filter(([, value]) => value !== "").map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
        path = glbPath(skin, query);
        const url = viewer.server.url(path);
        link.href = url;
        const token = viewer.server.token ? '-H "Authorization: Bearer $TOKEN" ' : "";
        curl.textContent = `curl -f ${token}-o ${fileName(viewer)}.glb '${url}'`;
        copy.textContent = "Copy";
    };
    const choose = (name: string, value: string) => {
        chosen.set(name, value);
        update();
    };
    void viewer.server.contract().then((contract) => {
        for (const reference of contract.paths["/v1/skins/{id}.glb"].get.parameters) {
            const at = reference.$ref ? contract.components.parameters[reference.$ref.split("/").pop()] : reference;
            if (at.in !== "query" || at.name === "layers") continue;
            const values: string[] | undefined = at.schema?.enum;
            const field = values
                ? select([["", "default"], ...values.map((v): [string, string] => [v, v])], "", (value) => choose(at.name, value))
                : h("input", { placeholder: "default", onchange: (event: Event) => choose(at.name, (event.target as HTMLInputElement).value) });
            field.title = at.description ?? "";
            fields.append(labelled(at.name, field));
        }
    }).catch((error) => fields.append(h("p", {}, String(error.message))));
    update();
    return h("div", { class: "download" }, fields, h("p", {}, link), h("p", {}, curl, copy));
}
