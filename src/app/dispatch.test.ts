/** When a delivery is tried again: the schedule, exactly. How it is delivered stands in the contract tests. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waitAfter } from './dispatch.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

describe('the schedule', () => {
  it.each([
    [1, 5 * SECOND],
    [2, 5 * MINUTE],
    [3, 30 * MINUTE],
    [4, 2 * HOUR],
    [5, 5 * HOUR],
    [6, 10 * HOUR],
    [7, 14 * HOUR],
    [8, 20 * HOUR],
    [9, 24 * HOUR],
  ])('after attempt %i waits %i ms, give or take a tenth', (attempts, planned) => {
    expect(waitAfter(attempts, 0)).toBe(planned);
    expect(waitAfter(attempts, -1)).toBe(planned * 0.9);
    expect(waitAfter(attempts, 1)).toBe(Math.round(planned * 1.1));
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), chance => {
        const wait = waitAfter(attempts, chance) ?? Number.NaN;
        expect(Math.abs(wait - planned)).toBeLessThanOrEqual(planned * 0.1 + 1);
      }),
    );
  });

  it('ends after ten attempts', () => {
    expect([10, 11, 1_000].map(attempts => waitAfter(attempts, 0))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('makes the first attempt at once', () => {
    expect(waitAfter(0, 1)).toBe(0);
  });
});
