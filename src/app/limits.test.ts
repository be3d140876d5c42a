/** Limits: what a caller may ask in any stretch of time, however it is spread. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLimit } from './limits.ts';

describe('a caller', () => {
  it('may ask for two seconds’ worth at once, and then as often as the limit says', () => {
    let now = 0;
    const { take } = createLimit(10, () => now);
    const asked = (times: number) => Array.from({ length: times }, () => take('a')).filter(Boolean).length;
    expect(asked(100)).toBe(20);
    now += 1_000;
    expect(asked(100)).toBe(10);
    now += 60_000;
    expect(asked(100)).toBe(20);
  });

  it('has one again a second after it had none', () => {
    let now = 0;
    const { take, burst } = createLimit(1, () => now);
    for (let at = 0; at < burst; at++) take('a');
    expect(take('a')).toBe(false);
    now += 1_000;
    expect(take('a')).toBe(true);
  });

  it.each([
    [2, 9],
    [10, 5],
    [40, 0],
  ])('who sends %i times what it may pays for being refused, and gets %i in ten', (times, expected) => {
    let now = 0;
    const { take, burst } = createLimit(10, () => now);
    for (let at = 0; at < burst; at++) take('a');
    let allowed = 0;
    for (const step = 100 / times; now < 100_000; now += step) if (take('a')) allowed++;
    expect(Math.floor(allowed / 100)).toBe(expected);
    now += 1_000;
    expect(take('a')).toBe(true);
  });

  it('takes nothing from others', () => {
    const { take } = createLimit(1, () => 0);
    while (take('greedy'));
    expect(take('other')).toBe(true);
  });

  it('never gets more than the burst and the rate, whenever it asks', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 200 });
    fc.assert(
      fc.property(pauses, fc.integer({ min: 1, max: 50 }), (waits, perSecond) => {
        let now = 0;
        const limit = createLimit(perSecond, () => now);
        let allowed = 0;
        for (const wait of waits) {
          now += wait;
          for (let at = 0; at < 5; at++) if (limit.take('a')) allowed++;
        }
        return allowed <= limit.burst + (perSecond * now) / 1_000;
      }),
    );
  });
});
