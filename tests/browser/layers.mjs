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

for (const fault of faults) console.log(`FAILED ${fault}`);
console.log(`${vectors.mask_cases.length} masks, ${vectors.cases.length} timelines, ${samples} instants: ${faults.length} faults`);
process.exit(faults.length === 0 && vectors.cases.length > 0 ? 0 : 1);
