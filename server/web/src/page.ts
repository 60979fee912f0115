// The page at /: a gallery, and one skin. Where one is stands in the address: #/ or #/157036?clip=Dance&chroma=157037
import { h, select } from "./dom";
import { Server, type SkinData, type SkinRow } from "./server";
import { RiftViewer } from "./viewer";
import "./page.css";

const server = new Server(location.origin);
const main = document.getElementById("main")!;
const title = document.getElementById("title")!;
const THUMBNAIL = "/v1/skins/{id}/thumbnail.png";
const PASSED_ON = ["clip", "variant", "background", "options", "src"];

interface Place {
    skin: string;
    query: URLSearchParams;
}

function place(): Place {
    const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
    return { skin: decodeURIComponent(path), query: new URLSearchParams(query) };
}

function heading(text: string) {
    title.textContent = text;
    document.title = `${text} · Riftbake`;
}

// --- one skin ----------------------------------------------------------------------------------------------------------

let viewer: RiftViewer | null = null;
const swatches = h("nav", { class: "swatches", "aria-label": "Chromas", hidden: true });

function showSkin({ skin, query }: Place) {
    if (!viewer) {
        const made = (viewer = document.createElement("rift-viewer") as RiftViewer);
        made.addEventListener("clip", (event) => remember("clip", (event as CustomEvent<{ clip: string }>).detail.clip));
        made.addEventListener("load", () => made.data && void describe(made.data));
        main.replaceChildren(h("div", { class: "stage" }, swatches, made));
    }
    heading(skin || "A file");
    const attributes = new Map<string, string | null>(PASSED_ON.map((name) => [name, query.get(name)]));
    attributes.set("skin", query.get("chroma") ?? skin);
    for (const [name, value] of attributes) {
        if (value === null) viewer.removeAttribute(name);
        else if (viewer.getAttribute(name) !== value) viewer.setAttribute(name, value);
    }
}

function remember(name: string, value: string) {
    const { skin, query } = place();
    query.set(name, value);
    history.replaceState(null, "", `#/${skin}?${query}`);
}

async function describe(data: SkinData) {
    heading(nameOf(data));
    const { skin, query } = place();
    const shown = query.get("chroma") ?? skin;
    // A chroma does not name its siblings, the skin that it belongs to does.
    const original = shown === skin ? data : await server.json<SkinData>(`/v1/skins/${skin}`).catch(() => data);
    const chromas = original.chromas ?? [];
    swatches.hidden = chromas.length === 0;
    swatches.replaceChildren(
        h("a", { href: `#/${skin}`, "aria-current": shown === skin ? "true" : null }, "Original"),
        ...chromas.map((c) => swatch(skin, c, shown === String(c.id))));
}

type Chroma = NonNullable<SkinData["chromas"]>[number];

function swatch(skin: string | number, chroma: Chroma, current: boolean): HTMLElement {
    const name = chroma.name ?? `chroma ${chroma.id}`;
    const dot = h("a", { class: "swatch", href: `#/${skin}?chroma=${chroma.id}`, title: name, "aria-label": name, "aria-current": current ? "true" : null });
    // The game's files do not always say a chroma's colours; its picture does.
    const [first, second = first] = chroma.colors ?? [];
    if (first) dot.style.background = `linear-gradient(135deg, ${first} 50%, ${second} 50%)`;
    else void server.has(THUMBNAIL).then((has) => has && (dot.style.backgroundImage = `url(/v1/skins/${chroma.id}/thumbnail.png)`));
    return dot;
}

const nameOf = (s: { champion: { alias: string; name?: string }; number: number; name?: string }) =>
    s.name ?? `${s.champion.name ?? s.champion.alias} ${s.number}`;

// --- the gallery -------------------------------------------------------------------------------------------------------

async function showGallery() {
    viewer?.remove();
    viewer = null;
    heading("Skins");
    const list = h("div", {});
    const notice = h("p", { class: "notice", role: "status" }, "Loading the catalogue …");
    let state = "";
    const search = h("input", { type: "search", placeholder: "Champion, skin or id", "aria-label": "Search skins", oninput: () => fill() });
    const states = select([["", "Any state"], ["fresh", "Ready"], ["stale", "Outdated"], ["never", "Not converted"], ["failed", "Failed"]], "", (value) => {
        state = value;
        fill();
    });
    states.setAttribute("aria-label", "State");
    main.replaceChildren(h("div", { class: "tools" }, search, states), notice, list);
    let rows: SkinRow[] = [];
    let pictures = false;

    function fill() {
        const wanted = search.value.trim().toLowerCase();
        const groups = new Map<string, SkinRow[]>();
        for (const row of rows) {
            const text = `${row.id} ${row.champion.name} ${row.champion.alias}/${row.number} ${row.name ?? ""}`.toLowerCase();
            if (!text.includes(wanted) || (state !== "" && row.state !== state)) continue;
            groups.set(row.champion.name, [...(groups.get(row.champion.name) ?? []), row]);
        }
        list.replaceChildren(...[...groups].map(([name, skins]) =>
            h("section", { class: "champion" }, h("h2", {}, name), h("ul", { class: "cards" }, ...skins.map((row) => card(row, pictures))))));
        notice.hidden = groups.size > 0;
        notice.textContent = rows.length === 0 ? "The server's game folder holds no skins. Start riftbaked with --game and a game folder." : "No skin fits. Search for less, or choose another state.";
    }

    try {
        [rows, pictures] = await Promise.all([server.skins(), server.has(THUMBNAIL)]);
        fill();
    } catch (error) {
        notice.replaceChildren(String((error as Error).message), " ", h("button", { type: "button", onclick: () => void showGallery() }, "Try again"));
    }
}

const WORDS: Record<string, string> = { fresh: "ready", stale: "outdated", never: "not converted", failed: "failed" };

function card(row: SkinRow, pictures: boolean): HTMLElement {
    const badge = h("span", { class: `state ${row.state}` }, WORDS[row.state] ?? row.state);
    const detail = h("p", {}, `${row.champion.alias}/${row.number}, ${row.id}`);
    const picture = h("div", { class: "picture", "aria-hidden": "true" }, row.champion.name.slice(0, 2));
    if (pictures) {
        const image = h("img", { src: `/v1/skins/${row.id}/thumbnail.png`, alt: "", loading: "lazy", onload: () => picture.replaceChildren(image), onerror: () => image.remove() });
        picture.append(image);
    }
    const convert = h("button", { type: "button", "aria-label": `Convert ${nameOf(row)}`, onclick: () => void run() }, row.state === "failed" ? "Retry" : "Convert");

    function show(state: string, text: string) {
        row.state = state;
        badge.className = `state ${state}`;
        badge.textContent = text;
        convert.textContent = state === "failed" ? "Retry" : "Convert";
        convert.hidden = state === "fresh" || state === "converting";
    }

    async function run() {
        const bar = h("progress", { max: "1", "aria-label": `Converting ${nameOf(row)}` });
        show("converting", "converting");
        detail.replaceChildren(bar);
        try {
            const job = await server.send<Parameters<Server["follow"]>[0]>("POST", "/v1/jobs", { skin: row.id });
            await server.follow(job, (phase, share) => {
                badge.textContent = `${phase}, ${Math.round(Math.max(share, 0) * 100)} %`;
                bar.value = Math.max(share, 0);
            }, new AbortController().signal);
            show("fresh", WORDS.fresh);
            detail.textContent = `${row.champion.alias}/${row.number}, ${row.id}`;
        } catch (error) {
            show("failed", WORDS.failed);
            detail.textContent = String((error as Error).message);
        }
    }

    convert.hidden = row.state === "fresh";
    const name = h("strong", {}, nameOf(row));
    const chromas = h("div", { class: "row chromas", hidden: true });
    const element = h("li", { class: "card" }, h("a", { href: `#/${row.id}` }, picture, name), detail, chromas, h("div", { class: "row" }, badge, convert));
    // What the catalogue does not say is asked for once the card is seen.
    whenSeen(element, async () => {
        const data = await server.json<SkinData>(`/v1/skins/${row.id}`).catch(() => null);
        if (!data) return;
        row.name = data.name;
        name.textContent = nameOf(row);
        chromas.hidden = !data.chromas?.length;
        chromas.replaceChildren(...(data.chromas ?? []).map((c) => swatch(row.id, c, false)));
    });
    return element;
}

const seen = new WeakMap<Element, () => void>();
const eyes = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        eyes.unobserve(target);
        seen.get(target)?.();
    }
});

function whenSeen(element: Element, work: () => void) {
    seen.set(element, work);
    eyes.observe(element);
}

function route() {
    const here = place();
    if (here.skin || here.query.has("src")) showSkin(here);
    else void showGallery();
}

addEventListener("hashchange", route);
route();
