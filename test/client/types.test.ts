/** The client's types are those of the schemas. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { writeClientTypes } from '../../scripts/client-types.ts';

it('client/src/types.ts is what node scripts/generate-client-types.mjs writes', () => {
  const path = resolve(import.meta.dirname, '../../client/src/types.ts');
  expect(readFileSync(path, 'utf8')).toBe(writeClientTypes());
});
