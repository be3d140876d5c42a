/** Stand-ins without a network, in a world that stands still: asked as an adapter asks, and visited as people do. */
import { parseJson, writeJson } from '../src/domain/json.ts';
import { hear } from '../src/engine/chain.ts';
import { isSigned, sign } from '../src/engine/sign.ts';
import { currencies } from '../src/main.ts';
import type { Context, Exchange, HttpAnswer, HttpRequest, Work } from '../src/providers/exchange.ts';
import type { Registered } from '../src/providers/registry.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, World } from '../src/providers/world.ts';
import { createMarket } from '../src/sandbox/market.ts';
import { createMemory } from '../src/sandbox/memory.ts';

export type Settings = Readonly<Record<string, string>>;

export const NOW = Date.parse('2026-01-01T12:00:00Z');

const moving = createMarket({ seed: 1, now: NOW });
/** A market at one moment, of which the same is asked thousands of times. */
export const market = {
  ...moving,
  price: once(moving.price, (asset, fiat) => `${asset.id} ${fiat}`),
  networkFee: once(moving.networkFee, (asset, fiat) => `${asset.network} ${fiat}`),
};

/** A world in which what is told is kept, and nothing happens later. */
export function makeWorld(told: OutgoingWebhook[] = []): World {
  let serial = 0;
  return {
    ...{ now: NOW, market, currencies, id: () => `id${++serial}`, sign, isSigned, hookPath: '/hooks/x' },
    base: host => `http://sandbox.example/${host}`,
    orders: createMemory(),
    notes: createMemory(),
    notify: webhook => void told.push(webhook),
    later: () => {},
  };
}

export function contextOf(settings: Settings, world: World): Context {
  return {
    ...{ now: NOW, id: 'w1', settings, secret: name => settings[name] ?? '', has: name => !!settings[name] },
    ...{ base: host => world.base(host), sign: (how, name, text) => sign(how, settings[name] ?? '', text) },
  };
}

interface Job<T> {
  work(context: Context): Work<T>;
  settings: Settings;
  decline?: ((answer: HttpAnswer) => T | undefined) | undefined;
  world?: World;
}

/** Carries work out against the stand-in, as a line does over HTTP. */
export function perform<T>(
  { standin }: Registered,
  { work, settings, decline, world = makeWorld() }: Job<T>,
): T {
  let step = work(contextOf(settings, world));
  while (isExchange(step)) step = hear(step, answerTo(standin.routes, step.request, world), { decline });
  return step;
}

export function isExchange<T>(work: Work<T>): work is Exchange<T> {
  return typeof work === 'object' && work !== null && (work as Exchange<T>).kind === 'exchange';
}

/** Opens a page, and makes moves on it; the answer to the last one is what is left. */
export function visit(
  { standin }: Registered,
  url: string,
  { world, moves }: { world: World; moves: string[] },
): StandinAnswer {
  const to = (method: string, target: string): StandinAnswer => {
    const { pathname, search, searchParams } = new URL(target, 'http://sandbox.example');
    const [, host = '', ...rest] = pathname.split('/');
    const query = Object.fromEntries(searchParams);
    return reach(standin.routes, { method, host, path: `/${rest.join('/')}`, search, query }, world);
  };
  const opened = to('GET', url);
  const place = opened.headers?.location;
  if (!place) return opened;
  for (const move of moves) to('POST', `${place}/${move}`);
  return to('GET', place);
}

type Routes = Registered['standin']['routes'];

function answerTo(routes: Routes, request: HttpRequest, world: World): HttpAnswer {
  const { method, host, path, headers = {} } = request;
  const query = fieldsOf(request.query);
  const answer = reach(
    routes,
    {
      ...{ method, host, path, headers, query, form: fieldsOf(request.form) },
      search: request.query ? `?${new URLSearchParams(query)}` : '',
      rawBody: request.body === undefined ? '' : writeJson(request.body),
    },
    world,
  );
  const text = typeof answer.body === 'string' ? answer.body : writeJson(answer.body);
  return { status: answer.status, body: parseJson(text) };
}

function fieldsOf(fields: HttpRequest['query'] = {}): Record<string, string> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Record<string, string>;
}

interface Reached extends Pick<StandinRequest, 'search' | 'query'> {
  method: string;
  host: string;
  path: string;
  headers?: Record<string, string>;
  form?: StandinRequest['form'];
  rawBody?: string;
}

/** Finds the route and has it answer. */
function reach(routes: Routes, request: Reached, world: World): StandinAnswer {
  const { method, host, path, search, query, headers = {}, form = {}, rawBody = '' } = request;
  const wanted = path.split('/');
  const fits = (segment: string, at: number) => segment.startsWith(':') || segment === wanted[at];
  const route = routes.find(one => {
    if (one.method !== method || one.host !== host) return false;
    const segments = one.path.split('/');
    return segments.length === wanted.length && segments.every(fits);
  });
  if (!route) throw new Error(`the stand-in has no ${method} ${path} on ${host}`);
  const params = route.path
    .split('/')
    .flatMap((segment, at) =>
      segment.startsWith(':') ? [[segment.slice(1), decodeURIComponent(wanted[at] ?? '')]] : [],
    );
  return route.answer(
    {
      ...{ search, query, form, rawBody, ip: '192.0.2.1', params: Object.fromEntries(params) },
      body: rawBody ? parseJson(rawBody) : undefined,
      headers: asNodeHas(headers),
    },
    world,
  );
}

/** Headers as Node has them. */
export function asNodeHas(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** What an act throws, or nothing. */
export function errorOf(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Works each result out once. */
function once<A extends unknown[], T>(make: (...given: A) => T, nameOf: (...given: A) => string) {
  const known = new Map<string, T>();
  return (...given: A): T => {
    const name = nameOf(...given);
    const result = known.has(name) ? (known.get(name) as T) : make(...given);
    known.set(name, result);
    return result;
  };
}
