/** The fleet: the providers' servers, which answer as their stand-ins do, tell the tales of orders, and fail on demand. */
import type { Chance } from '../faults/bed/chance.ts';
import { type Currencies, createCurrencies } from '../src/domain/currency.ts';
import { writeJson } from '../src/domain/json.ts';
import { decimal } from '../src/domain/money.ts';
import type { ProviderId } from '../src/domain/words.ts';
import { isSigned, sign } from '../src/engine/sign.ts';
import { currencies as all } from '../src/main.ts';
import { registry } from '../src/providers/registry.ts';
import type { World } from '../src/providers/world.ts';
import { createMarket } from '../src/sandbox/market.ts';
import { createMemory } from '../src/sandbox/memory.ts';
import { type AnswerFault, json, SENDERS } from './answers.ts';
import type { Journal } from './journal.ts';
import { type Answer, type Request, readRequest } from './machine/messages.ts';
import { type Ear, type Link, listen, nameHost } from './machine/network.ts';
import { after, WORLD, wallOf } from './machine/time.ts';
import { findRoute, standinRequest } from './routes.ts';
import { PROVIDERS, type Provider, type Tale } from './tales.ts';

export interface Fleet {
  url: string;
  /** What a provider does wrong from now on. */
  fault(provider: Provider, kind: AnswerFault | undefined): void;
  /** From now on the provider can tell of this order. */
  learn(tale: Tale): void;
  taleOf(reference: string): Tale | undefined;
  /** Orders that were made for a reference, where that is done once. */
  made: ReadonlyMap<string, readonly string[]>;
  /** References that a provider was asked for in a session. */
  sessions: ReadonlySet<string>;
  /** What Transak signs with at the moment. */
  token(): string;
  /** How many answers about an order left a provider whole. */
  told: ReadonlyMap<string, number>;
}

const HOST = 'providers.example';
const ADDRESS = '8.8.8.8';
const PLACE = `${HOST}:80`;
const LIE = decimal('0.001');
const CODES = new Set(['BTC', 'ETH', 'SOL', 'USDC', 'EUR', 'USD', 'GBP']);

/** Providers with few coins: nobody buys another, and long lists would be read again at every start. */
const FEW: Currencies = createCurrencies({
  networks: [...all.networks.values()],
  assets: [...all.assets.values()].filter(({ code, main }) => main && CODES.has(code)),
  fiats: [...all.fiats.values()].filter(({ code }) => CODES.has(code)),
  methods: [...all.methods.values()],
  countries: [...all.countries.values()],
});

export interface FleetOptions {
  seed: number;
  chance: Chance;
  journal: Journal;
}

export function openFleet({ seed, chance, journal }: FleetOptions): Fleet {
  const faults = new Map<Provider, AnswerFault>();
  const tales = new Map<string, Tale>();
  const byTheirs = new Map<string, Tale>();
  const made = new Map<string, string[]>();
  const sessions = new Set<string>();
  const orders = new Map<string, Record<string, unknown>>();
  const told = new Map<string, number>();
  const memories = new Map(PROVIDERS.map(id => [id, { orders: createMemory(), notes: createMemory() }]));
  const routes = new Map(
    PROVIDERS.map(id => [
      id,
      registry.find(({ adapter }) => adapter.manifest.id === id)?.standin.routes ?? [],
    ]),
  );
  let ids = 0;

  function worldOf(provider: Provider): World {
    const isLying = faults.get(provider) === 'lie';
    const now = wallOf(WORLD);
    return {
      now,
      currencies: FEW,
      market: createMarket({ seed, now, ...(isLying && { distortion: LIE }) }),
      id: () => `01SIMULATED${String(++ids).padStart(15, '0')}`,
      sign,
      isSigned,
      base: host => `http://${PLACE}/${provider}/${host}`,
      hookPath: `/hooks/${provider}`,
      ...(memories.get(provider) as Pick<World, 'orders' | 'notes'>),
      notify() {},
      later() {},
    };
  }

  const token = () => String(memories.get('transak')?.notes.get('token') ?? '');

  /** What a provider answers, before anything goes wrong with it. */
  function answer(id: Provider, request: Request): Answer {
    const url = new URL(request.path, 'http://x');
    const [, , host = '', ...rest] = url.pathname.split('/');
    const path = `/${rest.join('/')}`;
    const about = tell(id, path, { url, request });
    if (about) return json(about.status, about.body);
    const found = findRoute(routes.get(id) ?? [], request.method, { host, path });
    if (!found) return json(404, { message: 'Not Found' });
    const { status, headers, body } = found.route.answer(
      standinRequest(request, url, found.params),
      worldOf(id),
    );
    remember(id, path, { request, status, body });
    const text = typeof body === 'string' ? body : writeJson(body);
    return { status, headers: { 'content-type': 'application/json', ...headers }, text };
  }

  /** What is known of an order; undefined when that is not the question. */
  function tell(
    provider: Provider,
    path: string,
    { url, request }: { url: URL; request: Request },
  ): { status: number; body: unknown } | undefined {
    const last = path.split('/').at(-1) ?? '';
    const known = (tale: Tale | undefined) => {
      if (!tale || tale.words.length === 0) return undefined;
      told.set(tale.reference, (told.get(tale.reference) ?? 0) + 1);
      return tale;
    };
    if (provider === 'moonpay' && path.includes('/ext/')) {
      const tale = known(tales.get(last));
      return { status: 200, body: tale ? [tale.words.at(-1)?.body] : [] };
    }
    if (provider === 'transak' && path.startsWith('/partners/api/v2/order')) {
      if (request.headers['access-token'] !== token())
        return { status: 401, body: { error: { message: 'Invalid access token' } } };
      const reference = url.searchParams.get('filter[partnerOrderId]');
      const tale = known(reference === null ? byTheirs.get(last) : tales.get(reference));
      const body = tale?.words.at(-1)?.body;
      if (reference !== null)
        return { status: 200, body: { data: body?.status === 'COMPLETED' ? [body] : [] } };
      return body
        ? { status: 200, body: { data: body } }
        : { status: 404, body: { error: { message: 'Order not found' } } };
    }
    if (provider === 'mercuryo' && path.endsWith('/sdk-partner/transactions')) {
      const tale = known(tales.get(url.searchParams.get('merchant_transaction_id') ?? ''));
      const rows = tale ? [Object.fromEntries(tale.words.map(({ body }) => [String(body.type), body]))] : [];
      return { status: 200, body: { status: 200, data: rows } };
    }
    if (provider === 'guardarian' && request.method === 'GET' && path.startsWith('/v1/transaction/')) {
      const body = known(byTheirs.get(last))?.words.at(-1)?.body ?? orders.get(last);
      return body ? { status: 200, body } : { status: 404, body: { message: 'Transaction not found' } };
    }
    return undefined;
  }

  /** Orders and sessions that a provider has made for us. */
  function remember(
    provider: Provider,
    path: string,
    { request, status, body }: { request: Request; status: number; body: unknown },
  ): void {
    if (request.method !== 'POST' || status >= 300) return;
    if (provider === 'guardarian' && path === '/v1/transaction') {
      const { id, external_partner_link_id: reference } = body as Record<string, string>;
      made.set(reference as string, [...(made.get(reference as string) ?? []), id as string]);
      orders.set(id as string, body as Record<string, unknown>);
    }
    if (provider === 'transak' && path.endsWith('/session')) {
      const { widgetParams } = JSON.parse(request.body) as { widgetParams: { partnerOrderId: string } };
      sessions.add(widgetParams.partnerOrderId);
    }
  }

  function respond(link: Link, request: Request): void {
    const provider = request.path.split('/')[1] as Provider;
    const fault = faults.get(provider);
    const honest = fault && DEAF.has(fault) ? NOTHING_DONE : answer(provider, request);
    if (fault) journal.reach(`provider ${fault}`);
    journal.note(
      `${provider} ${request.method} ${request.path.split('?')[0]} ${honest.status} ${fault ?? ''}`,
    );
    const wait = chance.whole(3, 60);
    after(wait, () => SENDERS[fault ?? 'honest'](link, honest), WORLD);
  }

  nameHost(HOST, () => [ADDRESS]);
  listen(PLACE, link => listener(request => respond(link, request)));
  return {
    url: `http://${PLACE}`,
    fault(provider, kind) {
      journal.note(`fault ${provider} ${kind ?? 'over'}`);
      if (kind) faults.set(provider, kind);
      else faults.delete(provider);
    },
    learn(tale) {
      tales.set(tale.reference, tale);
      byTheirs.set(tale.theirs, tale);
    },
    taleOf: reference => tales.get(reference),
    made,
    sessions,
    token,
    told,
  };
}

/** Whoever turns a request away at the door has done nothing of what it asks for. */
const DEAF: ReadonlySet<AnswerFault> = new Set(['limited', 'unauthorized']);
const NOTHING_DONE: Answer = { status: 0, headers: {}, text: '' };

/** Reads requests from a link, one after another. */
export function listener(onRequest: (request: Request) => void): Ear {
  let received = Buffer.alloc(0);
  return {
    hear(bytes) {
      received = Buffer.concat([received, bytes]);
      for (let read = readRequest(received); read; read = readRequest(received)) {
        received = received.subarray(read.end);
        onRequest(read.request);
      }
    },
    closed() {},
  };
}

/** What a service is given to speak to these providers. */
export function plansOf() {
  return registry
    .filter(({ adapter }) => PROVIDERS.some(id => id === adapter.manifest.id))
    .map(({ adapter, standin }) => ({ adapter, standinSettings: standin.settings }));
}

/** A setting of a stand-in, for whoever signs in its name. */
export function settingOf(provider: Provider, name: string): string {
  const found = registry.find(({ adapter }) => adapter.manifest.id === (provider as string as ProviderId));
  return found?.standin.settings[name] ?? '';
}
