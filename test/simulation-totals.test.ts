/** Totals of long simulations: a run that is broken off goes on where it was, and never on another build's account. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addToTotals, beginTotals, keepTotals, openTotals } from '../simulation/totals.ts';
import type { Told } from '../simulation/worker.ts';

const RUN = { build: 'this one', purchases: 100 };
let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'totals-'));
  path = join(folder, 'deep', 'kept.json');
});
afterAll(() => rmSync(folder, { recursive: true }));

function told(seed: number, violations: string[] = []): Told {
  return {
    ...{
      seed,
      violations,
      transactions: 90,
      statements: 7_000,
      happened: 1,
      virtualMs: 2,
      cpuMs: 3,
      digest: '',
    },
    reached: { 'provider hang': 2 },
  };
}

it('begins with nothing where nothing was kept', () => {
  expect(openTotals(path, RUN)).toEqual(beginTotals('this one', 100));
});

it('goes on with what was kept, seed by seed', () => {
  const first = openTotals(path, RUN);
  for (const seed of [3, 1, 2, 7]) addToTotals(first, told(seed));
  keepTotals(path, first);
  const second = openTotals(path, RUN);
  addToTotals(second, told(8, ['P1 at 3.000 s: lost']));
  keepTotals(path, second);
  expect(openTotals(path, RUN)).toMatchObject({
    ...{ done: new Set([1, 2, 3, 7, 8]), transactions: 450, violations: 1 },
    failed: { 8: ['P1 at 3.000 s: lost'] },
    reached: { 'provider hang': 10 },
  });
});

it('adds nothing to what another build has done, and leaves it as it was', () => {
  const others = { build: 'that one', purchases: 100 };
  expect(openTotals(path, others).done.size).toBe(0);
  const totals = openTotals(path, others);
  addToTotals(totals, told(1));
  keepTotals(path, totals);
  expect(openTotals(path, others).transactions).toBe(90);
  expect(openTotals(path, RUN).transactions).toBe(450);
});
