// The page at /: a gallery, and one skin. Where one is stands in the address: #/ or #/157036?clip=Dance&chroma=157037
import { h, select } from "./dom";
import { sentenceOf, Server, stageOf, type Job, type Patch, type PatchSkin, type SkinData, type SkinRow } from "./server";
import { RiftViewer } from "./viewer";
import "./page.css";

const KEPT = "riftbake.token"; // for as long as the tab is open
let server = connect();
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
    let skin = path;
    try {
        skin = decodeURIComponent(path);
    } catch {
        // What is no text is no skin, and the server says so.
    }
    return { skin, query: new URLSearchParams(query) };
}

function heading(text: string) {
    title.textContent = text;
    document.title = `${text} · Riftbake`;
}

// --- the token of a server that wants one -------------------------------------------------------------------------------

function connect(): Server {
    const made = new Server(location.origin, sessionStorage.getItem(KEPT) ?? "");
    made.refused = askToken;
    return made;
}

function takeToken(token: string) {
    if (token) sessionStorage.setItem(KEPT, token);
    else sessionStorage.removeItem(KEPT);
    form.hidden = true;
    server = connect();
    viewer?.remove();
    viewer = null;
    route();
}

const secret = h("input", { type: "password", autocomplete: "off", "aria-label": "Token" });
const reason = h("span", {});
const form = h("form", { class: "token", "aria-label": "Access", hidden: true, onsubmit: (event: globalThis.Event) => {
    event.preventDefault();
    takeToken(secret.value.trim());
} }, reason, secret, h("button", {}, "Use token"), h("button", { type: "button", onclick: () => takeToken("") }, "Forget it"));

function askToken(sentence: string) {
    reason.textContent = sentence;
    if (!form.isConnected) main.before(form);
    form.hidden = false;
}

// A picture by its address; one that needs a token is fetched.
async function pictureOf(path: string): Promise<string> {
    if (!server.token) return path;
    return URL.createObjectURL(await (await server.ask(path)).blob());
}

// --- one skin ----------------------------------------------------------------------------------------------------------

let viewer: RiftViewer | null = null;
const swatches = h("nav", { class: "swatches", "aria-label": "Chromas", hidden: true });

function showSkin({ skin, query }: Place) {
    if (!viewer) {
        const made = (viewer = document.createElement("rift-viewer") as RiftViewer);
        made.addEventListener("clip", (event) => remember("clip", (event as CustomEvent<{ clip: string }>).detail.clip));
        made.addEventListener("load", () => made.data && void describe(made.data));
        made.addEventListener("refused", (event) => askToken((event as CustomEvent<{ message: string }>).detail.message));
        if (server.token) made.setAttribute("token", server.token);
        main.replaceChildren(h("div", { class: "stage" }, swatches, made));
    }
    heading(skin || "A file");
    const attributes = new Map<string, string | null>(PASSED_ON.map((name) => [name, query.get(name)]));
    attributes.set("skin", query.get("chroma") || skin);
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
    const shown = query.get("chroma") || skin;
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
    else void server.has(THUMBNAIL).then(async (has) => {
        if (has) dot.style.backgroundImage = `url(${await pictureOf(`/v1/skins/${chroma.id}/thumbnail.png`)})`;
    }).catch(() => {});
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
    const states = select([["", "Any state"], ["fresh", "Ready"], ["stale", "Outdated"], ["never", "No file yet"], ["failed", "Failed"]], "", (value) => {
        state = value;
        fill();
    });
    states.setAttribute("aria-label", "State");
    main.replaceChildren(h("div", { class: "tools" }, search, states), notice, list);
    let rows: SkinRow[] = [];
    const cards = new Map<number, Card>();

    function fill() {
        const wanted = search.value.trim().toLowerCase();
        const groups = new Map<string, SkinRow[]>();
        for (const row of rows) {
            const text = `${row.id} ${row.champion.name} ${row.champion.alias}/${row.number} ${row.name ?? ""}`.toLowerCase();
            if (!text.includes(wanted) || (state !== "" && row.state !== state)) continue;
            groups.set(row.champion.name, [...(groups.get(row.champion.name) ?? []), row]);
        }
        list.replaceChildren(...[...groups].map(([name, skins]) =>
            h("section", { class: "champion" }, h("h2", {}, name), h("ul", { class: "cards" }, ...skins.map((row) => cards.get(row.id)!.element)))));
        notice.hidden = groups.size > 0;
        notice.textContent = rows.length === 0 ? "The server's game folder holds no skins. Start riftbaked with --game and a game folder." : "No skin fits. Search for less, or choose another state.";
    }

    try {
        const [{ rows: all, defaults }, pictures] = await Promise.all([server.skins(), server.has(THUMBNAIL)]);
        rows = all;
        const stale = rows.some((row) => row.state === "stale") ? staleReasons(defaults) : null;
        for (const row of rows) cards.set(row.id, card(row, pictures, stale));
        fill();
        void watchJobs(cards, list, defaults);
    } catch (error) {
        notice.replaceChildren(String((error as Error).message), " ", h("button", { type: "button", onclick: () => void showGallery() }, "Try again"));
    }
}

const WORDS: Record<string, string> = { fresh: "ready", stale: "outdated", never: "no file yet", failed: "failed" };
const LOOK_MS = 1500; // between two looks at the queue
const STREAMS = 2; // a browser has six connections to a server, and pictures want some

interface Card {
    element: HTMLElement;
    follow(job: Job): Promise<void>; // to its end
    tell(job: Job): void;
    busy: boolean;
}

// Whoever asked for a conversion, and be it a sweep: its card shows how far it is. The first few by their event streams, the
// rest by the list of jobs.
async function watchJobs(cards: Map<number, Card>, gallery: HTMLElement, options: string) {
    let told = new Set<number>();
    while (gallery.isConnected) {
        if (!document.hidden) {
            const lists = await Promise.all(["running", "queued"].map((state) => server.json<{ jobs: Job[] }>(`/v1/jobs?state=${state}&limit=100`))).catch(() => null);
            if (!lists) return; // not for everybody, or the server is gone
            const live = lists.flatMap(({ jobs }) => jobs).filter((job) => job.options === options && cards.has(job.skin));
            const now = new Set<number>();
            for (const job of live) {
                const shown = cards.get(job.skin)!;
                if (shown.busy) continue;
                const streams = [...cards.values()].filter((c) => c.busy).length;
                if (streams < STREAMS && job.state === "running") void shown.follow(job);
                else {
                    shown.tell(job);
                    now.add(job.id);
                }
            }
            for (const id of told) if (!now.has(id)) void server.json<Job>(`/v1/jobs/${id}`).then((job) => cards.get(job.skin)!.follow(job), () => {});
            told = now;
        }
        await new Promise((go) => setTimeout(go, LOOK_MS));
    }
}

// Why skins are stale: the newest patch tells it of all that are.
async function staleReasons(options: string): Promise<Map<number, string>> {
    const { patches } = await server.json<{ patches: Patch[] }>("/v1/patches?limit=1");
    if (patches.length === 0) return new Map();
    const { rows } = await server.all<PatchSkin>(`/v1/patches/${patches[0].id}/skins`, "skins");
    return new Map(rows.flatMap((row) => (row.id && row.options === options ? [[row.id, reasonOf(row)]] : [])));
}

const CHANGED = "The game or the converter changed since it was made.";

function reasonOf({ reason, changed, appeared, vanished }: PatchSkin): string {
    if (reason === "converter") return "Another version of the converter made it.";
    if (reason === "names") return "The lists of names changed since it was made.";
    const others = changed - appeared - vanished;
    const counts: [number, string][] = [[others, "changed"], [appeared, "appeared"], [vanished, "vanished"]];
    const told = counts.filter(([count]) => count > 0).map(([count, what], i) => `${count}${i === 0 ? (count === 1 ? " file" : " files") : ""} ${what}`);
    return told.length > 0 ? `Since it was made ${told.join(", ")}.` : CHANGED;
}

function card(row: SkinRow, pictures: boolean, stale: Promise<Map<number, string>> | null): Card {
    const badge = h("span", { class: `state ${row.state}` }, WORDS[row.state] ?? row.state);
    const place = `${row.champion.alias}/${row.number}, ${row.id}`;
    const detail = h("p", {}, place);
    const bar = h("progress", { max: "1" });
    const picture = h("div", { class: "picture", "aria-hidden": "true" }, row.champion.name.slice(0, 2));
    const convert = h("button", { type: "button", onclick: () => void run() });

    function show(state: string, text: string) {
        row.state = state;
        badge.className = `state ${state}`;
        badge.textContent = text;
        convert.textContent = { failed: "Retry", stale: "Renew" }[state] ?? "Convert";
        convert.hidden = state === "fresh" || state === "converting";
        convert.setAttribute("aria-label", `${convert.textContent} ${nameOf(row)}`);
    }

    function progress(phase: string, share: number) {
        if (row.state !== "converting") {
            bar.setAttribute("aria-label", `Converting ${nameOf(row)}`);
            detail.replaceChildren(bar);
        }
        show("converting", share >= 0 ? `${phase}, ${Math.round(share * 100)} %` : phase);
        bar.value = Math.max(share, 0);
    }

    function fail(sentence: string) {
        show("failed", WORDS.failed);
        detail.textContent = sentence;
    }

    async function follow(job: Job) {
        self.busy = true;
        try {
            await server.follow(job, progress, new AbortController().signal);
            show("fresh", WORDS.fresh);
            detail.textContent = place;
        } catch (error) {
            fail(String((error as Error).message));
        } finally {
            self.busy = false;
        }
    }

    async function run() {
        progress("asking", -1);
        await server.send<Job>("POST", "/v1/jobs", { skin: row.id }).then(follow, (error) => fail(String(error.message)));
    }

    show(row.state, WORDS[row.state] ?? row.state);
    const name = h("strong", {}, nameOf(row));
    const chromas = h("div", { class: "row chromas", hidden: true });
    const element = h("li", { class: "card" }, h("a", { href: `#/${row.id}` }, picture, name), detail, chromas, h("div", { class: "row" }, badge, convert));
    const self: Card = { element, follow, busy: false, tell: (job) => progress(...stageOf(job)) };
    // What the catalogue does not say is asked for once the card is seen.
    whenSeen(element, async () => {
        if (pictures) void showPicture(picture, `/v1/skins/${row.id}/thumbnail.png`);
        if (row.state === "stale") void stale?.catch(() => null).then((why) => {
            if (row.state === "stale") detail.textContent = `${why?.get(row.id) ?? CHANGED} The old one is shown until it is renewed.`;
        });
        if (row.state === "failed") void lastFailure(row.id).then((sentence) => sentence && row.state === "failed" && fail(sentence));
        const data = await server.json<SkinData>(`/v1/skins/${row.id}`).catch(() => null);
        if (!data) return;
        row.name = data.name;
        name.textContent = nameOf(row);
        convert.setAttribute("aria-label", `${convert.textContent} ${nameOf(row)}`);
        chromas.hidden = !data.chromas?.length;
        chromas.replaceChildren(...(data.chromas ?? []).map((c) => swatch(row.id, c, false)));
    });
    return self;
}

async function showPicture(frame: HTMLElement, path: string) {
    const image = h("img", { alt: "", onload: () => frame.replaceChildren(image), onerror: () => image.remove() });
    frame.append(image);
    image.src = await pictureOf(path).catch(() => "data:,");
}

async function lastFailure(skin: number): Promise<string> {
    const { jobs } = await server.json<{ jobs: Job[] }>(`/v1/jobs?skin=${skin}&state=failed&limit=1`).catch(() => ({ jobs: [] }));
    return jobs[0]?.error ? sentenceOf({ status: 422, ...jobs[0].error }) : "";
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
    if (here.skin || here.query.get("src")) showSkin(here);
    else void showGallery();
}

// A link to the content is no link to a skin.
document.querySelector(".skip")!.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
});
addEventListener("hashchange", route);
route();
