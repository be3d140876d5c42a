/** Usual rates: how long they are remembered, and what takes their place. */
import { describe, expect, it } from 'vitest';
import { ASK } from '../../test/bidders.ts';
import { decimal } from '../domain/money.ts';
import { createRateMemory } from './rates.ts';

const MINUTE = 60_000;

function setUp() {
  const stage = { ticks: 0 };
  const memory = createRateMemory(() => stage.ticks);
  return {
    stage,
    see: (rate: number, backing: number) => memory.remember(ASK, { rate: decimal(rate), backing }),
    known: () => {
      const { rate, backing } = memory.of(ASK) ?? {};
      return rate && [Number(rate), backing];
    },
  };
}

describe('a usual rate', () => {
  it('is known for ten minutes', () => {
    const { stage, see, known } = setUp();
    expect(known()).toBeUndefined();
    see(88_000, 1);
    stage.ticks = 10 * MINUTE - 1;
    expect(known()).toEqual([88_000, 1]);
    stage.ticks++;
    expect(known()).toBeUndefined();
  });

  it('gives way to what as many agree on, or more; more than three count as three', () => {
    const { see, known } = setUp();
    const seen: [number, number][] = [
      [88_000, 1],
      [88_100, 1],
      [88_200, 2],
      [88_300, 12],
      [88_400, 3],
    ];
    for (const [rate, backing] of seen) {
      see(rate, backing);
      expect(known()).toEqual([rate, Math.min(backing, 3)]);
    }
  });

  it('does not give way to what fewer agree on, who keep it alive but cannot speak for the others', () => {
    const { stage, see, known } = setUp();
    see(88_000, 3);
    stage.ticks = 6 * MINUTE;
    see(99_000, 1);
    expect(known()).toEqual([88_000, 3]);
    stage.ticks = 10 * MINUTE;
    expect(known()).toEqual([88_000, 1]);
    see(99_000, 1);
    expect(known()).toEqual([99_000, 1]);
  });
});
