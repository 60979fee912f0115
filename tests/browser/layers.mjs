// layers.mjs
// The viewer's own evaluator of layered clips against the vectors that the daemon's is held to.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadSource } from "./source.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const vectors = JSON.parse(readFileSync(join(here, "../golden/layering-vectors.json"), "utf8"));
const { Layers, poseAt, resolveMask, topological, worldOf } = await loadSource("layers.ts");
const LIMIT = 2e-6; // of the vectors

const skeleton = vectors.skeleton;
const influences = new Set(skeleton.influences);
const joints = skeleton.joints.map((j, i) => ({ ...j, influences: influences.has(i) || influences.has(j.name) }));
const index = new Map(joints.map((j, i) => [j.name, i]));
const order = topological(joints);
const clips = new Map(Object.entries(vectors.clips).map(([name, clip]) => {
    const curves = [];
    for (const [joint, track] of Object.entries(clip.tracks)) {
        ["t", "r", "s"].forEach((letter, component) => {
            if (track[letter]) curves[3 * index.get(joint) + component] = { times: track[letter].times, values: track[letter].values.flat() };
        });
    }
    return [name, { name, length: clip.duration, curves }];
}));

const faults = [];
const same = (where, got, want) => JSON.stringify(got) === JSON.stringify(want) || faults.push(`${where} is ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
function near(where, got, want, eitherSign = false) {
    const off = (sign) => Math.max(...want.map((v, i) => Math.abs(v - sign * got[i])));
    const worst = eitherSign ? Math.min(off(1), off(-1)) : off(1);
    if (!(worst <= LIMIT) || got.length !== want.length) faults.push(`${where} is ${got}, not ${want}`);
}

for (const given of vectors.mask_cases) {
    const { weights, warnings } = resolveMask(vectors.masks[given.mask], joints);
    for (const [joint, weight] of Object.entries(given.weights)) near(`mask ${given.mask}: ${joint}`, [weights[index.get(joint)]], [weight]);
    same(`mask ${given.mask}`, warnings, given.warnings);
}

let samples = 0;
for (const given of vectors.cases) {
    const mask = (name) => (vectors.masks[name] ? resolveMask(vectors.masks[name], joints).weights : null);
    const layers = new Layers(joints, { name: given.id, commands: given.timeline }, (name) => clips.get(name), mask);
    same(`${given.id}: warnings`, layers.warnings, given.warnings);
    for (const sample of given.samples) {
        const at = `${given.id}@${sample.t}`;
        const pose = poseAt(layers, sample.t);
        const world = worldOf(joints, order, pose);
        samples++;
        same(`${at}: slots`, layers.at(sample.t).flatMap((slot, i) => (slot ? [i] : [])), sample.slots);
        for (const [joint, want] of Object.entries(sample.joints)) {
            const j = index.get(joint);
            near(`${at}: ${joint} t`, pose.t[j], want.t);
            near(`${at}: ${joint} r`, pose.r[j], want.r, true);
            near(`${at}: ${joint} s`, pose.s[j], want.s);
        }
        for (const [joint, letters] of Object.entries(sample.touched)) {
            const bits = pose.touched[index.get(joint)];
            same(`${at}: ${joint} touched`, ["t", "r", "s"].filter((_, c) => bits & (1 << c)).join(""), letters);
        }
        for (const [joint, want] of Object.entries(sample.world_position ?? {})) near(`${at}: ${joint} world`, world[index.get(joint)].slice(12, 15), want);
    }
}

// L41 by hand: a clip added that begins 25 u from its base is told, one at 15 u is not (20 u is the limit), in whatever unit the joints
// are; of 40 degrees and 20 likewise (30). Where the other base fits, that is said.
const turn = (degrees) => [Math.sin((degrees * Math.PI) / 360), 0, 0, Math.cos((degrees * Math.PI) / 360)];
let odd = 0;
for (const unit of [1, 0.01]) {
    for (const [what, rest, t, r, want] of [
        ["25 u", 0, 25, 0, ["additive_full_pose:c"]], ["15 u", 0, 15, 0, []], ["40 degrees", 0, 0, 40, ["additive_full_pose:c"]], ["20 degrees", 0, 0, 20, []],
        ["a difference", 100, 3, 0, ["additive_full_pose:c (base identity fits better)"]],
    ]) {
        const joint = { name: "j", parent: -1, t: [rest * unit, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1], influences: true };
        const clip = { name: "c", length: 1, curves: [{ times: [0], values: [t * unit, 0, 0] }, { times: [0], values: turn(r) }, undefined] };
        const layers = new Layers([joint], { name: "m", commands: [{ at: 0, op: "play_additive", slot: 0, clip: "c" }] }, () => clip, () => null, unit);
        same(`${what}, a unit of ${unit}`, layers.warnings, want);
        odd++;
    }
}
// set_mode, by hand: 10 laid over by half of 4 is 7; added by half of 4, which differs from rest by 4, it is 12.
const still = (name, x) => ({ name, length: 1, curves: [{ times: [0], values: [x, 0, 0] }, undefined, undefined] });
const two = [still("a", 10), still("b", 4)];
const modes = new Layers([{ name: "j", parent: -1, t: [0, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1], influences: true }], { name: "m", commands: [
    { at: 0, op: "play", slot: 0, clip: "a", loop: true }, { at: 0, op: "play", slot: 1, clip: "b", loop: true, weight: 0.5 }, { at: 1, op: "set_mode", slot: 1, mode: "additive" }, { at: 2, op: "set_mode", slot: 1, mode: "replace" },
] }, (name) => two.find((c) => c.name === name), () => null);
same("set_mode", [0.5, 1, 1.5, 2].map((t) => poseAt(modes, t).t[0][0]), [7, 12, 12, 7]);

for (const fault of faults) console.log(`FAILED ${fault}`);
console.log(`${vectors.mask_cases.length} masks, ${vectors.cases.length} timelines, ${samples} instants, ${odd} clips that are added: ${faults.length} faults`);
process.exit(faults.length === 0 && vectors.cases.length > 0 ? 0 : 1);
