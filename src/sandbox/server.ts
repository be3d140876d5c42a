/** The sandbox: every provider's stand-in on a port of its own, so that providers are another origin as in life. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Currencies } from '../domain/currency.ts';
import { parseJson, writeJson } from '../domain/json.ts';
import { decimal } from '../domain/money.ts';
import type { ProviderId } from '../domain/words.ts';
import { newId } from '../engine/ids.ts';
import { isSigned, sign } from '../engine/sign.ts';
import type { Standin, StandinAnswer, StandinRequest, StandinRoute, World } from '../providers/world.ts';
import { createChance } from './chance.ts';
import { createDeliveries } from './deliveries.ts';
import { FAULT_KINDS, type FaultKind, NO_FAULT, respond, type SandboxFault } from './faults.ts';
import { createMarket } from './market.ts';
import { createMemory } from './memory.ts';
import { createTimers, type Later } from './timers.ts';

export interface SandboxOptions {
  standins: ReadonlyMap<ProviderId, Standin>;
  currencies: Currencies;
  host: string;
  /** How its host is written in URLs, where that is not as it listens. */
  reachedAs?: string;
  port: number;
  now(): number;
  /** The moment whose prices hold all along, for tests that compare them; otherwise they move with the clock. */
  pricesAt?: number;
  /** Another clock's timers, for tests. */
  later?: Later;
  seed?: number;
  /** Told of a stand-in that broke where nobody was waiting for an answer. */
  onError?(error: unknown): void;
}

export interface Sandbox {
  url: string;
  fault(provider: ProviderId, fault: SandboxFault): void;
  /** What a stand-in has been told to do wrong. */
  faultOf(provider: ProviderId): SandboxFault;
  /**
   * The base URL of the service, to which the stand-ins' webhooks go: `<url>/hooks/<provider>`; and the one that the
   * providers know it by, where that is another.
   */
  deliverTo(url: string, known?: string): void;
  close(): Promise<void>;
}

/** Files among them, which people upload. */
const BODY_LIMIT = 12 * 1024 * 1024;
/** How far a lying stand-in's market is from the truth. */
const LIE = decimal('0.001');

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const seed = options.seed ?? 1;
  const faults = new Map<ProviderId, SandboxFault>();
  const routers = new Map([...options.standins].map(([id, standin]) => [id, createRouter(standin.routes)]));
  const memories = new Map([...options.standins.keys()].map(id => [id, remember()]));
  const timers = createTimers(options.later);
  const faultOf = (provider: ProviderId) => faults.get(provider) ?? NO_FAULT;
  const deliveries = createDeliveries({
    timers,
    chance: createChance(seed),
    faultOf,
  });
  let address = '';
  let knownPath = '';

  function worldOf(provider: ProviderId): World {
    const now = options.now();
    const lying = faults.get(provider)?.kind === 'lie';
    return {
      now,
      currencies: options.currencies,
      market: createMarket({ seed, now: options.pricesAt ?? now, ...(lying && { distortion: LIE }) }),
      id: () => newId(now),
      sign,
      isSigned,
      base: host => `${address}/${provider}/${host}`,
      hookPath: `${knownPath}/hooks/${provider}`,
      ...(memories.get(provider) ?? remember()),
      notify: webhook => deliveries.send(provider, webhook),
      later: (ms, act) => timers.later(ms, () => attempt(() => act(worldOf(provider)))),
    };
  }

  function attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      options.onError?.(error);
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const rawBody = await readBody(request);
    if (url.pathname.startsWith('/_faults')) return control(request, response, url, rawBody);
    const [, provider = '', host = '', ...rest] = url.pathname.split('/');
    const route = routers.get(provider as ProviderId)?.(request.method ?? 'GET', host, rest);
    const answer = route
      ? route.answer(
          readRequest(request, { url, rawBody, params: route.params }),
          worldOf(provider as ProviderId),
        )
      : { status: 404, body: { message: 'Not Found' } };
    respond(response, writeAnswer(answer), faultOf(provider as ProviderId));
  }

  /** `PUT /_faults/moonpay {"kind":"hang"}` sets a fault, `GET /_faults` lists them. */
  function control(request: IncomingMessage, response: ServerResponse, url: URL, rawBody: string): void {
    const provider = url.pathname.split('/')[2] as ProviderId | undefined;
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'GET')
      return void json(200, { faults: Object.fromEntries(faults), kinds: FAULT_KINDS });
    if (request.method !== 'PUT' || !provider) return void json(405, { message: 'PUT /_faults/<provider>' });
    if (!options.standins.has(provider))
      return void json(404, { message: `no stand-in is named ${provider}` });
    const { kind, ms } = readFaultBody(rawBody);
    if (!FAULT_KINDS.includes(kind))
      return void json(400, { message: `kind must be one of ${FAULT_KINDS.join(', ')}` });
    faults.set(provider, { kind, ms });
    json(200, { provider, kind, ms });
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(error => {
      // A stand-in that throws is a bug of ours: say so instead of imitating a provider's trouble.
      if (!response.headersSent) response.writeHead(599).end(String(error));
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  address = `http://${options.reachedAs ?? options.host}:${(server.address() as AddressInfo).port}`;
  return {
    url: address,
    fault: (provider, fault) => void faults.set(provider, fault),
    faultOf,
    deliverTo(url, known = url) {
      deliveries.deliverTo(url);
      knownPath = new URL(known).pathname.replace(/(?<!\/)\/+$/, '');
    },
    async close() {
      timers.stop();
      deliveries.close();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function remember(): Pick<World, 'orders' | 'notes'> {
  return { orders: createMemory(), notes: createMemory() };
}

function readFaultBody(rawBody: string): SandboxFault {
  try {
    const { kind, ms } = JSON.parse(rawBody) as { kind?: string; ms?: number };
    return { kind: kind as FaultKind, ms: Math.min(Math.max(Math.trunc(Number(ms)) || 3_000, 0), 60_000) };
  } catch {
    return { kind: '' as FaultKind, ms: 0 };
  }
}

type Matched = StandinRoute & { params: Record<string, string> };

/** Finds the route of a request by the provider's own path. */
function createRouter(routes: readonly StandinRoute[]) {
  const split = routes.map(route => ({ route, segments: withoutEnd(route.path.split('/').slice(1)) }));
  return (method: string, host: string, path: string[]): Matched | undefined => {
    const wanted = withoutEnd(path);
    for (const { route, segments } of split) {
      if (route.method !== method || route.host !== host || segments.length !== wanted.length) continue;
      const params: Record<string, string> = {};
      const fits = segments.every((segment, at) => {
        const word = decodeURIComponent(wanted[at] ?? '');
        if (segment.startsWith(':')) params[segment.slice(1)] = word;
        return segment.startsWith(':') || segment === word;
      });
      if (fits) return { ...route, params };
    }
    return undefined;
  };
}

/** A slash at the end means nothing. */
function withoutEnd(segments: string[]): string[] {
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments;
}

function readRequest(
  request: IncomingMessage,
  { url, rawBody, params }: { url: URL; rawBody: string; params: Record<string, string> },
): StandinRequest {
  let body: unknown;
  try {
    body = rawBody ? parseJson(rawBody) : undefined;
  } catch {
    // Not JSON: the stand-in sees no body, as its provider would.
  }
  const target = request.url ?? '';
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  return {
    params,
    query: Object.fromEntries(url.searchParams),
    search: target.includes('?') ? target.slice(target.indexOf('?')) : '',
    headers: request.headers as Record<string, string>,
    ip: request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '',
    body,
    form: isForm ? Object.fromEntries(new URLSearchParams(rawBody)) : {},
    rawBody,
  };
}

function writeAnswer({ status, headers, body }: StandinAnswer) {
  const text = typeof body === 'string' ? body : writeJson(body);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: text };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_LIMIT) throw new Error('body too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
