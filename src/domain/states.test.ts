/** States by their two letters, and all that are none. */
import { expect, it } from 'vitest';
import { findState } from './states.ts';

it('finds a state in capitals or in small letters', () => {
  expect(['NY', 'ny', 'DC', 'pr'].map(findState)).toEqual(['NY', 'NY', 'DC', 'PR']);
});

it('finds nothing in anything else', () => {
  for (const word of ['', 'n', 'nyc', 'Ny', 'zz', 'XX', 'n\n', 'ｎｙ', '__proto__', 'N Y'])
    expect(findState(word)).toBeUndefined();
});
