// The component on a page of another origin.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { at, check, difference, equal, inViewer, picture, playInSlots, SKIN } from "./common.mjs";

const here = dirname(fileURLToPath(import.meta.url));

export async function component({ page, daemon, elsewhere, out, expect }) {
    expect(/status of 404 .*\/v1\/skins\/424242$/);
    await page.goto(`${elsewhere.url}/?server=${encodeURIComponent(daemon.url)}&skin=${SKIN}`);
    await page.waitForFunction(() => window.seen?.includes("load"));
    const seen = await page.evaluate(() => window.seen);
    check("events come in order", seen[0] === "progress" && seen.indexOf("clip") < seen.indexOf("load"), seen);
    equal("attributes hold", await inViewer(page, (v) => [v.alone.name, v.getAttribute("controls"), v.root === undefined]), ["Run", "bar", false]);
    check("no panels with controls=bar", (await page.locator("rift-viewer .panels").count()) === 0);
    await page.screenshot({ path: join(out, "viewer-component.png") });
    // Every attribute that viewer.d.ts names.
    await inViewer(page, (v) => v.setAttribute("clip", "Idle1"));
    await page.waitForFunction(() => document.querySelector("rift-viewer").alone?.name === "Idle1");
    await inViewer(page, (v) => v.setAttribute("paused", ""));
    equal("paused", await inViewer(page, (v) => v.isPaused), true);
    await inViewer(page, (v) => v.setAttribute("clip", "Wave"));
    await page.waitForFunction(() => document.querySelector("rift-viewer").alone?.name === "Wave");
    equal("and stays so with another clip", await inViewer(page, (v) => v.isPaused), true);
    await inViewer(page, (v) => v.removeAttribute("paused"));
    equal("not paused", await inViewer(page, (v) => v.isPaused), false);
    await at(page, 0);
    const night = await picture(page);
    await inViewer(page, (v) => v.setAttribute("background", "white"));
    check("background", difference(night, await picture(page)) > 0.3);
    await inViewer(page, (v) => v.setAttribute("controls", "none"));
    equal("controls=none", await page.locator("rift-viewer .player").count(), 0);
    await inViewer(page, (v) => v.setAttribute("controls", "full"));
    equal("controls=full", await page.locator("rift-viewer .panels").count(), 1);
    const reloaded = async (what, change) => {
        await page.evaluate(() => (window.old = document.querySelector("rift-viewer").model));
        await inViewer(page, change);
        await page.waitForFunction(() => document.querySelector("rift-viewer").model && document.querySelector("rift-viewer").model !== window.old);
        check(what, true);
    };
    await reloaded("options", (v) => v.setAttribute("options", "clips=run&chromas=variants"));
    equal("options hold", await inViewer(page, (v) => [v.clips, v.model.variants.length > 1]), [["Run"], true]);
    await inViewer(page, (v) => v.setAttribute("variant", v.model.variants[1]));
    await inViewer(page, (v) => v.removeAttribute("variant"));
    await reloaded("alias/number", (v) => (v.setAttribute("skin", "bramble/2"), v.removeAttribute("options")));
    equal("of the other skin", await inViewer(page, (v) => v.data.number), 2);
    await reloaded("src", (v) => (v.removeAttribute("skin"), v.setAttribute("src", `${v.getAttribute("server")}/v1/skins/9001003.glb`)));
    // Every method and property.
    equal("methods in slots", (await inViewer(page, playInSlots)).slice(1), [null, ["Wave", 0.3, "replace"], null, null, null, null, null]);
    equal("the rest", await inViewer(page, async (v) => {
        await v.playAnimation("Wave");
        v.pause();
        v.currentTime = 0.2;
        v.playbackRate = 2;
        v.loop = false;
        v.fit();
        const blob = await v.screenshot();
        const [at, none] = [v.jointPosition("Spine"), v.jointPosition("Tail")];
        v.play();
        return [v.slotsNow()[0].span.clip.name, v.clips.includes("Run"), v.joints.length, v.duration > 0, v.isPaused, blob.type, at.length, none, v.playbackRate, v.loop];
    }), ["Wave", true, 27, true, false, "image/png", 3, null, 2, false]);
    check("an unknown clip is refused", /no clip called/.test(await inViewer(page, (v) => v.playAnimation("Moonwalk").catch((e) => e.message))));
    const error = await page.evaluate(() => new Promise((done) => {
        const viewer = document.querySelector("rift-viewer");
        viewer.addEventListener("error", (event) => done(event.detail));
        viewer.removeAttribute("src");
        viewer.setAttribute("skin", "424242");
    }));
    check("the event error", error.code && /no such skin/.test(error.message) && error.problem.status === 404, error);
    check("a clip without a model is refused", /no model yet/.test(await inViewer(page, (v) => v.playAnimation("Run").catch((e) => e.message))));
    await page.goto(`${daemon.url}/example.html`);
    await page.waitForFunction(() => document.querySelector("rift-viewer")?.model);
    check("the example page", true);
}

// viewer.d.ts, as served, in a strict program that uses all of it, and in one that is wrong.
export async function types({ daemon, work }) {
    const folder = join(work, "types");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "viewer.d.ts"), await (await fetch(`${daemon.url}/viewer.d.ts`)).text());
    const head = `import type { RiftMask, RiftViewer } from "./viewer";\nconst viewer: RiftViewer = document.createElement("rift-viewer");\n`;
    const good = `${head}const mask: RiftMask = { include: ["Spine"], exclude: ["Head"], self_only: false };
        viewer.addEventListener("load", async ({ detail }) => {
            const first: string = detail.clips[0] ?? "";
            await viewer.playAnimation(first, { slot: 0, loop: true, speed: 1, weight: 1, start: 0 });
            await viewer.playAnimationMasked(first, mask, { slot: 1 });
            await viewer.playAnimationAdditive(first, { slot: 2, mask: "upper", base: "identity" });
            await viewer.setSlotMask(1, null);
            viewer.setSlotWeight(1, 0.5); viewer.fadeSlotWeight(1, 0, 0.2); viewer.setSlotLayerMode(2, "additive"); viewer.stopSlot(2);
            const place: [number, number, number] | null = viewer.jointPosition("Head");
            const shot: Blob = await viewer.screenshot();
            viewer.currentTime = viewer.duration / 2; viewer.playbackRate = 1; viewer.loop = !viewer.isPaused; viewer.play(); viewer.pause(); viewer.fit();
            console.log(place, shot, viewer.joints, viewer.clips);
        });
        viewer.addEventListener("progress", (e) => console.log(e.detail.phase, e.detail.share));
        viewer.addEventListener("clip", (e) => console.log(e.detail.clip, e.detail.slot));
        viewer.addEventListener("error", (e) => console.log(e.detail.code, e.detail.message, e.detail.problem));\n`;
    // A line behind such a comment must be wrong.
    const bad = ["viewer.playAnimation(3);", `viewer.setSlotLayerMode(1, "over");`, "viewer.isPaused = true;"].map((line) => `// @ts-expect-error\n${line}\n`).join("");
    writeFileSync(join(folder, "program.ts"), good + bad);
    const tsc = join(here, "../../../server/web/node_modules/typescript/bin/tsc");
    const args = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--lib", "es2022,dom", "--moduleResolution", "bundler", "--module", "esnext", join(folder, "program.ts")];
    const done = await new Promise((go) => execFile(process.execPath, [tsc, ...args], (error, stdout) => go([error, stdout])));
    check("the types hold a whole program, and refuse a wrong one", done[0] === null, done[1]);
    // What the component has is what is documented: its public members are all there.
    const text = readFileSync(join(folder, "viewer.d.ts"), "utf8");
    const members = ["server", "skin", "src", "clip", "options", "variant", "token", "background", "controls", "paused"].filter((name) => !new RegExp(`^ \\*   ${name} `, "m").test(text));
    equal("attributes that are not documented", members, []);
}
