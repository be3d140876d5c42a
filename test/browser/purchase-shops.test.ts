/** Orders in a real browser from shops that theme, frame and get back, and with webhooks that go wrong. */
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startSite } from './pay-world.ts';
import {
  CARDS,
  completeNow,
  control,
  goOn,
  keepPicture,
  payByCard,
  press,
  reaches,
  shown,
  signIn,
} from './purchase-person.ts';
import { ASKED, describeLog, isDelivered, it, LIMIT, PROVIDERS, scene, setScene } from './purchase-scene.ts';
import { leadingTo } from './purchase-world.ts';

setScene();

describe.concurrent('shops', LIMIT, () => {
  it('have their colours, which the provider’s page follows', async ({ person }) => {
    const theme = {
      isDark: true,
      themeName: 'midnight',
      primaryColor: '#ffcc00',
      secondaryColor: '#3a2fb0',
      cardColor: '#1b1464',
      borderRadius: '4px',
    };
    const order = await scene.world.buy('moonpay', { supportedParams: { theme } });
    const page = await person.visit(order.url);
    const style = (selector: string, name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`);
    expect(await page.locator('html').getAttribute('data-theme')).toBe('midnight');
    expect(await style('html', 'colorScheme')).toBe('dark');
    expect(await style('.card', 'backgroundColor')).toBe('rgb(27, 20, 100)');
    expect(await style('.card', 'borderRadius')).toBe('4px');
    expect(await style('#open-button', 'backgroundColor')).toBe('rgb(255, 204, 0)');
    const provider = await goOn(page);
    await control(provider, 'email', 'email').waitFor();
    expect(await provider.locator('html').getAttribute('data-theme')).toBe('dark');
    await keepPicture(page, 'theme-framed');
    await completeNow(provider);
    await isDelivered(page, order, 'pending?', 'paid?');
    await keepPicture(page, 'theme-completed');
  });

  it('get their people back', async ({ person }) => {
    const shop = await startSite(() => '<title>Shop</title><h1>Thank you</h1>');
    try {
      person.shops.add(new URL(shop.url).host);
      const account = await scene.world.newShop(shop.url);
      const thanks = `${shop.url}/thanks?order=7`;
      const supportedParams = leadingTo(encodeURIComponent(thanks));
      const order = await scene.world.buy('moonpay', { supportedParams }, account);
      const page = await person.visit(order.url);
      expect(await page.locator('#back').isVisible()).toBe(false);
      await completeNow(await goOn(page));
      // Otherwise they are led back after a while.
      await page.locator('#stay').click();
      await isDelivered(page, order, 'pending?');
      expect(await shown(page, '#back')).toBe(`Back to ${new URL(shop.url).host}`);
      await keepPicture(page, 'shop-completed');
      await page.locator('#back').click();
      await page.waitForURL(thanks);
      expect(await page.locator('h1').innerText()).toBe('Thank you');
      // The address of the page is nobody else's.
      expect(shop.asked).toEqual([{ path: '/thanks?order=7', referer: `${scene.world.service.url}/` }]);
    } finally {
      await shop.close();
    }
  });

  it.for(['moonpay', 'mercuryo'] as const)(
    'frame the page with %s, and hear each status once',
    async (onramp, { person }) => {
      const shop = await startSite(framing);
      // Another site, not merely another port.
      const origin = shop.url.replace('127.0.0.1', 'localhost');
      try {
        person.shops.add(new URL(origin).host);
        const order = await scene.world.buy(onramp, {}, await scene.world.newShop(origin));
        const page = await person.context.newPage();
        await page.goto(`${origin}/?page=${encodeURIComponent(order.url)}`);
        const pay = (await (await page.waitForSelector('#pay-frame')).contentFrame()) as Frame;
        await pay.locator('html.live').waitFor();
        const provider = await goOn(pay);
        await signIn(provider, ASKED[onramp]);
        await payByCard(provider, CARDS.secure);
        await reaches(pay, 'pending');
        await press(provider, 'secure', 'approve');
        await isDelivered(pay, order, 'pending', 'paid?');
        const heard = (await page.evaluate('window.heard')) as { data: { status: string } }[];
        // MoonPay has no word between these; where there is one it may pass unseen.
        const [paid] = heard.filter(({ data }) => data.status === 'paid');
        const statuses = ['new', 'pending', ...(paid && onramp !== 'moonpay' ? ['paid'] : []), 'completed'];
        expect(heard).toEqual(
          statuses.map(status => ({
            origin: scene.world.service.url,
            data: { type: 'cloverleaf:status', transactionId: order.transactionId, status },
          })),
        );
        if (onramp === 'mercuryo') {
          const closed = (provider as Page).waitForEvent('close');
          await press(provider, 'end', 'return');
          await closed;
        }
        await keepPicture(page, `shop-framed-${onramp}`);
      } finally {
        await shop.close();
      }
    },
  );

  it('cannot frame the page of another', async ({ person }) => {
    const stranger = await startSite(framing);
    try {
      person.shops.add(new URL(stranger.url).host);
      const account = await scene.world.newShop('https://shop.example');
      for (const order of [await scene.world.buy('moonpay', {}, account), await scene.world.buy('moonpay')]) {
        const page = await person.context.newPage();
        const complaint = page.waitForEvent('console', message => message.type() === 'error');
        await page.goto(`${stranger.url}/?page=${encodeURIComponent(order.url)}`);
        expect((await complaint).text()).toContain('frame-ancestors');
        const counts = await Promise.all(page.frames().map(frame => frame.locator('#pay').count()));
        expect(counts.some(Boolean)).toBe(false);
        expect(await page.evaluate('window.heard')).toEqual([]);
      }
      expect(person.complaints.splice(0)).toHaveLength(2);
    } finally {
      await stranger.close();
    }
  });

  /** A page that frames another and keeps what it hears. */
  function framing({ searchParams }: URL): string {
    return `<title>Shop</title><script>window.heard = [];
addEventListener('message', ({ origin, data }) => heard.push({ origin, data }))</script>
<iframe id="pay-frame" src="${searchParams.get('page')}" width="500" height="800"></iframe>`;
  }
});

/** Alone: the other orders of these providers would suffer as well. */
describe('webhooks', () => {
  beforeAll(() => {
    scene.world.fault('moonpay', 'webhooks-lost');
    scene.world.fault('mercuryo', 'webhooks-twice');
    scene.world.fault('transak', 'webhooks-shuffled');
  });
  afterAll(() => {
    for (const provider of PROVIDERS) scene.world?.fault(provider, 'none');
  });

  it.concurrent('that are lost are made up for by look-ups', LIMIT, async ({ person }) => {
    const before = await scene.world.heard('moonpay');
    const order = await scene.world.buy('moonpay');
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await payByCard(provider);
    await control(provider, 'end', 'return').waitFor();
    expect(await scene.world.heard('moonpay')).toBe(before);
    await scene.world.lookNow(order);
    await isDelivered(page, order, 'pending?');
  });

  it.concurrent.for([
    ['mercuryo', 'twice'],
    ['transak', 'in another order'],
  ] as const)('of %s that come %s change nothing', LIMIT, async ([onramp], { person }) => {
    const order = await scene.world.buy(onramp);
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ASKED[onramp]);
    await payByCard(provider, CARDS.secure);
    await press(provider, 'secure', 'approve');
    await isDelivered(page, order, 'pending?', 'paid?');
  });
});

describeLog();
