/** The routes of hosted pages: opening a link, showing where the person is, and doing what they do. */

import { type Brand, type Flow, noPage, type Opening } from './hosted.ts';
import { documentOf, type Page } from './hosted-markup.ts';
import { begin, move } from './hosted-moves.ts';
import { pageOf, refusalOf } from './hosted-pages.ts';
import type { StandinAnswer, StandinRequest, StandinRoute, World } from './world.ts';

export function hostedRoutes(brand: Brand): StandinRoute[] {
  return brand.hosts.flatMap(host => [
    {
      method: 'GET',
      host,
      path: '/',
      answer: (request, world) => open(brand, brand.open(request, host, world), world),
    },
    {
      method: 'GET',
      host,
      path: '/flow/:id',
      answer: ({ params }, world) => show(brand, find(params.id, host, world), world),
    },
    {
      method: 'POST',
      host,
      path: '/flow/:id/:move',
      answer({ params, form }, world) {
        const flow = find(params.id, host, world);
        if (!flow) return gone(brand);
        move(flow.id, params.move ?? '', { brand, world, form });
        return goTo(flow, world);
      },
    },
  ]);
}

/** The name of the cookie by which a browser is known again. */
const COOKIE = 'flow';

/** The flow this browser was on last; undefined when it keeps no cookies, as in many a frame. */
export function flowOfBrowser({ headers }: StandinRequest, world: World): Flow | undefined {
  const [, id = ''] = /(?:^|; )flow=(\w+)/.exec(headers.cookie ?? '') ?? [];
  return world.orders.get(id);
}

/** What a link that opens one page comes to after that: whoever has the page may come back to it, and nobody else. */
export function reopen(request: StandinRequest, key: string, world: World): Opening | undefined {
  const flow = flowOfBrowser(request, world);
  if (flow?.key === key) return { kind: 'goOn', flow };
  const isUsed = world.orders.find(other => other.key === key).length > 0;
  return isUsed ? noPage(403, 'This link was already used.') : undefined;
}

function open(brand: Brand, opening: Opening, world: World): StandinAnswer {
  if (opening.kind === 'refuse') return page(refusalOf(opening.message), { brand, status: opening.status });
  const flow = opening.kind === 'goOn' ? opening.flow : begin(opening.intent, { brand, world });
  const path = new URL(world.base(flow.host)).pathname;
  const cookie = `${COOKIE}=${flow.id}; Path=${path}; HttpOnly; SameSite=Lax`;
  return goTo(flow, world, { 'set-cookie': cookie });
}

function find(id: string | undefined, host: string, world: World): Flow | undefined {
  const flow = world.orders.get(id ?? '');
  return flow?.host === host ? flow : undefined;
}

function show(brand: Brand, flow: Flow | undefined, world: World): StandinAnswer {
  if (!flow) return gone(brand);
  return page(pageOf({ flow, brand, world, path: pathOf(flow, world) }), { brand, flow });
}

function gone(brand: Brand): StandinAnswer {
  return page(refusalOf('This page does not exist any more. Start again from the shop.'), {
    brand,
    status: 404,
  });
}

/** Paths, not addresses: they are right under whatever name the person reached the sandbox. */
function pathOf({ host, id }: Flow, world: World): string {
  return `${new URL(world.base(host)).pathname}/flow/${id}`;
}

function goTo(flow: Flow, world: World, headers: Record<string, string> = {}): StandinAnswer {
  return {
    status: 303,
    headers: { ...headers, location: pathOf(flow, world), 'cache-control': 'no-store' },
    body: '',
  };
}

interface Shown {
  brand: Brand;
  flow?: Flow;
  status?: number;
}

const SECONDS_BETWEEN_LOOKS = '1';

/** Anyone may frame it, as the real ones are framed. */
export function page(drawn: Page, { brand, flow, status }: Shown): StandinAnswer {
  return {
    status: status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'",
      'referrer-policy': 'no-referrer',
      ...(flow?.stage === 'progress' && { refresh: SECONDS_BETWEEN_LOOKS }),
    },
    body: documentOf(drawn, brand, flow),
  };
}
