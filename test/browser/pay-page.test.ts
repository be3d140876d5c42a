/** The pay page in a real browser, with a provider, shops and strangers on origins of their own. */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decimal } from '../../src/domain/money.ts';
import { openBrowser } from './chromium.ts';
import { createPayWorld, exampleSale, exampleView, type PayWorld, providerPage, type Site, startSite } from './pay-world.ts';

const SHOTS = join(tmpdir(), 'cloverleaf-pay-page');
let browser: Browser; let world: PayWorld; let provider: Site;
beforeAll(async () => { await mkdir(SHOTS,{recursive:true}); browser = await openBrowser(); world = await createPayWorld(); await world.listen(); provider = await startSite(providerPage); });
afterAll(async () => { await browser?.close(); await world?.close(); await provider?.close(); });

describe('shots', () => {
  it('takes them', async () => {
    const dark = { isDark: true };
    const h='f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16';
    const dep={ address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy' };
    const views: Record<string, any> = {
      ready: exampleView({ returnTo: 'https://shop.example/x' }), readydark: exampleView({ theme: dark }),
      pending: exampleView({ status:'pending', opened: true }), pendingdark: exampleView({ status:'pending', opened: true, theme: dark }),
      opened: exampleView({ opened: true }),
      completed: exampleView({ status:'completed', opened: true, hash: h, returnTo: 'https://shop.example/thanks' }),
      completeddark: exampleView({ status:'completed', opened: true, hash: h, returnTo: 'https://shop.example/thanks', theme: dark }),
      failed: exampleView({ status:'failed', opened: true, reason: 'card_declined', returnTo: 'https://shop.example/thanks' }),
      faileddark: exampleView({ status:'failed', opened: true, reason: 'card_declined', theme: dark }),
      lapsed: exampleView({ expiresAt: 1 }),
      refunded: exampleView({ status:'refunded', opened: true }),
      sell: exampleSale({ opened: true, deposit: dep }),
      selldark: exampleSale({ opened: true, deposit: { ...dep, memo: '10293847' }, theme: dark }),
      themed: exampleView({ status:'paid', opened: true, theme: { isDark: false, primaryColor: '#ffcc00', cardColor: '#1b1464', secondaryColor: '#3a2fb0', borderRadius: '4px' } }),
    };
    for (const [name, view] of Object.entries(views)) {
      world.pay.put(name, { ...view, pageOrigin: provider.url });
      for (const [size, viewport] of Object.entries({ phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } })) {
        const page = await browser.newPage({ viewport });
        page.on('console', m => console.log(name, m.text())); page.on('pageerror', e => console.log(name, e.message));
        await page.goto(`${world.url}/pay/${name}`);
        await page.waitForTimeout(150);
        await page.screenshot({ path: join(SHOTS, `${name}-${size}.png`), fullPage: true });
        if (name === 'ready' || name === 'readydark') {
          await page.click('#open-button');
          await page.waitForSelector('iframe');
          await page.waitForTimeout(500);
          await page.screenshot({ path: join(SHOTS, `${name}-framed-${size}.png`), fullPage: true });
          world.pay.change(name, {opened:false});
        }
        await page.close();
      }
    }
  });
});
