// A small conforming GLB: two joints, two triangles in two parts, two clips, one textured material.

import { deflateSync } from 'node:zlib';

export function png(width, height, colour, extra = [], rows = null) {
  const channels = colour === 6 ? 4 : 3;
  const raw = Buffer.alloc(height * (1 + width * channels), 200);
  for (let y = 0; y < height; y++) raw[y * (1 + width * channels)] = 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, colour, 0, 0, 0], 8);
  const chunk = (name, data) => {
    const out = Buffer.alloc(12 + data.length);
    out.writeUInt32BE(data.length, 0);
    out.write(name, 4, 'latin1');
    data.copy(out, 8);
    out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)), 8 + data.length);
    return out;
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), ...extra.map(([name, data]) => chunk(name, data)), chunk('IDAT', deflateSync(rows ?? raw)), chunk('IEND', Buffer.alloc(0))]);
}

// node 18 has no zlib.crc32.
function crc(data) {
  let value = ~0;
  for (const byte of data) {
    value ^= byte;
    for (let k = 0; k < 8; k++) value = (value >>> 1) ^ (0xedb88320 & -(value & 1));
  }
  return ~value >>> 0;
}

class Views {
  constructor() {
    this.views = [];
    this.accessors = [];
  }

  view(target, stride) {
    this.views.push({ target, stride, data: Buffer.alloc(0) });
    return this.views.length - 1;
  }

  raw(data) {
    const view = this.view();
    this.views[view].data = data;
    return view;
  }

  add(view, array, type, bounds) {
    const data = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    const place = this.views[view];
    const width = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
    const accessor = { bufferView: view, componentType: { Uint8Array: 5121, Uint16Array: 5123, Float32Array: 5126 }[array.constructor.name], count: array.length / width, type };
    if (place.data.length) accessor.byteOffset = place.data.length;
    if (bounds) {
      accessor.min = Array.from({ length: width }, (_, i) => Math.min(...array.filter((_v, k) => k % width === i)));
      accessor.max = Array.from({ length: width }, (_, i) => Math.max(...array.filter((_v, k) => k % width === i)));
    }
    place.data = Buffer.concat([place.data, data]);
    this.accessors.push(accessor);
    return this.accessors.length - 1;
  }

  close() {
    let binary = Buffer.alloc(0);
    const bufferViews = this.views.map(({ target, stride, data }) => {
      const view = { buffer: 0, byteOffset: binary.length, byteLength: data.length };
      if (target) view.target = target;
      if (stride) view.byteStride = stride;
      binary = Buffer.concat([binary, data, Buffer.alloc(-data.length & 3)]);
      return view;
    });
    return { bufferViews, accessors: this.accessors, binary };
  }
}

const f32 = (...values) => new Float32Array(values);

// The document and its binary, before packing; `edit` may change the document.
export function small(edit = () => {}) {
  const views = new Views();
  const [index, position, normal, uv, joints, weights] = [
    views.view(34963), views.view(34962, 12), views.view(34962, 12), views.view(34962, 8), views.view(34962, 4), views.view(34962, 16),
  ];
  const bind = views.view();
  const times = views.view();
  const values = views.view();
  const meshes = ['Body', 'Cape'].map((name, i) => ({
    name,
    primitives: [{
      attributes: {
        POSITION: views.add(position, f32(i, 0, 0, i + 1, 0, 0, i, 1, 0.5), 'VEC3', true),
        NORMAL: views.add(normal, f32(0, 0, 1, 0, 0, 1, 0, 0.6, 0.8), 'VEC3'),
        TEXCOORD_0: views.add(uv, f32(0, 0, 1, 0, 0, 1), 'VEC2'),
        JOINTS_0: views.add(joints, new Uint8Array([0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]), 'VEC4'),
        WEIGHTS_0: views.add(weights, f32(0.75, 0.25, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0), 'VEC4'),
      },
      indices: views.add(index, new Uint16Array([0, 1, 2]), 'SCALAR'),
      material: i,
    }],
  }));
  // The second index accessor follows six bytes; u16 needs no more.
  const inverse = views.add(bind, f32(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1), 'MAT4');
  const shared = views.add(times, f32(0, 0.5, 1.25), 'SCALAR', true);
  const once = views.add(times, f32(0), 'SCALAR', true);
  const half = Math.fround(Math.SQRT1_2);
  const turn = views.add(values, f32(0, 0, 0, 1, 0, 0, half, half, 0, 0, 0, 1), 'VEC4');
  const move = views.add(values, f32(0, 1, 0, 0, 2, 0, 0, 1, 0), 'VEC3');
  const still = views.add(values, f32(0, 1.5, 0), 'VEC3');
  const clip = (name, samplers, channels) => ({
    name, samplers, channels,
    extras: { riftbake: { clip: null, hash: '0x00000001', file: `${name}.anm`, fps: 30, duration: 1.25, tick: 1 / 30, tracks: { total: 2, skinning: 2, other: 0, leftover: [] } } },
  });
  const image = views.raw(png(4, 4, 2));
  const document = {
    asset: {
      version: '2.0', generator: 'small 0', copyright: 'The art belongs to Riot Games',
      extras: { riftbake: { version: '0', skin: 1000, champion: 'test', sigma: 0.01, mirror: 'x', options: {}, sources: [], report: [{ code: 'odd', count: 1, examples: ['one'] }] } },
    },
    extensionsUsed: ['KHR_materials_unlit'],
    scene: 0,
    scenes: [{ nodes: [0, 3, 4] }],
    nodes: [
      { name: 'skeleton', children: [1] },
      { name: 'Root: [a].b', rotation: [0, 0.6, 0, 0.8], children: [2] },
      { name: 'Head', translation: [0, 1, 0] },
      ...meshes.map((mesh, i) => ({ name: mesh.name, mesh: i, skin: 0, extras: { riftbake: {} } })),
    ],
    skins: [{ skeleton: 0, joints: [1, 2], inverseBindMatrices: inverse, extras: { riftbake: {} } }],
    meshes,
    materials: meshes.map((mesh, i) => ({
      name: mesh.name, doubleSided: true, extensions: { KHR_materials_unlit: {} }, extras: { riftbake: {} },
      pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 1, ...(i ? {} : { baseColorTexture: { index: 0 } }) },
    })),
    samplers: [{ magFilter: 9729, minFilter: 9987 }],
    textures: [{ sampler: 0, source: 0 }],
    images: [{ bufferView: image, mimeType: 'image/png', name: 'body' }],
    animations: [
      clip('walk', [{ input: shared, output: turn }, { input: shared, output: move }], [
        { sampler: 0, target: { node: 1, path: 'rotation' } }, { sampler: 1, target: { node: 2, path: 'translation' } },
        { sampler: 0, target: { node: 2, path: 'rotation' } }]),
      clip('stand', [{ input: once, output: still }, { input: shared, output: turn }], [
        { sampler: 0, target: { node: 2, path: 'translation' } }, { sampler: 1, target: { node: 1, path: 'rotation' } }]),
    ],
  };
  const { binary, ...rest } = views.close();
  Object.assign(document, rest, { buffers: [{ byteLength: binary.length }] });
  const parts = { document, binary };
  edit(document, parts);
  return pack(parts.document, parts.binary);
}

export function pack(document, binary) {
  let text = Buffer.from(JSON.stringify(document));
  text = Buffer.concat([text, Buffer.alloc(-text.length & 3, 0x20)]);
  const head = Buffer.alloc(12);
  const chunk = (kind, data) => {
    const out = Buffer.alloc(8);
    out.writeUInt32LE(data.length, 0);
    out.write(kind, 4, 'latin1');
    return Buffer.concat([out, data]);
  };
  const body = Buffer.concat([chunk('JSON', text), chunk('BIN\0', Buffer.concat([binary, Buffer.alloc(-binary.length & 3)]))]);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + body.length, 8);
  return new Uint8Array(Buffer.concat([head, body]));
}
