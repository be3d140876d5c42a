/** Solving: finds the amount to hand over for a wanted payout, at providers that only price the other way round. */
import type { Limits } from '../domain/listing.ts';
import { type Amount, decimal, largest, raise, smallest } from '../domain/money.ts';
import { type Ask, type Decline, limitDecline, type Price } from '../domain/offer.ts';

export interface Problem {
  ask: Ask;
  /** Bounds on what is handed over. */
  limits: Limits;
  /** Where to begin; the nearer, the fewer questions. */
  guess: Amount;
  quote(exact: Ask): Promise<Price | Decline>;
}

/** Prices are straight lines with a kink or two (percentages, least fees): a few steps find the point. */
const MOST_STEPS = 8;

/** How far to jump when nothing is known of the limits. */
const UNSEEN = decimal('0.01');

/**
 * The least amount, to within one smallest unit, whose payout is at least what is wanted. Every step is a price the
 * provider really gave; the last one is the result.
 */
export async function solve({ ask, limits, guess, quote }: Problem): Promise<Price | Decline> {
  const wanted = ask.amount;
  const source = ask.side === 'buy' ? ask.fiat : ask.asset;
  const unit = decimal(`1e-${source.decimals}`);
  let enough: Price | undefined;
  let short: Price | undefined;
  let pays = guess;
  for (let step = 0; step < MOST_STEPS; step++) {
    pays = raise(hold(pays, limits, { enough, short, unit }), source.decimals);
    const answer = await quote({ ...ask, amount: pays, amountOf: 'source' });
    if ('kind' in answer) {
      if (enough) return enough;
      const better = short ? undefined : elsewhere(answer, pays, step);
      if (!better) return answer;
      pays = better;
      continue;
    }
    // Nonsense cannot be aimed with; whoever reads it will refuse it.
    if (!answer.pays.gt(0) || !answer.gets.gt(0) || !answer.pays.isFinite() || !answer.gets.isFinite())
      return answer;
    const previous = enough ?? short;
    if (answer.gets.gte(wanted)) enough = answer;
    else short = answer;
    if (short && limits.max && short.pays.gte(limits.max)) return limitDecline(source.code, limits);
    if (enough && surplus(enough, wanted).lte(unit)) return enough;
    if (enough && limits.min && enough.pays.lte(limits.min)) return limitDecline(source.code, limits);
    if (enough && short && enough.pays.minus(short.pays).lte(unit)) return enough;
    pays = aim(wanted, answer, previous);
  }
  return enough ?? limitDecline(source.code, limits);
}

/** A first guess may lie outside limits that nobody listed; the refusal says which way to go, or both are tried. */
function elsewhere({ reason, limits }: Decline, pays: Amount, step: number): Amount | undefined {
  if (reason !== 'limit') return undefined;
  if (limits?.min && pays.lt(limits.min)) return limits.min;
  if (limits?.max && pays.gt(limits.max)) return limits.max;
  return [pays.times(UNSEEN), pays.div(UNSEEN).div(UNSEEN)][step];
}

/** How much more than needed was handed over, at the price's own ratio. */
function surplus({ pays, gets }: Price, wanted: Amount): Amount {
  return gets.minus(wanted).times(pays).div(gets);
}

/** The line through the last two answers meets what is wanted; with one answer, its own ratio does. */
function aim(wanted: Amount, last: Price, previous: Price | undefined): Amount {
  if (!previous || previous.gets.eq(last.gets)) return last.pays.times(wanted).div(last.gets);
  const slope = last.pays.minus(previous.pays).div(last.gets.minus(previous.gets));
  return last.pays.plus(wanted.minus(last.gets).times(slope));
}

interface Bracket {
  enough: Price | undefined;
  short: Price | undefined;
  unit: Amount;
}

/** Keeps a guess within the limits, and strictly between what is known to be too little and to be enough. */
function hold(pays: Amount, limits: Limits, { enough, short, unit }: Bracket): Amount {
  const low = largest(limits.min, short?.pays.plus(unit)) ?? unit;
  const high = smallest(limits.max, enough?.pays.minus(unit));
  if (pays.lt(low)) return low;
  return high && pays.gt(high) ? high : pays;
}
