/** BTC Direct, which sells for euros: catalog and quotes by key, orders by a token; those stand beside. */
import type { Limits } from '../../domain/listing.ts';
import { type Amount, ZERO } from '../../domain/money.ts';
import { type Decline, decline as declineWith, type Price } from '../../domain/offer.ts';
import type { Instant, ProviderId } from '../../domain/words.ts';
import { readBounds } from '../bounds.ts';
import type { Adapter, NativeAsk, Refused, TheirAsset, TheirListing } from '../contract.ts';
import {
  amount,
  amountIfAny,
  BadAnswer,
  type Context,
  exchange,
  feeIfAny,
  type HttpAnswer,
  type HttpRequest,
  readEntries,
  Unauthorized,
  type Work,
} from '../exchange.ts';
import { inSeries } from '../series.ts';
import { absence, checkout, isExpired, status, token, webhook } from './orders.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;

export const btcdirect: Adapter = {
  manifest: {
    id: 'btcdirect' as ProviderId,
    name: 'BTC Direct',
    // Which host their checkout opens on was not found: the operator names it, in each environment its own.
    hosts: {
      api: { live: 'https://api.btcdirect.eu', test: 'https://api-sandbox.btcdirect.eu' },
      page: { live: 'https://{checkoutHost}.btcdirect.eu', test: 'https://{checkoutHost}.btcdirect.eu' },
    },
    keyDecides: ['page'],
    // Sells are quoted, but can be made by users who are signed in with them only.
    sides: ['buy'],
    pricesDestination: ['buy'],
    methods: words.METHODS,
    networks: words.NETWORKS,
    settings: [
      // Mobile apps carry it, so it is none of the secrets.
      { name: 'apiKey', label: 'API key (catalog and quotes)', secret: false, required: true },
      { name: 'username', label: 'User name (orders)', secret: false, required: true },
      { name: 'password', label: 'Password (orders)', secret: true, required: true },
      {
        ...{ name: 'checkoutHost', label: 'First word of the checkout page’s host, before .btcdirect.eu' },
        ...{ secret: false, required: true },
      },
    ],
    // Not found: promise no less than the full one.
    kyc: [{ asks: ['email', 'phone', 'identity', 'address', PHOTO_ID, 'selfie'] }],
    // Not found; cards and the like are done within minutes, transfers within days.
    duration: { sepabanktransfer: 172_800, '*': 900 },
    checkout: {
      makes: 'session',
      opens: 'redirect',
      pages: { buy: 'page', sell: 'page' },
      permissions: [],
    },
    statuses: words.STATUSES,
    // None were found.
    limits: { perSecond: 5, burst: 10, connections: 8 },
  },
  catalog,
  quote,
  decline,
  token,
  checkout,
  status,
  absence,
  webhook,
};

/** "Retrieving currencies": limits are those of each coin, in euros; coins with the same limits make a block. */
function catalog(context: Context): Work<TheirListing[]> {
  const requests = ['/api/v1/system/currency-pairs', '/api/v1/buy/payment-methods/all'].map(path =>
    keyed({ method: 'GET', host: 'api', path }, context),
  );
  return inSeries(requests, ([pairs, methods]) => {
    const { paymentMethods, countries } = wire.readMethods(methods);
    const ways = readEntries(paymentMethods, wire.readMethod);
    const served = readEntries(countries, wire.readCountry);
    const codes = served
      .map(country => (typeof country === 'string' ? country : country.code))
      .filter(code => /^[A-Z]{2}$/.test(code));
    if (!codes.length) throw new BadAnswer('/countries has no code of a country');
    const blocks = new Map<string, Offered[]>();
    for (const offered of readEntries(pairs, offeredIn).flat()) {
      const key = `${offered.limits.min} ${offered.limits.max}`;
      blocks.set(key, [...(blocks.get(key) ?? []), offered]);
    }
    return [...blocks.values()].map(block => ({
      side: 'buy',
      countries: codes,
      assets: block.map(({ asset }) => asset),
      fiats: [{ code: 'EUR', methods: ways.map(({ code }) => ({ code, ...block[0]?.limits })) }],
    }));
  });
}

function keyed(request: HttpRequest, { settings }: Context): HttpRequest {
  return { ...request, headers: { 'x-api-key': settings.apiKey ?? '' } };
}

interface Offered {
  asset: TheirAsset;
  limits: Limits;
}

/** As nothing or one: what is not bought with euros, or has no name that says what it is, is left out. */
function offeredIn(pair: unknown): Offered[] {
  const { currencyPair, baseCurrency, quoteCurrency, buy } = wire.readPair(pair);
  const { code, ticker, caip19 } = baseCurrency;
  const isAskedSo = bare(currencyPair) === bare(`${code}-EUR`) && quoteCurrency.code === 'EUR';
  const [, network, kind, reference] = /^([^/]+)\/([a-z0-9]+):(.+)$/.exec(caip19 ?? '') ?? [];
  if (buy?.status !== 'enabled' || !isAskedSo || !network || !kind || !reference) return [];
  const contract = kind === 'slip44' ? undefined : reference;
  const bound = (limit: typeof buy.min) =>
    limit?.currencyCode === 'EUR' ? amountIfAny(limit.amount) : undefined;
  const limits = { min: bound(buy.min), max: bound(buy.max) };
  return [{ asset: { code, symbol: ticker, network, contract }, limits }];
}

/** They write a pair with a dash or without. */
function bare(pair: string): string {
  return pair.replace('-', '').toUpperCase();
}

function quote(ask: NativeAsk, context: Context): Work<Price | Decline> {
  const { native } = ask;
  const body = {
    currencyPair: `${native.asset}-${native.fiat}`,
    paymentMethod: native.method,
    [ask.amountOf === 'source' ? 'fiatAmount' : 'cryptoAmount']: ask.amount,
  };
  const request = keyed({ method: 'POST', host: 'api', path: '/api/v1/buy/quote', body }, context);
  return exchange<Price | Decline>(request, ({ body }) => {
    const reasons = wire.readReasons(body).quoteUnconfirmableReasons ?? [];
    // The figures of the limits are in the catalog.
    if (reasons.some(reason => words.OUT_OF_LIMITS.has(reason))) return TOO_MUCH;
    return priceOf(wire.readQuote(body), ask);
  });
}

const TOO_MUCH = declineWith('limit', 'Amount is outside the limits');

function priceOf(quote: wire.Quote, { native }: NativeAsk): Price {
  if (bare(quote.currencyPair) !== bare(`${native.asset}${native.fiat}`)) {
    throw new BadAnswer('a quote for another pair');
  }
  const fees = [quote.btcdirectFee, quote.paymentMethodCost, quote.partnerFee];
  return {
    pays: amount(quote.totalCost ?? quote.fiatAmount),
    gets: amount(quote.cryptoAmount),
    networkFee: feeIfAny(quote.networkFeeCost),
    providerFee: fees.reduce((sum: Amount, fee) => sum.plus(feeIfAny(fee)), ZERO),
    rate: amountIfAny(quote.singleCoinEstimate),
    validUntil: momentOf(quote.expiryDate),
  };
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)$/;

/** With its zone, whatever ours. */
function momentOf(text: string | null | undefined): Instant | undefined {
  const at = text && MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function decline({ body }: HttpAnswer, refused: Refused): Decline | undefined {
  const { errors } = (body ?? {}) as { errors?: unknown };
  if (typeof errors !== 'object' || errors === null) return undefined;
  if (isExpired(body)) throw new Unauthorized('our token is refused');
  const text = Object.values(wire.readFailures(body).errors)
    .map(({ message }) => message ?? '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (!text) return undefined;
  const reason = words.REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'refused';
  const bounds = reason === 'limit' ? readBounds(text, refused) : undefined;
  return bounds ?? declineWith(reason, text.replace(/[\w.-]{32,}/g, '…').slice(0, 200));
}
