/** Banxa, over its Hosted Checkout API (version 2): what it supports and what it charges; orders stand beside. */
import { type Decline, decline as declineWith, type Price } from '../../domain/offer.ts';
import type { ProviderId } from '../../domain/words.ts';
import { readBounds } from '../bounds.ts';
import type {
  Adapter,
  Manifest,
  NativeAsk,
  Refused,
  TheirAsset,
  TheirFiat,
  TheirListing,
  TheirMethod,
} from '../contract.ts';
import {
  amount,
  amountIfAny,
  BadAnswer,
  type Context,
  exchange,
  feeIfAny,
  readable,
  readSome,
  type Work,
} from '../exchange.ts';
import { inSeries } from '../series.ts';
import { checkout, folderOf, headersOf, status, webhook } from './orders.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;

const manifest: Manifest = {
  id: 'banxa' as ProviderId,
  name: 'Banxa',
  hosts: {
    api: { live: 'https://api.banxa.com', test: 'https://api.banxa-sandbox.com' },
    // Pages are on the partner's own subdomain or on `checkout`, which is not said when.
    pages: { live: 'https://{pages}.banxa.com', test: 'https://{pages}.banxa-sandbox.com' },
  },
  // "Create sell order": where to send the coins is told in the return address alone, under names that were not found.
  sides: ['buy'],
  pricesDestination: ['buy'],
  methods: words.METHODS,
  networks: words.NETWORKS,
  settings: [
    { name: 'partner', label: 'Partner code', secret: false, required: true },
    { name: 'apiKey', label: 'API key', secret: true, required: true },
    {
      name: 'pages',
      label: 'Subdomain of the checkout pages: the partner code, or "checkout"',
      secret: false,
      required: true,
    },
    { name: 'webhookSecret', label: 'Webhook secret', secret: true, required: false },
  ],
  // Tiers are not published: promise no less than the full one.
  kyc: [{ asks: ['email', 'phone', 'identity', 'address', PHOTO_ID, 'selfie'] }],
  // Not found; what is usual for each kind of payment.
  duration: { ach: 345_600, sepabanktransfer: 86_400, banktransfer: 86_400, '*': 900 },
  checkout: {
    // "Create buy order": the page dies after a minute, so that each opening needs a new one; orders nobody pays expire.
    makes: 'session',
    // Nothing says that it may be framed.
    opens: 'redirect',
    pages: { buy: 'pages', sell: 'pages' },
    permissions: [],
    // At most about once a minute per order is advised.
    lookEvery: 60,
  },
  statuses: words.STATUSES,
  // No figures are published.
  limits: { perSecond: 10, burst: 20, connections: 8 },
};

export const banxa: Adapter = {
  manifest,
  catalog,
  quote,
  decline: ({ body }, refused) => readRefusal(body, refused),
  checkout,
  status,
  webhook,
};

/**
 * Limits are those of the payment methods. What `blockchains[].minimum` is in is not documented, and the body of
 * `/payment-methods`, which would tell countries, was not found: neither is used.
 */
function catalog(context: Context): Work<TheirListing[]> {
  const headers = headersOf(context);
  const requests = ['/countries', '/crypto/buy', '/fiats/buy'].map(
    path => ({ method: 'GET', host: 'api', path: `${folderOf(context)}${path}`, headers }) as const,
  );
  return inSeries(requests, ([served, coins, fiats]) => {
    const entries = readSome(wire.inside(served), wire.read.country);
    const countries = [...new Set(entries.flatMap(({ id, code }) => alpha2(id ?? code)))];
    return [{ ...listing(coins, fiats), countries }];
  });
}

function alpha2(code: string | null | undefined): string[] {
  return code && /^[A-Z]{2}$/.test(code) ? [code] : [];
}

function listing(coins: unknown, fiats: unknown): TheirListing {
  return {
    side: 'buy',
    assets: readSome(wire.inside(coins), wire.read.coin).flatMap(({ id, blockchains }) =>
      readable(blockchains, wire.read.blockchain).map(blockchain => asset(id, blockchain)),
    ),
    fiats: readSome(wire.inside(fiats), wire.read.fiat)
      .map(fiat)
      .filter(({ methods }) => methods.length),
  };
}

/** The zero address is a network's own coin. */
function asset(code: string, { id, address, unsupportedCountries }: wire.Blockchain): TheirAsset {
  const notIn = closedIn(unsupportedCountries);
  return {
    code,
    symbol: code,
    network: id,
    contract: address && !/^0x0*$/.test(address) ? address : undefined,
    notIn: notIn.length ? notIn : undefined,
  };
}

/** A country of which states are named is closed in these only. */
function closedIn(countries: wire.Blockchain['unsupportedCountries']): string[] {
  if (!countries || Array.isArray(countries)) return [];
  return Object.entries(countries).flatMap(([country, states]) =>
    states?.length ? states.map(state => `${country}-${state}`) : [country],
  );
}

function fiat({ id, supportedPaymentMethods }: wire.Fiat): TheirFiat {
  const readMethod = (entry: unknown) => method(wire.read.method(entry));
  return { code: id, methods: readable(supportedPaymentMethods, readMethod) };
}

function method({ id, minimum, maximum }: wire.Method): TheirMethod {
  const kind = words.kindOf(id);
  const limits = { min: amountIfAny(minimum), max: amountIfAny(maximum) };
  return { code: id, ...(kind !== id && { kind }), ...limits };
}

/** "Get buy quote": one for each payment method; of two amounts, the one in crypto would count. */
function quote(ask: NativeAsk, context: Context): Work<Price | Decline> {
  const { fiat, asset, network, method } = ask.native;
  const inFiat = ask.amountOf === 'source';
  const sum = ask.amount.toString();
  return exchange<Price | Decline>(
    {
      method: 'GET',
      host: 'api',
      path: `${folderOf(context)}/quotes/buy`,
      query: {
        fiat,
        crypto: asset,
        blockchain: network,
        paymentMethodId: method,
        fiatAmount: inFiat ? sum : undefined,
        cryptoAmount: inFiat ? undefined : sum,
      },
      headers: headersOf(context),
    },
    ({ body }) => readRefusal(body, ask) ?? priceOf(ask, wire.read.quote(wire.inside(body))),
  );
}

/** As in version 1, the amount of fiat is all that is paid. No expiry is stated. */
function priceOf({ native }: NativeAsk, quote: wire.Quote): Price {
  if (quote.paymentMethodId !== native.method) throw new BadAnswer('a quote for another payment method');
  return {
    pays: amount(quote.fiatAmount),
    gets: amount(quote.cryptoAmount),
    networkFee: feeIfAny(quote.networkFee),
    providerFee: feeIfAny(quote.processingFee),
  };
}

/** Reads a body that says no, which may come with a status of 200 as well. */
function readRefusal(body: unknown, refused: Refused): Decline | undefined {
  const text = wire.errorText(body);
  if (!text || words.ABOUT_US.test(text)) return undefined;
  const reason = words.REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'refused';
  const bounds = reason === 'limit' ? readBounds(text, refused) : undefined;
  return bounds ?? declineWith(reason, text.replace(/[\w.-]{32,}/g, '…').slice(0, 200));
}
