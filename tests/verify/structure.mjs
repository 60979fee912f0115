// structure.mjs [--allow-extension NAME]... FILE.glb...
// What the JSON alone shows of the output contract: G1, G3-G5, G8, G11-G16, G18, G20, G22, G26, G28-G31, G33-G37,
// G41, G42. Numbers against the source files are check_glb.py's business.

import { createHash } from 'node:crypto';
import { Glb, SIZES, WIDTHS, jointParents } from './lib/glb.mjs';
import { PNG_ALPHA, pngChunks } from './lib/png.mjs';
import { isMain, run } from './lib/report.mjs';

const TRANSFORMS = ['matrix', 'translation', 'rotation', 'scale'];
const DEFAULTS = { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] };
const MACHINE_PATH = /^(\/[A-Za-z0-9._-]+\/|[A-Za-z]:\\|\\\\)/;

export async function structure(file, options, found) {
  const glb = Glb.read(file);
  const skins = glb.list('skins');
  const context = { glb, json: glb.json, found, joints: new Set(skins[0]?.joints ?? []), allowed: options['allow-extension'] ?? [] };
  for (const part of [container, asset, extensions, nodes, scene, names, skin, primitives, views, materials, images, animations, sharing]) {
    part(context);
  }
}

const MESHOPT = 'EXT_meshopt_compression';

// The buffer of what is unpacked: no data, and every packed view lies in it as it will be.
function fallback({ json, found }) {
  const views = (json.bufferViews ?? []).filter((view) => view.extensions?.[MESHOPT]);
  const [, buffer] = json.buffers;
  found.check('G47', JSON.stringify(Object.keys(buffer).sort()) === '["byteLength","extensions"]' && buffer.extensions[MESHOPT]?.fallback === true, `second buffer ${JSON.stringify(buffer)}`);
  let end = 0;
  for (const view of views) {
    const { buffer: packed, byteLength, byteStride, count, mode, filter = 'NONE' } = view.extensions[MESHOPT];
    found.check('G47', view.buffer === 1 && packed === 0 && byteLength > 0, `packed view in buffer ${view.buffer}, from ${packed}`);
    found.check('G47', (view.byteOffset ?? 0) - end >= 0 && (view.byteOffset ?? 0) - end <= 3 && count * byteStride === view.byteLength, `packed view of ${count} times ${byteStride}`);
    found.check('G47', (mode === 'TRIANGLES') === (view.target === 34963) && ['NONE', 'QUATERNION', 'EXPONENTIAL'].includes(filter), `mode ${mode}, filter ${filter}`);
    end = (view.byteOffset ?? 0) + view.byteLength;
  }
  found.check('G47', end === buffer.byteLength, `packed views end at ${end} of ${buffer.byteLength}`);
  return views.length;
}

function container({ glb, json, found }) {
  found.check('G1', glb.problems.length === 0, glb.problems.join('; '));
  let buffers = json.buffers ?? [];
  if (glb.options().compress === 'meshopt' && buffers.length === 2) {
    const packed = fallback({ json, found });
    const images = json.images?.length ?? 0;
    found.check('G47', packed + images === json.bufferViews.length, `${packed} packed views and ${images} images of ${json.bufferViews.length}`);
    buffers = buffers.slice(0, 1);
  }
  found.check('G1', buffers.length <= 1, `${buffers.length} buffers`);
  found.check('G1', buffers.length === glb.binaryChunks, `${buffers.length} buffers, ${glb.binaryChunks} BIN chunks`);
  for (const buffer of buffers) {
    const spare = glb.binary.length - buffer.byteLength;
    found.check('G1', !('uri' in buffer) && spare >= 0 && spare <= 3, `buffer of ${buffer.byteLength} bytes in a chunk of ${glb.binary.length}`);
    const padding = glb.binary.subarray(buffer.byteLength);
    found.check('G1', padding.every((byte) => byte === 0), 'the BIN chunk is not padded with zeros');
  }
}

function asset({ json, found }) {
  const { asset } = json;
  found.check('G4', asset.version === '2.0' && !('minVersion' in asset), `version ${asset.version}, minVersion ${asset.minVersion}`);
  found.check('G4', /\S+ \S*\d/.test(asset.generator ?? ''), `generator ${asset.generator}`);
  found.check('G4', /Riot Games/.test(asset.copyright ?? ''), `copyright ${asset.copyright}`);
  const keys = Object.keys(asset.extras ?? {});
  if (!found.check('G4', keys.length === 1 && keys[0] === 'riftbake', `asset.extras has ${keys}`)) return;
  const own = asset.extras.riftbake;
  // Loose files have no skin number; check_glb.py asks for it where there is one.
  for (const key of ['version', 'sigma', 'mirror', 'options', 'sources', 'report']) {
    found.check('G4', key in own, `asset.extras.riftbake.${key} is missing`);
  }
  found.check('G4', own.sigma > 0, `sigma ${own.sigma}`);
  for (const row of own.report ?? []) {
    const good = typeof row.code === 'string' && row.count > 0 && Array.isArray(row.examples) && row.examples.length <= 20;
    found.check('G48', good, () => `report row ${JSON.stringify(row).slice(0, 120)}`);
  }
  const codes = (own.report ?? []).map((row) => row.code);
  found.check('G48', new Set(codes).size === codes.length, 'a report code stands twice');
  eachString(json, '', (text, where) => found.check('G3', !MACHINE_PATH.test(text), `${where} holds a path of a machine: ${text}`));
}

function eachString(value, where, visit) {
  if (typeof value === 'string') visit(value, where);
  else if (value && typeof value === 'object') {
    for (const [key, child] of Object.entries(value)) eachString(child, `${where}/${key}`, visit);
  }
}

function extensions({ json, found, allowed }) {
  const occurring = new Set();
  const visit = (value) => {
    if (!value || typeof value !== 'object') return;
    if (!Array.isArray(value) && value.extensions) Object.keys(value.extensions).forEach((name) => occurring.add(name));
    Object.entries(value).forEach(([key, child]) => key !== 'extras' && visit(child));
  };
  visit(json);
  const attributes = (json.meshes ?? []).flatMap((mesh) => mesh.primitives.map((p) => p.attributes));
  if (attributes.some(({ POSITION, NORMAL }) => [POSITION, NORMAL].some((i) => json.accessors[i]?.componentType < 5126))) occurring.add('KHR_mesh_quantization');
  const used = json.extensionsUsed ?? [];
  const sorted = (list) => [...list].sort().join(' ');
  found.check('G5', sorted(used) === sorted(occurring), `extensionsUsed ${sorted(used)}, occurring ${sorted(occurring)}`);
  const strange = used.filter((name) => name !== 'KHR_materials_unlit' && !allowed.includes(name));
  found.check('G5', strange.length === 0, `extensions nobody asked for: ${strange}`);
  const required = json.extensionsRequired ?? [];
  found.check('G5', required.every((name) => allowed.includes(name)), `required: ${required}`);
  found.check('G5', !('extensionsRequired' in json) || required.length > 0, 'extensionsRequired is empty');
}

// A quantised mesh without a skin: its node leads out of the grid.
function leavesGrid(glb, node) {
  return glb.compressed() && 'mesh' in node && !('skin' in node);
}

function nodes({ glb, json, found, joints }) {
  (json.nodes ?? []).forEach((node, number) => {
    const set = TRANSFORMS.filter((word) => word in node);
    if (!joints.has(number)) {
      const plain = glb.options().content === 'animations';
      const fromGrid = leavesGrid(glb, node) && set.join() === 'translation,scale'; // G47
      found.check('G8', set.length === 0 || plain || fromGrid, `node ${number} ${node.name} is no joint and has ${set}`);
      return;
    }
    found.check('G12', !('matrix' in node), `joint ${node.name} has a matrix`);
    for (const [word, value] of Object.entries(DEFAULTS)) {
      const same = word in node && node[word].every((v, i) => v === value[i]);
      found.check('G12', !same, `joint ${node.name} writes a default ${word}`);
    }
    const length = Math.hypot(...(node.rotation ?? DEFAULTS.rotation));
    found.check('G12', Math.abs(length - 1) <= 1e-6, `rotation of joint ${node.name} has length ${length}`);
    found.check('G12', !('mesh' in node), `joint ${node.name} carries a mesh`);
  });
}

function scene({ glb, json, found, joints }) {
  found.check('G11', json.scenes?.length === 1 && (json.scene ?? 0) === 0, `${json.scenes?.length} scenes, scene ${json.scene}`);
  const roots = json.scenes?.[0]?.nodes ?? [];
  const meshNodes = (json.nodes ?? []).map((node, i) => ('mesh' in node ? i : -1)).filter((i) => i >= 0);
  let parts = roots;
  if (json.skins?.length) {
    const [first, ...rest] = roots;
    parts = rest;
    skeletonNode({ json, found, joints, first });
  }
  if (glb.options().content === 'animations') parts = parts.slice(1); // joints without a skin
  found.check('G11', parts.join() === meshNodes.join(), `scene roots ${roots}, mesh nodes ${meshNodes}`);
  const order = parts.map((node) => json.nodes[node].mesh);
  found.check('G11', order.every((mesh, i) => mesh === i), `meshes in scene order ${order}`);
}

function skeletonNode({ json, found, joints, first }) {
  const node = json.nodes[first];
  found.check('G11', !joints.has(first) && !('mesh' in node) && !TRANSFORMS.some((word) => word in node), `the first root ${node.name} is no plain skeleton node`);
  const parents = jointParents(json);
  const loose = json.skins[0].joints.filter((_, i) => parents[i] < 0);
  found.check('G11', (node.children ?? []).join() === loose.join(), `children of the skeleton node ${node.children}, parentless joints ${loose}`);
}

function names({ glb, json, found, joints }) {
  const all = (json.nodes ?? []).filter((_, i) => joints.has(i)).map((node) => node.name);
  found.check('G14', new Set(all).size === all.length && all.every((name) => name?.length > 0), 'joint names are not unique');
  for (const [what, list] of [['mesh', json.meshes], ['material', json.materials], ['animation', json.animations]]) {
    const rule = what === 'animation' ? 'G36' : 'G14';
    const own = (list ?? []).map((thing) => thing.name);
    found.check(rule, new Set(own).size === own.length && own.every((name) => name?.length > 0), `${what} names are not unique`);
  }
  for (const node of (json.nodes ?? []).filter((n) => 'mesh' in n)) {
    const mesh = json.meshes[node.mesh];
    const material = json.materials?.[mesh.primitives[0].material];
    found.check('G14', !all.includes(node.name), `the part ${node.name} is called like a joint`);
    found.check('G14', mesh.name === node.name && (!material || material.name === node.name), `node ${node.name}, mesh ${mesh.name}, material ${material?.name}`);
    const grid = leavesGrid(glb, node);
    const wanted = ['mesh', 'name', ...(grid ? ['scale'] : []), ...(json.skins?.length ? ['skin'] : []), ...(grid ? ['translation'] : [])];
    const keys = Object.keys(node).filter((key) => !['extras', 'extensions'].includes(key)).sort();
    found.check('G15', keys.join() === wanted.join() && (node.skin ?? 0) === 0, `mesh node ${node.name} has ${keys}, skin ${node.skin}`);
    visibility({ glb, json, found, node });
  }
}

function visibility({ glb, json, found, node }) {
  const extension = node.extensions?.KHR_node_visibility;
  const others = Object.keys(node.extensions ?? {}).filter((name) => name !== 'KHR_node_visibility');
  found.check('G15', others.length === 0, `mesh node ${node.name} uses ${others}`);
  if (!extension) return;
  const own = glb.riftbake(node);
  found.check('G34', extension.visible === false && (node.extras.hidden === true || own?.hidden === true), `hidden node ${node.name}: ${JSON.stringify(node.extras)}`);
  found.check('G34', glb.options().hidden === 'include', 'hidden parts without hidden=include');
  found.check('G34', !(json.extensionsRequired ?? []).includes('KHR_node_visibility'), 'KHR_node_visibility is required');
}

function skin({ json, found, joints }) {
  const skins = json.skins ?? [];
  if (!skins.length) return;
  found.check('G15', skins.length === 1, `${skins.length} skins`);
  const [own] = skins;
  found.check('G16', joints.size === own.joints.length && own.joints.length > 0, 'a joint stands twice in skin.joints');
  found.check('G18', own.skeleton === json.scenes[0].nodes[0], `skin.skeleton ${own.skeleton}, first root ${json.scenes[0].nodes[0]}`);
  const above = new Map();
  json.nodes.forEach((node, i) => (node.children ?? []).forEach((child) => {
    found.check('G20', !above.has(child), `node ${child} has two parents`);
    above.set(child, i);
  }));
  for (const joint of own.joints) {
    let node = joint;
    for (let steps = 0; above.has(node) && steps <= json.nodes.length; steps++) node = above.get(node);
    found.check('G20', node === own.skeleton, `joint ${joint} does not hang below the skeleton node`);
  }
  const reached = new Set(json.scenes[0].nodes.flatMap(function walk(node) {
    return [node, ...(json.nodes[node].children ?? []).flatMap(walk)];
  }));
  found.check('G20', reached.size === json.nodes.length, `${json.nodes.length - reached.size} nodes are outside the scene`);
}

function primitives({ glb, json, found, joints }) {
  for (const mesh of json.meshes ?? []) {
    if (!found.check('G21', mesh.primitives.length === 1, `mesh ${mesh.name} has ${mesh.primitives.length} primitives`)) continue;
    const [primitive] = mesh.primitives;
    found.check('G21', (primitive.mode ?? 4) === 4 && 'indices' in primitive, `mesh ${mesh.name}: mode ${primitive.mode}`);
    const kind = (name) => json.accessors[primitive.attributes[name]]?.componentType;
    const count = json.accessors[primitive.attributes.POSITION].count;
    const index = json.accessors[primitive.indices].componentType;
    found.check('G22', index === (count <= 65535 ? 5123 : 5125), `mesh ${mesh.name}: indices of type ${index} for ${count} vertices`);
    found.check('G27', !('COLOR_0' in primitive.attributes), `mesh ${mesh.name} has COLOR_0`);
    const tangents = 'TANGENT' in primitive.attributes;
    found.check('G27', !tangents || json.materials[primitive.material]?.normalTexture, `mesh ${mesh.name} has tangents without a normal texture`);
    if (!json.skins?.length) {
      found.check('G46', !('JOINTS_0' in primitive.attributes), `mesh ${mesh.name} has joints without a skin`);
      continue;
    }
    found.check('G26', kind('JOINTS_0') === (joints.size <= 256 ? 5121 : 5123), `mesh ${mesh.name}: JOINTS_0 of type ${kind('JOINTS_0')} for ${joints.size} joints`);
    found.check('G26', kind('WEIGHTS_0') === (glb.compressed() ? 5123 : 5126), `mesh ${mesh.name}: WEIGHTS_0 of type ${kind('WEIGHTS_0')}`);
  }
}

// Which use each buffer view has, and what G28 asks of it.
function viewUses(json) {
  const uses = (json.bufferViews ?? []).map(() => ({ kinds: new Set(), accessors: new Set() }));
  const note = (accessor, kind) => {
    const view = json.accessors[accessor]?.bufferView;
    if (view === undefined) return;
    uses[view].kinds.add(kind);
    uses[view].accessors.add(accessor);
  };
  for (const mesh of json.meshes ?? []) {
    for (const primitive of mesh.primitives) {
      if ('indices' in primitive) note(primitive.indices, 'indices');
      Object.entries(primitive.attributes).forEach(([name, accessor]) => note(accessor, name));
    }
  }
  for (const own of json.skins ?? []) if ('inverseBindMatrices' in own) note(own.inverseBindMatrices, 'bind');
  for (const animation of json.animations ?? []) {
    for (const sampler of animation.samplers) {
      note(sampler.input, 'times');
      note(sampler.output, 'values');
    }
  }
  (json.images ?? []).forEach((image) => 'bufferView' in image && uses[image.bufferView].kinds.add('image'));
  return uses;
}

function views({ glb, json, found }) {
  const all = json.bufferViews ?? [];
  const images = json.images?.length ?? 0;
  const packed = glb.compressed();
  found.check('G28', all.length <= (packed ? 16 : 12) + images, `${all.length} views for ${images} images`);
  const seen = new Set();
  viewUses(json).forEach(({ kinds, accessors }, i) => {
    const view = all[i];
    found.check('G28', kinds.size === 1, `view ${i} is used for ${[...kinds].join(', ') || 'nothing'}`);
    const [kind] = kinds;
    // Compressed, elements of another size have a view of their own.
    const sizes = new Set([...accessors].map((a) => SIZES[json.accessors[a].componentType] * WIDTHS[json.accessors[a].type]));
    const key = packed ? `${kind} of ${[...sizes]}` : kind;
    found.check('G28', kind === 'image' || !seen.has(key), `${key} is spread over several views`);
    found.check('G28', kind === 'image' || !packed || sizes.size === 1, `view ${i} (${kind}) has elements of ${[...sizes]} bytes`);
    seen.add(key);
    const attribute = !['indices', 'bind', 'times', 'values', 'image'].includes(kind);
    const target = kind === 'indices' ? 34963 : attribute ? 34962 : undefined;
    found.check('G28', view.target === target, `view ${i} (${kind}) has target ${view.target}`);
    const stride = attribute ? (packed || accessors.size > 1) === 'byteStride' in view : !('byteStride' in view);
    found.check('G28', stride, `view ${i} (${kind}) of ${accessors.size} accessors has stride ${view.byteStride}`);
    found.check('G28', (view.byteOffset ?? 0) % 4 === 0, `view ${i} starts at ${view.byteOffset}`);
  });
}

function materials({ glb, json, found }) {
  const list = json.materials ?? [];
  const users = (json.meshes ?? []).map((mesh) => mesh.primitives[0].material);
  const mapped = (json.meshes ?? []).flatMap((mesh) => mesh.primitives[0].extensions?.KHR_materials_variants?.mappings ?? []);
  const all = new Set([...users, ...mapped.map((m) => m.material)]);
  found.check('G29', new Set(users).size === users.length && all.size === list.length && !all.has(undefined), `materials of the meshes: ${users}`);
  const pbr = glb.options().shading === 'pbr';
  for (const material of list) {
    const { name, extensions: own = {}, pbrMetallicRoughness: rough = {} } = material;
    found.check('G29', 'KHR_materials_unlit' in own !== pbr, `material ${name} has ${Object.keys(own)}`);
    found.check('G29', rough.metallicFactor === 0 && (rough.roughnessFactor ?? 1) === 1, `material ${name} is not metallic 0, roughness 1`);
    const mode = material.alphaMode ?? 'OPAQUE';
    const cutoff = !('alphaCutoff' in material) || (mode === 'MASK' && material.alphaCutoff !== 0.5);
    found.check('G30', ['OPAQUE', 'MASK', 'BLEND'].includes(mode) && cutoff, `material ${name}: ${mode}, cutoff ${material.alphaCutoff}`);
    found.check('G31', [undefined, true, false].includes(material.doubleSided), `material ${name}: doubleSided ${material.doubleSided}`);
    texture({ json, found, material });
  }
}

function texture({ json, found, material }) {
  const info = material.pbrMetallicRoughness?.baseColorTexture;
  if (!info) return;
  found.check('G32', (info.texCoord ?? 0) === 0, `material ${material.name} uses TEXCOORD_${info.texCoord}`);
  const { sampler } = json.textures[info.index];
  const own = json.samplers?.[sampler];
  if (!found.check('G32', own, `the texture of ${material.name} has no sampler`)) return;
  found.check('G32', own.magFilter === 9729 && own.minFilter === 9987, `sampler of ${material.name}: ${own.magFilter}, ${own.minFilter}`);
  found.check('G32', [undefined, 10497, 33071, 33648].includes(own.wrapS), `sampler of ${material.name} wraps ${own.wrapS}`);
}

function images({ glb, json, found }) {
  const digests = new Set();
  const modes = imageModes(json);
  (json.images ?? []).forEach((image, i) => {
    if (!found.check('G33', !('uri' in image) && 'bufferView' in image, `image ${i} is not embedded`)) return;
    const bytes = glb.viewBytes(image.bufferView);
    const digest = createHash('sha256').update(bytes).digest('hex');
    found.check('G33', !digests.has(digest), `image ${i} is stored twice`);
    digests.add(digest);
    const shown = [...(modes[i] ?? [])];
    // libwebp leaves out an alpha that is opaque everywhere; JPEG has none.
    if (image.mimeType === 'image/webp') found.check('G30', !webpHasAlpha(bytes) || !shown.includes('OPAQUE'), `image ${i} has alpha and belongs to ${shown}`);
    if (image.mimeType === 'image/jpeg') found.check('G30', shown.every((mode) => mode === 'OPAQUE'), `image ${i}, a JPEG, belongs to ${shown}`);
    if (image.mimeType !== 'image/png') return;
    const png = pngChunks(bytes);
    found.check('G33', png.depth === 8, `image ${i}: ${png.depth} bits`);
    const bad = png.chunks.filter((name) => ['iCCP', 'gAMA', 'cHRM', 'sRGB', 'tRNS', 'tIME', 'tEXt', 'iTXt', 'zTXt', 'eXIf'].includes(name));
    found.check('G33', bad.length === 0, `image ${i} has ${bad}`);
    const alpha = PNG_ALPHA.has(png.colour);
    for (const mode of shown) {
      found.check('G30', alpha === (mode !== 'OPAQUE'), `image ${i} of colour type ${png.colour} belongs to ${mode}`);
    }
  });
}

// RIFF, then VP8X with its flags, VP8L with its header bits, or VP8, which has no alpha.
function webpHasAlpha(bytes) {
  const kind = Buffer.from(bytes.subarray(12, 16)).toString('latin1');
  return kind === 'VP8X' ? (bytes[20] & 16) !== 0 : kind === 'VP8L' && (bytes[24] & 16) !== 0;
}

function imageModes(json) {
  const modes = {};
  for (const material of json.materials ?? []) {
    const info = material.pbrMetallicRoughness?.baseColorTexture;
    const texture = info && json.textures[info.index];
    if (info) (modes[texture.extensions?.EXT_texture_webp?.source ?? texture.source] ??= new Set()).add(material.alphaMode ?? 'OPAQUE');
  }
  return modes;
}

function animations({ glb, json, found, joints }) {
  for (const animation of json.animations ?? []) {
    const { name } = animation;
    const targets = animation.channels.map(({ target }) => `${target.node}/${target.path}`);
    found.check('G36', targets.length > 0, `animation ${name} has no channels`);
    found.check('G37', new Set(targets).size === targets.length, `animation ${name} has two channels for one target`);
    const good = animation.channels.every(({ target }) => joints.has(target.node) && ['translation', 'rotation', 'scale'].includes(target.path));
    found.check('G37', good || glb.options().content === 'animations', `animation ${name} targets something else than a joint`);
    samplers({ json, found, animation, game: glb.options().timing === 'game' });
    const own = glb.riftbake(animation);
    // A sequence says what it was made of piece by piece.
    const sources = own?.pieces ?? [own];
    for (const key of ['clip', 'hash']) found.check('G41', own && key in own, `animation ${name}: extras.riftbake.${key} is missing`);
    // A layered animation has no file of its own.
    for (const key of own?.class === 'layers' ? ['layers'] : ['file', 'fps', 'duration', 'tick', 'tracks']) {
      found.check('G41', sources.every((source) => source && key in source), `animation ${name}: extras.riftbake.${key} is missing`);
    }
  }
  // Decision 28: what we say in extras stands under one key.
  const own = [...(json.nodes ?? []), ...(json.materials ?? []), ...(json.meshes ?? []), ...(json.skins ?? []), ...(json.animations ?? [])];
  for (const thing of own.filter(({ extras }) => extras !== undefined)) {
    const keys = Object.keys(thing.extras).filter((key) => key !== 'hidden');
    found.check('D28', keys.every((key) => key === 'riftbake'), `${thing.name}: extras has ${keys}`);
  }
}

function samplers({ json, found, animation, game }) {
  const seen = new Set();
  let last = 0;
  const used = new Set(animation.channels.map((channel) => channel.sampler));
  found.check('G42', used.size === animation.samplers.length, `animation ${animation.name} has unused samplers`);
  for (const sampler of animation.samplers) {
    const key = `${sampler.input}/${sampler.output}/${sampler.interpolation ?? 'LINEAR'}`;
    found.check('G42', !seen.has(key), `animation ${animation.name} has two samplers of accessors ${key}`);
    seen.add(key);
    found.check('G40', sampler.interpolation !== 'LINEAR', `animation ${animation.name} spells LINEAR out`);
    const input = json.accessors[sampler.input];
    found.check('G38', input.type === 'SCALAR' && input.componentType === 5126 && input.min?.[0] >= 0, `animation ${animation.name}: input ${sampler.input}`);
    found.check('G42', input.count > 1 || input.min[0] === 0, `animation ${animation.name}: one key at ${input.min[0]}`);
    last = Math.max(last, input.max[0]);
  }
  const stored = animation.extras?.riftbake?.duration;
  found.check('G41', stored === undefined || game || last <= stored + 1e-4, `animation ${animation.name} lasts ${last}, stored ${stored}`);
}

// No two accessors of the key times or of the key values hold the same bytes.
function sharing({ glb, json, found }) {
  const uses = { times: new Set(), values: new Set() };
  for (const animation of json.animations ?? []) {
    for (const sampler of animation.samplers) {
      uses.times.add(sampler.input);
      uses.values.add(sampler.output);
    }
  }
  for (const [what, list] of Object.entries(uses)) {
    const seen = new Map();
    for (const index of list) {
      const key = json.accessors[index].type + Buffer.from(glb.packed(index, true)).toString('latin1');
      found.check('G42', !seen.has(key), `accessors ${seen.get(key)} and ${index} of the ${what} are equal`);
      seen.set(key, index);
    }
  }
}

if (isMain(import.meta)) await run([['structure', structure]], process.argv.slice(2), ['allow-extension']);
