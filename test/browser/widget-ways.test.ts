/** Ways through the widget: where it begins, where the keyboard goes on, and what is still there after going back. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  BITCOIN,
  choose,
  DESKTOP,
  fitsWidth,
  focused,
  isAccessible,
  LIMIT,
  order,
  payFrame,
  picture,
  settled,
  setWidgetWorld,
  world,
} from './widget-world.ts';

setWidgetWorld();

const amountOf = (page: Page) => page.locator('#amount-source').inputValue();

/** Lets no answer about prices through until what it returns is called. */
async function holdQuotes(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  await page.route('**/quotes/**', async route => {
    await released;
    await route.continue();
  });
  return release;
}

describe('where it begins', LIMIT, () => {
  it.each(['eth', 'sol', 'xrp'])('has offers for %s that are sold', async defaultCrypto => {
    const page = await world.open({ mode: 'sell', country: 'DE', defaultCrypto });
    await page.locator('.offer').first().waitFor();
    expect(Number(await amountOf(page))).toBeGreaterThan(0);
  });

  it('takes what is usual of another currency, and keeps what was typed', async () => {
    const page = await world.open({ country: 'DE' });
    await settled(page);
    const take = async (at: number, search: string, entry: string) => {
      await page.locator('.currency').nth(at).click();
      await page.locator('.search').fill(search);
      await page.locator(`[data-entry=${entry}]`).click();
      await page.locator('.offer').first().waitFor();
    };
    await take(0, 'jpy', 'jpy');
    expect(Number(await amountOf(page))).toBeGreaterThan(5_000);
    await page.locator('#amount-source').fill('15,000');
    await page.locator('[data-cost=pays] dd', { hasText: '¥15,000' }).waitFor();
    await take(1, 'eth', 'eth_ethereum');
    expect(await amountOf(page)).toBe('15,000');
    await page.locator('#amount-destination').fill('1,500');
    expect(await page.locator('.flaw').innerText()).toBe('Write it without separators: 1500');
  });

  it('speaks German to the last amount, on a small phone', async () => {
    const page = await world.open(
      { mode: 'sell', country: 'DE', language: 'de', defaultCrypto: 'eth' },
      { viewport: { width: 320, height: 640 } },
    );
    await page.locator('.offer').first().waitFor();
    expect(await amountOf(page)).toMatch(/^0,\d+$/);
    expect(await page.locator('#amount-destination').inputValue()).toMatch(/^\d+(,\d\d)?$/);
    expect(await page.locator('.method .value').innerText()).toBe('Kreditkarte');
    await page.locator('#amount-source').fill('0,0001');
    await page.locator('.advices .take').first().waitFor();
    await picture(page, 'small-phone-german-advice');
    await page.locator('.advices .take').first().click();
    await page.locator('.offer').first().waitFor();
    const room = "(one => one.clientWidth - one.scrollWidth)(document.querySelector('#amount-source'))";
    expect(await page.evaluate(room)).toBeGreaterThanOrEqual(0);
    await fitsWidth(page);
    await picture(page, 'small-phone-german-sale');
  });

  it('begins with the usual amount where the given one has more places than its currency', async () => {
    world.expectComplaint('defaultAmount must have no more decimal places than JPY: 0');
    const page = await world.open({ country: 'JP', defaultFiat: 'jpy', defaultAmount: '49.99' });
    await page.locator('.offer').first().waitFor();
    expect(await amountOf(page)).toMatch(/^\d+$/);
  });

  it('says what is wrong with an amount that nobody typed, once its currency has fewer places', async () => {
    const query = { mode: 'sell', country: 'DE', defaultCrypto: 'usdc_bsc', defaultAmount: '99.1234567' };
    const page = await world.open(query);
    expect(await page.locator('.flaw').count()).toBe(0);
    await page.locator('.currency').first().click();
    await page.locator('.search').fill('usdc');
    await page.locator('[data-entry=usdc_ethereum]').click();
    expect(await page.locator('.flaw').innerText()).toContain('6');
  });

  it('has nothing but what its integrator allows', async () => {
    const page = await world.open({
      country: 'DE',
      onlyCryptoNetworks: 'polygon',
      onlyPaymentMethods: 'sepabanktransfer',
    });
    await settled(page);
    await page.locator('.offer').first().waitFor();
    expect(await page.locator('.currency small').innerText()).toBe('Polygon');
    expect(await page.locator('.method .value').innerText()).toContain('SEPA');
  });

  it('shows nothing but what can be done where nobody serves the country', async () => {
    const page = await world.open({ country: 'KP' });
    await page.locator('.notice').waitFor();
    expect(await page.locator('.amount, .flaw, .method, .bar').count()).toBe(0);
    await page.locator('.country').click();
    await page.locator('.rows button').first().waitFor();
    await page.locator('.search').fill('Iran');
    expect(await page.locator('dialog [role=status]').innerText()).toContain(
      'not served by any provider yet',
    );
    await isAccessible(page);
    await picture(page, 'phone-unlisted-country');
  });

  it('has a side that is served where the person moves to, with what was typed still there', async () => {
    const { publicKey: apiKey } = await world.service.newAccount({ providers: ['moonpay'] });
    const page = await world.open({ apiKey, country: 'JP' });
    await settled(page);
    expect(await page.locator('.sides').count()).toBe(0);
    await page.locator('#amount-source').fill('30000');
    await page.locator('.country').click();
    await page.locator('.search').fill('germany');
    await page.locator('[data-entry=DE]').click();
    const sell = page.locator('.sides button', { hasText: 'Sell' });
    await sell.waitFor();
    expect(await amountOf(page)).toBe('30000');
    await sell.click();
    await page.locator('.offer').first().waitFor();
    await page.reload();
    await page.locator('.sides [aria-pressed=true]', { hasText: 'Sell' }).waitFor();
    expect(await page.locator('.country .cut').innerText()).toBe('Germany');
  });

  it('begins without an order where the link to it is broken', async () => {
    const page = await world.newPage();
    await page.goto(`${world.service.url}/widget?apiKey=${world.service.account.publicKey}#order=%E0%A4%A`);
    await page.locator('.offer').first().waitFor();
  });
});

describe('the keyboard', LIMIT, () => {
  it('goes on at the first of the offers that were not shown yet, and stays at what it refreshes', async () => {
    const page = await world.open({ country: 'DE' }, { viewport: DESKTOP });
    await settled(page);
    const shown = await page.locator('.offer').count();
    await page.locator('.more').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.offer').count()).toBeGreaterThan(shown);
    expect(await focused(page)).toBe(await page.locator('.offer').nth(shown).getAttribute('data-ramp'));
    const release = await holdQuotes(page);
    await page.locator('.heading button').focus();
    await page.keyboard.press('Enter');
    await page.locator('.heading button[aria-disabled=true]').waitFor();
    expect(await focused(page)).toBe('quiet');
    release();
    await page.locator('.heading button[aria-disabled=false]').waitFor();
    expect(await focused(page)).toBe('quiet');
  });

  it('goes on at the amount after advice, and where it went on before after going back', async () => {
    const page = await world.open({ country: 'DE', defaultAmount: '1' }, { viewport: DESKTOP });
    await page.locator('.advices .take').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('.offer').first().waitFor();
    expect(await focused(page)).toBe('amount-source');
    await settled(page);
    await page.locator('.card > .primary').click();
    await page.locator('.review').waitFor();
    await page.locator('.round').focus();
    await page.keyboard.press('Enter');
    await page.locator('#amount-source').waitFor();
    await expect.poll(() => focused(page)).toBe('primary');
  });

  it('goes on at the place once what it pressed is gone, and at the address that it changes', async () => {
    const query = { country: 'US', wallets: `BTC:${BITCOIN}`, isAddressEditable: 'true' };
    const page = await world.open(query, { viewport: DESKTOP });
    await settled(page);
    await page.locator('.card > .primary').focus();
    await page.keyboard.press('Enter');
    await page.locator('.search').fill('new york');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.country .cut', { hasText: 'New York' }).waitFor();
    await expect.poll(() => focused(page)).toBe('chip');
    await page.locator('.offer').first().waitFor();
    await settled(page);
    await page.locator('.card > .primary').click();
    await page.locator('.given .take').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('address');
  });

  it('goes on at the top after an order, and is still there when the prices are new', async () => {
    const page = await world.open({ country: 'DE', onlyOnramps: 'moonpay' }, { viewport: DESKTOP });
    await choose(page, 'moonpay');
    await order(page, BITCOIN);
    const release = await holdQuotes(page);
    // By then prices are too old to be anybody's.
    await page.evaluate('Date.now = (now => () => now() + 140_000)(Date.now)');
    await page.locator('.order footer button', { hasText: 'New order' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.skeleton').waitFor();
    expect(await page.evaluate('document.activeElement.localName')).toBe('h1');
    release();
    await page.locator('.offer').first().waitFor();
    expect(await page.evaluate('document.activeElement.localName')).toBe('h1');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Buy');
  });

  it('is left to an input method that composes', async () => {
    const page = await world.open({ country: 'DE', onlyOnramps: 'moonpay' }, { viewport: DESKTOP });
    await choose(page, 'moonpay');
    const note = page.locator('#address-note');
    const before = await note.innerText();
    for (const key of [{ isComposing: true }, { keyCode: 229 }])
      await page.locator('#address').dispatchEvent('keydown', { key: 'Enter', bubbles: true, ...key });
    expect(await note.innerText()).toBe(before);
    await page.locator('#address').dispatchEvent('keydown', { key: 'Enter', bubbles: true });
    await expect.poll(() => note.innerText()).toBe('Enter your address');
  });

  it('chooses a network by its arrows, and leaves the list alone meanwhile', async () => {
    const page = await world.open({ country: 'DE' }, { viewport: DESKTOP });
    await settled(page);
    await page.locator('.currency').nth(1).click();
    await page.locator('.networks').focus();
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('networks');
    await expect.poll(() => page.locator('.networks').inputValue()).not.toBe('');
  });
});

describe('a screen reader', LIMIT, () => {
  it('is not told the same again when prices are asked for again', async () => {
    const page = await world.open({ country: 'DE', onlyOnramps: 'moonpay' });
    await settled(page);
    const region = page.locator('#widget > [role=status]');
    await expect.poll(() => region.innerText()).toContain('Best offer: MoonPay');
    await page.evaluate(`globalThis.told = [];
      const region = document.querySelector('#widget > [role=status]');
      new MutationObserver(() => told.push(region.textContent))
        .observe(region, { childList: true, characterData: true, subtree: true });`);
    const release = await holdQuotes(page);
    await page.locator('.heading button').click();
    await page.locator('.heading button[aria-disabled=true]').waitFor();
    release();
    await settled(page);
    expect(await page.evaluate('told')).not.toContain('');
    expect(await region.innerText()).toContain('Best offer: MoonPay');
  });

  it('is told what is wrong with an amount', async () => {
    const page = await world.open({ country: 'DE', onlyOnramps: 'moonpay' });
    await settled(page);
    const region = page.locator('#widget > [role=status]');
    await page.locator('#amount-source').fill('12.345');
    await expect.poll(() => region.innerText()).toBe('EUR has at most 2 decimal places');
    await page.locator('#amount-source').fill('12.34');
    await expect.poll(() => region.innerText()).not.toContain('decimal places');
  });

  it('is told that nobody serves the country, by a region that was there before', async () => {
    const page = await world.newPage();
    await page.addInitScript(`globalThis.told = [];
      const find = () => document.querySelector('#widget > [role=status]');
      new MutationObserver(() => find() && told.push(find().textContent))
        .observe(document, { childList: true, characterData: true, subtree: true });`);
    const { publicKey } = world.service.account;
    await page.goto(`${world.service.url}/widget?apiKey=${publicKey}&country=KP`);
    await expect.poll(() => page.evaluate('told.at(-1)')).toBe('No provider serves North Korea yet');
    expect(await page.evaluate('told[0]')).toBe('');
  });
});

describe('going back', LIMIT, () => {
  it('leads from the wallet to the offers and forth, and a reload keeps what was said', async () => {
    const page = await world.open({ country: 'DE', onlyOnramps: 'moonpay' });
    await page.locator('#amount-source').fill('77');
    await choose(page, 'moonpay');
    await page.locator('#address').fill(BITCOIN);
    await page.goBack();
    expect(await amountOf(page)).toBe('77');
    await page.goForward();
    expect(await page.locator('#address').inputValue()).toBe(BITCOIN);
    await page.reload();
    expect(await amountOf(page)).toBe('77');
    await choose(page, 'moonpay');
    expect(await page.locator('#address').inputValue()).toBe(BITCOIN);
    await order(page, BITCOIN);
    await page.goBack();
    expect(await amountOf(page)).toBe('77');
    expect(page.url()).not.toContain('#order=');
  });

  it('takes back an order under way: what is ordered next is what is shown', async () => {
    const page = await world.open({ country: 'DE', onlyOnramps: 'moonpay' });
    const sent: number[] = [];
    let release = () => {};
    const released = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/checkout/intent?*', async route => {
      sent.push(route.request().postDataJSON().amount);
      if (sent.length === 1) await released;
      await route.continue();
    });
    const press = () => page.locator('.card > .primary').click();
    await choose(page, 'moonpay');
    await page.locator('#address').fill(BITCOIN);
    await page.locator('#address-note.good').waitFor();
    await press();
    await expect.poll(() => sent.length).toBe(1);
    await page.locator('.round').click();
    await page.locator('#amount-source').fill('50');
    await page.locator('[data-cost=pays] dd', { hasText: '€50' }).waitFor();
    await choose(page, 'moonpay');
    await press();
    release();
    const pay = await payFrame(page);
    expect(sent).toEqual([100, 50]);
    expect(await pay.locator('body').innerText()).toMatch(/\b50(\.00)?\sEUR/);
  });

  it('by the arrow leaves nothing to go back over', async () => {
    const page = await world.open({ country: 'DE', onlyOnramps: 'moonpay' });
    await choose(page, 'moonpay');
    await page.locator('.round').click();
    await page.locator('#amount-source').waitFor();
    await expect.poll(() => page.evaluate('history.state')).toBeNull();
  });

  it('finds nothing kept where storage is forbidden, and works', async () => {
    const page = await world.newPage();
    await page.addInitScript(
      "Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('no') } })",
    );
    await page.goto(`${world.service.url}/widget?apiKey=${world.service.account.publicKey}&country=DE`);
    await page.locator('.offer').first().waitFor();
    await page.reload();
    await page.locator('.offer').first().waitFor();
  });
});
