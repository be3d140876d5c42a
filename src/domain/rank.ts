/** Ranking: the order quotes are shown in, and the badges they earn. */
import type { Ask, Priced } from './offer.ts';
import type { ProviderId } from './words.ts';

export type Recommendation = 'BestPrice' | 'SuccessRate' | 'LowKyc' | 'ClientPreferred';

export interface Ranked extends Priced {
  recommendations: Recommendation[];
}

/** How often a provider's orders got through. */
export interface Score {
  started: number;
  completed: number;
}

export interface Hints {
  /** Which amount the client fixed: with the payout fixed, the best offer costs least for what it brings. */
  fixed: Ask['amountOf'];
  scores: ReadonlyMap<ProviderId, Score>;
  preferred?: ProviderId | undefined;
}

/** Best price first, then fewest documents, then name: a total order, so equal input always ranks equally. */
export function rank(offers: readonly Priced[], hints: Hints): Ranked[] {
  const sorted = [...offers].sort(hints.fixed === 'source' ? byPayout : byCost);
  const lowKyc = fewestDocuments(sorted);
  const proven = bestScore(sorted, hints.scores);
  return sorted.map((offer, place) => {
    const { provider, answer } = offer;
    const recommendations: Recommendation[] = [];
    if (place === 0) recommendations.push('BestPrice');
    if (provider === proven) recommendations.push('SuccessRate');
    if (offer === lowKyc) recommendations.push('LowKyc');
    if (provider === hints.preferred) recommendations.push('ClientPreferred');
    return { provider, answer, recommendations };
  });
}

/** The provider with the best record; undefined while nobody has one. */
export function bestScore(
  candidates: readonly { provider: ProviderId }[],
  scores: ReadonlyMap<ProviderId, Score>,
): ProviderId | undefined {
  let best: ProviderId | undefined;
  let bestShare = 0;
  for (const { provider } of candidates) {
    const score = scores.get(provider);
    if (!score || score.completed === 0) continue;
    const share = smoothed(score);
    if (share > bestShare) [best, bestShare] = [provider, share];
  }
  return best;
}

/** Completed over started, as if one more order had got through and one more had not: few orders prove little. */
function smoothed({ started, completed }: Score): number {
  return (completed + 1) / (started + 2);
}

/** The first offer that asks for the fewest documents. An inner list is a choice of one, so it counts once. */
function fewestDocuments(offers: readonly Priced[]): Priced | undefined {
  const least = Math.min(...offers.map(offer => offer.answer.asks.length));
  return offers.find(offer => offer.answer.asks.length === least);
}

function byPayout(a: Priced, b: Priced): number {
  return b.answer.gets.cmp(a.answer.gets) || a.answer.pays.cmp(b.answer.pays) || byBurden(a, b);
}

/** By what is paid for each unit received, compared crosswise: whoever brings a little less is no cheaper for that. */
function byCost(a: Priced, b: Priced): number {
  const cost = a.answer.pays.times(b.answer.gets).cmp(b.answer.pays.times(a.answer.gets));
  return cost || b.answer.gets.cmp(a.answer.gets) || byBurden(a, b);
}

function byBurden(a: Priced, b: Priced): number {
  return a.answer.asks.length - b.answer.asks.length || (a.provider < b.provider ? -1 : 1);
}
