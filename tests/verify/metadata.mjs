// metadata.mjs FOLDER/ID...
// What riftbake describe says against what the GLB holds, both against the schemas. For each ID the folder has ID.meta.json,
// ID.skeleton.json and ID.report.json, ID.glb (the default file) and ID.plain.glb (snap=off, hidden=include).

import { isDeepStrictEqual } from 'node:util';
import { readFileSync } from 'node:fs';
import { Glb, jointParents } from './lib/glb.mjs';
import { isMain, run } from './lib/report.mjs';
import { checkExtras, complaints } from './lib/schema.mjs';

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const same32 = (a, b) => Math.fround(a) === Math.fround(b);
const own = (thing) => thing?.extras?.riftbake ?? {};

export async function metadata(stem, options, found) {
  const meta = readJson(`${stem}.meta.json`);
  const skeleton = readJson(`${stem}.skeleton.json`);
  const glb = Glb.read(`${stem}.glb`);
  const plain = Glb.read(`${stem}.plain.glb`);
  for (const [name, value] of [['skin', meta], ['skeleton', skeleton], ['report', readJson(`${stem}.report.json`)]]) {
    for (const text of complaints(name, value)) found.fail('schema', `${name}: ${text}`);
  }
  checkExtras(glb.json, found);
  checkExtras(plain.json, found, 'plain: ');
  identity(meta, glb, found);
  parts(meta.parts.filter((p) => p.visible), glb, found);
  parts(meta.parts, plain, found);
  bounds(meta, glb, plain, found);
  clips(meta, glb, plain, found);
  joints(meta, skeleton, plain, found);
  found.note(`${meta.parts.length} parts, ${meta.clips.length} clips, ${meta.joints} joints`);
}

function identity(meta, glb, found) {
  const asset = own(glb.json.asset);
  found.check('identity', meta.id === asset.skin && meta.number === asset.number && meta.name === asset.name && meta.champion.alias === asset.champion,
    `${meta.id} ${meta.champion.alias}/${meta.number} ${meta.name}`);
  found.check('identity', meta.scale === asset.skin_scale && meta.converter === `riftbake ${asset.version}`, 'scale or converter');
  found.check('identity', isDeepStrictEqual(new Set(meta.forms.map((f) => f.name)), new Set((asset.forms ?? []).map((f) => f.name))), 'forms');
}

function parts(list, glb, found) {
  const meshes = glb.list('meshes');
  found.check('parts', isDeepStrictEqual(list.map((p) => p.name), meshes.map((m) => m.name)),
    () => `parts ${list.map((p) => p.name)}, meshes ${meshes.map((m) => m.name)}`);
  list.forEach((part, i) => {
    const primitive = meshes[i]?.primitives[0];
    if (!primitive) return;
    const material = glb.json.materials[primitive.material];
    const triangles = glb.json.accessors[primitive.indices].count / 3;
    found.check('parts', part.triangles === triangles, `${part.name}: ${part.triangles} triangles, the file has ${triangles}`);
    found.check('parts', part.name === material.name && part.texture === own(material).texture && part.material === own(material).material,
      `${part.name}: material or texture`);
    const node = glb.json.nodes.find((n) => n.mesh === i);
    found.check('parts', part.visible === !own(node).hidden, `${part.name}: visible`);
  });
  found.check('parts', list.every((p, i) => i === 0 || p.order > list[i - 1].order), 'order does not rise');
}

function boxOf(glb) {
  const boxes = glb.list('meshes').map((m) => glb.json.accessors[m.primitives[0].attributes.POSITION]);
  if (boxes.length === 0) return null;
  return {
    min: [0, 1, 2].map((k) => Math.min(...boxes.map((b) => b.min[k]))),
    max: [0, 1, 2].map((k) => Math.max(...boxes.map((b) => b.max[k]))),
  };
}

function bounds(meta, glb, plain, found) {
  for (const [name, file] of [['visible', glb], ['all', plain]]) {
    const want = boxOf(file);
    const got = meta.bounds[name];
    if (!want) {
      found.check('bounds', got === undefined, `${name} without parts`);
    } else {
      found.check('bounds', [0, 1, 2].every((k) => same32(got.min[k], want.min[k]) && same32(got.max[k], want.max[k])),
        `${name}: ${JSON.stringify(got)}, the file has ${JSON.stringify(want)}`);
    }
  }
  found.check('bounds', meta.ground === meta.bounds.visible?.min[1], `ground ${meta.ground}`);
}

// The words of decisions 11, from a name's own words.
function kindOf(name) {
  for (const word of name.split(/(?<=[a-z])(?=[A-Z])|[^A-Za-z]+/)) {
    const hit = /^(idle|run|attack|crit|spell|dance|taunt|joke|laugh|recall|death|respawn)/i.exec(word);
    if (hit) return hit[1].toLowerCase().replace('crit', 'attack');
  }
  return 'other';
}

const lengthOf = (glb, animation) => Math.max(...animation.samplers.map((s) => glb.json.accessors[s.input].max[0]));
const placesOf = (snaps) => (snaps ?? []).map(({ joint, to, start, end }) => ({ joint, to, start, end }));

function clips(meta, glb, plain, found) {
  const still = new Set(); // atomic clips that move nothing are in no file
  for (const entry of own(glb.json.asset).report) {
    if (entry.code === 'clip_empty') entry.examples.forEach((text) => still.add(text.replace(/ moves nothing$/, '')));
  }
  const playable = meta.clips.filter((c) => c.class === 'atomic' && c.duration !== undefined && !still.has(c.name));
  const animations = glb.list('animations');
  if (!glb.json.skins?.length) return;
  found.check('clips', isDeepStrictEqual(playable.map((c) => c.name), animations.map((a) => a.name)),
    () => `clips ${playable.map((c) => c.name)}, animations ${animations.map((a) => a.name)}`);
  const hidden = new Map(plain.list('animations').map((a) => [a.name, own(a)]));
  playable.forEach((clip, i) => {
    const animation = animations[i];
    if (!animation) return;
    const extras = own(animation);
    const last = lengthOf(glb, animation);
    found.check('clips', same32(clip.duration, last), `${clip.name}: ${clip.duration} s, the last key is at ${last}`);
    for (const word of ['hash', 'file', 'class', 'tick', 'loop', 'track', 'mask', 'fps', 'events']) {
      found.check('clips', isDeepStrictEqual(clip[word], extras[word]), `${clip.name}: ${word}`);
    }
    found.check('clips', clip.additive === (extras.additive ?? false), `${clip.name}: additive`);
    // The file without hidden parts knows only of the others.
    found.check('clips', isDeepStrictEqual(clip.visibility, hidden.get(clip.name)?.visibility), `${clip.name}: visibility`);
    found.check('clips', isDeepStrictEqual(placesOf(clip.snaps), placesOf(extras.snaps)), `${clip.name}: snaps`);
    found.check('clips', isDeepStrictEqual(clip.dropped_snaps, extras.dropped_snaps), `${clip.name}: dropped snaps`);
  });
  for (const clip of meta.clips) {
    found.check('clips', clip.kind === kindOf(clip.name), `${clip.name}: kind ${clip.kind}`);
    for (const number of [clip.duration, clip.fps, ...(clip.events ?? []).flatMap((e) => [e.t, e.t_end])]) {
      // Shortest text of a float32: no more digits than tell it from its neighbours.
      if (number != null) found.check('numbers', String(number).replace(/e.*|\D/g, '').replace(/^0+/, '').length <= 9, `${clip.name}: ${number}`);
    }
  }
}

const elf = (text) => {
  let hash = 0;
  for (const byte of Buffer.from(text.toLowerCase())) {
    hash = ((hash << 4) + byte) >>> 0;
    const high = hash & 0xf0000000;
    hash = (hash ^ (high >>> 24) ^ high) >>> 0;
  }
  return hash;
};
const fnv = (text) => [...Buffer.from(text.toLowerCase())].reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
const hex = (value) => `0x${value.toString(16).padStart(8, '0')}`;
const isAscii = (text) => /^[\x20-\x7e]*$/.test(text);

function joints(meta, skeleton, plain, found) {
  const nodes = (plain.json.skins?.[0]?.joints ?? []).map((i) => plain.json.nodes[i]);
  const parents = jointParents(plain.json);
  found.check('joints', meta.joints === nodes.length && skeleton.joints.length === nodes.length, `${meta.joints} joints, the file has ${nodes.length}`);
  const original = new Map((own(plain.json.skins?.[0]).joints ?? []).map((j) => [j.id, j]));
  skeleton.joints.forEach((joint, i) => {
    const node = nodes[i];
    if (!node) return;
    const rest = [node.translation ?? [0, 0, 0], node.rotation ?? [0, 0, 0, 1], node.scale ?? [1, 1, 1]].flat();
    const got = [joint.rest.translation, joint.rest.rotation, joint.rest.scale].flat();
    found.check('joints', joint.id === i && joint.name === node.name && (joint.parent ?? -1) === parents[i], `joint ${i} ${joint.name}`);
    found.check('joints', rest.every((v, k) => same32(v, got[k])), `${joint.name}: rest ${got}, the file has ${rest}`);
    const source = joint.source ?? joint.name;
    found.check('joints', (original.get(i)?.name ?? joint.name) === source, `${joint.name}: source ${source}`);
    if (source === '') return;
    if (isAscii(source)) found.check('joints', joint.hashes.elf === hex(elf(source)) && joint.hashes.fnv === hex(fnv(source)), `${joint.name}: hashes`);
  });
  const names = new Set(nodes.map((n) => n.name));
  for (const mask of meta.masks) found.check('masks', mask.joints.every((name) => names.has(name)), `mask ${mask.name}`);
  weights(skeleton, plain, found);
}

// A joint that a vertex hangs on is skinned, and no locator.
function weights(skeleton, plain, found) {
  const used = new Set();
  for (const mesh of plain.list('meshes')) {
    const { JOINTS_0, WEIGHTS_0, POSITION } = mesh.primitives[0].attributes;
    if (JOINTS_0 === undefined) continue;
    const count = plain.json.accessors[POSITION].count;
    const weight = plain.floats(WEIGHTS_0);
    const bytes = plain.packed(JOINTS_0);
    const wide = plain.json.accessors[JOINTS_0].componentType === 5123;
    for (let i = 0; i < 4 * count; i++) {
      if (weight[i] > 0) used.add(wide ? bytes[2 * i] | (bytes[2 * i + 1] << 8) : bytes[i]);
    }
  }
  for (const id of used) {
    found.check('joints', skeleton.joints[id].skinned && !skeleton.joints[id].locator, `${skeleton.joints[id].name} moves vertices`);
  }
}

if (isMain(import.meta)) await run([['metadata', metadata]], process.argv.slice(2), []);
