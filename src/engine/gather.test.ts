/** Gathering: all that comes of it, in order, or what went wrong. */
import { describe, expect, it } from 'vitest';
import { gather } from './gather.ts';

type Begin = Parameters<typeof gather<number, string>>[1];

describe('what is gathered', () => {
  it('comes in the order of the items, whoever calls back first', async () => {
    const later = (ms: number, done: (result: string) => void) => void setTimeout(() => done(`${ms}`), ms);
    expect(await gather([20, 1, 10], later)).toEqual(['20', '1', '10']);
    expect(await gather(['a', 'b'], (item, done: (result: string) => void) => done(item))).toEqual([
      'a',
      'b',
    ]);
    expect(await gather([], () => {})).toEqual([]);
  });

  it.each([
    [
      'at once',
      () => {
        throw new Error('broken');
      },
    ],
    ['later', (_item, _done, fail) => void setTimeout(() => fail(new Error('broken')))],
  ] satisfies [string, Begin][])('is what went wrong, %s', async (_when, begin) => {
    await expect(gather([1, 2], begin)).rejects.toThrow('broken');
  });
});
