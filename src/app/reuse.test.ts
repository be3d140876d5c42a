/** Reuse: what was kept is found while it is young and wanted, and no more is kept than that. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReuse } from './reuse.ts';

function setUp(most = 3) {
  const clock = { now: 0 };
  return { reuse: createReuse<string>({ most, forMs: 100, ticks: () => clock.now }), clock };
}

describe('what was kept', () => {
  it('is found until its time is over, however often it was asked for', () => {
    const { reuse, clock } = setUp();
    reuse.keep('a', 'A');
    for (const now of [0, 50, 99]) {
      clock.now = now;
      expect(reuse.find('a')).toBe('A');
    }
    clock.now = 100;
    expect(reuse.find('a')).toBeUndefined();
  });

  it('is replaced by what is kept later under the same key', () => {
    const { reuse, clock } = setUp();
    for (const value of ['A', 'B', 'C', 'D', 'E']) {
      clock.now += 60;
      reuse.keep('a', value);
      expect(reuse.find('a')).toBe(value);
    }
  });

  it('stays beside any number of others as long as it is asked for', () => {
    const { reuse } = setUp();
    reuse.keep('wanted', 'A');
    for (let other = 0; other < 50; other++) {
      reuse.keep(`other ${other}`, 'B');
      expect(reuse.find('wanted')).toBe('A');
    }
  });

  it('are the last ones: so many at least, twice as many at most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 60 }), (most, count) => {
        const { reuse } = setUp(most);
        for (let at = 0; at < count; at++) reuse.keep(String(at), String(at));
        // The oldest first: those that are found are moved to the front, past those that are not there any more.
        const found = Array.from({ length: count }, (_, at) => String(at)).filter(
          key => reuse.find(key) === key,
        );
        expect(found.length).toBeGreaterThanOrEqual(Math.min(most, count));
        expect(found.length).toBeLessThanOrEqual(most * 2);
        expect(found.at(-1)).toBe(count > 0 ? String(count - 1) : undefined);
      }),
    );
  });
});
