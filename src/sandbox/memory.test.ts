/** A stand-in's memory: it keeps what it was told, and forgets the oldest when there is too much. */
import { expect, it } from 'vitest';
import { createMemory } from './memory.ts';

it('forgets the oldest first, and knows the rest', () => {
  const memory = createMemory<number>(3);
  for (const [at, key] of ['a', 'b', 'c', 'b', 'd'].entries()) memory.put(key, at);
  expect(['a', 'b', 'c', 'd'].map(key => memory.get(key))).toEqual([undefined, 3, 2, 4]);
  expect(memory.find(value => value > 2)).toEqual([3, 4]);
});
