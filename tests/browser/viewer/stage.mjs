// The picture, the player's bar, and the panels that change what is seen.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { at, check, difference, equal, inViewer, ODDITIES, open, panel, picture, SKIN, until } from "./common.mjs";

export async function stage({ page, daemon, out }) {
    await open(page, daemon, `${SKIN}?clip=Dance_Loop`);
    equal("the link's clip plays", await inViewer(page, (v) => [v.alone.name, v.isPaused]), ["Dance_Loop", false]);
    await page.waitForFunction(() => document.querySelector("rift-viewer").currentTime > 0.2);
    await page.screenshot({ path: join(out, "viewer-stage.png") });
    await at(page, 0);
    const first = await picture(page);
    const colours = new Set(Array.from({ length: first.length / 4 }, (_, i) => first.readUIntBE(4 * i, 3)));
    check("the model is drawn", colours.size > 60, `${colours.size} colours`);
    await at(page, 0.9);
    const later = await picture(page);
    check("a clip moves the picture", difference(first, later) > 0.01, difference(first, later));
    await at(page, 0);
    check("the same second is the same picture", difference(first, await picture(page)) === 0);
}

export async function player({ page }) {
    const bar = page.getByRole("group", { name: "Player" });
    await at(page, 0.5);
    await bar.getByLabel("One frame on").click();
    check("a frame on", Math.abs((await inViewer(page, (v) => v.currentTime)) - 16 / 30) < 1e-6);
    await bar.getByLabel("One frame back").click();
    await bar.getByLabel("One frame back").click();
    check("a frame back", Math.abs((await inViewer(page, (v) => v.currentTime)) - 14 / 30) < 1e-6);
    await bar.getByLabel("Time", { exact: true }).fill("1.25");
    equal("scrubbing", await inViewer(page, (v) => [v.currentTime, v.isPaused]), [1.25, true]);
    await bar.getByLabel("Loop").uncheck();
    await at(page, 1.9);
    await bar.getByLabel("Speed").selectOption("2");
    await bar.getByRole("button", { name: "Play" }).click();
    await page.waitForFunction(() => document.querySelector("rift-viewer").isPaused);
    equal("without loop it ends", await inViewer(page, (v) => v.currentTime), 2);
    await bar.getByLabel("Loop").check();
    await bar.getByLabel("Speed").selectOption("1");
}

export async function clips({ page }) {
    await page.getByLabel("Search clips").fill("dance");
    equal("kinds", await page.locator("rift-viewer .clips h2").allTextContents(), ["dance"]);
    equal("clips found", await page.locator("rift-viewer .clips section button span").allTextContents(), ["Dance_Loop", "Dance_Drop"]);
    await page.locator("rift-viewer .clips").getByRole("button", { name: "Dance_Drop" }).click();
    await page.waitForFunction(() => location.hash.includes("Dance_Drop"));
    equal("a mark of the snap at its second", await page.locator("rift-viewer .mark").evaluateAll((marks) => marks.map((m) => [m.className, Math.round(parseFloat(m.style.left))])), [["mark joint_snap", 17]]);
    await page.getByLabel("Search clips").fill("");
    check("all kinds", (await page.locator("rift-viewer .clips h2").count()) >= 6);
    equal("which one comes first", await inViewer(page, (v) => {
        const named = (...names) => v.firstClip.call({ model: { clips: names.map((name) => ({ name, additive: name === "Idle" })) }, kindOf: (name) => v.kindOf(name) }).name;
        return [named("Attack1", "Idle_In", "Idle2", "Idle1", "Idle"), named("Run", "Attack1")];
    }), ["Idle1", "Run"]);
}

export async function looks({ page, daemon }) {
    await panel(page, "View");
    await at(page, 0.5);
    const plain = await picture(page);
    for (const name of ["Wireframe", "Skeleton", "Bounds", "Ground"]) {
        const box = page.getByLabel(name, { exact: true });
        await box.click();
        const changed = difference(plain, await picture(page));
        check(`${name} changes the picture`, changed > 0.001, changed);
        await box.click();
    }
    check("and back", difference(plain, await picture(page)) === 0);
    await page.getByLabel("Background").selectOption("white");
    check("the background changes", difference(plain, await picture(page)) > 0.3);
    await page.getByLabel("Background").selectOption("night");
    const data = await (await fetch(`${daemon.url}/v1/skins/${SKIN}`)).json();
    const shown = await page.locator("rift-viewer dl dd").allTextContents();
    equal("statistics", shown.slice(0, 5), [data.parts.reduce((sum, p) => sum + p.triangles, 0), data.joints, data.parts.length, data.clips.length, 2].map(String));
    const [shot] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Screenshot" }).click()]);
    equal("a screenshot", shot.suggestedFilename(), `${SKIN}.png`);
    check("with something in it", statSync(await shot.path()).size > 5000);
}

export async function parts({ page, daemon }) {
    await open(page, daemon, `${SKIN}`);
    await panel(page, "Parts");
    await at(page, 0);
    const whole = await picture(page);
    await page.getByLabel("Cape").uncheck();
    await page.getByLabel("Shield").uncheck();
    check("a part can be switched off", difference(whole, await picture(page)) > 0.002);
    await page.getByRole("button", { name: "Follow the clip again" }).click();
    check("and on again", difference(whole, await picture(page)) === 0);
    await open(page, daemon, `${ODDITIES}?clip=Joke`);
    await panel(page, "Parts");
    const state = async (t) => {
        await at(page, t);
        await picture(page);
        return Promise.all(["Twin__28", "Recall_Robe", "Both"].map((name) => page.getByLabel(name).isChecked()));
    };
    equal("parts at the clip's start", await state(0), [true, false, true]);
    equal("parts in the event's time", await state(0.12), [false, true, true]);
    equal("parts after it", await state(0.8), [true, false, true]);
    await page.getByLabel("Form").selectOption({ label: "gear_2" });
    equal("a form", await state(0.8), [false, true, true]);
    await page.getByLabel("Form").selectOption({ label: "as it starts" });
    equal("and back to the clip", await state(0.8), [true, false, true]);
    await open(page, daemon, `${SKIN}?options=chromas%3Dvariants`);
    await panel(page, "View");
    await at(page, 0);
    const original = await picture(page);
    await page.getByLabel("Variant").selectOption({ index: 2 });
    await until("a variant's other colours", async () => difference(original, await picture(page)) > 0.01);
    await page.getByLabel("Variant").selectOption({ index: 0 });
    await until("the skin's own again", async () => difference(original, await picture(page)) < 0.002);
}

// A file of 16 bits, packed, with textures in WebP is drawn as the plain one is.
export async function packed({ page, daemon }) {
    const shown = async (options) => {
        await open(page, daemon, `${SKIN}?clip=Run&options=${encodeURIComponent(options)}`);
        await panel(page, "View");
        await at(page, 0.4);
        return picture(page);
    };
    const plain = await shown("max_texture=1024");
    check("another clip moment is another picture", difference(plain, (await at(page, 0.1), await picture(page))) > 0.005);
    check("web looks like full", difference(plain, await shown("profile=web")) < 0.003);
    check("and lite like web", difference(plain, await shown("profile=lite")) < 0.003);
    check("JPEG too", difference(plain, await shown("texture=jpeg")) < 0.003);
}

export async function downloads({ page, daemon, expect }) {
    expect(/status of 400 .*max_texture=many/);
    await open(page, daemon, `${SKIN}`);
    await panel(page, "Download");
    const texture = page.getByRole("combobox", { name: "texture", exact: true });
    await texture.waitFor();
    const choices = await texture.locator("option").evaluateAll((list) => list.map((o) => [o.value, o.textContent]));
    equal("every value can be asked for, and none", choices, [["", "default"], ["png", "png"], ["webp", "webp"], ["jpeg", "jpeg"], ["none", "none"]]);
    await page.getByLabel("content").selectOption("full");
    equal("a default is said when it is chosen", await page.locator("rift-viewer code").textContent(), `curl -f -o ${SKIN}.glb '${daemon.url}/v1/skins/${SKIN}.glb?content=full'`);
    await page.getByLabel("content").selectOption("rig");
    await page.getByLabel("max_texture").fill("64");
    await page.getByLabel("max_texture").blur();
    const link = `${daemon.url}/v1/skins/${SKIN}.glb?content=rig&max_texture=64`;
    equal("the curl line", await page.locator("rift-viewer code").textContent(), `curl -f -o ${SKIN}.glb '${link}'`);
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByText("Download GLB").click()]);
    equal("the file's name", file.suggestedFilename(), "bramble-1.glb");
    equal("the file is that of the options", statSync(await file.path()).size, (await (await fetch(link)).arrayBuffer()).byteLength);
    // Nobody has asked for this one: it is a job first, which is followed, however long it takes.
    await page.getByLabel("content").selectOption("");
    await page.getByRole("textbox", { name: "clips", exact: true }).fill("Run,Attack1");
    await page.getByRole("textbox", { name: "clips", exact: true }).blur();
    await page.getByLabel("profile").selectOption("lite");
    await inViewer(page, (v) => v.addEventListener("progress", ({ detail }) => (window.phases ??= []).push(detail.phase)));
    const [reply, lite] = await Promise.all([
        page.waitForResponse((r) => r.url().includes("profile=lite")), page.waitForEvent("download"), page.getByText("Download GLB").click()]);
    equal("a cold one is waited for by its job", [reply.request().headers().prefer, reply.status()], ["respond-async", 202]);
    check("and tells how it goes", (await page.evaluate(() => window.phases)).length > 1);
    const glb = readFileSync(await lite.path());
    const json = JSON.parse(glb.subarray(20, 20 + glb.readUInt32LE(12)));
    equal("it has the clips that were named", json.animations.map((a) => a.name).sort(), ["Attack1", "Run"]);
    await page.locator("rift-viewer .status").waitFor({ state: "hidden" });
    await page.getByLabel("max_texture").fill("many");
    await page.getByLabel("max_texture").blur();
    await page.getByText("Download GLB").click();
    await page.getByText(/does not understand the request/).waitFor();
}

export async function keyboard({ page, daemon }) {
    await open(page, daemon, `${SKIN}`);
    await at(page, 0);
    const before = await picture(page);
    await page.locator("rift-viewer canvas").first().focus();
    for (const key of ["ArrowLeft", "ArrowUp", "Shift+ArrowRight", "+"]) {
        const last = await picture(page);
        await page.keyboard.press(key);
        check(`${key} moves the camera`, difference(last, await picture(page)) > 0.003);
    }
    await page.keyboard.press("f");
    check("F fits again", difference(before, await picture(page)) < 0.001);
    await page.keyboard.press(".");
    check("full stop steps", Math.abs((await inViewer(page, (v) => v.currentTime)) - 1 / 30) < 1e-6);
    await page.keyboard.press("Space");
    equal("space plays", await inViewer(page, (v) => v.isPaused), false);
    await page.mouse.move(200, 250);
    await page.mouse.down();
    await page.mouse.move(320, 250);
    await page.mouse.up();
    await at(page, 0);
    check("dragging turns", difference(before, await picture(page)) > 0.01);
}
