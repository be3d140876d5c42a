/** Decimal text: exact whatever its length, and read as people type. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareAmounts, excessOf, largest, readTyped, smallest, typedAs } from './decimal.ts';

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
  const euros = { places: 2, language: 'en' };
  const coins = (language: string) => ({ places: 8, language });

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
    expect(readTyped(text, euros)).toEqual({ amount });
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
    ['25,000', 'places'],
    ['1.500', 'places'],
    ['1,000,000', 'wrong'],
  ])('finds %j %s', (text, flaw) => {
    expect(readTyped(text, euros)).toEqual({ flaw });
  });

  it.each([
    ['25,000', 'en'],
    ['1.500', 'de'],
    ['١,٥٠٠', 'ar'],
    ['100.000', 'pt'],
  ])('does not guess whether %j are thousands where %s writes them so', (text, language) => {
    expect(readTyped(text, coins(language))).toEqual({ flaw: 'wrong' });
  });

  it.each([
    ['1.500', 'en', '1.5'],
    ['1,500', 'de', '1.5'],
    ['1,500', 'fr', '1.5'],
    ['0,001', 'en', '0.001'],
    ['0.125', 'de', '0.125'],
    ['1.5000', 'de', '1.5'],
    ['1500,125', 'en', '1500.125'],
  ])('reads the coins %j in %s as %s', (text, language, amount) => {
    expect(readTyped(text, coins(language))).toEqual({ amount });
  });
});

describe('typedAs', () => {
  it('writes amounts that are read as they were, in every language', () => {
    const languages = fc.constantFrom('ar', 'de', 'en', 'es', 'fr', 'ja', 'pt');
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 9n), languages, (units, language) => {
        const amount = `${units / 1_000n}.${String(units % 1_000n).padStart(3, '0')}`;
        const read = readTyped(typedAs(amount, language), { places: 3, language });
        expect('amount' in read && compareAmounts(read.amount, amount)).toBe(0);
      }),
    );
    expect(typedAs('1.125', 'de')).toBe('1,125');
    expect(typedAs('100.000', 'en')).toBe('100');
  });
});
