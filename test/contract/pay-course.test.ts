/** Orders from the pay page on: told as they go, whole purchases and sales at the providers’ own pages, and starting over. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderId, Side } from '../../src/domain/words.ts';
import { type Answers, readAnswers } from './answers.ts';
import { other, setPair, world } from './pair.ts';
import { eventually } from './patience.ts';
import { type Instance, MERCURYO, MOONPAY, PROVIDERS, TRANSAK } from './world.ts';
import { deliver, moonpayHook } from './world-hooks.ts';
import {
  bodyOf,
  eventsOf,
  expectWatched,
  makeDue,
  type Order,
  openPage,
  order,
  reaches,
  rowOf,
  statusesOf,
  WALLET,
} from './world-orders.ts';
import { type HostedPage, introduce, press, visit } from './world-person.ts';

setPair();

let answers: Answers;
beforeAll(async () => {
  answers = await readAnswers(world.get);
});
afterEach(() => expectWatched(world));

const STEP_MS = 800;
const SESSION = '/auth/session';

/** Follows the events of an order; what was told so far, with the time each came at. */
async function follow(at: Instance, path: string) {
  const told: { status: string; sequence: number; at: number }[] = [];
  let ended = false;
  const asked = request(`${at.url}${path}/events`, { agent: false }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', chunk => {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, data] = /^event: status\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (data) told.push({ ...JSON.parse(data), at: Date.now() });
    }
  });
  response.on('end', () => {
    ended = true;
  });
  response.on('error', () => {});
  return {
    status: response.statusCode,
    headers: response.headers,
    told,
    ended: () => ended,
    stop: () => void asked.destroy(),
  };
}

describe('the events', () => {
  test('200 tell at once what is, and within two seconds what another instance has written, to the end', async () => {
    const made = await order(world, bodyOf(TRANSAK));
    const page = await introduce(await visit(await openPage(world, made)));
    await eventually(async () => (await rowOf(world, made.id)).theirs !== '', 'the order is known');
    // The webhooks go to the first instance.
    const stream = await follow(other, made.path);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    await eventually(() => stream.told.length > 0, 'the present state is told');
    expect(stream.told[0]?.status).toBe('new');
    const delays: number[] = [];
    const hear = async (status: string) => {
      await reaches(world, made.id, status);
      const written = Date.now();
      await eventually(() => stream.told.at(-1)?.status === status, `${status} is told`);
      delays.push((stream.told.at(-1)?.at ?? 0) - written);
    };
    await press(await press(page, 'card'), 'approve');
    await hear('pending');
    world.pass(STEP_MS);
    await hear('paid');
    world.pass(STEP_MS);
    await hear('completed');
    // Of three, not all can have been held up by a machine that is busy with something else.
    expect(Math.min(...delays)).toBeLessThan(2_000);
    await eventually(stream.ended, 'it ends with the order');
    const sequences = stream.told.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    const again = await follow(other, made.path);
    await eventually(again.ended, 'what has ended is told once');
    expect(again.told.map(({ status }) => status)).toEqual(['completed']);
  });

  test('429 for more than ten readers of one order, with when to come back', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    const streams = [];
    for (let reader = 0; reader < 10; reader++) streams.push(await follow(world, made.path));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    const reply = await world.get(`${made.path}/events`);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    for (const stream of streams) stream.stop();
    await eventually(async () => {
      const stream = await follow(world, made.path);
      stream.stop();
      return stream.status === 200;
    }, 'there is room again');
  });
});

/** Has an order end without anything having come of it. */
async function expire({ id }: Order): Promise<void> {
  await sql`update transactions set expires_at = now() where id = ${id}`.execute(world.database);
  await makeDue(world, id);
  await reaches(world, id, 'expired');
}

describe('starting over', () => {
  test('200 after expiry makes a new transaction with the same order, at another page', async () => {
    const sent = bodyOf(MOONPAY, 'buy', {
      partnerContext: 'order 8',
      uuid: randomUUID(),
      supportedParams: { theme: { isDark: true, primaryColor: '#123456' } },
    });
    const made = await order(world, sent);
    await expire(made);
    const reply = await world.post(`${made.path}/again`, undefined, { origin: world.url });
    expect([reply.status, reply.body]).toEqual([200, { url: expect.any(String) }]);
    const path = new URL(reply.body.url).pathname;
    expect(path).not.toBe(made.path);
    const state = (await world.get(`${path}/state`)).body;
    expect(state).toMatchObject({ status: 'new', sequence: 1, can: { open: true } });
    const [before, after] = [await rowOf(world, made.id), await rowOf(world, state.transactionId)];
    const same = [
      ...['account_id', 'environment', 'provider', 'side', 'fiat', 'asset', 'method', 'country', 'source'],
      ...['target', 'amount', 'native', 'wallet_address', 'wallet_memo', 'partner_context', 'uuid'],
      ...['originating_host', 'theme', 'return_to', 'origin'],
    ] as (keyof typeof before)[];
    for (const name of same) expect([name, after[name]]).toEqual([name, before[name]]);
    expect(after.created_at > before.created_at).toBe(true);
    expect(after.expires_at.getTime() - after.created_at.getTime()).toBe(600_000);
    expect((await rowOf(world, made.id)).status).toBe('expired');
    // The new one can be gone on with.
    await openPage(world, { ...made, path });
  });

  test('200 twice for who presses twice leads to one new transaction', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    await expire(made);
    const press = (at: Instance) => at.post(`${made.path}/again`, undefined, { origin: at.url });
    const pages = (await Promise.all([press(world), press(world)])).map(({ body }) => body.url);
    pages.push((await press(world)).body.url);
    expect(new Set(pages).size).toBe(1);
  });

  test('200 in the end though the new transaction was never answered, or declined', async () => {
    const made = await order(world, bodyOf(TRANSAK));
    await expire(made);
    const press = () => world.post(`${made.path}/again`, undefined, { origin: world.url });
    const begun = () =>
      world.database
        .selectFrom('idempotency_keys')
        .select('transaction_id as id')
        .where('key', 'like', 'again · %')
        .where('answer', 'is', null)
        .orderBy('transaction_id', 'desc')
        .executeTakeFirstOrThrow();

    world.gate.answer(TRANSAK, { part: SESSION, status: 500, body: '{}' });
    expect((await press()).status).toBe(502);
    const unanswered = await begun();
    // While it may still be answered nothing else is begun.
    expect((await press()).status).toBe(502);
    expect(await begun()).toEqual(unanswered);
    await sql`update transactions set created_at = created_at - interval '1 minute' where id = ${unanswered.id}`.execute(
      world.database,
    );
    await makeDue(world, unanswered.id);
    await reaches(world, unanswered.id, 'expired');

    const body = JSON.stringify({
      error: { statusCode: 400, message: 'The minimum order amount is 120 EUR' },
    });
    world.gate.answer(TRANSAK, { part: SESSION, status: 400, body });
    expect((await press()).status).toBe(422);
    expect((await begun()).id).not.toBe(unanswered.id);

    world.gate.answer(TRANSAK, undefined);
    const pages = [await press(), await press()];
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
    expect(pages[0]?.body).toEqual(pages[1]?.body);
    const { pathname } = new URL(pages[0]?.body.url);
    expect((await world.get(`${pathname}/state`)).body).toMatchObject({ status: 'new', can: { open: true } });
  });

  test('303 for a plain form, 409 while it is going on or done, 410 never for what came to nothing', async () => {
    for (const provider of PROVIDERS) {
      const made = await order(world, bodyOf(provider));
      const again = (headers: Record<string, string> = {}) =>
        world.post(`${made.path}/again`, undefined, { origin: world.url, ...headers });
      const early = await again();
      expect([early.status, early.body.field]).toEqual([409, 'session']);
      await expire(made);
      const form = await again({ accept: 'text/html' });
      expect([form.status, form.headers.get('location')]).toEqual([
        303,
        expect.stringContaining(`${world.url}/pay/`),
      ]);
    }
    const paid = await order(world, bodyOf(MOONPAY));
    await deliver(
      world,
      moonpayHook({ id: randomUUID(), status: 'completed', externalTransactionId: paid.id }),
    );
    await reaches(world, paid.id, 'completed');
    const done = await world.post(`${paid.path}/again`, undefined, { origin: world.url });
    expect(done.status).toBe(409);
  });
});

describe('the provider’s page', () => {
  test('409 is not made anew for an order that is paid', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    const open = () => world.post(`${made.path}/open`, undefined, { origin: world.url });
    expect((await open()).status).toBe(200);
    // A bank transfer that has been received.
    const transfer = { status: 'pending', bankDepositInformation: {} };
    await deliver(world, moonpayHook({ id: randomUUID(), ...transfer, externalTransactionId: made.id }));
    await reaches(world, made.id, 'paid');
    const reply = await open();
    expect([reply.status, reply.body.field]).toEqual([409, 'session']);
  });
});

interface Step {
  /** A button, or nothing when time alone passes. */
  press?: string;
  /** Fields of its form. */
  with?: Record<string, string>;
  reaches?: string;
}

interface Journey {
  what: string;
  provider: ProviderId;
  side: Side;
  steps: Step[];
  statuses: string[];
  more?: object;
}

const PAID_BY_CARD: Record<string, Step[]> = {
  moonpay: [{ press: 'card', reaches: 'pending' }, { press: 'approve' }, {}, { reaches: 'completed' }],
  transak: [
    { press: 'card' },
    { press: 'approve', reaches: 'pending' },
    { reaches: 'paid' },
    { reaches: 'completed' },
  ],
  mercuryo: [
    { press: 'card', reaches: 'pending' },
    { press: 'approve', reaches: 'paid' },
    {},
    { reaches: 'completed' },
  ],
};
const SOLD: Record<string, Step[]> = {
  moonpay: [{ press: 'deposit', reaches: 'pending' }, { reaches: 'paid' }, {}, { reaches: 'completed' }],
  transak: [{ press: 'deposit', reaches: 'pending' }, {}, { reaches: 'paid' }, { reaches: 'completed' }],
  mercuryo: [{ press: 'deposit', reaches: 'pending' }, { reaches: 'paid' }, {}, { reaches: 'completed' }],
};
const BOUGHT_STATUSES: Record<string, string[]> = {
  moonpay: ['new', 'pending', 'completed'],
  transak: ['new', 'pending', 'paid', 'completed'],
  mercuryo: ['new', 'pending', 'paid', 'completed'],
};
const ALL = ['new', 'pending', 'paid', 'completed'];
const REFUND = { wallet: { address: WALLET } };
const FAILS: Step[] = [{ press: 'deposit-refund', reaches: 'pending' }, { reaches: 'paid' }, {}];

const JOURNEYS: Journey[] = [
  ...PROVIDERS.map(
    (provider): Journey => ({
      what: 'a purchase by card',
      provider,
      side: 'buy',
      steps: PAID_BY_CARD[provider] ?? [],
      statuses: BOUGHT_STATUSES[provider] ?? [],
    }),
  ),
  ...PROVIDERS.map(
    (provider): Journey => ({
      what: 'a sale',
      provider,
      side: 'sell',
      steps: SOLD[provider] ?? [],
      statuses: ALL,
    }),
  ),
  ...[TRANSAK, MERCURYO].map(
    (provider): Journey => ({
      what: 'a purchase that is refunded afterwards',
      provider,
      side: 'buy',
      steps: [...(PAID_BY_CARD[provider] ?? []), { press: 'refund', reaches: 'refunded' }],
      statuses: [...ALL, 'refunded'],
    }),
  ),
  ...[MOONPAY, MERCURYO].map(
    (provider): Journey => ({
      what: 'a sale whose coins go back to the wallet',
      provider,
      side: 'sell',
      more: REFUND,
      steps: [...FAILS, { reaches: 'refunded' }],
      statuses: ['new', 'pending', 'paid', 'refunded'],
    }),
  ),
  {
    what: 'a sale that fails, with no wallet for the coins to go back to',
    provider: MERCURYO,
    side: 'sell',
    steps: [...FAILS, { reaches: 'failed' }],
    statuses: ['new', 'pending', 'paid', 'failed'],
  },
  ...[TRANSAK, MERCURYO].map(
    (provider): Journey => ({
      what: 'a purchase that the person cancels',
      provider,
      side: 'buy',
      steps: [{ press: 'cancel', reaches: 'canceled' }],
      statuses: ['new', 'canceled'],
    }),
  ),
  {
    what: 'a purchase that the person cancels, for which there is no other word',
    provider: MOONPAY,
    side: 'buy',
    steps: [
      { press: 'card', reaches: 'pending' },
      { press: 'cancel', reaches: 'failed' },
    ],
    statuses: ['new', 'pending', 'failed'],
  },
  {
    what: 'a purchase whose card is declined',
    provider: TRANSAK,
    side: 'buy',
    steps: [
      { press: 'card', with: { number: '4000 0000 0000 0002' } },
      { press: 'give-up', reaches: 'failed' },
    ],
    statuses: ['new', 'failed'],
  },
];

describe('from the checkout to the record, by way of the provider’s pages', () => {
  for (const { what, provider, side, steps, statuses, more } of JOURNEYS) {
    test(`200 for ${what} at ${provider}: ${statuses.join(', ')}`, async () => {
      const made = await order(world, bodyOf(provider, side, { partnerContext: 'journey', ...more }));
      let page: HostedPage = await introduce(await visit(await openPage(world, made)));
      for (const step of steps) {
        if (step.press) page = await press(page, step.press, step.with);
        else {
          world.pass(STEP_MS);
          page = await visit(page.url, { cookie: page.cookie });
        }
        if (step.reaches) await reaches(world, made.id, step.reaches);
      }
      expect(await statusesOf(world, made.id)).toEqual(statuses);
      const told = await eventsOf(world, made.id);
      expect(told.filter((status, at) => status !== told[at - 1])).toEqual(statuses);

      const keys = { authorization: world.key, 'x-service-secret': world.account.secret };
      const list = await world.get(`/transactions?transactionIds=${made.id}`, keys);
      expect(answers.flaws('/transactions', list)).toEqual([]);
      const records = list.body.transactions;
      expect(records.map(({ status }: { status: string }) => status)).toEqual(statuses.toReversed());
      const [last] = records;
      expect((await world.get(`/transactions/${made.id}`, keys)).body).toEqual(last);
      expect(last).toMatchObject({
        apiKey: world.key,
        country: 'de',
        onramp: provider,
        onrampTransactionId: expect.stringMatching(/./),
        transactionId: made.id,
        transactionType: side,
        partnerContext: 'journey',
        paymentMethod: 'creditcard',
      });
      if (last.status === 'completed') {
        expect([last.inAmount, last.outAmount > 0]).toEqual([side === 'buy' ? 100 : 0.01, true]);
        expect(last.transactionHash).toMatch(/^[0-9a-f]{64}$/);
      }
      expect(records.at(-1)).toMatchObject({ status: 'new', transactionHash: '', outAmount: 0 });
      // The person sees the same.
      const { status, can } = (await world.get(`${made.path}/state`)).body;
      expect([status, can.open]).toEqual([statuses.at(-1), false]);
      expect((await rowOf(world, made.id)).contradicted).toBe(false);
    });
  }

  test('200 shows where to send what is sold, as long as it is waited for', async () => {
    const made = await order(world, bodyOf(MOONPAY, 'sell'));
    const page = await introduce(await visit(await openPage(world, made)));
    await eventually(async () => (await rowOf(world, made.id)).deposit !== null, 'the address is known');
    const [, address = ''] = /<dt>Address<\/dt><dd[^>]*><code>([^<]+)/.exec(page.text) ?? [];
    const state = (await world.get(`${made.path}/state`)).body;
    expect(state.deposit).toMatchObject({ address, amount: '0.01' });
    await press(page, 'deposit');
    world.pass(STEP_MS);
    await reaches(world, made.id, 'paid');
    expect((await world.get(`${made.path}/state`)).body.deposit).toBeNull();
  });
});
