/** The reference page in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { openBrowser } from './chromium.ts';

let service: TestService;
let browser: Browser;

beforeAll(async () => {
  service = await startTestService();
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

describe('/docs', () => {
  it('shows every operation, with nothing from another host and no complaint', async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    const strangers: string[] = [];
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(error.message));
    page.on('request', request => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(service.url))
        strangers.push(request.url());
    });
    await page.goto(`${service.url}/docs`);
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
    expect(complaints).toEqual([]);
    expect(strangers).toEqual([]);
  });

  it('is where / leads', async () => {
    const page = await browser.newPage();
    await page.goto(service.url);
    expect(page.url()).toBe(`${service.url}/docs`);
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
