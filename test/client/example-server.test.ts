/** The examples' shop: one checkout of one order, another after a refusal, and what came of it however often it was started. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { CheckoutIntent } from '../../client/src/index.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../client/examples/node-server/server.js');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let createShop: (options: { client: object; webhookSecret: string }) => Server;
let shop: Server;

/** The example with the client as it stands here, whether or not there is a package of it. */
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [EXAMPLE],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  const code = `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`;
  ({ createShop } = await import(code));
});
afterEach(() => {
  shop.closeAllConnections();
  shop.close();
});

/** A service whose every quote is another one, and comes only when so many have been asked for. */
function pretend({ atOnce = 1, refuse = (_: CheckoutIntent): unknown => undefined } = {}) {
  const made: [CheckoutIntent, { idempotencyKey: string }][] = [];
  let asked = 0;
  const client = {
    async quotes() {
      const quoteId = `quote ${++asked}`;
      await vi.waitUntil(() => asked >= atOnce);
      return [{ ramp: 'moonpay', quoteId }];
    },
    async checkout(intent: CheckoutIntent, options: { idempotencyKey: string }) {
      made.push([intent, options]);
      const refusal = refuse(intent);
      if (refusal) throw refusal;
      return { transactionInformation: { url: `pay ${intent.metaData?.quoteId}` } };
    },
  };
  return { client, made };
}

async function open(client: object) {
  shop = createShop({ client, webhookSecret: SECRET }).listen(0, '127.0.0.1');
  await once(shop, 'listening');
  const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  return {
    async order(wallet: string) {
      const body = JSON.stringify({ id: 'order-1', amount: '100', wallet });
      const answer = await fetch(`${url}/orders`, { method: 'POST', body });
      return [answer.status, ((await answer.json()) as { payUrl?: string }).payUrl];
    },
    async answers() {
      const body = JSON.stringify({ id: 'order-1', amount: '100', wallet: 'x' });
      const made = await fetch(`${url}/orders`, { method: 'POST', body });
      return [await made.json(), await (await fetch(`${url}/orders/order-1`)).json()];
    },
    async state() {
      return ((await (await fetch(`${url}/orders/order-1`)).json()) as { state: string }).state;
    },
    async hear(transactionId: string, sequence: number, status: string) {
      const id = `msg_${transactionId}-${sequence}`;
      const body = JSON.stringify({ transactionId, status, partnerContext: 'order-1' });
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': new Webhook(SECRET).sign(id, new Date(), body),
      };
      const answer = await fetch(`${url}/hooks/cloverleaf`, { method: 'POST', body, headers });
      expect(answer.status).toBe(204);
    },
  };
}

it('asks for the same checkout when the same order comes twice at once', async () => {
  const { client, made } = pretend({ atOnce: 2 });
  const { order } = await open(client);
  const [first, second] = await Promise.all([order('x'), order('x')]);
  expect(first).toEqual([201, expect.stringMatching(/^pay quote [12]$/)]);
  expect(second).toEqual(first);
  expect(made).toHaveLength(2);
  expect(made[1]).toEqual(made[0]);
});

it('makes another checkout of an order whose wallet was refused, and the same one after any other trouble', async () => {
  const refusals: Record<string, string> = { wrong: 'badInput', slow: 'timeout' };
  const refuse = ({ wallet }: CheckoutIntent) => {
    const kind = refusals[wallet?.address ?? ''];
    return kind && Object.assign(new Error(kind), { kind });
  };
  const { client, made } = pretend({ refuse });
  const { order } = await open(client);
  expect(await order('wrong')).toEqual([400, undefined]);
  expect(await order('slow')).toEqual([502, undefined]);
  delete refusals.slow;
  expect(await order('slow')).toEqual([201, 'pay quote 2']);
  const [wrong, lost, again] = made;
  expect(lost?.[1]).not.toEqual(wrong?.[1]);
  expect(again).toEqual(lost);
});

it('tells nobody what was asked for under which key', async () => {
  const { answers } = await open(pretend().client);
  const shown = { id: 'order-1', state: 'open', payUrl: 'pay quote 1' };
  expect(await answers()).toEqual([shown, shown]);
});

it('counts what came furthest when a customer has started again', async () => {
  const { order, state, hear } = await open(pretend().client);
  await order('x');
  await hear('first', 1, 'new');
  await hear('first', 3, 'failed');
  expect(await state()).toBe('ended');
  // An older change of the same transaction, and the first of another.
  await hear('first', 2, 'pending');
  expect(await state()).toBe('ended');
  await hear('second', 1, 'new');
  expect(await state()).toBe('open');
  await hear('second', 2, 'completed');
  await hear('first', 4, 'expired');
  expect(await state()).toBe('delivered');
});
