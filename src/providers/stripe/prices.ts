/** Stripe's prices: fees come on top of `source_amount`, so that the amount which makes the whole is asked for in steps. */
import { type Amount, cut, decimal, largest, smallest, ZERO } from '../../domain/money.ts';
import { type Decline, decline } from '../../domain/offer.ts';
import type { NativeAsk } from '../contract.ts';
import {
  amount,
  BadAnswer,
  type Context,
  type Exchange,
  exchange,
  type HttpRequest,
  isSameWord,
  type Work,
} from '../exchange.ts';
import * as wire from './wire.ts';

/** Stripe takes the key as the user of Basic or as a bearer, which are equal; as a bearer it need not be encoded. */
export function authorized({ secret }: Context): Record<string, string> {
  return { authorization: `Bearer ${secret('secretKey')}` };
}

export type Native = Pick<NativeAsk['native'], 'fiat' | 'asset' | 'network'>;

/** What one `source_amount` buys, and what it costs in all. */
export interface Figures {
  source: Amount;
  total: Amount;
  gets: Amount;
  networkFee: Amount;
  transactionFee: Amount;
}

type Asked = { source_amount: string } | { destination_amount: string } | Record<never, string>;

/** Without a pair, every pair there is comes back. */
export function quotesRequest(context: Context, native?: Native, asked: Asked = {}): HttpRequest {
  return {
    method: 'GET',
    host: 'api',
    path: '/v1/crypto/onramp/quotes',
    ...(native && {
      query: {
        source_currency: native.fiat,
        ...asked,
        'destination_currencies[]': native.asset,
        'destination_networks[]': native.network,
      },
    }),
    headers: authorized(context),
  };
}

/** The line of a quote that is for this pair; a pair they do not sell has none. */
export function readFigures(body: unknown, { fiat, asset, network }: Native): Figures | Decline {
  const { source_currency, lines } = wire.readQuotes(body);
  if (!isSameWord(source_currency, fiat)) throw new BadAnswer('a quote in another currency');
  const found = lines
    .map(line => wire.readLine(line))
    .find(
      line => isSameWord(line.destination_currency, asset) && isSameWord(line.destination_network, network),
    );
  if (!found) return decline('pair', `Stripe does not sell ${asset} on ${network}`);
  const total = amount(found.source_total_amount);
  const networkFee = amount(found.fees.network_fee_monetary);
  const transactionFee = amount(found.fees.transaction_fee_monetary);
  const source = total.minus(networkFee).minus(transactionFee);
  const gets = amount(found.destination_amount);
  // Said at once: what follows from an odd figure looks like any other.
  if (networkFee.lt(ZERO) || transactionFee.lt(ZERO) || !source.gt(ZERO) || !gets.gt(ZERO))
    throw new BadAnswer('a price of nothing');
  return { source, total, gets, networkFee, transactionFee };
}

/** The first guess is off by the fees, the second by those that do not go with the amount, the others by where they bend. */
const MOST_ASKED = 5;
const CENTS = 2;
const CENT = decimal('0.01');
/** What a quote is for when it names no amount ("Crypto onramp quotes"), and so within all limits. */
const USUAL = decimal(100);
/** Of a whole above that: the fees leave more. */
const LEFT = decimal('0.9');
/** Of the whole: a price for less is no price of what was asked for. */
const NEAR = decimal('0.99');

const ALL_FEES = decline('limit', 'The amount is too small: the fees alone are more');
const NO_AMOUNT = decline('refused', 'No amount was found that comes to this sum together with its fees');

interface Search<T> {
  native: Native;
  /** All that is to be paid. */
  whole: Amount;
  context: Context;
  next(figures: Figures): Work<T>;
}

/** Looks for the largest `source_amount` whose total is not above the whole, and goes on with it; with no other ever. */
export function findSource<T>(search: Search<T>): Exchange<T | Decline> {
  return step(search, { sent: startOf(search.whole), left: MOST_ASKED, points: [] });
}

/**
 * A refusal ends the search, so that it must not begin above the most where what is looked for is not, nor below the least.
 * Limits are on what is sent, without its fees: a small whole cannot be too much, and a part of a large one not too little.
 */
function startOf(whole: Amount): Amount {
  if (whole.lte(USUAL)) return whole;
  return largest(USUAL, cut(whole.times(LEFT), CENTS)) ?? USUAL;
}

/** An amount that was asked about, and what it came to. */
interface Point {
  sent: Amount;
  figures: Figures;
}

interface Guess {
  sent: Amount;
  left: number;
  /** What is known by now. */
  points: readonly Point[];
}

function step<T>(search: Search<T>, { sent, left, points }: Guess): Exchange<T | Decline> {
  const { native, whole, context } = search;
  const request = quotesRequest(context, native, { source_amount: sent.toString() });
  return exchange<T | Decline>(request, ({ body }) => {
    const figures = readFigures(body, native);
    if ('kind' in figures) return figures;
    const known = [...points, { sent, figures }];
    const best = bestOf(known, whole);
    const next = aim(known, whole);
    if (!best && !next.gt(ZERO)) return ALL_FEES;
    const isDone = best && (isMet(best.figures, whole) || next.lte(best.sent));
    if (left > 1 && !isDone) return step(search, { sent: next, left: left - 1, points: known });
    if (!best || !isNear(best.figures, whole)) return NO_AMOUNT;
    // With what was asked about: what their rounded figures leave may have fractions of cents, which they refuse.
    return search.next({ ...best.figures, source: best.sent });
  });
}

/** What comes nearest to the whole from below. */
function bestOf(points: readonly Point[], whole: Amount): Point | undefined {
  const fitting = points.filter(({ figures }) => figures.total.lte(whole));
  return fitting.toSorted((a, b) => b.figures.total.cmp(a.figures.total))[0];
}

/** Some wholes cannot be met: where the fee is rounded to the next cent, a total is skipped. */
function isMet({ total }: Figures, whole: Amount): boolean {
  return whole.minus(total).lte(CENT);
}

function isNear(figures: Figures, whole: Amount): boolean {
  return isMet(figures, whole) || figures.total.gte(whole.times(NEAR));
}

/** What to ask about next: where the line through the last two answers meets the whole, and below all that was too much. */
function aim(points: readonly Point[], whole: Amount): Amount {
  const aimed = cut(meet(points, whole), CENTS);
  const dear = points.filter(({ figures }) => figures.total.gt(whole)).map(({ sent }) => sent.minus(CENT));
  return dear.reduce((least, sent) => smallest(least, sent) ?? least, aimed);
}

/** One answer alone is followed as if their fee went with the amount, and only the network's did not. */
function meet(points: readonly Point[], whole: Amount): Amount {
  const [last, before] = points.toReversed();
  if (!last) return whole;
  const { sent, figures } = last;
  const { total, networkFee } = figures;
  const slope = before && sent.minus(before.sent).div(total.minus(before.figures.total));
  if (slope?.gt(ZERO)) return sent.plus(whole.minus(total).times(slope));
  return sent.times(whole.minus(networkFee)).div(total.minus(networkFee));
}
