/** Offers: figures that add up are believed, and lies are not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Asset, Fiat } from './currency.ts';
import { type Amount, cut, decimal, raise } from './money.ts';
import { type Ask, limitDecline, type Offer, type Price, priceOffer } from './offer.ts';
import type { AssetId, CountryCode, FiatId, MethodId, NetworkId, Side } from './words.ts';

const ONE = decimal(1);

function fiatOf(decimals: number): Fiat {
  return { id: 'eur' as FiatId, code: 'EUR', name: 'Euro', symbol: '€', decimals };
}

function assetOf(decimals: number): Asset {
  return {
    id: 'btc_bitcoin' as AssetId,
    code: 'BTC',
    name: 'Bitcoin',
    symbol: 'BTC',
    network: 'bitcoin' as NetworkId,
    decimals,
    address: '0x0000000000000000000000000000000000000000',
    main: true,
  };
}

interface Terms {
  side: Side;
  amount: Amount;
  rate: Amount;
  fees?: { network: Amount; provider: Amount };
  fiatDecimals?: number;
  assetDecimals?: number;
}

function askFor({ side, amount, fiatDecimals = 2, assetDecimals = 8 }: Terms): Ask {
  return {
    side,
    fiat: fiatOf(fiatDecimals),
    asset: assetOf(assetDecimals),
    method: 'creditcard' as MethodId,
    country: 'DE' as CountryCode,
    amount,
    amountOf: 'source',
  };
}

/** What an honest provider answers: fees rounded up, the payout cut to its currency. */
function honest({ side, amount, rate, fees, fiatDecimals = 2, assetDecimals = 8 }: Terms): Price {
  const networkFee = raise(fees?.network ?? decimal('1.5'), fiatDecimals);
  const providerFee = raise(fees?.provider ?? decimal('3.5'), fiatDecimals);
  const gets =
    side === 'buy'
      ? cut(amount.minus(networkFee).minus(providerFee).div(rate), assetDecimals)
      : cut(amount.times(rate).minus(networkFee).minus(providerFee), fiatDecimals);
  return { pays: amount, gets, networkFee, providerFee, rate };
}

const sides = fc.constantFrom<Side>('buy', 'sell');
const BUY: Terms = { side: 'buy', amount: decimal(100), rate: decimal('88000') };
const SELL: Terms = { side: 'sell', amount: decimal('0.01'), rate: decimal('88000') };

describe('priceOffer', () => {
  it('believes honest figures, and then pays = value + networkFee + providerFee to the last unit', () => {
    const terms = fc.record({
      side: sides,
      fiatDecimals: fc.constantFrom(0, 2, 3),
      assetDecimals: fc.constantFrom(6, 8, 18),
      euros: fc.integer({ min: 100, max: 1_000_000 }),
      rate: fc.tuple(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: -6, max: 3 })),
      network: fc.integer({ min: 0, max: 300 }),
      provider: fc.integer({ min: 0, max: 900 }),
    });
    fc.assert(
      fc.property(terms, ({ side, euros, network, provider, fiatDecimals, assetDecimals, ...given }) => {
        const rate = decimal(`${given.rate[0]}e${given.rate[1]}`);
        const amount = side === 'buy' ? decimal(euros) : cut(decimal(euros).div(rate), assetDecimals);
        const fees = {
          network: decimal(euros * network).div(10_000),
          provider: decimal(euros * provider).div(10_000),
        };
        const all: Terms = { side, amount, rate, fees, fiatDecimals, assetDecimals };
        const { rate: _stated, ...price } = honest(all);
        // Where a unit of the payout is worth a good part of it, rounding alone breaks every identity.
        fc.pre(
          amount.gt(0) &&
            price.gets.times(decimal(`1e${side === 'buy' ? assetDecimals : fiatDecimals}`)).gt(1_000),
        );

        const offer = priceOffer(askFor(all), price);
        if (typeof offer === 'string') return false;
        const [crypto, fiat] = side === 'buy' ? [offer.gets, offer.pays] : [offer.pays, offer.gets];
        const total = side === 'buy' ? fiat : fiat.plus(offer.networkFee).plus(offer.providerFee);
        const parts = side === 'buy' ? [offer.networkFee, offer.providerFee] : [];
        const sum = parts.reduce((a, b) => a.plus(b), offer.rate.times(crypto));
        return (
          sum
            .minus(total)
            .abs()
            .lte(decimal(`1e-${fiatDecimals}`)) && offer.pays.eq(amount)
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('cuts a payout to the places of its currency, never up', () => {
    const price = { ...honest(BUY), gets: decimal('0.0010795454999999') };
    expect(String((priceOffer(askFor(BUY), price) as Offer).gets)).toBe('0.00107954');
  });

  it('accepts an answer without a stated rate and one whose rate is rounded', () => {
    const { rate, ...bare } = honest(SELL);
    expect(priceOffer(askFor(SELL), bare)).toMatchObject({ kind: 'offer' });
    expect(priceOffer(askFor(SELL), { ...bare, rate: rate?.times('1.002') })).toMatchObject({
      kind: 'offer',
    });
  });

  it('accepts a value of a few cents that was rounded to the next one', () => {
    const ask = askFor({ ...BUY, amount: decimal('5.01') });
    const fees = { networkFee: decimal('2.66'), providerFee: decimal('1.9') };
    const price = { ...fees, pays: decimal('5.01'), gets: decimal('6.36869252'), rate: decimal('0.06977') };
    expect(priceOffer(ask, price)).toMatchObject({ kind: 'offer' });
    expect(priceOffer(ask, { ...price, rate: decimal('0.065') })).toBe('rateDisagrees');
    expect(priceOffer(ask, { ...price, rate: decimal(0) })).toBe('rateDisagrees');
  });

  it('passes on how long the price is good for', () => {
    expect(priceOffer(askFor(BUY), { ...honest(BUY), validUntil: 1_800_000_000_000 })).toMatchObject({
      validUntil: 1_800_000_000_000,
    });
  });

  const LIES: [lie: string, tell: (price: Price) => Partial<Price>, flaw: string][] = [
    ['a payout of zero', () => ({ gets: decimal(0) }), 'nothingLeft'],
    ['a negative payout', ({ gets }) => ({ gets: gets.neg() }), 'notPositive'],
    ['a payout below one unit', () => ({ gets: decimal('1e-20') }), 'nothingLeft'],
    ['a payout below zero by less than one unit', () => ({ gets: decimal('-1e-20') }), 'notPositive'],
    ['nothing to pay', () => ({ pays: decimal(0) }), 'notPositive'],
    ['a negative payment', ({ pays }) => ({ pays: pays.neg() }), 'notPositive'],
    ['a negative network fee', () => ({ networkFee: decimal('-0.01') }), 'negativeFee'],
    ['a negative provider fee', () => ({ providerFee: decimal(-50) }), 'negativeFee'],
    ['an amount echoed ten times as large', ({ pays }) => ({ pays: pays.times(10) }), 'otherAmount'],
    ['an amount echoed a tenth as large', ({ pays }) => ({ pays: pays.div(10) }), 'otherAmount'],
    ['an amount echoed two percent off', ({ pays }) => ({ pays: pays.times('1.02') }), 'otherAmount'],
    ['an amount echoed half a percent above', ({ pays }) => ({ pays: pays.times('1.005') }), 'otherAmount'],
    ['a payout times 1000 beside the true rate', ({ gets }) => ({ gets: gets.times(1000) }), 'rateDisagrees'],
    ['a payout a thousandth beside the true rate', ({ gets }) => ({ gets: gets.div(1000) }), 'rateDisagrees'],
    ['an inverted rate', ({ rate }) => ({ rate: rate && ONE.div(rate) }), 'rateDisagrees'],
    ['a rate of zero', () => ({ rate: decimal(0) }), 'rateDisagrees'],
    ['a negative rate', ({ rate }) => ({ rate: rate?.neg() }), 'rateDisagrees'],
    ['a fee in percent told as a fraction', () => ({ providerFee: decimal('0.035') }), 'rateDisagrees'],
  ];

  for (const terms of [BUY, { ...SELL, amount: decimal('0.001') }]) {
    it.each(LIES)(`refuses %s on a ${terms.side}`, (_lie, tell, flaw) => {
      const truth = honest(terms);
      expect(priceOffer(askFor(terms), truth)).toMatchObject({ kind: 'offer' });
      expect(priceOffer(askFor(terms), { ...truth, ...tell(truth) })).toBe(flaw);
    });
  }

  it('refuses fees that eat up the whole amount', () => {
    expect(priceOffer(askFor(BUY), { ...honest(BUY), providerFee: decimal(100) })).toBe('feesExceedAmount');
  });

  it('holds an exact payout against what was asked for', () => {
    const ask: Ask = { ...askFor(BUY), amount: decimal('0.001'), amountOf: 'destination' };
    const price = { ...honest(BUY), pays: decimal('93'), gets: decimal('0.001') };
    expect(priceOffer(ask, price)).toMatchObject({ kind: 'offer' });
    expect(priceOffer(ask, { ...price, gets: decimal('0.00098') })).toBe('otherAmount');
  });

  it.each<[pays: string, raised: string, fee: string, terms: Terms & { gets?: string }]>([
    ['93.4567', '93.46', '3.5', BUY],
    ['93.46', '93.46', '3.5', BUY],
    ['5.0088', '5.01', '3.5', { ...BUY, gets: '0.0000001' }],
    ['93.4567', '94', '4.04', { ...BUY, fiatDecimals: 0 }],
    ['0.0100000001', '0.01000001', '3.5', SELL],
    ['0.0100000000000000001', '0.010000000000000001', '3.5', { ...SELL, assetDecimals: 24 }],
  ])(
    'raises %s to be paid for an exact payout to %s, whole cents of it as a fee',
    (pays, raised, fee, terms) => {
      const gets = decimal(terms.gets ?? (terms.side === 'buy' ? '0.001' : '875'));
      const ask: Ask = { ...askFor(terms), amount: gets, amountOf: 'destination' };
      const fees = { networkFee: decimal('1.5'), providerFee: decimal('3.5') };
      const offer = priceOffer(ask, { pays: decimal(pays), gets, ...fees }) as Offer;
      expect([offer.pays, offer.providerFee].map(String)).toEqual([raised, fee]);
      const [fiat, crypto] = terms.side === 'buy' ? [offer.pays, gets] : [gets.plus('5'), offer.pays];
      const value = terms.side === 'buy' ? fiat.minus(offer.networkFee).minus(offer.providerFee) : fiat;
      expect(offer.rate.times(crypto).minus(value).abs().lt('1e-6')).toBe(true);
    },
  );

  it('leaves what is handed over as it was asked for', () => {
    const echoed = { ...honest(BUY), pays: decimal('100.00000001') };
    expect(priceOffer(askFor(BUY), echoed)).toMatchObject({ pays: echoed.pays, providerFee: decimal('3.5') });
  });

  it('refuses figures that are not finite, with a stated rate or without', () => {
    const infinite = decimal(1).div(0);
    const { rate: _stated, ...bare } = honest(BUY);
    for (const bad of [infinite, infinite.neg(), infinite.minus(infinite)]) {
      for (const name of ['pays', 'gets', 'networkFee', 'providerFee', 'rate'] as const) {
        expect(priceOffer(askFor(BUY), { ...honest(BUY), [name]: bad })).toBeTypeOf('string');
        expect(priceOffer(askFor(BUY), { ...bare, [name]: bad })).toBeTypeOf('string');
      }
    }
  });
});

describe('limitDecline', () => {
  it.each([
    [{ min: decimal(20), max: decimal(30_000) }, 'Amount should be in between EUR 20 and EUR 30000'],
    [{ min: decimal('0.001') }, 'Amount should be at least EUR 0.001'],
    [{ max: decimal('1e21') }, 'Amount should be at most EUR 1000000000000000000000'],
    [{}, 'Amount is outside the limits'],
  ])('words the limits %#', (limits, message) => {
    expect(limitDecline('EUR', limits)).toEqual({ kind: 'decline', reason: 'limit', message, limits });
  });
});
