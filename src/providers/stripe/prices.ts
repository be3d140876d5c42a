/** Stripe's prices: fees come on top of `source_amount`, so that the amount which makes the whole is asked for in steps. */
import { type Amount, cut, ZERO } from '../../domain/money.ts';
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
  const quotes = wire.readQuotes(body);
  if (!isSameWord(quotes.source_currency, fiat)) throw new BadAnswer('a quote in another currency');
  const all = Object.values(quotes.destination_network_quotes).flatMap(entries => entries ?? []);
  const found = all.find(
    quote => isSameWord(quote.destination_currency, asset) && isSameWord(quote.destination_network, network),
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

/** The first guess is far off by the fees, the second by how they bend, the third by a cent. */
const MOST_ASKED = 4;
const CENTS = 2;

interface Search<T> {
  native: Native;
  /** All that is to be paid. */
  whole: Amount;
  context: Context;
  next(figures: Figures): Work<T>;
}

/** Looks for the largest `source_amount` whose total is not above the whole, and goes on with it. */
export function findSource<T>(search: Search<T>): Exchange<T | Decline> {
  return step(search, { source: search.whole, left: MOST_ASKED });
}

interface Guess {
  source: Amount;
  left: number;
  /** The best one so far. */
  best?: Figures | undefined;
}

function step<T>(search: Search<T>, { source, left, best }: Guess): Exchange<T | Decline> {
  const { native, whole, context } = search;
  const request = quotesRequest(context, native, { source_amount: source.toString() });
  return exchange<T | Decline>(request, ({ body }) => {
    const figures = readFigures(body, native);
    if ('kind' in figures) return figures;
    const good = figures.total.gt(whole) ? best : nearer(figures, best);
    const next = correct(source, figures, whole);
    if (!good && !next.gt(ZERO)) return decline('limit', 'The amount is too small: the fees alone are more');
    if (left > 1 && next.gt(ZERO) && !next.eq(source) && !isNear(good, whole)) {
      return step(search, { source: next, left: left - 1, best: good });
    }
    // What costs more than was offered is said as it is: whoever reads it decides whether it is near enough.
    return search.next(good ?? figures);
  });
}

function nearer(figures: Figures, best: Figures | undefined): Figures {
  return best?.total.gt(figures.total) ? best : figures;
}

/** Some wholes cannot be met: where the fee is rounded to the next cent, a total is skipped. */
function isNear(figures: Figures | undefined, whole: Amount): boolean {
  return figures !== undefined && whole.minus(figures.total).lte('0.01');
}

/** The network's fee stays as it is, and theirs goes with the amount. */
function correct(source: Amount, { total, networkFee }: Figures, whole: Amount): Amount {
  const variable = total.minus(networkFee);
  return variable.gt(ZERO) ? cut(source.times(whole.minus(networkFee)).div(variable), CENTS) : ZERO;
}
