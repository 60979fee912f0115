// play.mjs [--poses FILE.json]... FILE.glb...
// three.js loads the file and plays every clip; six joints at three times must stand where the numeric evaluator puts
// them, within 1e-3 source units (2e-2 in compressed files). The evaluator is lib/evaluate.mjs, and the Python one too where --poses gives its output
// (one --poses per file, in the order of the files).

import { readFileSync } from 'node:fs';
import { Evaluator } from './lib/evaluate.mjs';
import { Glb } from './lib/glb.mjs';
import { isMain, run } from './lib/report.mjs';
import { loadThree } from './lib/three.mjs';

const MOMENTS = [0.13, 0.5, 0.87];
const LIMIT = 1e-3;
const LIMIT_PACKED = 2e-2; // rotations of 16 bits have lengths near 1, and loaders differ in what they do about it

export async function play(file, options, found) {
  const table = options.poses?.length ? options.poses.shift() : null;
  const glb = Glb.read(file);
  const { THREE, parse } = await loadThree();
  const gltf = await parse(glb.bytes);
  const sigma = glb.riftbake(glb.json.asset)?.sigma ?? 1;
  counts({ glb, gltf, found });
  if (!glb.json.skins?.length) return;
  const bones = skeletonBones(gltf);
  const joints = glb.json.skins[0].joints;
  if (!found.check('bones', bones.length === joints.length, `${bones.length} bones, ${joints.length} joints`)) return;
  joints.forEach((node, i) => {
    const shown = bones[i].userData.name ?? bones[i].name;
    found.check('bones', shown === glb.json.nodes[node].name, `bone ${i} is ${shown}, node ${glb.json.nodes[node].name}`);
  });
  const poses = table && JSON.parse(readFileSync(table, 'utf8'));
  const worst = playAll({ THREE, glb, gltf, bones, sigma, poses, found });
  found.note(`${gltf.animations.length} clips, worst ${worst.toExponential(1)} u${poses ? ', also against the Python evaluator' : ''}`);
}

function counts({ glb, gltf, found }) {
  const { json } = glb;
  let meshes = 0;
  gltf.scene.traverse((object) => { if (object.isMesh) meshes++; });
  const want = (json.nodes ?? []).filter((node) => 'mesh' in node).length;
  found.check('meshes', meshes === want, `${meshes} meshes, the JSON has ${want}`);
  const animations = json.animations ?? [];
  found.check('clips', gltf.animations.length === animations.length, `${gltf.animations.length} clips, the JSON has ${animations.length}`);
  gltf.animations.forEach((clip, i) => {
    const { name, samplers, channels } = animations[i];
    found.check('clips', clip.name === name, `clip ${i} is ${clip.name}, the JSON says ${name}`);
    const last = Math.max(...samplers.map((s) => json.accessors[s.input].max[0]));
    found.check('clips', Math.abs(clip.duration - last) < 1e-6, `clip ${name} lasts ${clip.duration}, its last key is at ${last}`);
    found.check('clips', clip.tracks.length === channels.length, `clip ${name} has ${clip.tracks.length} tracks, ${channels.length} channels`);
  });
}

function skeletonBones(gltf) {
  let bones = [];
  gltf.scene.traverse((object) => { if (object.isSkinnedMesh) bones = object.skeleton.bones; });
  return bones;
}

// The deepest joint and five spread over the depths above it.
export function pickJoints(parents, count = 6) {
  const depth = parents.map((_, joint) => {
    let steps = 0;
    for (let above = parents[joint]; above >= 0; above = parents[above]) steps++;
    return steps;
  });
  const order = parents.map((_, i) => i).sort((a, b) => depth[a] - depth[b] || a - b);
  const n = Math.min(count, order.length);
  return [...new Set(Array.from({ length: n }, (_, i) => Math.trunc((i * (order.length - 1)) / Math.max(n - 1, 1))))].map((i) => order[i]);
}

function playAll({ THREE, glb, gltf, bones, sigma, poses, found }) {
  const evaluator = new Evaluator(glb);
  const picks = poses?.joints ?? pickJoints(evaluator.parents);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const position = new THREE.Vector3();
  const limit = glb.compressed() ? LIMIT_PACKED : LIMIT;
  let worst = 0;
  if (poses) found.check('poses', poses.animations.length === gltf.animations.length, 'the poses are of another file');
  gltf.animations.forEach((clip, i) => {
    const action = mixer.clipAction(clip).setLoop(THREE.LoopOnce, 1);
    action.clampWhenFinished = true;
    const own = glb.json.animations[i];
    const duration = evaluator.duration(own);
    MOMENTS.forEach((moment, m) => {
      const time = duration * moment;
      action.reset().play();
      mixer.setTime(time);
      gltf.scene.updateMatrixWorld(true);
      const wanted = [evaluator.positions(own, time, picks), ...(poses ? [poses.animations[i].positions.map((p) => p[m])] : [])];
      for (const set of wanted) {
        picks.forEach((joint, k) => {
          position.setFromMatrixPosition(bones[joint].matrixWorld);
          const off = position.distanceTo(new THREE.Vector3(...set[k])) / sigma;
          worst = Math.max(worst, off);
          found.check('poses', off <= limit, `${clip.name} at ${time.toFixed(4)} s: ${bones[joint].name} is ${off.toExponential(2)} u off`);
        });
      }
    });
    mixer.stopAllAction();
    mixer.uncacheClip(clip);
  });
  return worst;
}

if (isMain(import.meta)) await run([['play', play]], process.argv.slice(2), ['poses']);
