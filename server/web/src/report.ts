// The report panel: what the conversion guessed, replaced and dropped, and another skin or version beside this one.
import { h, labelled } from "./dom";
import type { RiftViewer } from "./viewer";

const own = (object: any) => object?.extras?.riftbake ?? {};

function section(title: string, rows: (string | HTMLElement)[], none: string): HTMLElement {
    return h("section", {}, h("h2", {}, title), rows.length > 0 ? h("ul", {}, ...rows.map((row) => h("li", {}, row))) : h("p", {}, none));
}

export function reportPanel(viewer: RiftViewer): HTMLElement {
    const model = viewer.model!;
    const { joints } = model;
    const entries: { code: string; count: number; examples?: string[] }[] = [...(model.extras.report ?? [])];
    for (const entry of viewer.data?.warnings ?? []) if (!entries.some((e) => e.code === entry.code)) entries.push(entry);
    const warnings = entries.map((e) => h("details", {}, h("summary", {}, `${e.code}, ${e.count} ×`), h("ul", {}, ...(e.examples ?? []).map((text) => h("li", {}, text)))));
    const tracks = model.clips.flatMap((clip) => {
        const { leftover = [], total = 0 } = clip.extras.tracks ?? {};
        return leftover.length > 0 ? [`${clip.name}: ${leftover.length} of ${total} tracks (${leftover.map((l: any) => `${l.hash} ${l.reason}`).join(", ")})`] : [];
    });
    const folded = joints.map((j) => j.name.toLowerCase());
    const stubs = joints.filter((joint, j) => !joint.influences && folded.some((other, k) => k !== j && other === folded[j] && joints[k].influences)).map((j) => j.name);
    const snaps = model.clips.flatMap((clip) => [
        ...(clip.extras.snaps ?? []).map((s: any) => `${clip.name}: ${s.joint} stands at ${s.to}, ${s.start.toFixed(2)} to ${s.end.toFixed(2)} s`),
        ...(clip.extras.dropped_snaps ?? []).map((s: any) => `${clip.name}: ${s.joint} onto ${s.to} dropped, ${s.reason}`),
    ]);
    const textures = (model.gltf.parser.json.materials ?? []).map((m: any) => {
        const { texture, chosen_by: by, alpha } = own(m);
        return `${m.name}: ${texture ?? "no texture"}${by ? `, by ${by}` : ""}${alpha ? `; ${alpha}` : ""}`;
    });
    return h("div", { class: "report" },
        comparison(viewer),
        section("Warnings", warnings, "None."),
        section("Leftover tracks", tracks, "Every track found its joint."),
        section("Stubs", stubs, "No joint stands in for another."),
        section("Snaps", snaps, "No clip locks a joint to another."),
        section("Textures", textures, "No materials."));
}

function comparison(viewer: RiftViewer): HTMLElement {
    const field = h("input", { placeholder: "157036, yasuo/36, /v1/artifacts/….glb" });
    const note = h("p", { role: "status" });
    function compare() {
        const text = field.value.trim();
        if (text === "") return;
        const other = viewer.showBeside(text.endsWith(".glb") ? { src: text.startsWith("/") ? viewer.server.url(text) : text } : { skin: text })!;
        note.textContent = "Loading …";
        other.addEventListener("error", (event) => (note.textContent = (event as unknown as CustomEvent<{ message: string }>).detail.message));
        other.addEventListener("load", () => (note.textContent = differences(viewer, other)));
    }
    return h("section", {}, h("h2", {}, "Compare"),
        labelled("With", field),
        h("div", { class: "row" }, h("button", { type: "button", onclick: compare }, "Show beside"), h("button", { type: "button", onclick: () => viewer.showBeside(null) }, "Close")),
        note);
}

function differences(a: RiftViewer, b: RiftViewer): string {
    const [s, t] = [a.model!.statistics, b.model!.statistics];
    const missing = a.clips.filter((name) => !b.clips.includes(name));
    const added = b.clips.filter((name) => !a.clips.includes(name));
    const clips = missing.length + added.length === 0 ? "the same clips" : `clips missing: ${missing.join(", ") || "none"}; added: ${added.join(", ") || "none"}`;
    return `Triangles ${s.triangles} and ${t.triangles}, joints ${s.joints} and ${t.joints}, bytes ${s.bytes} and ${t.bytes}; ${clips}.`;
}
