/** Advice: the smallest change that would bring an offer, when there is none. */
import type { PaymentTypeWithLimits } from '../../client/src/index.ts';
import { compareAmounts, largest, scaled, smallest } from './decimal.ts';
import { isCoinAllowed, isFiatAllowed, isMethodAllowed } from './menus.ts';
import { shownOffers } from './offers.ts';
import {
  isSamePair,
  type Pair,
  type Recommended,
  type Refusal,
  readAmount,
  type State,
  unitsOf,
} from './state.ts';

export type Advice =
  | { kind: 'amount'; ramp: string; bound: 'min' | 'max'; amount: string }
  | { kind: 'method'; method: PaymentTypeWithLimits }
  | { kind: 'pair'; recommended: Recommended }
  | { kind: 'country' }
  | { kind: 'retry' };

export interface Bounds {
  min: string | undefined;
  max: string | undefined;
}

/** What can be done, the smallest change first; nothing while there are current offers or some may come. */
export function advise(state: State): Advice[] {
  const { round, methods, method } = state;
  if (state.country === undefined || state.pair === undefined) return [{ kind: 'country' }];
  if (methods?.length === 0) return unserved(state, state.pair);
  if (shownOffers(state).length > 0) return isUnheard(state) ? [{ kind: 'retry' }] : [];
  // Nobody was heard: what would bring an offer cannot be told.
  if (round.phase === 'failed') return [{ kind: 'retry' }];
  if (round.phase !== 'done') return [];
  const typed = readAmount(state);
  const amount = 'amount' in typed && state.field === 'source' ? typed.amount : undefined;
  const others = (methods ?? []).filter(
    one => one.paymentTypeId !== method && amount !== undefined && isWithin(amount, boundsOf(one, state)),
  );
  const advice: Advice[] = [
    ...nearestAmounts(state, amount),
    ...others.slice(0, MOST_METHODS).map(one => ({ kind: 'method' as const, method: one })),
  ];
  const mayPass = round.refusals.some(({ type }) => type === 'ProviderUnavailable');
  if (mayPass || advice.length === 0) advice.push({ kind: 'retry' });
  return advice;
}

/** Whether the offers could not be renewed; while they are asked for once more that is still so. */
function isUnheard({ round, trouble }: State): boolean {
  return round.phase === 'failed' || trouble?.at === 'quotes';
}

/** What one payment method takes, over the providers that may be used. */
export function boundsOf(type: PaymentTypeWithLimits, { setup }: Pick<State, 'setup'>): Bounds {
  const { onramps } = setup.only;
  const { aggregatedLimit, ...each } = type.details.limits;
  if (onramps.length === 0) return { min: aggregatedLimit?.min, max: aggregatedLimit?.max };
  const own = Object.entries(each).filter(([ramp]) => onramps.includes(ramp));
  const mins = own.flatMap(([, { min }]) => min ?? []);
  const maxes = own.flatMap(([, { max }]) => max ?? []);
  return {
    min: mins.length === own.length ? smallest(mins) : undefined,
    max: maxes.length === own.length ? largest(maxes) : undefined,
  };
}

export function isWithin(amount: string, { min, max }: Bounds): boolean {
  return (
    (min === undefined || compareAmounts(amount, min) >= 0) &&
    (max === undefined || compareAmounts(amount, max) <= 0)
  );
}

const MOST_METHODS = 2;

/**
 * The least that somebody takes above the amount, or the most below it. Where the amount is what is to be received,
 * nobody can tell on which side it missed, so both are offered.
 */
function nearestAmounts(state: State, amount: string | undefined): Advice[] {
  const { round, setup, aside } = state;
  const { onramps } = setup.only;
  const usable = round.refusals
    .filter(({ ramp }) => !(ramp in aside) && (onramps.length === 0 || onramps.includes(ramp)))
    .map(refusal => ({ ramp: refusal.ramp, ...takenBy(refusal, state) }));
  const above = usable.filter(
    ({ min }) => min !== undefined && (amount === undefined || compareAmounts(amount, min) < 0),
  );
  const below = usable.filter(
    ({ max }) => max !== undefined && (amount === undefined || compareAmounts(amount, max) > 0),
  );
  const [low] = above.toSorted((a, b) => compareAmounts(a.min ?? '0', b.min ?? '0'));
  const [high] = below.toSorted((a, b) => compareAmounts(b.max ?? '0', a.max ?? '0'));
  return [...(low ? [adviceAt('min', low, state)] : []), ...(high ? [adviceAt('max', high, state)] : [])];
}

/** What a provider takes, by its refusal and by what it lists for the chosen method. */
function takenBy({ ramp, min, max }: Refusal, { methods, method }: State): Bounds {
  const listed = methods?.find(one => one.paymentTypeId === method)?.details.limits[ramp];
  const stated = (...amounts: (string | undefined)[]) => amounts.flatMap(one => one ?? []);
  // A refusal for another reason names no limit, and changing the amount would not do.
  return {
    min: min === undefined ? undefined : largest(stated(min, listed?.min)),
    max: max === undefined ? undefined : smallest(stated(max, listed?.max)),
  };
}

const DIGITS = 4;
/** Money that was reckoned by a rate. */
const MONEY_EASE = { min: '1.01', max: '0.99' };
/** Coins: what providers need is money, less fees, and what they say of it in coins is often of an earlier price. */
const COIN_EASE = { min: '1.15', max: '0.85' };

/** So far within a limit that it is still one by the time somebody has tapped; money in few digits is exact as it is. */
function adviceAt(bound: 'min' | 'max', limits: Bounds & { ramp: string }, state: State): Advice {
  const limit = limits[bound] ?? '0';
  const { decimals: places = 0, isFiat = true } = unitsOf(state)?.[0] ?? {};
  const rounding = { digits: DIGITS, places, rest: bound === 'min' ? 'raise' : 'cut' } as const;
  const isExact = isFiat && compareAmounts(scaled(limit, '1', rounding), limit) === 0;
  const ease = isFiat ? MONEY_EASE : COIN_EASE;
  const within = isExact ? limit : scaled(limit, ease[bound], rounding);
  return { kind: 'amount', ramp: limits.ramp, bound, amount: isWithin(within, limits) ? within : limit };
}

/**
 * Nobody who may be used serves the pair there: what is recommended for the place does work, where the integrator
 * allows it, unless it is the very same, by a provider that may not be used.
 */
function unserved({ recommended, round, setup }: State, pair: Pair): Advice[] {
  if (recommended === undefined) return round.phase === 'failed' ? [{ kind: 'retry' }] : [];
  const isOffered = recommended && !isSamePair(recommended.pair, pair) && isAllowed(recommended, setup);
  return [...(isOffered ? [{ kind: 'pair' as const, recommended }] : []), { kind: 'country' }];
}

function isAllowed({ pair, method }: Recommended, setup: State['setup']): boolean {
  return (
    isCoinAllowed(pair.crypto, setup) && isFiatAllowed(pair.fiat, setup) && isMethodAllowed(method, setup)
  );
}
