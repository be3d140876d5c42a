/** Whole orders in a real browser, against the real service and its stand-ins: from a shop's checkout to the last record. */
import { sql } from 'kysely';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from './chromium.ts';
import { startSite } from './pay-world.ts';
import {
  arrive,
  CARDS,
  completeNow,
  control,
  giveCode,
  giveEmail,
  giveName,
  goOn,
  keepPicture,
  type PayPage,
  type Person,
  payByCard,
  press,
  reaches,
  scan,
  shown,
  signIn,
  titled,
} from './purchase-person.ts';
import {
  leadingTo,
  type Order,
  type OrderRecord,
  type PurchaseWorld,
  REFUNDS_TO,
  startPurchaseWorld,
  WALLET,
} from './purchase-world.ts';

const PROVIDERS = ['moonpay', 'transak', 'mercuryo'] as const;
/** What each asks of a person who buys for a hundred euros. */
const ASKED = { moonpay: ['identity'], transak: ['identity'], mercuryo: [] } as const;
const NAMES = { moonpay: 'MoonPay', transak: 'Transak', mercuryo: 'Mercuryo' };
const LIMIT = { timeout: 180_000 };
const HASH = /^[0-9a-f]{64}$/;

let world: PurchaseWorld;
let browser: Browser;

beforeAll(async () => {
  [world, browser] = await Promise.all([startPurchaseWorld(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await world?.service.close();
});

/** Nobody's browser may have anything to complain of, nor ask anybody but us, the sandbox and the shop they are at. */
const it = test.extend<{ person: Person }>({
  person: async ({ task: _ }, use) => {
    const person = await arrive(browser);
    try {
      await use(person);
    } finally {
      await person.leave();
    }
    expect(person.complaints).toEqual([]);
    const known = [world.service.url, world.service.sandbox.url].map(url => new URL(url).host);
    expect([...person.hosts].filter(host => !known.includes(host) && !person.shops.has(host))).toEqual([]);
  },
});

/**
 * The records of an order, which must be of these statuses, given oldest first. One with a question mark may be missing:
 * what the provider says within a moment is taken up together.
 */
async function follows(order: Order, ...way: string[]): Promise<OrderRecord[]> {
  const records = await world.records(order);
  const statuses = records.map(({ status }) => status).reverse();
  const expected = way.filter(word => !word.endsWith('?') || statuses.includes(word.slice(0, -1)));
  expect(statuses).toEqual(expected.map(word => word.replace('?', '')));
  return records;
}

/** Checks the page and the records of a purchase that went well. */
async function isDelivered(page: PayPage, order: Order, ...way: string[]): Promise<OrderRecord[]> {
  await reaches(page, 'completed');
  const records = await follows(order, 'new', ...way, 'completed');
  const [last, ...before] = records as [OrderRecord, ...OrderRecord[]];
  expect(await shown(page, '#status-title')).toBe('Completed');
  expect(await shown(page, '#hash-text')).toBe(last.transactionHash);
  expect(await shown(page, '[data-row=gets] dd')).toBe(`${last.outAmount} BTC`);
  expect(await shown(page, '#status-lead')).toBe(`${last.outAmount} BTC went to your wallet.`);
  expect(await shown(page, '#wallet')).toBe(WALLET);
  expect(last.transactionHash).toMatch(HASH);
  expect(last.outAmount).toBeGreaterThan(0);
  expect(last.onrampTransactionId).not.toBe('');
  expect(last).toMatchObject({ transactionType: 'buy', walletAddress: WALLET, statusReason: '' });
  expect(last).toMatchObject({ sourceCurrency: 'eur', targetCurrency: 'btc', inAmount: before[0]?.inAmount });
  for (const record of before) expect(record).toMatchObject({ transactionHash: '', outAmount: 0 });
  // Nothing is left to be done.
  expect(await page.locator('#open-button, #again-button, iframe').filter({ visible: true }).count()).toBe(0);
  return records;
}

describe.concurrent('a purchase', LIMIT, () => {
  it.for(PROVIDERS)('by card with %s', async (onramp, { person }) => {
    const order = await world.buy(onramp);
    expect(order.type).toBe(onramp === 'mercuryo' ? 'redirect' : 'iframe');
    const page = await person.visit(order.url);
    expect(await page.title()).toBe(`Buy BTC with ${NAMES[onramp]}`);
    expect(await shown(page, '#open-button')).toBe(`Continue with ${NAMES[onramp]}`);
    expect(await shown(page, '[data-row=pays] dd')).toBe('100.00 EUR');
    expect(await shown(page, '#reference')).toBe(order.transactionId);
    const provider = await goOn(page);
    await signIn(provider, ASKED[onramp]);
    await payByCard(provider);
    const [last] = await isDelivered(page, order, 'pending?', 'paid?');
    expect(last).toMatchObject({ onramp, inAmount: 100, paymentMethod: 'creditcard' });
    await keepPicture(page, `buy-${onramp}-completed`);
  });

  it('that the bank asks back about, approved', async ({ person }) => {
    const order = await world.buy('moonpay');
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await payByCard(provider, CARDS.secure);
    await reaches(page, 'pending');
    expect(await shown(page, '#status-title')).toBe('Payment under way');
    await keepPicture(page, 'buy-moonpay-secure');
    await press(provider, 'secure', 'approve');
    await isDelivered(page, order, 'pending');
  });

  it('that the bank asks back about, refused and given up', async ({ person }) => {
    const order = await world.buy('mercuryo');
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, []);
    await payByCard(provider, CARDS.secure);
    await reaches(page, 'pending');
    await press(provider, 'secure', 'refuse');
    await press(provider, 'declined', 'give-up');
    await reaches(page, 'failed');
    expect(await shown(page, '#status-title')).toBe('The purchase did not go through');
    expect(await shown(page, '#again-button')).toBe('Start again');
    const [last] = await follows(order, 'new', 'pending', 'failed');
    expect(last).toMatchObject({ transactionHash: '', outAmount: 0 });
    await keepPicture(page, 'buy-mercuryo-failed');
  });

  it('with a card that is declined, then with another', async ({ person }) => {
    const order = await world.buy('transak');
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await payByCard(provider, CARDS.declined);
    await press(provider, 'declined', 'retry');
    await payByCard(provider);
    await isDelivered(page, order, 'pending?', 'paid?');
  });

  it.for(['moonpay', 'transak'] as const)(
    'by bank transfer with %s, for which a document is seen',
    async (onramp, { person }) => {
      const order = await world.buy(onramp, { amount: 650.5, paymentMethod: 'sepabanktransfer' });
      const page = await person.visit(order.url);
      const provider = await goOn(page);
      await signIn(provider, ['identity', 'document']);
      expect(await provider.locator('main[data-stage=bank] dl').innerText()).toContain('650.50 EUR');
      await press(provider, 'bank', 'sent');
      const [last] = await isDelivered(page, order, 'pending?', 'paid?');
      expect(last).toMatchObject({ inAmount: 650.5, paymentMethod: 'sepabanktransfer' });
    },
  );

  it('by somebody the provider does not want', async ({ person }) => {
    const order = await world.buy('moonpay');
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, []);
    await giveName(provider, 'Deny');
    await reaches(page, 'failed');
    expect(await shown(page, '#reason')).toBe('MoonPay says: Identity verification was rejected');
    expect(await page.locator('iframe').count()).toBe(0);
    const [last] = await follows(order, 'new', 'failed');
    expect(last).toMatchObject({ transactionHash: '', statusReason: 'Identity verification was rejected' });
    await keepPicture(page, 'buy-moonpay-denied');
  });
});

describe.concurrent('a sale', LIMIT, () => {
  /** Checks the page and the records of a sale that went well. */
  async function isPaidOut(page: Page, order: Order): Promise<void> {
    await reaches(page, 'completed');
    const [last, ...before] = (await follows(order, 'new', 'pending?', 'paid?', 'completed')) as [
      OrderRecord,
      ...OrderRecord[],
    ];
    expect(last).toMatchObject({ transactionType: 'sell', inAmount: 0.003, walletAddress: REFUNDS_TO });
    expect(last).toMatchObject({ sourceCurrency: 'btc', targetCurrency: 'eur', statusReason: '' });
    expect(last.outAmount).toBeGreaterThan(0);
    expect(last.transactionHash).toMatch(HASH);
    for (const record of before) expect(record.outAmount).toBe(0);
    // The hash is that of the coins that came in.
    expect(before.at(-1)).toMatchObject({ status: 'new', transactionHash: '' });
    expect(await shown(page, '#hash-text')).toBe(last.transactionHash);
    expect((await shown(page, '[data-row=gets] dd')).replace(',', '')).toBe(
      `${last.outAmount.toFixed(2)} EUR`,
    );
    expect(await page.locator('#deposit').isVisible()).toBe(false);
  }

  it('at MoonPay, with the address to read and to scan on our page', async ({ person }) => {
    const order = await world.sell('moonpay');
    const page = await person.visit(order.url);
    expect(await page.title()).toBe('Sell BTC with MoonPay');
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await press(provider, 'payout', 'payout');
    await titled(page, 'Send your coins');
    const address = await provider.locator('main[data-stage=deposit] code').first().innerText();
    expect(await shown(page, '#deposit-address')).toBe(address);
    expect(await shown(page, '#deposit-amount')).toBe('0.003');
    expect(await scan(page)).toBe(`bitcoin:${address}?amount=0.003`);
    await keepPicture(page, 'sell-moonpay-deposit');

    // Whoever sends from a wallet elsewhere comes back to our page for the address.
    await press(provider, 'deposit', 'return');
    await page.locator('#frame iframe').waitFor({ state: 'detached' });
    expect(await shown(page, '#deposit-address')).toBe(address);
    expect(await shown(page, '#stage-note')).toContain('You are back from MoonPay');
    await page.reload();
    expect(await shown(page, '#deposit-address')).toBe(address);
    expect(await scan(page)).toBe(`bitcoin:${address}?amount=0.003`);

    await press(await goOn(page), 'deposit', 'deposit');
    await isPaidOut(page, order);
    await keepPicture(page, 'sell-moonpay-completed');
  });

  it('whose payout fails, so that the coins come back', async ({ person }) => {
    const order = await world.sell('moonpay');
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await press(provider, 'payout', 'payout');
    await press(provider, 'deposit', 'deposit-refund');
    await reaches(page, 'refunded');
    expect(await shown(page, '#status-title')).toBe('Returned');
    expect(await shown(page, '#reason')).toContain('The payout was rejected by the bank');
    expect(await shown(page, '#hash-text-label')).toBe('Hash of the coins you sent');
    expect(await shown(page, '[data-row=pays] dt')).toBe('Returned');
    const [last] = await follows(order, 'new', 'pending?', 'paid?', 'refunded');
    expect(last).toMatchObject({ outAmount: 0, walletAddress: REFUNDS_TO });
    expect(await page.locator('#open-button, #deposit').filter({ visible: true }).count()).toBe(0);
    await keepPicture(page, 'sell-moonpay-refunded');
  });

  it.for([
    ['transak', 'sepabanktransfer'],
    ['mercuryo', 'creditcard'],
  ] as const)('at %s, paid out by %s', async ([onramp, paymentMethod], { person }) => {
    const order = await world.sell(onramp, { paymentMethod });
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await press(provider, 'payout', 'payout');
    await press(provider, 'deposit', 'deposit');
    await isPaidOut(page, order);
    await keepPicture(page, `sell-${onramp}-completed`);
  });
});

describe.concurrent('an order that comes to nothing', LIMIT, () => {
  it.for([
    ['transak', 'card', 'canceled'],
    ['mercuryo', 'code', 'canceled'],
    // They have no word for a customer who leaves.
    ['moonpay', 'identity', 'failed'],
  ] as const)('canceled at %s (%s): %s, and started again', async ([onramp, at, end], { person }) => {
    const first = await world.buy(onramp);
    const page = await person.visit(first.url);
    const left = await goOn(page);
    await giveEmail(left);
    if (at !== 'code') await giveCode(left);
    if (at === 'card') await press(left, 'identity', 'identity');
    await press(left, at, 'cancel');
    await reaches(page, end);
    if (end === 'canceled') expect(await shown(page, '#status-title')).toBe('The purchase was canceled');
    else expect(await shown(page, '#reason')).toBe('MoonPay says: Cancelled by the customer');
    expect(await shown(page, '#again-button')).toBe('Start again');
    expect(await page.locator('#frame iframe').count()).toBe(0);
    await follows(first, 'new', end);
    await keepPicture(page, `buy-${onramp}-${end}`);

    await page.locator('#again-button').click();
    await page.waitForURL(url => url.href !== first.url);
    const transactionId = await shown(page, '#reference');
    expect(transactionId).not.toBe(first.transactionId);
    expect(await shown(page, '[data-row=pays] dd')).toBe('100.00 EUR');
    expect(await shown(page, '#wallet')).toBe(WALLET);
    await completeNow(await goOn(page));
    const [last] = await isDelivered(page, { ...first, transactionId }, 'pending?', 'paid?');
    expect(last).toMatchObject({ onramp, inAmount: 100, paymentMethod: 'creditcard' });
    await follows(first, 'new', end);
  });

  it('because nobody went on with it, is said while the page is open', async ({ person }) => {
    const order = await world.buy('transak');
    const page = await person.visit(order.url);
    await expire(order);
    await world.lookNow(order);
    await reaches(page, 'expired');
    expect(await shown(page, '#status-title')).toBe('The session has expired');
    expect(await page.locator('#open-button, #reason').filter({ visible: true }).count()).toBe(0);
    const [last] = await follows(order, 'new', 'expired');
    expect(last?.statusReason).toBe('The session ended before the provider’s page was opened');
    await keepPicture(page, 'buy-transak-expired');
    await page.locator('#again-button').click();
    await page.waitForURL(url => url.href !== order.url);
    expect(await shown(page, '#open-button')).toBe('Continue with Transak');
  });

  it('is started again as soon as its page says that it has expired', async ({ person }) => {
    const order = await world.buy('moonpay');
    await expire(order);
    const page = await person.visit(order.url);
    expect(await shown(page, '#status-title')).toBe('The session has expired');
    await keepPicture(page, 'buy-moonpay-lapsed');
    const answer = page.waitForResponse(response => response.url().endsWith('/again'));
    await page.locator('#again-button').click();
    expect((await answer).status()).toBe(200);
    await page.waitForURL(url => url.href !== order.url);
    expect(await shown(page, '#open-button')).toBe('Continue with MoonPay');
  });

  it('because it expired at the provider', async ({ person }) => {
    const order = await world.sell('moonpay');
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await press(provider, 'payout', 'payout');
    await titled(page, 'Send your coins');
    await provider.locator('.tools [data-action=expire]').click();
    await reaches(page, 'expired');
    expect(await shown(page, '#status-title')).toBe('The sale has expired');
    expect(await page.locator('#deposit').isVisible()).toBe(false);
    expect(await shown(page, '#again-button')).toBe('Start again');
    await follows(order, 'new', 'expired');
    await keepPicture(page, 'sell-moonpay-expired');
  });

  const expire = ({ transactionId }: Order) =>
    world.run(sql`
      update transactions set expires_at = now() - interval '1 second' where id = ${transactionId}`);
});

describe.concurrent('coming back', LIMIT, () => {
  it('by reloading at every stage', async ({ person }) => {
    const order = await world.buy('moonpay');
    const page = await person.visit(order.url);
    const again = async (label = 'Open MoonPay again') => {
      await page.reload();
      expect(await shown(page, '#open-button')).toBe(label);
      return goOn(page);
    };
    await giveEmail(await again('Continue with MoonPay'));
    await giveCode(await again());
    await press(await again(), 'identity', 'identity');
    await payByCard(await again(), CARDS.secure);
    await reaches(page, 'pending');
    const provider = await again('Open MoonPay’s page again');
    await control(provider, 'secure', 'approve').waitFor();
    await press(provider, 'secure', 'approve');
    // At whatever point of the delivery that is.
    await control(provider, 'secure', 'approve').waitFor({ state: 'detached' });
    await page.reload();
    await isDelivered(page, order, 'pending');
    await page.reload();
    await isDelivered(page, order, 'pending');
  });

  it('after the provider’s window was closed', async ({ person }) => {
    const order = await world.buy('mercuryo');
    const page = await person.visit(order.url);
    const first = (await goOn(page)) as Page;
    await giveEmail(first);
    await control(first, 'code', 'code').waitFor();
    await first.close();
    expect(await shown(page, '#open-button')).toBe('Open Mercuryo again');
    const second = (await goOn(page)) as Page;
    await giveCode(second);
    await payByCard(second);
    const [last] = await isDelivered(page, order, 'pending?', 'paid?');
    // The provider shows the same, leads back to the order, and its window closes.
    await control(second, 'end', 'return').waitFor();
    const said = await second.locator('main dl').innerText();
    expect(said).toContain(`${last?.outAmount} BTC`);
    expect(said).toContain(last?.transactionHash);
    const closed = second.waitForEvent('close');
    await press(second, 'end', 'return');
    await closed;
    expect(page.isClosed()).toBe(false);
  });

  it('in another window: what was left behind ends nothing', async ({ person }) => {
    const order = await world.buy('transak', { paymentMethod: 'sepabanktransfer' });
    const page = await person.visit(order.url);
    const first = await goOn(page);
    await signIn(first, ['identity']);
    await control(first, 'bank', 'sent').waitFor();
    const left = page
      .frames()
      .find(frame => frame.url().includes('/flow/'))
      ?.url();
    const [second] = await Promise.all([
      person.context.waitForEvent('page'),
      page.locator('#elsewhere').click(),
    ]);
    // They make another order of it, under the same reference.
    await signIn(second, ['identity']);
    await press(second, 'bank', 'sent');
    await reaches(page, 'pending');
    await fetch(`${left}/expire`, { method: 'POST', redirect: 'manual' });
    await control(second, 'end', 'return').waitFor();
    await page.locator('#pay:is([data-status=completed], [data-status=expired])').waitFor();
    expect(await page.locator('#pay').getAttribute('data-status')).toBe('completed');
    await isDelivered(page, order, 'pending?', 'paid?');
  });

  it('in another browser, to what is true by then', async ({ person }) => {
    const order = await world.buy('moonpay');
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await payByCard(provider, CARDS.secure);
    await reaches(page, 'pending');
    await page.close();

    const other = await arrive(browser);
    const later = await other.visit(order.url);
    expect(await shown(later, '#status-title')).toBe('Payment under way');
    await press(await goOn(later), 'secure', 'approve');
    await isDelivered(later, order, 'pending');
    await other.leave();
    expect(other.complaints).toEqual([]);
    const last = await person.visit(order.url);
    expect(await shown(last, '#status-title')).toBe('Completed');
  });

  it('not at all: a second tab follows along', async ({ person }) => {
    const order = await world.buy('moonpay');
    const first = await person.visit(order.url);
    const second = await person.visit(order.url);
    const provider = await goOn(first);
    await signIn(provider, ['identity']);
    await payByCard(provider, CARDS.secure);
    await reaches(second, 'pending');
    expect(await shown(second, '#status-title')).toBe('Payment under way');
    await press(provider, 'secure', 'approve');
    await isDelivered(second, order, 'pending');
    await isDelivered(first, order, 'pending');
  });
});

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
    const order = await world.buy('moonpay', { supportedParams: { theme } });
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
      const account = await world.newShop(shop.url);
      const thanks = `${shop.url}/thanks?order=7`;
      const supportedParams = leadingTo(encodeURIComponent(thanks));
      const order = await world.buy('moonpay', { supportedParams }, account);
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
      expect(shop.asked).toEqual([{ path: '/thanks?order=7', referer: `${world.service.url}/` }]);
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
        const order = await world.buy(onramp, {}, await world.newShop(origin));
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
            origin: world.service.url,
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
      const account = await world.newShop('https://shop.example');
      for (const order of [await world.buy('moonpay', {}, account), await world.buy('moonpay')]) {
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
    world.fault('moonpay', 'webhooks-lost');
    world.fault('mercuryo', 'webhooks-twice');
    world.fault('transak', 'webhooks-shuffled');
  });
  afterAll(() => {
    for (const provider of PROVIDERS) world?.fault(provider, 'none');
  });

  it.concurrent('that are lost are made up for by look-ups', LIMIT, async ({ person }) => {
    const before = await world.heard('moonpay');
    const order = await world.buy('moonpay');
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await payByCard(provider);
    await control(provider, 'end', 'return').waitFor();
    expect(await world.heard('moonpay')).toBe(before);
    await world.lookNow(order);
    await isDelivered(page, order, 'pending?');
  });

  it.concurrent.for([
    ['mercuryo', 'twice'],
    ['transak', 'in another order'],
  ] as const)('of %s that come %s change nothing', LIMIT, async ([onramp], { person }) => {
    const order = await world.buy(onramp);
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ASKED[onramp]);
    await payByCard(provider, CARDS.secure);
    await press(provider, 'secure', 'approve');
    await isDelivered(page, order, 'pending?', 'paid?');
  });
});

describe('the log', () => {
  test('holds nobody’s wallet address', () => {
    const lines = world.service.logged();
    expect(lines).toContain('/checkout/intent');
    expect(lines).not.toContain(WALLET);
    expect(lines).not.toContain(REFUNDS_TO);
    // Addresses to send to, as the stand-ins make them up.
    expect(lines).not.toContain('bc1qmdswsavc80xlfz8gs7s40pg7g6znwragpkjufy');
    expect(lines).not.toContain('jane.doe');
  });
});
