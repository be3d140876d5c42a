/** A short simulation: a few worlds in which much goes wrong, each gone through twice and the same way both times. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const LONGEST_MS = 240_000;
const OPTIONS = ['--seed', '1', '--seeds', '2', '--purchases', '8', '--twice'];

it(
  'holds what is always true in a world where everything goes wrong, and goes the same way with the same seed',
  async () => {
    const { stdout } = await run(process.execPath, ['scripts/simulate.mjs', ...OPTIONS], { cwd: ROOT });
    expect(stdout).toMatch(/^2 seeds, \d\d transactions, 0 violations, /m);
  },
  LONGEST_MS,
);
