// The little of PNG that the checks need: chunk names, depth, colour type, and the pixels of 8-bit images.

import { inflateSync } from 'node:zlib';

export const PNG_ALPHA = new Set([4, 6]);
const CHANNELS = { 0: 1, 2: 3, 4: 2, 6: 4 };

export function pngChunks(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33 || view.getUint32(0) !== 0x89504e47) throw new Error('not a PNG');
  const chunks = [];
  const data = [];
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    const name = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1');
    chunks.push(name);
    if (name === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + view.getUint32(at)));
  }
  return { chunks, data, width: view.getUint32(16), height: view.getUint32(20), depth: bytes[24], colour: bytes[25], interlace: bytes[28] };
}

// Pixels of an 8-bit image without a palette: { width, height, channels, data }.
export function decodePng(bytes) {
  const { data, width, height, depth, colour, interlace } = pngChunks(bytes);
  const channels = CHANNELS[colour];
  if (depth !== 8 || !channels || interlace) throw new Error(`PNG of ${depth} bits, colour type ${colour}`);
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  if (raw.length !== height * (stride + 1)) throw new Error(`PNG has ${raw.length} bytes of pixels`);
  const out = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) unfilter(raw, y * (stride + 1), out, y * stride, stride, channels, y > 0);
  return { width, height, channels, data: out };
}

function unfilter(raw, from, out, to, stride, channels, above) {
  const filter = raw[from];
  if (filter > 4) throw new Error(`PNG filter ${filter}`);
  for (let i = 0; i < stride; i++) {
    const left = i >= channels ? out[to + i - channels] : 0;
    const up = above ? out[to + i - stride] : 0;
    const corner = above && i >= channels ? out[to + i - stride - channels] : 0;
    let guess = 0;
    if (filter === 1) guess = left;
    else if (filter === 2) guess = up;
    else if (filter === 3) guess = (left + up) >> 1;
    else if (filter === 4) guess = paeth(left, up, corner);
    out[to + i] = raw[from + 1 + i] + guess;
  }
}

function paeth(left, up, corner) {
  const estimate = left + up - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
