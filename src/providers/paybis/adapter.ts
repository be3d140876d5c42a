/** Paybis, over its widget API: what it supports and what it charges; quotes and orders stand beside. */
import { type Limits, widest } from '../../domain/listing.ts';
import type { Decline, Price } from '../../domain/offer.ts';
import { member, type ProviderId, type Side } from '../../domain/words.ts';
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
import { amountIfAny, type Context, exchange, type HttpAnswer, readEntries, type Work } from '../exchange.ts';
import { inSeries } from '../series.ts';
import { checkout, status, webhook } from './orders.ts';
import { authorization, priceIn, publicQuote, readRefusal, signedQuote } from './quotes.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;

const manifest: Manifest = {
  id: 'paybis' as ProviderId,
  name: 'Paybis',
  hosts: {
    api: { live: 'https://widget-api.paybis.com', test: 'https://widget-api.sandbox.paybis.com' },
    widget: { live: 'https://widget.paybis.com', test: 'https://widget.sandbox.paybis.com' },
  },
  sides: ['buy', 'sell'],
  pricesDestination: ['buy', 'sell'],
  methods: words.METHODS,
  networks: words.NETWORKS,
  settings: [
    { name: 'apiKey', label: 'API key', secret: true, required: true },
    { name: 'privateKey', label: 'Our RSA private key (signs requests)', secret: true, required: true },
    // Integrators do both.
    {
      name: 'authorization',
      label: 'How the API key is sent, key or bearer',
      secret: false,
      required: false,
      fallback: 'key',
    },
    // "Signing request" has the digest signed; one integrator signs the body itself.
    {
      name: 'signs',
      label: 'What is signed, digest or body',
      secret: false,
      required: false,
      fallback: 'digest',
    },
    {
      name: 'publicApiKey',
      label: 'Public API key, if it is enabled (quotes need no signature then)',
      secret: false,
      required: false,
    },
    { name: 'webhookKey', label: 'Public key of Paybis (verifies webhooks)', secret: false, required: false },
  ],
  // Thresholds are not published: promise no less than the full one.
  kyc: [{ asks: ['email', 'phone', 'identity', 'address', PHOTO_ID, 'selfie'] }],
  // Not found; what is usual for each kind of payment.
  duration: { ach: 345_600, wire: 259_200, sepabanktransfer: 86_400, banktransfer: 86_400, '*': 900 },
  checkout: {
    // A request is only a page; a transaction begins on it. Whoever comes back goes on with the same request.
    makes: 'session',
    // The widget opens on whitelisted domains only; a window of its own needs none.
    opens: 'redirect',
    pages: { buy: 'widget', sell: 'widget' },
    permissions: [],
    // No word for a request that was left exists.
    givenUpAfter: 86_400,
    // Each look-up goes through a list of all transactions; webhooks tell sooner.
    lookEvery: 30,
  },
  statuses: words.STATUSES,
  // No figures are published.
  limits: { perSecond: 10, burst: 30, connections: 8 },
};

export const paybis: Adapter = {
  manifest,
  catalog,
  quote,
  decline: ({ body }: HttpAnswer, refused: Refused) => readRefusal(wire.errorText(body), refused),
  checkout,
  status,
  webhook,
};

function catalog(context: Context): Work<TheirListing[]> {
  const headers = authorization(context);
  const requests = ['buy-crypto', 'sell-crypto'].map(
    side => ({ method: 'GET', host: 'api', path: `/v2/currency/pairs/${side}`, headers }) as const,
  );
  return inSeries(requests, ([bought, sold]) => {
    const [buys, sells] = [wire.read.pairs(bought), wire.read.pairs(sold)];
    const chains = chainsIn(buys, sells);
    return [
      ...blocks('buy', readEntries(buys.data, offersToBuy).flat(), chains),
      ...blocks('sell', readEntries(sells.data, offersToSell).flat(), chains),
    ];
  });
}

/** One method for one fiat, with the coins that go with both. */
interface Pairing {
  fiat: string;
  method: TheirMethod;
  coins: readonly string[];
}

type Chains = ReadonlyMap<string, string>;

/** The blockchain of each coin by its code; the list of sells has none of its own. */
function chainsIn(...lists: readonly wire.Pairs[]): Chains {
  const currencies = lists.flatMap(({ meta }) => readEntries(meta?.currencies ?? [], wire.read.currency));
  return new Map(
    currencies.flatMap(({ code, blockchainName }) =>
      code && blockchainName ? [[code, blockchainName] as const] : [],
    ),
  );
}

/** Limits are those of a coin, and a listing has the same for all of its coins: the widest, unknown when one is. */
function offersToBuy(method: unknown): Pairing[] {
  const { name, displayName, pairs } = wire.read.method(method);
  return readEntries(pairs, pair => {
    const { from, to } = wire.read.buyPair(pair);
    const coins = readEntries(to, boughtIn);
    return {
      fiat: from,
      method: { ...methodOf(name, displayName), ...widest(coins) },
      coins: coins.map(({ code }) => code),
    };
  });
}

/** A coin whose limits cannot be read is left out, not listed without them. */
function boughtIn(coin: unknown): Limits & { code: string } {
  const { currencyCode, minAmount, maxAmount } = wire.read.bought(coin);
  return { code: currencyCode, min: amountIfAny(minAmount), max: amountIfAny(maxAmount) };
}

function offersToSell(method: unknown): Pairing[] {
  const { name, displayName, pairs } = wire.read.method(method);
  const coins = readEntries(pairs, soldIn);
  const fiats = new Set(coins.flatMap(({ to }) => to));
  return [...fiats].map(fiat => ({
    fiat,
    method: methodOf(name, displayName),
    coins: coins.filter(({ to }) => to.includes(fiat)).map(({ code }) => code),
  }));
}

function soldIn(pair: unknown): { code: string; to: string[] } {
  const { fromAssetId, to } = wire.read.sellPair(pair);
  return { code: fromAssetId, to: readEntries(to, wire.read.fiat) };
}

function methodOf(code: string, title: string | null | undefined): TheirMethod {
  const kind = words.kindOf(code, title ?? '');
  return { code, kind, onlyIn: member(words.ONLY_IN, kind ?? '') };
}

/** Pairings with the same coins make one block. */
function blocks(side: Side, pairings: readonly Pairing[], chains: Chains): TheirListing[] {
  const groups = new Map<string, Pairing[]>();
  for (const pairing of narrowFirst(pairings)) {
    const key = [...new Set(pairing.coins)].sort().join(' ');
    groups.set(key, [...(groups.get(key) ?? []), pairing]);
  }
  return [...groups.values()]
    .map(group => ({
      side,
      assets: [...new Set(group[0]?.coins)].flatMap(code => asset(code, chains.get(code))),
      fiats: fiatsOf(group),
    }))
    .filter(({ assets, fiats }) => assets.length && fiats.length);
}

/** Of two words for a method of ours the first is asked with, wherever it is good: one for all countries would leave none. */
function narrowFirst(pairings: readonly Pairing[]): Pairing[] {
  const isNarrow = ({ method }: Pairing) => method.onlyIn !== undefined;
  return [...pairings.filter(isNarrow), ...pairings.filter(pairing => !isNarrow(pairing))];
}

/** As nothing or one: what has no blockchain is no coin. */
function asset(code: string, blockchain: string | undefined): TheirAsset[] {
  if (!blockchain) return [];
  const network = words.networkOf(code, blockchain);
  const symbol = words.symbolOf(code);
  const contract = member(words.CONTRACTS, `${member(words.NETWORKS, network)} ${symbol}`);
  return [{ code, symbol, network, contract, notIn: words.CLOSED_IN }];
}

function fiatsOf(group: readonly Pairing[]): TheirFiat[] {
  const fiats = new Map<string, TheirMethod[]>();
  for (const { fiat, method } of group) {
    if (method.kind) fiats.set(fiat, [...(fiats.get(fiat) ?? []), method]);
  }
  return [...fiats].map(([code, methods]) => ({ code, methods }));
}

/** One call would price all methods; only the one that is asked about is. */
function quote(ask: NativeAsk, context: Context): Work<Price | Decline> {
  const request = context.settings.publicApiKey ? publicQuote(ask, context) : signedQuote(ask, context);
  return exchange<Price | Decline>(request, ({ body }) => priceIn(wire.read.quote(body), ask, context.now));
}
