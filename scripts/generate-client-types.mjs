// Writes client/src/types.ts from the schemas of the service.
//
//   node scripts/generate-client-types.mjs            write it
//   node scripts/generate-client-types.mjs --check    fail when it is not what would be written

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from './build.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TYPES = join(ROOT, 'client', 'src', 'types.ts');

await bundle({ 'client-types': 'scripts/client-types.ts' });
const { writeClientTypes } = await import(pathToFileURL(join(ROOT, 'dist', 'client-types.js')).href);
const text = writeClientTypes();
if (!process.argv.includes('--check')) writeFileSync(TYPES, text);
else if (readFileSync(TYPES, 'utf8') !== text) {
  console.error('client/src/types.ts is out of date: run node scripts/generate-client-types.mjs');
  process.exitCode = 1;
}
