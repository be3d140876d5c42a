/** Which bounds are read from a provider's text, and which are left alone. */
import { expect, it } from 'vitest';
import type { Asset, Fiat } from '../domain/currency.ts';
import { decimal } from '../domain/money.ts';
import type { CountryCode, MethodId } from '../domain/words.ts';
import { readBounds } from './bounds.ts';
import type { NativeAsk } from './contract.ts';

const BUY: NativeAsk = {
  side: 'buy',
  fiat: { code: 'EUR' } as Fiat,
  asset: { code: 'USDC' } as Asset,
  method: 'creditcard' as MethodId,
  country: 'DE' as CountryCode,
  amount: decimal('10'),
  amountOf: 'source',
  native: { fiat: 'eur', asset: 'usdc_polygon', network: 'polygon', method: 'card' },
};
const SELL: NativeAsk = { ...BUY, side: 'sell' };

const READ: [string, NativeAsk, { min?: string; max?: string }][] = [
  ['The minimum amount is 20 EUR', BUY, { min: '20' }],
  ['Amount must be at most 9.5 eur.', BUY, { max: '9.5' }],
  ['Min 20 EUR, max 30,000.00 EUR', BUY, { min: '20', max: '30000' }],
  ['Amount should be between 25 and 5000 EUR', BUY, { min: '25', max: '5000' }],
  ['Amount should be between 25 EUR and 5000 EUR', BUY, { min: '25', max: '5000' }],
  ['Maximum is 5 usdc_polygon', SELL, { max: '5' }],
  ['Must be greater than or equal to 20 USDC', SELL, { min: '20' }],
  ['The minimum amount is 5 EUR', { ...BUY, amountOf: 'destination' }, { min: '5' }],
];

it.each(READ)('reads the bounds of "%s"', (text, ask, limits) => {
  const { min, max } = readBounds(text, ask)?.limits ?? {};
  expect({ min: min?.toString(), max: max?.toString() }).toEqual({
    min: undefined,
    max: undefined,
    ...limits,
  });
});

const LEFT_ALONE: [string, string, NativeAsk][] = [
  ['a currency that is received', 'The minimum amount is 20 USDC', BUY],
  ['a currency that is received', 'The minimum amount is 20 EUR', SELL],
  ['a currency nobody asked about', 'The minimum amount is 20 USD', BUY],
  ['two currencies', 'Amount should be between 25 USD and 5000 EUR', BUY],
  ['no currency', 'The minimum amount is 20', BUY],
  ['a name that opens with a digit', 'Less than the minimum for 1inch_eth EUR', BUY],
  ['a decimal comma', 'The minimum amount is 0,500 EUR', BUY],
  ['figures that cannot be told apart', 'Minimum and maximum are 20 EUR and 30 EUR', BUY],
  ['a bound that lets the ask through', 'The minimum was not reached by 10 EUR', BUY],
];

it.each(LEFT_ALONE)('states no bounds for %s: "%s"', (_what, text, ask) => {
  expect(readBounds(text, ask)).toBeUndefined();
});

it('reads a long text without delay and without what comes late in it', () => {
  const text = `${'minimum at most '.repeat(20_000)} 20 EUR`;
  const began = performance.now();
  expect(readBounds(text, BUY)).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(1_000);
});
