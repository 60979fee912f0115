// The report panel: what the conversion guessed, replaced and dropped, and another skin or version beside this one.
import { bytesText, h, labelled, select } from "./dom";
import type { Job, Patch, PatchSkin } from "./server";
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
        viewer.data && patches(viewer),
        section("Warnings", warnings, "None."),
        section("Leftover tracks", tracks, "Every track found its joint."),
        section("Stubs", stubs, "No joint stands in for another."),
        section("Snaps", snaps, "No clip locks a joint to another."),
        section("Textures", textures, "No materials."));
}

function comparison(viewer: RiftViewer): HTMLElement {
    const field = h("input", { placeholder: "id, yasuo/36 or .glb" });
    const note = h("p", { role: "status" });
    const earlier = h("p", {});
    function compare() {
        const text = field.value.trim();
        if (text === "") return;
        const other = viewer.showBeside(text.endsWith(".glb") ? { src: text.startsWith("/") ? viewer.server.url(text) : text } : { skin: text })!;
        note.textContent = "Loading …";
        other.addEventListener("error", (event) => (note.textContent = (event as unknown as CustomEvent<{ message: string }>).detail.message));
        other.addEventListener("load", () => (note.textContent = differences(viewer, other)));
    }
    if (viewer.data?.id !== undefined) {
        void earlierFiles(viewer, viewer.data.id).then((files) => files.length > 0 && earlier.append(
            labelled("Its files", select([["", "choose one"], ...files], "", (url) => {
                field.value = url;
                compare();
            })))).catch(() => {});
    }
    return h("section", {}, h("h2", {}, "Compare"),
        labelled("With", field), earlier,
        h("div", { class: "row" }, h("button", { type: "button", onclick: compare }, "Show beside"), h("button", { type: "button", onclick: () => viewer.showBeside(null) }, "Close")),
        note);
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

// What the server made of this skin, each file once, with the patch that it was made under.
async function earlierFiles(viewer: RiftViewer, skin: number): Promise<[string, string][]> {
    const [{ rows: jobs }, { rows: all }] = await Promise.all([
        viewer.server.all<Job>("/v1/jobs", "jobs", `&skin=${skin}&state=done`), viewer.server.all<Patch>("/v1/patches", "patches")]);
    const files = new Map<string, string>();
    for (const { result, finished = 0, options } of jobs) {
        if (!result) continue;
        const under = all.filter((p) => p.taken <= finished).sort((a, b) => b.taken - a.taken)[0];
        files.set(result.url, [day(finished), under && `patch ${under.id} (${under.version})`, options].filter(Boolean).join(", "));
    }
    return [...files];
}

// What a patch was, row by row.
function rowsOf(p: Patch): [string, string][] {
    const { skins, changes = [], troubled = [] } = p;
    return [
        ["Version", p.version], ["Taken over", day(p.taken)], ["Archives", String(p.archives)], ["Entries", String(p.entries)],
        ["Unreadable archives", String(p.unreadable)], ["Unknown versions", String(p.unknown_versions)], ["Sweep", p.sweep],
        ["Kept", String(p.kept)], ["Made again", String(skins.made)], ["Failed", String(skins.failed)], ["Newly failing", String(skins.newly_failing)], ["By an unknown version", String(skins.unsupported)], ["Newly warning", String(skins.newly_warning)],
        ["Read", bytesText(p.read_bytes ?? 0)], ["Converting", `${((p.convert_ms ?? 0) / 1000).toFixed(1)} s`],
        ["Changes", changes.map((c) => `${c.archive.split("/").pop()}: ${c.change}, +${c.added} −${c.removed} ~${c.changed}`).join("; ") || "none"],
        ["In trouble", troubled.map((s) => `${s.alias}/${s.number}: ${s.error?.detail ?? s.warnings ?? ""}`).join("; ") || "none"],
    ];
}

// Two patches of the game side by side, and whether each changed this skin.
function patches(viewer: RiftViewer): HTMLElement {
    const body = h("div", {});
    const table = h("table", {});
    async function show(ids: string[]) {
        const columns = await Promise.all(ids.map(async (id) => {
            const [patch, feed] = await Promise.all([
                viewer.server.json<Patch>(`/v1/patches/${id}`), viewer.server.all<PatchSkin>(`/v1/patches/${id}/skins`, "skins")]);
            const { data } = viewer;
            const mine = feed.rows.some((s) => (data?.id !== undefined ? s.id === data.id : s.alias === data?.champion.alias && s.number === data?.number));
            return new Map([...rowsOf(patch), ["This skin", mine ? "changed" : "as before"]]);
        }));
        table.replaceChildren(
            h("thead", {}, h("tr", {}, h("td"), ...ids.map((id) => h("th", { scope: "col" }, `Patch ${id}`)))),
            h("tbody", {}, ...[...columns[0].keys()].map((name) => {
                const [a, b] = columns.map((c) => c.get(name) ?? "");
                return h("tr", { class: a === b ? null : "differs" }, h("th", { scope: "row" }, name), h("td", {}, a), h("td", {}, b));
            })));
    }
    async function fill() {
        const { rows: all } = await viewer.server.all<Patch>("/v1/patches", "patches");
        if (all.length === 0) {
            body.append(h("p", {}, "The server has seen no patch yet."));
            return;
        }
        const names = all.map((p): [string, string] => [String(p.id), `${p.id}: ${p.version}`]);
        const newest = [...all].sort((a, b) => b.id - a.id);
        const ids = [String((newest[1] ?? newest[0]).id), String(newest[0].id)];
        const choice = (i: number) => select(names, ids[i], (id) => {
            ids[i] = id;
            void show(ids);
        });
        body.append(labelled("Patch", choice(0)), labelled("and patch", choice(1)), table);
        await show(ids);
    }
    const details = h("details", { ontoggle: () => {
        if (details.open && body.childElementCount === 0) fill().catch((error) => body.replaceChildren(h("p", {}, String(error.message))));
    } }, h("summary", {}, "Two patches side by side"), body);
    return h("section", {}, details);
}

function differences(a: RiftViewer, b: RiftViewer): string {
    const [s, t] = [a.model!.statistics, b.model!.statistics];
    const missing = a.clips.filter((name) => !b.clips.includes(name));
    const added = b.clips.filter((name) => !a.clips.includes(name));
    const clips = missing.length + added.length === 0 ? "the same clips" : `clips missing: ${missing.join(", ") || "none"}; added: ${added.join(", ") || "none"}`;
    return `Triangles ${s.triangles} and ${t.triangles}, joints ${s.joints} and ${t.joints}, bytes ${s.bytes} and ${t.bytes}; ${clips}.`;
}
