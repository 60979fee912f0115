// transform.mjs FILE.glb...
// @gltf-transform/core must read the file, and must see as many of everything as the JSON says.

import { readFileSync } from 'node:fs';
import { NodeIO, Logger } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { MeshoptDecoder } from 'meshoptimizer';
import { Glb } from './lib/glb.mjs';
import { isMain, run } from './lib/report.mjs';

await MeshoptDecoder.ready;
const io = new NodeIO()
  .setLogger(new Logger(Logger.Verbosity.SILENT))
  .registerExtensions(ALL_EXTENSIONS)
  .registerDependencies({ 'meshopt.decoder': MeshoptDecoder });

const total = (list, count) => list.reduce((sum, item) => sum + count(item), 0);

export async function transform(file, options, found) {
  const bytes = new Uint8Array(readFileSync(file));
  const { json } = new Glb(bytes);
  const root = (await io.readBinary(bytes)).getRoot();
  const pairs = [
    ['scenes', root.listScenes().length, json.scenes?.length],
    ['nodes', root.listNodes().length, json.nodes?.length],
    ['meshes', root.listMeshes().length, json.meshes?.length],
    ['primitives', total(root.listMeshes(), (m) => m.listPrimitives().length), total(json.meshes ?? [], (m) => m.primitives.length)],
    ['materials', root.listMaterials().length, json.materials?.length],
    ['images', root.listTextures().length, json.images?.length],
    ['skins', root.listSkins().length, json.skins?.length],
    ['joints', total(root.listSkins(), (s) => s.listJoints().length), total(json.skins ?? [], (s) => s.joints.length)],
    ['accessors', root.listAccessors().length, json.accessors?.length],
    ['animations', root.listAnimations().length, json.animations?.length],
    ['channels', total(root.listAnimations(), (a) => a.listChannels().length), total(json.animations ?? [], (a) => a.channels.length)],
    ['samplers', total(root.listAnimations(), (a) => a.listSamplers().length), total(json.animations ?? [], (a) => a.samplers.length)],
    ['extensions', root.listExtensionsUsed().length, json.extensionsUsed?.length],
  ];
  for (const [what, got, want] of pairs) {
    found.check('read', got === (want ?? 0), `${got} ${what}, the JSON has ${want ?? 0}`);
  }
  const keys = total(root.listAccessors(), (a) => a.getCount());
  const stated = total(json.accessors ?? [], (a) => a.count);
  found.check('read', keys === stated, `${keys} elements in accessors, the JSON has ${stated}`);
}

if (isMain(import.meta)) await run([['transform', transform]], process.argv.slice(2), []);
