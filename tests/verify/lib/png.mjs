// The little of PNG that the checks need: chunk names, bit depth, colour type.

export const PNG_ALPHA = new Set([4, 6]);

export function pngChunks(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33 || view.getUint32(0) !== 0x89504e47) throw new Error('not a PNG');
  const chunks = [];
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    chunks.push(Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1'));
  }
  return { chunks, width: view.getUint32(16), height: view.getUint32(20), depth: bytes[24], colour: bytes[25] };
}
