/** The widget when things go wrong: slow, failing and hung providers, amounts nobody takes, addresses that are none. */
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  BITCOIN,
  choose,
  focused,
  isAccessible,
  LIMIT,
  offerOf,
  order,
  payFrame,
  picture,
  settled,
  setWidgetWorld,
  world,
} from './widget-world.ts';

setWidgetWorld();

describe('providers', LIMIT, () => {
  it('that are slow, fail or hang keep nobody from the others’ offers', async () => {
    world.fault('hang', 'transak');
    world.fault('error', 'mercuryo');
    world.fault('garbage', 'banxa');
    world.fault('slow', 'coinbase');
    const page = await world.open({ onlyOnramps: 'moonpay,transak,mercuryo,banxa,coinbase' });
    // While the hung one has not been given up yet.
    await page.locator('.offers[aria-busy=true] [data-ramp=moonpay]').waitFor();
    await picture(page, 'phone-faults-streaming');
    await settled(page);
    await offerOf(page, 'coinbase').waitFor();
    expect(await page.locator('.offer').count()).toBe(2);
    await isAccessible(page);
    await choose(page, 'moonpay');
    await order(page, BITCOIN);
  });

  it('none of which answers are asked again at a tap', async () => {
    world.fault('error', 'moonpay');
    const page = await world.open({ onlyOnramps: 'moonpay' });
    const again = page.locator('.take', { hasText: 'Try again' });
    await again.waitFor();
    await isAccessible(page);
    await picture(page, 'phone-nobody-answers');
    world.fault('none', 'moonpay');
    await expect
      .poll(
        async () => {
          if (await again.isVisible()) await again.click({ timeout: 1_000 }).catch(() => undefined);
          return offerOf(page, 'moonpay').count();
        },
        { timeout: 40_000, interval: 1_000 },
      )
      .toBe(1);
  });

  it('that refuse the order are put aside with their reason, and the others are still there', async () => {
    world.expectComplaint('Failed to load resource');
    const page = await world.open({ onlyOnramps: 'moonpay,guardarian' });
    await choose(page, 'guardarian');
    await page.locator('#address').fill(BITCOIN);
    await page.locator('#address-note.good').waitFor();
    world.fault('error', 'guardarian');
    await page.locator('.card > .primary').click();
    await page
      .locator('.notice[data-tone=bad]', { hasText: 'Guardarian is not available at the moment' })
      .waitFor();
    expect(await offerOf(page, 'guardarian').count()).toBe(0);
    await isAccessible(page);
    await picture(page, 'phone-put-aside');
    await choose(page, 'moonpay');
    // The address was kept.
    expect(await page.locator('#address').inputValue()).toBe(BITCOIN);
    await page.locator('.card > .primary').click();
    await payFrame(page);
  });
});

describe('prices', LIMIT, () => {
  const QUOTES = '**/quotes/**';

  /** Makes every price that is asked for from now on what is said. */
  async function price(page: Page, change: (payout: number) => number): Promise<void> {
    await page.route(QUOTES, async route => {
      const response = await route.fetch();
      const body = (await response.text()).replace(
        /"payout":([0-9.]+)/g,
        (_, payout: string) => `"payout":${change(Number(payout)).toFixed(8)}`,
      );
      await route.fulfill({ response, body });
    });
  }

  /** A page at the wallet, whose price stays as it is however often it is asked for. */
  async function openSteady(): Promise<Page> {
    const page = await world.open({ onlyOnramps: 'moonpay' });
    await settled(page);
    await price(page, () => 0.001);
    await page.locator('.heading button').click();
    await page.locator('[data-cost=receives] dd', { hasText: /\b0\.001\b/ }).waitFor();
    await settled(page);
    return page;
  }

  it('that got worse are told before anything is ordered', async () => {
    const page = await world.open({ onlyOnramps: 'moonpay' });
    await choose(page, 'moonpay');
    await page.locator('#address').fill(BITCOIN);
    const before = await page.locator('[data-cost=receives] dd').innerText();
    await price(page, payout => payout * 0.9);
    await page.locator('.card > .primary').focus();
    // Nobody waits for the next round here.
    await page.evaluate('Date.now = (now => () => now() + 60_000)(Date.now)');
    await page.locator('.notice', { hasText: 'The price has changed' }).waitFor();
    expect(await page.locator('.notice').innerText()).toContain(before.replace(/[\u2068\u2069]/g, ''));
    expect(await page.locator('.card > .primary').count()).toBe(0);
    // Whoever was at the button that is gone is at what is said instead.
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('The price has changed');
    await isAccessible(page);
    await picture(page, 'phone-price-worse');
    await page.unrouteAll({ behavior: 'wait' });
    await page.locator('.take', { hasText: 'Go on with the new price' }).click();
    expect(await page.locator('[data-cost=receives] dd').innerText()).not.toBe(before);
    await page.locator('.card > .primary').waitFor();
    expect(await focused(page)).toBe('primary');
  });

  it('that cannot be renewed say so above the old ones, and to whoever orders by those', async () => {
    world.expectComplaint('net::ERR');
    const page = await openSteady();
    const refuse = (route: Route) => route.abort();
    await page.route(QUOTES, refuse);
    await page.locator('.heading button').click();
    await page.locator('.notice + .heading').waitFor();
    expect(await page.locator('.notice h2').innerText()).toBe('These prices could not be renewed');
    expect(await page.locator('.notice p').innerText()).toContain('The service cannot be reached');
    await isAccessible(page);
    await picture(page, 'phone-prices-not-renewed');
    await choose(page, 'moonpay');
    await page.locator('#address').fill(BITCOIN);
    await page.locator('.card > .primary').click();
    const notice = page.locator('.notice[data-tone=bad]', { hasText: 'The service cannot be reached' });
    await notice.locator('.take').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('primary');
    await notice.waitFor();
    await page.unroute(QUOTES, refuse);
    await page.locator('.card > .primary').click();
    await payFrame(page);
  });

  it('that have run out are renewed, and the person confirms once more', async () => {
    world.expectComplaint('410');
    const page = await openSteady();
    await choose(page, 'moonpay');
    await page.locator('#address').fill(BITCOIN);
    const late = { status: 410, json: { error: 'Gone', message: 'The quote has run out' } };
    await page.route('**/checkout/intent*', route => route.fulfill(late), { times: 1 });
    const renewed = page.waitForResponse(/quotes/);
    await page.locator('.card > .primary').click();
    await renewed;
    await page.locator('.notice', { hasText: 'This price has run out' }).waitFor();
    await isAccessible(page);
    await picture(page, 'phone-price-expired');
    await page.locator('.card > .primary').click();
    await payFrame(page);
  });

  it('that cannot be asked for say why, and come back by themselves', async () => {
    world.expectComplaint('net::ERR');
    const page = await world.open({ onlyOnramps: 'moonpay' });
    await settled(page);
    await page.route(QUOTES, route => route.abort());
    await page.locator('#amount-source').fill('111');
    await page.locator('.notice', { hasText: 'The service cannot be reached' }).waitFor();
    expect(await page.locator('.notice h2').innerText()).toBe('No provider answers just now');
    expect(await page.locator('.advices .take').allInnerTexts()).toEqual(['Try again']);
    await picture(page, 'phone-unreachable');
    await page.unrouteAll({ behavior: 'wait' });
    await page.locator('.take', { hasText: 'Try again' }).click();
    await offerOf(page, 'moonpay').waitFor();
  });
});

describe('amounts', LIMIT, () => {
  it('that are too small or too large are put right at a tap', async () => {
    const page = await world.open({ defaultAmount: '1', onlyOnramps: 'moonpay,transak' });
    const small = page.locator('.advices li', { hasText: 'needs at least' });
    await small.waitFor();
    await isAccessible(page);
    await picture(page, 'phone-too-small');
    const wanted = (await small.locator('button').innerText()).replace(/[^\d.]/g, '');
    await small.locator('button').click();
    await settled(page);
    expect(await page.locator('#amount-source').inputValue()).toBe(wanted);
    expect(await page.locator('.offer').count()).toBeGreaterThan(0);
    await page.locator('#amount-source').fill('99999999');
    const large = page.locator('.advices li', { hasText: 'takes at most' });
    await large.locator('button').click();
    await page.locator('.offer').first().waitFor();
  });

  it('that are none are told where they are typed', async () => {
    const page = await world.open();
    await settled(page);
    await page.locator('#amount-source').fill('12.345');
    expect(await page.locator('.flaw').innerText()).toBe('EUR has at most 2 decimal places');
    await page.locator('#amount-source').fill('abc');
    expect(await page.locator('.flaw').innerText()).toContain('Enter a number');
    await isAccessible(page);
    await page.locator('#amount-source').fill('50,5');
    await page.locator('.offer').first().waitFor();
    expect(await page.locator('.offer [data-cost=pays] dd').innerText()).toBe('€50.50');
  });
});

describe('addresses', LIMIT, () => {
  it('are checked as they are typed, and no order is made with one that is none', async () => {
    const page = await world.open({ defaultCrypto: 'xrp', onlyOnramps: 'moonpay,transak' });
    await settled(page);
    await page.locator('.card > .primary').click();
    const note = page.locator('#address-note');
    await page.locator('.card > .primary').click();
    expect(await note.innerText()).toBe('Enter your address');
    await page.locator('#address').fill(BITCOIN);
    await expect
      .poll(() => note.innerText())
      .toBe('This looks like an address on Bitcoin, not on XRP Ledger');
    await page.locator('#address').fill('rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRJ');
    await expect.poll(() => note.innerText()).toBe('There is a typing error in this address');
    await page.locator('#address').fill('rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH');
    await page.locator('#address-note.good').waitFor();
    await page.locator('.card > .primary').click();
    expect(await page.locator('#memo-note').innerText()).toContain('Enter the memo');
    await isAccessible(page);
    await picture(page, 'phone-memo');
    await page.locator('#no-memo').check();
    await page.locator('.card > .primary').click();
    await payFrame(page);
  });

  it('that hold their memo are asked for none', async () => {
    const page = await world.open({ defaultCrypto: 'xrp', onlyOnramps: 'moonpay,transak' });
    await settled(page);
    await page.locator('.card > .primary').click();
    await page.locator('#address').fill('XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD2m4Er6SnvjVLpMWPjR');
    const note = page.locator('#memo-note');
    await expect.poll(() => note.innerText()).toBe('This address already holds its memo or tag');
    expect(await page.locator('#no-memo').count()).toBe(0);
    await isAccessible(page);
    await picture(page, 'phone-memo-inside');
    await page.locator('#memo').fill('7');
    await page.locator('#memo-note.flaw').waitFor();
    await page.locator('#memo').fill('');
    await page.locator('.card > .primary').click();
    await payFrame(page);
  });
});

describe('a country', LIMIT, () => {
  it('that nobody serves is told, and another can be chosen', async () => {
    const page = await world.open({ country: 'KP' });
    await page.locator('.notice', { hasText: 'No provider serves' }).waitFor();
    await isAccessible(page);
    await picture(page, 'phone-unserved-country');
    await page.locator('.take', { hasText: 'Choose your country' }).click();
    await page.locator('.search').fill('germany');
    await page.locator('[data-entry=DE]').click();
    await page.locator('.offer').first().waitFor();
  });

  it('where the pair is not served leads to one that is', async () => {
    const page = await world.open({ defaultFiat: 'ngn', defaultCrypto: 'btc', country: 'DE' });
    await page.locator('.notice', { hasText: 'NGN/BTC is not offered where you live' }).waitFor();
    await page.locator('.take', { hasText: 'Use EUR/BTC' }).click();
    await page.locator('.offer').first().waitFor();
  });

  it('where a coin is served on another network is told both by their networks', async () => {
    const page = await world.newPage();
    await page.route('**/supported/defaults/all?*', async route => {
      const answer = await route.fetch();
      const { message } = (await answer.json()) as { message: { recommended: { target: string } } };
      message.recommended.target = 'ETH';
      await route.fulfill({ response: answer, json: { message } });
    });
    const { publicKey: apiKey } = world.service.account;
    const query = new URLSearchParams({
      apiKey,
      defaultFiat: 'ngn',
      defaultCrypto: 'eth_arbitrum',
      country: 'DE',
    });
    await page.goto(`${world.service.url}/widget?${query}`);
    await page
      .locator('.notice', { hasText: 'NGN/ETH (Arbitrum One) is not offered where you live' })
      .waitFor();
    await isAccessible(page);
    await picture(page, 'phone-other-network');
    await page.locator('.take', { hasText: 'Use EUR/ETH (Ethereum)' }).click();
    await page.locator('.offer').first().waitFor();
  });
});

describe('a page on plain http', LIMIT, () => {
  /** Browsers keep both for https. */
  const KEPT =
    "delete Crypto.prototype.randomUUID; Object.defineProperty(navigator, 'clipboard', { value: undefined })";

  it('orders all the same, and shows the link that it cannot copy', async () => {
    const page = await world.newPage();
    await page.addInitScript(KEPT);
    const query = new URLSearchParams({ apiKey: world.service.account.publicKey, onlyOnramps: 'moonpay' });
    await page.goto(`${world.service.url}/widget?${query}`);
    await choose(page, 'moonpay');
    await order(page, BITCOIN);
    let link = '';
    page.on('dialog', dialog => {
      link = dialog.defaultValue();
      void dialog.dismiss();
    });
    await page.locator('.order footer .chip').click();
    await expect.poll(() => link).toContain('#order=');
  });
});

describe('a script', LIMIT, () => {
  it('that does not come is told of in the end, with the way to try again', async () => {
    world.expectComplaint('net::ERR_FAILED');
    const page = await world.newPage();
    await page.route('**/widget-app.js*', route => route.abort());
    await page.goto(`${world.service.url}/widget?apiKey=${world.service.account.publicKey}&language=de`);
    expect(await page.locator('.late').isVisible()).toBe(false);
    await page.evaluate('document.getAnimations().forEach(animation => animation.finish())');
    expect(await page.locator('.late').innerText()).toContain('nicht erreichbar');
    await picture(page, 'phone-no-script');
    await page.unroute('**/widget-app.js*');
    await page.locator('.late a').click();
    await page.locator('#widget .card:not(.sketch)').waitFor();
  });
});

describe('keys', LIMIT, () => {
  it('that nobody has are told to whoever builds the page', async () => {
    world.expectComplaint('401');
    const page = await world.newPage();
    await page.goto(`${world.service.url}/widget?apiKey=pk_test_nobody&language=en`);
    expect(await page.locator('h1').innerText()).toBe('This widget’s apiKey is not known');
    await isAccessible(page);
    await picture(page, 'phone-unknown-key');
  });
});
