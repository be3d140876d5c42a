/** What of a provider's texts is kept. */
import { describe, expect, it } from 'vitest';
import { placeIfAny, reasonIfAny, wordIfAny } from './plain.ts';

describe('a reference, hash or address', () => {
  it.each(['ord_0001', '0xabc', '0.0.123@1700000000.1', 'a'.repeat(200)])('is kept as it is: %s', word => {
    expect(wordIfAny(word)).toBe(word);
  });

  it.each([undefined, null, false, 7, {}, '', ' ', 'a b', 'a\u0000', 'a\n', 'é', 'a'.repeat(201)])(
    'is none: %j',
    value => {
      expect(wordIfAny(value)).toBeUndefined();
    },
  );
});

describe('a place for coins', () => {
  it.each([undefined, null, false, ''])('has no memo: %j', memo => {
    expect(placeIfAny('rAddress', memo)).toEqual({ address: 'rAddress', memo: undefined });
  });

  it('is an address and its memo', () => {
    expect(placeIfAny('rAddress', '104837')).toEqual({ address: 'rAddress', memo: '104837' });
  });

  it.each(['order 7', 'é', 'a'.repeat(201), {}, 7])('is none when its memo cannot be read: %j', memo => {
    expect(placeIfAny('rAddress', memo)).toBeUndefined();
  });
});

describe('a reason', () => {
  it.each([
    ['Card was declined', 'Card was declined'],
    ['  a\r\n\tb\u0000c  ', 'a b c'],
    ['Refusé — 残高不足', 'Refusé — 残高不足'],
    ['turned \u202eround', 'turned round'],
    ['x'.repeat(300), 'x'.repeat(200)],
    [`${'x'.repeat(199)}😀`, 'x'.repeat(199)],
  ])('is one short line: %j', (said, kept) => {
    expect(reasonIfAny(said)).toBe(kept);
  });

  it.each([undefined, null, false, 7, {}, '', ' \n '])('is none: %j', value => {
    expect(reasonIfAny(value)).toBeUndefined();
  });
});
