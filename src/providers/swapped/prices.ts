/** Swapped's prices: each call is given one figure, so that another one is met by asking again with more or less. */
import { type Amount, cut, decimal, leastOf, raise, smallest, ZERO } from '../../domain/money.ts';
import { type Decline, decline, type Price } from '../../domain/offer.ts';
import type { NativeAsk } from '../contract.ts';
import { amount, BadAnswer, type Context, exchange, feeIfAny, isSameWord, type Work } from '../exchange.ts';
import * as wire from './wire.ts';

/** What the figures of an answer come to. */
interface Figures {
  /** What is paid in all on a buy; what the coins are worth on a sell. */
  including: Amount;
  excluding: Amount;
  crypto: Amount;
  network: Amount;
}

interface Search {
  ask: NativeAsk;
  context: Context;
  /** The figure that the ask fixes. */
  figure: 'including' | 'excluding' | 'crypto';
  refuse(body: unknown): Decline | undefined;
}

/** An amount of the fiat that was sent, and what it came to. */
interface Point {
  sent: Amount;
  met: Amount;
  figures: Figures;
}

/** What has been asked so far, and how often it may be asked on. */
interface Trail {
  points: readonly Point[];
  left: number;
}

const MOST_ASKED = 6;
const ONE = decimal(1);
/** Of a unit's worth: what is less cannot be the unit itself, rounded. */
const CLEARLY = decimal('0.9');
/** A price that is as near as this may stand for one that cannot be had. */
const NEAR = decimal('0.002');

type Refuse = Search['refuse'];

/** The price of an ask, in as many calls as it takes. */
export function findPrice(ask: NativeAsk, context: Context, refuse: Refuse): Work<Price | Decline> {
  if (ask.side === 'buy' && ask.amountOf === 'destination') return priceCoins(ask, context, refuse);
  const figure = ask.side === 'buy' ? 'including' : ask.amountOf === 'source' ? 'crypto' : 'excluding';
  // A sell is priced by money only; for coins, the first sum is one that any limit lets through.
  const first = figure === 'crypto' ? (SAMPLES[ask.fiat.code] ?? SAMPLE) : ask.amount;
  return step({ ask, context, figure, refuse }, first, { points: [], left: MOST_ASKED });
}

const SAMPLE = decimal(1_000);
/** Where a thousand is next to nothing. */
const SAMPLES: Readonly<Record<string, Amount>> = {
  HUF: decimal(50_000),
  JPY: decimal(20_000),
  KRW: decimal(100_000),
  CLP: decimal(100_000),
  COP: decimal(500_000),
  IDR: decimal(2_000_000),
  VND: decimal(2_000_000),
};

/**
 * Whether the amount of a buy has the fees in it depends on whom one asks, so that the answer's own total is aimed at. A
 * figure that was scaled would be a price that nobody gave: it is asked again, until one unit more would be too much.
 */
function step(search: Search, sent: Amount, { points, left }: Trail): Work<Price | Decline> {
  const { ask, context, figure, refuse } = search;
  if (!sent.gt(ZERO)) return decline('limit', 'The amount is too small');
  return exchange<Price | Decline>(requestOf(ask, { fiat_amount: sent }, context), ({ body }) => {
    const refusal = refuse(body);
    if (refusal) return nearest(ask, points) ?? refusal;
    const figures = readFigures(body, ask);
    const known = [...points, { sent, met: figures[figure], figures }];
    const met = known.find(point => isMet(search, point, known));
    if (met) return priceOf(ask, met.figures, ask.amount);
    // Far off after all: it is said as it is, and whoever reads it decides.
    if (left <= 1) return nearest(ask, known) ?? priceOf(ask, figures);
    return step(search, aim(search, known), { points: known, left: left - 1 });
  });
}

/** A payout is met exactly; what is handed over is not exceeded, but would be by one unit of the fiat more. */
function isMet({ ask, figure }: Search, { sent, met }: Point, known: readonly Point[]): boolean {
  if (met.eq(ask.amount)) return true;
  if (figure === 'excluding' || met.gt(ask.amount)) return false;
  const unit = unitOf(ask.fiat);
  // Coins follow the money in a straight line, but for their last place; fees need not.
  const one = met.div(sent).times(unit);
  if (figure === 'crypto' && ask.amount.minus(met).lt(one.times(CLEARLY))) return true;
  return known.some(other => other.sent.eq(sent.plus(unit)) && other.met.gt(ask.amount));
}

/**
 * The line through the last two answers meets what is asked for. A single one is followed so, and sums are rounded so, that
 * what lies just beyond a limit is not asked for: a total is met from above, a payout from below.
 */
function aim({ ask, figure }: Search, known: readonly Point[]): Amount {
  const [last, before] = known.toReversed();
  if (!last) return ask.amount;
  const isLine = before && !before.met.eq(last.met);
  const first = figure === 'excluding' ? ONE : last.sent.div(last.met);
  const slope = isLine ? last.sent.minus(before.sent).div(last.met.minus(before.met)) : first;
  const aimed = last.sent.plus(ask.amount.minus(last.met).times(slope));
  const next = (figure === 'including' ? raise : cut)(aimed, ask.fiat.decimals);
  if (known.every(({ sent }) => !sent.eq(next))) return next;
  const unit = unitOf(ask.fiat);
  return last.met.gt(ask.amount) ? last.sent.minus(unit) : last.sent.plus(unit);
}

/** The price nearest to what was asked for, if it is near. */
function nearest(ask: NativeAsk, points: readonly Point[]): Price | undefined {
  const gap = ({ met }: Point) => met.minus(ask.amount).abs();
  const best = points.toSorted((a, b) => gap(a).cmp(gap(b)))[0];
  return best && gap(best).lte(ask.amount.times(NEAR)) ? priceOf(ask, best.figures) : undefined;
}

function unitOf({ decimals }: { decimals: number }): Amount {
  return leastOf(decimals);
}

function priceCoins(ask: NativeAsk, context: Context, refuse: Refuse): Work<Price | Decline> {
  return exchange<Price | Decline>(requestOf(ask, { crypto_amount: ask.amount }, context), ({ body }) => {
    const refusal = refuse(body);
    return refusal ?? priceOf(ask, readFigures(body, ask));
  });
}

function requestOf(ask: NativeAsk, sum: Record<string, Amount>, { settings }: Context) {
  const { native, side, country } = ask;
  const common = {
    api_key: settings.publicKey,
    crypto_currency: native.asset,
    fiat_currency: native.fiat,
    ...sum,
  };
  const own =
    side === 'buy'
      ? { payment_method: native.method, region: country.slice(0, 2) }
      : { payout_method: native.method };
  const path = side === 'buy' ? '/api/v1/merchant/pricing' : '/api/v1/merchant/sell/pricing';
  return { method: 'POST', host: 'api', path, body: { ...common, ...own } } as const;
}

function readFigures(body: unknown, { native }: NativeAsk): Figures {
  const { data } = wire.readPricing(body);
  const same = isSameWord(data.crypto_currency, native.asset) && isSameWord(data.fiat_currency, native.fiat);
  if (!same) throw new BadAnswer('a price for another pair');
  const figures = {
    including: amount(data.fiat_amount_incl_fees_local),
    excluding: amount(data.fiat_amount_excl_fees_local),
    crypto: amount(data.crypto_amount),
    network: feeIfAny(data.network_fee_local),
  };
  const { including, excluding, crypto } = figures;
  if (![including, excluding, crypto].every(figure => figure.gt(ZERO)))
    throw new BadAnswer('a price of nothing');
  return figures;
}

/** The fees are what lies between the two sums, and the network's is a part of them. `asked` has been met, to one unit. */
function priceOf({ side, fiat, asset, amountOf }: NativeAsk, figures: Figures, asked?: Amount): Price {
  const { excluding, crypto, network } = figures;
  const isBuy = side === 'buy';
  const including = (isBuy && asked) || figures.including;
  const fees = raise(including.minus(excluding), fiat.decimals);
  const networkFee = smallest(raise(network, fiat.decimals), fees) ?? ZERO;
  const figure = isBuy
    ? { pays: including, gets: cut(crypto, asset.decimals) }
    : { pays: raise(crypto, asset.decimals), gets: cut(excluding, fiat.decimals) };
  // Exactly what was asked for: where no amount meets it, a unit more is paid than would be needed.
  const exact = asked && { [amountOf === 'source' ? 'pays' : 'gets']: asked };
  return { ...figure, networkFee, providerFee: fees.minus(networkFee), ...exact };
}
