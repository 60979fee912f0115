// validate.mjs [--allow-extension NAME]... FILE.glb...
// The Khronos validator without an issue limit; what G2 does not list is a failure.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isMain, run } from './lib/report.mjs';

const validator = createRequire(import.meta.url)('gltf-validator');

export async function validate(file, options, found) {
  const bytes = new Uint8Array(readFileSync(file));
  const report = await validator.validateBytes(bytes, { uri: 'file.glb', maxIssues: 0, writeTimestamp: false });
  const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
  found.rules.add('G2');
  const document = bytes.length > 20 ? readJson(bytes) : {};
  for (const issue of messages) {
    if (!allowed(issue, document, options['allow-extension'] ?? [])) {
      found.fail('G2', `${['error', 'warning', 'info', 'hint'][issue.severity]} ${issue.code} ${issue.pointer ?? ''} ${issue.message}`);
    }
  }
  if (report.issues.truncated) found.fail('G2', 'the list of issues is cut short');
  found.note(`${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${numHints} hints`);
}

function readJson(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  try {
    return JSON.parse(Buffer.from(bytes.subarray(20, 20 + view.getUint32(12, true))).toString('utf8'));
  } catch {
    return {};
  }
}

function allowed(issue, document, extensions) {
  if (issue.severity < 2) return false;
  if (issue.code === 'IMAGE_NPOT_DIMENSIONS') return true;
  // Joints as plain nodes: the outermost ones hold nothing, and are what an animation moves.
  if (issue.code === 'NODE_EMPTY') return document.asset?.extras?.riftbake?.options?.content === 'animations';
  // The validator does not see that packed views lie in it.
  if (issue.code === 'UNUSED_OBJECT' && issue.pointer === '/buffers/0') return document.extensionsRequired?.includes('EXT_meshopt_compression');
  if (issue.code === 'UNUSED_OBJECT') return unusedTexcoord(issue.pointer ?? '', document);
  return issue.code === 'UNSUPPORTED_EXTENSION' && extensions.some((name) => issue.message.includes(`'${name}'`));
}

// Only TEXCOORD_0 of a primitive whose material has no texture may be unused.
function unusedTexcoord(pointer, document) {
  const match = /^\/meshes\/(\d+)\/primitives\/(\d+)\/attributes\/TEXCOORD_0$/.exec(pointer);
  if (!match) return false;
  const primitive = document.meshes?.[match[1]]?.primitives?.[match[2]];
  const material = document.materials?.[primitive?.material];
  return !JSON.stringify(material ?? {}).includes('Texture":');
}

if (isMain(import.meta)) await run([['validate', validate]], process.argv.slice(2), ['allow-extension']);
