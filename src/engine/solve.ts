/** Solving: finds the amount to hand over for a wanted payout, at providers that only price the other way round. */
import type { Limits } from '../domain/listing.ts';
import { type Amount, decimal, largest, leastOf, raise, smallest, ZERO } from '../domain/money.ts';
import { type Ask, type Decline, limitDecline, type Price, placesOf } from '../domain/offer.ts';
import { Upstream } from './upstream.ts';

export interface Problem {
  ask: Ask;
  /** Bounds on what is handed over. */
  limits: Limits;
  /** With how many decimal places it is taken at most, where that is fewer than the currency has. */
  places?: number | undefined;
  /** Where to begin; the nearer, the fewer questions. Without knowing anything of the pair it is a blind one. */
  guess: Amount;
  isBlind?: boolean;
  quote(exact: Ask): Promise<Price | Decline>;
}

/** Prices are straight lines with a kink or two (percentages, least fees): a few steps find the point. */
const MOST_STEPS = 8;

/** Where to try, each from the one before, when a refusal states no limit: fees above and below, then far below and above. */
const NEARBY = ['1.25', '0.72'].map(decimal);
const FAR = ['0.01', '10000'].map(decimal);

/** Near a limit that is not known exactly, each step away from a refusal is so many times the one before. */
const STRIDE = decimal(8);

/** What pays out more than this is not what was asked for. */
const NEAR = decimal('1.01');

/**
 * The least amount, to within one smallest unit, whose payout is at least what is wanted. Every step is a price the
 * provider really gave; the last one is the result.
 */
export async function solve(problem: Problem): Promise<Price | Decline> {
  const { ask, limits, guess, isBlind, quote } = problem;
  const wanted = ask.amount;
  const source = ask.side === 'buy' ? ask.fiat : ask.asset;
  const places = Math.min(placesOf(source), problem.places ?? Number.POSITIVE_INFINITY);
  const unit = leastOf(places);
  const known: Known = { ask, unit, jumps: isBlind ? [...FAR] : [...NEARBY, ...FAR], steps: 0 };
  let pays = guess;
  for (let step = 0; step < MOST_STEPS; step++) {
    pays = raise(hold(pays, limits, known), places);
    const answer = await quote({ ...ask, amount: pays, amountOf: 'source' }).catch((trouble: unknown) => {
      // What there was no time for is no more than the last refinement: what was found is a price all the same.
      if (isWantOfTime(trouble) && known.enough?.gets.lte(wanted.times(NEAR))) return undefined;
      throw trouble;
    });
    if (!answer) break;
    if ('kind' in answer) {
      known.refusal = answer;
      const next = answer.reason === 'limit' ? elsewhere(answer, pays, known) : undefined;
      if (!next) break;
      pays = next;
      continue;
    }
    // Nonsense cannot be aimed with; whoever reads it will refuse it.
    if (!answer.pays.gt(0) || !answer.gets.gt(0) || !answer.pays.isFinite() || !answer.gets.isFinite())
      return answer;
    const previous = known.enough ?? known.short;
    if (answer.gets.gte(wanted)) known.enough = answer;
    else known.short = answer;
    const { enough, short } = known;
    if (short && limits.max && short.pays.gte(limits.max)) return limitDecline(source.code, limits);
    if (enough?.gets.eq(wanted)) return enough;
    const isClose = enough && surplus(enough, wanted).lte(unit);
    if (enough && !isClose && limits.min && enough.pays.lte(limits.min))
      return limitDecline(source.code, limits);
    const least = largest(tooLittle(known), limits.min?.minus(unit));
    if (enough && least && enough.pays.minus(least).lte(unit)) break;
    // Fees are rounded, too: whether one unit less would do cannot be told from the price.
    pays = isClose ? enough.pays.minus(unit) : aim(wanted, answer, previous);
  }
  const { enough, refusal } = known;
  // A price for much more is worth nothing where what was asked for is refused.
  if (enough && (!refusal || enough.gets.lte(wanted.times(NEAR)))) return enough;
  return refusal ?? limitDecline(source.code, limits);
}

/** Nothing that the provider has said or done. */
function isWantOfTime(trouble: unknown): boolean {
  return trouble instanceof Upstream && ['late', 'busy', 'withdrawn'].includes(trouble.kind);
}

/** What has been learned on the way. */
interface Known {
  ask: Ask;
  /** The smallest unit of what is handed over. */
  unit: Amount;
  /** The last price that pays out enough, and the last that does not. */
  enough?: Price;
  short?: Price;
  /** The most that was refused for being too little, and the least that was for being too much. */
  low?: Amount;
  high?: Amount;
  refusal?: Decline;
  /** The jumps that are left where nothing is known, and how many steps were taken next to a limit. */
  jumps: Amount[];
  steps: number;
}

/** Where to go on after an amount was refused: to the bound that was stated, or in search of it. */
function elsewhere({ limits }: Decline, pays: Amount, known: Known): Amount | undefined {
  const { enough, short } = known;
  const isLittle = isTooLittle(limits, pays) ?? (enough || short ? !!enough : undefined);
  if (isLittle === undefined) {
    const jump = known.jumps.shift();
    return jump && pays.times(jump);
  }
  known[isLittle ? 'low' : 'high'] = pays;
  const bound = isLittle ? limits?.min : limits?.max;
  if (!bound) return closer(pays, known);
  // The bound has a price already, and what is wanted lies beyond it.
  const isBeyond = isLittle ? enough?.pays.lte(bound) : short?.pays.gte(bound);
  return isBeyond ? undefined : bound;
}

/** What a refusal says of an amount, where it states a bound. */
function isTooLittle(limits: Limits | undefined, pays: Amount): boolean | undefined {
  if (limits?.min && pays.lt(limits.min)) return true;
  return limits?.max && pays.gt(limits.max) ? false : undefined;
}

/** Back from a refusal towards the price that is known: to where fees that never change would lead, or in growing steps. */
function closer(refused: Amount, known: Known): Amount | undefined {
  const { ask, unit, enough, short } = known;
  const price = enough ?? short;
  if (!price) return undefined;
  const fees = feesIn(ask, price);
  const fixed = price.pays.minus(fees).times(ask.amount).div(price.gets).plus(fees);
  if (enough ? fixed.gt(refused) : fixed.lt(refused)) return fixed;
  const one = price.pays.div(price.gets).times(unitOut(ask)).plus(unit);
  const reach = one.times(STRIDE.pow(known.steps++));
  return enough ? refused.plus(reach) : refused.minus(reach);
}

/** The fees of a price in what is handed over. */
function feesIn({ side }: Ask, { pays, gets, networkFee, providerFee }: Price): Amount {
  const fees = networkFee.plus(providerFee);
  if (!fees.isFinite() || fees.isNegative()) return ZERO;
  return side === 'buy' ? fees : fees.times(pays).div(gets.plus(fees));
}

/** The most that is known to be too little. */
function tooLittle({ short, low }: Known): Amount | undefined {
  return largest(short?.pays, low);
}

/** The smallest unit of the payout. */
function unitOut({ side, asset, fiat }: Ask): Amount {
  return leastOf((side === 'buy' ? asset : fiat).decimals);
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

/** Keeps a guess within the limits, and strictly between what is known to be too little and to be enough, or too much. */
function hold(pays: Amount, limits: Limits, known: Known): Amount {
  const { enough, high: much, unit } = known;
  const low = largest(limits.min, tooLittle(known)?.plus(unit)) ?? unit;
  const high = smallest(limits.max, smallest(enough?.pays, much)?.minus(unit));
  if (pays.lt(low)) return low;
  return high && pays.gt(high) ? high : pays;
}
