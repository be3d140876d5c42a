/** Bounds in what is received: an amount at one is accepted, and nothing a provider says costs the refusal. */
import { describe, expect, it } from 'vitest';
import type { Limits } from '../domain/listing.ts';
import { type Amount, cut, decimal, ZERO } from '../domain/money.ts';
import { type Ask, type Decline, decline, limitDecline, type Price } from '../domain/offer.ts';
import type { AssetId, CountryCode, FiatId, MethodId, NetworkId, Side } from '../domain/words.ts';
import { receivedBounds } from './bounds.ts';

const FIAT = { id: 'eur' as FiatId, code: 'EUR', name: 'Euro', symbol: '€', decimals: 2 };
const ASSET = {
  ...{ id: 'btc_bitcoin' as AssetId, code: 'BTC', name: 'Bitcoin', symbol: 'BTC', main: true },
  ...{ network: 'bitcoin' as NetworkId, decimals: 8, address: '' },
};
const LIMITS = { min: decimal(30), max: decimal(5_000) };
const RATE = decimal(88_000);

function askFor(amount: string, side: Side = 'buy'): Ask {
  const terms = { method: 'creditcard' as MethodId, country: 'DE' as CountryCode };
  return { side, fiat: FIAT, asset: ASSET, ...terms, amount: decimal(amount), amountOf: 'destination' };
}

/** A provider with a share, a least fee and limits on what is handed over. */
function provider({ min, max }: Limits, rate: Amount = RATE) {
  const asked: string[] = [];
  const worth = ({ side, amount }: Ask) => {
    const fiat = side === 'buy' ? amount : amount.times(rate);
    const share = fiat.times('0.04');
    const fee = share.gt('3.99') ? share : decimal('3.99');
    return side === 'buy' ? cut(fiat.minus(fee).div(rate), 8) : cut(fiat.minus(fee), 2);
  };
  return {
    asked,
    async quote(ask: Ask): Promise<Price | Decline> {
      asked.push(String(ask.amount));
      if ((min && ask.amount.lt(min)) || (max && ask.amount.gt(max)))
        return limitDecline('EUR', { min, max });
      return { pays: ask.amount, gets: worth(ask), networkFee: ZERO, providerFee: ZERO };
    },
  };
}

describe('receivedBounds', () => {
  it('tells the least amount that is accepted, a little too high', async () => {
    const { quote, asked } = provider(LIMITS);
    const { min, max } = await receivedBounds({ ask: askFor('0.00001'), limits: LIMITS, rate: RATE, quote });
    // 26.01 euros are left of the least amount.
    expect([min?.gte(decimal('26.01').div(RATE)), min?.lt(decimal('26.4').div(RATE)), max]).toEqual([
      true,
      true,
      undefined,
    ]);
    expect(asked).toEqual(['30']);
  });

  it('tells the greatest amount that is accepted, a little too low, with one question', async () => {
    const { quote, asked } = provider(LIMITS);
    const { min, max } = await receivedBounds({ ask: askFor('3'), limits: LIMITS, rate: RATE, quote });
    expect([max?.lte(decimal(4_800).div(RATE)), max?.gt(decimal(4_740).div(RATE)), min]).toEqual([
      true,
      true,
      undefined,
    ]);
    expect(asked).toEqual(['5000']);
  });

  it('finds out which end it was where no rate is known', async () => {
    const { quote, asked } = provider(LIMITS);
    const { max } = await receivedBounds({ ask: askFor('3'), limits: LIMITS, rate: undefined, quote });
    expect([String(max), asked]).toEqual(['0.054', ['30', '5000']]);
  });

  it('follows a provider whose limits are others by now', async () => {
    const { quote, asked } = provider({ min: decimal(50) });
    const { min } = await receivedBounds({ ask: askFor('0.00001'), limits: LIMITS, rate: RATE, quote });
    expect([min?.gt(decimal('46.01').div(RATE)), asked]).toEqual([true, ['30', '50']]);
  });

  it('reckons at the usual rate, on the safe side, where the price at a limit cannot be had', async () => {
    const quote = async () => decline('refused', 'not like this');
    const low = await receivedBounds({ ask: askFor('0.00001'), limits: LIMITS, rate: RATE, quote });
    const high = await receivedBounds({ ask: askFor('3'), limits: LIMITS, rate: RATE, quote });
    expect(low.min?.gt(decimal(30).div(RATE))).toBe(true);
    expect(high.max?.lt(decimal(4_800).div(RATE))).toBe(true);
  });

  it('tells nothing where nothing is known', async () => {
    const quote = async () => decline('refused', 'not like this');
    expect(await receivedBounds({ ask: askFor('3'), limits: LIMITS, rate: undefined, quote })).toEqual({});
    expect(await receivedBounds({ ask: askFor('3'), limits: {}, rate: RATE, quote })).toEqual({});
  });

  it('tells nothing of an amount that lies within', async () => {
    const { quote } = provider(LIMITS);
    expect(await receivedBounds({ ask: askFor('0.01'), limits: LIMITS, rate: RATE, quote })).toEqual({});
  });

  it('is in fiat on a sale', async () => {
    const limits = { min: decimal('0.001'), max: decimal('0.5') };
    const { quote } = provider(limits);
    const { min } = await receivedBounds({ ask: askFor('5', 'sell'), limits, rate: RATE, quote });
    expect([min?.gte('84.01'), min?.lte('85.5'), (min?.decimalPlaces() ?? 9) <= 2]).toEqual([
      true,
      true,
      true,
    ]);
  });
});
