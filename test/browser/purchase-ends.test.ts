/** Orders in a real browser that come to nothing, and people who leave and come back, with the real service and its stand-ins. */
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import {
  arrive,
  CARDS,
  completeNow,
  control,
  giveCode,
  giveEmail,
  goOn,
  keepPicture,
  payByCard,
  press,
  reaches,
  shown,
  signIn,
  titled,
} from './purchase-person.ts';
import { describeLog, follows, isDelivered, it, LIMIT, scene, setScene } from './purchase-scene.ts';
import { type Order, WALLET } from './purchase-world.ts';

setScene();

describe.concurrent('an order that comes to nothing', LIMIT, () => {
  it.for([
    ['transak', 'card', 'canceled'],
    ['mercuryo', 'code', 'canceled'],
    // They have no word for a customer who leaves.
    ['moonpay', 'identity', 'failed'],
  ] as const)('canceled at %s (%s): %s, and started again', async ([onramp, at, end], { person }) => {
    const first = await scene.world.buy(onramp);
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
    const order = await scene.world.buy('transak');
    const page = await person.visit(order.url);
    await expire(order);
    await scene.world.lookNow(order);
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
    const order = await scene.world.buy('moonpay');
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
    const order = await scene.world.sell('moonpay');
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
    scene.world.run(sql`
      update transactions set expires_at = now() - interval '1 second' where id = ${transactionId}`);
});

describe.concurrent('coming back', LIMIT, () => {
  it('by reloading at every stage', async ({ person }) => {
    const order = await scene.world.buy('moonpay');
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
    const order = await scene.world.buy('mercuryo');
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
    const order = await scene.world.buy('transak', { paymentMethod: 'sepabanktransfer' });
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
    const order = await scene.world.buy('moonpay');
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await payByCard(provider, CARDS.secure);
    await reaches(page, 'pending');
    await page.close();

    const other = await arrive(scene.browser);
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
    const order = await scene.world.buy('moonpay');
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

describeLog();
