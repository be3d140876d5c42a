/** The document about providers says what their folders say. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { describeProviders } from '../scripts/providers-doc.ts';
import { registry } from '../src/providers/registry.ts';

const ROOT = resolve(import.meta.dirname, '..');

it('docs/providers.md is what node scripts/providers-doc.mjs writes', async () => {
  const written = await describeProviders(ROOT);
  expect(readFileSync(resolve(ROOT, 'docs/providers.md'), 'utf8')).toBe(written);
  for (const { adapter } of registry) expect(written).toContain(`## ${adapter.manifest.name}\n`);
});
