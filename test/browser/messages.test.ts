/** Messages between pages, in a real browser: ours act on nothing that strangers say, and strangers hear nothing of ours. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allow } from '../../src/app/accounts.ts';
import { startTestService, type TestService } from '../service.ts';
import { openBrowser } from './chromium.ts';
import { tryMessages } from './messages.ts';

let service: TestService;
let browser: Browser;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startTestService({}, { only: ['moonpay', 'transak', 'mercuryo'] as never }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

async function newOrder(): Promise<string> {
  const response = await fetch(`${service.url}/checkout/intent`, {
    method: 'POST',
    headers: { authorization: service.account.publicKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ onramp: 'moonpay', source: 'eur', destination: 'btc', amount: 100 },
      wallet: { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
    }),
  });
  return ((await response.json()) as { message: { transactionInformation: { url: string } } }).message
    .transactionInformation.url;
}

async function register(origin: string): Promise<void> {
  const { publicKey } = service.account;
  await allow(service.database, publicKey, { origins: [origin], redirectHosts: [] });
  const policy = async () =>
    (await service.get(`/widget?apiKey=${publicKey}`)).headers.get('content-security-policy');
  await expect.poll(policy, { timeout: 20_000 }).toContain(origin);
}

it('are acted on only by whom they are meant for, and heard by nobody else', {
  timeout: 120_000,
}, async () => {
  const { url: serviceUrl, account } = service;
  const trials = await tryMessages({ browser, serviceUrl, publicKey: account.publicKey, register, newOrder });
  expect(trials.length).toBeGreaterThan(15);
  expect(trials.filter(({ count, acted, heard }) => count === 0 || acted > 0 || heard > 0)).toEqual([]);
});
