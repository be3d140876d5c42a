/** Money passes through the client without the loss of a digit. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountText, parseExact, writeExact } from '../../client/src/exact.ts';
import { parseJson } from '../../src/domain/json.ts';

const digits = (least: number, most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most }).map(all => all.join(''));
/** Decimal text with up to 18 places. */
const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), digits(0, 18))
  .map(([whole, places]) => (places ? `${whole}.${places}` : String(whole)));

describe('what is read', () => {
  it('keeps every digit of money, and counts with what is counted', () => {
    const text = '{"payout": 0.123456789012345678, "decimals": 18, "list": [1, -2.50, 1e3]}';
    expect(parseExact(text)).toEqual({
      payout: '0.123456789012345678',
      decimals: 18,
      list: ['1', '-2.50', '1e3'],
    });
  });

  it('leaves strings as they are, whatever stands in them', () => {
    const odd = { limit: '50', a: '"1"', b: '\\', c: '\\"2', d: '{"x": 3}', e: 'é\u2028 4', '5': true };
    expect(parseExact(JSON.stringify(odd))).toEqual(odd);
  });

  it.each([
    '{"a": 01}',
    '{"a": .5}',
    '{"a": 1.}',
    '{1: 2}',
    '{"a": +1}',
    '[1 2]',
    '{"a": --1}',
    '',
    '{"a": 1',
  ])('refuses what is not JSON: %s', text => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  it('reads any JSON as the service itself would, and takes nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json({ maxDepth: 2 }), fc.string()), text => {
        const outcome = (parse: (text: string) => unknown) => {
          try {
            return JSON.stringify(parse(text));
          } catch {
            return 'refused';
          }
        };
        expect(outcome(parseExact)).toBe(outcome(parseJson));
      }),
    );
  });
});

describe('what is written', () => {
  it('is a JSON number with the digits that were given', () => {
    expect(writeExact({ amount: '100.50', onramp: 'moonpay' })).toBe('{"amount":100.50,"onramp":"moonpay"}');
    expect(writeExact({ amount: '1' })).toBe('{"amount":1}');
  });

  it('comes back as it went, for every amount', () => {
    fc.assert(
      fc.property(decimal, fc.dictionary(fc.string(), fc.string()), (amount, others) => {
        const { amount: _, ...rest } = others;
        const read = parseExact(writeExact({ ...rest, amount })) as Record<string, unknown>;
        expect(read.amount).toBe(amount);
      }),
    );
  });

  it('spells small and large numbers out', () => {
    expect(amountText(1e-7)).toBe('0.0000001');
    expect(amountText(1.25e-9)).toBe('0.00000000125');
    expect(amountText(1.5e21)).toBe('1500000000000000000000');
    expect(amountText(0.1)).toBe('0.1');
  });

  it('means the number that was given', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-30, max: 1e30, noNaN: true }), number => {
        expect(Number(amountText(number))).toBe(number);
      }),
    );
  });

  it.each(['', '1,5', '-1', '+1', '1e3', ' 1', '01', '.5', '1.', 'NaN', '٣', '9'.repeat(65)])(
    'refuses %j, naming the field',
    text => {
      expect(() => amountText(text)).toThrow(
        expect.objectContaining({ name: 'CloverleafError', kind: 'badInput', field: 'amount' }),
      );
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('refuses the number %d', number => {
    expect(() => amountText(number)).toThrow(expect.objectContaining({ kind: 'badInput' }));
  });
});
