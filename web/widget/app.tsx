/** The widget's beginning: state, effects and views put together. */
import { render } from 'preact';
import { randomKey } from '../../client/src/chance.ts';
import { createClient } from '../../client/src/index.ts';
import type { WidgetSetup } from '../../src/http/widget/shape.ts';
import type { Action } from './actions.ts';
import { loadTexts, showTrouble } from './beginning.ts';
import { createEffects } from './effects.ts';
import { createFigures } from './figures.ts';
import { createNews } from './news.ts';
import { reduce } from './reduce.ts';
import { type State, startState } from './state.ts';
import { lookAround, type Surroundings } from './surroundings.ts';
import { createSay, type Texts } from './texts.ts';
import { createTrail, orderIn } from './trail.ts';
import { Widget } from './views/widget.tsx';

const TICK_MS = 1_000;
const PATIENCE_MS = 30_000;

async function start(root: HTMLElement): Promise<void> {
  const sent = JSON.parse(root.dataset.setup ?? '') as WidgetSetup;
  const setup = { ...sent, url: location.origin + sent.url };
  const surroundings = lookAround(window, setup.embedder);
  const fetching = loadTexts(root.dataset.texts ?? '', { fetch: url => fetch(url), pause });
  const texts = await fetching.catch(error => {
    surroundings.tell({ type: 'error', kind: 'unreachable', message: String(error) });
  });
  if (texts) return run(root, { setup, texts, surroundings });
  await showTrouble(root, setup.language);
  return start(root);
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}

interface Beginning {
  setup: WidgetSetup;
  texts: Texts;
  surroundings: Surroundings;
}

function run(root: HTMLElement, { setup, texts, surroundings }: Beginning): void {
  const say = createSay(texts, setup.language);
  const figures = createFigures(setup.language);
  const tellNews = createNews(surroundings);
  const effects = createEffects({
    client: createClient({ url: setup.url, key: setup.key, fetch: createFetch(surroundings.origins) }),
    surroundings,
    dispatch,
    now: () => Date.now(),
    isDark: () => matchMedia('(prefers-color-scheme: dark)').matches,
    newKey: randomKey,
    load: url => import(url),
    choicesIn,
  });
  const trail = createTrail(window, dispatch);
  let state = atOrder(trail.restore(startState(setup, Date.now())), location.hash);
  let drawing = false;

  function dispatch(action: Action): void {
    settle(reduce(state, action));
  }

  function settle(next: State, before: State | undefined = state): void {
    state = next;
    effects(next, before);
    tellNews(next, before);
    if (next.order?.token !== before?.order?.token) keepOrder(next);
    if (before) trail.follow(next, before);
    if (!next.pair && next.country && next.country !== before?.country) beginIn(next.country);
    // Lists lie over everything, and change no size by themselves.
    if (next.menu !== before?.menu) tellHeight();
    drawSoon();
  }

  let told = 0;
  function tellHeight(): void {
    const height = heightOf(root, state);
    if (height !== told) surroundings.tell({ type: 'resize', height });
    told = height;
  }

  /** However much happens at once, it is drawn once. */
  function drawSoon(): void {
    if (drawing) return;
    drawing = true;
    queueMicrotask(() => {
      drawing = false;
      render(<Widget view={{ state, say, figures, dispatch }} />, root);
    });
  }

  root.replaceChildren();
  effects(state, undefined);
  tellNews(state, undefined);
  drawSoon();
  setInterval(() => {
    // Nobody looks: prices are asked for again when somebody does.
    if (!document.hidden) dispatch({ type: 'tick', now: Date.now() });
  }, TICK_MS);
  new ResizeObserver(tellHeight).observe(root);
}

/** The service is told where an order was made, so that its page may be shown there. */
function createFetch(around: string[]): typeof fetch {
  return (input, init) => {
    const isOrder = init?.method === 'POST' && around.length > 0;
    if (!isOrder) return fetch(input, init);
    const headers = new Headers(init.headers);
    headers.set('x-widget-referer', around.join(' '));
    return fetch(input, { ...init, headers });
  };
}

/** Whoever comes by a link to an order sees that. */
function atOrder(state: State, hash: string): State {
  const order = orderIn(hash);
  return order ? { ...state, screen: 'order', menu: undefined, order } : state;
}

/** A reload comes back to the order. */
function keepOrder({ order }: State): void {
  const { pathname, search } = location;
  history.replaceState(null, '', order ? `#order=${encodeURIComponent(order.token)}` : pathname + search);
}

/** Where nothing could be begun with, the service says what can be in another country. */
function beginIn(country: string): void {
  location.replace(addressIn(country));
}

/** Whoever has begun stays where they are, and only hears what they would begin with there. */
async function choicesIn(country: string): Promise<WidgetSetup['choices']> {
  const headers = { accept: 'application/json' };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const response = await fetch(addressIn(country), { headers, signal });
  if (!response.ok) throw new Error(`The service answered ${response.status}`);
  const { choices } = (await response.json()) as WidgetSetup;
  return choices;
}

function addressIn(country: string): URL {
  const url = new URL(location.href);
  url.searchParams.set('country', country);
  return url;
}

/** Pages of providers need room that cannot be measured from here. */
const ORDER_HEIGHT = 820;
/** Enough of a list to choose from. */
const MENU_HEIGHT = 560;

function heightOf(root: HTMLElement, { screen, menu }: State): number {
  if (screen === 'order') return ORDER_HEIGHT;
  const height = Math.ceil(root.getBoundingClientRect().height) + 2 * root.offsetTop;
  return menu ? Math.max(height, MENU_HEIGHT) : height;
}

const root = document.getElementById('widget');
if (root?.dataset.setup) void start(root);
