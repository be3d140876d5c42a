/** The pay page in a real browser, with a provider, shops and strangers on origins of their own. */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PayView } from '../../src/app/pay.ts';
import { Fault } from '../../src/domain/fault.ts';
import { openBrowser } from './chromium.ts';
import {
  createPayWorld,
  exampleSale,
  exampleView,
  type PayWorld,
  providerPage,
  type Site,
  startSite,
} from './pay-world.ts';

const SHOTS = join(tmpdir(), 'cloverleaf-pay-page');
const HASH = 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16';
const DEPOSIT = { address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy' };
const BANK = {
  account: {
    iban: 'DE02120300000000202051',
    bic: 'BYLADEM1001',
    bankName: 'Example Bank',
    bankAddress: 'Main Street 1, 10115 Berlin, Germany',
    accountName: 'Ramp Payments Ltd',
    accountAddress: 'Harbour Road 2, Dublin, Ireland',
  },
  reference: 'CL-4711-0815',
  hint: 'Transfer from an account in your own name.',
};
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

let browser: Browser;
let provider: Site;
let world: PayWorld;
let context: BrowserContext;
let complaints: string[];
let serial = 0;

beforeAll(async () => {
  await mkdir(SHOTS, { recursive: true });
  browser = await openBrowser();
  provider = await startSite(providerPage);
});
afterAll(async () => {
  await browser?.close();
  await provider?.close();
});
beforeEach(async () => {
  world = await createPayWorld();
  await world.listen();
  complaints = [];
  provider.asked.length = 0;
  await renew();
});
afterEach(async () => {
  await context?.close();
  await world?.close();
});

/** Begins anew with an empty browser. */
async function renew(options: BrowserContextOptions = {}): Promise<void> {
  await context?.close();
  context = await browser.newContext({ viewport: PHONE, ...options });
}

/** Makes an order, and the token of its page. */
function order(change: Partial<PayView> = {}, example = exampleView): string {
  const token = `token-${++serial}`;
  world.pay.put(token, example({ pageOrigin: provider.url, ...change }));
  return token;
}

async function visit(token: string): Promise<Page> {
  const page = await context.newPage();
  listen(page);
  await page.goto(`${world.url}/pay/${token}`);
  return page;
}

function listen(page: Page): void {
  page.on('console', message => {
    // Our own return page in our own frame: the browser warns of what we know.
    if (message.text().includes('can escape its sandboxing')) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(error.message));
}

const title = (page: Page | Frame) => page.locator('#status-title').innerText();
const isShown = (page: Page | Frame, id: string) => page.locator(`#${id}`).isVisible();

async function eventually(check: () => Promise<unknown> | unknown, withinMs = 8_000): Promise<void> {
  await expect.poll(check, { timeout: withinMs, interval: 50 }).toBeTruthy();
}

function whenTitled(page: Page | Frame, text: string): Promise<void> {
  return eventually(async () => (await title(page)) === text);
}

/** Clicks through to the provider's page in our frame. */
async function openFrame(page: Page): Promise<Frame> {
  await page.click('#open-button');
  const element = await page.waitForSelector('#frame iframe');
  const frame = (await element.contentFrame()) as Frame;
  await frame.waitForSelector('#done');
  return frame;
}

describe('a purchase in a frame', () => {
  it('goes to the provider and back, and is followed to its end', async () => {
    const token = order({ returnTo: `${provider.url}/thanks` });
    const page = await visit(token);
    expect(await page.title()).toBe('Buy BTC with MoonPay');
    expect(await page.locator('#open-button').innerText()).toBe('Continue with MoonPay');

    const frame = await openFrame(page);
    const element = page.locator('#frame iframe');
    expect(await element.getAttribute('title')).toBe('MoonPay’s page');
    expect(await element.getAttribute('sandbox')).toBe(
      'allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox',
    );
    expect(await element.getAttribute('allow')).toBe(`camera ${provider.url}; payment ${provider.url}`);
    expect(await isShown(page, 'open')).toBe(false);
    await whenTitled(page, 'Waiting for payment');

    await frame.click('#done');
    await eventually(async () => (await page.locator('iframe').count()) === 0);
    expect(await page.locator('#stage-note').innerText()).toContain('You are back from MoonPay');
    expect(await page.locator('#open-button').innerText()).toBe('Open MoonPay again');

    world.pay.change(token, { status: 'pending' });
    await whenTitled(page, 'Payment under way');
    expect(await page.locator('#steps [aria-current=step]').innerText()).toBe('Payment under way');
    world.pay.change(token, { status: 'paid' });
    await whenTitled(page, 'Paid, coins on the way');
    expect(await isShown(page, 'open')).toBe(false);
    world.pay.change(token, { status: 'completed', hash: HASH });
    await whenTitled(page, 'Completed');
    expect(await page.locator('#hash-text').innerText()).toBe(HASH);
    expect(await page.locator('[data-row=gets]').innerText()).toContain('You received');
    expect(await page.locator('[data-row=providerFee] dt').innerText()).toBe('MoonPay’s fee, as quoted');
    expect(await page.locator('#wallet-label').innerText()).toBe('Went to this wallet');
    expect(await page.locator('#announcement').textContent()).toContain('Completed.');
    expect(await page.evaluate('document.activeElement.id')).toBe('status-title');
    await eventually(() => world.pay.followers() === 0);

    await page.reload();
    expect(await title(page)).toBe('Completed');
    expect(await page.locator('#hash-text').innerText()).toBe(HASH);
    // Whoever comes back later is not sent away.
    expect(await isShown(page, 'countdown')).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('tells the provider our origin, and nobody the address of the page', async () => {
    const token = order();
    const page = await visit(token);
    const frame = await openFrame(page);
    await frame.click('#done');
    await eventually(async () => (await page.locator('iframe').count()) === 0);
    expect(provider.asked.map(({ referer }) => referer)).toEqual([`${world.url}/`]);
    const referers = [...provider.asked, ...world.asked].map(({ referer = '' }) => referer);
    expect(referers.filter(referer => referer.includes(token))).toEqual([]);
  });

  it('is left where it was by a reload, and by opening the link again', async () => {
    const token = order();
    const page = await visit(token);
    await openFrame(page);
    await page.reload();
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await page.locator('#open-button').innerText()).toBe('Open MoonPay again');
    await openFrame(page);
    await page.close();
    const later = await visit(token);
    expect(await title(later)).toBe('Waiting for payment');
    expect(await isShown(later, 'open')).toBe(true);
  });

  it('invites nobody to pay twice once it is under way', async () => {
    const token = order();
    const page = await visit(token);
    const colour = () =>
      page.evaluate("getComputedStyle(document.getElementById('open-button')).backgroundColor");
    expect(await isShown(page, 'open-note')).toBe(false);
    const primary = await colour();
    const frame = await openFrame(page);
    // The bank asks back: there is still something to do on the provider's page.
    world.pay.change(token, { status: 'pending' });
    await whenTitled(page, 'Payment under way');
    expect(await page.locator('#status-lead').innerText()).toContain(
      'If MoonPay’s page asks for something, finish it there.',
    );
    expect(await isShown(page, 'open')).toBe(false);
    await frame.click('#done');
    await eventually(() => isShown(page, 'open'));
    for (const isLater of [false, true]) {
      if (isLater) await page.reload();
      expect(await page.locator('#open-button').innerText()).toBe('Open MoonPay’s page again');
      expect(await page.locator('#open-note').innerText()).toBe(
        'Only if MoonPay still asks you for something. If you have paid, there is nothing more to do here.',
      );
      expect(await colour()).not.toBe(primary);
      expect(await page.locator('#actions .primary, #stage .primary').filter({ visible: true }).count()).toBe(
        1,
      );
    }
    await openFrame(page);
  });

  it('gives the provider the powers it needs and no others', async () => {
    const page = await visit(order({ permissions: ['camera'] }));
    const frame = await openFrame(page);
    const allowed = (name: string) => `document.featurePolicy.allowsFeature('${name}')`;
    expect(await frame.evaluate(allowed('camera'))).toBe(true);
    for (const name of ['microphone', 'payment', 'geolocation', 'usb', 'clipboard-read']) {
      expect(await frame.evaluate(allowed(name))).toBe(false);
    }
  });

  it('cannot lead the page itself away', async () => {
    const page = await visit(order());
    const frame = await openFrame(page);
    const url = page.url();
    await frame.evaluate(`try { top.location = '${provider.url}/evil' } catch {}`);
    await page.waitForTimeout(300);
    expect(page.url()).toBe(url);
    expect(await page.locator('iframe').count()).toBe(1);
  });

  it('opens once, however often it is asked to', async () => {
    const page = await visit(order());
    await page.evaluate('for (let i = 0; i < 5; i++) document.forms[0].requestSubmit()');
    await page.waitForSelector('#frame iframe');
    await page.waitForTimeout(200);
    expect(world.pay.openedFrom).toHaveLength(1);
  });

  it('can be had in a window instead, with a hint for those who pay with a wallet', async () => {
    const page = await visit(order({ method: 'applepay' }));
    await openFrame(page);
    expect(await page.locator('#wallet-pay').innerText()).toContain('Apple Pay may be missing');
    const [popup] = await Promise.all([context.waitForEvent('page'), page.click('#elsewhere')]);
    await popup.waitForSelector('#done');
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await page.locator('#stage-note').innerText()).toContain('open in another window');
  });
});

describe('a purchase in a window', () => {
  it('goes there and back, and closes it', async () => {
    const token = order({ opens: 'redirect' });
    const page = await visit(token);
    const [popup] = await Promise.all([context.waitForEvent('page'), page.click('#open-button')]);
    await popup.waitForSelector('#done');
    expect(provider.asked.map(({ referer }) => referer)).toEqual([`${world.url}/`]);
    expect(await page.locator('iframe').count()).toBe(0);
    const closed = popup.waitForEvent('close');
    await popup.click('#done');
    await closed;
    await eventually(async () => (await page.locator('#stage-note').innerText()).includes('You are back'));
    expect(await page.locator('#open-button').innerText()).toBe('Open MoonPay again');
    expect(complaints).toEqual([]);
  });

  it('notices that the person closed it', async () => {
    const page = await visit(order({ opens: 'redirect' }));
    const [popup] = await Promise.all([context.waitForEvent('page'), page.click('#open-button')]);
    await popup.waitForSelector('#done');
    expect(await isShown(page, 'open')).toBe(false);
    await popup.close();
    await eventually(() => isShown(page, 'open'));
  });

  it('shows a link when the browser blocks it, which leads back to the order', async () => {
    const token = order({ opens: 'redirect' });
    await context.addInitScript('window.open = () => null');
    const page = await visit(token);
    await page.click('#open-button');
    await eventually(() => isShown(page, 'link'));
    expect(await page.locator('#link').innerText()).toBe('Open MoonPay’s page');
    expect(await page.locator('#stage-note').innerText()).toContain('blocked');
    expect(await page.evaluate('document.activeElement.id')).toBe('link');
    await page.click('#link');
    await page.click('#done');
    await page.waitForURL(`${world.url}/pay/${token}`);
    expect(await page.locator('#open-button').innerText()).toBe('Open MoonPay again');
    expect(provider.asked.map(({ referer }) => referer)).toEqual([`${world.url}/`]);
  });

  it('does not stay open empty when the provider is in trouble', async () => {
    world.pay.fault = new Fault('providerLate', 'The provider did not answer in time');
    const page = await visit(order({ opens: 'redirect' }));
    await page.click('#open-button');
    await eventually(() => isShown(page, 'trouble'));
    await eventually(() => context.pages().length === 1);
  });
});

describe('a bank transfer', () => {
  it('shows where the money goes as soon as that is known, to read and to copy', async () => {
    await context.addInitScript(
      'window.copied = []; navigator.clipboard.writeText = async text => void copied.push(text)',
    );
    const token = order({ opened: true });
    const page = await visit(token);
    expect(await isShown(page, 'bank')).toBe(false);
    world.pay.change(token, { bank: BANK });
    await whenTitled(page, 'Make the bank transfer');
    for (const isLater of [false, true]) {
      if (isLater) await page.reload();
      const shown = (part: string) => page.locator(`#bank-${part}`).innerText();
      expect(await shown('amount')).toBe('100');
      expect(await shown('iban')).toBe(BANK.account.iban);
      expect(await shown('bic')).toBe(BANK.account.bic);
      expect(await shown('accountName')).toBe(BANK.account.accountName);
      expect(await shown('bankAddress')).toBe(BANK.account.bankAddress);
      expect(await shown('reference')).toBe(BANK.reference);
      expect(await shown('hint')).toBe(BANK.hint);
      for (const [part, text] of [
        ['iban', BANK.account.iban],
        ['accountName', BANK.account.accountName],
        ['reference', BANK.reference],
      ] as const) {
        await page.locator(`#bank-${part}-part .copy`).click();
        expect(await page.evaluate('copied.at(-1)')).toBe(text);
      }
    }
    world.pay.change(token, { bank: { ...BANK, account: { ...BANK.account, bic: '' }, reference: '' } });
    await eventually(async () => !(await isShown(page, 'bank-bic-part')));
    expect(await isShown(page, 'bank-warning')).toBe(false);
    world.pay.change(token, { status: 'paid' });
    await whenTitled(page, 'Paid, coins on the way');
    expect(await isShown(page, 'bank')).toBe(false);
    expect(complaints).toEqual([]);
  });
});

describe('a sale', () => {
  it('shows where to send the coins as soon as that is known, to read, to copy and to scan', async () => {
    const token = order({ opened: true }, exampleSale);
    const page = await visit(token);
    expect(await isShown(page, 'deposit')).toBe(false);
    world.pay.change(token, { deposit: DEPOSIT });
    await whenTitled(page, 'Send your coins');
    expect(await page.locator('#deposit-address').innerText()).toBe(DEPOSIT.address);
    expect(await page.locator('#deposit .warning').first().innerText()).toContain(
      'Send only BTC, and only on Bitcoin',
    );
    expect(await isShown(page, 'deposit-memo-part')).toBe(false);

    for (const [id, text] of [
      ['deposit-address', DEPOSIT.address],
      ['deposit-amount', '0.05'],
      ['wallet', world.pay.of(token).walletAddress],
    ] as const) {
      const button = page.locator(`#${id} ~ button`);
      await button.click();
      await eventually(async () => (await button.innerText()) === 'Copied');
      expect(await paste()).toBe(text);
      // A selection by hand gives the same.
      await page.evaluate(`getSelection().selectAllChildren(document.getElementById('${id}'))`);
      expect(await page.evaluate('getSelection().toString()')).toBe(text);
    }
    expect(await scan(page)).toBe(`bitcoin:${DEPOSIT.address}?amount=0.05`);

    world.pay.change(token, { status: 'pending', hash: HASH });
    await whenTitled(page, 'Coins on the way');
    expect(await isShown(page, 'deposit')).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('copies where the clipboard is not ours to write', async () => {
    const token = order({ opened: true, deposit: DEPOSIT }, exampleSale);
    await context.addInitScript(
      'navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))',
    );
    const page = await visit(token);
    await page.locator('#deposit-address ~ button').click();
    await eventually(async () => (await page.locator('#deposit-address ~ button').innerText()) === 'Copied');
    expect(await paste()).toBe(DEPOSIT.address);
  });

  it('demands the memo', async () => {
    const page = await visit(order({ opened: true, deposit: { ...DEPOSIT, memo: '10293847' } }, exampleSale));
    expect(await page.locator('#deposit-memo').innerText()).toBe('10293847');
    expect(await page.locator('#deposit-memo-part').innerText()).toContain('Without the memo');
    expect(await scan(page)).toBe(DEPOSIT.address);
  });

  /** What would be pasted elsewhere. */
  async function paste(): Promise<string> {
    const elsewhere = await context.newPage();
    await elsewhere.setContent('<input>');
    await elsewhere.focus('input');
    await elsewhere.keyboard.press('Control+V');
    const text = await elsewhere.inputValue('input');
    await elsewhere.close();
    return text;
  }

  /** Reads the picture as a wallet's camera would. */
  async function scan(page: Page): Promise<string> {
    const size = 246;
    const data = (await page.evaluate(`(async () => {
      const image = document.getElementById('deposit-picture');
      await image.decode();
      const canvas = new OffscreenCanvas(${size}, ${size});
      const context = canvas.getContext('2d');
      context.fillStyle = '#fff';
      context.fillRect(0, 0, ${size}, ${size});
      context.drawImage(image, 0, 0, ${size}, ${size});
      return Array.from(context.getImageData(0, 0, ${size}, ${size}).data);
    })()`)) as number[];
    return decodeQR({ width: size, height: size, data: Uint8Array.from(data) });
  }
});

describe('an order that came to nothing', () => {
  it('says so when its time is over, and starts again', async () => {
    const token = order({ expiresAt: Date.now() + 4_000 });
    const page = await visit(token);
    expect(await isShown(page, 'again')).toBe(false);
    await whenTitled(page, 'The session has expired');
    expect(await isShown(page, 'open')).toBe(false);
    await page.click('#again-button');
    await page.waitForURL(`${world.url}/pay/${token}-again`);
    expect(await page.locator('#open-button').innerText()).toBe('Continue with MoonPay');
    expect(complaints).toEqual([]);
  });

  it('says why, takes the provider’s page away, and shows the ways on', async () => {
    const token = order({ returnTo: 'https://shop.example/cart' });
    const page = await visit(token);
    await openFrame(page);
    world.pay.change(token, { status: 'failed', reason: 'card_declined' });
    await whenTitled(page, 'The purchase did not go through');
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await page.locator('#reason').innerText()).toBe('MoonPay says: Card declined');
    expect(await page.locator('#back').innerText()).toBe('Back to shop.example');
    expect(await page.locator('#back').getAttribute('target')).toBe('_top');
    expect(await isShown(page, 'again')).toBe(true);
    expect(await isShown(page, 'countdown')).toBe(false);
    expect(await page.locator('.amounts dt').allInnerTexts()).toEqual([
      'Was to be paid',
      'Was to be received',
    ]);
    expect(await page.locator('#wallet-label').innerText()).toBe('Was to go to this wallet');
    const colour = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
    expect(await colour('.amounts dd')).toBe(await colour('.amounts dt'));
  });

  it('takes nobody’s focus when our clock says what the page says already', async () => {
    const token = order({ expiresAt: 1 });
    const page = await visit(token);
    const text = () => page.locator('#pay').innerText();
    const before = await text();
    await page.focus('#again-button');
    const reason = 'The session ended before the provider’s page was opened';
    world.pay.change(token, { status: 'expired', reason });
    await page.locator('#pay[data-status=expired]').waitFor();
    expect(await text()).toBe(before);
    expect(await page.evaluate('document.activeElement.id')).toBe('again-button');
    await page.reload();
    expect(await text()).toBe(before);
  });

  it.each(['expired', 'canceled', 'failed'] as const)(
    'may still complete when %s, which shows by itself: late money is real',
    async status => {
      const token = order({ opened: true, status: 'pending' });
      const page = await visit(token);
      world.pay.change(token, { status });
      await eventually(() => isShown(page, 'again'));
      // Neither whoever stays nor whoever comes back is left behind.
      const other = await visit(token);
      await eventually(() => world.pay.followers() === 2);
      world.pay.change(token, { status: 'completed', hash: HASH });
      for (const one of [page, other]) {
        await whenTitled(one, 'Completed');
        expect(await isShown(one, 'again')).toBe(false);
        expect(await one.locator('[data-row=gets] dt').innerText()).toBe('You received');
        expect(await one.locator('#pay.moot').count()).toBe(0);
      }
      await eventually(() => world.pay.followers() === 0);
    },
  );

  it('is asked about every 15 seconds where there are no streams', async () => {
    world.streamless = true;
    const token = order({ opened: true, status: 'expired' });
    const asked = () => world.asked.filter(({ path }) => path.endsWith('/state')).length;
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${world.url}/pay/${token}`);
    await eventually(() => asked() === 1);
    await page.clock.runFor(10_000);
    await page.waitForTimeout(300);
    expect(asked()).toBe(1);
    world.pay.change(token, { status: 'completed', hash: HASH });
    await page.clock.runFor(5_000);
    await whenTitled(page, 'Completed');
    expect(asked()).toBe(2);
    await page.clock.runFor(60_000);
    await page.waitForTimeout(300);
    expect(asked()).toBe(2);
  });
});

describe('an order that is done', () => {
  async function complete(): Promise<Page> {
    const token = order({ opened: true, status: 'paid', returnTo: `${provider.url}/thanks` });
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${world.url}/pay/${token}`);
    world.pay.change(token, { status: 'completed', hash: HASH });
    await eventually(() => isShown(page, 'countdown'));
    return page;
  }

  it('leads back to the shop after a while that can be seen', async () => {
    const page = await complete();
    await page.clock.runFor(5_000);
    expect(await page.locator('#countdown-text').innerText()).toMatch(/^Going back in [123] s\.$/);
    await page.clock.runFor(3_000);
    await page.waitForURL(`${provider.url}/thanks`);
    expect(provider.asked.at(-1)?.referer).toBe(`${world.url}/`);
  });

  it('stays when told to', async () => {
    const page = await complete();
    await page.click('#stay');
    expect(await isShown(page, 'countdown')).toBe(false);
    await page.clock.runFor(20_000);
    expect(page.url()).toContain('/pay/');
    expect(await isShown(page, 'back')).toBe(true);
  });
});

describe('trouble', () => {
  it('of the provider is told, and can be tried again', async () => {
    world.pay.fault = new Fault('providerFailed', 'The provider could not be used');
    const page = await visit(order());
    await page.click('#open-button');
    await eventually(() => isShown(page, 'trouble'));
    expect(await page.locator('#trouble').innerText()).toBe('The provider could not be used');
    expect(await page.locator('#open-button').innerText()).toBe('Try again');
    world.pay.fault = undefined;
    await openFrame(page);
    expect(await isShown(page, 'trouble')).toBe(false);
  });

  it('with streams is got round by asking', async () => {
    world.streamless = true;
    const token = order({ opened: true });
    const page = await visit(token);
    world.pay.change(token, { status: 'paid' });
    await whenTitled(page, 'Paid, coins on the way');
    expect(await isShown(page, 'connection')).toBe(false);
    const asked = () => world.asked.filter(({ path }) => path.endsWith('/state')).length;
    const before = asked();
    await page.waitForTimeout(6_500);
    expect(asked() - before).toBe(2);
  });

  it('with the service is told, and over when the service is back', async () => {
    const token = order({ opened: true });
    const page = await visit(token);
    await eventually(() => world.pay.followers() === 1);
    const port = Number(new URL(world.url).port);
    await world.close();
    await eventually(async () => (await page.locator('#connection').innerText()).includes('Connection lost'));
    const views = world.pay;
    world = await createPayWorld();
    world.pay.put(token, { ...views.of(token), status: 'paid', sequence: 5 });
    world.url = await world.app.listen({ port, host: '127.0.0.1' });
    await whenTitled(page, 'Paid, coins on the way');
    expect(await isShown(page, 'connection')).toBe(false);
  });
});

describe('without script', () => {
  it('shows everything, leads to the provider and back, and starts again', async () => {
    await renew({ javaScriptEnabled: false });
    const token = order();
    const page = await visit(token);
    expect(await page.locator('#wallet').innerText()).toBe(world.pay.of(token).walletAddress);
    expect(await page.locator('.copy').first().isVisible()).toBe(false);
    await page.click('#open-button');
    await page.waitForSelector('#done');
    expect(provider.asked.map(({ referer }) => referer)).toEqual([`${world.url}/`]);
    await page.click('#done');
    await page.click('#go-on');
    expect(page.url()).toBe(`${world.url}/pay/${token}`);
    expect(await title(page)).toBe('Waiting for payment');
    world.pay.change(token, { status: 'canceled' });
    await page.reload();
    await page.click('#again-button');
    expect(page.url()).toBe(`${world.url}/pay/${token}-again`);
    expect(complaints).toEqual([]);
  });

  it('says what is wrong on a page', async () => {
    await renew({ javaScriptEnabled: false });
    world.pay.fault = new Fault('providerLate', 'The provider did not answer in time');
    const page = await visit(order());
    await page.click('#open-button');
    expect(await page.locator('h1').innerText()).toBe('That did not work');
    world.pay.fault = undefined;
    await page.click('text=Try again');
    expect(await isShown(page, 'open')).toBe(true);
  });
});

describe('messages', () => {
  const RETURNED = `{ type: 'cloverleaf:returned' }`;
  const asked = () => world.asked.filter(({ path }) => path.endsWith('/state')).length;

  it('that are not our return page’s in what we opened are not acted on', async () => {
    const token = order();
    const page = await visit(token);
    const frame = await openFrame(page);
    await eventually(() => asked() > 0);
    const before = asked();
    await page.evaluate('window.heard = []; addEventListener("message", ({ origin }) => heard.push(origin))');

    // Another origin: the provider's page itself.
    await frame.evaluate(`parent.postMessage(${RETURNED}, '*')`);
    // No origin at all.
    await frame.evaluate(`(async () => {
      const inner = document.createElement('iframe');
      inner.sandbox = 'allow-scripts';
      inner.srcdoc = "<script>top.postMessage(${RETURNED}, '*')</script>";
      document.body.append(inner);
      await new Promise(done => { inner.onload = done });
    })()`);
    // Our own origin, from the page itself and from another window of ours.
    await page.evaluate(`postMessage(${RETURNED}, location.origin)`);
    const [helper] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate("void open('/pay/assets/pay.css')"),
    ]);
    await helper.waitForLoadState();
    await helper.evaluate(`opener.postMessage(${RETURNED}, location.origin)`);
    // The right window with another message.
    await frame.evaluate(`parent.postMessage({ type: 'cloverleaf:status', status: 'completed' }, '*')`);

    await eventually(async () => (await page.evaluate('heard.length')) === 5);
    expect(await page.evaluate('heard')).toEqual([provider.url, 'null', world.url, world.url, provider.url]);
    await page.waitForTimeout(300);
    expect(await page.locator('iframe').count()).toBe(1);
    expect(asked()).toBe(before);
    expect(await title(page)).toBe('Waiting for payment');
    // The right one is.
    await frame.click('#done');
    await eventually(async () => (await page.locator('iframe').count()) === 0);
    await eventually(() => asked() > before);
    expect(asked()).toBe(before + 1);
  });

  it('reach the page of a registered shop, each status once, and no other frame', async () => {
    const shop = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    const token = order({ ancestors: ['https://other.example', shop.url] });
    const page = await context.newPage();
    listen(page);
    await page.goto(`${shop.url}/?page=${encodeURIComponent(`${world.url}/pay/${token}`)}`);
    const pay = await payFrame(page);
    await pay.click('#open-button');
    const inner = (await (await pay.waitForSelector('#frame iframe')).contentFrame()) as Frame;
    await inner.waitForSelector('#done');
    await inner.evaluate('window.heard = []; addEventListener("message", ({ data }) => heard.push(data))');
    for (const status of ['pending', 'paid', 'completed'] as const) {
      world.pay.change(token, { status });
      // The same status again, with something new.
      world.pay.change(token, { hash: HASH });
      if (status !== 'completed') await eventually(async () => (await messages(page)).length > 1);
      if (status === 'paid') {
        expect(await inner.evaluate('heard')).toEqual([]);
        await inner.click('#done');
      }
    }
    await eventually(async () => (await messages(page)).length === 4);
    const { transactionId } = world.pay.of(token);
    expect(await messages(page)).toEqual(
      ['new', 'pending', 'paid', 'completed'].map(status => ({
        origin: world.url,
        data: { type: 'cloverleaf:status', transactionId, status },
      })),
    );
    // The way back leads the whole shop's page, and nobody is counted down inside it.
    expect(await isShown(pay, 'countdown')).toBe(false);
    expect(complaints).toEqual([]);
    await shop.close();
  });

  it('still reach it when an order is started over, where ancestors are not told', async () => {
    const shop = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    await context.addInitScript("Object.defineProperty(location, 'ancestorOrigins', { value: undefined })");
    const token = order({ status: 'failed', ancestors: [shop.url] });
    const page = await context.newPage();
    await page.goto(`${shop.url}/?page=${encodeURIComponent(`${world.url}/pay/${token}`)}`);
    const pay = await payFrame(page);
    await pay.click('#again-button');
    await eventually(async () => (await messages(page)).length === 2);
    expect((await messages(page)).map(({ data }) => data.status)).toEqual(['failed', 'new']);
    await shop.close();
  });

  it('never reach a page that is not registered, even where it could frame ours', async () => {
    const stranger = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    const token = order({ ancestors: ['https://shop.example'] });
    const page = await context.newPage();
    // A browser that knows nothing of frame-ancestors.
    await page.route(`${world.url}/pay/${token}`, async route => {
      const response = await route.fetch();
      const headers = response.headers();
      delete headers['content-security-policy'];
      await route.fulfill({ response, headers });
    });
    await page.goto(`${stranger.url}/?page=${encodeURIComponent(`${world.url}/pay/${token}`)}`);
    const pay = await payFrame(page);
    world.pay.change(token, { status: 'completed' });
    await whenTitled(pay, 'Completed');
    await page.waitForTimeout(200);
    expect(await messages(page)).toEqual([]);
    await stranger.close();
  });

  interface Heard {
    origin: string;
    data: { type: string; transactionId: string; status: string };
  }

  function messages(page: Page): Promise<Heard[]> {
    return page.evaluate('window.heard') as Promise<Heard[]>;
  }

  async function payFrame(page: Page): Promise<Frame> {
    const frame = (await (await page.waitForSelector('iframe')).contentFrame()) as Frame;
    await frame.waitForSelector('html.live');
    return frame;
  }
});

/** A page that frames another and keeps what it hears. */
function framing(url: string): string {
  return `<title>Shop</title><script>window.heard = [];
addEventListener('message', ({ origin, data }) => heard.push({ origin, data }))</script>
<iframe id="pay-frame" src="${url}" width="400" height="700"></iframe>`;
}

describe('framing', () => {
  const seen = async (page: Page) =>
    (await Promise.all(page.frames().map(frame => frame.locator('#pay').count()))).some(Boolean);

  it.each([
    ['by anyone, without registered origins', () => []],
    ['by a stranger', () => ['https://shop.example']],
  ])('is refused %s', async (_name, ancestors) => {
    const stranger = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    const token = order({ ancestors: ancestors() });
    const page = await context.newPage();
    listen(page);
    await page.goto(`${stranger.url}/?page=${encodeURIComponent(`${world.url}/pay/${token}`)}`);
    await eventually(() => complaints.some(text => text.includes('frame-ancestors')));
    expect(await seen(page)).toBe(false);
    await stranger.close();
  });

  it('is refused by a stranger that frames a registered shop', async () => {
    const shop = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    const stranger = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    const token = order({ ancestors: [shop.url] });
    const inner = `${shop.url}/?page=${encodeURIComponent(`${world.url}/pay/${token}`)}`;
    const page = await context.newPage();
    listen(page);
    await page.goto(`${stranger.url}/?page=${encodeURIComponent(inner)}`);
    await eventually(() => complaints.some(text => text.includes('frame-ancestors')));
    expect(await seen(page)).toBe(false);
    await shop.close();
    await stranger.close();
  });
});

/** Every state a person can meet. */
const STATES: Record<string, () => PayView> = {
  ready: () => exampleView({ walletMemo: '10293847' }),
  waiting: () => exampleView({ opened: true }),
  pending: () => exampleView({ opened: true, status: 'pending' }),
  paid: () => exampleView({ opened: true, status: 'paid' }),
  completed: () => exampleView({ status: 'completed', hash: HASH, returnTo: 'https://shop.example/thanks' }),
  failed: () =>
    exampleView({ status: 'failed', reason: 'card_declined', returnTo: 'https://shop.example/cart' }),
  expired: () => exampleView({ opened: true, status: 'expired', reason: 'The provider knows of no order' }),
  refunded: () => exampleView({ status: 'refunded', returnTo: 'https://shop.example/cart' }),
  returned: () => exampleSale({ opened: true, status: 'refunded', hash: HASH }),
  lapsed: () => exampleView({ expiresAt: 1 }),
  transfer: () => exampleView({ opened: true, status: 'pending', bank: BANK }),
  selling: () => exampleSale(),
  sending: () => exampleSale({ opened: true, deposit: { ...DEPOSIT, memo: '10293847' } }),
};

const ALL = Object.keys(STATES);

describe.each([
  ['light', ALL, { isDark: false }],
  ['dark', ALL, { isDark: true }],
  [
    'themed',
    ['ready', 'paid', 'failed', 'sending'],
    {
      isDark: false,
      themeName: 'midnight',
      primaryColor: '#ffcc00',
      secondaryColor: '#3a2fb0',
      primaryTextColor: '#141519',
      secondaryTextColor: '#6b6f80',
      cardColor: '#1b1464',
      borderRadius: '4px',
    },
  ],
])('%s', (scheme, names, theme) => {
  it('can be used by everybody in every state, on a phone and on a desk', async () => {
    const page = await context.newPage();
    listen(page);
    for (const name of names) {
      const token = order({ ...STATES[name]?.(), pageOrigin: provider.url, theme });
      for (const [device, viewport] of [
        ['phone', PHONE],
        ['desk', DESK],
      ] as const) {
        await page.setViewportSize(viewport);
        await page.goto(`${world.url}/pay/${token}`);
        await page.screenshot({ path: join(SHOTS, `${scheme}-${name}-${device}.png`), fullPage: true });
      }
      expect(await faultsOf(page), `${scheme} ${name}`).toEqual([]);
    }
    for (const [device, viewport] of [
      ['phone', PHONE],
      ['desk', DESK],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.goto(`${world.url}/pay/${order({ theme, method: 'googlepay' })}`);
      await openFrame(page);
      await whenTitled(page, 'Waiting for payment');
      await page.screenshot({ path: join(SHOTS, `${scheme}-framed-${device}.png`), fullPage: true });
      expect(await faultsOf(page), `${scheme} framed`).toEqual([]);
    }
    expect(complaints).toEqual([]);
  }, 240_000);

  async function faultsOf(page: Page): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze();
    return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html)}`);
  }
});

describe('layout', () => {
  it.each([500, 800, 1_400])('has both cards begin at one height, on a desk of %i', async height => {
    const page = await visit(order());
    await page.setViewportSize({ width: 1_280, height });
    await page.locator('#open-button').scrollIntoViewIfNeeded();
    await openFrame(page);
    await whenTitled(page, 'Waiting for payment');
    const tops = await page.evaluate(
      "[...document.querySelectorAll('.card')].map(card => card.getBoundingClientRect().top)",
    );
    expect(tops).toEqual([16, 16]);
  });

  it('fits a narrow phone, with the longest texts', async () => {
    const page = await context.newPage();
    await page.setViewportSize({ width: 320, height: 568 });
    for (const example of Object.values(STATES)) {
      const token = order({
        ...example(),
        pageOrigin: provider.url,
        provider: { id: 'x', name: 'Averyverylongprovidernamewithoutanyspaces' },
        walletAddress: 'addr1'.padEnd(120, 'qz8k'),
        reason: 'x'.repeat(200),
      });
      await page.goto(`${world.url}/pay/${token}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    }
    await page.screenshot({ path: join(SHOTS, 'narrow.png'), fullPage: true });
  });

  it('can be used from the keyboard, with focus to be seen', async () => {
    const page = await visit(order());
    for (let at = 0; at < 20; at++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.id')) === 'open-button') break;
    }
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#frame iframe');
  });

  it('shows pages for what is not there', async () => {
    const page = await context.newPage();
    await page.goto(`${world.url}/pay/nobody`);
    expect(await page.locator('h1').innerText()).toBe('This link does not work');
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations).toEqual([]);
    await page.screenshot({ path: join(SHOTS, 'nobody.png') });
  });
});
