// Masks and the mixer; the live mix against the bake.
import { join } from "node:path";
import { at, check, clean, DEADLINE, difference, equal, inViewer, ODDITIES, open, panel, picture, playInSlots, SKIN } from "./common.mjs";

const LIMIT = 0.05; // u, of the live mix against the bake

// World positions of all joints at an instant: of the live mix, and of the bake beside it.
const positions = (page, seconds) => inViewer(page, (viewer, instants) => instants.map((t) => {
    viewer.currentTime = t;
    viewer.applyPose();
    viewer.beside.applyPose();
    const of = (v) => v.model.bones.map((bone) => [...bone.matrixWorld.elements.slice(12, 15)]);
    return [of(viewer), of(viewer.beside)];
}), seconds);

async function agrees(page, what, sigma, least = 5) {
    const instants = Array.from({ length: 20 }, (_, i) => 0.017 + i * 0.0731);
    let worst = 0;
    let moved = 0;
    let first;
    for (const [live, baked] of await positions(page, instants)) {
        first ??= live;
        live.forEach((p, j) => {
            worst = Math.max(worst, Math.hypot(...p.map((v, k) => v - baked[j][k])) / sigma);
            moved = Math.max(moved, Math.hypot(...p.map((v, k) => v - first[j][k])) / sigma);
        });
    }
    check(`${what}: live mix equals bake`, worst <= LIMIT, `${worst} u`);
    check(`${what}: it moves`, moved > least, `${moved} u`);
    console.log(`   ${what}: ${worst.toFixed(4)} u at 20 instants, joints move by ${moved.toFixed(0)} u`);
}

async function bake(page) {
    await page.getByRole("button", { name: "Bake" }).click();
    await page.getByText("Live on the left, baked on the right").waitFor({ timeout: 30_000 });
}

export async function masks({ page, daemon, out }) {
    await open(page, daemon, `${SKIN}?clip=Run`);
    await at(page, 0.2);
    const plain = await picture(page);
    await panel(page, "Masks");
    const tree = page.getByRole("tree");
    await tree.getByRole("treeitem", { name: "Spine", exact: false }).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Include" }).click();
    // 27 joints without the root, the pelvis, two legs of three and two locators on the ground; the sword, which the file has
    // below the root for the sake of a snap, is in the hand.
    equal("included with what is below", await page.getByText(/of 27 joints/).textContent(), "17 of 27 joints");
    await tree.getByRole("treeitem", { name: "Head, included" }).press("-");
    equal("excluded with what is below", await page.getByText(/of 27 joints/).textContent(), "14 of 27 joints");
    const state = (name) => tree.getByRole("treeitem", { name: new RegExp(`^${name},`) }).getAttribute("class");
    equal("colours", [await state("Spine"), await state("Chest"), await state("Head"), await state("Plume"), await state("L_Thigh")],
        ["included", "inherited", "excluded", "out", "out"]);
    const overlay = await picture(page);
    check("the overlay is drawn", difference(plain, overlay) > 0.02, difference(plain, overlay));
    const green = [...Array(overlay.length / 4).keys()].filter((i) => overlay[4 * i + 1] > 150 && overlay[4 * i] < 120 && overlay[4 * i + 2] < 140).length;
    check("with bright green", green > 3, green);
    await at(page, 0.5);
    check("on the deforming pose", difference(overlay, await picture(page)) > 0.02);
    const mine = await inViewer(page, (v) => v.stage.marked.map((w, j) => (w > 0 ? v.model.joints[j].name : "")).filter((n) => n));
    if ((await (await fetch(`${daemon.url}/openapi.json`)).json()).paths["/v1/masks:resolve"]) {
        const reply = await fetch(`${daemon.url}/v1/masks:resolve`, { method: "POST", headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ skin: SKIN, mask: { include: ["Spine"], exclude: ["Head"] } }) });
        const said = await reply.json();
        equal("the server resolves it the same", mine, said.in.map((j) => j.name));
    }
    await page.screenshot({ path: join(out, "viewer-masks.png") });
    const count = page.getByText(/of 27 joints/);
    const joints = () => count.textContent();
    await page.getByLabel("Self only").check();
    equal("self only", await joints(), "1 of 27 joints");
    await page.getByLabel("Self only").uncheck();
    const head = tree.getByRole("treeitem", { name: /^Head,/ });
    await head.click({ button: "right" });
    await clean(page, "the menu of a joint", ".tree-box");
    await page.getByRole("menuitem", { name: "Clear" }).click();
    equal("cleared", await joints(), "17 of 27 joints");
    await head.click({ button: "right" });
    await page.getByRole("menuitem", { name: "Exclude" }).click();
    equal("excluded by the menu", await joints(), "14 of 27 joints");
    await head.click({ button: "right" });
    await count.click();
    equal("a click elsewhere closes the menu", await page.getByRole("menu").count(), 0);
    await page.getByLabel("Name of the mask").fill("upper");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/“upper”/).waitFor();
    // Counted on the rig: an arm of three and what its hand holds; from the neck up; the pelvis and two legs; from the spine up.
    for (const [preset, wanted] of [["Arms", 8], ["Head", 4], ["Lower body", 7], ["Upper body", 17]]) {
        await page.getByLabel("Begin with").selectOption(preset);
        equal(`preset ${preset}`, await joints(), `${wanted} of 27 joints`);
    }
    await page.getByLabel("Begin with").selectOption("upper");
    equal("a stored mask", await page.getByText(/of 27 joints/).textContent(), "14 of 27 joints");
    await open(page, daemon, `${ODDITIES}`);
    await panel(page, "Masks");
    await page.getByLabel("Begin with").selectOption("game:LowerBody");
    equal("the game's own mask", await page.getByText(/of 24 joints/).textContent(), "4 of 24 joints");
    // [1, 0.1, 0, 1, 1] in the game's file: names alone could not say it.
    equal("with its weights", await inViewer(page, (v) => v.stage.marked.slice(0, 6)), [1, 0.1, 0, 1, 1, 0]);
    await page.getByLabel("Name of the mask").fill("lower");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/Saved as “lower”/).waitFor();
    equal("and stored", (await (await fetch(`${daemon.url}/v1/masks/lower`)).json()).weight_list.slice(0, 6), [1, 0.1, 0, 1, 1, 0]);
}

export async function mixer({ page, daemon, out }) {
    await open(page, daemon, `${SKIN}?clip=Idle1`);
    await inViewer(page, (v) => {
        v.pause();
        v.masks.set("upper", { name: "upper", include: ["Spine"], exclude: ["Head"] });
    });
    await panel(page, "Layers");
    const fill = async (slot, clip, mask) => {
        if (slot > 0) await page.locator("rift-viewer summary").filter({ hasText: `Slot ${slot}` }).click();
        await page.getByLabel(`Clip of slot ${slot}`).selectOption(clip);
        if (mask) {
            await page.getByLabel(`Mask of slot ${slot}`).focus();
            await page.getByLabel(`Mask of slot ${slot}`).selectOption(mask);
        }
        await page.getByLabel(`Play of slot ${slot}`, { exact: true }).click();
    };
    await page.getByLabel("Weight of slot 0").fill("0.5");
    equal("a weight before the first Play changes nothing", await inViewer(page, (v) => [v.alone.name, v.timeline.commands.length]), ["Idle1", 1]);
    await page.getByLabel("Weight of slot 0").fill("1");
    await fill(0, "Run");
    await at(page, 0.3);
    await inViewer(page, (v) => new Promise((go) => (v.isExact ? go() : setInterval(() => v.isExact && go(), 20))));
    await fill(2, "Attack1", "upper");
    await at(page, 0.9);
    await page.getByLabel("Fade out of slot 2").click();
    const rows = page.locator("rift-viewer .commands li");
    await rows.nth(2).waitFor();
    await page.getByLabel("at of command 2").fill("0.25");
    await page.getByLabel("at of command 2").blur();
    await page.getByLabel("seconds of command 3").fill("0.3");
    await page.getByLabel("seconds of command 3").blur();
    await page.getByLabel("Seconds", { exact: true }).last().fill("1.5");
    await page.getByLabel("Seconds", { exact: true }).last().blur();
    equal("the strip's commands", await inViewer(page, (v) => v.timeline.commands.map((c) => [c.at, c.op, c.slot, c.clip ?? "", c.seconds ?? ""])),
        [[0, "play", 0, "Run", ""], [0.25, "play_masked", 2, "Attack1", ""], [0.9, "fade", 2, "", 0.3]]);
    await at(page, 1.05);
    equal("the slots now", await inViewer(page, (v) => v.slotsNow().flatMap((s, i) => (s ? [[i, s.span.clip.name, Math.round(s.weight * 100)]] : []))), [[0, "Run", 100], [2, "Attack1", 50]]);
    await bake(page);
    await agrees(page, "Run under a masked attack that fades", 0.01);
    await at(page, 0.6);
    await inViewer(page, () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
    await page.screenshot({ path: join(out, "viewer-mixer.png") });
    await page.getByRole("button", { name: "Close" }).first().click();
    await strip(page);
    // A sword that a clip nails to the ground, under an attack of the arms; then a clip's difference on top of another.
    for (const [what, commands] of [
        ["a clip with a snap", [{ at: 0, op: "play", slot: 0, clip: "Dance_Drop", start: 0.2 }, { at: 0.5, op: "play_masked", slot: 1, clip: "Wave", mask: { include: ["L_UpperArm"] }, loop: true }]],
        ["additive", [{ at: 0, op: "play", slot: 0, clip: "Walk", loop: true, speed: 1.5 }, { at: 0.1, op: "play_additive", slot: 3, clip: "Idle1", weight: 0.5, loop: true }]],
    ]) {
        await inViewer(page, (v, c) => v.mix({ name: "Mix", duration: 1.5, commands: c }), commands);
        await bake(page);
        await agrees(page, what, 0.01);
    }
    check("what is odd is said", (await inViewer(page, (v) => v.mix({ name: "Mix", commands: [{ at: 0, op: "stop", slot: 5 }] }).then(() => v.warnings))).join() === "slot_empty:stop");
    await inViewer(page, (v) => v.mix({ name: "Mix", commands: [] }));
    equal("methods by name", await inViewer(page, playInSlots), [null, null, ["Wave", 0.3, "replace"], null, null, null, null, null]);
}

// The commands of the mixer's test: dragged, moved by keys, made into others, taken away and brought back.
async function strip(page) {
    const commands = () => inViewer(page, (v) => v.timeline.commands.map((c) => [c.at, c.op, c.slot]));
    const marks = page.locator("rift-viewer .strip button");
    const box = await page.locator("rift-viewer .strip").boundingBox();
    const mark = await marks.nth(2).boundingBox();
    await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + (box.height * 1.5) / 8, { steps: 4 });
    await page.mouse.up();
    // The middle of 1.5 s, and the second of eight rows.
    equal("a mark dragged", await commands(), [[0, "play", 0], [0.25, "play_masked", 2], [0.75, "fade", 1]]);
    await marks.nth(1).press("ArrowRight");
    await marks.nth(1).press("Shift+ArrowRight");
    await marks.nth(1).press("ArrowDown");
    equal("a mark moved by keys", (await commands())[1], [0.8, "play_masked", 3]);
    equal("it keeps the focus", await inViewer(page, (v) => v.shadowRoot.activeElement?.getAttribute("aria-label")), "Command 2: play_masked in slot 3 at 0.8 s");
    await marks.nth(1).press("Delete");
    equal("and taken away", (await commands()).length, 2);
    await page.getByRole("button", { name: "Undo" }).click();
    equal("and brought back", (await commands())[1], [0.8, "play_masked", 3]);
    await page.getByLabel("op of command 2", { exact: true }).selectOption("play_additive");
    equal("another kind keeps what both say", await inViewer(page, (v) => {
        const { op, clip, mask, base, weight, speed, loop } = v.timeline.commands[1];
        return [op, clip, mask, base, weight, speed, loop];
    }), ["play_additive", "Attack1", "upper", "bind", 1, 1, true]);
    await page.getByLabel("slot of command 2").selectOption("5");
    await page.getByLabel("clip of command 2").selectOption("Wave");
    await page.getByRole("button", { name: "Add command" }).click();
    await page.getByLabel("op of command 4", { exact: true }).selectOption("set_mode");
    await page.getByLabel("mode of command 4").selectOption("additive");
    equal("one more", await inViewer(page, (v) => v.timeline.commands.slice(1).map((c) => [c.op, c.slot, c.clip ?? c.mode ?? c.seconds])),
        [["play_additive", 5, "Wave"], ["fade", 1, 0.3], ["set_mode", 0, "additive"]]);
}

// A bake that is not had: a sentence, and the button again.
async function refusedBakes(page) {
    const button = page.getByRole("button", { name: "Bake" });
    const refuse = (status, problem) => page.route("**/v1/jobs", (route) => route.fulfill({ status, contentType: "application/problem+json", body: JSON.stringify({ status, ...problem }) }));
    for (const [what, answer, words] of [
        ["too many commands", () => refuse(400, { code: "bad_body", title: "Bad request", detail: "layers.commands has 1001 items, at most 1000" }), /layers\.commands has 1001 items/],
        ["a full queue", () => refuse(503, { code: "busy", title: "Busy", detail: "the queue is full", retryable: true }), /queue is full.*again/is],
        ["a server that is gone", () => page.route("**/v1/jobs", (route) => route.abort()), /server/i],
    ]) {
        await answer();
        await button.click();
        await page.locator("rift-viewer .mixer [role=status]").filter({ hasText: words }).waitFor({ timeout: DEADLINE });
        check(`${what}: it can be tried again`, await button.isEnabled());
        await page.unroute("**/v1/jobs");
    }
    await bake(page);
}

// The fields of a slot say what it holds, whoever put it there, and change it while it plays.
export async function holds({ page, daemon }) {
    await open(page, daemon, `${SKIN}?clip=Idle1`);
    await panel(page, "Layers");
    await page.evaluate(() => document.querySelector("rift-viewer").shadowRoot.querySelectorAll(".slot").forEach((slot) => (slot.open = true)));
    await inViewer(page, (v) => {
        v.pause();
        v.masks.set("upper", { name: "upper", include: ["Spine"], exclude: ["Head"] });
        return v.mix({ name: "Mix", duration: 1.5, commands: [
            { at: 0, op: "play", slot: 0, clip: "Run", loop: true, speed: 0.5 },
            { at: 0.25, op: "play_masked", slot: 2, clip: "Attack1", mask: "upper", loop: true },
            { at: 0.3, op: "play_additive", slot: 7, clip: "Idle1", base: "identity", weight: 0.25, mask: { include: ["Head"] } },
            { at: 0.9, op: "fade", slot: 2, weight: 0, seconds: 0.4 },
        ] });
    });
    const NAMES = ["Clip", "Mask", "Mode", "Weight", "Speed", "Loop"];
    const shows = async (what, slot, want) => {
        const read = ([names, index]) => names.map((name) => {
            const field = document.querySelector("rift-viewer").shadowRoot.querySelector(`[aria-label="${name} of slot ${index}"]`);
            return field.type === "checkbox" ? field.checked : field.value;
        });
        const end = Date.now() + DEADLINE;
        let said;
        do said = await page.evaluate(read, [NAMES, slot]);
        while (JSON.stringify(said) !== JSON.stringify(want) && Date.now() < end);
        equal(what, said, want);
    };
    await at(page, 0.5);
    await shows("a play", 0, ["Run", "", "replace", "1", "0.5", true]);
    await shows("a masked one", 2, ["Attack1", "upper", "replace", "1", "1", true]);
    await shows("an additive one under a mask of its own", 7, ["Idle1", "in place", "identity", "0.25", "1", false]);
    await at(page, 1.1);
    await shows("half of a fade", 2, ["Attack1", "upper", "replace", "0.5", "1", true]);
    await page.getByLabel("Clip of slot 0").selectOption("Walk");
    await page.getByLabel("Weight of slot 7").fill("0.5");
    await shows("the slot that was changed", 7, ["Idle1", "in place", "identity", "0.5", "1", false]);
    await shows("what somebody chose to play next stays", 0, ["Walk", "", "replace", "1", "0.5", true]);
    await inViewer(page, (v) => {
        v.setSlotLayerMode(0, "additive");
        return v.setSlotMask(0, "upper");
    });
    await shows("what a method changed", 0, ["Run", "upper", "bind", "1", "0.5", true]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    await shows("and undo", 0, ["Run", "", "replace", "1", "0.5", true]);
    await at(page, 1);
    const commands = () => inViewer(page, (v) => v.timeline.commands.slice(5));
    const change = async (field, slot, value) => {
        const input = page.getByLabel(`${field} of slot ${slot}`, { exact: true });
        if (value === true || value === false) await input.setChecked(value);
        else if (field === "Mode") await input.selectOption(value);
        else {
            await input.fill(value);
            await input.blur();
        }
    };
    // By hand: half speed for a second; three quarters of the fade's 0.4 s are left, and of its weight. Slot 7 gets its other weight later.
    await change("Speed", 0, "2");
    await change("Speed", 2, "-1.5");
    await change("Loop", 0, false);
    await change("Mode", 7, "bind");
    equal("played on from where they are", await commands(), [
        { at: 1, op: "play", slot: 0, clip: "Run", loop: true, speed: 2, weight: 1 },
        { at: 1, op: "play_masked", slot: 2, clip: "Attack1", loop: true, speed: -1.5, weight: 0.75, mask: "upper" },
        { at: 1, op: "fade", slot: 2, weight: 0, seconds: 0.30000000000000004 },
        { at: 1, op: "play", slot: 0, clip: "Run", loop: false, speed: 2, weight: 1, start: 0.5 },
        { at: 1, op: "play_additive", slot: 7, clip: "Idle1", loop: false, speed: 1, weight: 0.25, start: 0.7, mask: { include: ["Head"] }, base: "bind" },
    ]);
    const slots = await inViewer(page, (v) => v.slotsNow().flatMap((s, i) => (s ? [[i, Math.round(1000 * s.time), Math.round(1000 * s.weight)]] : [])));
    equal("and nothing jumps", slots, [[0, 500, 1000], [2, 750, 750], [7, 700, 250]]);
    await bake(page);
    await agrees(page, "what was changed while it played", 0.01);
    await page.getByRole("button", { name: "Close" }).first().click();
}

// A mask of the game's with weights between 0 and 1, and a mode that changes under way.
export async function mixes({ page, daemon, expect }) {
    expect(/(status of (400|503) .*|ERR_FAILED .*)\/v1\/jobs$/, /\/v1\/jobs: net::ERR_FAILED$/);
    await open(page, daemon, `${ODDITIES}?clip=Idle1`);
    equal("the mask is partial", await inViewer(page, (v) => v.findMask("game:LowerBody").filter((w) => w > 0 && w < 1).map((w) => Math.fround(w) === Math.fround(0.1))), [true]);
    await panel(page, "Layers");
    const play = async (what, commands, from) => {
        await inViewer(page, (v, c) => v.mix({ name: "Mix", duration: 1.5, commands: c }), commands);
        await bake(page);
        await agrees(page, what, 0.01, from);
    };
    await play("a game's mask with parts of weights", [{ at: 0, op: "play", slot: 0, clip: "Run", loop: true }, { at: 0.1, op: "play_masked", slot: 1, clip: "Dance_Loop", mask: "game:UpperBody", loop: true }], 1);
    await open(page, daemon, `${SKIN}?clip=Run`);
    await panel(page, "Layers");
    const added = [{ at: 0, op: "play", slot: 0, clip: "Walk", loop: true }, { at: 0.1, op: "play_additive", slot: 3, clip: "Idle1", weight: 0.5, loop: true },
        { at: 0.6, op: "set_mode", slot: 3, mode: "replace" }, { at: 0.9, op: "set_mode", slot: 3, mode: "additive" }];
    await play("a mode that changes", added, 5);
    const masked = (at, slot, clip, joint, more) => ({ at, op: "play_masked", slot, clip, mask: { include: [joint] }, loop: true, ...more });
    await play("eight slots, with masks, weights and fades that change", [
        { at: 0, op: "play", slot: 0, clip: "Run", loop: true, speed: 0.8 },
        masked(0.05, 1, "Attack1", "Spine", { weight: 0 }), { at: 0.1, op: "fade", slot: 1, weight: 1, seconds: 0.4 },
        masked(0.2, 2, "Walk", "L_Thigh", { weight: 0.5 }), { at: 0.3, op: "set_weight", slot: 2, weight: 0.9 },
        { at: 0.5, op: "set_mask", slot: 2, mask: { include: ["R_Thigh"], self_only: true } },
        { at: 0.4, op: "play_additive", slot: 3, clip: "Idle1", weight: 0.5, loop: true }, { at: 0.7, op: "fade", slot: 3, weight: 0, seconds: 0.3 },
        masked(0.5, 4, "Wave", "L_UpperArm", { loop: false, start: 0.1 }), masked(0.6, 5, "Dance_Loop", "Head", { speed: -2 }), { at: 1.2, op: "stop", slot: 5 },
        { at: 0.2, op: "play_additive", slot: 6, clip: "Walk", weight: 0.3, mask: { include: ["Chest"] }, loop: true }, { at: 0.9, op: "set_mode", slot: 6, mode: "replace" },
        masked(0, 7, "Dance_Drop", "R_UpperArm", { loop: false, start: 0.2 }),
    ], 5);
    equal("in eight slots", await inViewer(page, (v) => {
        v.currentTime = 0.8;
        return v.slotsNow().map((s) => s?.span.clip.name);
    }), ["Run", "Attack1", "Walk", "Idle1", "Wave", "Dance_Loop", "Walk", "Dance_Drop"]);
    await refusedBakes(page);
    // What no clip moves is not in the file, but the game's clip has it and adds it here: the classic mistake, told by both.
    await play("a whole pose added", [{ at: 0, op: "play", slot: 0, clip: "Run", loop: true }, { at: 0, op: "play_additive", slot: 1, clip: "Walk", base: "identity", loop: true }], 5);
    const twice = await inViewer(page, (v) => [v.warnings, v.beside.alone.extras.layers.warnings]);
    equal("both say so", twice[0], twice[1]);
    check("it is the classic mistake", twice[0].some((text) => text.startsWith("additive_full_pose:Walk")), twice);
    await inViewer(page, (v, c) => v.mix({ name: "Mix", duration: 1.5, commands: c }), added);
    // A file without snaps is baked without them.
    await open(page, daemon, `${SKIN}?clip=Run&options=snap%3Doff`);
    await panel(page, "Layers");
    await play("snap=off", [{ at: 0, op: "play", slot: 0, clip: "Dance_Drop", start: 0.2 }, { at: 0.5, op: "play_masked", slot: 1, clip: "Wave", mask: { include: ["L_UpperArm"] }, loop: true }], 5);
    await open(page, daemon, `${SKIN}?clip=Run`);
    await panel(page, "Layers");
    await inViewer(page, (v, c) => v.mix({ name: "Mix", duration: 1.5, commands: c }), added);
    // The same numbers in the game's own unit: what adds lengths does not add them a hundredfold (L41).
    const where = () => inViewer(page, (v) => [0.3, 0.7, 1.2].flatMap((t) => {
        v.currentTime = t;
        v.applyPose();
        return v.model.bones.flatMap((bone) => [...bone.matrixWorld.elements.slice(12, 15)]);
    }));
    const metres = await where();
    const said = await inViewer(page, (v) => v.warnings);
    await open(page, daemon, `${SKIN}?clip=Run&options=units%3Dleague`);
    await inViewer(page, (v, c) => v.mix({ name: "Mix", duration: 1.5, commands: c }), added);
    const units = await where();
    const worst = Math.max(...metres.map((value, i) => Math.abs(100 * value - units[i])));
    check("the game's unit: the same mix", worst < LIMIT && Math.max(...units.map(Math.abs)) > 50, `${worst} u`);
    equal("and the same said of it", await inViewer(page, (v) => v.warnings), said);
}
