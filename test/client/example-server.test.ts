/** The examples' shop makes one checkout of one order, however often it is asked for at once. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, it, vi } from 'vitest';
import type { CheckoutIntent } from '../../client/src/index.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../client/examples/node-server/server.js');

/** The example with the client as it stands here, whether or not there is a package of it. */
async function loadExample() {
  const { outputFiles } = await build({
    entryPoints: [EXAMPLE],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
}

/** A service whose every quote is another one, and comes only when all have been asked for. */
function pretend(asks: number) {
  const intents: [CheckoutIntent, unknown][] = [];
  let asked = 0;
  const client = {
    async quotes() {
      const quoteId = `quote ${++asked}`;
      await vi.waitUntil(() => asked === asks);
      return [{ ramp: 'moonpay', quoteId }];
    },
    async checkout(intent: CheckoutIntent, options: unknown) {
      intents.push([intent, options]);
      return { transactionInformation: { url: `pay ${intent.metaData?.quoteId}` } };
    },
  };
  return { client, intents };
}

it('asks for the same checkout when the same order comes twice at once', async () => {
  const { createShop } = await loadExample();
  const { client, intents } = pretend(2);
  const shop: Server = createShop({ client, webhookSecret: '' }).listen(0, '127.0.0.1');
  await once(shop, 'listening');
  const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/orders`;
  const order = async () => {
    const body = JSON.stringify({ id: 'order-1', amount: '100', wallet: 'x' });
    const answer = await fetch(url, { method: 'POST', body });
    return [answer.status, ((await answer.json()) as { payUrl: string }).payUrl];
  };
  try {
    const [first, second] = await Promise.all([order(), order()]);
    expect(first).toEqual([201, expect.stringMatching(/^pay quote [12]$/)]);
    expect(second).toEqual(first);
    expect(intents).toHaveLength(2);
    expect(intents[1]).toEqual(intents[0]);
    expect(intents[0]?.[1]).toEqual({ idempotencyKey: 'order-1' });
  } finally {
    shop.closeAllConnections();
    shop.close();
  }
});
