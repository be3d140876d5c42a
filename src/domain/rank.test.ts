/** Ranking: one order for one set of offers, and badges that are earned. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Requirement } from './kyc.ts';
import { decimal } from './money.ts';
import type { Priced } from './offer.ts';
import { bestScore, type Hints, rank, type Score } from './rank.ts';
import type { ProviderId } from './words.ts';

const DOCUMENTS: Requirement[] = ['email', 'phone', ['passport', 'driverLicense'], 'selfie'];

interface Figures {
  provider: string;
  pays?: number;
  gets?: number;
  asks?: number;
}

function priced({ provider, pays = 100, gets = 1, asks = 0 }: Figures): Priced {
  return {
    provider: provider as ProviderId,
    answer: {
      kind: 'offer',
      pays: decimal(pays),
      gets: decimal(gets),
      networkFee: decimal(0),
      providerFee: decimal(0),
      rate: decimal(100),
      asks: DOCUMENTS.slice(0, asks),
    },
  };
}

/** Few different figures, so that ties are common. */
const offers = fc
  .uniqueArray(
    fc.record({
      provider: fc.string({ unit: fc.constantFrom(...'abcxyz'), minLength: 1, maxLength: 3 }),
      pays: fc.integer({ min: 98, max: 102 }),
      gets: fc.integer({ min: 1, max: 4 }),
      asks: fc.integer({ min: 0, max: 4 }),
    }),
    { selector: ({ provider }) => provider, maxLength: 10 },
  )
  .map(all => all.map(priced));

const hints = fc.record({
  fixed: fc.constantFrom<Hints['fixed']>('source', 'destination'),
  preferred: fc.option(fc.constantFrom('a', 'b', 'x' as string), { nil: undefined }),
  counts: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'x', 'ab'), fc.tuple(fc.nat(50), fc.nat(50))),
});

type Drawn = typeof hints extends fc.Arbitrary<infer T> ? T : never;

function hintsOf({ fixed, preferred, counts }: Drawn): Hints {
  const scores = Object.entries(counts).map(
    ([provider, [completed, lost]]) =>
      [provider as ProviderId, { started: completed + lost, completed }] as const,
  );
  return { fixed, preferred: preferred as ProviderId | undefined, scores: new Map(scores) };
}

const PLAIN: Hints = { fixed: 'source', scores: new Map() };

describe('rank', () => {
  it('gives the same board whatever order the answers came in', () => {
    const shuffled = offers.chain(all =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, hints, ([one, other], drawn) => {
        const show = (all: Priced[]) =>
          rank(all, hintsOf(drawn)).map(r => `${r.provider}:${r.recommendations}`);
        return show(one).join() === show(other).join();
      }),
      { numRuns: 500 },
    );
  });

  it('puts the highest payout first, or with the payout fixed the lowest cost of a unit, and never the reverse', () => {
    fc.assert(
      fc.property(offers, hints, (all, drawn) => {
        const ranked = rank(all, hintsOf(drawn));
        return ranked.every((offer, place) => {
          const before = ranked[place - 1];
          if (!before) return true;
          return drawn.fixed === 'source'
            ? before.answer.gets.gte(offer.answer.gets)
            : before.answer.pays.times(offer.answer.gets).lte(offer.answer.pays.times(before.answer.gets));
        });
      }),
    );
  });

  it('is not won by bringing a little less than was asked for, for a little less', () => {
    const board = (...all: Figures[]) =>
      rank(all.map(priced), { ...PLAIN, fixed: 'destination' }).map(({ provider }) => provider);
    const honest = { provider: 'honest', pays: 3_000, gets: 1 };
    expect(board({ provider: 'short', pays: 2_985, gets: 0.991 }, honest)).toEqual(['honest', 'short']);
    expect(board({ provider: 'short', pays: 2_970, gets: 0.99 }, honest)).toEqual(['honest', 'short']);
    expect(board({ provider: 'cheap', pays: 2_999, gets: 1 }, honest)).toEqual(['cheap', 'honest']);
  });

  it('keeps every offer once, and changes neither them nor the list it was given', () => {
    fc.assert(
      fc.property(offers, hints, (all, drawn) => {
        const before = [...all];
        const ranked = rank(all, hintsOf(drawn));
        return (
          all.every((offer, place) => offer === before[place]) &&
          new Set(ranked.map(({ answer }) => answer)).size === all.length &&
          ranked.length === all.length
        );
      }),
    );
  });

  it('calls exactly one offer BestPrice, the first, and exactly one LowKyc', () => {
    fc.assert(
      fc.property(offers, hints, (all, drawn) => {
        const ranked = rank(all, hintsOf(drawn));
        const places = (badge: string) =>
          ranked.flatMap((r, at) => (r.recommendations.some(x => x === badge) ? at : []));
        const least = Math.min(...all.map(({ answer }) => answer.asks.length));
        const [lowKyc, ...more] = places('LowKyc');
        if (all.length === 0) return ranked.length === 0;
        const asked = lowKyc === undefined ? undefined : ranked[lowKyc]?.answer.asks.length;
        return places('BestPrice').join() === '0' && more.length === 0 && asked === least;
      }),
    );
  });

  it('gives LowKyc to the better price among those that ask equally little', () => {
    const board = rank(
      [
        priced({ provider: 'much', gets: 3, asks: 4 }),
        priced({ provider: 'worse', gets: 1, asks: 1 }),
        priced({ provider: 'better', gets: 2, asks: 1 }),
      ],
      PLAIN,
    );
    expect(board.map(({ provider, recommendations }) => [provider, recommendations])).toEqual([
      ['much', ['BestPrice']],
      ['better', ['LowKyc']],
      ['worse', []],
    ]);
  });

  it('settles equal prices by documents, then by name', () => {
    const names = rank(
      [
        priced({ provider: 'b', asks: 1 }),
        priced({ provider: 'a', asks: 2 }),
        priced({ provider: 'd', asks: 1 }),
        priced({ provider: 'c', asks: 0 }),
      ],
      PLAIN,
    ).map(({ provider }) => provider);
    expect(names).toEqual(['c', 'b', 'd', 'a']);
  });

  it('marks the preferred provider wherever it stands, and nobody when it gave no offer', () => {
    const all = [priced({ provider: 'a', gets: 2 }), priced({ provider: 'b', asks: 1 })];
    const badges = (preferred: string) =>
      rank(all, { ...PLAIN, preferred: preferred as ProviderId }).flatMap(r => r.recommendations);
    expect(badges('b')).toEqual(['BestPrice', 'LowKyc', 'ClientPreferred']);
    expect(badges('z')).toEqual(['BestPrice', 'LowKyc']);
  });
});

describe('bestScore', () => {
  const providers = (scores: Record<string, Score>) => ({
    candidates: Object.keys(scores).map(provider => ({ provider: provider as ProviderId })),
    scores: new Map(Object.entries(scores) as [ProviderId, Score][]),
  });
  const best = (scores: Record<string, Score>) => {
    const given = providers(scores);
    return bestScore(given.candidates, given.scores);
  };

  it('finds ninety of a hundred better proven than one of one', () => {
    expect(best({ lucky: { started: 1, completed: 1 }, proven: { started: 100, completed: 90 } })).toBe(
      'proven',
    );
  });

  it('finds a hundred of a hundred better than ninety-nine', () => {
    expect(best({ a: { started: 100, completed: 99 }, b: { started: 100, completed: 100 } })).toBe('b');
  });

  it('recommends nobody of whom nothing has ever been completed', () => {
    expect(best({ a: { started: 0, completed: 0 }, b: { started: 9, completed: 0 } })).toBeUndefined();
    expect(best({})).toBeUndefined();
  });

  it('looks only at candidates', () => {
    const { scores } = providers({ a: { started: 9, completed: 9 } });
    expect(bestScore([{ provider: 'b' as ProviderId }], scores)).toBeUndefined();
  });

  it('always chooses one whose smoothed share nobody exceeds', () => {
    fc.assert(
      fc.property(hints, drawn => {
        const { scores } = hintsOf(drawn);
        const candidates = [...scores.keys()].map(provider => ({ provider }));
        const chosen = scores.get(bestScore(candidates, scores) ?? ('' as ProviderId));
        const proven = [...scores.values()].filter(({ completed }) => completed > 0);
        if (!chosen) return proven.length === 0;
        // (c + 1) / (s + 2) compared crosswise, in whole numbers.
        return proven.every(
          ({ started, completed }) =>
            (completed + 1) * (chosen.started + 2) <= (chosen.completed + 1) * (started + 2),
        );
      }),
    );
  });
});
