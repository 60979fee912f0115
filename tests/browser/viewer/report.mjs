// The report pane, and two skins or patches at once.
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { at, check, COLLIDING, equal, inViewer, ODDITIES, open, panel, picture, SKIN, until } from "./common.mjs";

export async function report({ page, daemon, expect }) {
    expect(/status of 404 .*\/v1\/skins\/no\/1$/);
    await open(page, daemon, `${SKIN}`);
    await panel(page, "Report");
    const text = await page.locator("rift-viewer .report").textContent();
    check("a warning", /snap_reparented, 1 ×.*Weapon, was below R_Hand/.test(text), text);
    check("a snap with victim, target and window", /Dance_Drop: Weapon stands at Weapon_Ground, 0\.50 to 2\.50 s/.test(text), text);
    check("textures and why", /Sword: .*Bramble_Arms_TX_CM\.tex, by override_texture/.test(text), text);
    await page.getByLabel("With", { exact: true }).fill("bramble/2");
    await page.getByRole("button", { name: "Show beside" }).click();
    await page.getByText(/^Triangles 2530 and 2530.*the same clips/).waitFor();
    await at(page, 0.7);
    await picture(page);
    equal("both at one second", await inViewer(page, (v) => [v.beside.currentTime, v.beside.alone.name === v.alone.name]), [0.7, true]);
    await page.getByLabel("With", { exact: true }).fill("no/1");
    await page.getByRole("button", { name: "Show beside" }).click();
    await page.getByText(/no such skin/).first().waitFor();
    const textOf = async (skin) => {
        await open(page, daemon, `${skin}`);
        await panel(page, "Report");
        return page.locator("rift-viewer .report").textContent();
    };
    const colliding = await textOf(COLLIDING);
    check("leftover tracks", /Taunt: 1 of 2 tracks \(0x0badf00d no_joint\)/.test(colliding), colliding);
    const odd = await textOf(ODDITIES);
    check("stubs", /Stubshead/.test(odd), odd);
}

// A game of its own, in which a patch takes an archive away.
export async function patches({ page, start, game, riftbake }) {
    const mine = `${game}-patched`;
    cpSync(game, mine, { recursive: true });
    const daemon = await start("patched", mine, ["--patch-settle=1", "--canaries=0"]);
    await open(page, daemon, `${SKIN}`);
    rmSync(join(mine, "DATA/FINAL/Maps/Shipping/Map11.wad.client"));
    const get = async (path) => (await fetch(daemon.url + path)).json();
    await until("the patch", async () => (await get("/v1/patches")).patches.length > 1);
    await panel(page, "Report");
    await page.getByText("Two patches side by side").click();
    const cells = (name) => page.locator("rift-viewer .report tbody tr").filter({ has: page.getByRole("rowheader", { name, exact: true }) }).locator("td").allTextContents();
    await page.getByRole("rowheader", { name: "Archives", exact: true }).waitFor();
    equal("archives of both", await cells("Archives"), ["8", "7"]);
    check("what changed", /Map11\.wad\.client: added/.test((await cells("Changes"))[0]) && /Map11\.wad\.client: removed/.test((await cells("Changes"))[1]), await cells("Changes"));
    equal("this skin", await cells("This skin"), ["as before", "as before"]);
    await page.locator("rift-viewer .report details select").first().selectOption("2");
    await page.waitForFunction(() => document.querySelector("rift-viewer").shadowRoot.querySelector(".report thead").textContent === "Patch 2Patch 2");
    equal("the same on both sides", await cells("Archives"), ["7", "7"]);
    await page.getByLabel("Its files").selectOption({ index: 1 });
    await page.getByText(/^Triangles 2530 and 2530/).waitFor();
    check("a file says its patch", /patch 1 \(16\.18/.test(await page.getByLabel("Its files").textContent()));
    // The next patch cuts every mesh short, so the sweep fails with this skin.
    const wad = join(mine, "DATA/FINAL/Champions/Bramble.wad.client");
    riftbake("wad", "get", wad, "--all", "--quiet", "-o", `${mine}-bramble`);
    for (const entry of readdirSync(`${mine}-bramble`, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath ?? entry.path, entry.name);
        if (entry.isFile() && readFileSync(path).subarray(0, 4).toString("hex") === "33221100") truncateSync(path, 100);
    }
    riftbake("wad", "pack", `${mine}-bramble`, "--quiet", "-o", wad);
    await until("the failure", async () => (await get("/v1/patches")).patches[0].skins.failed === 1);
    const feed = await get("/v1/patches/3/skins");
    // A feed of more than a page.
    await page.route(/\/v1\/patches\/3\/skins/, (route) => {
        const second = route.request().url().includes("after=1");
        return route.fulfill({ json: second ? { ...feed, skins: [{ ...feed.skins[0], id: COLLIDING, alias: "shaco", number: 8 }] } : { ...feed, next: 1 } });
    });
    await page.goto("about:blank"); // else the skin that fails may be asked for again
    await open(page, daemon, `${COLLIDING}`);
    await panel(page, "Report");
    await page.getByText("Two patches side by side").click();
    await page.getByRole("rowheader", { name: "In trouble", exact: true }).waitFor();
    equal("what a skin failed with, in words", await cells("In trouble"), ["none", `bramble/1: ${feed.skins[0].error.detail}`]);
    check("the words are words", /^range count \d+ needs \d+ bytes/.test(feed.skins[0].error.detail), feed.skins[0].error);
    equal("this skin, on the second page", await cells("This skin"), ["as before", "changed"]);
    await page.unroute(/\/v1\/patches\/3\/skins/);
}
