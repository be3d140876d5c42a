/** The pulse: late is what is late most of the time. */
import { expect, it } from 'vitest';
import { createPulse } from './pulse.ts';

function setUp(mostMs: number) {
  const state = { now: 0, middleMs: 50, looks: 0 };
  const isLate = createPulse({
    mostMs,
    ticks: () => state.now,
    delays: {
      percentile: share => (share === 50 ? state.middleMs * 1e6 : 10e9),
      reset() {
        state.looks++;
      },
    },
  });
  const lookAfter = (ms: number) => {
    state.now += ms;
    return isLate();
  };
  return { state, lookAfter };
}

it('is not late at first, however long the start has kept the loop', () => {
  const { state, lookAfter } = setUp(100);
  state.middleMs = 2_000;
  expect(lookAfter(1_000)).toBe(false);
  expect(lookAfter(1_000)).toBe(true);
});

it('is not late while the loop comes round in time most of the time', () => {
  const { state, lookAfter } = setUp(100);
  lookAfter(1_000);
  state.middleMs = 149;
  expect(lookAfter(1_000)).toBe(false);
});

it('is late when most turns are, and in time again when they are', () => {
  const { state, lookAfter } = setUp(100);
  lookAfter(1_000);
  state.middleMs = 151;
  expect(lookAfter(1_000)).toBe(true);
  state.middleMs = 50;
  expect(lookAfter(1_000)).toBe(false);
});

it('is looked at now and then only, however many ask', () => {
  const { state, lookAfter } = setUp(100);
  for (let at = 0; at < 1_000; at++) lookAfter(1);
  expect(state.looks).toBe(4);
});

it('is never late where nobody wants to know', () => {
  const { state, lookAfter } = setUp(0);
  state.middleMs = 10_000;
  expect(lookAfter(1_000)).toBe(false);
});
