/** Advice: the smallest change that would bring an offer, when there is none. */
import type { PaymentTypeWithLimits } from '../../client/src/index.ts';
import { compareAmounts, largest, smallest } from './decimal.ts';
import { shownOffers } from './offers.ts';
import { type Recommended, readAmount, type State } from './state.ts';

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

/** What can be done, the smallest change first; nothing while there are offers or some may come. */
export function advise(state: State): Advice[] {
  const { round, methods, method } = state;
  if (state.pair === undefined) return state.country === undefined ? [] : [{ kind: 'country' }];
  if (methods?.length === 0) return unserved(state);
  const isOver = round.phase === 'done' || round.phase === 'failed';
  if (!isOver || shownOffers(state).length > 0) return [];
  const typed = readAmount(state);
  const amount = 'amount' in typed && state.field === 'source' ? typed.amount : undefined;
  const others = (methods ?? []).filter(
    one => one.paymentTypeId !== method && amount !== undefined && isWithin(amount, boundsOf(one, state)),
  );
  const advice: Advice[] = [
    ...nearestAmounts(state, amount),
    ...others.slice(0, MOST_METHODS).map(one => ({ kind: 'method' as const, method: one })),
  ];
  const mayPass =
    round.phase === 'failed' || round.refusals.some(({ type }) => type === 'ProviderUnavailable');
  if (mayPass || advice.length === 0) advice.push({ kind: 'retry' });
  return advice;
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
function nearestAmounts({ round, setup, aside }: State, amount: string | undefined): Advice[] {
  const { onramps } = setup.only;
  const usable = round.refusals.filter(
    ({ ramp }) => !(ramp in aside) && (onramps.length === 0 || onramps.includes(ramp)),
  );
  const above = usable.filter(
    ({ min }) => min !== undefined && (amount === undefined || compareAmounts(amount, min) < 0),
  );
  const below = usable.filter(
    ({ max }) => max !== undefined && (amount === undefined || compareAmounts(amount, max) > 0),
  );
  const [low] = above.toSorted((a, b) => compareAmounts(a.min ?? '0', b.min ?? '0'));
  const [high] = below.toSorted((a, b) => compareAmounts(b.max ?? '0', a.max ?? '0'));
  return [
    ...(low?.min
      ? [{ kind: 'amount' as const, ramp: low.ramp, bound: 'min' as const, amount: low.min }]
      : []),
    ...(high?.max
      ? [{ kind: 'amount' as const, ramp: high.ramp, bound: 'max' as const, amount: high.max }]
      : []),
  ];
}

/** Nobody serves the pair there: what is recommended for the place does work. */
function unserved({ recommended, round }: State): Advice[] {
  if (recommended === undefined) return round.phase === 'failed' ? [{ kind: 'retry' }] : [];
  return [...(recommended ? [{ kind: 'pair' as const, recommended }] : []), { kind: 'country' }];
}
