// The camera by mouse and fingers, and what is measured about the model: against the file and the server's metadata, read here.
import { readFileSync } from "node:fs";
import { at, check, difference, equal, inViewer, ODDITIES, open, panel, picture, SKIN } from "./common.mjs";

const near = (a, b, by) => Math.abs(a - b) <= by;

const camera = (page) => inViewer(page, ({ stage }) => {
    const [eye, target] = [stage.camera.position, stage.controls.target];
    return { away: eye.distanceTo(target), eye: eye.toArray(), target: target.toArray(), side: Math.atan2(eye.x - target.x, eye.z - target.z) };
});

// What was done has come to the camera.
const moved = (page, before) => page.waitForFunction((was) => {
    const { camera, controls } = document.querySelector("rift-viewer").stage;
    return [...camera.position.toArray(), ...controls.target.toArray()].some((v, i) => Math.abs(v - was[i]) > 1e-6);
}, [...before.eye, ...before.target]);

const gap = (a, b) => Math.hypot(...a.map((v, i) => v - b[i]));

// A length of the screen, at what the camera looks at; the picture is 35 degrees high.
const perPixel = (seen, box) => (2 * seen.away * Math.tan((17.5 * Math.PI) / 180)) / box.height;

export async function mouse({ page, daemon }) {
    await open(page, daemon, `${SKIN}?clip=Idle1`);
    await at(page, 0);
    const canvas = page.locator("rift-viewer canvas").first();
    const box = await canvas.boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const fitted = await camera(page);
    const frames = await inViewer(page, (v) => v.stage.frames);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -200);
    await moved(page, fitted);
    await page.waitForFunction((drawn) => document.querySelector("rift-viewer").stage.frames > drawn, frames); // it is seen, too
    const nearer = await camera(page);
    check("the wheel comes nearer", nearer.away < 0.97 * fitted.away && gap(nearer.target, fitted.target) < 1e-6, nearer);
    await page.mouse.wheel(0, 400);
    await moved(page, nearer);
    check("and goes away", (await camera(page)).away > 1.03 * nearer.away);
    const before = await camera(page);
    await page.mouse.down({ button: "right" });
    await page.mouse.move(x + 60, y, { steps: 4 });
    await page.mouse.up({ button: "right" });
    const panned = await camera(page);
    check("dragging with the right button moves the model with the pointer", near(gap(panned.target, before.target), 60 * perPixel(before, box), 0.02 * before.away) && near(panned.away, before.away, 1e-6), [before, panned]);
    check("and the camera beside it", gap(panned.eye.map((v, i) => v - before.eye[i]), panned.target.map((v, i) => v - before.target[i])) < 1e-6);
    await page.mouse.dblclick(x, y);
    const again = await camera(page);
    check("a double click fits", gap(again.eye, fitted.eye) < 1e-6 && gap(again.target, fitted.target) < 1e-6, [fitted, again]);
    for (let i = 0; i < 60; i++) await inViewer(page, (v) => v.stage.orbit(0, 0, 1.15));
    check("it does not go out of sight", (await camera(page)).away < 11 * fitted.away);
    await inViewer(page, (v) => v.fit());
}

export async function fingers({ browser, daemon, listenTo }) {
    const context = await browser.newContext({ viewport: { width: 390, height: 700 }, hasTouch: true });
    const page = await context.newPage();
    listenTo(page);
    await open(page, daemon, `${SKIN}?clip=Idle1`);
    await at(page, 0);
    const box = await page.locator("rift-viewer canvas").first().boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const touch = await context.newCDPSession(page);
    const drag = async (...steps) => {
        const points = (step) => step.map(([dx, dy], id) => ({ x: x + dx, y: y + dy, id }));
        await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(steps[0]) });
        for (const step of steps.slice(1)) await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(step) });
        await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    };
    const first = await camera(page);
    await drag([[-40, 0]], [[-20, 0]], [[20, 0]], [[40, 0]]);
    const turned = await camera(page);
    const angle = (2 * Math.PI * 80) / box.height; // once around for a drag of the picture's height
    check("one finger turns", near(Math.abs(turned.side - first.side), angle, 0.3 * angle) && near(turned.away, first.away, 1e-6), [first, turned, angle]);
    await drag([[-30, 0], [30, 0]], [[-40, 0], [40, 0]], [[-60, 0], [60, 0]]);
    const zoomed = await camera(page);
    check("two fingers that part come nearer by as much", near(zoomed.away / turned.away, 0.5, 0.1), zoomed.away / turned.away);
    await drag([[-60, 0], [60, 0]], [[-40, 0], [40, 0]], [[-30, 0], [30, 0]]);
    check("and go back", near((await camera(page)).away / zoomed.away, 2, 0.4));
    const before = await camera(page);
    await drag([[-30, 0], [30, 0]], [[-30, 20], [30, 20]], [[-30, 50], [30, 50]]);
    const panned = await camera(page);
    check("two fingers side by side move it", gap(panned.target, before.target) > 20 * perPixel(before, box) && near(panned.away, before.away, 0.05 * before.away), [before, panned]);
    await page.touchscreen.tap(x, y);
    await context.close();
}

// Where something is drawn, in shares of the picture: [left, top, right, bottom].
function extent(bytes, background) {
    const [width, height] = [120, 90];
    const found = [1, 1, 0, 0];
    for (let i = 0; i < width * height; i++) {
        if ([0, 1, 2].every((c) => Math.abs(bytes[4 * i + c] - background[c]) < 12)) continue;
        const [u, v] = [(i % width) / (width - 1), Math.floor(i / width) / (height - 1)];
        [found[0], found[1], found[2], found[3]] = [Math.min(found[0], u), Math.min(found[1], v), Math.max(found[2], u), Math.max(found[3], v)];
    }
    return found;
}

// The picture changes its shape: what was all of it still is, and a camera that stood nearer or turned stands so.
async function turnedPhone(page) {
    const shape = (width, height) => inViewer(page, async (v, size) => {
        const box = v.stage.canvas.parentElement;
        [box.style.width, box.style.height] = [`${size[0]}px`, `${size[1]}px`];
        const shown = () => v.stage.canvas.clientWidth === size[0] && Math.abs(v.stage.camera.aspect - v.stage.canvas.clientWidth / v.stage.canvas.clientHeight) < 1e-9;
        while (!shown()) await new Promise(requestAnimationFrame);
        v.applyPose();
        v.stage.scene.updateMatrixWorld();
        v.stage.camera.updateMatrixWorld();
        const { min, max } = v.model.bounds();
        const ends = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new v.stage.camera.position.constructor(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z).project(v.stage.camera));
        return Math.max(...ends.flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)]));
    }, [width, height]);
    const most = {};
    for (const [name, width, height] of [["wide", 700, 350], ["upright", 200, 400], ["narrower", 100, 400], ["wide again", 700, 350]]) most[name] = await shape(width, height);
    check("turning a phone leaves all of it in the picture, and fills it", Object.values(most).every((m) => m > 0.45 && m <= 1.05) && near(most.wide, most["wide again"], 1e-6), most);
    const before = await camera(page);
    await inViewer(page, (v) => v.stage.orbit(40, 5, 0.5));
    await shape(200, 400);
    await shape(700, 350);
    const after = await camera(page);
    check("and whoever came nearer is as near afterwards", near(after.away, before.away / 2, 1e-6) && near(after.side - before.side, (40 * Math.PI) / 180, 1e-3), [before, after]);
    await inViewer(page, (v) => {
        v.stage.canvas.parentElement.removeAttribute("style");
        v.fit();
    });
}

export async function views({ page, daemon }) {
    await open(page, daemon, `${SKIN}?clip=Idle1`);
    await at(page, 0);
    await panel(page, "View");
    const floor = await inViewer(page, (v) => [v.stage.ground.children[0].position.y, v.model.bounds().min.y]);
    check("the ground is at the feet, or at the game's own level where they stand above it", near(floor[0], floor[1], 1e-6) || (floor[1] > 0 && near(floor[0], 0, 1e-6)), floor);
    const [spread, reach] = await inViewer(page, (v) => {
        const { geometry } = v.stage.ground.children[0];
        geometry.computeBoundingBox();
        const { min, max } = v.model.bounds();
        return [Math.max(max.x, max.z, -min.x, -min.z), Math.min(geometry.boundingBox.max.x, geometry.boundingBox.max.z)];
    });
    check("it reaches beyond the model", reach > 1.5 * spread && reach < 20 * spread, [reach, spread]);
    await page.getByLabel("Ground", { exact: true }).uncheck();
    for (const [name, colour] of [["night", "14171fff"], ["dusk", "3a4152ff"], ["paper", "e9e6dfff"], ["none", "00000000"], ["white", "ffffffff"]]) {
        await page.getByLabel("Background").selectOption(name);
        equal(`background ${name}`, (await picture(page)).subarray(0, 4).toString("hex"), colour);
    }
    const tall = (e) => Math.max(e[2] - e[0], e[3] - e[1]);
    const whole = extent(await picture(page), [255, 255, 255]);
    check("all is in the picture, and fills it", Math.min(whole[0], whole[1], 1 - whole[2], 1 - whole[3]) > 0.005 && tall(whole) > 0.5, whole);
    await panel(page, "Parts");
    for (const part of ["Body", "Head__1", "Cape", "Sword"]) await page.getByLabel(part).uncheck();
    const alone = extent(await picture(page), [255, 255, 255]);
    await panel(page, "View");
    await page.getByRole("button", { name: "Fit" }).click();
    const fitted = extent(await picture(page), [255, 255, 255]);
    check("fit is to what is visible", tall(fitted) > 1.5 * tall(alone) && Math.min(fitted[0], fitted[1], 1 - fitted[2], 1 - fitted[3]) > 0.005, [alone, fitted]);
    await panel(page, "Parts");
    await page.getByRole("button", { name: "Follow the clip again" }).click();
    await panel(page, "View");
    await page.getByRole("button", { name: "Fit" }).click();
    await page.getByLabel("Background").selectOption("night");
    await turnedPhone(page);
    // The names, where the joints are drawn.
    await page.getByLabel("Skeleton", { exact: true }).check();
    await page.getByLabel("Joint names").check();
    const names = await inViewer(page, (v) => {
        const written = [];
        const plain = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            written.push([text, x / this.canvas.width, y / this.canvas.height]);
            plain.call(this, text, x, y);
        };
        v.applyPose();
        v.stage.render();
        CanvasRenderingContext2D.prototype.fillText = plain;
        const { camera } = v.stage;
        const by = (m, [x, y, z, w]) => [0, 1, 2, 3].map((r) => m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r] * w);
        const where = Object.fromEntries(v.joints.map((joint) => {
            const [x, y, , w] = by(camera.projectionMatrix.elements, by(camera.matrixWorldInverse.elements, [...v.jointPosition(joint), 1]));
            return [joint, [(x / w + 1) / 2, (1 - y / w) / 2]];
        }));
        return { written, where, joints: v.joints };
    });
    equal("every joint's name", names.written.map((n) => n[0]).sort(), [...names.joints].sort());
    check("beside its joint", names.written.every(([name, x, y]) => Math.hypot(x - names.where[name][0], y - names.where[name][1]) < 0.03), names.written.slice(0, 3));
    await page.getByLabel("Joint names").uncheck();
    await page.getByLabel("Skeleton", { exact: true }).uncheck();
    const [shot] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Screenshot" }).click()]);
    const png = readFileSync(await shot.path());
    equal("the screenshot is a PNG of the canvas's size", [png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)],
        ["PNG", ...(await inViewer(page, (v) => [v.stage.canvas.width, v.stage.canvas.height]))]);
    const small = async (text) => Buffer.from(await inViewer(page, async (v, data) => {
        const blob = data ? new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]) : ((v.currentTime = 0.7), await v.screenshot());
        const pen = new OffscreenCanvas(120, 90).getContext("2d", { willReadFrequently: true });
        pen.drawImage(await createImageBitmap(blob), 0, 0, 120, 90);
        return btoa(String.fromCharCode(...pen.getImageData(0, 0, 120, 90).data));
    }, text), "base64");
    const seen = await picture(page);
    check("and shows what is seen", difference(await small(png.toString("base64")), seen) < 0.002);
    const later = await small("");
    check("at another second that one's pose, at once", difference(later, seen) > 0.003 && difference(later, await picture(page)) < 0.002, difference(later, seen));
    await at(page, 0);
}

// --- what the file says --------------------------------------------------------------------------------------------------

async function glb(url) {
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
    const length = bytes.readUInt32LE(12);
    const json = JSON.parse(bytes.toString("utf8", 20, 20 + length));
    return { json, bytes: bytes.length, body: bytes.subarray(28 + length) };
}

export async function measures({ page, daemon }) {
    const { json, bytes, body } = await glb(`${daemon.url}/v1/skins/${SKIN}.glb`);
    await open(page, daemon, `${SKIN}`);
    await panel(page, "View");
    // On the card: every accessor of a mesh once, every picture of a material with its mips (a third more), four bytes a pixel.
    const sizes = { 5121: 1, 5123: 2, 5125: 4, 5126: 4, SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
    const primitives = json.meshes.flatMap((m) => m.primitives);
    const used = new Set(primitives.flatMap((p) => [p.indices, ...Object.values(p.attributes)]));
    let memory = [...used].reduce((sum, i) => sum + json.accessors[i].count * sizes[json.accessors[i].componentType] * sizes[json.accessors[i].type], 0);
    for (const image of json.images) {
        const at = json.bufferViews[image.bufferView].byteOffset;
        memory += (body.readUInt32BE(at + 16) * body.readUInt32BE(at + 20) * 4 * 4) / 3;
    }
    const statistics = await inViewer(page, (v) => v.model.statistics);
    equal("triangles, joints and bytes are the file's", [statistics.triangles, statistics.joints, statistics.bytes],
        [primitives.reduce((sum, p) => sum + json.accessors[p.indices].count / 3, 0), json.skins[0].joints.length, bytes]);
    check("GPU memory", near(statistics.gpuBytes, memory, json.images.length), [statistics.gpuBytes, memory]);
    const rows = await page.locator("rift-viewer dl").evaluate((list) => Object.fromEntries([...list.querySelectorAll("dt")].map((dt) => [dt.textContent, dt.nextElementSibling.textContent])));
    const amount = (text) => parseFloat(text.replace("about ", "")) * { B: 1, kB: 1000, KB: 1000, KiB: 1024, MB: 1e6, MiB: 1048576 }[text.split(" ").pop()];
    check("both in words", near(amount(rows.File), bytes, 0.06 * bytes) && near(amount(rows["GPU memory"]), memory, 0.06 * memory), rows);
    // The rest pose of a rig alone stands as its vertices do.
    const rig = await glb(`${daemon.url}/v1/skins/${SKIN}.glb?content=rig`);
    await open(page, daemon, `${SKIN}?options=content%3Drig`);
    const box = (hidden) => {
        const shown = rig.json.meshes.filter((m) => !hidden.includes(m.name)).flatMap((m) => m.primitives).map((p) => rig.json.accessors[p.attributes.POSITION]);
        return [0, 1, 2].flatMap((k) => [Math.min(...shown.map((a) => a.min[k])), Math.max(...shown.map((a) => a.max[k]))]);
    };
    for (const hidden of [[], ["Cape", "Sword"]]) {
        const drawn = await inViewer(page, (v, names) => {
            for (const part of v.model.parts) part.shown = names.includes(part.name) ? false : undefined;
            v.stage.look.bounds = true;
            v.stage.applyLook();
            v.applyPose();
            v.stage.render();
            const { min, max } = v.stage.box.box;
            return ["x", "y", "z"].flatMap((k) => [min[k], max[k]]);
        }, hidden);
        check(`bounds without ${hidden.join(" and ") || "anything hidden"}`, drawn.every((v, i) => near(v, box(hidden)[i], 1e-3)), [drawn, box(hidden)]);
    }
    check("hiding made a difference", box([]).some((v, i) => Math.abs(v - box(["Cape", "Sword"])[i]) > 0.01));
}

// Clips of 24, 30 and 31 frames a second, events of every kind.
export async function times({ page, daemon }) {
    const data = await (await fetch(`${daemon.url}/v1/skins/${ODDITIES}`)).json();
    const clipOf = (name) => data.clips.find((c) => c.name === name);
    await open(page, daemon, `${ODDITIES}?clip=Idle1`);
    const play = async (name) => {
        await inViewer(page, (v, clip) => v.playAlone(clip, false), name);
    };
    const bar = page.getByRole("group", { name: "Player" });
    for (const name of ["Spell1", "Joke", "Idle1"]) {
        await play(name);
        const { fps } = clipOf(name);
        await at(page, 5 / fps);
        const seen = [];
        for (const button of ["One frame on", "One frame on", "One frame back", "One frame back", "One frame back"]) {
            await bar.getByLabel(button).click();
            seen.push(await inViewer(page, (v) => v.currentTime));
        }
        check(`${name}: a step is a frame of ${fps} a second`, [6, 7, 6, 5, 4].every((frame, i) => near(seen[i] * fps, frame, 1e-4)), seen.map((t) => t * fps));
    }
    let marks = 0;
    for (const clip of data.clips.filter((c) => c.events)) {
        if (!(await inViewer(page, (v, name) => v.clips.includes(name), clip.name))) continue;
        await play(clip.name);
        const length = await inViewer(page, (v) => v.duration);
        const wanted = clip.events.filter((e) => e.t !== null && e.t <= length).map((e) => [e.class, (100 * e.t) / length]).sort((a, b) => a[1] - b[1]);
        const shown = (await page.locator("rift-viewer .mark").evaluateAll((all) => all.map((m) => [m.classList[1], parseFloat(m.style.left)]))).sort((a, b) => a[1] - b[1]);
        check(`${clip.name}: marks where its events are`, shown.length === wanted.length && shown.every(([, left], i) => near(left, wanted[i][1], 0.05)) && JSON.stringify(shown.map((m) => m[0]).sort()) === JSON.stringify(wanted.map((w) => w[0]).sort()), [shown, wanted]);
        marks += shown.length;
    }
    check("there are marks", marks > 10, marks);
    await play("Idle1");
    const { length, steps } = await inViewer(page, (v) => {
        const after = (rate, loop, from, seconds) => {
            [v.playbackRate, v.loop] = [rate, loop];
            v.pause();
            v.currentTime = from;
            v.play();
            v.advance(seconds);
            const now = [v.currentTime, v.isPaused];
            v.pause();
            return now;
        };
        const length = v.duration;
        const steps = [after(0.5, true, 0.1, 0.2), after(2, true, 0.1, 0.2), after(-1, true, 0.3, 0.1), after(1, true, length - 0.05, 0.1), after(1, false, length - 0.05, 0.1), after(-1, false, 0, 0.1), after(3, false, length, 0.01)];
        return { length, steps };
    });
    const wanted = [[0.2, false], [0.5, false], [0.2, false], [0.05, false], [length, true], [length - 0.1, false], [0.03, false]];
    check("speed and loop", steps.every(([t, still], i) => near(t, wanted[i][0], 1e-6) && still === wanted[i][1]), [steps, wanted]);
    equal("the bar shows what was set from outside", [await bar.getByLabel("Speed").inputValue(), await bar.getByLabel("Loop").isChecked()], ["3", false]);
    await inViewer(page, (v) => ([v.playbackRate, v.loop] = [1, true]));
    await panel(page, "Clips");
    const list = () => page.locator("rift-viewer .clips section").evaluateAll((all) => Object.fromEntries(all.map((s) => [s.querySelector("h2").textContent, [...s.querySelectorAll("button span")].map((b) => b.textContent)])));
    const grouped = {};
    for (const name of await inViewer(page, (v) => v.clips)) (grouped[clipOf(name)?.kind ?? "other"] ??= []).push(name);
    const shown = await list();
    for (const [kind, names] of Object.entries(grouped)) equal(`clips of the kind ${kind}`, shown[kind], names);
    await page.getByLabel("Search clips").fill("ATTACK");
    equal("a search by kind", await list(), { attack: grouped.attack });
    await page.getByLabel("Search clips").fill("nothing like it");
    await page.getByText("No clip has such a name.").waitFor();
    await page.getByLabel("Search clips").fill("");
}
