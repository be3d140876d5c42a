/** What comes up in one turn of the loop is done at its end, in order. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { together } from './together.ts';

it('does what came up in its order, none of it before the turn is over', async () => {
  const done: number[] = [];
  const add = together((item: number) => void done.push(item), setImmediate);
  for (const item of [1, 2, 3]) add(item);
  expect(done).toEqual([]);
  await turn();
  expect(done).toEqual([1, 2, 3]);
});

it('leaves what comes up meanwhile to the next turn, and does each once', async () => {
  const done: number[] = [];
  const add = together((item: number) => {
    done.push(item);
    if (item < 3) add(item + 1);
  }, setImmediate);
  add(1);
  for (const wanted of [[1], [1, 2], [1, 2, 3], [1, 2, 3]]) {
    await turn();
    expect(done).toEqual(wanted);
  }
});

it('does what comes after one that fails', () => {
  vi.useFakeTimers({ toFake: ['setImmediate'] });
  try {
    const done: number[] = [];
    const add = together((item: number) => {
      if (item === 2) throw new Error('two');
      done.push(item);
    }, setImmediate);
    for (const item of [1, 2, 3, 4]) add(item);
    expect(() => vi.runAllTimers()).toThrow('two');
    add(5);
    vi.runAllTimers();
    expect(done).toEqual([1, 3, 4, 5]);
  } finally {
    vi.useRealTimers();
  }
});
