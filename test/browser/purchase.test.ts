/** Whole orders in a real browser, against the real service and its stand-ins: from a shop's checkout to the last record. */
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import {
  CARDS,
  giveName,
  goOn,
  keepPicture,
  payByCard,
  press,
  reaches,
  scan,
  shown,
  signIn,
  titled,
} from './purchase-person.ts';
import {
  ASKED,
  describeLog,
  follows,
  HASH,
  isDelivered,
  it,
  LIMIT,
  NAMES,
  PROVIDERS,
  scene,
  setScene,
} from './purchase-scene.ts';
import { type Order, type OrderRecord, REFUNDS_TO } from './purchase-world.ts';

setScene();

describe.concurrent('a purchase', LIMIT, () => {
  it.for(PROVIDERS)('by card with %s', async (onramp, { person }) => {
    const order = await scene.world.buy(onramp);
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
    const order = await scene.world.buy('moonpay');
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
    const order = await scene.world.buy('mercuryo');
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
    const order = await scene.world.buy('transak');
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
      const order = await scene.world.buy(onramp, { amount: 650.5, paymentMethod: 'sepabanktransfer' });
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
    const order = await scene.world.buy('moonpay');
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
    const order = await scene.world.sell('moonpay');
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
    const order = await scene.world.sell('moonpay');
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
    const order = await scene.world.sell(onramp, { paymentMethod });
    const page = await person.visit(order.url);
    const provider = await goOn(page);
    await signIn(provider, ['identity']);
    await press(provider, 'payout', 'payout');
    await press(provider, 'deposit', 'deposit');
    await isPaidOut(page, order);
    await keepPicture(page, `sell-${onramp}-completed`);
  });
});

describeLog();
