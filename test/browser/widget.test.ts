/** Whole purchases and sales through the widget, on a phone and at a desk, in light and dark, by finger and by keyboard. */
import { describe, expect, it } from 'vitest';
import { completeNow, goOn, payByCard, press, signIn } from './purchase-person.ts';
import {
  BITCOIN,
  choose,
  DESKTOP,
  fitsWidth,
  isAccessible,
  LIMIT,
  offerOf,
  order,
  PHONE,
  payFrame,
  picture,
  reachesStatus,
  settled,
  setWidgetWorld,
  world,
} from './widget-world.ts';

setWidgetWorld();

describe('a purchase', LIMIT, () => {
  it('on a phone, from the amount to the coins, and found again by its link', async () => {
    const page = await world.open({ defaultAmount: '120', partnerContext: 'phone' });
    await settled(page);
    expect(await page.locator('#amount-source').inputValue()).toBe('120');
    expect(await page.locator('#amount-destination').inputValue()).toMatch(/^0\.00\d+$/);
    await expect.poll(() => page.locator('.badge[data-badge=BestPrice]').count()).toBe(1);
    await isAccessible(page);
    await picture(page, 'phone-light-offers');

    await choose(page, 'moonpay');
    expect(await page.locator('[data-cost=pays] dd').innerText()).toBe('€120');
    await isAccessible(page);
    const pay = await order(page, BITCOIN);
    await isAccessible(page);
    await fitsWidth(page);
    const link = page.url();
    expect(link).toMatch(/#order=[\w%-]+$/);
    const provider = await goOn(pay);
    await signIn(provider, ['identity']);
    await payByCard(provider);
    await reachesStatus(page, 'completed');
    await picture(page, 'phone-light-completed');

    const again = await world.newPage();
    await again.goto(link);
    await reachesStatus(again, 'completed');
    expect(await (await payFrame(again)).locator('#status-title').innerText()).toBe('Completed');
    await again.locator('.order footer .primary').click();
    await settled(again);
  });

  it('at a desk in the dark, for what is to be received', async () => {
    const page = await world.open({ themeName: 'dark', defaultCrypto: 'eth' }, { viewport: DESKTOP });
    await settled(page);
    await page.locator('#amount-destination').fill('0.05');
    await expect.poll(() => page.locator('#amount-source').inputValue()).toMatch(/^\d+\.\d+$/);
    await settled(page);
    const shown = await page.locator('.offer .what b').allInnerTexts();
    const prices = shown.map(text => Number(text.replace(/[^\d.]/g, '')));
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    await isAccessible(page);
    await picture(page, 'desktop-dark-offers');
    await choose(page, 'transak');
    await page.locator('#address').fill('0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045');
    await picture(page, 'desktop-dark-wallet');
    const pay = await order(page, '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045');
    await completeNow(await goOn(pay));
    await reachesStatus(page, 'completed');
    await isAccessible(page);
    await picture(page, 'desktop-dark-completed');
  });

  it('by keyboard alone', async () => {
    const page = await world.open({ onlyOnramps: 'moonpay,transak' }, { viewport: DESKTOP });
    await settled(page);
    const focused = () =>
      page.evaluate('document.activeElement.id || document.activeElement.className') as Promise<string>;
    const tabTo = async (target: string) => {
      for (let presses = 0; presses < 30; presses++) {
        if ((await focused()) === target) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`${target} cannot be reached: stuck at ${await focused()}`);
    };
    await tabTo('amount-source');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('90');
    await tabTo('amount-destination');
    await tabTo('currency');
    await page.keyboard.press('Enter');
    await page.locator('.rows button').first().waitFor();
    await page.keyboard.type('litecoin');
    await page.locator('[data-entry=ltc_litecoin]').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.currency b', { hasText: 'LTC' }).waitFor();
    // Whoever closes a list is where they opened it.
    expect(await focused()).toBe('currency');
    await settled(page);
    await page.locator('.offer input:checked').focus();
    const before = await page.locator('[data-chosen=true]').getAttribute('data-ramp');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.locator('[data-chosen=true]').getAttribute('data-ramp')).not.toBe(before);
    await page.keyboard.press('Enter');
    await page.locator('#address').focus();
    await page.keyboard.type('ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9');
    await page.locator('#address-note.good').waitFor();
    await page.keyboard.press('Enter');
    await payFrame(page);
  });
});

describe('a sale', LIMIT, () => {
  it('on a phone in the dark, to the payout', async () => {
    const page = await world.open({ mode: 'sell,buy' }, { colorScheme: 'dark' });
    await settled(page);
    await page.locator('#amount-source').fill('0.003');
    await page.locator('.method').click();
    await page.locator('[data-entry=sepabanktransfer]').click();
    await settled(page);
    await isAccessible(page);
    await picture(page, 'phone-dark-sell');
    await choose(page, 'moonpay');
    const pay = await order(page, '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy');
    const provider = await goOn(pay);
    await signIn(provider, ['identity']);
    await press(provider, 'payout', 'payout');
    await pay.locator('#deposit-address').waitFor();
    await picture(page, 'phone-dark-sell-deposit');
    await press(provider, 'deposit', 'deposit');
    await reachesStatus(page, 'completed');
    await picture(page, 'phone-dark-sell-completed');
  });
});

describe('lists and looks', LIMIT, () => {
  it('search coins by network, change the country, and stay within a small phone', async () => {
    const page = await world.open({}, { viewport: { width: 320, height: 640 } });
    await settled(page);
    await fitsWidth(page);
    await picture(page, 'small-phone');
    await page.locator('.currency').nth(1).click();
    await page.locator('.rows button').first().waitFor();
    await page.locator('.search').fill('usdc');
    await isAccessible(page);
    await page.locator('.networks').selectOption('polygon');
    await picture(page, 'small-phone-coins');
    await page.locator('[data-entry=usdc_polygon]').click();
    await settled(page);
    expect(await page.locator('.codes small').innerText()).toBe('Polygon');
    await page.locator('.country').click();
    await page.locator('.search').fill('franc');
    await page.locator('[data-entry=FR]').click();
    await settled(page);
    expect(await page.locator('.country .cut').innerText()).toBe('France');
    await page.locator('.method').click();
    await page.locator('.rows small', { hasText: '€' }).first().waitFor();
    await isAccessible(page);
    await picture(page, 'small-phone-methods');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  });

  it('from right to left, with what is wrong said in Arabic', async () => {
    const page = await world.open({
      language: 'ar',
      primaryColor: '7c5cff',
      borderRadius: '6',
      fontFamily: 'DejaVu Sans',
    });
    await settled(page);
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await isAccessible(page);
    await picture(page, 'phone-arabic');
    await page.locator('.card > .primary').click();
    await page.locator('#address').fill('0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045');
    await page.locator('#address-note.flaw').waitFor();
    expect(await page.locator('#address-note').innerText()).toContain('Ethereum');
    await isAccessible(page);
    await fitsWidth(page);
    await picture(page, 'phone-arabic-wallet');
    const button = "getComputedStyle(document.querySelector('.card > .primary')).backgroundColor";
    expect(await page.evaluate(button)).toBe('rgb(124, 92, 255)');
  });

  it('show a wallet that was given, and leave wrong parameters aside', async () => {
    world.expectComplaint('cloverleaf widget: ');
    const page = await world.open(
      { wallets: `BTC:${BITCOIN}`, primaryColor: 'no colour', themeName: 'light' },
      { viewport: PHONE },
    );
    await settled(page);
    await offerOf(page, (await page.locator('[data-chosen=true]').getAttribute('data-ramp')) ?? '').waitFor();
    await page.locator('.card > .primary').click();
    expect(await page.locator('.given code').innerText()).toBe(BITCOIN);
    expect(await page.locator('.given code').getAttribute('dir')).toBe('ltr');
    expect(await page.locator('#address').count()).toBe(0);
    await isAccessible(page);
    await picture(page, 'phone-light-given');
    await order(page, '');
  });
});

describe('sides and places', LIMIT, () => {
  it('ask for the country where it is not known, also of whoever closes the list', async () => {
    const page = await world.newPage();
    await page.route('**/widget?*', async route => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.replace(/country(&quot;|"):\1DE\1/, 'country$1:null') });
    });
    await page.goto(`${world.service.url}/widget?apiKey=${world.service.account.publicKey}`);
    await page.locator('.rows button').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.notice', { hasText: 'Choose your country' }).waitFor();
    expect(await page.locator('.notice p').innerText()).toContain('depend on where you live');
    expect(await page.locator('.bar, .method').count()).toBe(0);
    await isAccessible(page);
    await picture(page, 'phone-no-country');
    await page.unrouteAll({ behavior: 'wait' });
    await page.locator('.notice .take').click();
    await page.locator('.search').fill('germany');
    await page.locator('[data-entry=DE]').click();
    await page.locator('.offer').first().waitFor();
  });

  it('have the chosen coin taken along, and what was typed found again', async () => {
    const page = await world.open({ country: 'DE' });
    await settled(page);
    await page.locator('.currency').nth(1).click();
    await page.locator('.search').fill('eth');
    await page.locator('[data-entry=eth_ethereum]').click();
    await page.locator('#amount-source').fill('250');
    await page.locator('[data-cost=pays] dd', { hasText: '€250' }).waitFor();
    await page.locator('.sides button', { hasText: 'Sell' }).click();
    await page.locator('.offer').first().waitFor();
    expect(await page.locator('.currency b').allInnerTexts()).toEqual(['ETH', 'EUR']);
    await page.locator('.sides button', { hasText: 'Buy' }).click();
    await page.locator('[data-cost=pays] dd', { hasText: '€250' }).waitFor();
    expect(await page.locator('.currency b').allInnerTexts()).toEqual(['EUR', 'ETH']);
  });
});
