// conforms.mjs SCHEMA FILE.json...
// JSON documents against a schema of schema/ (skin, skeleton, report).

import { readFileSync } from 'node:fs';
import { complaints, SCHEMAS } from './lib/schema.mjs';

const [name, ...files] = process.argv.slice(2);
if (!SCHEMAS[name] || files.length === 0) {
  console.error('usage: conforms.mjs skin|skeleton|report FILE.json...');
  process.exit(2);
}
for (const file of files) {
  for (const text of complaints(name, JSON.parse(readFileSync(file, 'utf8')))) {
    console.log(`${file}: ${text}`);
    process.exitCode = 1;
  }
}
