/** The script: who says something untrue at which amount, known to the house and to those who check what came of it. */
import { createChance } from '../bed/chance.ts';
import { REAL, type Real } from './cast.ts';
import { GARBAGE } from './garbage.ts';
import { liesOf } from './lies.ts';

export interface Script {
  theme: 'honest' | 'garbage' | 'lies' | 'spread';
  /** Every round goes through so many amounts, the same ones. */
  amounts: number;
  round: number;
  seed: number;
}

/** The most amounts of a round; all providers take all of them by card. */
const MOST_AMOUNTS = 400;
const LOWEST_CENTS = 6_037;
/** Amounts end in a seven: no provider writes them shorter. */
const STEP_CENTS = 430;
/** Honest prices lie so far from the market at most, up or down. */
const SPREAD = 0.03;

/** The amount of a place in the round. */
export function amountAt(place: number): string {
  return ((LOWEST_CENTS + place * STEP_CENTS) / 100).toFixed(2);
}

/** The place of an amount in the round; undefined for one that is asked for on the way to a price. */
export function placeOf(amount: string): number | undefined {
  const place = (Math.round(Number(amount) * 100) - LOWEST_CENTS) / STEP_CENTS;
  return Number.isInteger(place) && place >= 0 && place < MOST_AMOUNTS ? place : undefined;
}

/**
 * The name of what a provider says wrong at a place; undefined when it is honest there. Nobody errs twice in a row, or
 * it would soon not be asked any more; and at most a third of them lie at once, or nobody could tell who does.
 */
export function partOf({ theme, round }: Script, provider: Real, place: number): string | undefined {
  const seat = REAL.indexOf(provider);
  if (theme === 'garbage' && (place + seat) % 2 === 0)
    return GARBAGE[(seat * 17 + (place >> 1) + round * 53) % GARBAGE.length]?.name;
  if (theme !== 'lies' || (place + seat) % 3 !== 0) return undefined;
  const lies = liesOf(provider);
  return lies[(Math.floor(place / 3) + round * 5) % Math.max(1, lies.length)]?.name;
}

/** Several times for one quote, each time for another amount. */
export const ASKED_OFTEN: ReadonlySet<Real> = new Set<Real>(['stripe', 'swapped']);

/** How far from the market a provider's price is; those that are asked several times for one quote do not waver. */
export function spreadOf({ theme, round, seed }: Script, provider: Real, place: number | undefined): number {
  if (theme !== 'spread') return 1;
  const isSteady = ASKED_OFTEN.has(provider);
  const mixed = seed + round * 7_919 + REAL.indexOf(provider) * 104_729 + (isSteady ? 0 : (place ?? 0));
  return 1 + SPREAD * (createChance(mixed).below(2) - 1);
}
