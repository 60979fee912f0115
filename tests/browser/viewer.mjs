// viewer.mjs BUILD_DIR [OUT_DIR [TEST...]]
// The viewer that riftbaked serves, in a real Chromium, on the synthetic game: runs what stands in viewer/. Screenshots are
// left in OUT_DIR (BUILD_DIR/browser).
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { browserPath, launch, listen, startDaemon } from "./support.mjs";
import { check, DEADLINE, equal, failures, passed } from "./viewer/common.mjs";
import { fingers, measures, mouse, times, views } from "./viewer/camera.mjs";
import { component, types } from "./viewer/component.mjs";
import { again, documents, guarded, policy, still, two } from "./viewer/embed.mjs";
import { everybody, focus, speed } from "./viewer/everybody.mjs";
import { faults, gone } from "./viewer/faults.mjs";
import { gallery, stale, tokens } from "./viewer/gallery.mjs";
import { holds, masks, mixer, mixes } from "./viewer/layers.mjs";
import { patches, report } from "./viewer/report.mjs";
import { clips, downloads, keyboard, looks, packed, parts, player, stage } from "./viewer/stage.mjs";

const BUNDLE = 900 * 1000;

// A site of somebody else, with the component in it.
function serveElsewhere() {
    const server = createServer((request, reply) => {
        const url = new URL(request.url, "http://page");
        if (url.pathname !== "/") {
            reply.writeHead(404).end();
            return;
        }
        const [server, skin] = ["server", "skin"].map((name) => url.searchParams.get(name));
        const policy = url.searchParams.get("policy");
        if (policy) reply.setHeader("Content-Security-Policy", policy);
        const heard = `window.seen = [];
            for (const type of ["progress", "clip", "load", "error"]) document.addEventListener(type, (e) => e.detail && seen.push(type), true);`;
        reply.writeHead(200, { "Content-Type": "text/html" }).end(`<!doctype html><html lang="en"><title>Elsewhere</title><link rel="icon" href="data:,">
            ${policy ? "" : `<script>${heard}</script>`}
            <script type="module" src="${server}/viewer.js"></script><rift-viewer server="${server}" skin="${skin}" clip="Run" controls="bar"></rift-viewer>`);
    });
    return new Promise((done) => server.listen(0, "127.0.0.1", () => done({ url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() })));
}

// Tests of a chain share a page, one after the other; two chains run at a time. What is measured runs alone, before them.
const ALONE = [speed];
const CHAINS = [[everybody], [gallery, stale], [mixer, mixes, holds, masks], [stage, player, clips, looks, parts, packed, downloads, keyboard], [focus, mouse, views, measures, times, fingers], [tokens, patches], [faults, gone, report], [component, types, again, two, guarded, policy, still, documents]];
const LANES = 2;
// What a test cut off by leaving the page. Everything else that is complained of a test has to name: given.expect(pattern, …).
const CUT_OFF = /net::ERR_ABORTED/;

async function main(build, out, wanted) {
    mkdirSync(out, { recursive: true });
    const work = mkdtempSync(join(tmpdir(), "riftbake-viewer-"));
    const undo = [() => rmSync(work, { recursive: true, force: true })];
    try {
        const riftbake = (...words) => execFileSync(join(build, "riftbake"), words);
        riftbake("demo-game", "--quiet", join(work, "game"));
        const allowed = new Set([""]);
        const start = async (data, game = join(work, "game"), more = []) => {
            const daemon = await startDaemon(join(build, "riftbaked"), game, join(work, data), more);
            undo.push(daemon.stop);
            allowed.add(new URL(daemon.url).host);
            return daemon;
        };
        const daemon = await start("data");
        if ((await fetch(`${daemon.url}/`)).status === 404) {
            console.log("skipped: this riftbaked was built without its viewer");
            return 77;
        }
        const script = await (await fetch(`${daemon.url}/viewer.js`)).arrayBuffer();
        const more = await (await fetch(`${daemon.url}/page.js`)).arrayBuffer();
        check("the bundle is small enough", script.byteLength + more.byteLength < BUNDLE, script.byteLength + more.byteLength);
        const elsewhere = await serveElsewhere();
        undo.push(elsewhere.stop);
        const browser = await launch();
        undo.push(() => browser.close());
        const hosts = new Set();
        const listenTo = (one, complaints) => {
            listen(one, complaints);
            void one.addInitScript(() => document.addEventListener("securitypolicyviolation", (event) => console.error(`against the policy: ${event.violatedDirective} ${event.blockedURI}`))).catch(() => {}); // the page may be closed before
            one.on("request", (request) => hosts.add(new URL(request.url()).host));
        };
        allowed.add(new URL(elsewhere.url).host);
        const chain = async (tests) => {
            const context = await browser.newContext({ viewport: { width: 760, height: 480 }, acceptDownloads: true });
            context.setDefaultTimeout(DEADLINE);
            const page = await context.newPage();
            let complaints = [];
            let expected = [];
            const noted = { push: (text) => complaints.push(text) };
            listenTo(page, noted);
            const given = { page, daemon, start, riftbake, game: join(work, "game"), work, elsewhere, out, browser, listenTo: (one) => listenTo(one, noted), expect: (...patterns) => expected.push(...patterns) };
            for (const test of tests.filter((t) => wanted.length === 0 || wanted.includes(t.name))) {
                const begun = Date.now();
                [complaints, expected] = [[], [CUT_OFF]];
                const late = new Promise((_, refuse) => setTimeout(refuse, 3 * DEADLINE, new Error("something in the page never came")).unref());
                await Promise.race([test(given), late]).catch((error) => failures.push(`${test.name}: ${error.stack}`));
                const unexpected = complaints.filter((text) => !expected.some((pattern) => pattern.test(text)));
                check(`${test.name}: nothing unexpected on the console`, unexpected.length === 0, unexpected.slice(0, 5).join(" | "));
                console.log(`ran ${test.name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
            }
            await context.close();
        };
        await chain(ALONE);
        const chains = [...CHAINS];
        await Promise.all(Array.from({ length: LANES }, async () => {
            while (chains.length > 0) await chain(chains.shift());
        }));
        equal("no request to another host", [...hosts].filter((host) => !allowed.has(host)), []);
    } finally {
        for (const step of undo.reverse()) await step();
    }
    for (const text of failures) console.log(`FAILED ${text}`);
    console.log(`${passed} passed, ${failures.length} failed`);
    return failures.length === 0 ? 0 : 1;
}

if (process.argv.length < 3) {
    console.error("usage: viewer.mjs BUILD_DIR [OUT_DIR [TEST...]]");
    process.exit(2);
}
if (!existsSync(browserPath)) {
    console.log(`skipped: no browser at ${browserPath} (set RIFT_CHROMIUM)`);
    process.exit(77);
}
const build = resolve(process.argv[2]);
process.exit(await main(build, resolve(process.argv[3] ?? join(build, "browser")), process.argv.slice(4)));
