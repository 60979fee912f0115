// The schemas of schema/, compiled once.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const Ajv = createRequire(import.meta.url)('ajv/dist/2020');
const read = (path) => JSON.parse(readFileSync(new URL(`../../../schema/${path}`, import.meta.url), 'utf8'));

export const SCHEMAS = Object.fromEntries(
  ['skin', 'skeleton', 'report', 'extras'].map((name) => [name, read(`${name}.schema.json`)]),
);
export const OPENAPI = read('openapi.yaml'); // JSON inside YAML

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
for (const schema of Object.values(SCHEMAS)) ajv.addSchema(schema);

// The complaints of one schema ('skin', 'extras#/$defs/Asset') about a value; empty when it is as it should be.
export function complaints(name, value) {
  const [file, part = ''] = name.split('#');
  const check = ajv.getSchema(`${file}.schema.json${part ? `#${part}` : ''}`);
  if (check(value)) return [];
  return check.errors.map((e) => `${e.instancePath || '/'} ${e.message}${e.params?.additionalProperty ? `: ${e.params.additionalProperty}` : ''}`);
}

// Everything below extras.riftbake in a GLB's JSON, each with the definition it must meet.
export function extrasOf(json) {
  const own = (thing) => thing?.extras?.riftbake;
  const all = [['Asset', 'asset', own(json.asset)]];
  const place = json.skins?.length ? json.skins[0] : json.nodes?.[0];
  if (json.skins?.length || own(place)?.joints) all.push(['Skin', 'skin', own(place)]);
  (json.nodes ?? []).forEach((node, i) => 'mesh' in node && all.push(['Node', `node ${i}`, own(node)]));
  (json.materials ?? []).forEach((m, i) => all.push(['Material', `material ${i}`, own(m)]));
  (json.animations ?? []).forEach((a, i) => all.push(['Animation', `animation ${i}`, own(a)]));
  (json.extensions?.KHR_materials_variants?.variants ?? []).forEach((v, i) => all.push(['Variant', `variant ${i}`, own(v)]));
  return all;
}

export function checkExtras(json, found, where = '') {
  for (const [definition, what, value] of extrasOf(json)) {
    for (const text of complaints(`extras#/$defs/${definition}`, value)) found.fail('schema', `${where}${what}: ${text}`);
  }
  found.rules.add('schema');
}
