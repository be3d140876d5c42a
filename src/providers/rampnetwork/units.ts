/** Units: amounts of coins as Ramp Network writes them, in the smallest unit. */
import { type Amount, cut, decimal } from '../../domain/money.ts';
import { amount } from '../exchange.ts';

/** `"1600000000000000"` at 18 decimals is 0.0016. */
export function fromSmallest(text: string, decimals: string | number): Amount {
  return amount(text).div(decimal(`1e${decimals}`));
}

export function toSmallest(value: Amount, decimals: string | number): string {
  return cut(value.times(decimal(`1e${decimals}`)), 0).toString();
}
