// The component as somebody's page has it: taken out and put back, two on a page, under that page's own policy, with a token, and
// as its documents say.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { at, check, difference, equal, inViewer, MANY_JOINTS, ODDITIES, open, picture, SKIN } from "./common.mjs";

const web = join(dirname(fileURLToPath(import.meta.url)), "../../../server/web");
const loaded = (page) => page.waitForFunction(() => document.querySelector("rift-viewer")?.model);

async function embed(page, daemon, elsewhere, more = "") {
    await page.goto(`${elsewhere.url}/?server=${encodeURIComponent(daemon.url)}&skin=${SKIN}${more}`);
    await loaded(page);
}

export async function again({ page, daemon, elsewhere }) {
    await embed(page, daemon, elsewhere);
    const held = () => inViewer(page, (v) => {
        v.fit();
        v.stage.render();
        const { geometries, textures } = v.stage.renderer.info.memory;
        return [geometries, textures];
    });
    const first = await held();
    const lost = await page.evaluate(async () => {
        const viewer = document.querySelector("rift-viewer");
        const contexts = [];
        for (let i = 0; i < 20; i++) {
            contexts.push(viewer.stage.renderer.getContext());
            const parent = viewer.parentNode;
            viewer.remove();
            parent.append(viewer);
            await new Promise((go) => viewer.addEventListener("load", go, { once: true }));
        }
        return contexts.map((context) => context.isContextLost());
    });
    equal("twenty times out and in again: no context is kept", lost.filter((gone) => !gone).length, 0);
    equal("nor anything on the card", await held(), first);
    equal("one picture, one bar, no word", await inViewer(page, (v) => [v.shadowRoot.querySelectorAll("canvas").length, v.shadowRoot.querySelectorAll(".player").length, v.shadowRoot.querySelector(".message").hidden]), [2, 1, true]);
    // Other skins in the same element leave nothing either.
    const load = (attributes) => page.evaluate((wanted) => new Promise((go) => {
        const viewer = document.querySelector("rift-viewer");
        viewer.addEventListener("load", go, { once: true });
        for (const [name, value] of Object.entries(wanted)) viewer.setAttribute(name, value);
    }), attributes);
    await load({ options: "chromas=variants" });
    const dressed = await held();
    const [worn, more] = await inViewer(page, async (v) => {
        for (const variant of v.model.variants) {
            await v.setVariant(variant);
            v.stage.render();
        }
        return [v.model.variants.length, v.stage.renderer.info.memory.textures];
    });
    check("variants bring textures", worn > 1 && more > dressed[1], [worn, more, dressed]);
    await load({ skin: `${MANY_JOINTS}` });
    await load({ skin: `${SKIN}` });
    equal("which go with the skin", await held(), dressed);
    await page.evaluate(() => document.querySelector("rift-viewer").removeAttribute("options"));
    await load({ skin: `${SKIN}` });
    for (const skin of [MANY_JOINTS, SKIN, MANY_JOINTS, SKIN]) {
        await page.evaluate((id) => new Promise((go) => {
            const viewer = document.querySelector("rift-viewer");
            viewer.addEventListener("load", go, { once: true });
            viewer.setAttribute("skin", id);
        }), `${skin}`);
    }
    equal("nor by other skins", await held(), first);
    await page.evaluate(async () => {
        const viewer = document.querySelector("rift-viewer");
        for (const clip of ["Wave", "Run"]) viewer.setAttribute("clip", clip);
        viewer.remove();
        for (let i = 0; i < 5; i++) await new Promise(requestAnimationFrame);
    });
    check("taken out while a clip is read", true); // an error would be on the console
}

export async function two({ page, daemon, elsewhere }) {
    await embed(page, daemon, elsewhere);
    await page.evaluate((skin) => {
        const [first] = document.querySelectorAll("rift-viewer");
        const other = document.createElement("rift-viewer");
        for (const [name, value] of [["server", first.getAttribute("server")], ["skin", skin], ["controls", "full"], ["paused", ""]]) other.setAttribute(name, value);
        document.body.append(other);
        return new Promise((go) => other.addEventListener("load", go, { once: true }));
    }, `${ODDITIES}`);
    const both = (work) => page.evaluate((text) => [...document.querySelectorAll("rift-viewer")].map((v) => new Function("v", `return (${text})(v)`)(v)), work.toString());
    equal("two on a page, each its own", await both((v) => [v.data.number, v.isPaused, v.shadowRoot.querySelectorAll(".panels").length]), [[1, false, 0], [0, true, 1]]);
    const side = (v) => v.stage.camera.position.x;
    const [one, other] = await both(side);
    await page.locator("rift-viewer canvas").first().focus();
    await page.keyboard.press("ArrowLeft");
    const [moved, kept] = await both(side);
    check("keys reach the one that has the focus", Math.abs(moved - one) > 1e-3 && Math.abs(kept - other) < 1e-9, [one, moved, other, kept]);
    await page.evaluate(() => document.querySelectorAll("rift-viewer")[1].remove());
    await at(page, 0);
    const before = await picture(page);
    await at(page, 0.3);
    check("the other goes on when one is gone", difference(before, await picture(page)) > 0.005);
}

export async function guarded({ page, daemon, elsewhere, start, work, expect }) {
    expect(/status of 401 .*\/v1\/skins\/9001001$/);
    const token = "of-a-page-elsewhere";
    const file = join(work, "embedded-tokens");
    writeFileSync(file, `${createHash("sha256").update(token).digest("hex")} submit page\n`);
    const other = await start("embedded", undefined, [`--tokens-file=${file}`]);
    await embed(page, daemon, elsewhere);
    const told = await page.evaluate((url) => new Promise((go) => {
        const viewer = document.querySelector("rift-viewer");
        const heard = {};
        for (const type of ["refused", "error"]) {
            viewer.addEventListener(type, (event) => {
                heard[type] ??= event.detail;
                if (heard.refused && heard.error) go(heard);
            });
        }
        viewer.setAttribute("server", url);
    }), other.url);
    check("a server that wants a token: the event refused", /server refuses.*token/.test(told.refused.message), told);
    equal("and error, with what the server said", [told.error.problem.status, told.error.message === told.refused.message], [401, true]);
    await inViewer(page, (v, secret) => v.setAttribute("token", secret), token);
    await loaded(page);
    equal("the attribute token opens it", await inViewer(page, (v) => [v.server.base, v.data.number, v.shadowRoot.querySelector(".message").hidden]), [other.url, 1, true]);
    await inViewer(page, (v, url) => (v.removeAttribute("token"), v.setAttribute("server", url)), daemon.url);
    await page.waitForFunction((url) => document.querySelector("rift-viewer").model && document.querySelector("rift-viewer").server.base === url, daemon.url);
    // A mask that the server has stored, by its name, on a page without the mask editor.
    const stored = await fetch(`${daemon.url}/v1/masks/of-an-arm`, { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ include: ["L_UpperArm"] }) });
    check("a mask is stored", stored.ok, stored.status);
    const joints = await inViewer(page, async (v) => {
        await v.playAnimationMasked("Wave", "of-an-arm", { slot: 2 });
        v.pause();
        const { mask } = v.slotsNow()[2].span;
        return mask ? v.joints.filter((_, j) => mask[j] > 0) : null;
    });
    check("and found by its name", joints?.includes("L_UpperArm") && !joints.includes("Head"), joints);
}

// A page may forbid everything but what README.md names.
export async function policy({ page, daemon, elsewhere }) {
    const strict = readFileSync(join(web, "README.md"), "utf8").match(/^Content-Security-Policy: (.*)$/m)[1].replaceAll("https://your.server", daemon.url);
    await embed(page, daemon, elsewhere, `&policy=${encodeURIComponent(strict)}`);
    await at(page, 0);
    const plain = await picture(page);
    check("the component under a strict policy", new Set(Array.from({ length: plain.length / 4 }, (_, i) => plain.readUIntBE(4 * i, 3))).size > 60);
    await page.evaluate(() => new Promise((go) => {
        const viewer = document.querySelector("rift-viewer");
        viewer.addEventListener("load", go, { once: true });
        viewer.setAttribute("options", "profile=web");
    }));
    await at(page, 0);
    check("packed files too", difference(plain, await picture(page)) < 0.02, difference(plain, await picture(page)));
    for (const path of ["/", "/example.html"]) {
        const own = (await fetch(`${daemon.url}${path}`)).headers.get("Content-Security-Policy") ?? "";
        check(`${path} has a policy, and a strict one`, /default-src 'none'/.test(own) && !/'unsafe-|\*|https?:/.test(own), own);
    }
}

// Motion becomes unwanted while the page is open.
export async function still({ page, daemon }) {
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await open(page, daemon, `${SKIN}?clip=Run`);
    equal("it plays", await inViewer(page, (v) => v.isPaused), false);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.waitForFunction(() => document.querySelector("rift-viewer").isPaused);
    await inViewer(page, (v) => v.setAttribute("clip", "Wave"));
    await page.waitForFunction(() => document.querySelector("rift-viewer").alone.name === "Wave");
    equal("another clip stands too", await inViewer(page, (v) => v.isPaused), true);
    await page.getByRole("button", { name: "Play", exact: true }).click();
    equal("who wants it plays it", await inViewer(page, (v) => v.isPaused), false);
    await page.emulateMedia({ reducedMotion: "no-preference" });
}

// Everything that viewer.d.ts names is there, and nothing else is for others' use.
export async function documents({ page, daemon, elsewhere }) {
    await embed(page, daemon, elsewhere);
    const text = await (await fetch(`${daemon.url}/viewer.d.ts`)).text();
    const attributes = [...text.matchAll(/^ \*   (\w+) {2,}\S/gm)].map((m) => m[1]);
    equal("attributes", [...(await page.evaluate(() => customElements.get("rift-viewer").observedAttributes))].sort(), attributes.sort());
    const named = (block) => text.slice(text.indexOf(block)).split("\n}")[0];
    const events = [...named("interface RiftViewerEvents").matchAll(/^ {4}(\w+): CustomEvent/gm)].map((m) => m[1]);
    const emitted = new Set(readdirSync(join(web, "src")).flatMap((file) => [...readFileSync(join(web, "src", file), "utf8").matchAll(/\bemit\("(\w+)"/g)].map((m) => m[1])));
    equal("events", events.sort(), [...emitted].sort());
    const body = named("interface RiftViewer extends");
    const methods = [...body.matchAll(/^ {4}(\w+)\(/gm)].map((m) => m[1]);
    const properties = [...body.matchAll(/^ {4}(readonly )?(\w+): /gm)].map((m) => [m[2], m[1] === undefined]);
    check("methods and properties are named", methods.length >= 14 && properties.length >= 7, [methods, properties]);
    equal("methods", await inViewer(page, (v, names) => names.filter((name) => typeof v[name] !== "function"), methods), []);
    equal("properties, and which can be set", await inViewer(page, (v, names) => names.map(([name]) => [name, !!Object.getOwnPropertyDescriptor(Object.getPrototypeOf(v), name)?.set]), properties), properties);
    const readme = readFileSync(join(web, "README.md"), "utf8");
    const calls = [...readme.matchAll(/\bviewer\.(\w+)\(/g)].map((m) => m[1]);
    equal("what README.md calls", calls.filter((name) => !methods.includes(name)), []);
}
