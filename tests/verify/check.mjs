// check.mjs [--allow-extension NAME]... [--poses FILE.json]... FILE.glb...
// All four checks of every file in one process: one line per file and check, exit 1 when one fails.

import { play } from './play.mjs';
import { run } from './lib/report.mjs';
import { structure } from './structure.mjs';
import { transform } from './transform.mjs';
import { validate } from './validate.mjs';

await run(
  [['validate', validate], ['transform', transform], ['structure', structure], ['play', play]],
  process.argv.slice(2),
  ['allow-extension', 'poses'],
);
