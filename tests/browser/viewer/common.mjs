// What the viewer's tests share: counting, the page, its picture.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

export const SKIN = 9001001; // a figure with clips of every kind
export const ODDITIES = 9001000; // hidden parts, and a clip that shows and hides some
export const BROKEN = 35006; // names a mesh that no archive holds
export const BROKEN_FAILS = /status of 422 .*\/v1\/skins\/35006(\/thumbnail\.png)?$/; // where the gallery shows it
export const COLLIDING = 35008; // tracks that find no joint of their own
export const MANY_JOINTS = 35010; // 300

export let passed = 0;
export const failures = [];

export function check(what, ok, shown = "") {
    ok ? passed++ : failures.push(`${what} ${typeof shown === "string" ? shown : JSON.stringify(shown)}`);
}

export const equal = (what, got, want) => check(what, JSON.stringify(got) === JSON.stringify(want), `is ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);

// In the page: the viewer, once it shows its model.
export const inViewer = (page, work, given) => page.evaluate(async ([text, argument]) => {
    const viewer = document.querySelector("rift-viewer");
    return new Function("viewer", "given", `return (${text})(viewer, given)`)(viewer, argument);
}, [work.toString(), given]);

export const DEADLINE = Number(process.env.RIFT_DEADLINE ?? 120_000); // of whatever is waited for: this says that it never comes, not that it is slow

// Waits for a state outside the page.
export async function until(what, reached) {
    for (const end = Date.now() + DEADLINE; !(await reached()); await new Promise((go) => setTimeout(go, 100))) {
        if (Date.now() > end) throw new Error(`never came: ${what}`);
    }
}

// Goes to a place on the page and waits for its model: anew, also where it is the one that is shown. The page stays loaded.
export async function open(page, daemon, place) {
    if (!page.url().startsWith(`${daemon.url}/`)) {
        await page.goto("about:blank"); // else the new page may be asked for the old one's icon
        await page.goto(`${daemon.url}/#/${place}`);
    } else if (!page.url().startsWith(`${daemon.url}/#`)) await page.goto(`${daemon.url}/#/${place}`);
    else {
        await page.evaluate((hash) => {
            window.old = document.querySelector("rift-viewer")?.model;
            location.hash = hash;
            document.querySelector("rift-viewer")?.reload();
        }, `#/${place}`);
    }
    await page.waitForFunction(() => {
        const model = document.querySelector("rift-viewer")?.model;
        return model && model !== window.old;
    });
}

export const sentence = (page) => page.locator("rift-viewer .message p").textContent();
export const panel = (page, name) => page.getByRole("tab", { name }).click();

// The picture's bytes, small.
export const picture = async (page) => Buffer.from(await inViewer(page, (viewer) => {
    viewer.applyPose();
    viewer.stage.render();
    const small = document.createElement("canvas");
    [small.width, small.height] = [120, 90];
    const pen = small.getContext("2d", { willReadFrequently: true });
    pen.drawImage(viewer.stage.canvas, 0, 0, 120, 90);
    return btoa(String.fromCharCode(...pen.getImageData(0, 0, 120, 90).data));
}), "base64");

// The share of pixels that differ clearly.
export function difference(a, b) {
    let count = 0;
    for (let at = 0; at < a.length; at += 4) {
        if (Math.abs(a[at] - b[at]) + Math.abs(a[at + 1] - b[at + 1]) + Math.abs(a[at + 2] - b[at + 2]) > 30) count++;
    }
    return count / (a.length / 4);
}

export const at = (page, seconds) => inViewer(page, (viewer, t) => {
    viewer.pause();
    viewer.currentTime = t;
}, seconds);

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// `part` is a selector within the viewer; without it the whole page.
export async function clean(page, what, part) {
    if (!(await page.evaluate(() => window.axe))) await page.evaluate(axe);
    const found = await page.evaluate((within) => {
        const context = within ? { fromShadowDom: ["rift-viewer", within] } : document;
        return window.axe.run(context, { resultTypes: ["violations"] }).then((r) => r.violations);
    }, part);
    check(`axe: ${what}`, found.length === 0, found.map((v) => `${v.id} (${v.nodes.slice(0, 2).map((n) => n.html.slice(0, 120)).join(" ")})`).join("; "));
}

// Every method of a slot, in the page: what the slots hold afterwards.
export async function playInSlots(v) {
    await v.playAnimation("Run", { slot: 1 });
    await v.playAnimationMasked("Wave", { include: ["Chest"] }, { slot: 2, weight: 0.7 });
    await v.playAnimationAdditive("Idle1", { slot: 3 });
    v.pause();
    await v.setSlotMask(1, null);
    v.setSlotWeight(2, 0.3);
    v.setSlotLayerMode(3, "replace");
    v.fadeSlotWeight(1, 0, 0);
    v.stopSlot(3);
    return v.slotsNow().map((s) => s && [s.span.clip.name, s.weight, s.span.mode]);
}
