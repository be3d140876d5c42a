/** The usual amount: what a pair begins with where nobody has said how much. */
import type { PaymentTypeWithLimits } from '../../client/src/index.ts';
import { boundsOf, isWithin } from './advice.ts';
import { scaled } from './decimal.ts';
import { type State, unitsOf } from './state.ts';

/** Far enough above what one provider needs to be more than fees, and enough for most others. */
const COMFORT = '5';
const DIGITS = 2;

/**
 * Some way above the least that the chosen method takes, or any where it states none, in round figures. Those who state
 * limits are in the order of the catalog, which is that of importance: the least of all would be too little for the rest.
 */
export function usualAmount(state: State): string {
  const { methods = [], method, side } = state;
  const chosen = methods.filter(one => one.paymentTypeId === method);
  const [least] = [...chosen, ...methods].flatMap(one => leastOf(one, state));
  if (least === undefined) return side === 'buy' ? '100' : '1';
  const places = unitsOf(state)?.[0].decimals ?? 0;
  const amount = scaled(least, COMFORT, { digits: DIGITS, places, rest: 'raise' });
  return chosen.every(one => isWithin(amount, { ...boundsOf(one, state), min: undefined })) ? amount : least;
}

function leastOf({ details }: PaymentTypeWithLimits, { setup }: State): string[] {
  const { onramps } = setup.only;
  return Object.entries(details.limits)
    .filter(([ramp]) => ramp !== 'aggregatedLimit' && (onramps.length === 0 || onramps.includes(ramp)))
    .flatMap(([, limits]) => limits?.min ?? []);
}
