// compressed.mjs PLAIN.glb PACKED.glb
// Two files of one skin, with compress=none and with another value, as three.js sees them (G47): every vertex stands in the
// same place, at rest within a step of the grid, in every clip within a fraction of what keys may be off; normals, texture
// coordinates and triangles are the same.

import { readFileSync } from 'node:fs';
import { isMain, run } from './lib/report.mjs';
import { loadThree } from './lib/three.mjs';
import { Glb } from './lib/glb.mjs';

const MOMENTS = [0.13, 0.5, 0.87];
const EVERY = 7; // vertex, while clips play
const IN_CLIPS = { quantize: 0.1, meshopt: 0.25 }; // u; keys of clips may be 0.5 u off (decisions 26)
const NORMAL = Math.cos((1 * Math.PI) / 180);

async function load(file) {
  const { THREE, parse } = await loadThree();
  const glb = Glb.read(file);
  const gltf = await parse(new Uint8Array(readFileSync(file)));
  gltf.scene.updateMatrixWorld(true);
  const meshes = [];
  gltf.scene.traverse((object) => object.isMesh && meshes.push(object));
  return { THREE, glb, gltf, meshes, mixer: new THREE.AnimationMixer(gltf.scene) };
}

function place(mesh, i, out) {
  mesh.getVertexPosition(i, out);
  return mesh.isSkinnedMesh ? out : out.applyMatrix4(mesh.matrixWorld);
}

// How far vertices are apart at most.
function apart(a, b, every, pairs) {
  const [p, q] = [new a.THREE.Vector3(), new a.THREE.Vector3()];
  let worst = 0;
  for (const [one, two] of pairs) {
    for (let i = 0; i < one.geometry.attributes.position.count; i += every) worst = Math.max(worst, place(one, i, p).distanceTo(place(two, i, q)));
  }
  return worst;
}

function extent({ THREE }, meshes) {
  const box = new THREE.Box3();
  const p = new THREE.Vector3();
  for (const mesh of meshes) for (let i = 0; i < mesh.geometry.attributes.position.count; i++) box.expandByPoint(place(mesh, i, p));
  const size = box.getSize(new THREE.Vector3());
  return Math.max(size.x, size.y, size.z);
}

// A triangle may begin at another corner.
function triangles(mesh) {
  const { array } = mesh.geometry.index;
  const out = [];
  for (let i = 0; i < array.length; i += 3) {
    const t = [array[i], array[i + 1], array[i + 2]];
    const first = t.indexOf(Math.min(...t));
    out.push([t[first], t[(first + 1) % 3], t[(first + 2) % 3]].join());
  }
  return out.join(';');
}

function sameSurface(one, two, found) {
  const { name } = one;
  const [a, b] = [one.geometry.attributes, two.geometry.attributes];
  found.check('G47', Object.keys(a).sort().join() === Object.keys(b).sort().join(), `${name}: attributes ${Object.keys(b)}`);
  found.check('G47', triangles(one) === triangles(two), `${name}: other triangles`);
  let normal = 1;
  let uv = 0;
  for (let i = 0; i < a.position.count; i++) {
    const [x, y, z] = [b.normal.getX(i), b.normal.getY(i), b.normal.getZ(i)];
    normal = Math.min(normal, (a.normal.getX(i) * x + a.normal.getY(i) * y + a.normal.getZ(i) * z) / Math.hypot(x, y, z));
    uv = Math.max(uv, Math.abs(a.uv.getX(i) - b.uv.getX(i)), Math.abs(a.uv.getY(i) - b.uv.getY(i)));
  }
  found.check('G47', normal > NORMAL, `${name}: a normal is ${((Math.acos(normal) * 180) / Math.PI).toFixed(2)} degrees off`);
  found.check('G47', uv <= 1 / 65535, `${name}: a texture coordinate is ${uv} off`);
}

function pose(side, clip, moment) {
  side.mixer.stopAllAction();
  const action = side.mixer.clipAction(side.gltf.animations[clip]).setLoop(side.THREE.LoopOnce, 1);
  action.clampWhenFinished = true;
  action.play();
  side.mixer.setTime(moment * side.gltf.animations[clip].duration);
  side.gltf.scene.updateMatrixWorld(true);
}

export async function compare(plainFile, packedFile, found) {
  const [plain, packed] = [await load(plainFile), await load(packedFile)];
  const unit = 1 / (plain.glb.riftbake(plain.glb.json.asset)?.sigma ?? 1);
  if (!found.check('G47', plain.meshes.length === packed.meshes.length && plain.meshes.every((mesh, i) => mesh.name === packed.meshes[i].name), 'other meshes')) return;
  const pairs = plain.meshes.map((mesh, i) => [mesh, packed.meshes[i]]);
  for (const [one, two] of pairs) sameSurface(one, two, found);
  const step = extent(plain, plain.meshes) / 65535;
  const rest = apart(plain, packed, 1, pairs);
  found.check('G47', rest <= step, `at rest a vertex is ${rest * unit} u off, the step is ${step * unit} u`);
  let worst = 0;
  let where = '';
  found.check('G47', plain.gltf.animations.length === packed.gltf.animations.length, 'other clips');
  plain.gltf.animations.forEach((clip, i) => {
    found.check('G47', Math.abs(clip.duration - packed.gltf.animations[i]?.duration) < 1e-6, `clip ${clip.name} has another length`);
    for (const moment of MOMENTS) {
      pose(plain, i, moment);
      pose(packed, i, moment);
      const off = apart(plain, packed, EVERY, pairs) * unit;
      if (off > worst) [worst, where] = [off, `${clip.name} at ${moment}`];
    }
  });
  found.check('G47', worst <= IN_CLIPS[packed.glb.options().compress], `a vertex is ${worst} u off in ${where}`);
  found.note(`${pairs.length} meshes, step ${(step * unit).toFixed(4)} u, at rest ${(rest * unit).toFixed(4)} u off, in ${plain.gltf.animations.length} clips ${worst.toFixed(4)} u (${where})`);
}

if (isMain(import.meta)) {
  const [plain, packed] = process.argv.slice(2);
  await run([['compressed', (file, _, found) => compare(plain, file, found)]], [packed], []);
}
