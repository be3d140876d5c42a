/** The stand-in's pages: the hosted ones, those of single steps that lead back to the partner, and its terms. */
import type { Flow, Stage } from '../hosted.ts';
import { html } from '../hosted-markup.ts';
import { move } from '../hosted-moves.ts';
import { pageOf, refusalOf } from '../hosted-pages.ts';
import { hostedRoutes, page } from '../hosted-routes.ts';
import type { StandinAnswer, StandinRoute, World } from '../world.ts';
import { brand } from './standin-book.ts';

/** The pages that a step may show, and those it may go on to before it leads back. */
const TOGETHER: Partial<Record<Stage, readonly Stage[]>> = {
  card: ['card', 'declined'],
  declined: ['card', 'declined'],
  wallet: ['wallet', 'declined'],
  secure: ['secure'],
};

export const pageRoutes: readonly StandinRoute[] = [
  ...hostedRoutes(brand),
  {
    method: 'GET',
    host: 'pages',
    path: '/step/:id',
    answer: ({ params }, world) => show(world.orders.get(params.id ?? ''), world),
  },
  {
    method: 'POST',
    host: 'pages',
    path: '/step/:id/:move',
    answer({ params, form }, world) {
      const { id = '', move: word = '' } = params;
      const before = world.orders.get(id);
      if (!before) return gone();
      move(id, word, { brand, world, form });
      const after = world.orders.get(id) ?? before;
      return TOGETHER[before.stage]?.includes(after.stage) ? goTo(pathOf(after, world)) : leadBack(after);
    },
  },
  {
    method: 'GET',
    host: 'pages',
    path: '/terms',
    answer: () =>
      page({ title: 'Terms of use', body: html`<p>This is a sandbox. Nothing here is real.</p>` }, { brand }),
  },
];

function show(flow: Flow | undefined, world: World): StandinAnswer {
  if (!flow) return gone();
  if (!TOGETHER[flow.stage]) return leadBack(flow);
  return page(pageOf({ flow, brand, world, path: pathOf(flow, world) }), { brand, flow });
}

function gone(): StandinAnswer {
  return page(refusalOf('This page does not exist any more.'), { brand, status: 404 });
}

function pathOf({ host, id }: Flow, world: World): string {
  return `${new URL(world.base(host)).pathname}/step/${id}`;
}

function leadBack({ returnUrl = '' }: Flow): StandinAnswer {
  return /^https?:\/\//.test(returnUrl) ? goTo(returnUrl) : gone();
}

function goTo(location: string): StandinAnswer {
  return { status: 303, headers: { location, 'cache-control': 'no-store' }, body: '' };
}
