/** Bounds in what is received: an amount at one is accepted, and nothing a provider says costs the refusal. */
import { describe, expect, it } from 'vitest';
import type { Found, Limits } from '../domain/listing.ts';
import { type Amount, cut, decimal, parseAmount, ZERO } from '../domain/money.ts';
import { type Ask, type Decline, decline, limitDecline, type Offer, type Price } from '../domain/offer.ts';
import type { AssetId, CountryCode, FiatId, MethodId, NetworkId, Side } from '../domain/words.ts';
import { knownLimits, receivedBounds, sourceLimitsAt } from './bounds.ts';

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

describe('bounds of a coin with more places than can be asked about', () => {
  const NEAR = { ...ASSET, decimals: 24 };
  const rate = decimal('2.7');
  const fiat = { native: 'eur', methods: new Map() };
  const found = (min: string, max: string): Found => ({
    asset: { native: 'near', network: 'near' },
    fiat,
    method: { native: 'card', min: decimal(min), max: decimal(max) },
  });
  const sale = { ...askFor('1', 'sell'), asset: NEAR };

  /** Whether amounts can be sent back as they are told. */
  const areSendable = (...amounts: (Amount | undefined)[]) =>
    amounts.every(amount => typeof parseAmount(String(amount), NEAR.decimals) === 'object');

  it('can be asked about, and are never too low or too high', () => {
    const { min, max } = knownLimits(sale, found('20', '1000'), { stated: undefined, rate });
    expect(areSendable(min, max)).toBe(true);
    expect([min?.times(rate).gte(20), max?.times(rate).lte(1_000)]).toEqual([true, true]);
  });

  it('can be asked about where an offer tells them', () => {
    const offer: Offer = {
      ...{ kind: 'offer', pays: decimal(30), gets: decimal(80), rate, asks: [] },
      ...{ networkFee: ZERO, providerFee: decimal(1) },
    };
    const { min } = sourceLimitsAt(sale, found('100', '1000'), offer);
    const { max } = sourceLimitsAt(sale, found('1', '70'), offer);
    expect(areSendable(min, max)).toBe(true);
    expect([min?.times(rate).gte(101), max?.lte(decimal(30).times(70).div(80))]).toEqual([true, true]);
  });

  it('are asked about with as many places as can be', async () => {
    const { quote, asked } = provider({});
    const limits = { min: decimal('0.3333333333333333333333') };
    await receivedBounds({ ask: sale, limits, rate, quote });
    expect(asked).toEqual(['0.333333333333333334']);
  });

  it('can be asked about where they are in what is received', async () => {
    const gets = decimal('0.0000000000000000023456789');
    const quote = async (): Promise<Price> => ({ pays: ZERO, gets, networkFee: ZERO, providerFee: ZERO });
    const ask = { ...askFor('0.000000000000000001'), asset: NEAR };
    const { min } = await receivedBounds({ ask, limits: LIMITS, rate, quote });
    expect(String(min)).toBe('0.000000000000000003');
  });
});
