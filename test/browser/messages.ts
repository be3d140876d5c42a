/** Messages of strangers: pages that are in nobody's session speak to ours and listen, in a real browser. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { type Site, startSite } from './pay-world.ts';

export interface MessageWorld {
  browser: Browser;
  serviceUrl: string;
  /** Registers an origin for the account, and resolves when the service knows it. */
  register(origin: string): Promise<void>;
  /** Key of the account. */
  publicKey: string;
  /** Makes an order of the account; the address of its page. */
  newOrder(): Promise<string>;
}

/** What came of one who spoke or listened. */
export interface Trial {
  name: string;
  /** Messages that reached the page they were meant for, or pages that listened. */
  count: number;
  /** What it did because of them. */
  acted: number;
  /** What they heard of ours. */
  heard: number;
}

const PATIENCE_MS = 45_000;
/** Whatever a page does because of a message it does within this. */
const SETTLE_MS = 250;

/** All that our pages say to each other, as anybody could say it. */
const SAYINGS: readonly unknown[] = [
  { type: 'cloverleaf:returned' },
  { type: 'cloverleaf:status', transactionId: '01JCQ5V8R1W0M2T3N4P5Q6R7S8', status: 'completed' },
  { type: 'completed', txId: '01JCQ5V8R1W0M2T3N4P5Q6R7S8' },
  { type: 'error', fatal: true, message: 'x' },
  { source: 'cloverleaf', version: 1, type: 'completed', transactionId: '01JCQ5V8R1W0M2T3N4P5Q6R7S8' },
  { source: 'cloverleaf', version: 1, type: 'resize', height: 3_999 },
  'cloverleaf:returned',
  null,
];

export async function tryMessages(world: MessageWorld): Promise<Trial[]> {
  const [shop, stranger] = await Promise.all([startSite(pageOf), startSite(pageOf)]);
  const context = await world.browser.newContext({ viewport: { width: 1100, height: 900 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const stage = { world, shop, stranger, context };
  try {
    await world.register(shop.url);
    return [
      ...(await speakToPayPage(stage)),
      ...(await speakToWidget(stage)),
      ...(await speakToElement(stage)),
      ...(await listenToAll(stage)),
    ];
  } finally {
    await context.close();
    await Promise.all([shop.close(), stranger.close()]);
  }
}

interface Stage {
  world: MessageWorld;
  /** A page of the account's own, and one of nobody's. */
  shop: Site;
  stranger: Site;
  context: BrowserContext;
}

/** A page that keeps what it hears, and shows the pages it is told to in frames; the last frame has no origin at all. */
function pageOf({ searchParams }: URL): string {
  const frames = searchParams
    .getAll('frame')
    .map(url => `<iframe src="${quote(url)}" width="480" height="600"></iframe>`);
  const script = searchParams.get('script');
  const element = script
    ? `<script src="${quote(script)}"></script><cloverleaf-widget api-key="${searchParams.get('key')}"></cloverleaf-widget>`
    : '';
  return `<title>Page</title><script>window.heard = []; window.told = [];
addEventListener('message', ({ origin, data }) => heard.push({ origin, data }));
for (const type of ['completed', 'status', 'resize', 'closed', 'error']) addEventListener('cloverleaf:' + type, ({ detail }) => told.push(detail));</script>
${frames.join('')}${element}<iframe id="null" sandbox="allow-scripts" srcdoc="<p>nobody</p>"></iframe>`;
}

function quote(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

async function show(
  { context }: Stage,
  site: Site,
  query: [string, string][],
): Promise<{ page: Page; frames: Frame[] }> {
  const page = await context.newPage();
  await page.goto(`${site.url}/?${new URLSearchParams(query)}`);
  const elements = await page.locator('iframe').elementHandles();
  const frames = await Promise.all(elements.map(element => element.contentFrame()));
  return { page, frames: frames.filter(frame => frame !== null) };
}

/** Says everything from one page to the window that `target` is there; resolves when the other has heard all of it. */
async function sayAll(from: Page | Frame, target: string, to: Page | Frame): Promise<number> {
  await to.evaluate('window.got ??= (addEventListener("message", () => got++), 0)');
  const before = (await to.evaluate('got')) as number;
  await from.evaluate(`for (const one of ${JSON.stringify(SAYINGS)}) ${target}.postMessage(one, '*')`);
  // Waiting in the page itself would take a script, which our pages allow nobody.
  const until = Date.now() + PATIENCE_MS;
  while (((await to.evaluate('got')) as number) < before + SAYINGS.length) {
    if (Date.now() > until) throw new Error('a page does not hear what is said to it');
    await wait(20);
  }
  await wait(SETTLE_MS);
  return SAYINGS.length;
}

/** Counts what the pay page asks the service: it asks at once when it believes that somebody came back. */
function countAsked(page: Page): () => number {
  let asked = 0;
  page.on('request', request => {
    if (/\/pay\/[^/]+\/(state|open|again)/.test(request.url())) asked++;
  });
  return () => asked;
}

async function speakToPayPage(stage: Stage): Promise<Trial[]> {
  const { world, shop, stranger, context } = stage;
  const [order, another] = [await world.newOrder(), await world.newOrder()];
  const { page, frames } = await show(stage, shop, [
    ['frame', order],
    ['frame', `${stranger.url}/`],
    ['frame', another],
  ]);
  const [pay, foreign, sibling, nobody] = frames as [Frame, Frame, Frame, Frame];
  for (const frame of [pay, sibling]) await frame.waitForSelector('html.live');
  const trials: Trial[] = [];
  const asked = countAsked(page);
  async function tryFrom(name: string, from: Page | Frame, target: string): Promise<void> {
    const [before, title] = [asked(), await pay.innerText('#status-title')];
    const count = await sayAll(from, target, pay);
    const changed = (await pay.innerText('#status-title')) === title ? 0 : 1;
    trials.push({ name: `pay page: ${name}`, count, acted: asked() - before + changed, heard: 0 });
  }
  /** Does what makes the page ask where its order stands, and resolves when it shows what it was told. */
  async function untilAsked(act: () => Promise<unknown>): Promise<void> {
    const [answer] = await Promise.all([
      page.waitForResponse(response => response.url().startsWith(`${order}/state`)),
      act(),
    ]);
    const { texts } = (await answer.json()) as { texts: { title: string } };
    await pay.locator('#status-title', { hasText: texts.title }).waitFor();
  }
  await tryFrom('the page around it', page, 'frames[0]');
  await tryFrom('another site beside it', foreign, 'parent.frames[0]');
  await tryFrom('a page without an origin', nobody, 'parent.frames[0]');
  await tryFrom('our own origin, but another window', sibling, 'parent.frames[0]');
  // From here on it has opened the provider's page, and waits for word that somebody came back.
  await untilAsked(() => pay.click('#open-button'));
  const element = await pay.waitForSelector('#frame iframe');
  const provider = (await element.contentFrame()) as Frame;
  await provider.waitForLoadState();
  await tryFrom('the provider’s page itself', provider, 'parent');
  await tryFrom('our own origin, but another window, while it waits', sibling, 'parent.frames[0]');
  // Were this not believed, that nothing else was would mean nothing.
  await untilAsked(() => provider.goto(`${order}/return`));
  await pay.locator('#stage-note').waitFor();
  await tryFrom('the same once more, from our own origin', sibling, 'parent.frames[0]');

  const opener = await context.newPage();
  await opener.goto(stranger.url);
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    opener.evaluate(`void (window.other = window.open(${JSON.stringify(another)}))`),
  ]);
  await popup.waitForSelector('html.live');
  const popped = countAsked(popup);
  const count = await sayAll(opener, 'other', popup);
  const heard = ((await opener.evaluate('heard')) as unknown[]).length;
  trials.push({ name: 'pay page: whoever opened it', count, acted: popped(), heard });
  await Promise.all([page.close(), opener.close(), popup.close()]);
  return trials;
}

async function speakToWidget(stage: Stage): Promise<Trial[]> {
  const { world, shop, stranger } = stage;
  const address = `${world.serviceUrl}/widget?${new URLSearchParams({ apiKey: world.publicKey, wallets: `BTC:${BITCOIN}`, defaultCrypto: 'btc' })}`;
  const { page, frames } = await show(stage, shop, [
    ...([
      ['frame', address],
      ['frame', `${stranger.url}/`],
      ['frame', await world.newOrder()],
    ] as [string, string][]),
  ]);
  const [widget, foreign, sibling, nobody] = frames as [Frame, Frame, Frame, Frame];
  await widget.locator('.offers[aria-busy=false]').waitFor();
  await widget.locator('.card > .primary').click();
  await widget.locator('.review').waitFor();
  await widget.locator('.card > .primary').click();
  await widget.locator('.order iframe').waitFor();
  await sibling.waitForSelector('html.live');
  const trials: Trial[] = [];
  for (const [name, from, target] of [
    ['the page around it', page, 'frames[0]'],
    ['another site beside it', foreign, 'parent.frames[0]'],
    ['a page without an origin', nobody, 'parent.frames[0]'],
    ['our own origin, but another window', sibling, 'parent.frames[0]'],
  ] as const) {
    const status = await widget.locator('.order').getAttribute('data-status');
    const count = await sayAll(from, target, widget);
    const after = await widget.locator('.order').getAttribute('data-status');
    const told = (await page.evaluate(
      "heard.filter(({ data }) => data?.type === 'completed' && data.source).length",
    )) as number;
    trials.push({ name: `widget: ${name}`, count, acted: (status === after ? 0 : 1) + told, heard: 0 });
  }
  await page.close();
  return trials;
}

/** An address that checks out. */
const BITCOIN = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

/** The element on the shop's own page, which tells the shop what it believes. */
async function speakToElement(stage: Stage): Promise<Trial[]> {
  const { world, shop, stranger } = stage;
  const { page, frames } = await show(stage, shop, [
    ...([
      ['script', `${world.serviceUrl}/widget.js`],
      ['key', world.publicKey],
    ] as [string, string][]),
    ...([
      ['frame', `${stranger.url}/`],
      ['frame', await world.newOrder()],
    ] as [string, string][]),
  ]);
  const [foreign, sibling] = frames as [Frame, Frame];
  const nobody = frames.find(frame => frame.url() === 'about:srcdoc') as Frame;
  await sibling.waitForSelector('html.live');
  await page.waitForFunction("document.querySelector('cloverleaf-widget').shadowRoot !== null");
  await page.waitForFunction('told.some(({ type }) => type === "resize")');
  const trials: Trial[] = [];
  for (const [name, from] of [
    ['another site on the page', foreign],
    ['a page without an origin', nobody],
    ['our own origin, but another window', sibling],
  ] as const) {
    const count = await sayAll(from, 'parent', page);
    const acted = (await page.evaluate(
      "told.filter(({ type, height }) => type === 'completed' || type === 'status' || height === 3999).length",
    )) as number;
    trials.push({ name: `element: ${name}`, count, acted, heard: 0 });
  }
  await page.close();
  return trials;
}

/** A site that is not registered shows our pages in frames, and hears nothing: it is not even shown them. */
async function listenToAll(stage: Stage): Promise<Trial[]> {
  const { world, stranger } = stage;
  const order = await world.newOrder();
  const pages: [string, string][] = [
    ['pay page', order],
    ['return page', `${order}/return`],
    ['widget', `${world.serviceUrl}/widget?apiKey=${world.publicKey}`],
    [
      'widget that is told another origin',
      `${world.serviceUrl}/widget?apiKey=${world.publicKey}&embedder=${encodeURIComponent(stranger.url)}`,
    ],
  ];
  const trials: Trial[] = [];
  for (const [name, url] of pages) {
    const { page, frames } = await show(stage, stranger, [['frame', url]]);
    await page.waitForLoadState();
    await page.waitForTimeout(SETTLE_MS);
    const shown = await (frames[0] as Frame).locator('#pay, #widget, #go-on').count();
    const heard = ((await page.evaluate('heard')) as unknown[]).length;
    trials.push({ name: `framed by a stranger: ${name}`, count: 1, acted: shown, heard });
    await page.close();
  }
  return trials;
}
