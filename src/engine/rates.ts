/** The usual rate of a pair: the middle of what was last believed, for as long as it can still be held against others. */
import { LRUCache } from 'lru-cache';
import { type Ask, ENOUGH, type Reference } from '../domain/offer.ts';

export interface RateMemory {
  of(ask: Ask): Reference | undefined;
  /** A rate that fewer offers agree on does not take the place of one that more agreed on; it only bears that out. */
  remember(ask: Ask, seen: Reference): void;
}

interface Known extends Reference {
  at: number;
  /** When so many last agreed on it. */
  backedAt: number;
}

const MOST_PAIRS = 5_000;
/** Markets move: an old rate would condemn honest offers, and for ever. */
const LIFE_MS = 600_000;

export function createRateMemory(ticks: () => number): RateMemory {
  const rates = new LRUCache<string, Known>({ max: MOST_PAIRS });

  function find(pair: string, now: number): Known | undefined {
    const known = rates.get(pair);
    return known && now - known.at < LIFE_MS ? known : undefined;
  }

  return {
    of(ask) {
      const now = ticks();
      const known = find(pairOf(ask), now);
      return known && { rate: known.rate, backing: backingOf(known, now) };
    },
    remember(ask, { rate, backing }) {
      const now = ticks();
      const pair = pairOf(ask);
      const known = find(pair, now);
      if (known && Math.min(backing, ENOUGH) < backingOf(known, now)) known.at = now;
      else rates.set(pair, { rate, backing: Math.min(backing, ENOUGH), at: now, backedAt: now });
    },
  };
}

/** One alone keeps a rate alive, but not what many said of it: they may say something else by now. */
function backingOf({ backing, backedAt }: Known, now: number): number {
  return now - backedAt < LIFE_MS ? backing : 1;
}

function pairOf({ side, asset, fiat }: Ask): string {
  return `${side}|${asset.id}|${fiat.id}`;
}
