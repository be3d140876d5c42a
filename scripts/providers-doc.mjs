// Writes docs/providers.md from the manifests, the stand-ins, the cases and the notes of all providers.
//
//   node scripts/providers-doc.mjs            write it
//   node scripts/providers-doc.mjs --check    fail when it is not what would be written

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from './build.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENT = join(ROOT, 'docs', 'providers.md');

await bundle({ 'providers-doc': 'scripts/providers-doc.ts' });
const { describeProviders } = await import(pathToFileURL(join(ROOT, 'dist', 'providers-doc.js')).href);
const text = await describeProviders(ROOT);
if (!process.argv.includes('--check')) writeFileSync(DOCUMENT, text);
else if (readFileSync(DOCUMENT, 'utf8') !== text) {
  console.error('docs/providers.md is out of date: run node scripts/providers-doc.mjs');
  process.exitCode = 1;
}
