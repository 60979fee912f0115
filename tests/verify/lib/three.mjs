// three.js without a browser: the few globals that GLTFLoader touches, and no pixels.

let loaded;

export async function loadThree() {
  loaded ??= load();
  return loaded;
}

async function load() {
  globalThis.self ??= globalThis;
  // Images are only counted here, so a bitmap of the right size is enough.
  globalThis.createImageBitmap ??= async (blob) => {
    const head = new DataView(await blob.slice(0, 24).arrayBuffer());
    const png = head.byteLength >= 24 && head.getUint32(0) === 0x89504e47;
    return { width: png ? head.getUint32(16) : 1, height: png ? head.getUint32(20) : 1, close() {} };
  };
  const THREE = await import('three');
  const { MeshoptDecoder } = await import('meshoptimizer');
  const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
  const parse = async (bytes) => {
    const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
    const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return loader.parseAsync(copy, '');
  };
  return { THREE, parse };
}
