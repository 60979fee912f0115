// Findings of one check on one file, and the command line shared by the four scripts.

export const SHOWN = 8;

export class Findings {
  constructor() {
    this.failures = [];
    this.counts = new Map();
    this.rules = new Set();
    this.notes = [];
  }

  fail(rule, text) {
    this.rules.add(rule);
    const count = (this.counts.get(rule) ?? 0) + 1;
    this.counts.set(rule, count);
    if (count <= SHOWN) this.failures.push({ rule, text });
  }

  check(rule, good, text) {
    this.rules.add(rule);
    if (!good) this.fail(rule, typeof text === 'function' ? text() : text);
    return Boolean(good);
  }

  note(text) {
    this.notes.push(text);
  }

  get ok() {
    return this.failures.length === 0;
  }
}

export function show(name, file, found, millis) {
  const notes = found.notes.length ? `  ${found.notes.join('; ')}` : '';
  console.log(`${found.ok ? 'ok    ' : 'FAILED'} ${name.padEnd(9)} ${file}  (${Math.round(millis)} ms)${notes}`);
  for (const { rule, text } of found.failures) console.log(`       ${rule}: ${text}`);
  for (const [rule, count] of found.counts) {
    if (count > SHOWN) console.log(`       ${rule}: and ${count - SHOWN} more`);
  }
}

// Splits `--name value` options from file names; a name given twice collects.
export function parseArguments(argv, known) {
  const options = Object.fromEntries(known.map((name) => [name, []]));
  const files = [];
  for (let i = 0; i < argv.length; i++) {
    if (!argv[i].startsWith('--')) {
      files.push(argv[i]);
    } else {
      const name = argv[i].slice(2);
      if (!(name in options) || i + 1 >= argv.length) {
        console.error(`unknown option or no value: ${argv[i]}`);
        process.exit(2);
      }
      options[name].push(argv[++i]);
    }
  }
  return { options, files };
}

// Runs named checks over files; a check is async (file, options, findings) => void.
export async function run(checks, argv, known) {
  const { options, files } = parseArguments(argv, known);
  if (files.length === 0) {
    console.error(`usage: ${known.map((name) => `[--${name} VALUE]`).join(' ')} FILE.glb...`);
    process.exit(2);
  }
  let failed = 0;
  for (const file of files) {
    for (const [name, check] of checks) {
      const found = new Findings();
      const start = performance.now();
      try {
        await check(file, options, found);
      } catch (error) {
        found.fail('run', error.stack ?? String(error));
      }
      if (!found.ok) failed++;
      show(name, file, found, performance.now() - start);
    }
  }
  process.exitCode = failed ? 1 : 0;
}

export const isMain = (meta) => process.argv[1] && meta.url === new URL(`file://${process.argv[1]}`).href;
