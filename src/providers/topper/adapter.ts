/** Topper by Uphold: prices are simulations of the token that would open its page; orders stand beside. */
import type { Limits } from '../../domain/listing.ts';
import { type Amount, ZERO } from '../../domain/money.ts';
import { type Decline, decline as declineWith, type Price } from '../../domain/offer.ts';
import type { ProviderId, Side } from '../../domain/words.ts';
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
  type HttpAnswer,
  isSameWord,
  readable,
  readEntries,
  type Work,
} from '../exchange.ts';
import { inSeries } from '../series.ts';
import { checkout, refuses, webhook } from './orders.ts';
import { bootstrapToken, tokenId } from './tokens.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;

const manifest: Manifest = {
  id: 'topper' as ProviderId,
  name: 'Topper',
  hosts: {
    api: { live: 'https://api.topperpay.com', test: 'https://api.sandbox.topperpay.com' },
    app: { live: 'https://app.topperpay.com', test: 'https://app.sandbox.topperpay.com' },
  },
  sides: ['buy', 'sell'],
  // "Exactly one of `source.amount` and `target.amount`".
  pricesDestination: ['buy', 'sell'],
  methods: words.METHODS,
  networks: words.NETWORKS,
  settings: [
    { name: 'buyWidgetId', label: 'Widget id of the on-ramp', secret: false, required: true },
    { name: 'sellWidgetId', label: 'Widget id of the off-ramp', secret: false, required: false },
    { name: 'keyId', label: 'Key id', secret: false, required: true },
    { name: 'signingKey', label: 'Private key that signs tokens (ES256)', secret: true, required: true },
    // Orders cannot be asked about: without webhooks nothing would ever be heard of them.
    {
      name: 'webhookPublicKey',
      label: 'Public key of the webhook (JSON Web Key)',
      secret: false,
      required: true,
    },
    // "Each widget has its own": where the partner has given both widgets the same, these stay empty.
    {
      ...{ name: 'sellKeyId', label: 'Key id of the off-ramp widget, where it is another' },
      ...{ secret: false, required: false },
    },
    {
      ...{ name: 'sellSigningKey', label: 'Private key of the off-ramp widget, where it is another (ES256)' },
      ...{ secret: true, required: false },
    },
    {
      name: 'sellWebhookPublicKey',
      label: 'Public key of the off-ramp widget’s webhook, where it is another (JSON Web Key)',
      secret: false,
      required: false,
    },
  ],
  // It happens in the widget, and no tiers are published: promise no less than everything.
  kyc: [{ asks: ['email', 'phone', 'identity', 'address', PHOTO_ID, 'selfie'] }],
  // Not found; what is usual for cards and for banks.
  duration: { sepabanktransfer: 86_400, '*': 600 },
  checkout: {
    makes: 'link',
    // Whether it may be framed was not found.
    opens: 'redirect',
    pages: { buy: 'app', sell: 'app' },
    permissions: [],
  },
  statuses: words.STATUSES,
  // There are limits, but no figures are published.
  limits: { perSecond: 5, burst: 20, connections: 8 },
};

/** No look-up is documented: what becomes of an order is known by webhooks alone. */
export const topper: Adapter = { manifest, catalog, quote, decline, refuses, checkout, webhook };

/** Where nobody has set a widget for it, nothing is sold; what cannot be read of its lists costs the sells alone. */
function catalog({ settings: { sellWidgetId } }: Context): Work<TheirListing[]> {
  const flows = sellWidgetId ? ['crypto-onramp', 'crypto-offramp'] : ['crypto-onramp'];
  const paths = flows.flatMap(flow => [`/assets/${flow}`, `/payment-methods/${flow}`]);
  return inSeries(
    paths.map(path => ({ method: 'GET', host: 'api', path })),
    ([bought, ins, sold, outs]) => {
      const { source: money, target: coins } = wire.readAssets(bought).assets;
      const buys = listing('buy', { coins, money, methods: ins });
      if (!sellWidgetId) return [buys];
      return [buys, ...readable([{ sold, outs }], sellsIn)];
    },
  );
}

function sellsIn({ sold, outs }: Record<'sold' | 'outs', unknown>): TheirListing {
  const { source: coins, target: money } = wire.readAssets(sold).assets;
  return listing('sell', { coins, money, methods: outs });
}

/** As they came. */
type Lists = Record<'coins' | 'money' | 'methods', unknown>;

/** A list of countries exists, but its path was not found: those of the methods are what is served. */
function listing(side: Side, { coins, money, methods }: Lists): TheirListing {
  const rows = readEntries(wire.readMethods(methods).paymentMethods, rowOf);
  return {
    side,
    countries: [...new Set(rows.flatMap(({ countries }) => countries))],
    assets: readEntries(coins, assetsOf).flat(),
    fiats: readEntries(money, wire.readNamed)
      .map(({ code }) => fiatOf(code, rows))
      .filter(fiat => fiat.methods.length > 0),
  };
}

/** Without a contract only a network's own coin is certain, and what we know to be one and the same everywhere. */
function assetsOf(coin: unknown): TheirAsset[] {
  const { code, networks } = wire.readCoin(coin);
  return readEntries(networks, wire.readNamed).map(network => ({
    code,
    id: words.tokenOf(code, network.code),
    symbol: code,
    network: network.code,
  }));
}

/** A row of theirs, with its limits as figures by the fiat they are in. */
type Row = Omit<wire.Method, 'limits'> & { limits: ReadonlyMap<string, Limits> };

function rowOf(method: unknown): Row {
  const { limits, ...row } = wire.readMethod(method);
  return { ...row, limits: new Map(readEntries(limits, limitsOf)) };
}

function limitsOf(limit: unknown): [string, Limits] {
  const { asset, minimum, maximum } = wire.readLimit(limit);
  return [asset, { min: amountIfAny(minimum), max: amountIfAny(maximum) }];
}

/** Limits go by the currency that a country is billed in: a method is listed once for each of its own in this fiat. */
function fiatOf(code: string, rows: readonly Row[]): TheirFiat {
  const methods = new Map<string, TheirMethod>();
  for (const { type, network, countries, limits } of rows) {
    const own = limits.get(code);
    if (!own) continue;
    const key = `${type} ${network} ${own.min} ${own.max}`;
    const known = methods.get(key)?.onlyIn ?? [];
    const onlyIn = [...new Set([...known, ...countries])];
    methods.set(key, { code: network ?? type, kind: type, ...own, onlyIn });
  }
  return { code, methods: [...methods.values()] };
}

/** A price needs no recipient, as long as the token says that one may be entered. */
function quote(ask: NativeAsk, context: Context): Work<Price | Decline> {
  const { fiat, asset, network, method } = ask.native;
  const [source, target] = [ask.amountOf === 'source', ask.amountOf !== 'source'].map(isGiven =>
    isGiven ? { amount: ask.amount.toString() } : {},
  );
  const claims =
    ask.side === 'buy'
      ? {
          source: { ...source, asset: fiat, paymentMethod: { network: method } },
          target: { ...target, asset, network, recipientEditMode: 'only-address-and-tag' },
        }
      : { source: { ...source, asset, network }, target: { ...target, asset: fiat } };
  const token = bootstrapToken(
    ask.side,
    { jti: tokenId(context.id, context), ...claims, simulation: { country: ask.country } },
    context,
  );
  return exchange<Price | Decline>(
    { method: 'POST', host: 'api', path: '/simulations', body: { bootstrapToken: token } },
    ({ body }) => priced(ask, wire.readSimulation(body).simulation),
  );
}

/** The rate of what is given stands with it: fiat for a coin on a buy, and the other way round on a sell. */
function priced({ side, native }: NativeAsk, { origin, destination, fees }: wire.Simulation): Price {
  const [given, gotten] = side === 'buy' ? [native.fiat, native.asset] : [native.asset, native.fiat];
  if (!isSameWord(origin.asset, given) || !isSameWord(destination.asset, gotten))
    throw new BadAnswer('a simulation of another pair');
  const rate = amountIfAny(side === 'buy' ? origin.rate : destination.rate);
  const inFiat = (fee: wire.Simulation['fees'][number]): Amount => {
    if (isSameWord(fee.asset, native.fiat)) return amount(fee.amount);
    if (!isSameWord(fee.asset, native.asset) || !rate) throw new BadAnswer('a fee in another currency');
    return amount(fee.amount).times(rate);
  };
  const sum = (fits: (type: string) => boolean) =>
    fees.filter(({ type }) => fits(type)).reduce((total, fee) => total.plus(inFiat(fee)), ZERO);
  return {
    pays: amount(origin.amount),
    gets: amount(destination.amount),
    networkFee: sum(type => type === 'network'),
    // The partner's share is a part of what was charged already, as their example shows.
    providerFee: sum(type => type !== 'network' && type !== 'partner'),
    rate,
  };
}

/** What a refusal looks like is not published: its text may tell why. */
function decline({ status, body }: HttpAnswer, refused: Refused): Decline | undefined {
  const { message } = (body ?? {}) as { message?: unknown };
  if (status === 404 || typeof message !== 'string' || words.ABOUT_US.test(message)) return undefined;
  const reason = words.REASONS.find(([pattern]) => pattern.test(message))?.[1] ?? 'refused';
  const bounds = reason === 'limit' ? readBounds(message, refused) : undefined;
  return bounds ?? declineWith(reason, message.replace(/[\w.-]{32,}/g, '…').slice(0, 200));
}
