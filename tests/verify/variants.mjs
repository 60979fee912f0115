// variants.mjs FOLDER/ID...
// A file of chromas=variants (ID.variants.glb) against the parent's own file (ID.glb), its metadata (ID.meta.json) and the
// chromas' own files beside it: glTF-Transform lists the variants, three.js with a small plug-in switches them, and what is
// then on each part is what the chroma's own file has there, texel for texel.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Logger, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { Glb } from './lib/glb.mjs';
import { decodePng } from './lib/png.mjs';
import { isMain, run } from './lib/report.mjs';
import { checkExtras } from './lib/schema.mjs';
import { loadThree } from './lib/three.mjs';

const NAME = 'KHR_materials_variants';
const io = new NodeIO().setLogger(new Logger(Logger.Verbosity.SILENT)).registerExtensions(ALL_EXTENSIONS);

export async function variants(stem, options, found) {
  const meta = JSON.parse(readFileSync(`${stem}.meta.json`, 'utf8'));
  const file = `${stem}.variants.glb`;
  const glb = Glb.read(file);
  checkExtras(glb.json, found);
  const all = glb.json.extensions?.[NAME]?.variants ?? [];
  const list = all.filter((v) => !v.extras.riftbake.form); // behind the chromas stand gear levels
  listed(meta, glb, list, found);
  mappings(glb, all.length, found);
  shared(glb, Glb.read(`${stem}.glb`), found);
  await transformLists(file, all, found);
  const chromas = list.map((v) => stem.replace(/[^/]*$/, `${v.extras.riftbake.id}.glb`));
  for (const path of chromas) found.check('variants', existsSync(path), `${path} is not there`);
  await switching(file, `${stem}.glb`, list, chromas, found);
  sizes(file, [`${stem}.glb`, ...chromas], found);
}

// Every chroma is a variant, or the report says why not.
function listed(meta, glb, list, found) {
  const left = glb.riftbake(glb.json.asset).report
    .filter((e) => /^variant_(unreadable|mesh_differs|skeleton_differs)$/.test(e.code))
    .flatMap((e) => e.examples.map((text) => text.split(':')[0]));
  const want = meta.chromas.filter((c) => !left.includes(c.name)).map((c) => ({ name: c.name, id: c.id, number: c.number }));
  const got = list.map((v) => ({ name: v.name, ...v.extras.riftbake }));
  found.check('variants', list.length > 0 && isDeepStrictEqual(got, want), `${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
  found.check('variants', glb.json.extensionsUsed?.includes(NAME) && !glb.json.extensionsRequired?.includes(NAME), 'used, not required');
  found.note(`variants ${list.map((v) => v.name).join(', ')}${left.length ? `; left out ${left.join(', ')}` : ''}`);
}

function mappings(glb, count, found) {
  for (const mesh of glb.list('meshes')) {
    const all = mesh.primitives[0].extensions?.[NAME]?.mappings?.flatMap((m) => m.variants) ?? [];
    found.check('variants', isDeepStrictEqual([...all].sort((a, b) => a - b), [...Array(count).keys()]), `${mesh.name} maps ${all}`);
  }
}

// Meshes, rig and clips stand there once, as in the parent's file; no image twice.
function shared(glb, parent, found) {
  for (const word of ['meshes', 'skins', 'animations', 'nodes', 'accessors']) {
    found.check('shared', glb.list(word).length === parent.list(word).length, `${glb.list(word).length} ${word}, the parent has ${parent.list(word).length}`);
  }
  const images = glb.list('images').map((image) => Buffer.from(glb.viewBytes(image.bufferView)).toString('base64'));
  found.check('shared', new Set(images).size === images.length, 'an image stands there twice');
}

async function transformLists(file, list, found) {
  const root = (await io.readBinary(new Uint8Array(readFileSync(file)))).getRoot();
  const names = new Set();
  for (const mesh of root.listMeshes()) {
    for (const primitive of mesh.listPrimitives()) {
      for (const mapping of primitive.getExtension(NAME)?.listMappings() ?? []) {
        mapping.listVariants().forEach((v) => names.add(v.getName()));
      }
    }
  }
  found.check('transform', isDeepStrictEqual(names, new Set(list.map((v) => v.name))), `glTF-Transform lists ${[...names]}`);
}

// The plug-in that a front end needs: materials by variant on every mesh, loaded when they are asked for.
class VariantsPlugin {
  constructor(parser) {
    this.parser = parser;
    this.name = NAME;
  }

  async afterRoot(gltf) {
    const { parser } = this;
    const names = (parser.json.extensions?.[NAME]?.variants ?? []).map((v) => v.name);
    gltf.userData.variants = names;
    gltf.selectVariant = async (scene, name) => {
      const index = names.indexOf(name);
      const work = [];
      scene.traverse((object) => {
        const place = object.isMesh && parser.associations.get(object);
        if (!place || place.meshes === undefined) return;
        const primitive = parser.json.meshes[place.meshes].primitives[place.primitives ?? 0];
        const mapping = primitive.extensions?.[NAME]?.mappings.find((m) => m.variants.includes(index));
        work.push(parser.getDependency('material', mapping?.material ?? primitive.material).then((material) => {
          object.material = material;
          parser.assignFinalMaterial(object);
        }));
      });
      await Promise.all(work);
    };
  }
}

// Real pixels for the textures: three.js's loaders hand them a bitmap of ours.
const bitmap = async (blob) => ({ ...decodePng(new Uint8Array(await blob.arrayBuffer())), close() {} });

async function load(path, plugin) {
  const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
  const bytes = readFileSync(path);
  const loader = new GLTFLoader();
  if (plugin) loader.register((parser) => new VariantsPlugin(parser));
  return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
}

// By part: what a picture depends on.
function looksOf(gltf) {
  const looks = new Map();
  gltf.scene.traverse((object) => {
    if (!object.isMesh) return;
    const { map, color, opacity, transparent, alphaTest, side } = object.material;
    looks.set(object.userData.name ?? object.name, {
      colour: color.getHex(), opacity, transparent, alphaTest, side,
      size: map && [map.image.width, map.image.height, map.image.channels], wrap: map && [map.wrapS, map.wrapT],
      pixels: map && Buffer.from(map.image.data).toString('base64'),
    });
  });
  return looks;
}

async function switching(file, parent, list, chromas, found) {
  await loadThree();
  const before = globalThis.createImageBitmap;
  globalThis.createImageBitmap = bitmap;
  try {
    const gltf = await load(file, true);
    const own = looksOf(await load(parent));
    const start = looksOf(gltf);
    found.check('three', isDeepStrictEqual(start, own), 'without a variant it is not the parent');
    found.check('three', isDeepStrictEqual(gltf.userData.variants, list.map((v) => v.name)), `the plug-in sees ${gltf.userData.variants}`);
    for (const [i, variant] of list.entries()) {
      await gltf.selectVariant(gltf.scene, variant.name);
      const now = looksOf(gltf);
      const want = looksOf(await load(chromas[i]));
      let changed = 0;
      for (const [part, look] of want) {
        found.check('three', isDeepStrictEqual(now.get(part), look), `${variant.name}: ${part} is not as in its own file`);
        changed += !isDeepStrictEqual(look, own.get(part));
      }
      found.check('three', now.size === want.size && changed > 0, `${variant.name}: ${changed} of ${want.size} parts change`);
      found.note(`${variant.name} changes ${changed} of ${want.size} parts`);
    }
    await gltf.selectVariant(gltf.scene, null);
    found.check('three', isDeepStrictEqual(looksOf(gltf), own), 'the way back');
  } finally {
    globalThis.createImageBitmap = before;
  }
}

function sizes(file, parts, found) {
  const one = statSync(file).size;
  const sum = parts.reduce((total, path) => total + statSync(path).size, 0);
  found.check('size', one < sum, `${one} bytes, the ${parts.length} files together ${sum}`);
  found.note(`${one} bytes for ${sum} in ${parts.length} files: ${(one / sum).toFixed(3)}`);
}

if (isMain(import.meta)) await run([['variants', variants]], process.argv.slice(2), []);
