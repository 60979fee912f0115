// Every check accepts the small conforming file and refuses each kind of damage, naming the rule.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Findings } from '../lib/report.mjs';
import { play } from '../play.mjs';
import { decodePng } from '../lib/png.mjs';
import { structure } from '../structure.mjs';
import { transform } from '../transform.mjs';
import { validate } from '../validate.mjs';
import { pack, png, small } from './small.mjs';

const folder = mkdtempSync(join(tmpdir(), 'verify-'));
after(() => rmSync(folder, { recursive: true }));

async function found(check, bytes, options = {}) {
  const file = join(folder, 'file.glb');
  writeFileSync(file, bytes);
  const findings = new Findings();
  try {
    await check(file, options, findings);
  } catch (error) {
    findings.fail('run', String(error));
  }
  return findings;
}

for (const [name, check] of Object.entries({ validate, transform, structure, play })) {
  test(`${name} accepts a conforming file`, async () => {
    assert.deepEqual((await found(check, small())).failures, []);
  });
}

test('structure looks at every rule it names', async () => {
  const { rules } = await found(structure, small());
  for (const rule of ['G1', 'G3', 'G4', 'G5', 'G8', 'G11', 'G12', 'G14', 'G15', 'G16', 'G18', 'G20', 'G22', 'G26', 'G28', 'G29', 'G30', 'G31', 'G33', 'G36', 'G37', 'G41', 'G42']) {
    assert.ok(rules.has(rule), rule);
  }
});

// Rule, what is wrong, and how to make it so in the document.
const structural = [
  ['G1', 'a second buffer', (d) => d.buffers.push({ byteLength: 4 })],
  ['G1', 'a buffer longer than its chunk', (d) => (d.buffers[0].byteLength += 8)],
  ['G1', 'a buffer with a uri', (d) => (d.buffers[0].uri = 'a.bin')],
  ['G3', 'a path of the machine', (d) => d.asset.extras.riftbake.sources.push('/home/me/game/a.skn')],
  ['G4', 'no copyright', (d) => delete d.asset.copyright],
  ['G4', 'another key in extras', (d) => (d.asset.extras.more = 1)],
  ['G4', 'no options', (d) => delete d.asset.extras.riftbake.options],
  ['G48', '21 examples', (d) => (d.asset.extras.riftbake.report[0].examples = Array(21).fill('x'))],
  ['G48', 'a code twice', (d) => d.asset.extras.riftbake.report.push({ code: 'odd', count: 1, examples: [] })],
  ['G5', 'an extension declared but unused', (d) => d.extensionsUsed.push('KHR_texture_transform')],
  ['G5', 'an extension used but undeclared', (d) => (d.extensionsUsed = [])],
  ['G5', 'an extension required', (d) => (d.extensionsRequired = ['KHR_materials_unlit'])],
  ['G8', 'a transform on the skeleton node', (d) => (d.nodes[0].scale = [-1, 1, 1])],
  ['G8', 'a transform on a mesh node', (d) => (d.nodes[3].translation = [0, 0, 1])],
  ['G11', 'a second scene', (d) => d.scenes.push({ nodes: [0] })],
  ['G11', 'roots out of order', (d) => d.scenes[0].nodes.reverse()],
  ['G11', 'mesh nodes swapped', (d) => (d.scenes[0].nodes = [0, 4, 3])],
  ['G11', 'a root joint outside the skeleton node', (d) => ((d.nodes[0].children = []), delete d.nodes[0].children, d.scenes[0].nodes.push(1))],
  ['G12', 'a matrix', (d) => (d.nodes[2].matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])],
  ['G12', 'a default written', (d) => (d.nodes[2].scale = [1, 1, 1])],
  ['G12', 'a rotation of length 1.00001', (d) => (d.nodes[1].rotation = [0, 0, 0, 1.00001])],
  ['G14', 'two joints of one name', (d) => (d.nodes[2].name = d.nodes[1].name)],
  ['G14', 'a material named otherwise', (d) => (d.materials[1].name = 'x')],
  ['G15', 'children of a mesh node', (d) => (d.nodes[4].weights = [1])],
  ['G15', 'a second skin', (d) => d.skins.push(d.skins[0])],
  ['G16', 'a joint twice', (d) => (d.skins[0].joints = [1, 2, 2])],
  ['G18', 'another skeleton', (d) => (d.skins[0].skeleton = 1)],
  ['G20', 'a node outside the scene', (d) => d.nodes.push({ name: 'lost' })],
  ['G21', 'two primitives', (d) => d.meshes[0].primitives.push(d.meshes[0].primitives[0])],
  ['G22', 'wide indices', (d) => (d.accessors[d.meshes[0].primitives[0].indices].componentType = 5125)],
  ['G26', 'wide joints', (d) => (d.accessors[d.meshes[0].primitives[0].attributes.JOINTS_0].componentType = 5123)],
  ['G27', 'vertex colours', (d) => (d.meshes[0].primitives[0].attributes.COLOR_0 = 0)],
  ['G28', 'no target', (d) => delete d.bufferViews[1].target],
  ['G28', 'a stride on key times', (d) => (d.bufferViews[7].byteStride = 4)],
  ['G28', 'no stride where two accessors share', (d) => delete d.bufferViews[1].byteStride],
  ['G28', 'an unused view', (d) => d.bufferViews.push({ buffer: 0, byteLength: 4 })],
  ['G28', 'times spread over two views', (d) => {
    d.bufferViews.push({ ...d.bufferViews[7] });
    d.accessors[d.animations[1].samplers[0].input].bufferView = d.bufferViews.length - 1;
  }],
  ['G29', 'no unlit', (d) => (d.materials[1].extensions = {})],
  ['G29', 'metallic', (d) => delete d.materials[0].pbrMetallicRoughness.metallicFactor],
  ['G29', 'one material for both', (d) => (d.meshes[1].primitives[0].material = 0)],
  ['G30', 'a cutoff without MASK', (d) => (d.materials[0].alphaCutoff = 0.3)],
  ['G30', 'a cutoff of 0.5', (d) => Object.assign(d.materials[0], { alphaMode: 'MASK', alphaCutoff: 0.5 })],
  ['G30', 'BLEND over an image without alpha', (d) => (d.materials[0].alphaMode = 'BLEND')],
  ['G32', 'no sampler', (d) => delete d.textures[0].sampler],
  ['G33', 'an image by uri', (d) => (d.images[0] = { uri: 'a.png' })],
  ['G34', 'a hidden part nobody asked for', (d) => (d.nodes[4].extensions = { KHR_node_visibility: { visible: false } })],
  ['G36', 'two animations of one name', (d) => (d.animations[1].name = 'walk')],
  ['G36', 'an animation without channels', (d) => (d.animations[1].channels = [])],
  ['G37', 'a target that is no joint', (d) => (d.animations[0].channels[0].target.node = 0)],
  ['G37', 'a target twice', (d) => (d.animations[0].channels[1].target = { node: 1, path: 'rotation' })],
  ['G40', 'LINEAR spelled out', (d) => (d.animations[0].samplers[0].interpolation = 'LINEAR')],
  ['G41', 'no fps in extras', (d) => delete d.animations[0].extras.riftbake.fps],
  ['G41', 'longer than stored', (d) => (d.animations[0].extras.riftbake.duration = 1)],
  ['G42', 'two samplers of one pair', (d) => {
    d.animations[0].samplers.push({ ...d.animations[0].samplers[0] });
    d.animations[0].channels[2].sampler = 2;
  }],
  ['G42', 'equal bytes in two accessors', (d) => {
    d.accessors.push({ ...d.accessors[d.animations[1].samplers[1].input] });
    d.animations[1].samplers[1].input = d.accessors.length - 1;
  }],
  ['D28', 'another key in the extras of a material', (d) => (d.materials[0].extras.more = 1)],
];

for (const [rule, what, damage] of structural) {
  test(`structure ${rule}: ${what}`, async () => {
    const findings = await found(structure, small(damage));
    assert.ok(findings.failures.some((failure) => failure.rule === rule), JSON.stringify(findings.failures));
  });
}

test('structure G1: container damage', async () => {
  const good = small();
  const rows = {
    'bytes after the end': Buffer.concat([good, Buffer.alloc(4)]),
    'a wrong length': Buffer.from(good),
    'a third chunk': Buffer.concat([good, Buffer.from([0, 0, 0, 0, 0x41, 0x42, 0x43, 0x44])]),
  };
  rows['a wrong length'].writeUInt32LE(good.length + 4, 8);
  rows['a third chunk'].writeUInt32LE(good.length + 8, 8);
  for (const [what, bytes] of Object.entries(rows)) {
    const findings = await found(structure, new Uint8Array(bytes));
    assert.ok(findings.failures.some(({ rule }) => rule === 'G1'), what);
  }
});

test('structure G33: chunks of a PNG', async () => {
  const swap = (image) => small((document, parts) => {
    const view = document.bufferViews[document.images[0].bufferView];
    const kept = parts.binary.subarray(0, view.byteOffset);
    view.byteLength = image.length;
    parts.binary = Buffer.concat([kept, image, Buffer.alloc(-image.length & 3)]);
    document.buffers[0].byteLength = parts.binary.length;
  });
  assert.deepEqual((await found(structure, swap(png(8, 4, 2)))).failures, []);
  const gamma = png(4, 4, 2, [['gAMA', Buffer.from([0, 0, 0xb1, 0x8f])]]);
  assert.ok((await found(structure, swap(gamma))).failures.some(({ rule }) => rule === 'G33'));
  assert.ok((await found(structure, swap(png(4, 4, 6)))).failures.some(({ rule }) => rule === 'G30'));
});

test('pixels of every PNG filter', () => {
  // Two pixels a row, RGB. Worked by hand: each row decodes to the one written beside it.
  const rows = [
    [0, 10, 20, 30, 40, 50, 60],
    [1, 1, 2, 3, 10, 10, 10], // 1 2 3, 11 12 13
    [2, 1, 1, 1, 1, 1, 1], // 2 3 4, 12 13 14
    [3, 0, 0, 0, 0, 0, 0], // 1 1 2, 6 7 8
    [4, 5, 0, 0, 0, 0, 250], // 6 1 2, then Paeth of left 6 1 2, up 6 7 8, corner 1 1 2
  ];
  const image = png(2, 5, 2, [], Buffer.from(rows.flat()));
  const { data } = decodePng(image);
  assert.deepEqual([...data], [10, 20, 30, 40, 50, 60, 1, 2, 3, 11, 12, 13, 2, 3, 4, 12, 13, 14, 1, 1, 2, 6, 7, 8, 6, 1, 2, 6, 7, 2]);
});

test('structure G34: a hidden part that was asked for', async () => {
  const hide = (d) => {
    d.nodes[4].extensions = { KHR_node_visibility: { visible: false } };
    d.nodes[4].extras.hidden = true;
    d.extensionsUsed.push('KHR_node_visibility');
    d.asset.extras.riftbake.options.hidden = 'include';
  };
  const options = { 'allow-extension': ['KHR_node_visibility'] };
  assert.deepEqual((await found(structure, small(hide), options)).failures, []);
  assert.deepEqual((await found(validate, small(hide), options)).failures, []);
  assert.notDeepEqual((await found(validate, small(hide))).failures, []);
});

test('validate refuses errors, warnings and stray information', async () => {
  const rows = {
    'an index out of range': (d) => (d.nodes[3].mesh = 9),
    'a wrong minimum': (d) => (d.accessors[0].min = [5, 5, 5]),
    'a transform of a skinned mesh': (d) => (d.nodes[3].translation = [0, 0, 1]),
    'an unused accessor': (d) => d.accessors.push({ ...d.accessors.at(-1) }),
  };
  for (const [what, damage] of Object.entries(rows)) {
    assert.ok((await found(validate, small(damage))).failures.length > 0, what);
  }
});

test('transform sees counts that differ', async () => {
  // A JSON without a scene list still has nodes; glTF-Transform keeps them, so lie about something it drops.
  const findings = await found(transform, small((d) => (d.extensionsUsed = ['KHR_materials_unlit', 'X_unknown'])));
  assert.ok(findings.failures.some(({ text }) => text.includes('extensions')), JSON.stringify(findings.failures));
  assert.ok((await found(transform, pack({ asset: { version: '1.0' } }, Buffer.alloc(0)))).failures.length > 0);
});

test('play compares with given poses', async () => {
  const table = join(folder, 'poses.json');
  const write = (shift) => writeFileSync(table, JSON.stringify({
    joints: [0, 1],
    // The root stays at the origin. The head: walk moves it along y and turns the root about z.
    animations: [
      { name: 'walk', positions: [[[0, 0, 0], [0, 0, 0], [0, 0, 0]], headPositions(shift)] },
      { name: 'stand', positions: [[[0, 0, 0], [0, 0, 0], [0, 0, 0]], standPositions()] },
    ],
  }));
  write(0);
  assert.deepEqual((await found(play, small(), { poses: [table] })).failures, []);
  // Each file takes its own table, also one that has nothing to play.
  const options = { poses: [table, table] };
  const bare = (d) => {
    delete d.skins;
    delete d.animations;
    d.nodes.forEach((node) => delete node.skin);
  };
  await found(play, small(bare), options);
  assert.equal(options.poses.length, 1);
  write(2e-5);
  assert.ok((await found(play, small(), { poses: [table] })).failures.length > 0);
});

// Angle of the root about z: 0 to 90 degrees until 0.5 s, back until 1.25 s.
function turn(time) {
  return ((time < 0.5 ? time / 0.5 : (1.25 - time) / 0.75) * Math.PI) / 2;
}

function headPositions(shift) {
  return [0.13, 0.5, 0.87].map((moment) => {
    const time = 1.25 * moment;
    const length = 1 + (time < 0.5 ? time / 0.5 : (1.25 - time) / 0.75);
    return [-length * Math.sin(turn(time)) + shift, length * Math.cos(turn(time)), 0];
  });
}

function standPositions() {
  return [0.13, 0.5, 0.87].map((moment) => {
    const angle = turn(1.25 * moment);
    return [-1.5 * Math.sin(angle), 1.5 * Math.cos(angle), 0];
  });
}
