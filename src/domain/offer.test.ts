/** Offers: figures that add up are believed, lies are not, and honest spreads never count as lies. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Asset, Fiat } from './currency.ts';
import { type Amount, cut, decimal, raise, significant } from './money.ts';
import {
  type Ask,
  absurdOffers,
  limitDecline,
  type Offer,
  type Price,
  priceOffer,
  type Reference,
} from './offer.ts';
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
    ['a payout of zero', () => ({ gets: decimal(0) }), 'notPositive'],
    ['a negative payout', ({ gets }) => ({ gets: gets.neg() }), 'notPositive'],
    ['a payout below one unit', () => ({ gets: decimal('1e-20') }), 'notPositive'],
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

/** A small generator with a seed, for counts at which fast-check would be slow. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function offerAt(rate: Amount): { answer: Offer } {
  const figures = { pays: decimal(100), gets: decimal(1), networkFee: decimal(0), providerFee: decimal(0) };
  return { answer: { kind: 'offer', ...figures, rate, asks: [] } };
}

/** Offers around a middle that differ by 3 % at most. */
function spread(random: () => number, count: number, middle: Amount): { answer: Offer }[] {
  return Array.from({ length: count }, () =>
    offerAt(middle.times(decimal((0.985 + 0.03 * random()).toPrecision(12)))),
  );
}

/** Far enough from 1 for its inverse to be another price. */
function middleRate(random: () => number): Amount {
  const rate = significant(decimal((10 ** (random() * 11 - 6)).toPrecision(9)), 6);
  return rate.gt('0.8') && rate.lt('1.25') ? rate.times(2) : rate;
}

const LIES: Record<string, (rate: Amount) => Amount> = {
  'a thousand times too good': rate => rate.div(1000),
  'a thousand times too bad': rate => rate.times(1000),
  inverted: rate => ONE.div(rate),
};

function seen(rate: Amount, backing: number): Reference {
  return { rate, backing };
}

describe('absurdOffers', () => {
  it('takes none of 100,000 honest answers with a spread of 3 % for a lie', () => {
    const random = seeded(1);
    let answers = 0;
    let withheld = 0;
    for (let round = 0; answers < 100_000; round++) {
      const middle = middleRate(random);
      const offers = spread(random, 1 + (round % 12), middle);
      const [before] = spread(random, 1, middle);
      answers += offers.length;
      const side = round % 2 ? 'buy' : 'sell';
      const reference = before && round % 4 ? seen(before.answer.rate, round % 4) : undefined;
      withheld += absurdOffers(side, offers, reference).length;
    }
    expect({ enough: answers >= 100_000, withheld }).toEqual({ enough: true, withheld: 0 });
  });

  it.each(Object.keys(LIES))('catches exactly the one that is %s, of three and more', lie => {
    const random = seeded(2);
    let caught = 0;
    for (let round = 0; round < 1_000; round++) {
      const offers = spread(random, 2 + (round % 10), middleRate(random));
      const liar = offerAt(LIES[lie]?.(offers[0]?.answer.rate ?? ONE) ?? ONE);
      offers.splice(Math.floor(random() * offers.length), 0, liar);
      const found = absurdOffers(round % 2 ? 'buy' : 'sell', offers, undefined);
      if (found.length === 1 && found[0] === liar) caught++;
    }
    expect(caught).toBe(1_000);
  });

  it.each(Object.keys(LIES))('catches the one that is %s, alone or of two, by the last rate seen', lie => {
    const random = seeded(3);
    let caught = 0;
    for (let round = 0; round < 2_000; round++) {
      const [truth, before] = spread(random, 2, middleRate(random));
      if (!truth || !before) throw new Error('two were made');
      const liar = offerAt(LIES[lie]?.(truth.answer.rate) ?? ONE);
      const offers = round % 2 ? [liar] : [truth, liar];
      const reference = seen(before.answer.rate, 1 + (round % 3));
      const found = absurdOffers(round % 4 < 2 ? 'buy' : 'sell', offers, reference);
      if (found.length === 1 && found[0] === liar) caught++;
    }
    expect(caught).toBe(2_000);
  });

  it('does not believe the too-good one of two that contradict each other', () => {
    const [cheap, dear] = [offerAt(decimal(88)), offerAt(decimal(88_000))];
    expect(absurdOffers('buy', [cheap, dear], undefined)).toEqual([cheap]);
    expect(absurdOffers('sell', [cheap, dear], undefined)).toEqual([dear]);
  });

  it('is not outvoted by liars who agree while as many are known to have agreed on the usual rate', () => {
    const [a, b] = [offerAt(decimal(88_000)), offerAt(decimal(88_500))];
    const [x, y, z] = [offerAt(decimal(88)), offerAt(decimal('88.1')), offerAt(decimal('88.2'))];
    for (const side of ['buy', 'sell'] as const) {
      for (const backing of [2, 3]) {
        expect(absurdOffers(side, [x, a, y, b], seen(decimal(87_500), backing))).toEqual([x, y]);
        expect(absurdOffers(side, [x, a, y], seen(decimal(87_500), backing))).toEqual([x, y]);
      }
      expect(absurdOffers(side, [x, a, y, z, b, x, y], seen(decimal(87_500), 3))).toEqual([x, y, z, x, y]);
    }
  });

  it.each([1, 2])('believes three who agree more than a rate that %i agreed on before', backing => {
    const [a, b, c] = [offerAt(decimal(88_000)), offerAt(decimal(88_500)), offerAt(decimal(87_500))];
    const liar = offerAt(decimal(88));
    for (const side of ['buy', 'sell'] as const) {
      for (const offers of [
        [a, b, c],
        [a, liar, b, c],
        [liar, a, liar, b, c],
      ]) {
        expect(absurdOffers(side, offers, seen(decimal(88), backing))).toEqual(
          offers.filter(offer => offer === liar),
        );
      }
    }
  });

  it('believes two who agree more than a rate of one, and three who do not agree less', () => {
    const [a, b, c] = [offerAt(decimal(88_000)), offerAt(decimal(88_500)), offerAt(decimal(5_000))];
    const liar = offerAt(decimal(88));
    for (const side of ['buy', 'sell'] as const) {
      expect(absurdOffers(side, [a, b], seen(decimal(146_667), 1))).toEqual([]);
      expect(absurdOffers(side, [liar, c, a], seen(decimal(87_500), 1))).toEqual([liar, c]);
    }
  });

  it('does not believe the too-good half when both halves agree among themselves', () => {
    const [a, b] = [offerAt(decimal(88_000)), offerAt(decimal(88_500))];
    const [x, y] = [offerAt(decimal(88)), offerAt(decimal('88.1'))];
    expect(absurdOffers('buy', [x, a, y, b], undefined)).toEqual([x, y]);
    expect(absurdOffers('sell', [x, a, y, b], undefined)).toEqual([a, b]);
  });

  it('has nothing against a single offer of a pair never seen', () => {
    expect(absurdOffers('buy', [offerAt(decimal(88_000))], undefined)).toEqual([]);
    expect(absurdOffers('buy', [], seen(decimal(1), 3))).toEqual([]);
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
