// The gallery, and a server that wants a token.
import { createHash } from "node:crypto";
import { cpSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BROKEN, BROKEN_FAILS, check, clean, equal, inViewer, MANY_JOINTS, ODDITIES, open, panel, SKIN, until } from "./common.mjs";

const CHROMA = 9001002;
const BRAMBLES = "DATA/FINAL/Champions/Bramble.wad.client";

const cardOf = (page, skin) => page.locator(".card").filter({ has: page.locator(`a[href="#/${skin}"]`) });
const card = (page, text) => page.locator(".card").filter({ hasText: text });

// A conversion that somebody else began: what the list of jobs and the event stream say of it, here in the test's own words.
async function others(page, daemon) {
    const { defaults } = await (await fetch(`${daemon.url}/v1/skins`)).json();
    equal("what a card's state is of", defaults, "max_texture=1024");
    const job = { id: 999, state: "running", skin: MANY_JOINTS, alias: "shaco", number: 10, options: defaults, progress: 40, phase: "clips" };
    const other = { ...job, id: 998, skin: SKIN, alias: "bramble", number: 1, options: "" };
    const json = (body) => (route) => route.fulfill({ contentType: "application/json", body: JSON.stringify(body) });
    let say;
    const finished = new Promise((go) => (say = go));
    await page.route("**/v1/jobs?state=running*", json({ jobs: [other, job] }));
    await page.route("**/v1/jobs?state=queued*", json({ jobs: [{ ...job, id: 997, skin: ODDITIES, state: "queued", progress: 0, phase: undefined, position: 3 }] }));
    await page.route("**/v1/jobs/999/events", async (route) => {
        await finished;
        const done = { ...job, state: "done", progress: 100, result: { url: "/v1/artifacts/0.glb", sha256: "0" } };
        await route.fulfill({ contentType: "text/event-stream", body: `event: done\ndata: ${JSON.stringify(done)}\n\n` });
    });
    await page.goto(`${daemon.url}/`);
    await page.reload();
    const mine = cardOf(page, MANY_JOINTS);
    await mine.getByText("clips, 40 %").waitFor();
    equal("of other options it tells nothing", await cardOf(page, SKIN).getByRole("progressbar").count(), 0);
    equal("it has a bar", await mine.getByRole("progressbar").getAttribute("value"), "0.4");
    await cardOf(page, ODDITIES).getByText("waiting, number 3", { exact: true }).waitFor();
    await page.unroute("**/v1/jobs?state=queued*");
    await page.unroute("**/v1/jobs?state=running*");
    say();
    await mine.getByText("ready", { exact: true }).waitFor();
    await page.unroute("**/v1/jobs/999/events");
    await page.reload();
    await page.locator(".card").first().waitFor();
}

// On a daemon of its own, which has converted nothing yet.
export async function gallery({ page, start, out, expect }) {
    expect(BROKEN_FAILS, /status of 404 .*\/v1\/jobs\/99[0-9]$/); // jobs that are made up
    const daemon = await start("fresh", undefined, ["--default-max-texture=1024"]);
    await page.goto(`${daemon.url}/`);
    await page.locator(".card").first().waitFor();
    const all = (await (await fetch(`${daemon.url}/v1/skins`)).json()).skins;
    equal("a card for every skin", await page.locator(".card").count(), all.length);
    equal("champions", await page.locator(".champion h2").allTextContents(), ["Shaco", "Bramble"]);
    await page.getByLabel("Search skins").fill("bramble/1");
    equal("search", await page.locator(".card").count(), 1);
    await page.waitForFunction(() => document.querySelector(".picture img")?.naturalWidth > 0);
    await page.locator(".card .swatch").first().waitFor();
    equal("chromas as swatches", await page.locator(".card .swatch").first().getAttribute("href"), `#/${SKIN}?chroma=9001002`);
    const said = page.evaluate(() => new Promise((done) => {
        const words = [];
        const badge = document.querySelector(".card .state");
        new MutationObserver(() => {
            words.push(badge.textContent);
            if (badge.textContent === "ready") done(words);
        }).observe(badge, { childList: true, characterData: true, subtree: true });
    }));
    await page.getByRole("button", { name: "Convert" }).click();
    check("progress while it converts", (await said).filter((word) => / \d+ %$/.test(word)).length >= 2, await said);
    await page.getByLabel("Search skins").fill(`${BROKEN}`);
    await page.getByRole("button", { name: "Convert" }).click();
    await card(page, "Retry").waitFor();
    check("a failure with its reason", /failed/.test(await card(page, "").textContent()) && /cannot be converted/.test(await card(page, "").textContent()));
    await page.reload();
    await cardOf(page, BROKEN).getByText(/cannot be converted.*Jester_Skin06\.skn/).waitFor();
    await others(page, daemon);
    await page.getByLabel("State").selectOption("fresh");
    equal("by state", await page.locator(".card").count(), 1);
    await page.getByLabel("State").selectOption("");
    await page.getByLabel("Search skins").fill("bramble");
    await page.waitForFunction(() => [...document.querySelectorAll(".card img")].filter((i) => i.naturalWidth > 0).length >= 3);
    await page.screenshot({ path: join(out, "viewer-gallery.png") });
    await page.getByLabel("Search skins").fill("nothing of the kind");
    await page.getByText("No skin fits").waitFor();
    // A cold skin tells its progress in the viewer too.
    await page.addInitScript(() => document.addEventListener("progress", (e) => e.detail && (window.told ??= []).push(e.detail), true));
    await page.goto("about:blank");
    await page.goto(`${daemon.url}/#/${SKIN}?chroma=9001002&clip=Run`);
    await page.waitForFunction(() => document.querySelector("rift-viewer")?.model);
    const told = await page.evaluate(() => window.told.map((d) => d.phase));
    check("phases of a cold conversion", told.includes("loading") && told.some((phase) => !["asking", "loading"].includes(phase)), told.join());
    equal("the chroma of the link", await inViewer(page, (v) => [v.data.number, v.alone.name]), [2, "Run"]);
    await page.getByRole("link", { name: "Original" }).click();
    await page.waitForFunction(() => document.querySelector("rift-viewer").data?.number === 1 && document.querySelector("rift-viewer").model);
}

// A game of its own, in which a patch brings other files: what was made before says why it is outdated, and can be renewed.
export async function stale({ page, start, game, riftbake, expect }) {
    expect(BROKEN_FAILS);
    const mine = `${game}-stale`;
    cpSync(game, mine, { recursive: true });
    const daemon = await start("stale", mine, ["--patch-settle=1", "--sweep=off"]);
    const get = async (path) => (await fetch(daemon.url + path)).json();
    for (const skin of [ODDITIES, SKIN, CHROMA]) await fetch(`${daemon.url}/v1/skins/${skin}.glb`);
    riftbake("demo-game", "--quiet", "--seed", "2", `${mine}-2`);
    cpSync(join(`${mine}-2`, BRAMBLES), join(mine, BRAMBLES));
    const stateOf = async (skin) => (await get("/v1/skins")).skins.find((s) => s.id === skin)?.state;
    await until("the patch", async () => (await stateOf(SKIN)) === "stale");
    const feed = await get("/v1/patches/2/skins");
    const told = feed.skins.find((s) => s.id === SKIN);
    equal("files that changed, and none that came or went", [told.reason, told.changed > 0, told.appeared, told.vanished], ["files", true, 0, 0]);
    const said = async (skin) => (await cardOf(page, skin).locator("p").textContent()).trim();
    const old = "The old one is shown until it is renewed.";
    await page.goto(`${daemon.url}/`);
    await cardOf(page, SKIN).scrollIntoViewIfNeeded(); // what is not seen is not asked for
    await cardOf(page, SKIN).getByText(old).waitFor();
    equal("why a skin is outdated", await said(SKIN), `Since it was made ${told.changed} file${told.changed > 1 ? "s" : ""} changed. ${old}`);
    await clean(page, "outdated skins");
    await cardOf(page, SKIN).getByRole("button", { name: /^Renew / }).click();
    await cardOf(page, SKIN).getByText("ready", { exact: true }).waitFor();
    equal("and is renewed", await stateOf(SKIN), "fresh");
    equal("then it says so no more", await said(SKIN), `bramble/1, ${SKIN}`);
    // Reasons that are hard to come by, in the test's own words.
    for (const [row, words] of [
        [{ reason: "files", changed: 4, appeared: 1, vanished: 2 }, "Since it was made 1 file changed, 1 appeared, 2 vanished."],
        [{ reason: "files", changed: 2, appeared: 2, vanished: 0 }, "Since it was made 2 files appeared."],
        [{ reason: "converter", changed: 0, appeared: 0, vanished: 0 }, "Another version of the converter made it."],
        [{ reason: "names", changed: 3, appeared: 3, vanished: 0 }, "The lists of names changed since it was made."],
        [{ reason: "never", changed: 0, appeared: 0, vanished: 0 }, "The game or the converter changed since it was made."],
        [{ reason: "files", changed: 1, appeared: 0, vanished: 0, options: "profile=lite" }, "The game or the converter changed since it was made."],
    ]) {
        await page.route("**/v1/patches/2/skins?*", (route) => route.fulfill({ json: { ...feed, skins: [{ ...told, id: CHROMA, ...row }] } }));
        await page.reload();
        await cardOf(page, CHROMA).scrollIntoViewIfNeeded();
        await cardOf(page, CHROMA).getByText(old).waitFor();
        equal(`outdated by ${row.reason}`, await said(CHROMA), `${words} ${old}`);
        await page.unroute("**/v1/patches/2/skins?*");
    }
}

// A server that wants a token, for everything.
export async function tokens({ browser, start, work, listenTo, expect }) {
    expect(BROKEN_FAILS, /status of 401 .*\/v1\/skins\?limit=1000&after=0$/, /status of (401|403) .*(content=animations|hidden=include)/);
    const token = "of-the-viewer's-test";
    const file = join(work, "tokens");
    writeFileSync(file, `${createHash("sha256").update(token).digest("hex")} submit test\n`);
    const daemon = await start("guarded", undefined, [`--tokens-file=${file}`]);
    const context = await browser.newContext({ viewport: { width: 760, height: 480 }, acceptDownloads: true });
    const page = await context.newPage();
    listenTo(page);
    await page.goto(`${daemon.url}/`);
    await page.getByLabel("Token").waitFor();
    check("it is said why", /The server refuses.*token/.test(await page.locator("form.token").textContent()), await page.locator("form.token").textContent());
    await clean(page, "asking for a token");
    await page.getByLabel("Token").fill("a wrong one");
    await page.getByRole("button", { name: "Use token" }).click();
    await page.locator("form.token").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.getByRole("button", { name: "Use token" }).click();
    await page.locator(".card").first().waitFor();
    await page.waitForFunction(() => [...document.querySelectorAll(".card img")].some((i) => i.naturalWidth > 0));
    equal("kept for the tab only", await page.evaluate(() => [sessionStorage.length, localStorage.length, document.cookie]), [1, 0, ""]);
    await open(page, daemon, `${SKIN}`);
    await panel(page, "Download");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByText("Download GLB").click()]);
    check("a download with the token", statSync(await saved.path()).size > 10_000);
    // A mix whose clips' own file is refused says so.
    await page.route("**/*content=animations*", (route) => route.fulfill({ status: 403, contentType: "application/problem+json", body: '{"status":403,"code":"forbidden","detail":"only default options"}' }));
    await panel(page, "Layers");
    await inViewer(page, (v) => v.mix({ name: "Mix", commands: [{ at: 0, op: "play", slot: 0, clip: "Run" }] }));
    await page.getByText(/The mix is not exact: .*only default options/).waitFor();
    await context.close();
    await withoutToken({ browser, daemon: await start("public", undefined, [`--tokens-file=${file}`, "--auth-public-read"]), listenTo });
}

// Where everybody may read, but with default options only, a skin with hidden parts is shown without them.
async function withoutToken({ browser, daemon, listenTo }) {
    const context = await browser.newContext({ viewport: { width: 760, height: 480 } });
    const page = await context.newPage();
    listenTo(page);
    await open(page, daemon, `${ODDITIES}`);
    const [all, here] = await inViewer(page, (v) => [v.data.parts, v.model.parts].map((parts) => parts.map((p) => p.name)));
    const shown = await inViewer(page, (v) => v.data.parts.filter((p) => p.visible).map((p) => p.name));
    equal("the parts of everybody", here.sort(), shown.sort());
    check("there are more", all.length > here.length, all);
    await page.getByText(/Without a token .* hidden ones/).waitFor();
    equal("nothing asks for a token", await page.locator("form.token").count(), 0);
    await context.close();
}
