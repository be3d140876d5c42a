/** The pay page as a step: what it hands to the page that leads through an order, and to nobody else. */
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PayView } from '../../src/app/pay.ts';
import { openBrowser } from './chromium.ts';
import {
  createPayWorld,
  exampleView,
  type PayWorld,
  providerPage,
  type Site,
  startSite,
} from './pay-world.ts';

const TRACKING = 'https://ramp.example/pay/t1';
const BANK = {
  account: {
    iban: 'DE02120300000000202051',
    bic: 'BYLADEM1001',
    bankName: 'Example Bank',
    bankAddress: 'Main Street 1, Berlin',
    accountName: 'Ramp Ltd',
    accountAddress: 'Harbour Road 2, Dublin',
  },
  reference: 'CL-4711',
  hint: 'Use an account in your own name.',
};

let browser: Browser;
let provider: Site;
let widget: Site;
let stranger: Site;
let world: PayWorld;
let context: BrowserContext;
let serial = 0;

beforeAll(async () => {
  browser = await openBrowser();
  [provider, widget, stranger] = await Promise.all([
    startSite(providerPage),
    startSite(({ searchParams }) => showing(searchParams.get('page') ?? '')),
    startSite(({ searchParams }) => showing(searchParams.get('page') ?? '')),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([provider?.close(), widget?.close(), stranger?.close()]);
});
beforeEach(async () => {
  world = await createPayWorld();
  await world.listen();
  context = await browser.newContext({ viewport: { width: 440, height: 900 } });
});
afterEach(async () => {
  await context?.close();
  await world?.close();
});

/** A page that keeps what it hears, and shows another in a frame or, at a click, in a window. */
function showing(url: string): string {
  return `<title>Widget</title><script>window.heard = [];
addEventListener('message', ({ origin, data }) => heard.push({ origin, data }))</script>
<button id="pop" onclick="window.other = window.open('${url}', '_blank', 'width=440,height=600')">Open</button>
<div id="place"></div>
<script>if (location.hash === '#frame') place.innerHTML = '<iframe src="${url}" width="400" height="700"></iframe>'</script>`;
}

interface Heard {
  origin: string;
  data: Record<string, unknown>;
}

function heardBy(page: Page): Promise<Heard[]> {
  return page.evaluate('window.heard') as Promise<Heard[]>;
}

/** An order by steps, whose page is known unless told otherwise. */
function order(change: Partial<PayView> = {}, embedder: string | undefined = widget.url): string {
  const token = `step-${++serial}`;
  const handover = { embedder, around: undefined, trackingUrl: TRACKING };
  world.pay.put(
    token,
    exampleView({ pageOrigin: provider.url, restarts: false, handover, opened: true, ...change }),
  );
  return token;
}

function unknownOrder(change: Partial<PayView> = {}): string {
  const token = order(change);
  world.pay.change(token, { handover: { embedder: undefined, around: undefined, trackingUrl: TRACKING } });
  return token;
}

const addressOf = (token: string) => `${world.url}/pay/${token}`;
const done = (token: string) => ({
  type: 'completed',
  txId: world.pay.of(token).transactionId,
  trackingUrl: TRACKING,
});

async function visit(site: Site, token: string, how: 'frame' | 'window'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${site.url}/?page=${encodeURIComponent(addressOf(token))}#${how}`);
  return page;
}

async function framed(site: Site, token: string): Promise<[Page, Frame]> {
  const page = await visit(site, token, 'frame');
  const frame = (await (await page.waitForSelector('iframe')).contentFrame()) as Frame;
  await frame.waitForSelector('html.live');
  return [page, frame];
}

async function popped(site: Site, token: string): Promise<[Page, Page]> {
  const page = await visit(site, token, 'window');
  const [popup] = await Promise.all([context.waitForEvent('page'), page.click('#pop')]);
  await popup.waitForSelector('html.live');
  return [page, popup];
}

async function eventually(check: () => Promise<unknown> | unknown): Promise<void> {
  await expect.poll(check, { timeout: 8_000, interval: 50 }).toBeTruthy();
}

/** Waits until the page shows what the server has, so that whatever it says has been said. */
async function isAt(page: Page | Frame, title: string): Promise<void> {
  await eventually(async () => (await page.locator('#status-title').innerText()) === title);
}

describe('in a frame', () => {
  it('hands over the next step itself, once for each change, and nothing else', async () => {
    const token = order({ ancestors: [widget.url] });
    const [page, pay] = await framed(widget, token);
    world.pay.change(token, { status: 'pending' });
    await isAt(pay, 'Payment under way');
    expect(await heardBy(page)).toEqual([]);
    world.pay.change(token, { status: 'paid' });
    await eventually(async () => (await heardBy(page)).length > 0);
    world.pay.change(token, { status: 'completed', hash: 'f00d' });
    await isAt(pay, 'Completed');
    expect(await heardBy(page)).toEqual([{ origin: world.url, data: done(token) }]);
    expect(await pay.locator('#handover').isVisible()).toBe(false);
    // Whoever starts over here would lose the page that leads through the order.
    expect(await pay.locator('#again-button').isVisible()).toBe(false);
  });

  it('hands it over again after a reload', async () => {
    const token = order({ status: 'completed' });
    const [page, pay] = await framed(widget, token);
    await eventually(async () => (await heardBy(page)).length === 1);
    await pay.evaluate('location.reload()');
    await eventually(async () => (await heardBy(page)).length === 2);
    expect(new Set((await heardBy(page)).map(({ data }) => JSON.stringify(data))).size).toBe(1);
  });

  it('asks for the bank transfer, and shows it too', async () => {
    const token = order();
    const [page, pay] = await framed(widget, token);
    world.pay.change(token, { status: 'pending', bank: BANK });
    await isAt(pay, 'Make the bank transfer');
    expect(await heardBy(page)).toEqual([
      {
        origin: world.url,
        data: {
          type: 'requestBankTransaction',
          txId: world.pay.of(token).transactionId,
          depositBankAccount: BANK.account,
          reference: 'CL-4711',
          hint: BANK.hint,
        },
      },
    ]);
    expect(await pay.locator('#bank-iban').innerText()).toBe(BANK.account.iban);
    world.pay.change(token, { status: 'paid' });
    await eventually(async () => (await heardBy(page)).length === 2);
    expect((await heardBy(page))[1]?.data).toEqual(done(token));
    expect(await pay.locator('#bank').isVisible()).toBe(false);
  });

  it('tells of an order that came to nothing, and of late money', async () => {
    const token = order({ status: 'pending' });
    const [page, pay] = await framed(widget, token);
    world.pay.change(token, { status: 'failed', reason: 'card of Jane Doe declined' });
    await isAt(pay, 'The purchase did not go through');
    expect((await heardBy(page)).map(({ data }) => data)).toEqual([
      { type: 'error', message: 'The purchase did not go through', fatal: true },
    ]);
    expect(await pay.locator('#again-button').isVisible()).toBe(false);
    world.pay.change(token, { status: 'completed', reason: '' });
    await eventually(async () => (await heardBy(page)).length === 2);
    expect((await heardBy(page))[1]?.data).toEqual(done(token));
  });

  it('tells that its time is over', async () => {
    const token = order({ opened: false, expiresAt: Date.now() + 700 });
    const [page] = await framed(widget, token);
    await eventually(async () => (await heardBy(page)).length === 1);
    expect((await heardBy(page))[0]?.data).toEqual({
      type: 'error',
      message: 'The session has expired',
      fatal: true,
    });
  });
});

describe('in a window', () => {
  it('hands over the next step, and closes', async () => {
    const token = order({ status: 'pending' });
    const [page, popup] = await popped(widget, token);
    const closed = popup.waitForEvent('close');
    world.pay.change(token, { status: 'paid' });
    await eventually(async () => (await heardBy(page)).length === 1);
    expect(await heardBy(page)).toEqual([{ origin: world.url, data: done(token) }]);
    expect(await popup.locator('#handover').innerText()).toContain('This window closes by itself.');
    await closed;
  });

  it('stays open to say why it came to nothing', async () => {
    const token = order({ status: 'pending' });
    const [page, popup] = await popped(widget, token);
    world.pay.change(token, { status: 'canceled' });
    await isAt(popup, 'The purchase was canceled');
    expect((await heardBy(page)).map(({ data }) => data.type)).toEqual(['error']);
    expect(await popup.locator('#handover').innerText()).toBe(
      'You may close this window, and start again in the one you came from.',
    );
  });

  it('says where to go on when the other window is lost', async () => {
    const token = order({ status: 'pending' });
    const page = await context.newPage();
    await page.goto(addressOf(token));
    world.pay.change(token, { status: 'paid' });
    await isAt(page, 'Paid, coins on the way');
    expect(await page.locator('#handover').innerText()).toBe('You may return to the window you came from.');
    world.pay.change(token, { status: 'failed' });
    await isAt(page, 'The purchase did not go through');
    expect(await page.locator('#handover').innerText()).toContain('start again there');
  });
});

describe('a page that is not known', () => {
  it('hears in a frame and of a window whatever it is that had the address', async () => {
    const token = unknownOrder({ status: 'pending' });
    const [page] = await framed(stranger, token);
    const [other, popup] = await popped(widget, token);
    world.pay.change(token, { status: 'paid' });
    for (const one of [page, other]) {
      await eventually(async () => (await heardBy(one)).length === 1);
      expect(await heardBy(one)).toEqual([{ origin: world.url, data: done(token) }]);
    }
    // Who opened a window is a guess: it stays, should that be wrong.
    expect(await popup.locator('#handover').innerText()).toBe('You may return to the window you came from.');
  });
});

describe('a stranger, when the page is known', () => {
  it('cannot frame it', async () => {
    const token = order({ status: 'paid' });
    const refusals: string[] = [];
    context.on('console', message => refusals.push(message.text()));
    const page = await visit(stranger, token, 'frame');
    await eventually(() => refusals.some(text => text.includes('frame-ancestors')));
    const shown = await Promise.all(page.frames().map(frame => frame.locator('#pay').count()));
    expect(shown.every(count => count === 0)).toBe(true);
    expect(await heardBy(page)).toEqual([]);
  });

  it('hears nothing even where it could frame it', async () => {
    const token = order({ status: 'pending' });
    await context.route(addressOf(token), async route => {
      const response = await route.fetch();
      const { 'content-security-policy': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    const [page, pay] = await framed(stranger, token);
    world.pay.change(token, { status: 'completed' });
    await isAt(pay, 'Completed');
    await page.waitForTimeout(200);
    expect(await heardBy(page)).toEqual([]);
  });

  it('hears nothing of a window it has opened', async () => {
    const token = order({ status: 'pending' });
    const [page, popup] = await popped(stranger, token);
    const closed = popup.waitForEvent('close');
    world.pay.change(token, { status: 'paid' });
    await closed;
    expect(await heardBy(page)).toEqual([]);
  });

  it('causes nothing by what it says', async () => {
    const token = order({ status: 'pending' });
    const [page, popup] = await popped(stranger, token);
    const before = world.asked.length;
    await popup.evaluate('window.got = []; addEventListener("message", ({ data }) => got.push(data))');
    await page.evaluate(`for (const data of [
      { type: 'completed' }, { type: 'cloverleaf:returned' }, { type: 'error', fatal: true },
      { type: 'cloverleaf:status', status: 'completed' }, 'completed', null,
    ]) other.postMessage(data, '*')`);
    await eventually(async () => (await popup.evaluate('got.length')) === 6);
    await popup.waitForTimeout(200);
    expect(await popup.locator('#status-title').innerText()).toBe('Payment under way');
    expect(world.asked.length).toBe(before);
    expect(popup.isClosed()).toBe(false);
    expect(await heardBy(page)).toEqual([]);
  });
});
