// glTF animation and skeleton evaluation in plain JavaScript: clamp outside, exact at keys, slerp the short way.

import { jointParents } from './glb.mjs';

const PATHS = { translation: 3, rotation: 4, scale: 3 };
const REST = { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] };

export class Evaluator {
  constructor(glb) {
    this.glb = glb;
    this.joints = glb.json.skins?.[0]?.joints ?? [];
    this.parents = jointParents(glb.json);
    this.place = new Map(this.joints.map((node, i) => [node, i]));
    this.cache = new Map();
  }

  #floats(accessor) {
    if (!this.cache.has(accessor)) this.cache.set(accessor, this.glb.floats(accessor));
    return this.cache.get(accessor);
  }

  duration(animation) {
    return Math.max(0, ...animation.samplers.map((s) => this.#floats(s.input).at(-1)));
  }

  // Local T, R, S of all joints at a time.
  pose(animation, time) {
    const pose = this.joints.map((node) => ({ ...REST, ...pick(this.glb.json.nodes[node]) }));
    for (const { sampler, target } of animation.channels) {
      const joint = this.place.get(target.node);
      if (joint === undefined || !(target.path in PATHS)) continue;
      const { input, output, interpolation } = animation.samplers[sampler];
      pose[joint][target.path] = sample(this.#floats(input), this.#floats(output), target.path, interpolation, time);
    }
    return pose;
  }

  // World positions of the joints asked for.
  positions(animation, time, joints) {
    const pose = this.pose(animation, time);
    const worlds = new Map();
    const world = (joint) => {
      if (joint < 0) return null;
      if (!worlds.has(joint)) worlds.set(joint, multiply(world(this.parents[joint]), matrix(pose[joint])));
      return worlds.get(joint);
    };
    return joints.map((joint) => world(joint).slice(9, 12));
  }
}

function pick(node) {
  return Object.fromEntries(Object.keys(PATHS).filter((key) => key in node).map((key) => [key, node[key]]));
}

function sample(times, values, path, interpolation, time) {
  const width = PATHS[path];
  const cubic = interpolation === 'CUBICSPLINE';
  const at = (i, part = 1) => Array.from(values.subarray((cubic ? i * 3 + part : i) * width, (cubic ? i * 3 + part + 1 : i + 1) * width));
  const last = times.length - 1;
  if (time <= times[0]) return at(0);
  if (time >= times[last]) return at(last);
  let low = 0;
  for (let high = last; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const span = times[low + 1] - times[low];
  const a = (time - times[low]) / span;
  if (interpolation === 'STEP') return at(low);
  if (cubic) return hermite(at(low), at(low, 2), at(low + 1, 0), at(low + 1), a, span, path === 'rotation');
  return path === 'rotation' ? slerp(at(low), at(low + 1), a) : at(low).map((v, i) => v + (at(low + 1)[i] - v) * a);
}

function hermite(p, out, into, q, a, span, rotation) {
  const a2 = a * a;
  const a3 = a2 * a;
  const value = p.map((v, i) => (2 * a3 - 3 * a2 + 1) * v + span * (a3 - 2 * a2 + a) * out[i] + (3 * a2 - 2 * a3) * q[i] + span * (a3 - a2) * into[i]);
  const length = rotation ? Math.hypot(...value) : 1;
  return value.map((v) => v / length);
}

function slerp(p, q, a) {
  let dot = p.reduce((sum, v, i) => sum + v * q[i], 0);
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(Math.abs(dot), 1);
  const angle = Math.acos(dot);
  const sine = Math.sin(angle);
  const wp = sine < 1e-6 ? 1 - a : Math.sin((1 - a) * angle) / sine;
  const wq = (sine < 1e-6 ? a : Math.sin(a * angle) / sine) * sign;
  const out = p.map((v, i) => v * wp + q[i] * wq);
  const length = Math.hypot(...out);
  return out.map((v) => v / length);
}

// 3x4 matrices as twelve numbers, column by column.
function matrix({ translation, rotation: [x, y, z, w], scale: [sx, sy, sz] }) {
  return [
    (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + z * w) * sx, 2 * (x * z - y * w) * sx,
    2 * (x * y - z * w) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + x * w) * sy,
    2 * (x * z + y * w) * sz, 2 * (y * z - x * w) * sz, (1 - 2 * (x * x + y * y)) * sz,
    ...translation,
  ];
}

function multiply(a, b) {
  if (!a) return b;
  const out = new Array(12);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 3; row++) {
      let sum = column === 3 ? a[9 + row] : 0;
      for (let k = 0; k < 3; k++) sum += a[k * 3 + row] * b[column * 3 + k];
      out[column * 3 + row] = sum;
    }
  }
  return out;
}
