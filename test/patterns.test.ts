/** Every regular expression of the source against texts that are made to be hard for it: none searches for long. */
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { hardestOf, readPatterns } from './bad-input/patterns.ts';

const SOURCE = resolve(import.meta.dirname, '../src');
/** What takes a step for each character is done in one of these; what takes one for each two of them, in thousands. */
const PATIENCE_MS = 100;

it('none takes more than 100 ms of work for 64 kB, whatever they are', () => {
  const patterns = readPatterns(SOURCE);
  expect(patterns.length).toBeGreaterThan(300);
  const slow = patterns
    .map(pattern => ({ pattern, hardest: hardestOf(pattern, PATIENCE_MS) }))
    .filter(({ hardest }) => hardest.ms > PATIENCE_MS)
    .map(
      ({ pattern, hardest }) =>
        `${pattern.file} /${pattern.source}/${pattern.flags}: ${Math.round(hardest.ms)} ms for ${hardest.text}`,
    );
  expect(slow).toEqual([]);
});
