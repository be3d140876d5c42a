/** Bounds: limits on what is handed over told in what is received, and the other way round. */
import { destinationLimits, type Found, type Limits, sourceLimits, within } from '../domain/listing.ts';
import {
  type Amount,
  cut,
  decimal,
  largest,
  leastOf,
  raise,
  significant,
  smallest,
  ZERO,
} from '../domain/money.ts';
import {
  type Ask,
  type Decline,
  type Flaw,
  type Offer,
  type Price,
  placesOf,
  priceOffer,
  worstRate,
} from '../domain/offer.ts';

export interface BoundsProblem {
  /** An ask for an amount to be received, which was refused for it. */
  ask: Ask;
  /** Bounds on what is handed over. */
  limits: Limits;
  /** The usual rate of the pair, where it is known. */
  rate: Amount | undefined;
  quote(exact: Ask): Promise<Price | Decline>;
}

/** Prices move between the answer and the next question: an amount at a stated bound must be accepted then, too. */
const MARGIN = decimal('0.01');
const MORE = decimal(1).plus(MARGIN);
const LESS = decimal(1).minus(MARGIN);
/** Without a price at the limit its fees are not known. They make a least amount safe, and a greatest one not. */
const UNPRICED: Record<keyof Limits, Amount> = { min: decimal('1.05'), max: decimal('0.85') };
/** Rounding to so many digits moves a bound by far less than the margin. */
const DIGITS = 4;

/**
 * The bound that was crossed, in what is received; nothing where none can be told. It errs to the safe side: the least
 * amount is stated a little too high, the greatest a little too low.
 */
export async function receivedBounds(problem: BoundsProblem): Promise<Limits> {
  const { ask, limits, rate } = problem;
  for (const end of likelier(problem)) {
    const limit = limits[end];
    const price = limit && (await priceAt(problem, end, limit));
    const gets = price?.gets ?? (limit && rate && worth(ask, limit, rate).times(UNPRICED[end]));
    if (gets && crosses(ask.amount, end, gets)) return { [end]: stated(ask, end, gets) };
  }
  return {};
}

/** All the limits on what is handed over that we know of: those that were stated come first. */
export function knownLimits(
  ask: Ask,
  found: Found,
  { stated, rate }: { stated: Limits | undefined; rate: Amount | undefined },
): Limits {
  const listed = sourceLimits(ask.side, found);
  const turned = rate ? turnRound(ask, found, rate) : {};
  return {
    min: stated?.min ?? largest(listed.min, turned.min),
    max: stated?.max ?? smallest(listed.max, turned.max),
  };
}

/** All limits turned into what the customer hands over, at the rate and fees of this very offer. */
export function sourceLimitsAt(ask: Ask, found: Found, offer: Offer): Limits {
  const source = sourceLimits(ask.side, found);
  const destination = destinationLimits(ask.side, found);
  const terms = { rate: offer.rate, fees: feesOf(offer) };
  const places = placesOf(sourceOf(ask));
  const min =
    destination.min && offer.gets.lt(destination.min)
      ? raise(cost(ask, destination.min, terms), places)
      : undefined;
  // Fees for much are for the most part a share, and are less for less: with all of them the most would be overstated.
  const max =
    destination.max && offer.gets.gt(destination.max)
      ? cut(offer.pays.times(destination.max).div(offer.gets), places)
      : undefined;
  return { min: largest(source.min, min), max: smallest(source.max, max) };
}

/** A price that is not believed, and the usual rate of the pair, where it is known. */
export interface Doubt {
  price: Price;
  flaw: Flaw;
  rate: Amount | undefined;
}

/**
 * The limits that explain a doubtful price: so little was asked about that the fees leave nothing of it, or that the
 * least there is was priced instead. Undefined where the amount explains nothing.
 */
export function limitsBehind(ask: Ask, found: Found, { price, flaw, rate }: Doubt): Limits | undefined {
  const { min, max } = sourceLimits(ask.side, found);
  const least = flaw === 'nothingLeft' ? eatenUp(ask, price, rate ?? price.rate) : pricedInstead(ask, price);
  if (!least || (least.min && !within(least.min, { max }))) return undefined;
  return { min: largest(min, least.min), max };
}

/** What the customer hands over. */
export function sourceOf(ask: Ask): { code: string; decimals: number } {
  return ask.side === 'buy' ? ask.fiat : ask.asset;
}

/** What leaves the smallest sum at the worst rate that would be believed, where less was handed over than that. */
function eatenUp(ask: Ask, price: Price, rate: Amount | undefined): Limits | undefined {
  if (!rate) return {};
  const unit = leastOf(destinationOf(ask).decimals);
  const min = cost(ask, unit, { rate: worstRate(ask.side, rate), fees: feesOf(price) });
  return price.pays.lt(min) ? { min: raise(min, placesOf(sourceOf(ask))) } : undefined;
}

/** What is to be paid for more than was to be received, where nothing else about the price is in doubt. */
function pricedInstead(ask: Ask, price: Price): Limits | undefined {
  if (ask.amountOf === 'source' || price.gets.lte(ask.amount)) return undefined;
  const offer = priceOffer({ ...ask, amount: price.gets }, price);
  return typeof offer === 'string' ? undefined : { min: offer.pays };
}

/** What the customer receives. */
function destinationOf(ask: Ask): { decimals: number } {
  return ask.side === 'buy' ? ask.asset : ask.fiat;
}

/** The limits on what comes out, turned into what is handed over at a rate; fees are left out of account. */
function turnRound(ask: Ask, found: Found, rate: Amount): Limits {
  const { min, max } = destinationLimits(ask.side, found);
  const places = placesOf(sourceOf(ask));
  const terms = { rate, fees: ZERO };
  return {
    min: min && raise(cost(ask, min, terms), places),
    max: max && cut(cost(ask, max, terms), places),
  };
}

/** What an amount to receive costs at a rate, with the fees. */
function cost({ side }: Ask, out: Amount, { rate, fees }: { rate: Amount; fees: Amount }): Amount {
  return side === 'buy' ? out.times(rate).plus(fees) : out.plus(fees).div(rate);
}

function feesOf({ networkFee, providerFee }: Price): Amount {
  return networkFee.plus(providerFee);
}

/** The end that was crossed for all we know comes first, which saves a question. */
function likelier({ ask, limits, rate }: BoundsProblem): (keyof Limits)[] {
  const isMuch = rate && limits.max && ask.amount.gte(worth(ask, limits.max, rate).times(UNPRICED.max));
  return isMuch ? ['max', 'min'] : ['min', 'max'];
}

/** The price at a limit. A provider that has another one by now says so, and is asked once more. */
async function priceAt(
  { ask, quote }: BoundsProblem,
  end: keyof Limits,
  limit: Amount,
): Promise<Price | undefined> {
  const places = placesOf(sourceOf(ask));
  let amount = limit;
  for (let tries = 0; tries < 2; tries++) {
    const exact = (end === 'min' ? raise : cut)(amount, places);
    const answer = await quote({ ...ask, amount: exact, amountOf: 'source' });
    if (!('kind' in answer)) return answer.gets.isFinite() && answer.gets.gt(0) ? answer : undefined;
    const other = answer.limits?.[end];
    if (!other || other.eq(amount)) return undefined;
    amount = other;
  }
  return undefined;
}

/** What an amount to hand over brings at a rate, before fees. */
function worth({ side }: Ask, amount: Amount, rate: Amount): Amount {
  return side === 'buy' ? amount.div(rate) : amount.times(rate);
}

function crosses(wanted: Amount, end: keyof Limits, bound: Amount): boolean {
  return end === 'min' ? wanted.lt(bound) : wanted.gt(bound);
}

function stated(ask: Ask, end: keyof Limits, gets: Amount): Amount {
  const places = placesOf(destinationOf(ask));
  return end === 'min'
    ? raise(significant(gets.times(MORE), DIGITS), places)
    : cut(significant(gets.times(LESS), DIGITS), places);
}
