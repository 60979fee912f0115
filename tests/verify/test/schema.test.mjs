// The schemas accept a document with every member and refuse each that is wrong; the HTTP contract says the same as they do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaints, OPENAPI, SCHEMAS } from '../lib/schema.mjs';

const clip = {
  name: 'Run', kind: 'run', hash: '0x2acd4eca', class: 'atomic', file: 'a/run.anm', tick: 0.033333335, loop: true, additive: false,
  track: 'Default', mask: '0x0a8c6a47', duration: 1.2, fps: 30,
  events: [
    { class: 'joint_snap', name: null, start: 0, end: null, t: 0, t_end: null, joint: 'Weapon', to: '0x0000000a', offset: [0, 0, 0] },
    { class: 'visibility', name: 'a', start: 3, end: 6, t: 0.1, t_end: 0.2, show: ['Body'], hide: [], avatar_only: false },
    { class: 'idle_particles', name: 'b', start: 3, end: 6, t: null, t_end: null, show: true },
  ],
  visibility: [{ t: 0, show: ['Body'], hide: [] }],
  snaps: [{ joint: 'Weapon', to: 'Ground', start: 0, end: 1.2 }],
  dropped_snaps: [{ joint: null, to: 'Root', reason: 'snap_field_empty' }],
};
const skin = {
  id: 9001002, champion: { id: 9001, alias: 'bramble', name: 'Bramble' }, number: 2, name: 'BrambleSkin2',
  parent: { id: 9001001, alias: 'bramble', number: 1 }, chromas: [], patch: '16.18', game_version: '16.18.0',
  source: [{ wad: 'DATA/FINAL/Champions/Bramble.wad.client', checksum: 'a'.repeat(64) }], converter: 'riftbake 0.1.0', state: 'fresh',
  outputs: [{ profile: 'full', options: '', url: '/v1/skins/9001002.glb', artifact: '/v1/artifacts/0.glb', bytes: 1, etag: '"a"', textures: 1, gpu_bytes: 2 }],
  unit: 'metre', scale: 1, parts: [{ name: 'Body', visible: true, order: 0, triangles: 12, material: 'm', texture: 't',
    chosen_by: 'texture', tried: [{ source: 'material', material: '0x01234567', result: 'missing' }], emissive: 'e' },
  { name: 'Body__1', visible: false, order: 1, triangles: 2, chosen_by: 'none', form: 'gear_0' }],
  forms: [{ name: 'start', show: ['Body'], hide: ['Body__1'] },
    { name: 'gear_0', kind: 'gear', index: 0, hash: '0x01234567', show: ['Body__1'], hide: ['Body'], mesh: 'm', texture: 't' },
    { name: 'gear_1', kind: 'gear', index: 1, hash: '0x01234568', show: [], hide: [], mesh: 'm', left_out: true },
    { name: 'gear_2', kind: 'gear', index: 2, hash: '0x01234569', show: [], hide: [], texture: 't', variant: 'gear_2' }], joints: 3, sockets: [{ name: 'Ground', class: 'SocketDefinitionSingleJoint', fields: {} }],
  masks: [{ name: 'Upper', hash: '0x0a8c6a47', joints: ['Spine'] }],
  clips: [clip, { ...clip, name: 'Idle', class: 'selector', children: [{ name: 'Run', hash: '0x2acd4eca', value: 1 }, { missing: true, hash: '0x00000001', value: 0 }] }],
  bounds: { visible: { min: [0, 0, 0], max: [1, 1, 1] }, all: { min: [0, 0, 0], max: [1, 1, 1] } }, ground: 0,
  related: [{ alias: 'brambleseed', number: 2 }], warnings: [{ code: 'texture_missing', count: 1, examples: ['a'] }],
};

test('a document with every member is right', () => {
  assert.deepEqual(complaints('skin', skin), []);
});

test('every member that must be there is missed', () => {
  for (const name of SCHEMAS.skin.required) {
    const { [name]: gone, ...rest } = skin;
    assert.notEqual(gone, undefined, name);
    assert.deepEqual(complaints('skin', rest).map((t) => t.includes(`'${name}'`)), [true], name);
  }
});

const WRONG = [
  ['an unknown member', (d) => { d.colour = 'red'; }],
  ['an unknown member of a clip', (d) => { d.clips[0].speed = 1; }],
  ['an unknown member of an event', (d) => { d.clips[0].events[0].colour = 1; }],
  ['text for a number', (d) => { d.joints = '3'; }],
  ['a try without a result', (d) => { delete d.parts[0].tried[0].result; }],
  ['a source that there is not', (d) => { d.parts[0].chosen_by = 'guess'; }],
  ['a fraction of a triangle', (d) => { d.parts[0].triangles = 1.5; }],
  ['a negative number', (d) => { d.parts[0].order = -1; }],
  ['a hash without 0x', (d) => { d.clips[0].hash = '2acd4eca'; }],
  ['a hash in capitals', (d) => { d.masks[0].hash = '0x0A8C6A47'; }],
  ['an unknown kind', (d) => { d.clips[0].kind = 'walk'; }],
  ['an unknown class', (d) => { d.clips[0].class = 'loop'; }],
  ['an unknown state', (d) => { d.state = 'old'; }],
  ['a box of two numbers', (d) => { d.bounds.all.min = [0, 0]; }],
  ['another unit', (d) => { d.unit = 'inch'; }],
  ['a short digest', (d) => { d.source[0].checksum = 'abc'; }],
  ['null for a list', (d) => { d.chromas = null; }],
  ['a state without its second', (d) => { delete d.clips[0].visibility[0].t; }],
  ['a snap without a target', (d) => { delete d.clips[0].snaps[0].to; }],
  ['more than twenty examples', (d) => { d.warnings[0].examples = Array(21).fill('a'); }],
  ['a number past 999', (d) => { d.number = 1000; }],
];
for (const [what, damage] of WRONG) {
  test(`refused: ${what}`, () => {
    const copy = structuredClone(skin);
    damage(copy);
    assert.notDeepEqual(complaints('skin', copy), []);
  });
}

test('extras: right and wrong', () => {
  const asset = { version: '0.1.0', skin: 1, sigma: 0.01, mirror: 'x', skin_scale: 1, options: {}, sources: [], report: [] };
  assert.deepEqual(complaints('extras#/$defs/Asset', asset), []);
  assert.notDeepEqual(complaints('extras#/$defs/Asset', { ...asset, sigma: 0.1 }), []);
  assert.notDeepEqual(complaints('extras#/$defs/Asset', { ...asset, host: 'x' }), []);
  assert.notDeepEqual(complaints('extras#/$defs/Asset', undefined), []);
  assert.notDeepEqual(complaints('extras#/$defs/Node', {}), []);
  assert.notDeepEqual(complaints('extras#/$defs/Material', { chosen_by: 'luck' }), []);
  assert.notDeepEqual(complaints('extras#/$defs/Animation', { clip: 'Run', class: 'atomic' }), []);
});

test('the HTTP contract has the same definitions', () => {
  const inContract = (value) => JSON.parse(JSON.stringify(value).replaceAll(/"(\w+\.schema\.json)?#\/\$defs\//g, '"#/components/schemas/'));
  const { schemas } = OPENAPI.components;
  const pairs = [['Skin', SCHEMAS.skin], ['Skeleton', SCHEMAS.skeleton], ...Object.entries(SCHEMAS.skin.$defs),
    ...Object.entries(SCHEMAS.skeleton.$defs), ['Counts', SCHEMAS.report.$defs.Counts], ['Stage', SCHEMAS.report.$defs.Stage]];
  for (const [name, schema] of pairs) {
    const { $schema, $id, title, $defs, ...rest } = schema;
    assert.deepEqual(schemas[name], inContract(rest), name);
  }
});
