/** Openramp: the adapter of every ramp that serves the protocol of `docs/openramp.md`; orders and steps stand beside. */
import { type Decline, decline as declineWith, type Price } from '../../domain/offer.ts';
import type { ProviderId } from '../../domain/words.ts';
import type { Adapter, Instance, Manifest, NativeAsk, TheirAsset, TheirListing } from '../contract.ts';
import { amount, BadAnswer, type Context, exchange, type HttpAnswer, type Work } from '../exchange.ts';
import { readUtc } from '../moments.ts';
import { reasonIfAny } from '../plain.ts';
import { checkout, status, webhook } from './orders.ts';
import { steps } from './steps.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

/** The one that is always there, in the sandbox: its hosts do not exist. */
export const BUILT_IN: Instance = {
  id: 'openramp' as ProviderId,
  name: 'Openramp',
  apiUrl: 'https://api.openramp.invalid',
  pagesUrl: 'https://pages.openramp.invalid',
};

export function createOpenramp(instance: Instance): Adapter {
  return { manifest: manifestOf(instance), catalog, quote, decline, checkout, status, webhook, steps };
}

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;

function manifestOf({ id, name, apiUrl, pagesUrl }: Instance): Manifest {
  return {
    id,
    name,
    hosts: { api: { live: apiUrl, test: apiUrl }, pages: { live: pagesUrl, test: pagesUrl } },
    keyDecides: ['api', 'pages'],
    sides: ['buy', 'sell'],
    // The protocol asks by what is handed over; the engine solves for the rest.
    pricesDestination: [],
    methods: words.METHODS,
    networks: words.NETWORKS,
    settings: [
      { name: 'apiKey', label: 'Key (Authorization: Bearer …)', secret: true, required: true },
      { name: 'webhookSecret', label: 'Webhook secret (whsec_…)', secret: true, required: false },
    ],
    // Every quote says what is asked at its amount; until there is one, the most is announced.
    kyc: [{ asks: ['email', 'phone', 'identity', 'address', PHOTO_ID, 'selfie'] }],
    duration: { ach: 345_600, banktransfer: 86_400, sepabanktransfer: 86_400, wire: 86_400, '*': 600 },
    checkout: {
      makes: 'session',
      opens: 'iframe',
      pages: { buy: 'pages', sell: 'pages' },
      permissions: ['camera', 'payment'],
    },
    statuses: words.STATUSES,
    // "Limits" of the protocol: what every ramp must let through.
    limits: { perSecond: 20, burst: 40, connections: 16 },
  };
}

function catalog(context: Context): Work<TheirListing[]> {
  return exchange(wire.call(context, { method: 'GET', path: '/catalog' }), ({ body }) =>
    wire.readCatalog(body).listings.map(({ side, countries, assets, fiats }) => ({
      side,
      countries,
      assets: assets.map(assetOf),
      fiats: fiats.map(({ fiat, methods }) => ({
        code: fiat,
        methods: methods.map(({ method, onlyIn, ...bounds }) => ({
          code: method,
          onlyIn,
          ...wire.limitsOf(bounds),
        })),
      })),
    })),
  );
}

/** An entry that describes itself may be called anything; one that does not is called by our id. */
function assetOf(listed: wire.Catalog['listings'][number]['assets'][number]): TheirAsset {
  const { asset: code, ticker, network, contract, notIn } = listed;
  const rest = { code, notIn, ...wire.limitsOf(listed) };
  if (ticker !== undefined && network !== undefined) return { ...rest, symbol: ticker, network, contract };
  const [, symbol = code, place = ''] = /^(.*)_([^_]*)$/.exec(code) ?? [];
  return { ...rest, id: code.toLowerCase(), symbol, network: place.toLowerCase() };
}

function quote(ask: NativeAsk, context: Context): Work<Price> {
  const { side, native, country, amount: sum } = ask;
  const { asset, network, fiat, method } = native;
  const body = { side, asset, network, fiat, method, country, amount: sum.toString() };
  return exchange(wire.call(context, { method: 'POST', path: '/quotes', body }), answer => {
    const read = wire.readQuote(answer.body);
    if (read.asset !== asset || read.fiat !== fiat) throw new BadAnswer('a quote for another pair');
    return {
      pays: amount(read.pays),
      gets: amount(read.gets),
      networkFee: amount(read.networkFee),
      providerFee: amount(read.providerFee),
      validUntil: readUtc(read.validUntil),
      asks: read.asks.map(asked => (Array.isArray(asked) ? [...asked] : asked)),
    };
  });
}

function decline({ body }: HttpAnswer): Decline | undefined {
  const refusal = refusalIn(body);
  const reason = refusal && words.REASONS[refusal.code];
  if (!refusal || !reason) return undefined;
  const message = reasonIfAny(refusal.message) ?? 'The ramp refuses';
  return reason === 'limit'
    ? declineWith(reason, message, wire.limitsOf(refusal))
    : declineWith(reason, message);
}

/** What is refused in another form is no refusal of an ask. */
function refusalIn(body: unknown): ReturnType<typeof wire.readRefusal>['error'] | undefined {
  try {
    return wire.readRefusal(body).error;
  } catch {
    return undefined;
  }
}
