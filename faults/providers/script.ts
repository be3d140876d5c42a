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

/** The place in the round of what a provider is asked about; undefined for an amount on the way to a price. */
export function placeOf(provider: Real, amount: string): number | undefined {
  const cents = Math.round(Number(amount) * 100);
  if (provider === 'stripe') return STRIPE_PLACES.get(cents);
  const place = (cents - LOWEST_CENTS) / STEP_CENTS;
  return Number.isInteger(place) && place >= 0 && place < MOST_AMOUNTS ? place : undefined;
}

/** Stripe's fees come on top, so that it is asked about less first: places by that, where it is of one place only. */
const STRIPE_PLACES: ReadonlyMap<number, number> = placesByFirst(cents =>
  cents <= 10_000 ? cents : Math.max(10_000, Math.floor((cents * 9) / 10)),
);
const STRIPE_KNOWN: ReadonlySet<number> = new Set(STRIPE_PLACES.values());

function placesByFirst(firstOf: (cents: number) => number): Map<number, number> {
  const firsts = Array.from({ length: MOST_AMOUNTS }, (_, at) => firstOf(LOWEST_CENTS + at * STEP_CENTS));
  const isOwn = (cents: number) => firsts.indexOf(cents) === firsts.lastIndexOf(cents);
  return new Map(firsts.flatMap((cents, place) => (isOwn(cents) ? [[cents, place]] : [])));
}

/**
 * The name of what a provider says wrong at a place; undefined when it is honest there. Nobody errs twice in a row, or
 * it would soon not be asked any more; and at most a third of them lie at once, or nobody could tell who does.
 */
export function partOf({ theme, round }: Script, provider: Real, place: number): string | undefined {
  if (provider === 'stripe' && !STRIPE_KNOWN.has(place)) return undefined;
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
