// Clips in slots: masks, commands, and the pose at an instant (design of the layered bake: eight slots folded over the rest
// pose in ascending order). Knows nothing of three.js or the page; everything is double precision on local transforms.
// The daemon's own evaluator is core/anim/layer*.c; both are held to tests/golden/layering-vectors.json.

export type Vec = number[];

export interface Joint {
    name: string;
    parent: number; // -1: none
    t: Vec;
    r: Vec; // x, y, z, w
    s: Vec;
    influences: boolean;
}

// Keys of one component. Linear, or cubic with three values a key as glTF has them.
export interface Curve {
    times: ArrayLike<number>;
    values: ArrayLike<number>;
    cubic?: boolean;
}

export interface Clip {
    name: string;
    length: number;
    curves: (Curve | undefined)[]; // 3 * joint + (0 translation, 1 rotation, 2 scale)
    // The game's additive clips hold differences from identity; in a GLB they come laid over the rest pose, and what base
    // identity makes of the differences is then what base rest pose makes of the sums.
    composed?: boolean;
}

export interface Mask {
    name?: string;
    include?: string[];
    exclude?: string[];
    self_only?: boolean;
    weight_list?: number[];
}

export type Mode = "replace" | "additive";
export type Base = "bind" | "identity";

export interface Command {
    at: number;
    op: "play" | "play_masked" | "play_additive" | "stop" | "set_mask" | "set_weight" | "fade" | "set_mode";
    slot: number;
    clip?: string;
    loop?: boolean;
    speed?: number;
    weight?: number;
    start?: number;
    mask?: string | Mask | null;
    base?: Base;
    seconds?: number;
    mode?: Mode;
}

export interface Timeline {
    name: string;
    duration?: number; // none while it is played live
    loop?: boolean;
    fps?: number;
    commands: Command[];
}

// What a slot holds from one command to the next.
export interface Span {
    from: number;
    to: number;
    toIncluded: boolean; // the end of a one-shot still shows
    clip: Clip;
    loop: boolean;
    speed: number;
    startAt: number;
    start: number;
    weight: number;
    fadeWeight: number;
    fadeFrom: number;
    fadeTo: number; // equal to fadeFrom: no fade
    mask: ArrayLike<number> | null;
    given: string | Mask | null; // the mask as the command names it
    mode: Mode;
    base: Base;
}

export interface Slot {
    span: Span;
    time: number; // of the clip
    weight: number;
}

export const SLOTS = 8;
const INSTANT = 1e-6; // closer instants are one

const clamp01 = (v: number) => (v < 0 ? 0 : v > 1 ? 1 : v);

// --- quaternions -------------------------------------------------------------------------------------------------------

function normalize(q: Vec): Vec {
    const n = Math.hypot(q[0], q[1], q[2], q[3]);
    return n > 0 ? [q[0] / n, q[1] / n, q[2] / n, q[3] / n] : [0, 0, 0, 1];
}

const conjugate = (q: Vec): Vec => [-q[0], -q[1], -q[2], q[3]];

// Rotates by b first.
function multiply(a: Vec, b: Vec): Vec {
    return normalize([
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]);
}

// The short way.
function slerp(a: Vec, b: Vec, u: number): Vec {
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const sign = dot < 0 ? -1 : 1;
    dot *= sign;
    let x = 1 - u;
    let y = u;
    if (dot <= 1 - 1e-9) {
        const angle = Math.acos(dot);
        x = Math.sin((1 - u) * angle) / Math.sin(angle);
        y = Math.sin(u * angle) / Math.sin(angle);
    }
    y *= sign;
    return normalize([x * a[0] + y * b[0], x * a[1] + y * b[1], x * a[2] + y * b[2], x * a[3] + y * b[3]]);
}

// --- curves ------------------------------------------------------------------------------------------------------------

// The value at t: held outside the keys, exact at a key.
export function evaluate(curve: Curve, rotation: boolean, t: number): Vec {
    const { times, values, cubic } = curve;
    const width = rotation ? 4 : 3;
    const stride = cubic ? 3 * width : width;
    const middle = cubic ? width : 0;
    let low = 0;
    let high = times.length;
    while (high - low > 1) {
        const half = (low + high) >> 1;
        if (times[half] <= t) low = half;
        else high = half;
    }
    const read = (key: number, part: number): Vec => {
        const out: Vec = [];
        for (let i = 0; i < width; i++) out.push(values[key * stride + part + i]);
        return out;
    };
    const a = read(low, middle);
    if (t <= times[low] || low + 1 === times.length) return rotation ? normalize(a) : a;
    const b = read(low + 1, middle);
    const span = times[low + 1] - times[low];
    const u = (t - times[low]) / span;
    if (cubic) {
        const out = read(low, 2 * width);
        const into = read(low + 1, 0);
        const v = a.map((_, i) => (2 * u ** 3 - 3 * u ** 2 + 1) * a[i] + span * (u ** 3 - 2 * u ** 2 + u) * out[i] +
            (3 * u ** 2 - 2 * u ** 3) * b[i] + span * (u ** 3 - u ** 2) * into[i]);
        return rotation ? normalize(v) : v;
    }
    if (rotation) return slerp(normalize(a), normalize(b), u);
    return a.map((x, i) => x + u * (b[i] - x));
}

// --- masks -------------------------------------------------------------------------------------------------------------

// The identical name, lowest id; else without case, joints that move vertices first, then the lowest id.
export function findJoint(joints: Joint[], name: string): number {
    const exact = joints.findIndex((j) => j.name === name);
    if (exact >= 0 || name === "") return exact;
    const folded = (s: string) => s.replace(/[A-Z]/g, (c) => c.toLowerCase());
    const same = joints.map((_, i) => i).filter((i) => folded(joints[i].name) === folded(name));
    return same.find((i) => joints[i].influences) ?? same[0] ?? -1;
}

// Parents before children.
export function topological(joints: Joint[]): number[] {
    const order: number[] = [];
    const done = new Uint8Array(joints.length);
    for (let i = 0; i < joints.length; i++) {
        const chain: number[] = [];
        for (let j = i; j >= 0 && !done[j]; j = joints[j].parent) {
            done[j] = 1;
            chain.push(j);
        }
        order.push(...chain.reverse());
    }
    return order;
}

// One number per joint, and what was odd about the mask.
export function resolveMask(mask: Mask, joints: Joint[]): { weights: number[]; warnings: string[] } {
    const warnings: string[] = [];
    let weights: number[];
    if (mask.weight_list) {
        const given = mask.weight_list;
        weights = joints.map((_, i) => (given[i] > 0 ? clamp01(given[i]) : 0));
        if (given.length !== joints.length) warnings.push(given.length < joints.length ? "mask_short" : "mask_long");
    } else {
        const order = topological(joints);
        const mark = (names: string[]) => {
            const marked = new Uint8Array(joints.length);
            for (const name of names) {
                const joint = findJoint(joints, name);
                const unknown = `mask_unknown_joint:${name}`;
                if (joint >= 0) marked[joint] = 1;
                else if (!warnings.includes(unknown)) warnings.push(unknown);
            }
            if (!mask.self_only) for (const j of order) if (joints[j].parent >= 0 && marked[joints[j].parent]) marked[j] = 1;
            return marked;
        };
        const included = mark(mask.include ?? []);
        const excluded = mark(mask.exclude ?? []);
        weights = joints.map((_, i) => (included[i] && !excluded[i] ? 1 : 0));
    }
    if (!weights.some((w) => w > 0)) warnings.push("mask_empty");
    return { weights, warnings };
}

// --- time --------------------------------------------------------------------------------------------------------------

export function weightAt(span: Span, t: number): number {
    if (!(span.fadeTo > span.fadeFrom)) return span.weight;
    if (t >= span.fadeTo) return span.fadeWeight;
    const u = (t - span.fadeFrom) / (span.fadeTo - span.fadeFrom);
    return span.weight + (span.fadeWeight - span.weight) * Math.max(u, 0);
}

// Within the first pass the time is as it comes; later an exact multiple of the length is the end of the pass that ran.
function wrap(tau: number, length: number, speed: number): number {
    if (tau >= 0 && tau <= length) return tau;
    if (!(length > 0)) return 0;
    let rest = tau % length;
    if (rest < 0) rest += length;
    const instant = INSTANT * Math.abs(speed);
    if (speed >= 0) return rest < instant || rest === 0 ? length : rest;
    return length - rest < instant || rest >= length ? 0 : rest;
}

export function localTime(span: Span, t: number): number {
    const tau = span.start + span.speed * Math.max(t - span.startAt, 0);
    if (span.loop) return wrap(tau, span.clip.length, span.speed);
    return Math.min(Math.max(tau, 0), span.clip.length);
}

function oneShotEnd(span: Span): number {
    if (span.loop || span.speed === 0) return Infinity;
    const left = span.speed > 0 ? span.clip.length - span.start : span.start;
    return span.startAt + left / Math.abs(span.speed);
}

// --- the schedule ------------------------------------------------------------------------------------------------------

const PLAYS = ["play", "play_masked", "play_additive"];

export class Layers {
    readonly warnings: string[] = [];
    readonly spans: Span[][] = Array.from({ length: SLOTS }, () => []);
    private live: (Span | null)[] = new Array(SLOTS).fill(null);

    // A clip that is not in `clips` is unknown; `mask` resolves a stored name, null for an unknown one.
    constructor(
        readonly joints: Joint[],
        timeline: Timeline,
        private clips: (name: string) => Clip | undefined,
        private mask: (name: string) => ArrayLike<number> | null,
        private unit = 1, // length of 1 u in the joints' translations
    ) {
        const end = timeline.duration ?? Infinity;
        let before = NaN;
        for (const { command, at } of inOrder(timeline.commands)) {
            if (at !== before) for (let slot = 0; slot < SLOTS; slot++) this.settle(slot, at);
            before = at;
            this.carryOut(command, at, end);
        }
        for (let slot = 0; slot < SLOTS; slot++) {
            this.settle(slot, Infinity);
            this.close(slot, Infinity, false);
        }
    }

    // What each slot holds at t.
    at(t: number): (Slot | null)[] {
        return this.spans.map((spans) => {
            let low = 0;
            let high = spans.length;
            while (low < high) {
                const half = (low + high) >> 1;
                if (spans[half].from - t < INSTANT) low = half + 1;
                else high = half;
            }
            const span = spans[low - 1];
            if (!span || !(span.toIncluded ? t - span.to < INSTANT : span.to - t >= INSTANT)) return null;
            return { span, time: localTime(span, t), weight: weightAt(span, t) };
        });
    }

    private close(slot: number, to: number, toIncluded: boolean) {
        const span = this.live[slot];
        this.live[slot] = null;
        if (!span) return;
        if (toIncluded ? to >= span.from : to - span.from >= INSTANT) this.spans[slot].push({ ...span, to, toIncluded });
    }

    // What ended before the instant t: fade-outs that complete up to and at it, one-shots that end before it.
    private settle(slot: number, t: number) {
        const span = this.live[slot];
        if (!span) return;
        const end = oneShotEnd(span);
        const fadesOut = span.fadeTo > span.fadeFrom && span.fadeWeight === 0;
        const fadeEnd = fadesOut ? span.fadeTo : Infinity;
        if (fadeEnd - t < INSTANT && fadeEnd - end < INSTANT) this.close(slot, fadeEnd, false);
        else if (t - end >= INSTANT) this.close(slot, end, true);
    }

    private carryOut(c: Command, t: number, end: number) {
        const plays = PLAYS.includes(c.op);
        const span = this.live[c.slot];
        if (t - end >= INSTANT) this.warnings.push(`command_after_end:${c.op}`);
        else if (!(c.slot >= 0 && c.slot < SLOTS)) this.warnings.push("slot_out_of_range");
        else if (!plays && !span) this.warnings.push(`slot_empty:${c.op}`);
        else {
            let mask: ArrayLike<number> | null = null;
            if (c.mask != null) {
                mask = typeof c.mask === "string" ? this.mask(c.mask) : resolveMask(c.mask, this.joints).weights;
                if (!mask) {
                    this.warnings.push(`unknown_mask:${typeof c.mask === "string" ? c.mask : c.mask.name ?? ""}`);
                    return;
                }
            }
            if (plays) this.play(c, t, mask);
            else this.change(c, t, span!, mask);
        }
    }

    private play(c: Command, t: number, mask: ArrayLike<number> | null) {
        const clip = this.clips(c.clip ?? "");
        if (!clip) {
            this.warnings.push(`unknown_clip:${c.clip}`);
            return;
        }
        const { loop = false, speed = 1 } = c;
        const held = this.live[c.slot];
        let start = c.start ?? (speed < 0 ? clip.length : 0);
        if (held && loop && c.start === undefined && held.clip === clip) start = localTime(held, t);
        else if (start > clip.length && !loop) start = clip.length;
        const weight = clamp01(c.weight ?? 1);
        this.close(c.slot, t, false);
        const additive = c.op === "play_additive";
        this.live[c.slot] = {
            from: t, to: Infinity, toIncluded: false, clip, loop, speed, startAt: t, start,
            weight, fadeWeight: weight, fadeFrom: t, fadeTo: t,
            mask: c.op === "play" ? null : mask, given: c.op === "play" ? null : c.mask ?? null,
            mode: additive ? "additive" : "replace", base: (additive && c.base) || "bind",
        };
        if (additive) this.warnFullPose(this.live[c.slot]!, c.clip!);
    }

    private change(c: Command, t: number, span: Span, mask: ArrayLike<number> | null) {
        const reopen = (changes: Partial<Span>) => {
            this.close(c.slot, t, false);
            this.live[c.slot] = { ...span, from: t, ...changes };
        };
        const steady = (weight: number) => ({ weight, fadeWeight: weight, fadeFrom: t, fadeTo: t });
        if (c.op === "stop") this.close(c.slot, t, false);
        if (c.op === "set_mask") reopen({ mask, given: c.mask ?? null });
        if (c.op === "set_mode") reopen({ mode: c.mode ?? "replace" });
        if (c.op === "set_weight") reopen(steady(clamp01(c.weight ?? 1)));
        if (c.op !== "fade") return;
        const weight = clamp01(c.weight ?? 1);
        const now = weightAt(span, t);
        const atOnce = !(c.seconds! > 0);
        if (weight === 0 && (atOnce || now === 0)) this.close(c.slot, t, false);
        else if (atOnce) reopen(steady(weight));
        else reopen({ weight: now, fadeWeight: weight, fadeFrom: t, fadeTo: t + c.seconds! });
    }

    // The classic mistake: a whole pose added to a pose.
    private warnFullPose(span: Span, name: string) {
        const own = this.misfit(span, span.base);
        if (own <= 1) return;
        const other = span.base === "bind" ? "identity" : "bind";
        const better = this.misfit(span, other) < own ? ` (base ${other} fits better)` : "";
        this.warnings.push(`additive_full_pose:${name}${better}`);
    }

    // Mean distance of the clip's first pose from its base, in units of 30 degrees or 20 u, whichever is more.
    private misfit(span: Span, base: Base): number {
        const sum = [0, 0];
        const count = [0, 0];
        this.joints.forEach((joint, j) => {
            if (span.mask && !(span.mask[j] > 0)) return;
            const { t, r } = restOf(joint, span.clip.composed ? "bind" : base);
            const turn = span.clip.curves[3 * j + 1];
            const shift = span.clip.curves[3 * j];
            if (turn) {
                const v = evaluate(turn, true, 0);
                const q = normalize(r);
                const dot = Math.abs(v[0] * q[0] + v[1] * q[1] + v[2] * q[2] + v[3] * q[3]);
                sum[0] += (2 * Math.acos(Math.min(dot, 1)) * 180) / Math.PI;
                count[0]++;
            }
            if (shift) {
                const v = evaluate(shift, false, 0);
                sum[1] += Math.hypot(v[0] - t[0], v[1] - t[1], v[2] - t[2]);
                count[1]++;
            }
        });
        return Math.max(count[0] ? sum[0] / count[0] / 30 : 0, count[1] ? sum[1] / count[1] / (20 * this.unit) : 0);
    }
}

// By time, stably; commands of one instant get one time.
function inOrder(commands: Command[]): { command: Command; at: number }[] {
    const steps = commands.map((command, index) => ({ command, index, at: command.at }));
    steps.sort((a, b) => a.at - b.at || a.index - b.index);
    for (let i = 1; i < steps.length; i++) if (steps[i].at - steps[i - 1].at < INSTANT) steps[i].at = steps[i - 1].at;
    return steps.sort((a, b) => a.at - b.at || a.index - b.index);
}

const IDENTITY = { t: [0, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1] };
const restOf = (joint: Joint, base: Base) => (base === "identity" ? IDENTITY : joint);

// --- the pose ----------------------------------------------------------------------------------------------------------

export interface Pose {
    t: Vec[];
    r: Vec[];
    s: Vec[];
    touched: number[]; // bits 1 translation, 2 rotation, 4 scale that some slot drives
}

function fold(joint: Joint, j: number, component: number, slots: (Slot | null)[]): { value: Vec; touched: boolean } {
    const rotation = component === 1;
    const part = (of: { t: Vec; r: Vec; s: Vec }) => (component === 0 ? of.t : rotation ? normalize(of.r) : of.s);
    let a = part(joint);
    let touched = false;
    for (const slot of slots) {
        if (!slot || !(slot.weight > 0)) continue;
        const { clip, mask, mode } = slot.span;
        const e = slot.weight * (mask ? mask[j] ?? 0 : 1);
        const curve = clip.curves[3 * j + component];
        if (!(e > 0) || !curve) continue;
        const c = evaluate(curve, rotation, slot.time);
        const base = part(restOf(joint, clip.composed ? "bind" : slot.span.base));
        if (mode === "replace") a = rotation ? slerp(a, c, e) : a.map((x, i) => x + (c[i] - x) * e);
        else if (rotation) a = multiply(slerp([0, 0, 0, 1], multiply(c, conjugate(base)), e), a);
        else a = a.map((x, i) => x + (c[i] - base[i]) * e);
        touched = true;
    }
    return { value: a, touched };
}

export function poseAt(layers: Layers, t: number): Pose {
    const slots = layers.at(t);
    const pose: Pose = { t: [], r: [], s: [], touched: [] };
    layers.joints.forEach((joint, j) => {
        const [translation, turn, scale] = [0, 1, 2].map((c) => fold(joint, j, c, slots));
        pose.t.push(translation.value);
        pose.r.push(turn.value);
        pose.s.push(scale.value);
        pose.touched.push(+translation.touched | (+turn.touched << 1) | (+scale.touched << 2));
    });
    return pose;
}

// Column-major, 16 numbers.
export function compose(t: Vec, r: Vec, s: Vec): number[] {
    const [x, y, z, w] = r;
    return [
        (1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0], 0,
        2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1], 0,
        2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0,
        t[0], t[1], t[2], 1,
    ];
}

export function times(a: number[], b: number[]): number[] {
    const out: number[] = [];
    for (let column = 0; column < 4; column++) {
        for (let row = 0; row < 4; row++) {
            let sum = 0;
            for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
            out.push(sum);
        }
    }
    return out;
}

// A joint that stands where another one stands.
export interface Snap {
    target: number;
    offset: Vec; // in the target's frame
}

// World matrices of all joints. While a target is computed for a snapped joint, that joint counts as free: cycles end.
export function worldOf(joints: Joint[], order: number[], pose: Pose, snaps = new Map<number, Snap>()): number[][] {
    const local = (j: number) => compose(pose.t[j], pose.r[j], pose.s[j]);
    const world: number[][] = new Array(joints.length);
    if (snaps.size === 0) {
        for (const j of order) world[j] = joints[j].parent >= 0 ? times(world[joints[j].parent], local(j)) : local(j);
        return world;
    }
    const find = (j: number, busy: number[]): number[] => {
        if (busy.length === 0 && world[j]) return world[j];
        const snap = busy.includes(j) ? undefined : snaps.get(j);
        const { parent } = joints[j];
        let matrix = local(j);
        if (snap) matrix = times(find(snap.target, [...busy, j]), compose(snap.offset, [0, 0, 0, 1], [1, 1, 1]));
        else if (parent >= 0) matrix = times(find(parent, busy), matrix);
        if (busy.length === 0) world[j] = matrix;
        return matrix;
    };
    for (const j of order) find(j, []);
    return world;
}
