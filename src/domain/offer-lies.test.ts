/** Offers held against each other: honest spreads never count as lies, and lies are caught. */
import { describe, expect, it } from 'vitest';
import { seeded } from '../../test/seeded.ts';
import { type Amount, decimal, significant } from './money.ts';
import { type Offer, type Reference, siftOffers } from './offer.ts';

const ONE = decimal(1);

const RANGE = 2 ** 32;

/** Fractions of one, for counts at which fast-check would be slow. */
function fractions(seed: number): () => number {
  const random = seeded(seed);
  return () => random(RANGE) / RANGE;
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

const absurdAmong = (...all: Parameters<typeof siftOffers<{ answer: Offer }>>) => siftOffers(...all).absurd;

describe('what is absurd', () => {
  it('takes none of 100,000 honest answers with a spread of 3 % for a lie', () => {
    const random = fractions(1);
    let answers = 0;
    let withheld = 0;
    for (let round = 0; answers < 100_000; round++) {
      const middle = middleRate(random);
      const offers = spread(random, 1 + (round % 12), middle);
      const [before] = spread(random, 1, middle);
      answers += offers.length;
      const side = round % 2 ? 'buy' : 'sell';
      const reference = before && round % 4 ? seen(before.answer.rate, round % 4) : undefined;
      withheld += absurdAmong(side, offers, reference).length;
    }
    expect({ enough: answers >= 100_000, withheld }).toEqual({ enough: true, withheld: 0 });
  });

  it.each(Object.keys(LIES))('catches exactly the one that is %s, of three and more', lie => {
    const random = fractions(2);
    let caught = 0;
    for (let round = 0; round < 1_000; round++) {
      const offers = spread(random, 2 + (round % 10), middleRate(random));
      const liar = offerAt(LIES[lie]?.(offers[0]?.answer.rate ?? ONE) ?? ONE);
      offers.splice(Math.floor(random() * offers.length), 0, liar);
      const found = absurdAmong(round % 2 ? 'buy' : 'sell', offers, undefined);
      if (found.length === 1 && found[0] === liar) caught++;
    }
    expect(caught).toBe(1_000);
  });

  it.each(Object.keys(LIES))('catches the one that is %s, alone or of two, by the last rate seen', lie => {
    const random = fractions(3);
    let caught = 0;
    for (let round = 0; round < 2_000; round++) {
      const [truth, before] = spread(random, 2, middleRate(random));
      if (!truth || !before) throw new Error('two were made');
      const liar = offerAt(LIES[lie]?.(truth.answer.rate) ?? ONE);
      const offers = round % 2 ? [liar] : [truth, liar];
      const reference = seen(before.answer.rate, 1 + (round % 3));
      const found = absurdAmong(round % 4 < 2 ? 'buy' : 'sell', offers, reference);
      if (found.length === 1 && found[0] === liar) caught++;
    }
    expect(caught).toBe(2_000);
  });

  it('does not believe the too-good one of two that contradict each other', () => {
    const [cheap, dear] = [offerAt(decimal(88)), offerAt(decimal(88_000))];
    expect(absurdAmong('buy', [cheap, dear], undefined)).toEqual([cheap]);
    expect(absurdAmong('sell', [cheap, dear], undefined)).toEqual([dear]);
  });

  it('is not outvoted by liars who agree while as many are known to have agreed on the usual rate', () => {
    const [a, b] = [offerAt(decimal(88_000)), offerAt(decimal(88_500))];
    const [x, y, z] = [offerAt(decimal(88)), offerAt(decimal('88.1')), offerAt(decimal('88.2'))];
    for (const side of ['buy', 'sell'] as const) {
      for (const backing of [2, 3]) {
        expect(absurdAmong(side, [x, a, y, b], seen(decimal(87_500), backing))).toEqual([x, y]);
        expect(absurdAmong(side, [x, a, y], seen(decimal(87_500), backing))).toEqual([x, y]);
      }
      expect(absurdAmong(side, [x, a, y, z, b, x, y], seen(decimal(87_500), 3))).toEqual([x, x, y, y, z]);
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
        expect(absurdAmong(side, offers, seen(decimal(88), backing))).toEqual(
          offers.filter(offer => offer === liar),
        );
      }
    }
  });

  it('believes two who agree more than a rate of one, and three who do not agree less', () => {
    const [a, b, c] = [offerAt(decimal(88_000)), offerAt(decimal(88_500)), offerAt(decimal(5_000))];
    const liar = offerAt(decimal(88));
    for (const side of ['buy', 'sell'] as const) {
      expect(absurdAmong(side, [a, b], seen(decimal(146_667), 1))).toEqual([]);
      expect(absurdAmong(side, [liar, c, a], seen(decimal(87_500), 1))).toEqual([liar, c]);
    }
  });

  it('does not believe the too-good half when both halves agree among themselves', () => {
    const [a, b] = [offerAt(decimal(88_000)), offerAt(decimal(88_500))];
    const [x, y] = [offerAt(decimal(88)), offerAt(decimal('88.1'))];
    expect(absurdAmong('buy', [x, a, y, b], undefined)).toEqual([x, y]);
    expect(absurdAmong('sell', [x, a, y, b], undefined)).toEqual([a, b]);
  });

  it('has nothing against a single offer of a pair never seen', () => {
    expect(absurdAmong('buy', [offerAt(decimal(88_000))], undefined)).toEqual([]);
    expect(absurdAmong('buy', [], seen(decimal(1), 3))).toEqual([]);
  });
});

describe('what is believed', () => {
  it('is all the rest, from the lowest rate to the highest', () => {
    const [a, b, c] = [offerAt(decimal(88_500)), offerAt(decimal(87_500)), offerAt(decimal(88_000))];
    const liar = offerAt(decimal(88));
    expect(siftOffers('buy', [a, b, c], undefined)).toEqual({ absurd: [], believed: [b, c, a] });
    expect(siftOffers('buy', [a, liar, b, c], undefined)).toEqual({ absurd: [liar], believed: [b, c, a] });
    expect(siftOffers('sell', [], undefined)).toEqual({ absurd: [], believed: [] });
  });
});
