/** Deals of the stand-ins: one arithmetic for all who state a price, a share and a network fee, each with terms of its own. */
import { type Amount, cut, decimal, largest, leastOf, raise, significant, ZERO } from '../domain/money.ts';
import type { Ask } from '../domain/offer.ts';
import type { Deal } from './hosted.ts';

/** What is asked for, in words that have been understood. */
export interface Wanted extends Pick<Ask, 'side' | 'fiat' | 'asset' | 'amount' | 'amountOf'> {
  /** The provider's word. */
  method: string;
}

export interface Tariff {
  /** Fiat for one coin, the provider's margin included. */
  price: Amount;
  /** Of all that is paid on a buy, of what the coins are worth on a sell. */
  share: Amount;
  /** The share where what it is taken of is above so much. */
  reduced?: { above: Amount; share: Amount };
  /** In the fiat, as the next. */
  least: Amount;
  networkFee: Amount;
  /** How many of the coin's places the provider knows. */
  places: number;
}

const ONE = decimal(1);
const RATE_DIGITS = 12;

/** The deal; undefined when the fees leave nothing of it. */
export function strike(wanted: Wanted, tariff: Tariff): Deal | undefined {
  const figures = (wanted.side === 'buy' ? buy : sell)(wanted, tariff);
  const { pays, gets, value, fee } = figures;
  if (!value.gt(ZERO) || !gets.gt(ZERO) || !pays.gt(ZERO)) return undefined;
  const { side, fiat, asset, method } = wanted;
  const rate = significant(value.div(side === 'buy' ? gets : pays), RATE_DIGITS);
  return { side, fiat, asset, method, pays, gets, value, fee, networkFee: tariff.networkFee, rate };
}

type Figures = Pick<Deal, 'pays' | 'gets' | 'value' | 'fee'>;

function buy({ fiat, amount, amountOf }: Wanted, tariff: Tariff): Figures {
  const { price, networkFee, places } = tariff;
  if (amountOf === 'source') {
    const fee = feeOn(amount, tariff, fiat.decimals);
    const value = amount.minus(fee).minus(networkFee);
    return { pays: amount, gets: cut(value.div(price), places), value, fee };
  }
  const value = raise(amount.times(price), fiat.decimals);
  const fee = feeOver(value.plus(networkFee), tariff, fiat.decimals);
  return { pays: value.plus(networkFee).plus(fee), gets: amount, value, fee };
}

function sell({ fiat, amount, amountOf }: Wanted, tariff: Tariff): Figures {
  const { price, networkFee, places } = tariff;
  if (amountOf === 'source') {
    const value = cut(amount.times(price), fiat.decimals);
    const fee = feeOn(value, tariff, fiat.decimals);
    return { pays: amount, gets: value.minus(fee).minus(networkFee), value, fee };
  }
  const fee = feeOver(amount.plus(networkFee), tariff, fiat.decimals);
  const value = amount.plus(networkFee).plus(fee);
  return { pays: raise(value.div(price), places), gets: amount, value, fee };
}

function feeOn(amount: Amount, { share, reduced, least }: Tariff, places: number): Amount {
  const taken = reduced && amount.gt(reduced.above) ? reduced.share : share;
  return raise(largest(amount.times(taken), least) ?? least, places);
}

/** The fee on what it is added to, such that the same fee is taken of both together. */
function feeOver(rest: Amount, tariff: Tariff, places: number): Amount {
  const { share, reduced, least } = tariff;
  const over = (part: Amount) =>
    raise(largest(rest.times(part).div(ONE.minus(part)), least) ?? least, places);
  const full = over(share);
  if (!reduced || rest.plus(full).lte(reduced.above)) return full;
  const less = over(reduced.share);
  // Between the most with the full share and the least with the reduced one nothing is sold: the latter is the nearest.
  const first = cut(reduced.above, places).plus(leastOf(places)).minus(rest);
  return largest(less, first) ?? less;
}
