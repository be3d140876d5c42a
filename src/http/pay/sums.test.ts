/** Sums: every digit is shown, and the parts add up. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currencies, exampleSale, exampleView } from '../../../test/browser/pay-world.ts';
import { decimal } from '../../domain/money.ts';
import { LANGUAGES, type Language } from '../languages.ts';
import { speechOf } from './speech.ts';
import { breakDown, writeSum } from './sums.ts';

const PEN = { speech: speechOf('en'), currencies };

describe('writeSum', () => {
  it.each([
    ['100', 'EUR', '100.00 EUR'],
    ['1234567.5', 'EUR', '1,234,567.50 EUR'],
    ['1234.5678', 'EUR', '1,234.5678 EUR'],
    ['5000', 'JPY', '5,000 JPY'],
    ['1.5', 'KWD', '1.500 KWD'],
    ['0.000000000000000001', 'ETH', '0.000000000000000001 ETH'],
    ['999999999999999.123456789012345678', 'ETH', '999,999,999,999,999.123456789012345678 ETH'],
    ['12345', 'DOGE', '12,345 DOGE'],
    ['0', 'EUR', '0.00 EUR'],
  ])('writes %s %s as %s', (amount, code, text) => {
    expect(writeSum({ amount: decimal(amount), code }, PEN)).toBe(text);
  });

  it.each<[Language, string]>([
    ['en', '1,234,567.50 EUR'],
    ['de', '1.234.567,50 EUR'],
    ['es', '1.234.567,50 EUR'],
    ['fr', '1\u202F234\u202F567,50 EUR'],
    ['pt', '1.234.567,50 EUR'],
    ['ja', '1,234,567.50 EUR'],
    ['ar', '\u20681,234,567.50 EUR\u2069'],
  ])('writes it as people write numbers in %s', (language, text) => {
    const pen = { speech: speechOf(language), currencies };
    expect(writeSum({ amount: decimal('1234567.5'), code: 'EUR' }, pen)).toBe(text);
  });

  it('changes no digit, in any language', () => {
    const everySum = fc.record({
      units: fc.bigInt({ min: 0n, max: 10n ** 33n }),
      language: fc.constantFrom(...LANGUAGES),
    });
    fc.assert(
      fc.property(everySum, ({ units, language }) => {
        const digits = units.toString().padStart(19, '0');
        const amount = decimal(`${digits.slice(0, -18)}.${digits.slice(-18)}`);
        const text = writeSum({ amount, code: 'EUR' }, { speech: speechOf(language), currencies });
        expect(text.replace(/\D/g, '')).toBe(padded(amount.toString()).replace('.', ''));
      }),
    );
    function padded(text: string): string {
      const [whole = '', fraction = ''] = text.split('.');
      return `${whole}.${fraction.padEnd(2, '0')}`;
    }
  });
});

describe('breakDown', () => {
  it('says what a purchase goes through', () => {
    const parts = breakDown(exampleView(), PEN);
    expect(parts?.value.amount.toString()).toBe('94.81');
    expect(parts?.rate).toBe('1 BTC ≈ 58,000.184 EUR');
  });

  it('says what a sale brings before fees', () => {
    const parts = breakDown(exampleSale(), PEN);
    expect(parts?.value.amount.toString()).toBe('2900');
    expect(parts?.rate).toBe('1 BTC = 58,000 EUR');
  });

  it('adds up to the last digit', () => {
    const cents = fc.integer({ min: 1, max: 10_000_000 }).map(value => decimal(value).div(100));
    fc.assert(
      fc.property(cents, cents, cents, (a, b, c) => {
        const pays = a.plus(b).plus(c);
        const view = exampleView({
          pays: { amount: pays, code: 'EUR' },
          networkFee: { amount: b, code: 'EUR' },
          providerFee: { amount: c, code: 'EUR' },
        });
        expect(breakDown(view, PEN)?.value.amount.eq(a)).toBe(true);
      }),
    );
  });

  it('says nothing where fees are in other money, or nothing is received', () => {
    expect(
      breakDown(exampleView({ networkFee: { amount: decimal('1'), code: 'USD' } }), PEN),
    ).toBeUndefined();
    expect(breakDown(exampleView({ gets: { amount: decimal('0'), code: 'BTC' } }), PEN)).toBeUndefined();
    expect(
      breakDown(exampleView({ providerFee: { amount: decimal('200'), code: 'EUR' } }), PEN),
    ).toBeUndefined();
  });
});
