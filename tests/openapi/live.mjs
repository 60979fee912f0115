// live.mjs BASE SKIN: the contract against a running daemon that has the tokens "read", "submit" and "admin" and a rate for clients of
// X-Forwarded-For. Every operation is asked rightly (by the contract's own examples where it has some) and wrongly; each reply must have a documented status
// and a body that its schema takes; each documented status must come, but for those that need a broken machine.
import Ajv from "@redocly/ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [base, skin] = process.argv.slice(2);
const doc = JSON.parse(readFileSync(fileURLToPath(new URL("../../schema/openapi.yaml", import.meta.url))));
const ajv = new Ajv.default({ strict: false, validateFormats: false });
ajv.addSchema(doc, "contract");
const sample = { id: skin, alias: "bramble", number: "1", job: "1", sha256: "0".repeat(64), table: "binhashes", hash: "9dd9dc06", mask: "upper", patch: "1" };
// A full queue, a stopping daemon, a failing disk: tests/e2e shows them. 422 wants damaged game files.
const needsDamage = new Set(["500", "503", "507", "422", "409"]);
// Jobs and sweeps that can still be cancelled, and files worth converting: tests/e2e shows them, too.
const shownElsewhere = { "post /v1/patches/{patch}/cancel": ["200"], "post /v1/patches/{patch}/resume": ["200"], "delete /v1/jobs/{job}": ["200", "202"], "post /v1/convert": ["200"] };
let requests = 0;
const wrong = [];

const resolve = (node) => (node?.$ref ? resolve(node.$ref.slice(2).split("/").reduce((at, key) => at[key.replaceAll("~1", "/")], doc)) : node);
const pointer = (node, fallback) => (node?.$ref ? node.$ref : fallback);

async function ask(method, target, { token = "admin", headers = {}, body } = {}) {
    requests++;
    const all = { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...headers };
    const once = () => fetch(base + target, { method, headers: all, body, redirect: "manual", duplex: "half", signal: AbortSignal.timeout(60000) });
    // A daemon may close a kept connection just when the next request is sent on it; a client then asks again.
    const reply = await once().catch((e) => (e.cause?.code === "UND_ERR_SOCKET" ? once() : Promise.reject(e)));
    const stream = (reply.headers.get("content-type") ?? "").startsWith("text/event-stream");
    let bytes = Buffer.alloc(0);
    if (stream) await reply.body?.cancel();
    else bytes = Buffer.from(await reply.arrayBuffer());
    return { status: String(reply.status), headers: reply.headers, bytes };
}

// The documented headers, where they come: their schemas, and that pages of other origins may read them. A policy is for the browser.
const safelisted = ["cache-control", "content-length", "content-type", "last-modified", "content-security-policy"];
function checkHeaders(place, response, r) {
    const exposed = (r.headers.get("access-control-expose-headers") ?? "").toLowerCase().split(", ").concat(safelisted);
    for (const [name, header] of Object.entries(response.headers ?? {})) {
        const value = r.headers.get(name);
        if (!exposed.includes(name.toLowerCase())) wrong.push(`${place}: ${r.status}: ${name} is not exposed`);
        if (value === null) continue;
        const { schema } = resolve(header);
        if (!ajv.validate(schema, schema.type === "integer" ? Number(value) : value)) wrong.push(`${place}: ${r.status}: ${name}: ${value}: ${ajv.errorsText()}`);
    }
    if (r.status === "429" && !["Retry-After", "RateLimit", "RateLimit-Policy"].every((name) => r.headers.has(name))) wrong.push(`${place}: 429 without its headers`);
}

function check(path, method, op, r, what) {
    const place = `${method} ${path} (${what})`;
    const documented = op.responses[r.status];
    if (!documented) return wrong.push(`${place}: ${r.status} is not documented: ${r.bytes.subarray(0, 200)}`);
    const response = resolve(documented);
    checkHeaders(place, response, r);
    const type = (r.headers.get("content-type") ?? "").split(";")[0];
    if (method === "head" || r.bytes.length === 0) return;
    const media = response.content?.[type];
    if (!media) return wrong.push(`${place}: ${r.status} has the type "${type}", which is not documented`);
    if (!type.endsWith("json")) return;
    const where = documented.$ref ?? `#/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1")}/${method}/responses/${r.status}`;
    const schema = ajv.compile({ $ref: `contract${pointer(media.schema, `${where}/content/${type.replaceAll("/", "~1")}/schema`)}`.replace("contract#", "contract#") });
    if (!schema(JSON.parse(r.bytes))) wrong.push(`${place}: ${r.status} does not fit: ${ajv.errorsText(schema.errors)}: ${r.bytes.subarray(0, 300)}`);
}

const JSON_TYPE = { "Content-Type": "application/json" };
function goodBody(path, op) {
    const content = op.requestBody?.content;
    if (!content) return {};
    const [type, media] = Object.entries(content)[0];
    if (type === "multipart/form-data") return { headers: { "Content-Type": "multipart/form-data; boundary=b" }, body: '--b\r\nContent-Disposition: form-data; name="skn"; filename="a.skn"\r\n\r\n12\r\n--b--\r\n' };
    let example = media.example;
    if (path === "/v1/jobs") example = { skin: Number(skin), options: { max_texture: 64 } };
    if (path === "/v1/jobs:batch") example = { skins: [Number(skin)] };
    if (path === "/v1/masks:resolve") example = { ...example, skin: Number(skin) };
    return { headers: { "Content-Type": type }, body: typeof example === "string" ? example : JSON.stringify(example) };
}

let options = 64;
function cases(path, method, op, target) {
    options++;
    const good = goodBody(path, op);
    const add = (headers) => ({ ...good, headers: { ...good.headers, ...headers } });
    const other = (name, value) => path.replace(`{${name}}`, value).replace(/\{(\w+)\}/g, (_, n) => sample[n]);
    const list = [
        ["rightly", target, good],
        ["for no type that there is", target, add({ Accept: "image/x-none" })],
        ["without a token", target, { ...good, token: null }],
        ["with a token of nobody", target, { ...good, token: "nobody" }],
        ["with a small token", target, { ...good, token: op.requestBody && path.startsWith("/v1/hashes") ? "submit" : "read" }],
        ["with a forged signature", `${target}?exp=9999999999&sig=${"0".repeat(64)}`, { ...good, token: null }],
        ["with a parameter that is none", `${target}?nonsense=1`, good],
        ["with a value that is none", `${target}?content=nonsense&limit=x`, good],
        ["asynchronously", `${target}?max_texture=${options}`, add({ Prefer: "respond-async" })],
        ["again", `${target}?max_texture=${options}`, add({ Prefer: "wait=30" })],
        ["following", `${target}?follow=1`, good],
        ["for a skin that is none", `${target}?skin=424242`, good],
        ["having seen the end", target, add({ "Last-Event-ID": "end" })],
        ["for a part", target, add({ Range: "bytes=0-9" })],
        ["for a part behind the end", target, add({ Range: "bytes=99999999-" })],
    ];
    for (const name of ["id", "job", "sha256", "table", "hash", "mask", "patch", "number", "alias"]) {
        if (!path.includes(`{${name}}`)) continue;
        if (name === "mask" && method === "put") continue;
        for (const value of ["424242", "nobody", "no%20body", "-1", "99999999999999999999", "f".repeat(64)])
            list.push([`${name} ${value}`, other(name, value), good]);
    }
    if (op.requestBody) {
        const big = path === "/v1/convert" || path.startsWith("/v1/hashes") ? 120000 : 70000;
        list.push(["with another type", target, { ...good, headers: { "Content-Type": "text/x-none" } }]);
        list.push(["with too much", target, { ...good, body: "x".repeat(big) }]);
        for (const body of ["", "{", "[]", '{"nonsense":1}', '{"skin":1,"skin":2}', `{"skin":${"[".repeat(100)}`, '{"skin":"abc"}', '{"skin":424242}', '{"skins":["abc"]}', '{"skins":[424242]}', '{"champion":"nobody"}', '{"mask":{},"skin":424242}'])
            list.push([`with ${body.slice(0, 30)}`, target, { headers: good.headers, body }]);
    }
    return list;
}

const order = { put: 0, get: 1, head: 2, post: 3, delete: 4 };
let documentedCount = 0;
let seenCount = 0;
// A job that is done, an artefact, a mask: what the samples name. GLBs of three options, so that some are there and some are not.
const first = await ask("POST", "/v1/jobs", { headers: { ...JSON_TYPE, Prefer: "wait=60" }, body: JSON.stringify({ skin: Number(skin) }) });
const job = JSON.parse(first.bytes);
sample.job = String(job.id);
sample.sha256 = job.result.sha256;
await ask("PUT", "/v1/masks/upper", { headers: JSON_TYPE, body: '{"include":["Root"]}' });
await ask("POST", "/v1/hashes/binhashes", { headers: { "Content-Type": "text/plain" }, body: "9dd9dc06 Idle1\n" });

// A build without Node has no viewer.
const viewer = (await ask("GET", "/")).status === "200";
const isPage = (path) => !path.startsWith("/v1") && !["/livez", "/readyz", "/metrics", "/openapi.json"].includes(path);

for (const [path, item] of Object.entries(doc.paths)) {
    const target = path.replace(/\{(\w+)\}/g, (_, name) => sample[name] ?? wrong.push(`no sample for ${name}`));
    const methods = Object.keys(item).filter((m) => m in order).sort((a, b) => order[a] - order[b]);
    for (const method of methods) {
        const op = item[method];
        const seen = new Set();
        const run = async (what, where, options) => {
            const r = await ask(method.toUpperCase(), where, method === "get" || method === "head" || method === "delete" ? { ...options, body: undefined } : options);
            seen.add(r.status);
            check(path, method, op, r, what);
            return r;
        };
        for (const [what, where, options] of cases(path, method, op, target)) {
            const r = await run(what, where, options);
            const etag = r.headers.get("etag");
            if (etag && r.status === "200") await run("unchanged", where, { ...options, headers: { ...options.headers, "If-None-Match": etag } });
            if (method === "delete" && path.includes("{mask}")) await ask("PUT", "/v1/masks/upper", { headers: JSON_TYPE, body: '{"include":["Root"]}' });
        }
        if (method === "put") {
            await ask("DELETE", target);
            await run("for the first time", target, goodBody(path, op));
        }
        if (op.responses["429"]) {
            const client = { "X-Forwarded-For": `192.0.2.${1 + (requests % 250)}` };
            for (let i = 0; i < 40 && !seen.has("429"); i++) await run("too often", target, { token: null, headers: client });
        }
        const ofOtherBuilds = isPage(path) ? (viewer ? ["404"] : ["200", "304"]) : [];
        const elsewhere = shownElsewhere[`${method} ${path}`] ?? ofOtherBuilds;
        const missing = Object.keys(op.responses).filter((s) => !seen.has(s) && !needsDamage.has(s) && !elsewhere.includes(s));
        documentedCount += Object.keys(op.responses).length;
        seenCount += Object.keys(op.responses).filter((s) => seen.has(s)).length;
        if (missing.length > 0) wrong.push(`${method} ${path}: documented, but not seen: ${missing.join(", ")}`);
    }
    const none = ["get", "post", "put", "delete"].find((m) => !(m in item));
    const r = await ask(none.toUpperCase(), target);
    if (r.status !== "405" || !r.headers.get("allow")) wrong.push(`${none} ${path}: ${r.status}, not 405 with Allow`);
}
for (const text of wrong) console.error(text);
console.log(`${requests} requests, ${seenCount} of ${documentedCount} documented statuses seen, ${wrong.length} wrong`);
process.exit(wrong.length > 0 ? 1 : 0);
