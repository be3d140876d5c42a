/** What whole orders share: a shop's service, a browser, people who come to it, and what is true of every order. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from './chromium.ts';
import { arrive, type PayPage, type Person, reaches, shown } from './purchase-person.ts';
import {
  type Order,
  type OrderRecord,
  type PurchaseWorld,
  REFUNDS_TO,
  startPurchaseWorld,
  WALLET,
} from './purchase-world.ts';

export const PROVIDERS = ['moonpay', 'transak', 'mercuryo'] as const;
/** What each asks of a person who buys for a hundred euros. */
export const ASKED = { moonpay: ['identity'], transak: ['identity'], mercuryo: [] } as const;
export const NAMES = { moonpay: 'MoonPay', transak: 'Transak', mercuryo: 'Mercuryo' };
export const LIMIT = { timeout: 180_000 };
export const HASH = /^[0-9a-f]{64}$/;

export const scene = {} as { world: PurchaseWorld; browser: Browser };

/** Starts both for the tests of a file. */
export function setScene(): void {
  beforeAll(async () => {
    [scene.world, scene.browser] = await Promise.all([startPurchaseWorld(), openBrowser()]);
  });
  afterAll(async () => {
    await scene.browser?.close();
    await scene.world?.service.close();
  });
}

/** Nobody's browser may have anything to complain of, nor ask anybody but us, the sandbox and the shop they are at. */
export const it = test.extend<{ person: Person }>({
  person: async ({ task: _ }, use) => {
    const person = await arrive(scene.browser);
    try {
      await use(person);
    } finally {
      await person.leave();
    }
    expect(person.complaints).toEqual([]);
    const known = [scene.world.service.url, scene.world.service.sandbox.url].map(url => new URL(url).host);
    expect([...person.hosts].filter(host => !known.includes(host) && !person.shops.has(host))).toEqual([]);
  },
});

/**
 * The records of an order, which must be of these statuses, given oldest first. One with a question mark may be missing:
 * what the provider says within a moment is taken up together.
 */
export async function follows(order: Order, ...way: string[]): Promise<OrderRecord[]> {
  const records = await scene.world.records(order);
  const statuses = records.map(({ status }) => status).reverse();
  const expected = way.filter(word => !word.endsWith('?') || statuses.includes(word.slice(0, -1)));
  expect(statuses).toEqual(expected.map(word => word.replace('?', '')));
  return records;
}

/** Checks the page and the records of a purchase that went well. */
export async function isDelivered(page: PayPage, order: Order, ...way: string[]): Promise<OrderRecord[]> {
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

/** The log of all that a file has done: what it says comes last. */
export function describeLog(): void {
  describe('the log', () => {
    test('holds nobody’s wallet address', () => {
      const lines = scene.world.service.logged();
      expect(lines).toContain('/checkout/intent');
      expect(lines).not.toContain(WALLET);
      expect(lines).not.toContain(REFUNDS_TO);
      // Addresses to send to, as the stand-ins make them up.
      expect(lines).not.toContain('bc1qmdswsavc80xlfz8gs7s40pg7g6znwragpkjufy');
      expect(lines).not.toContain('jane.doe');
    });
  });
}
