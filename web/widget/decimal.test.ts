/** Decimal text: exact whatever its length, and read as people type. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareAmounts, excessOf, largest, readTyped, smallest } from './decimal.ts';

describe('compareAmounts', () => {
  it.each([
    ['1', '1.0', 0],
    ['0.1', '0.09', 1],
    ['9', '10', -1],
    ['0.000000000000000001', '0.000000000000000002', -1],
    ['123456789012345678901234567890.1', '123456789012345678901234567890.2', -1],
  ])('%s and %s', (a, b, order) => {
    expect(compareAmounts(a, b)).toBe(order);
    expect(compareAmounts(b, a)).toBe(order === 0 ? 0 : -order);
  });

  it('orders as whole numbers of the smallest place do', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 20n), fc.bigInt(0n, 10n ** 20n), (a, b) => {
        const text = (n: bigint) => `${n / 10n ** 8n}.${String(n % 10n ** 8n).padStart(8, '0')}`;
        expect(compareAmounts(text(a), text(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('finds the largest and the smallest', () => {
    expect(largest(['9', '10', '2.5'])).toBe('10');
    expect(smallest(['9', '10', '2.5'])).toBe('2.5');
    expect(largest([])).toBeUndefined();
  });
});

describe('excessOf', () => {
  it('is in hundredths of a percent', () => {
    expect(excessOf('101', '100')).toBe(100);
    expect(excessOf('0.00107356', '0.00107779')).toBe(-39);
    expect(excessOf('1', '0')).toBe(0);
  });
});

describe('readTyped', () => {
  it.each([
    ['100', '100'],
    ['1.50', '1.5'],
    ['1,5', '1.5'],
    ['.5', '0.5'],
    ['007', '7'],
    ['1 000', '1000'],
    ['٢٥٫٥', '25.5'],
    ['１２', '12'],
  ])('reads %j as %s', (text, amount) => {
    expect(readTyped(text, 2)).toEqual({ amount });
  });

  it.each([
    ['', 'missing'],
    ['0', 'missing'],
    ['0.00', 'missing'],
    ['abc', 'wrong'],
    ['1.2.3', 'wrong'],
    ['-5', 'wrong'],
    ['1e5', 'wrong'],
    ['0.001', 'places'],
  ])('finds %j %s', (text, flaw) => {
    expect(readTyped(text, 2)).toEqual({ flaw });
  });
});
