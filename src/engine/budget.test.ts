/** The budget over time. */
import { describe, expect, it } from 'vitest';
import { createBudget } from './budget.ts';

describe('a budget', () => {
  it('allows a burst, then as many a second as it is made for', () => {
    const budget = createBudget(10, 20);
    const taken = (at: number, tries: number) =>
      Array.from({ length: tries }, () => budget.take(at)).filter(Boolean).length;
    expect(taken(0, 50)).toBe(20);
    expect(taken(99, 50)).toBe(0);
    expect(taken(1_000, 50)).toBe(10);
    expect(taken(3_600_000, 50)).toBe(20);
  });

  it('holds over time however the requests are spaced', () => {
    const budget = createBudget(5, 10);
    let taken = 0;
    for (let at = 0; at <= 60_000; at += 7) if (budget.take(at)) taken++;
    expect(taken).toBeGreaterThan(300);
    expect(taken).toBeLessThanOrEqual(310);
  });

  it('leaves some to others where that is wished', () => {
    const budget = createBudget(10, 20);
    const taken = (at: number, keep: number) =>
      Array.from({ length: 50 }, () => budget.take(at, keep)).filter(Boolean).length;
    expect([taken(0, 5), taken(0, 0)]).toEqual([15, 5]);
    // Whoever leaves some goes on only when those are there again.
    expect([taken(500, 5), taken(600, 5), taken(600, 0)]).toEqual([0, 1, 5]);
  });

  it('tells when there is one to take', () => {
    const budget = createBudget(4, 2);
    expect([budget.waitMs(0), budget.take(0), budget.take(0)]).toEqual([0, true, true]);
    expect([budget.waitMs(0), budget.waitMs(100), budget.take(249)]).toEqual([250, 150, false]);
    expect([budget.waitMs(250), budget.take(250)]).toEqual([0, true]);
    expect([budget.waitMs(250, 1), budget.waitMs(700, 1), budget.waitMs(750, 1)]).toEqual([500, 50, 0]);
  });

  it('does not grow when the clock goes back', () => {
    const budget = createBudget(10, 1);
    expect([budget.take(3_600_000), budget.take(0)]).toEqual([true, false]);
  });
});
