/** The sandbox: every provider's stand-in on a port of its own, so that providers are another origin as in life. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ulid } from 'ulid';
import type { Currencies } from '../domain/currency.ts';
import { parseJson, writeJson } from '../domain/json.ts';
import { decimal } from '../domain/money.ts';
import type { ProviderId } from '../domain/words.ts';
import { sign } from '../engine/sign.ts';
import type { Standin, StandinAnswer, StandinRequest, StandinRoute, World } from '../providers/world.ts';
import { FAULT_KINDS, type FaultKind, NO_FAULT, respond, type SandboxFault } from './faults.ts';
import { createMarket } from './market.ts';

export interface SandboxOptions {
  standins: ReadonlyMap<ProviderId, Standin>;
  currencies: Currencies;
  host: string;
  port: number;
  now(): number;
  seed?: number;
}

export interface Sandbox {
  url: string;
  fault(provider: ProviderId, fault: SandboxFault): void;
  close(): Promise<void>;
}

const BODY_LIMIT = 1024 * 1024;
/** How far a lying stand-in's market is from the truth. */
const LIE = decimal('0.001');

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const faults = new Map<ProviderId, SandboxFault>();
  const routers = new Map([...options.standins].map(([id, standin]) => [id, createRouter(standin.routes)]));

  function worldOf(provider: ProviderId): World {
    const now = options.now();
    const lying = faults.get(provider)?.kind === 'lie';
    return {
      now,
      currencies: options.currencies,
      market: createMarket({ seed: options.seed ?? 1, now, ...(lying && { distortion: LIE }) }),
      id: () => ulid(),
      sign,
    };
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
    respond(response, writeAnswer(answer), faults.get(provider as ProviderId) ?? NO_FAULT);
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
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    fault: (provider, fault) => void faults.set(provider, fault),
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
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
  const split = routes.map(route => ({ route, segments: route.path.split('/').slice(1) }));
  return (method: string, host: string, path: string[]): Matched | undefined => {
    const wanted = path.at(-1) === '' ? path.slice(0, -1) : path;
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
  return {
    params,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers as Record<string, string>,
    body,
    rawBody,
  };
}

function writeAnswer({ status, headers, body }: StandinAnswer) {
  const text = typeof body === 'string' ? body : writeJson(body);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: text };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_LIMIT) throw new Error('body too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
