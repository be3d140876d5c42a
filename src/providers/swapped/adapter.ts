/** Swapped, over its merchant API: methods by country, prices in as many calls as it takes; orders stand beside. */
import { widest } from '../../domain/listing.ts';
import { type Decline, decline as declineWith } from '../../domain/offer.ts';
import type { ProviderId, Side } from '../../domain/words.ts';
import { readBounds } from '../bounds.ts';
import type { Adapter, Refused, TheirAsset, TheirFiat, TheirListing, TheirMethod } from '../contract.ts';
import {
  amountIfAny,
  BadAnswer,
  type Context,
  type HttpRequest,
  readEntries,
  Unauthorized,
  type Work,
} from '../exchange.ts';
import { inSeries } from '../series.ts';
import { absence, checkout, refuses, status, webhook } from './orders.ts';
import { findPrice } from './prices.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;
const LIVE = 'https://widget.swapped.com';
const TEST = 'https://sandbox.swapped.com';

export const swapped: Adapter = {
  manifest: {
    id: 'swapped' as ProviderId,
    name: 'Swapped',
    // One host for everything; what differs is the path.
    hosts: {
      api: { live: LIVE, test: TEST },
      buy: { live: LIVE, test: TEST },
      sell: { live: `${LIVE}/sell`, test: `${TEST}/sell` },
    },
    sides: ['buy', 'sell'],
    pricesDestination: ['buy', 'sell'],
    methods: words.METHODS,
    networks: words.NETWORKS,
    settings: [
      { name: 'publicKey', label: 'Public key (pk_…)', secret: false, required: true },
      {
        ...{ name: 'secretKey', label: 'Secret key (sk_…), signs links and webhooks' },
        ...{ secret: true, required: true },
      },
      // No list of coins could be read: those seen are known, others can be added from their page.
      {
        ...{ name: 'assets', label: 'More coins, as CODE=asset id, between spaces' },
        ...{ secret: false, required: false },
      },
      // How the request is signed was reported by one integrator, who could not verify it.
      {
        ...{ name: 'statusPolling', label: 'Ask for orders (on or off)' },
        ...{ secret: false, required: false, fallback: 'off' },
      },
    ],
    // Levels exist, but what each of them means was not found: promise no less than the full one.
    kyc: [{ asks: ['email', 'phone', 'identity', PHOTO_ID, 'selfie'] }],
    // Not found; cards and wallets are done within minutes, banks within days.
    duration: { banktransfer: 172_800, sepabanktransfer: 172_800, '*': 900 },
    checkout: {
      makes: 'link',
      opens: 'iframe',
      pages: { buy: 'buy', sell: 'sell' },
      // No list of theirs was found; a person is looked at and pays.
      permissions: ['camera', 'payment'],
    },
    statuses: words.STATUSES,
    // "100 requests a second, over all merchant endpoints": a burst and what follows within its second are no more.
    limits: { perSecond: 60, burst: 40, connections: 32 },
  },
  catalog,
  quote: (ask, context) => findPrice(ask, context, body => refusalIn(body, ask)),
  decline: ({ body }, refused) => refusalIn(body, refused),
  refuses,
  checkout,
  status,
  absence,
  webhook,
};

/** The same parameter has two names. */
function catalog({ settings }: Context): Work<TheirListing[]> {
  const { publicKey } = settings;
  const requests: HttpRequest[] = [
    { ...GET, path: '/api/v1/merchant/get_payment_methods', query: { apiKey: publicKey } },
    { ...GET, path: '/api/v1/merchant/sell/get_payout_methods', query: { api_key: publicKey } },
  ];
  return inSeries(requests, ([bought, sold]) =>
    [...listings('buy', bought, settings), ...listings('sell', sold, settings)].filter(
      ({ assets }) => assets.length,
    ),
  );
}

const GET = { method: 'GET', host: 'api' } as const;

function listings(side: Side, body: unknown, settings: Context['settings']): TheirListing[] {
  const failure = wire.failureIn(body);
  if (failure)
    throw words.BAD_KEY.test(failure) ? new Unauthorized('our key is refused') : new BadAnswer('failed');
  const { data } = wire.readMethods(body);
  const countries = Array.isArray(data) ? undefined : Object.keys(data);
  const rows = Array.isArray(data) ? rowsOf(data) : readEntries(Object.entries(data), rowsIn).flat();
  const assets = assetsOf(side, settings.assets ?? '');
  return blocksOf(rows).map(fiats => ({ side, countries, assets, fiats }));
}

/**
 * Those that are known, and those of the setting, which has the last word on a code. What is not written as it should be
 * is left out.
 */
function assetsOf(side: Side, more: string): TheirAsset[] {
  const assets = `${words.KNOWN_ASSETS} ${more}`.split(/[\s,]+/).flatMap(entry => {
    const [, code, symbol, network] = /^([A-Z0-9_]{1,40})=(\w{1,20})_([a-z0-9]{1,20})$/.exec(entry) ?? [];
    if (!code || !symbol || !network) return [];
    const isStable = words.STABLE.has(symbol.toUpperCase());
    const notIn = side === 'buy' && isStable ? [words.NOT_STABLE_IN] : undefined;
    return [{ code, id: `${symbol}_${network}`, symbol: symbol.toUpperCase(), network, notIn }];
  });
  return [...new Map(assets.map(asset => [asset.code, asset])).values()];
}

/** A method for one fiat, in one country or in all of them. */
interface Row {
  fiat: string;
  method: TheirMethod;
}

function rowsIn(place: unknown): Row[] {
  const [country, methods] = wire.readPlace(place);
  return rowsOf(methods, country);
}

/**
 * Limits are in euros: for any other fiat none are known before asking. Where methods of one group have limits of their
 * own, the widest are listed.
 */
function rowsOf(methods: readonly unknown[], country?: string): Row[] {
  const rows = new Map<string, Row>();
  for (const { disabled, currency, payment_group, slug, limits } of readEntries(methods, methodOf)) {
    const code = payment_group ?? slug;
    if (disabled || !code) continue;
    for (const fiat of currency) {
      const known = rows.get(`${fiat} ${code}`)?.method;
      const own = fiat === 'EUR' ? limits : {};
      rows.set(`${fiat} ${code}`, {
        fiat,
        method: { code, ...(known ? widest([known, own]) : own), ...(country && { onlyIn: [country] }) },
      });
    }
  }
  return [...rows.values()];
}

/** A method whose limits cannot be read is left out, not listed without them. */
function methodOf(entry: unknown) {
  const { min_amount, max_amount, ...method } = wire.readMethod(entry);
  return { ...method, limits: { min: amountIfAny(min_amount), max: amountIfAny(max_amount) } };
}

/** A method has one set of limits in a block: where it has others in other countries, these make a block of their own. */
function blocksOf(rows: readonly Row[]): TheirFiat[][] {
  const blocks: Map<string, Map<string, TheirMethod>>[] = [];
  for (const { fiat, method } of rows) {
    const at = blocks.findIndex(block => hasLimitsOf(method, block.get(fiat)?.get(method.code)));
    const block = blocks[at] ?? new Map<string, Map<string, TheirMethod>>();
    if (at < 0) blocks.push(block);
    const methods = block.get(fiat) ?? new Map<string, TheirMethod>();
    const onlyIn = method.onlyIn && [...(methods.get(method.code)?.onlyIn ?? []), ...method.onlyIn];
    block.set(fiat, methods.set(method.code, { ...method, ...(onlyIn && { onlyIn }) }));
  }
  return blocks.map(block => [...block].map(([code, methods]) => ({ code, methods: [...methods.values()] })));
}

function hasLimitsOf(method: TheirMethod, known: TheirMethod | undefined): boolean {
  return !known || `${known.min} ${known.max}` === `${method.min} ${method.max}`;
}

/** A failure comes with any status, and says why in words only. */
function refusalIn(body: unknown, refused: Refused): Decline | undefined {
  const failure = wire.failureIn(body);
  if (failure === undefined) return undefined;
  if (words.BAD_KEY.test(failure)) throw new Unauthorized('our key is refused');
  const reason = words.REASONS.find(([pattern]) => pattern.test(failure))?.[1] ?? 'refused';
  const text = failure
    .replace(/\b[ps]k_\w+/g, 'key')
    .replace(/\s+/g, ' ')
    .slice(0, 200);
  const bounds = reason === 'limit' ? readBounds(text, refused) : undefined;
  return bounds ?? declineWith(reason, text);
}
