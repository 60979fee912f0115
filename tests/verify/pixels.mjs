// pixels.mjs FILE.glb FOLDER
// Unpacks the PNG images of a GLB into FOLDER/<n>.raw and images.json, for check_glb.py --pixels.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glb } from './lib/glb.mjs';
import { decodePng } from './lib/png.mjs';

const [file, folder] = process.argv.slice(2);
if (!folder) {
  console.error('usage: pixels.mjs FILE.glb FOLDER');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const glb = Glb.read(file);
const table = glb.list('images').map((image, i) => {
  const { width, height, channels, data } = decodePng(glb.viewBytes(image.bufferView));
  writeFileSync(join(folder, `${i}.raw`), data);
  return { width, height, channels };
});
writeFileSync(join(folder, 'images.json'), JSON.stringify(table));
