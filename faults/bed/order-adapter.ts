/** A provider whose checkout makes an order that must not be made twice: the smallest adapter that has one. */
import type { ProviderPlan } from '../../src/app/lines.ts';
import { decimal, ZERO } from '../../src/domain/money.ts';
import type { MethodId, NetworkId, ProviderId } from '../../src/domain/words.ts';
import type { Adapter, Manifest } from '../../src/providers/contract.ts';
import { exchange } from '../../src/providers/exchange.ts';

/** Checkouts only name providers of the registry, so that it takes the name of one. */
export const ORDERING = 'mercuryo';

/** About what the stand-ins ask: a price far from the others is not believed. */
const PRICE = decimal(90_000);

/** It asks for no credentials: a test key is served at `url`. */
export function orderPlan(url: string): ProviderPlan {
  return { adapter: { ...ADAPTER, manifest: manifestAt(url) }, standinSettings: {} };
}

function manifestAt(url: string): Manifest {
  return {
    id: ORDERING as ProviderId,
    name: 'Orders',
    hosts: { api: { live: url, test: url } },
    sides: ['buy'],
    pricesDestination: [],
    methods: { card: ['creditcard' as MethodId] },
    networks: { bitcoin: 'bitcoin' as NetworkId },
    settings: [],
    duration: { '*': 600 },
    kyc: [{ asks: ['email'] }],
    checkout: { makes: 'order', opens: 'redirect', pages: { buy: 'api', sell: 'api' }, permissions: [] },
    statuses: { open: 'new' },
    limits: { perSecond: 1e6, burst: 1e6, connections: 64 },
  };
}

interface TheirOrder {
  id: string;
  reference: string;
  url: string;
  at: string;
}

const ADAPTER: Omit<Adapter, 'manifest'> = {
  catalog: () => [
    {
      side: 'buy',
      assets: [{ code: 'BTC', symbol: 'BTC', network: 'bitcoin' }],
      fiats: [{ code: 'EUR', methods: [{ code: 'card' }] }],
    },
  ],
  quote: ({ amount }) => ({ pays: amount, gets: amount.div(PRICE), networkFee: ZERO, providerFee: ZERO }),
  /** An order that is known is asked for; making it is for the first time only. */
  checkout: ({ id, theirs }) =>
    exchange(
      theirs
        ? { method: 'GET', host: 'api', path: `/orders/${theirs}` }
        : { method: 'POST', host: 'api', path: '/orders', body: { reference: id } },
      ({ body }) => {
        const order = body as TheirOrder;
        return { kind: 'page', url: order.url, theirs: order.id };
      },
    ),
  status: ({ id }) =>
    exchange({ method: 'GET', host: 'api', path: '/orders', query: { reference: id } }, ({ body }) =>
      (body as TheirOrder[]).map(order => ({
        reference: order.reference,
        theirs: order.id,
        word: 'open',
        at: Number(order.at),
      })),
    ),
};
