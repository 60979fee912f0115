// The daemon as the viewer sees it: requests, what jobs say while they run, and every failure as a sentence that says what to do.

export interface Problem {
    status?: number;
    code?: string;
    detail?: string;
    stage?: string;
    where?: string;
    file?: string;
    job?: number;
}

export class ViewerError extends Error {
    constructor(readonly code: string, sentence: string, readonly problem: Problem = {}) {
        super(sentence);
    }

    // A token, or a better one, would help.
    get refused(): boolean {
        return this.problem.status === 401 || this.problem.status === 403;
    }
}

export interface Job {
    id: number;
    state: "queued" | "running" | "done" | "failed" | "dead" | "cancelled";
    skin: number;
    options?: string;
    progress: number;
    phase?: string;
    position?: number;
    finished?: number;
    error?: Problem;
    result?: { url: string; sha256: string; bytes?: number };
}

export interface Patch {
    id: number;
    version: string;
    taken: number;
    archives: number;
    entries: number;
    unreadable: number;
    unknown_versions: number;
    kept: number;
    sweep: string;
    skins: { waiting: number; made: number; failed: number; gone: number; given_up: number; unsupported: number; newly_failing: number; newly_warning: number };
    read_bytes?: number;
    convert_ms?: number;
    changes?: { archive: string; change: string; added: number; removed: number; changed: number }[];
    troubled?: { alias: string; number: number; error?: Problem; warnings?: string }[];
}

export interface Event {
    class: string;
    name: string;
    t: number | null;
    t_end: number | null;
    [field: string]: unknown;
}

export interface ClipData {
    name: string;
    kind: string;
    class: string;
    duration?: number;
    loop?: boolean;
    mask?: string;
    track?: string;
    additive?: boolean;
    children?: { name?: string; missing?: boolean }[];
}

export interface SkinData {
    id?: number;
    name: string;
    champion: { id?: number; alias: string; name?: string };
    number: number;
    parent?: number;
    state: string;
    parts: { name: string; visible: boolean; triangles: number; texture?: string; material?: string }[];
    masks: { name?: string; hash: string; joints: string[]; weights?: number[] }[];
    clips: ClipData[];
    chromas?: { id: number; name?: string; colors?: string[] }[];
    forms?: { name: string; show: string[]; hide: string[] }[];
    joints: number;
    warnings: { code: string; count: number; examples: string[] }[];
}

export interface SkinRow {
    id: number;
    champion: { id: number; alias: string; name: string };
    number: number;
    state: string;
    name?: string;
    url: string;
}

export type Progress = (phase: string, share: number) => void; // share of 1; negative while unknown

function goneSentence(url: string): string {
    const { origin } = new URL(url);
    if (origin === location.origin) return "The server cannot be reached. Is riftbaked running? Start it, then try again.";
    return `${origin} cannot be reached: its server does not run or does not let other pages read, or this page may read from its own host only, as riftbaked's does. Check the address, or take a file of this page's host.`;
}

// Where a skin is, and its GLB. The skin is an id, or champion/number.
export const skinPath = (skin: string) => `/v1/skins/${skin.split("/").map(encodeURIComponent).join("/")}`;
export const glbPath = (skin: string, options: string) => `${skinPath(skin)}.glb${options ? `?${options}` : ""}`;

export function sentenceOf(problem: Problem): string {
    const { status = 0, code = "", detail = "no reason was given" } = problem;
    const file = problem.file || problem.where ? ` (${problem.file ?? problem.where})` : "";
    if (code === "bad_skin_id" || code === "unknown_skin") return `There is no such skin: ${detail}. Choose one from the gallery.`;
    if (status === 404) return `The server does not have this: ${detail}. Check the link.`;
    if (status === 401 || status === 403) return `The server refuses: ${detail}. Ask its operator for a token.`;
    if (status === 400) return `The server does not understand the request: ${detail}. Change the options.`;
    if (status === 422) return `This skin cannot be converted: ${detail}${file}. Another skin may work; the report says more.`;
    if (status === 429 || status === 503) return `The server is busy: ${detail}. Try again in a moment.`;
    return `The server failed: ${detail}${file}. Try again; its log says more.`;
}

// What a job that has not ended does, and how much of it is done.
export function stageOf({ state, position, phase, progress }: Job): [phase: string, share: number] {
    if (state === "queued") return [position ? `waiting, number ${position}` : "waiting", -1];
    return [phase ?? "converting", progress / 100];
}

// One row of what a patch did to skins.
export interface PatchSkin {
    id?: number;
    alias?: string;
    number?: number;
    options?: string;
    reason: string; // that it is stale
    changed: number; // files, of which some
    appeared: number;
    vanished: number;
}

export class Server {
    readonly base: string;
    private asked?: Promise<any>;

    refused: (sentence: string) => void = () => {}; // a request wanted a token, or another one

    constructor(base: string, readonly token = "") {
        this.base = base.replace(/\/+$/, "");
    }

    url(path: string): string {
        return new URL(this.base + path, document.baseURI).href;
    }

    // A reply that is no failure.
    async ask(path: string, init: RequestInit = {}): Promise<Response> {
        const headers = new Headers(init.headers);
        if (this.token) headers.set("Authorization", `Bearer ${this.token}`);
        let reply: Response;
        try {
            reply = await fetch(this.url(path), { ...init, headers });
        } catch (error) {
            if (init.signal?.aborted) throw error;
            throw new ViewerError("server_gone", goneSentence(this.url(path)));
        }
        if (reply.ok) return reply;
        const problem: Problem = await reply.json().catch(() => ({}));
        problem.status ??= reply.status;
        if (reply.status === 401 || reply.status === 403) this.refused(sentenceOf(problem));
        throw new ViewerError(problem.code ?? `http_${reply.status}`, sentenceOf(problem), problem);
    }

    async json<T>(path: string, init?: RequestInit): Promise<T> {
        const reply = await this.ask(path, init);
        return reply.json();
    }

    // The server's own description of what it can do.
    contract(): Promise<any> {
        return (this.asked ??= this.json("/openapi.json"));
    }

    async has(path: string): Promise<boolean> {
        return path in (await this.contract()).paths;
    }

    async send<T>(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<T> {
        return this.json(path, { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json" }, signal });
    }

    // All rows of a list, page by page, and the last page for what else it says.
    async all<T>(path: string, member: string, query = "", signal?: AbortSignal): Promise<{ rows: T[]; last: any }> {
        const rows: T[] = [];
        let after = 0;
        for (;;) {
            const last = await this.json<any>(`${path}?limit=1000&after=${after}${query}`, { signal });
            rows.push(...last[member]);
            if (last.next === undefined) return { rows, last };
            after = last.next;
        }
    }

    // The catalogue, and the options that it is told of.
    async skins(query = "", signal?: AbortSignal): Promise<{ rows: SkinRow[]; defaults: string }> {
        const { rows, last } = await this.all<SkinRow>("/v1/skins", "skins", query, signal);
        return { rows, defaults: last.defaults };
    }

    // A GLB. A conversion that has to run first is followed to its end.
    async glb(path: string, progress: Progress, signal: AbortSignal): Promise<ArrayBuffer> {
        let reply = await this.ask(path, { headers: { Prefer: "respond-async" }, signal });
        if (reply.status === 202) {
            const job = await this.follow((await reply.json()) as Job, progress, signal);
            reply = await this.ask(job.result!.url, { signal });
        }
        return download(reply, progress);
    }

    // Waits for a job, telling its progress: by server-sent events, by asking again where the server has none.
    async follow(job: Job, progress: Progress, signal: AbortSignal): Promise<Job> {
        const tell = (now: Job) => progress(...stageOf(now));
        const ended = (now: Job) => !["queued", "running"].includes(now.state);
        let now = job;
        tell(now);
        const events = ended(now) ? null : await this.events(now.id, signal);
        if (events) {
            for await (const update of events) {
                now = { ...now, ...update };
                tell(now);
                if (ended(now)) break;
            }
        }
        while (!ended(now)) {
            await new Promise((go) => setTimeout(go, 250));
            now = await this.json<Job>(`/v1/jobs/${now.id}`, { signal });
            tell(now);
        }
        if (now.state === "done" && !now.result) now = await this.json<Job>(`/v1/jobs/${now.id}`, { signal });
        if (now.state === "done") return now;
        const problem = { status: 422, job: now.id, ...now.error };
        throw new ViewerError("job_failed", sentenceOf(problem), problem);
    }

    // The updates of a job, or null where the server has no such stream. Not an EventSource: that cannot carry a token.
    private async events(id: number, signal: AbortSignal): Promise<AsyncGenerator<Partial<Job>> | null> {
        if (!(await this.has("/v1/jobs/{job}/events"))) return null;
        const reply = await this.ask(`/v1/jobs/${id}/events`, { headers: { Accept: "text/event-stream" }, signal }).catch((error) => {
            if (error instanceof ViewerError && error.code !== "server_gone") return null;
            throw error;
        });
        return reply?.body ? readEvents(reply.body) : null;
    }
}

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Partial<Job>> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return;
            text += decoder.decode(value, { stream: true });
            const blocks = text.split(/\r?\n\r?\n/);
            text = blocks.pop()!;
            for (const block of blocks) {
                const data = block.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
                if (data) yield JSON.parse(data);
            }
        }
    } catch {
        // A stream that breaks is followed by asking.
    } finally {
        await reader.cancel().catch(() => {});
    }
}

// The length announced is that of the transfer, which may be compressed: it is good for the progress only.
async function download(reply: Response, progress: Progress): Promise<ArrayBuffer> {
    const size = Number(reply.headers.get("Content-Length")) || 0;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let at = 0;
    try {
        const reader = reply.body!.getReader();
        for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            chunks.push(value);
            at += value.length;
            progress("loading", size > 0 ? Math.min(at / size, 1) : -1);
        }
    } catch {
        throw new ViewerError("server_gone", "The transfer broke off. Try again.");
    }
    return new Blob(chunks).arrayBuffer();
}
