/** Decimal text: exact whatever its length, and read as people type. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareAmounts, excessOf, largest, readTyped, scaled, smallest, typedAs } from './decimal.ts';

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

describe('scaled', () => {
  it.each([
    ['0.00658', '5', 2, 18, 'raise', '0.033'],
    ['4100', '5', 2, 0, 'raise', '21000'],
    ['21000', '1', 2, 0, 'raise', '21000'],
    ['0.00207812', '1.01', 4, 8, 'raise', '0.002099'],
    ['29876.5', '0.99', 4, 2, 'cut', '29570'],
    ['152.34', '1', 4, 0, 'raise', '153'],
  ] as const)(
    '%s times %s with %d digits and %d places, %s, is %s',
    (amount, factor, digits, places, rest, result) => {
      expect(scaled(amount, factor, { digits, places, rest })).toBe(result);
    },
  );
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
    ['1.500', 'places'],
    ['1.500.000', 'wrong'],
    ['1,00,000', 'wrong'],
  ])('finds %j %s', (text, flaw) => {
    expect(readTyped(text, euros)).toEqual({ flaw });
  });

  it.each([
    ['25,000', 'en'],
    ['1.500', 'de'],
    ['١,٥٠٠', 'ar'],
    ['100.000', 'pt'],
    ['1,000,000', 'en'],
  ])('does not guess whether %j are thousands of coins where %s writes them so', (text, language) => {
    expect(readTyped(text, coins(language))).toMatchObject({ flaw: 'grouped' });
  });

  it.each([
    ['15,000', 0, 'en', '15000'],
    ['1,500', 2, 'en', '1500'],
    ['1,000,000', 2, 'ja', '1000000'],
    ['1.500', 2, 'de', '1500'],
  ])(
    'reads %j of a currency with %d places in %s as %s: it can be nothing else',
    (text, places, language, amount) => {
      expect(readTyped(text, { places, language })).toEqual({ amount });
    },
  );

  it('says what thousands would be', () => {
    expect(readTyped('1.500', coins('de'))).toEqual({ flaw: 'grouped', whole: '1500' });
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
        const unit = { decimals: 3, isFiat: units % 2n === 0n };
        const read = readTyped(typedAs(amount, unit, language), { places: 3, language });
        expect('amount' in read && compareAmounts(read.amount, amount)).toBe(0);
      }),
    );
  });

  it('writes them as people of the language do, and money with all its places', () => {
    const coin = { decimals: 8, isFiat: false };
    const euro = { decimals: 2, isFiat: true };
    expect(typedAs('0.00208', coin, 'de')).toBe('0,00208');
    expect(typedAs('1.125', coin, 'ar')).toBe('1.125');
    expect(typedAs('172.3', euro, 'en')).toBe('172.30');
    expect(typedAs('1172.3', euro, 'de')).toBe('1172,30');
    expect(typedAs('100.000', euro, 'en')).toBe('100');
  });
});
