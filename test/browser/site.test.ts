/** The site in a real browser: landing page, documentation, reference, and what documents have people put on pages. */
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, documents, WRITTEN_URL } from '../docs.ts';
import { startTestService, type TestService } from '../service.ts';
import { openBrowser } from './chromium.ts';

const SHOTS = resolve(import.meta.dirname, '../../test-output/site');
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 900 };
const PATIENCE_MS = 30_000;

let service: TestService;
let browser: Browser;
let shop: Server;
/** What the shop's one page holds. */
let shown = '';
let complaints: string[] = [];

beforeAll(async () => {
  mkdirSync(SHOTS, { recursive: true });
  // A browser takes what it needs of the machine; providers are not late for that.
  service = await startTestService({ QUOTE_DEADLINE_MS: '6000' });
  browser = await openBrowser();
  shop = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,">${shown}`);
  });
  await new Promise<void>(done => shop.listen(0, '127.0.0.1', done));
});

afterAll(async () => {
  await browser?.close();
  await service?.close();
  shop?.closeAllConnections();
  shop?.close();
});

afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
  const heard = complaints;
  complaints = [];
  expect(heard).toEqual([]);
});

/** Opens a page; what it complains of, and what it asks of other hosts, is wrong. */
async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: DESK, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  context.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  context.on('weberror', problem => complaints.push(problem.error().message));
  context.on('request', request => {
    const { protocol, origin } = new URL(request.url());
    const known = [service.url, service.sandbox.url, shopUrl()];
    if (/^https?:$/.test(protocol) && !known.includes(origin)) complaints.push(`asked ${request.url()}`);
  });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

function shopUrl(): string {
  return `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
}

/** What axe finds that keeps people out. */
async function seriousFlaws(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).slice(0, 3)}`);
}

const picture = (page: Page, name: string, fullPage = false) =>
  page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage });

const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

const LOOKS = [
  ['a phone, in the dark', PHONE, 'dark'],
  ['a desk, in the light', DESK, 'light'],
] as const;

describe.each(LOOKS)('on %s', (_look, viewport, colorScheme) => {
  it.each([
    ['landing', '/'],
    ['index', '/docs'],
    ['quick-start', '/docs/quick-start'],
    ['operations', '/docs/operations'],
    ['nothing', '/docs/nope'],
  ])('the page %s can be used by everyone', async (name, path) => {
    const page = await open(service.url + path, { viewport, colorScheme });
    await page.locator('main').waitFor();
    if (name === 'landing') await settled(page);
    if (name === 'nothing') complaints = complaints.filter(text => !text.includes('404'));
    await picture(page, `${name}-${viewport.width}-${colorScheme}`, name === 'landing');
    expect(await seriousFlaws(page)).toEqual([]);
    expect(await overflow(page)).toBe(0);
  });
});

describe('pages', () => {
  it('fit into 320 pixels', async () => {
    const page = await open(service.url, { viewport: { width: 320, height: 640 } });
    for (const path of ['/', '/docs', '/docs/webhooks', '/docs/operations', '/docs/architecture']) {
      await page.goto(service.url + path);
      expect([path, await overflow(page)]).toEqual([path, 0]);
    }
  });
});

/** Every stand-in has been heard of. */
function settled(page: Page): Promise<void> {
  return page.locator('#asked', { hasText: /offers, all in/ }).waitFor();
}

describe('the landing page', () => {
  it('holds the widget, live, with the demo key', async () => {
    const page = await open(service.url);
    const frame = page.frameLocator('cloverleaf-widget iframe');
    await frame.locator('main').first().waitFor();
    const source = await page.locator('cloverleaf-widget iframe').getAttribute('src');
    expect(source).toContain(`apiKey=${service.account.publicKey}`);
    expect(await page.locator('#demo-key').innerText()).toBe(service.account.publicKey);
  });

  it('turns a stand-in’s switch, and shows that the others go on', async () => {
    const page = await open(service.url);
    await settled(page);
    const row = page.locator('tr[data-provider=moonpay]');
    await expect.poll(() => row.locator('.answer').innerText()).toMatch(/^0\.\d+ BTC · /);
    await row.locator('select').selectOption('error');
    await row.locator('.answer.bad').waitFor();
    await settled(page);
    expect(service.sandbox.faultOf('moonpay' as never).kind).toBe('error');
    expect(await page.locator('.answer.good').count()).toBeGreaterThan(8);
    await picture(page, 'switched', true);
    await page.locator('#mend').click();
    await expect
      .poll(() => service.sandbox.faultOf('moonpay' as never).kind, { timeout: PATIENCE_MS })
      .toBe('none');
    await row.locator('.answer.good').waitFor();
    expect(await row.locator('select').inputValue()).toBe('none');
  });

  it('puts a switch back that could not be turned, and says so', async () => {
    const page = await open(service.url);
    await settled(page);
    await page.route('**/sandbox/providers/moonpay', route => route.abort());
    const select = page.locator('tr[data-provider=moonpay] select');
    await select.selectOption('error');
    await page.locator('#asked', { hasText: 'The service does not answer' }).waitFor();
    expect(await select.inputValue()).toBe('none');
    // The browser itself notes the request that came to nothing.
    complaints = complaints.filter(text => !text.includes('ERR_FAILED'));
  });

  it('copies the key', async () => {
    const page = await open(service.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.locator('.key .copy').click();
    await page.locator('.key .copy', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(service.account.publicKey);
  });
});

describe('the documentation', () => {
  it('is read from the first page to the last by its links', async () => {
    const page = await open(`${service.url}/docs`);
    const titles = await page.locator('.cards strong').allInnerTexts();
    await page.goto(`${service.url}/docs/quick-start`);
    const read = [await page.locator('h1').innerText()];
    while (await page.locator('.turn [rel=next]').isVisible()) {
      const next = page.locator('.turn [rel=next]');
      if ((await next.getAttribute('href'))?.endsWith('/docs/api')) {
        read.push('API reference');
        const at = titles.indexOf('API reference');
        await page.goto(`${service.url}/docs`);
        await page
          .locator('.cards a')
          .nth(at + 1)
          .click();
      } else await next.click();
      await page.waitForLoadState();
      read.push(await page.locator('h1').innerText());
    }
    expect(read).toEqual(titles);
  });

  it('can be walked through by keyboard, past the header', async () => {
    const page = await open(`${service.url}/docs/webhooks`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#content');
  });
});

describe('the reference', () => {
  it('shows every operation, with nothing from another host and no complaint', async () => {
    const page = await open(`${service.url}/docs/api`);
    await page.waitForSelector('.opblock');
    const { body } = await service.get('/openapi.json');
    const documented = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`),
    );
    const methods = await page.locator('.opblock-summary-method').allInnerTexts();
    const paths = await page.locator('.opblock-summary-path').allInnerTexts();
    const shown = methods.map((method, at) => `${method} ${paths[at]?.replaceAll('\u200b', '').trim()}`);
    expect(paths).toHaveLength(methods.length);
    expect(shown.sort()).toEqual(documented.sort());
  });

  it('can be used by everyone, in light and in dark', { timeout: 180_000 }, async () => {
    const page = await open(`${service.url}/docs/api`);
    const operation = page.locator('.opblock-post', { hasText: '/checkout/intent' });
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.responses-table').waitFor();
    // The page is a long one: only what looks different is left for axe to go through.
    await page.evaluate(
      "document.querySelectorAll('.opblock:not(.is-open)').forEach((one, at) => at > 5 && one.remove())",
    );
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `reference-${DESK.width}-${colorScheme}`);
      expect([colorScheme, await seriousFlaws(page)]).toEqual([colorScheme, []]);
    }
  });
});

describe('what documents have people put on their pages', () => {
  const blocks = documents()
    .flatMap(blocksOf)
    .filter(({ language, unrun }) => language === 'html' && unrun === undefined);

  it.each(blocks.map(block => [block.place, block.text] as const))('%s works', async (_place, text) => {
    shown = text
      .replaceAll(WRITTEN_URL, service.url)
      // What the widget's reference calls a deployment of one's own.
      .replaceAll('https://ramps.example', service.url)
      .replaceAll('pk_test_…', service.account.publicKey);
    const page = await open(shopUrl());
    await page.waitForLoadState('load');
    if (/cloverleaf-widget|<iframe/.test(text)) {
      const frame = page.frameLocator('iframe');
      await frame.locator('main').first().waitFor();
    }
  });
});

describe('icons', () => {
  it('of assets, fiats, payment types and providers are pictures a page can show', async () => {
    const { publicKey } = service.account;
    const catalog = (await service.get('/supported')).body.message;
    const types = Object.values((await service.get('/supported/payment-types')).body.message);
    const { message: providers } = (await service.get('/supported/onramps/all', { authorization: publicKey }))
      .body;
    const icons: string[] = [...catalog.crypto, ...catalog.fiat, ...types, ...providers].map(
      ({ icon }) => icon,
    );
    for (const { icons: sizes } of providers) icons.push(sizes.svg, sizes.png['32x32'], sizes.png['160x160']);
    const page = await browser.newPage();
    const images = [...new Set(icons)].map(url => `<img src="${url}" alt="">`).join('');
    await page.setContent(images, { waitUntil: 'load' });
    const broken = await page.evaluate(
      '[...document.images].filter(i => i.naturalWidth === 0).map(i => i.src)',
    );
    expect(icons.length).toBeGreaterThan(200);
    expect(broken).toEqual([]);
  });
});
