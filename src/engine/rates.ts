/** The usual rate of a pair: the middle of what was last believed, for as long as it can still be held against others. */
import { LRUCache } from 'lru-cache';
import type { Amount } from '../domain/money.ts';
import type { Ask } from '../domain/offer.ts';

export interface RateMemory {
  of(ask: Ask): Amount | undefined;
  remember(ask: Ask, rate: Amount): void;
}

const MOST_PAIRS = 5_000;
/** Markets move: an old rate would condemn honest offers, and for ever. */
const LIFE_MS = 600_000;

export function createRateMemory(ticks: () => number): RateMemory {
  const rates = new LRUCache<string, { rate: Amount; at: number }>({ max: MOST_PAIRS });
  return {
    of(ask) {
      const known = rates.get(pairOf(ask));
      return known && ticks() - known.at < LIFE_MS ? known.rate : undefined;
    },
    remember: (ask, rate) => void rates.set(pairOf(ask), { rate, at: ticks() }),
  };
}

function pairOf({ side, asset, fiat }: Ask): string {
  return `${side}|${asset.id}|${fiat.id}`;
}
