/** Asks, and what providers answer to them: offers whose figures all mean the same, or declines that say why. */
import type { Asset, Fiat } from './currency.ts';
import { asksAt, type KycTier, type Requirement } from './kyc.ts';
import type { Limits } from './listing.ts';
import { type Amount, cut, decimal, isAboveZero, leastOf, MOST_PLACES, raise, ratio, ZERO } from './money.ts';
import type { CountryCode, Instant, MethodId, ProviderId, Side, StateCode } from './words.ts';

/** What the client wants. */
export interface Ask {
  side: Side;
  fiat: Fiat;
  asset: Asset;
  method: MethodId;
  country: CountryCode;
  /** The state, in the United States; when it is not known, only the country's rules apply. */
  state?: StateCode | undefined;
  amount: Amount;
  /** Whether `amount` is what the customer hands over or what they are to receive. */
  amountOf: 'source' | 'destination';
  walletAddress?: string | undefined;
}

/** The figures of a provider's answer, in its own terms but our units: fees are in fiat. */
export interface Price {
  /** All the customer hands over: fiat on a buy, the asset on a sell. */
  pays: Amount;
  /** All the customer receives, after every fee. */
  gets: Amount;
  networkFee: Amount;
  /** Everything the provider (and any partner) takes, apart from the network fee. */
  providerFee: Amount;
  /** Fiat for one unit of the asset, when the provider states one; it must agree with the rest. */
  rate?: Amount | undefined;
  validUntil?: Instant | undefined;
  /** What is asked of the person at this amount, when the provider says so with the price. */
  asks?: readonly Requirement[] | undefined;
}

/** A price we believe, with the rate derived so that `pays = value + networkFee + providerFee` holds. */
export interface Offer {
  kind: 'offer';
  pays: Amount;
  gets: Amount;
  networkFee: Amount;
  providerFee: Amount;
  rate: Amount;
  validUntil?: Instant | undefined;
  /** What the provider asks of the person at this amount. */
  asks: readonly Requirement[];
}

export type DeclineReason = 'limit' | 'pair' | 'country' | 'method' | 'refused' | 'unavailable';

export interface Decline {
  kind: 'decline';
  reason: DeclineReason;
  /** Said to the client; never a provider's raw text unless it is the reason of a refusal. */
  message: string;
  /** With reason `limit`: bounds in what the customer hands over. */
  limits?: Limits;
  /** With reason `limit`, to an ask for an amount to be received: the bounds in what is received, as far as they are known. */
  received?: Limits | undefined;
  /** With reason `unavailable`: whether the provider took too long, wants to be left alone, or failed. */
  cause?: 'late' | 'busy' | 'broken';
  /** With reason `refused`: the order came to nothing before, and its provider can say how. */
  isOver?: boolean | undefined;
}

export interface Outcome {
  provider: ProviderId;
  answer: Offer | Decline;
}

export type Priced = Outcome & { answer: Offer };
export type Declined = Outcome & { answer: Decline };

/** Why an answer is not believed. */
export type Flaw =
  | 'notFinite'
  | 'notPositive'
  | 'negativeFee'
  | 'nothingLeft'
  | 'feesExceedAmount'
  | 'otherAmount'
  | 'rateDisagrees';

/** A provider rounds its fees and its rate; beyond this share of the amount the parts do not add up. */
const TOLERANCE = decimal('0.01');
/** Around the middle of all offers: honest spreads are a few percent, lies are factors. */
const LOWEST_SHARE = decimal('0.70');
const HIGHEST_SHARE = decimal('1.40');

/** Turns a provider's figures into an offer, or names the flaw that makes it unbelievable. `kyc` is what it asks for. */
export function priceOffer(ask: Ask, price: Price, kyc: readonly KycTier[] = []): Offer | Flaw {
  const { validUntil } = price;
  if (!isKnown(price)) return 'notFinite';
  const pays = payable(ask, price.pays);
  const networkFee = inCents(price.networkFee, ask.fiat);
  const providerFee = inCents(price.providerFee, ask.fiat).plus(excessOf(ask, price, pays));
  const gets = cut(price.gets, (ask.side === 'buy' ? ask.asset : ask.fiat).decimals);
  if (!isAboveZero(pays) || price.gets.isNegative()) return 'notPositive';
  if (networkFee.isNegative() || providerFee.isNegative()) return 'negativeFee';
  if (gets.isZero()) return 'nothingLeft';
  const echoed = ask.amountOf === 'source' ? pays : gets;
  if (!near(echoed, ask.amount) || isDearer(ask, pays)) return 'otherAmount';

  const fees = networkFee.plus(providerFee);
  const value = ask.side === 'buy' ? pays.minus(fees) : gets.plus(fees);
  if (!isAboveZero(value)) return 'feesExceedAmount';
  const crypto = ask.side === 'buy' ? gets : pays;
  const rate = ratio(value, crypto);
  if (price.rate && !near(price.rate, rate) && !isRounded(price.rate.times(crypto), value, ask.fiat))
    return 'rateDisagrees';
  const asks = price.asks ?? asksAt(kyc, ask.fiat.code, ask.side === 'buy' ? pays : gets);
  return { kind: 'offer', pays, gets, networkFee, providerFee, rate, validUntil, asks };
}

/** A price for more than was asked about looks better than it is; less than the smallest sum more is a matter of rounding. */
export function isDearer({ side, fiat, asset, amount, amountOf }: Ask, pays: Amount): boolean {
  if (amountOf !== 'source') return false;
  const places = side === 'buy' ? fiat.decimals : Math.min(asset.decimals, COIN_PLACES);
  return pays.gt(amount) && pays.minus(amount).gt(leastOf(places));
}

/** What can be handed over: where the provider says how much it must be, it may say so with more places than there are. */
function payable({ side, fiat, asset, amountOf }: Ask, pays: Amount): Amount {
  if (amountOf === 'source') return pays;
  return raise(pays, placesOf(side === 'buy' ? fiat : asset));
}

/** What is paid beyond the price is a fee. Where it makes no whole cent, as of coins it never does, it is in the rate. */
function excessOf({ side, fiat }: Ask, price: Price, pays: Amount): Amount {
  return side === 'buy' && pays !== price.pays ? cut(pays.minus(price.pays), centsOf(fiat)) : ZERO;
}

/** The places an amount of a currency can be asked about with. */
export function placesOf({ decimals }: { decimals: number }): number {
  return Math.min(decimals, MOST_PLACES);
}

/** Providers reckon with no more places than that of a coin, however many it has. */
const COIN_PLACES = 8;

/** A fee that was turned from coins into money has more places than money. */
function inCents(fee: Amount, fiat: Fiat): Amount {
  return raise(fee, centsOf(fiat));
}

/** The places of a fee: also money that has no cents is reckoned with in them. */
function centsOf({ decimals }: Fiat): number {
  return Math.max(decimals, LEAST_PLACES);
}

const LEAST_PLACES = 2;

function isKnown({ pays, gets, networkFee, providerFee, rate }: Price): boolean {
  const isRateKnown = rate === undefined || rate.isFinite();
  return isRateKnown && pays.isFinite() && gets.isFinite() && networkFee.isFinite() && providerFee.isFinite();
}

function near(a: Amount, b: Amount): boolean {
  return a.eq(b) || a.minus(b).abs().lte(b.times(TOLERANCE));
}

/** Sums of money are rounded: of cents, one cent is more than any share that is tolerated. */
function isRounded(a: Amount, b: Amount, { decimals }: Fiat): boolean {
  return isAboveZero(a) && a.minus(b).abs().lte(leastOf(decimals));
}

/** The rate that was last believed for a pair. */
export interface Reference {
  rate: Amount;
  /** How many offers agreed on it. */
  backing: number;
}

/** So many offers that agree are believed as much as any number of them. */
export const ENOUGH = 3;

/** Offers as they are held against each other. */
export interface Sifted<T> {
  /** Those whose rate lies too far from the middle of all of them to be honest. */
  absurd: readonly T[];
  /** The others, from the lowest rate to the highest. */
  believed: readonly T[];
}

/**
 * Tells honest offers from others. Where the middle itself cannot be trusted (few offers, or a middle that contradicts the
 * reference) the reference decides, unless more agree on the middle than agreed on the reference; without one, of two
 * middles the one that is worse for the customer: what is too good is not believed.
 */
export function siftOffers<T extends { answer: Offer }>(
  side: Side,
  offers: readonly T[],
  reference: Reference | undefined,
): Sifted<T> {
  const byRate = [...offers].sort((a, b) => a.answer.rate.cmp(b.answer.rate));
  const absurd = absurdAmong(side, byRate, reference);
  return { absurd, believed: absurd.length === 0 ? byRate : byRate.filter(offer => !absurd.includes(offer)) };
}

function absurdAmong<T extends { answer: Offer }>(
  side: Side,
  byRate: readonly T[],
  reference: Reference | undefined,
): readonly T[] {
  const middle = cautiousMiddle(side, byRate);
  if (!middle || (byRate.length < 2 && !reference)) return [];
  const far = farFrom(middle, byRate);
  if (!reference || (byRate.length >= ENOUGH && plausibly(reference.rate)(middle))) return far;
  const agreeing = byRate.length - far.length;
  return Math.min(agreeing, ENOUGH) > reference.backing ? far : farFrom(reference.rate, byRate);
}

/** Where the lowest and the highest are honest, all are. */
function farFrom<T extends { answer: Offer }>(rate: Amount, byRate: readonly T[]): readonly T[] {
  const isHonest = plausibly(rate);
  const isFar = ({ answer }: T) => !isHonest(answer.rate);
  const [lowest, highest] = [byRate[0], byRate.at(-1)];
  return [lowest, highest].some(offer => offer && isFar(offer)) ? byRate.filter(isFar) : [];
}

/** What offers by rate agree on: the middle of them, the lower one of two. */
export function agreedOn(byRate: readonly { answer: Offer }[]): Reference | undefined {
  const middle = byRate[(byRate.length - 1) >> 1];
  return middle && { rate: middle.answer.rate, backing: byRate.length };
}

/** Tells whether a rate is near enough to `middle` to be honest. */
export function plausibly(middle: Amount): (rate: Amount) => boolean {
  const lowest = middle.times(LOWEST_SHARE);
  const highest = middle.times(HIGHEST_SHARE);
  return rate => rate.gte(lowest) && rate.lte(highest);
}

/** The worst rate for the customer that is still near enough to `middle` to be honest. */
export function worstRate(side: Side, middle: Amount): Amount {
  return middle.times(side === 'buy' ? HIGHEST_SHARE : LOWEST_SHARE);
}

/** The middle rate; of two, the one that is worse for the customer: the higher on a buy, the lower on a sell. */
function cautiousMiddle(side: Side, byRate: readonly { answer: Offer }[]): Amount | undefined {
  return byRate[side === 'buy' ? byRate.length >> 1 : (byRate.length - 1) >> 1]?.answer.rate;
}

export function decline(reason: DeclineReason, message: string, limits?: Limits): Decline {
  return limits ? { kind: 'decline', reason, message, limits } : { kind: 'decline', reason, message };
}

/** The one wording for an amount out of bounds. `code` is the currency of the limits. */
export function limitDecline(code: string, limits: Limits): Decline {
  const { min, max } = limits;
  const message =
    min && max
      ? `Amount should be in between ${code} ${min} and ${code} ${max}`
      : min
        ? `Amount should be at least ${code} ${min}`
        : max
          ? `Amount should be at most ${code} ${max}`
          : `Amount is outside the limits`;
  return decline('limit', message, limits);
}
