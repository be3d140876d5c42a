/** A small world for the pay page: orders in memory behind the real routes, and a provider's page on another origin. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyInstance } from 'fastify';
import assets from '../../catalog/assets.json' with { type: 'json' };
import countries from '../../catalog/countries.json' with { type: 'json' };
import fiats from '../../catalog/fiats.json' with { type: 'json' };
import networks from '../../catalog/networks.json' with { type: 'json' };
import methods from '../../catalog/payment-methods.json' with { type: 'json' };
import type { Pay, PayView } from '../../src/app/pay.ts';
import { type CatalogData, createCurrencies } from '../../src/domain/currency.ts';
import { Fault } from '../../src/domain/fault.ts';
import { writeJson } from '../../src/domain/json.ts';
import { decimal } from '../../src/domain/money.ts';
import { corsHeaders } from '../../src/http/cors.ts';
import { payPages } from '../../src/http/pay/routes.ts';
import { describeProblem } from '../../src/http/problem.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export const currencies = createCurrencies({
  assets,
  countries,
  fiats,
  networks,
  methods,
} as unknown as CatalogData);

/** A purchase of bitcoin that nobody has begun. */
export function exampleView(change: Partial<PayView> = {}): PayView {
  return {
    transactionId: '01JCQ5V8R1W0M2T3N4P5Q6R7S8',
    side: 'buy',
    provider: { id: 'moonpay', name: 'MoonPay' },
    pays: { amount: decimal('100'), code: 'EUR' },
    gets: { amount: decimal('0.00163465'), code: 'BTC' },
    isEstimate: false,
    networkFee: { amount: decimal('1.2'), code: 'EUR' },
    providerFee: { amount: decimal('3.99'), code: 'EUR' },
    network: 'Bitcoin',
    walletAddress: 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh',
    walletMemo: undefined,
    method: 'creditcard',
    theme: { isDark: false },
    status: 'new',
    reason: '',
    hash: '',
    deposit: undefined,
    bank: undefined,
    sequence: 1,
    expiresAt: Date.now() + 600_000,
    opened: false,
    opens: 'iframe',
    pageOrigin: 'https://pay.provider.example',
    permissions: ['camera', 'payment'],
    returnTo: undefined,
    ancestors: [],
    restarts: true,
    handover: undefined,
    ...change,
  };
}

/** A sale of bitcoin. */
export function exampleSale(change: Partial<PayView> = {}): PayView {
  return exampleView({
    side: 'sell',
    pays: { amount: decimal('0.05'), code: 'BTC' },
    gets: { amount: decimal('2871.4'), code: 'EUR' },
    networkFee: { amount: decimal('0'), code: 'EUR' },
    providerFee: { amount: decimal('28.6'), code: 'EUR' },
    method: 'sepabanktransfer',
    ...change,
  });
}

export interface FakePay extends Omit<Pay, 'wake' | 'stop'> {
  put(token: string, view: PayView): void;
  /** Changes an order, as a provider's notice would. */
  change(token: string, change: Partial<PayView>): void;
  of(token: string): PayView;
  /** The provider's page; an error is thrown instead when set. */
  pageOf(token: string): string;
  fault: Error | undefined;
  /** How many follow an order just now. */
  followers(): number;
  openedFrom: (string | undefined)[];
}

export function createFakePay(publicUrl: () => string): FakePay {
  const views = new Map<string, PayView>();
  const watchers = new Set<{ token: string; onChange(view: PayView): void }>();
  const fake: FakePay = {
    fault: undefined,
    openedFrom: [],
    pageOf: token =>
      `${fake.of(token).pageOrigin}/checkout?back=${encodeURIComponent(`${publicUrl()}/pay/${token}/return?theirs=1&status=completed`)}`,
    put: (token, view) => void views.set(token, view),
    of(token) {
      const view = views.get(token);
      if (!view) throw new Error(`no order ${token}`);
      return view;
    },
    change(token, change) {
      const before = fake.of(token);
      const view = { ...before, ...change, sequence: before.sequence + 1 };
      views.set(token, view);
      for (const watcher of watchers) if (watcher.token === token) watcher.onChange(view);
    },
    followers: () => watchers.size,
    view: async token => views.get(token),
    async open(token, clientIp) {
      if (fake.fault) throw fake.fault;
      const view = fake.of(token);
      if (!view.opened && view.expiresAt <= Date.now()) {
        throw new Fault('expired', 'The session has expired: start again');
      }
      fake.openedFrom.push(clientIp);
      if (!view.opened) fake.change(token, { opened: true });
      return { url: fake.pageOf(token) };
    },
    async follow(token, onChange) {
      if (!views.has(token)) return undefined;
      const watcher = { token, onChange };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    async again(token) {
      if (fake.fault) throw fake.fault;
      const fresh = {
        ...fake.of(token),
        transactionId: '01JCQ5V8R1W0M2T3N4P5Q6R7S9',
        status: 'new' as const,
        reason: '',
        hash: '',
        opened: false,
        sequence: 1,
        expiresAt: Date.now() + 600_000,
      };
      views.set(`${token}-again`, fresh);
      return { url: `${publicUrl()}/pay/${token}-again` };
    },
  };
  return fake;
}

export interface PayWorld {
  app: FastifyInstance;
  pay: FakePay;
  /** Empty until the world listens. */
  url: string;
  /** Answers nothing any more but 503, as while the service is away. */
  away: boolean;
  /** Streams are refused, as by a proxy that knows none. */
  streamless: boolean;
  /** Streams are opened and bring nothing, as through a proxy that keeps what it should pass on. */
  silent: boolean;
  /** Addresses that were asked for, with their methods and referrers. */
  asked: { method: string; path: string; referer: string | undefined }[];
  listen(): Promise<string>;
  close(): Promise<void>;
}

/** The routes as the service registers them, with its error body and its headers for other origins. */
export async function createPayWorld(publicUrl?: string): Promise<PayWorld> {
  const app = fastify({
    routerOptions: { ignoreTrailingSlash: true },
  }).withTypeProvider<TypeBoxTypeProvider>();
  const pay = createFakePay(() => publicUrl ?? world.url);
  const world: PayWorld = {
    app: app as unknown as FastifyInstance,
    pay,
    url: '',
    away: false,
    streamless: false,
    silent: false,
    asked: [],
    async listen() {
      world.url = await app.listen({ port: 0, host: '127.0.0.1' });
      return world.url;
    },
    close: () => app.close(),
  };
  app.setSerializerCompiler(() => writeJson);
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = describeProblem(error, request.id);
    return reply.code(status).header('content-type', 'application/json').send(JSON.stringify(body));
  });
  app.addHook('onRequest', async (request, reply) => {
    const { method, url: path, headers } = request;
    world.asked.push({ method, path, referer: headers.referer });
    const cors = corsHeaders(headers.origin);
    for (let at = 0; at < cors.length; at += 2) reply.header(cors[at] as string, cors[at + 1]);
    if (world.away || (world.streamless && path.endsWith('/events'))) {
      throw new Fault('unavailable', 'away');
    }
    if (world.silent && path.endsWith('/events')) {
      reply.hijack().raw.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    }
  });
  app.addHook('onRoute', route => {
    if (!route.schema?.summary && !route.url.startsWith('/icons'))
      throw new Error(`${route.url} has no summary`);
  });
  app.get('/icons/onramp/:file', async (_request, reply) =>
    reply
      .header('content-type', 'image/svg+xml')
      .send(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="10" fill="#7d00ff"/><circle cx="20" cy="20" r="9" fill="#fff"/></svg>',
      ),
  );
  await app.register(
    payPages({
      pay,
      files: name => join(ROOT, 'web', 'pay', name),
      clientIp: request => request.ip,
      publicUrl: () => publicUrl ?? world.url,
      currencies,
    }),
  );
  await app.ready();
  return world;
}

export interface Site {
  url: string;
  /** Requests it got, with their referrers. */
  asked: { path: string; referer: string | undefined }[];
  close(): Promise<void>;
}

/** A site of somebody else's: a provider, a shop or a stranger. The page at each path is what `pageAt` gives. */
export async function startSite(pageAt: (url: URL) => string): Promise<Site> {
  const asked: Site['asked'] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://site');
    asked.push({ path: request.url ?? '/', referer: request.headers.referer });
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">${pageAt(url)}`,
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.closeAllConnections();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}

/** A provider's page: a card form, and a button that leads back. */
export function providerPage(url: URL): string {
  const back = url.searchParams.get('back') ?? '';
  return `<title>Provider</title><body style="font:16px sans-serif;margin:0;padding:24px;background:#f7f5ff;color:#222">
<h1 style="font-size:20px">Provider checkout</h1><p>Card number</p>
<p style="border:1px solid #bbb;border-radius:8px;padding:12px;background:#fff">•••• •••• •••• 4242</p>
<a id="done" href="${back.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">Pay</a></body>`;
}
