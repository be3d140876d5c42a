/** The widget on other people's pages: what they hear, who may show it, how small it is and how soon it is seen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow, createAccount } from '../../src/app/accounts.ts';
import { type Site, startSite } from './pay-world.ts';
import { completeNow, goOn, press, signIn } from './purchase-person.ts';
import {
  BITCOIN,
  choose,
  DESKTOP,
  isAccessible,
  LIMIT,
  order,
  picture,
  reachesStatus,
  settled,
  setWidgetWorld,
  world,
} from './widget-world.ts';

const BUILT = join(import.meta.dirname, '..', '..', 'dist', 'web');

let shop: Site;
let stranger: Site;

setWidgetWorld();
beforeAll(async () => {
  [shop, stranger] = await Promise.all([startSite(shopPage), startSite(shopPage)]);
});
afterAll(async () => {
  await Promise.all([shop?.close(), stranger?.close()]);
});

/** A page with the element, or with a plain frame, that keeps what it hears. */
function shopPage({ searchParams }: URL): string {
  const key = searchParams.get('key') ?? '';
  const plain = `<iframe id="plain" src="${world.service.url}/widget?apiKey=${key}" allow="payment; camera" width="420" height="900"></iframe>`;
  const country = searchParams.has('country') ? ` country="${searchParams.get('country')}"` : '';
  const element = `<cloverleaf-widget${country} api-key="${key}" default-amount="80" only-onramps="moonpay,transak" language="en" theme-name="dark" primary-color="e5484d"></cloverleaf-widget>
<script src="${searchParams.get('at') ?? world.service.url}/widget.js"></script>`;
  return `<title>Shop</title><body style="margin:2rem;font-family:sans-serif;background:#fbf7ef"><h1>Shop</h1>
<script>window.heard = []; window.said = [];
addEventListener('message', ({ origin, data }) => heard.push({ origin, data }));
for (const type of ['ready', 'quote', 'checkout', 'status', 'completed', 'closed', 'warning', 'error'])
  addEventListener('cloverleaf:' + type, ({ detail }) => said.push(detail));</script>
${searchParams.has('plain') ? plain : element}`;
}

async function widgetIn(page: Page, site: Site, query: Record<string, string>): Promise<Frame> {
  const frame = await frameIn(page, site, query);
  await settled(frame);
  return frame;
}

async function frameIn(page: Page, site: Site, query: Record<string, string>): Promise<Frame> {
  await page.goto(`${site.url}/?${new URLSearchParams(query)}`);
  return (await (await page.waitForSelector('iframe')).contentFrame()) as Frame;
}

function heightIn(page: Page): Promise<unknown> {
  return page.evaluate(
    "document.querySelector('cloverleaf-widget').shadowRoot.firstElementChild.offsetHeight",
  );
}

type Said = { type: string; transactionId?: string; status?: string; [name: string]: unknown };

describe('the element on another origin', LIMIT, () => {
  it('shows the widget, grows with it, and tells its page of a whole purchase', async () => {
    const page = await world.newPage({ viewport: DESKTOP });
    const widget = await widgetIn(page, shop, { key: world.service.account.publicKey });
    await expect.poll(() => heightIn(page)).toBeGreaterThan(700);
    await isAccessible(page);
    await picture(page, 'embedded-dark');
    await choose(widget, 'moonpay');
    await picture(page, 'embedded-dark-wallet');
    const pay = await order(widget, BITCOIN);
    await picture(page, 'embedded-dark-order');
    await completeNow(await goOn(pay));
    await reachesStatus(widget, 'completed');
    await widget.locator('.order footer .primary').click();
    await settled(widget);

    const said = (await page.evaluate('said')) as Said[];
    const first = said.find(({ type }) => type === 'checkout');
    const { transactionId } = first as Said;
    expect(said[0]).toEqual({ type: 'ready' });
    expect(said.find(({ type }) => type === 'quote')).toMatchObject({
      side: 'buy',
      fiat: 'eur',
      amount: '80',
      offers: 2,
    });
    expect(first).toEqual({ type: 'checkout', transactionId, onramp: 'moonpay', side: 'buy' });
    const statuses = said.filter(({ type }) => type === 'status');
    expect(statuses.map(one => one.transactionId)).toEqual(statuses.map(() => transactionId));
    expect(statuses.map(({ status }) => status).at(-1)).toBe('completed');
    expect(said.filter(({ type }) => type === 'completed')).toEqual([{ type: 'completed', transactionId }]);
    expect(said.find(({ type }) => type === 'closed')).toEqual({ type: 'closed', transactionId });
    // Nothing of the person reaches the page.
    expect(JSON.stringify(await page.evaluate('heard'))).not.toContain(BITCOIN);
  });

  it('is not disturbed by attributes that are its page’s, and begins anew with other parameters', async () => {
    const page = await world.newPage({ viewport: DESKTOP });
    await frameIn(page, shop, { key: world.service.account.publicKey });
    const set = (name: string, value: string) =>
      page.evaluate(`document.querySelector('cloverleaf-widget').setAttribute('${name}', '${value}')`);
    const address = () =>
      page.evaluate("document.querySelector('cloverleaf-widget').shadowRoot.firstElementChild.src");
    const before = await address();
    for (const name of ['inert', 'translate', 'draggable', 'v-cloak', 'aria-hidden']) await set(name, 'true');
    expect(await address()).toBe(before);
    await set('default-amount', '90');
    expect(await address()).toBe(String(before).replace('defaultAmount=80', 'defaultAmount=90'));
  });

  it('follows whoever starts again from the page of their order', async () => {
    const page = await world.newPage({ viewport: DESKTOP });
    const widget = await widgetIn(page, shop, { key: world.service.account.publicKey });
    await choose(widget, 'moonpay');
    const pay = await order(widget, BITCOIN);
    const first = widget.url();
    const provider = await goOn(pay);
    await signIn(provider, []);
    await press(provider, 'identity', 'cancel');
    await reachesStatus(widget, 'failed');
    await pay.locator('#again-button').click();
    await reachesStatus(widget, 'new');
    await expect.poll(() => widget.url()).not.toBe(first);
    expect(await widget.locator('.order footer a').getAttribute('href')).toBe(pay.url());
    expect(new URL(pay.url()).pathname.split('/').at(-1)).toBe(widget.url().split('#order=')[1]);

    const said = (await page.evaluate('said')) as Said[];
    const made = said.filter(({ type }) => type === 'checkout');
    expect(made.map(({ onramp, side }) => [onramp, side])).toEqual([
      ['moonpay', 'buy'],
      ['moonpay', 'buy'],
    ]);
    expect(new Set(made.map(({ transactionId }) => transactionId)).size).toBe(2);
    expect(said.at(-1)).toEqual({
      ...{ type: 'status', transactionId: made[1]?.transactionId, status: 'new' },
    });
  });

  it('hears of its order by another name of the service too, and follows whoever starts again', async () => {
    const page = await world.newPage({ viewport: DESKTOP });
    const at = world.service.url.replace('127.0.0.1', 'localhost');
    const widget = await widgetIn(page, shop, { key: world.service.account.publicKey, at });
    await choose(widget, 'moonpay');
    const pay = await order(widget, BITCOIN);
    const provider = await goOn(pay);
    await signIn(provider, []);
    // Providers lead back to the public name, which may not stand in a page of another.
    world.expectComplaint('frame-ancestors');
    await press(provider, 'identity', 'cancel');
    await reachesStatus(widget, 'failed');
    await pay.locator('#again-button').click();
    await reachesStatus(widget, 'new');
    expect(new URL(pay.url()).origin).toBe(at);
    const statuses = ((await page.evaluate('said')) as Said[]).filter(({ type }) => type === 'status');
    expect(statuses.map(({ status }) => status)).toEqual(expect.arrayContaining(['failed', 'new']));
  });

  it('makes room for a list where there is little else', async () => {
    // It is led to the search all the same.
    world.expectComplaint('Blocked autofocusing');
    const page = await world.newPage({ viewport: DESKTOP });
    const widget = await frameIn(page, shop, { key: world.service.account.publicKey, country: 'KP' });
    await expect.poll(() => heightIn(page)).toBeLessThan(400);
    const before = await heightIn(page);
    await widget.locator('.country').click();
    await widget.locator('.rows button').first().waitFor();
    await expect.poll(() => heightIn(page)).toBe(560);
    await picture(page, 'embedded-country');
    await page.keyboard.press('Escape');
    await expect.poll(() => heightIn(page)).toBe(before);
  });

  it('says when not even its texts can be had, and begins again at a tap', async () => {
    world.expectComplaint('net::ERR');
    const page = await world.newPage({ viewport: DESKTOP });
    await page.route(/widget-en\b.*\.json/, route => route.abort());
    const widget = await frameIn(page, shop, { key: world.service.account.publicKey });
    await widget.locator('.trouble', { hasText: 'The service cannot be reached' }).waitFor();
    expect(await page.evaluate('said')).toMatchObject([{ type: 'error', kind: 'unreachable' }]);
    await isAccessible(page);
    await picture(page, 'embedded-no-texts');
    await page.unrouteAll({ behavior: 'wait' });
    await widget.locator('.take').click();
    await settled(widget);
  });

  it('stands only where the account has registered', async () => {
    const { database } = world.service;
    const { publicKey } = await createAccount(database, { name: 'shop', environment: 'test' });
    await allow(database, publicKey, { origins: [shop.url], redirectHosts: [] });
    const policy = async () =>
      (await world.service.get(`/widget?apiKey=${publicKey}`)).headers.get('content-security-policy');
    await expect.poll(policy, { timeout: 20_000 }).toContain(`frame-ancestors 'self' ${shop.url}`);
    world.expectComplaint('frame-ancestors');
    const page = await world.newPage({ viewport: DESKTOP });
    const widget = await widgetIn(page, shop, { key: publicKey });
    await choose(widget, 'transak');
    await order(widget, BITCOIN);
    const elsewhere = await world.newPage({ viewport: DESKTOP });
    await elsewhere.goto(`${stranger.url}/?key=${publicKey}`);
    const refused = (await (await elsewhere.waitForSelector('iframe')).contentFrame()) as Frame;
    await refused.waitForLoadState();
    expect(await refused.locator('#widget').count()).toBe(0);
    expect(await elsewhere.evaluate('heard')).toEqual([]);
  });
});

describe('a plain frame', LIMIT, () => {
  it('tells the page around it, by its exact origin, and believes nothing it is told', async () => {
    const page = await world.newPage({ viewport: DESKTOP });
    const widget = await widgetIn(page, shop, { key: world.service.account.publicKey, plain: '1' });
    await page.evaluate(`document.getElementById('plain').contentWindow.postMessage(
      { type: 'cloverleaf:status', transactionId: 'x', status: 'completed' }, '${world.service.url}')`);
    await expect
      .poll(async () => ((await page.evaluate('heard')) as { data: Said }[]).map(({ data }) => data.type))
      .toEqual(expect.arrayContaining(['ready', 'quote']));
    const heard = (await page.evaluate('heard')) as { origin: string; data: Said }[];
    expect(new Set(heard.map(({ origin }) => origin))).toEqual(new Set([world.service.url]));
    expect(heard.every(({ data }) => data.source === 'cloverleaf' && data.version === 1)).toBe(true);
    expect(await widget.locator('.order').count()).toBe(0);
  });
});

describe('its size and speed', LIMIT, () => {
  it('is at most 60 kB compressed, all in', () => {
    const files = ['widget.js', 'widget-app.js', 'widget-app.css', 'widget-address.js'];
    const languages = ['en', 'de', 'es', 'fr', 'pt', 'ja', 'ar'].map(language => `widget-${language}.json`);
    const sizeOf = (name: string) => gzipSync(readFileSync(join(BUILT, name)), { level: 9 }).length;
    const largest = Math.max(...languages.map(sizeOf));
    const sizes = [
      ...files.map(name => [name, sizeOf(name)] as const),
      ['the longest language', largest] as const,
    ];
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    process.stdout.write(
      `${sizes.map(([name, size]) => `${name} ${size} B`).join(', ')}: ${total} B compressed\n`,
    );
    expect(total).toBeLessThanOrEqual(60_000);
  });

  it('is seen soon on a slow phone', async () => {
    const page = await world.newPage();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 50_000,
      uploadThroughput: 50_000,
    });
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.goto(`${world.service.url}/widget?apiKey=${world.service.account.publicKey}`, {
      waitUntil: 'commit',
    });
    await page.locator('.amount').first().waitFor();
    await page.locator('.offer').first().waitFor();
    const offered = await page.evaluate('Math.round(performance.now())');
    const painted = (await page.evaluate(
      "Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime)",
    )) as number;
    process.stdout.write(
      `slow phone (400 ms, 50 kB/s, a quarter of the processor): first useful paint ${painted} ms, first offer ${offered} ms\n`,
    );
    expect(painted).toBeLessThan(15_000);
  });
});

describe('messages', () => {
  it('are nowhere addressed to just anyone', () => {
    const scripts = ['widget.js', 'widget-app.js'].map(name => readFileSync(join(BUILT, name), 'utf8'));
    const pay = readFileSync(join(BUILT, '..', '..', 'web', 'pay', 'handover.js'), 'utf8');
    for (const script of [...scripts, pay]) expect(script).not.toMatch(/postMessage\([^)]*["'`]\*["'`]/);
  });
});
