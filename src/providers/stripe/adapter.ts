/** Stripe's crypto onramp, which only buys: quotes that are its catalog too; orders stand beside. */
import { type Decline, decline as declineWith, type Price } from '../../domain/offer.ts';
import type { ProviderId } from '../../domain/words.ts';
import { readBounds } from '../bounds.ts';
import type { Adapter, NativeAsk, Refused, TheirAsset, TheirFiat, TheirListing } from '../contract.ts';
import { type Context, exchange, type HttpAnswer, readSome, type Work } from '../exchange.ts';
import { checkout, status, webhook } from './orders.ts';
import { type Figures, findSource, quotesRequest, readFigures } from './prices.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

export const stripe: Adapter = {
  manifest: {
    id: 'stripe' as ProviderId,
    name: 'Stripe',
    // The prefix of the key (sk_test_, sk_live_) decides which world it is, and a page belongs to its session.
    hosts: {
      api: { live: 'https://api.stripe.com', test: 'https://api.stripe.com' },
      page: { live: 'https://crypto.link.com', test: 'https://crypto.link.com' },
    },
    keyDecides: ['api', 'page'],
    // No off-ramp exists in the onramp API.
    sides: ['buy'],
    pricesDestination: ['buy'],
    methods: words.METHODS,
    networks: words.NETWORKS,
    settings: [
      {
        name: 'secretKey',
        label: 'Secret key (sk_… or rk_…)',
        secret: true,
        required: true,
        begins: { live: ['sk_live_', 'rk_live_'], test: ['sk_test_', 'rk_test_'] },
      },
      { name: 'webhookSecret', label: 'Webhook endpoint secret (whsec_…)', secret: true, required: false },
    ],
    // "Set up an Embedded onramp integration": asked of everyone whom Link does not know; in the US their SSN as well.
    kyc: [{ asks: ['email', 'identity', 'address'] }],
    // Not found; cards are done within minutes, bank debits within days.
    duration: { ach: 345_600, '*': 600 },
    checkout: {
      makes: 'order',
      // Framing needs their script and the client secret; the hosted page is one of its own.
      opens: 'redirect',
      pages: { buy: 'page', sell: 'page' },
      permissions: [],
      // No word for a session that was left exists.
      givenUpAfter: 86_400,
    },
    statuses: words.STATUSES,
    // None are stated for the onramp; Stripe's general limit in test mode is 25 a second.
    limits: { perSecond: 20, burst: 20, connections: 16 },
  },
  catalog,
  quote,
  decline,
  checkout,
  status,
  webhook,
};

/** There is no list of coins, but quotes without a filter name every pair. Limits are not published anywhere. */
function catalog(context: Context): Work<TheirListing[]> {
  return exchange(quotesRequest(context), ({ body }) => {
    const assets = readSome(wire.readQuotes(body).lines, wire.readLine).flatMap(assetOf);
    return [{ side: 'buy', countries: words.COUNTRIES, assets, fiats: FIATS }];
  });
}

/** As nothing or one: USDC where its contract is not certain is left out. */
function assetOf({ destination_currency: code, destination_network: network }: wire.Line): TheirAsset[] {
  const contract = code === 'usdc' ? words.USDC[network] : undefined;
  if (code === 'usdc' && !contract) return [];
  const symbol = words.SYMBOLS[code] ?? code.toUpperCase();
  return [{ code, symbol, network, contract, notIn: words.notOffered(code, network) }];
}

/** Which method goes with which fiat is their page's own affair; banks are named for dollars only. */
const EVERYWHERE = ['card', 'apple_pay', 'google_pay'].map(code => ({ code }));
const FIATS: readonly TheirFiat[] = [
  { code: 'usd', methods: [...EVERYWHERE, { code: 'us_bank_account', onlyIn: ['US'] }] },
  { code: 'eur', methods: EVERYWHERE },
];

function quote(ask: NativeAsk, context: Context): Work<Price | Decline> {
  const { native, amount: wanted } = ask;
  if (ask.amountOf === 'source') {
    const next = (figures: Figures) => priceOf(figures, wanted);
    return findSource<Price>({ native, whole: wanted, context, next });
  }
  const request = quotesRequest(context, native, { destination_amount: wanted.toString() });
  return exchange<Price | Decline>(request, ({ body }) => {
    const figures = readFigures(body, native);
    return 'kind' in figures ? figures : priceOf(figures, figures.total);
  });
}

/** A cent that no amount comes to is counted among the fees, which are never understated. */
function priceOf({ total, gets, networkFee, transactionFee }: Figures, whole: Price['pays']): Price {
  const left = whole.minus(total);
  const isMet = left.lte('0.01');
  return {
    pays: isMet ? whole : total,
    gets,
    networkFee,
    providerFee: isMet ? transactionFee.plus(left) : transactionFee,
  };
}

/** "Error codes". The figures of a limit are in no sample of theirs; should the text state them, they are read. */
function decline({ body }: HttpAnswer, refused: Refused): Decline | undefined {
  const { code, message } = failureIn(body) ?? {};
  const reason = code ? words.REASONS[code] : undefined;
  if (!reason || reason === 'ours') return undefined;
  const text = (message ?? '').replace(/\b[psr]k_(test|live)_\w+/g, 'key').slice(0, 200);
  const bounds = reason === 'limit' ? readBounds(text, refused) : undefined;
  return bounds ?? declineWith(reason, text || `Stripe refused it (${code})`);
}

/** A page of some gateway is no failure of theirs. */
function failureIn(body: unknown): { code?: string | null; message?: string | null } | undefined {
  const { error } = (body ?? {}) as { error?: unknown };
  return typeof error === 'object' && error !== null ? wire.readFailure(body).error : undefined;
}
