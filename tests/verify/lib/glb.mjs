// Reads a GLB without any library but meshopt's decoder: container, JSON and accessor bytes.

import { readFileSync } from 'node:fs';
import { MeshoptDecoder } from 'meshoptimizer';

await MeshoptDecoder.ready;
const MESHOPT = 'EXT_meshopt_compression';

export const SIZES = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
export const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

export class Glb {
  constructor(bytes) {
    this.bytes = bytes;
    this.problems = [];
    this.json = null;
    this.binary = new Uint8Array(0);
    this.binaryChunks = 0;
    this.unpacked = new Map();
    this.#parse(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  static read(path) {
    return new Glb(new Uint8Array(readFileSync(path)));
  }

  #bad(text) {
    this.problems.push(text);
  }

  #parse(view) {
    const size = view.byteLength;
    if (size < 20 || view.getUint32(0, true) !== 0x46546c67) throw new Error('not a GLB');
    if (view.getUint32(4, true) !== 2) this.#bad(`container version ${view.getUint32(4, true)}`);
    if (view.getUint32(8, true) !== size) this.#bad(`header says ${view.getUint32(8, true)} bytes, the file has ${size}`);
    let at = 12;
    for (let chunk = 0; at < size; chunk++) {
      if (at + 8 > size) return this.#bad(`${size - at} bytes after the last chunk`);
      const length = view.getUint32(at, true);
      const kind = view.getUint32(at + 4, true);
      if (length % 4) this.#bad(`chunk ${chunk} has ${length} bytes, no multiple of 4`);
      if (at + 8 + length > size) return this.#bad(`chunk ${chunk} of ${length} bytes ends past the file`);
      this.#chunk(chunk, kind, this.bytes.subarray(at + 8, at + 8 + length));
      at += 8 + length;
    }
  }

  #chunk(index, kind, data) {
    if (index === 0 && kind === 0x4e4f534a) {
      const text = Buffer.from(data).toString('utf8');
      this.json = JSON.parse(text);
      this.jsonText = text.trimEnd();
      if (!/\} *$/.test(text.slice(-8))) this.#bad('the JSON chunk is not padded with spaces');
      if (text.length - this.jsonText.length > 3) this.#bad('the JSON chunk has more than 3 bytes of padding');
    } else if (index === 1 && kind === 0x004e4942) {
      this.binary = data;
      this.binaryChunks++;
    } else {
      this.#bad(`chunk ${index} of kind 0x${kind.toString(16)}`);
    }
  }

  list(name) {
    return this.json[name] ?? [];
  }

  // Bytes of an accessor that is tightly packed (all but vertex attributes are). `filtered`: as keys are stored by a filter.
  packed(index, filtered = false) {
    const accessor = this.json.accessors[index];
    const size = SIZES[accessor.componentType] * WIDTHS[accessor.type] * accessor.count;
    const at = accessor.byteOffset ?? 0;
    return this.viewBytes(accessor.bufferView, filtered).subarray(at, at + size);
  }

  // Times and keys: floats, or 16 bits for -1 to 1.
  floats(index) {
    const bytes = this.packed(index).slice();
    if (this.json.accessors[index].componentType === 5126) return new Float32Array(bytes.buffer);
    return Float32Array.from(new Int16Array(bytes.buffer), (v) => Math.max(v / 32767, -1));
  }

  viewBytes(index, filtered = false) {
    const view = this.json.bufferViews[index];
    const at = view.byteOffset ?? 0;
    if (!view.extensions?.[MESHOPT]) return this.binary.subarray(at, at + view.byteLength);
    const key = `${index}${filtered ? ' filtered' : ''}`;
    if (!this.unpacked.has(key)) this.unpacked.set(key, this.#unpack(view.extensions[MESHOPT], filtered));
    return this.unpacked.get(key);
  }

  #unpack({ byteOffset = 0, byteLength, byteStride, count, mode, filter }, filtered) {
    const out = new Uint8Array(byteStride * count);
    MeshoptDecoder.decodeGltfBuffer(out, count, byteStride, this.binary.subarray(byteOffset, byteOffset + byteLength), mode, filtered ? 'NONE' : filter);
    return out;
  }

  riftbake(thing) {
    return thing?.extras?.riftbake;
  }

  options() {
    return this.riftbake(this.json.asset)?.options ?? {};
  }

  compressed() {
    return (this.options().compress ?? 'none') !== 'none';
  }
}

// Joint index -> parent joint index, -1 for the roots.
export function jointParents(json) {
  const joints = json.skins?.[0]?.joints ?? [];
  const place = new Map(joints.map((node, i) => [node, i]));
  const parents = new Array(joints.length).fill(-1);
  (json.nodes ?? []).forEach((node, number) => {
    for (const child of node.children ?? []) {
      if (place.has(child) && place.has(number)) parents[place.get(child)] = place.get(number);
    }
  });
  return parents;
}
