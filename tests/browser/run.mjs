// run.mjs BUILD_DIR [OUT_DIR]
// A page of another origin shows the synthetic game's skins in a real Chromium: riftbaked serves them, three.js loads,
// draws and plays them. Nothing is fetched from anywhere else. Screenshots are left in OUT_DIR (BUILD_DIR/browser).
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { browserPath, launch, listen, startDaemon } from "./support.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const three = join(here, "../verify/node_modules/three");
const SKIN = 9001001; // the figure of the synthetic game that is nice to look at
// One skin is a shelf of oddities: its clips mirror a joint by a negative scale and tear a mesh, so only its rest pose counts.
const ODDITIES = 9001000;
const AGREE = 0.95; // G7
const OVERLAP = 0.97; // of the outlines of a thumbnail and of three.js
const COLOUR = 8; // of 255, mean
const LEAST_SKINS = 4;

let passed = 0;
let failed = 0;

function check(what, ok, shown = "") {
    ok ? passed++ : failed++;
    if (!ok) console.log(`FAILED ${what} ${shown}`);
}

// The page's own origin: the two files here, and three.js.
function servePage() {
    const types = { ".html": "text/html", ".mjs": "text/javascript", ".js": "text/javascript" };
    const server = createServer((request, reply) => {
        const path = normalize(new URL(request.url, "http://page").pathname);
        const file = path.startsWith("/three/") ? join(three, path.slice(7)) : join(here, path === "/" ? "page.html" : path);
        if (!existsSync(file) || !types[extname(file)]) {
            reply.writeHead(404).end();
            return;
        }
        reply.writeHead(200, { "Content-Type": types[extname(file)] }).end(readFileSync(file));
    });
    return new Promise((done) => {
        server.listen(0, "127.0.0.1", () => done({ url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() }));
    });
}

const inPage = (page, name, ...args) => page.evaluate(([f, given]) => window.riftbake[f](...given), [name, args]);

async function checkDrawing(page, skin, shot) {
    await inPage(page, "pose");
    const rest = await inPage(page, "covered");
    check(`${skin} is drawn`, rest.share > 0.005 && rest.colours > 8, JSON.stringify(rest));
    await page.locator("canvas").screenshot({ path: shot });
}

async function checkPlaying(page, skin, clips) {
    let moving = 0;
    for (const { name, seconds } of clips) {
        if (seconds > 0 && (await inPage(page, "play", name, 12)) > 0.001) moving++;
    }
    const playable = clips.filter((c) => c.seconds > 0).length;
    check(`${skin} moves`, moving > 0 && moving >= playable / 2, `${moving} of ${playable} clips change the picture`);
    return moving;
}

async function checkFacing(page, skin, clips) {
    let worst = 1;
    const whole = skin === ODDITIES ? [] : clips.slice(0, 3);
    const poses = [[], ...whole.map((c) => [c.name, c.seconds / 2])];
    for (const pose of poses) {
        await inPage(page, "pose", ...pose);
        for (const degrees of [20, 110, 200, 290]) {
            await inPage(page, "turn", degrees);
            const { seen, share } = await inPage(page, "agreement");
            worst = seen > 0 ? Math.min(worst, share) : worst;
            check(`${skin} faces outwards ${pose.join("@")} from ${degrees}`, seen === 0 || share >= AGREE, `${(share * 100).toFixed(1)} %`);
        }
    }
    await inPage(page, "turn", 20);
    return worst;
}

// The same measure must notice triangles that are turned over.
async function checkMeasure(page) {
    await inPage(page, "pose");
    await inPage(page, "turnOver");
    const { share } = await inPage(page, "agreement");
    check("turned over triangles are noticed", share < 0.1, `${(share * 100).toFixed(1)} % still agree`);
}

// A thumbnail shows what three.js shows of the GLB: the same outline, but for half pixels along it, and the same colours, but for the filters.
async function checkPortraits(page, daemon) {
    const size = 256;
    for (const [turn, pose] of [[0, ["Idle1", 0]], [180, ["Idle1", 0]], [60, ["Run", 0.25]], [-90, ["Attack1", 0.5]]]) {
        await inPage(page, "pose", ...pose);
        const url = `${daemon.url}/v1/skins/${SKIN}/thumbnail.png?size=${size}&turn=${turn}&pose=${pose.join("@")}`;
        const { width, overlap, colour, covered } = await inPage(page, "comparePortrait", url, turn, size);
        console.log(`thumbnail turned ${turn}, ${pose.join("@")}: ${(overlap * 100).toFixed(2)} % of the outline, colours ${colour.toFixed(2)} off`);
        check("a page draws a thumbnail", width === size && covered > size * size / 20, `${width}, ${covered}`);
        check(`turned ${turn}: the outline is three.js's`, overlap >= OVERLAP, overlap);
        check(`turned ${turn}: the colours are three.js's`, colour <= COLOUR, colour);
    }
    // Another moment is another outline.
    await inPage(page, "pose", "Run", 0.25);
    const { overlap } = await inPage(page, "comparePortrait", `${daemon.url}/v1/skins/${SKIN}/thumbnail.png?size=${size}`, 0, size);
    check("another pose is noticed", overlap < 0.9, overlap);
}

// What the contract lets a page of another origin read (A2, A4).
async function checkCors(page, daemon) {
    const skin = await inPage(page, "ask", `${daemon.url}/v1/skins/${SKIN}.glb`);
    check("a page reads the ETag", /^"/.test(skin.headers.etag ?? ""), JSON.stringify(skin.headers));
    check("a page reads the length", Number(skin.headers["content-length"]) === skin.body);
    // A request header that is not on the safe list asks for permission first.
    const again = await inPage(page, "ask", `${daemon.url}/v1/skins/${SKIN}.glb`, { cache: "no-store", headers: { "If-None-Match": skin.headers.etag } });
    check("a page sends If-None-Match", again.status === 304, again.status);
    const part = await inPage(page, "ask", `${daemon.url}/v1/skins/${SKIN}.glb`, { cache: "no-store", headers: { Range: "bytes=0-3" } });
    check("a page reads a range", part.status === 206 && part.body === 4 && /^bytes 0-3\//.test(part.headers["content-range"] ?? ""), JSON.stringify(part));
    const unknown = await inPage(page, "ask", `${daemon.url}/v1/skins/999999999.glb`);
    check("a page reads why a skin is unknown", unknown.status === 404 && unknown.body.status === 404, JSON.stringify(unknown));
    const posted = await inPage(page, "ask", `${daemon.url}/v1/jobs`, {
        method: "POST", headers: { "Content-Type": "application/json", Prefer: "wait=30" }, body: JSON.stringify({ skin: SKIN }),
    });
    check("a page posts a job", [200, 202].includes(posted.status) && posted.body.skin === SKIN, JSON.stringify(posted));
}

async function unchangedCount(daemon) {
    const text = await (await fetch(`${daemon.url}/metrics`)).text();
    return Number(/^riftbake_cache_unchanged_total (\d+)$/m.exec(text)[1]);
}

function checkProgress(what, skin) {
    const last = skin.steps.at(-1);
    check(`${what}: progress has a total`, skin.steps.length > 1 && skin.steps.every((s) => s.lengthComputable && s.total === skin.length), JSON.stringify(skin.steps.slice(0, 3)));
    check(`${what}: progress grows`, skin.steps.every((s, n) => s.loaded > (skin.steps[n - 1]?.loaded ?? 0)));
    // Of a packed reply Content-Length is that of the packed bytes; a page sees the others.
    check(`${what}: progress ends whole`, skin.coding ? last.loaded >= last.total : last.loaded === last.total, JSON.stringify({ ...last, coding: skin.coding }));
}

// A page of another origin loads a skin by three.js, with progress; on a reload the browser asks again and is told that its copy holds.
async function checkReload(page, daemon, origin) {
    const url = `${daemon.url}/v1/skins/${SKIN}.glb?keys=dense:1000`; // megabytes, which come in pieces
    check("the page is of another origin", new URL(origin.url).origin !== new URL(url).origin);
    const first = await inPage(page, "loadWithProgress", url, false);
    checkProgress("first", first);
    await page.reload();
    await page.waitForFunction(() => window.riftbake !== undefined, undefined, { timeout: 60_000 });
    const before = await unchangedCount(daemon);
    const statuses = [];
    const session = await page.context().newCDPSession(page);
    const ids = new Map();
    session.on("Network.requestWillBeSent", (e) => ids.set(e.requestId, e.request.url));
    session.on("Network.responseReceivedExtraInfo", (e) => statuses.push([e.requestId, e.statusCode]));
    await session.send("Network.enable");
    const again = await inPage(page, "loadWithProgress", url, true);
    await session.detach();
    checkProgress("reloaded", again);
    const seen = statuses.filter(([id]) => ids.get(id) === url).map(([, status]) => status);
    check("a reload is answered with 304", seen.join() === "304" && (await unchangedCount(daemon)) === before + 1, `${seen} ${before} ${await unchangedCount(daemon)}`);
    check("what the page gets is the whole copy", again.status === 200 && again.etag === first.etag && JSON.stringify(again.meshes) === JSON.stringify(first.meshes) && again.clips.length === first.clips.length);
    console.log(`reload: ${first.steps.length} steps to ${first.steps.at(-1).loaded} of ${first.length} bytes (${first.coding ?? "as it is"}), then ${seen}`);
}

async function checkSkins(page, daemon, ids, out) {
    let shown = 0;
    for (const id of ids) {
        const url = `${daemon.url}/v1/skins/${id}.glb`;
        const reply = await inPage(page, "ask", url);
        if (reply.status !== 200) {
            // One skin names a mesh that no archive holds.
            check(`${id} says why it fails`, reply.status === 422 && reply.body.stage !== undefined, JSON.stringify(reply));
            continue;
        }
        const skin = await inPage(page, "load", url);
        await checkDrawing(page, id, join(out, `${id}.png`));
        const moving = await checkPlaying(page, id, skin.clips);
        const worst = await checkFacing(page, id, skin.clips);
        console.log(`${id}: ${skin.meshes.length} meshes, ${moving} of ${skin.clips.length} clips move, ${(worst * 100).toFixed(1)} % face outwards at worst`);
        shown++;
    }
    check("enough skins were shown", shown >= LEAST_SKINS, shown);
}

async function main(build, out) {
    mkdirSync(out, { recursive: true });
    const work = mkdtempSync(join(tmpdir(), "riftbake-browser-"));
    const undo = [() => rmSync(work, { recursive: true, force: true })];
    try {
        const riftbake = join(build, "riftbake");
        execFileSync(riftbake, ["demo-game", "--quiet", join(work, "game")]);
        const listed = execFileSync(riftbake, ["skins", "--json", "--quiet", "--game", join(work, "game")], { encoding: "utf8" });
        const ids = JSON.parse(listed).map((skin) => skin.id);
        const daemon = await startDaemon(join(build, "riftbaked"), join(work, "game"), join(work, "data"));
        undo.push(daemon.stop);
        const origin = await servePage();
        undo.push(origin.stop);
        const browser = await launch();
        undo.push(() => browser.close());
        const page = await browser.newPage();
        const complaints = [];
        listen(page, complaints);
        await page.goto(origin.url);
        await page.waitForFunction(() => window.riftbake !== undefined, undefined, { timeout: 60_000 });
        await checkSkins(page, daemon, ids, out);
        await checkCors(page, daemon);
        await checkReload(page, daemon, origin);
        await inPage(page, "load", `${daemon.url}/v1/skins/${SKIN}.glb`);
        await checkPortraits(page, daemon);
        await checkMeasure(page);
        // Chromium logs the status of every reply of 400 and above; those were asked for.
        const unexpected = complaints.filter((text) => !/status of (404|422)/.test(text));
        check("no error on the console", unexpected.length === 0, unexpected.slice(0, 5).join(" | "));
    } finally {
        for (const step of undo.reverse()) await step();
    }
}

if (process.argv.length < 3) {
    console.error("usage: run.mjs BUILD_DIR [OUT_DIR]");
    process.exit(2);
}
if (!existsSync(browserPath)) {
    console.log(`skipped: no browser at ${browserPath} (set RIFT_CHROMIUM)`);
    process.exit(77);
}
const build = resolve(process.argv[2]);
await main(build, resolve(process.argv[3] ?? join(build, "browser")));
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
