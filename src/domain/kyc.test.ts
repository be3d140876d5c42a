/** What is asked of a person: the tier of the amount, and never too little. */
import { describe, expect, it } from 'vitest';
import { asksAt, type KycTier } from './kyc.ts';
import { decimal } from './money.ts';

const TIERS: KycTier[] = [
  { upTo: { EUR: '150', USD: '160' }, asks: ['email'] },
  { upTo: { EUR: '700' }, asks: ['email', 'phone'] },
  { asks: ['email', 'phone', ['passport', 'driverLicense'], 'selfie'] },
];

describe('asksAt', () => {
  it.each([
    ['EUR', '1', 1],
    ['EUR', '150', 1],
    ['EUR', '150.01', 2],
    ['EUR', '700', 2],
    ['EUR', '700.000000000000000001', 4],
    ['USD', '160', 1],
    // The second tier says nothing about dollars, so it promises nothing.
    ['USD', '160.01', 4],
    ['GBP', '1', 4],
    ['eur', '1', 4],
  ])('asks in %s at %s for %i things', (code, amount, count) => {
    expect(asksAt(TIERS, code, decimal(amount))).toHaveLength(count);
  });

  it('asks for nothing where nothing is known', () => {
    expect(asksAt([], 'EUR', decimal(1))).toEqual([]);
  });
});
