/** Orders that end while something else happens to them, and the way on from an order that came to nothing, at every provider. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderId } from '../../src/domain/words.ts';
import { registry } from '../../src/providers/registry.ts';
import { eventually } from './patience.ts';
import { MERCURYO, MOONPAY, startWorld, TRANSAK, type World } from './world.ts';
import { deliver, type Hook, moonpayHook, STORIES } from './world-hooks.ts';
import {
  bodyOf,
  intend,
  lookOf,
  lookUp,
  makeDue,
  type Order,
  openedAgo,
  openPage,
  order,
  reaches,
  rowOf,
} from './world-orders.ts';
import { checkOut, findTrade } from './world-purchases.ts';

const GUARDARIAN = 'guardarian' as ProviderId;

let world: World;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true });
});
afterEach(() => {
  for (const { adapter } of registry) world.sandbox.fault(adapter.manifest.id, { kind: 'none', ms: 0 });
});
afterAll(() => world?.close());

const end = (id: string) =>
  sql`update transactions set expires_at = now() where id = ${id}`.execute(world.database);

describe('a session that ends', () => {
  test('410 for a person whose page is being made at that moment, and nobody is sent to pay', async () => {
    const made = await order(world, bodyOf(TRANSAK));
    const hold = world.gate.hold(TRANSAK, '/auth/session');
    const opening = world.post(`${made.path}/open`, undefined, { origin: world.url });
    await eventually(async () => hold.count() === 1, 'the provider makes its page');
    await end(made.id);
    await makeDue(world, made.id);
    await reaches(world, made.id, 'expired');
    hold.release();
    const { status, body } = await opening;
    expect([status, body.field]).toEqual([410, 'session']);
    expect((await rowOf(world, made.id)).opened_at).toBeNull();
  });

  test('does not end for a person who has gone on just before', async () => {
    const made = await order(world, bodyOf(TRANSAK));
    await openPage(world, made);
    await end(made.id);
    await lookUp(world, made.id);
    expect((await rowOf(world, made.id)).status).toBe('new');
  });
});

test('expired after a day at a provider that answers every question with trouble', async () => {
  const made = await order(world, bodyOf(TRANSAK));
  await openPage(world, made);
  world.sandbox.fault(TRANSAK, { kind: 'error', ms: 0 });
  await openedAgo(world, made.id, '24 hours 6 minutes');
  await makeDue(world, made.id);
  await reaches(world, made.id, 'expired');
  expect((await rowOf(world, made.id)).reason).toMatch(/cannot be asked/);
});

test.each(['completed', 'failed'])(
  'let go of once %s, though its provider answers every question with trouble',
  async status => {
    const made = await order(world, bodyOf(TRANSAK));
    await openPage(world, made);
    world.sandbox.fault(TRANSAK, { kind: 'error', ms: 0 });
    await sql`
    update transactions set status = ${status}, status_at = now() - interval '25 hours'
    where id = ${made.id}`.execute(world.database);
    await makeDue(world, made.id);
    await eventually(async () => (await lookOf(world, made.id)) === undefined, 'nobody looks any more');
  },
);

test('looked at for two months when it was given up and its provider had something under way, whatever one look comes to', async () => {
  const made = await order(world, bodyOf(TRANSAK));
  await openPage(world, made);
  await sql`
    insert into notices (transaction_id, key, said, heard_at)
    values (${made.id}, 'told', '{"status":"paid","at":1}', now())`.execute(world.database);
  await sql`
    update transactions set status = 'expired', status_at = now() - interval '25 hours'
    where id = ${made.id}`.execute(world.database);
  world.sandbox.fault(TRANSAK, { kind: 'error', ms: 0 });
  await lookUp(world, made.id);
  expect((await lookOf(world, made.id))?.due_at.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
  await sql`
    update transactions set status_at = now() - interval '61 days' where id = ${made.id}`.execute(
    world.database,
  );
  await makeDue(world, made.id);
  await eventually(async () => (await lookOf(world, made.id)) === undefined, 'nobody looks any more');
});

test('expired when all that the provider has under our name went to another wallet', async () => {
  const made = await order(world, bodyOf(MOONPAY));
  await openPage(world, made);
  await openedAgo(world, made.id, '65 minutes');
  const theirs = { id: randomUUID(), status: 'completed', externalTransactionId: made.id };
  const body = JSON.stringify([{ ...theirs, walletAddress: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }]);
  world.gate.answer(MOONPAY, { part: '/transactions/ext/', status: 200, headers: {}, body });
  try {
    await makeDue(world, made.id);
    await reaches(world, made.id, 'expired');
    expect((await rowOf(world, made.id)).reason).toBe('The provider knows of no order');
  } finally {
    world.gate.answer(MOONPAY, undefined);
  }
});

test('not expired at a provider in trouble that has told of the order, without a name for it', async () => {
  const made = await order(world, bodyOf(TRANSAK));
  await openPage(world, made);
  await sql`
    insert into notices (transaction_id, key, said, heard_at)
    values (${made.id}, 'told', '{"status":"new","at":0}', now())`.execute(world.database);
  world.sandbox.fault(TRANSAK, { kind: 'error', ms: 0 });
  await openedAgo(world, made.id, '3 days');
  await lookUp(world, made.id);
  expect((await rowOf(world, made.id)).status).toBe('new');
});

test('409 for starting over what was given up and then paid; its page says that it is paid, and it completes', async () => {
  const made = await order(world, bodyOf(MERCURYO));
  await openPage(world, made);
  await openedAgo(world, made.id, '61 minutes');
  await makeDue(world, made.id);
  await reaches(world, made.id, 'expired');
  const { hooks } = (STORIES.mercuryo as (typeof STORIES)[string])(made.id, '');
  await deliver(world, hooks[2] as Hook);
  await eventually(async () => (await rowOf(world, made.id)).theirs !== '', 'the payment is told of');
  const { status, reason } = await rowOf(world, made.id);
  expect([status, reason]).toEqual(['expired', 'The provider has told of a payment since']);
  const { body: state } = await world.get(`${made.path}/state`);
  expect([state.texts.title, state.can]).toEqual(['Paid, coins on the way', { open: false, again: false }]);
  const again = await world.post(`${made.path}/again`, undefined, { origin: world.url });
  expect([again.status, again.body.field]).toEqual([409, 'session']);
  await deliver(world, hooks[5] as Hook);
  await reaches(world, made.id, 'completed');
});

describe('an order that its provider has told of, and of which nothing more is heard', () => {
  /** Has nothing happened to it for so long: an interval in PostgreSQL's words. */
  async function untouchedFor(id: string, ago: string): Promise<void> {
    await openedAgo(world, id, ago);
    await sql`update transactions set status_at = now() - ${ago}::interval where id = ${id}`.execute(
      world.database,
    );
  }

  /** An order whose page was opened, and of which the provider has told in these words. */
  async function told(status: string): Promise<{ made: Order; theirs: object }> {
    const made = await order(world, bodyOf(MOONPAY));
    await openPage(world, made);
    const theirs = { id: randomUUID(), externalTransactionId: made.id };
    await deliver(world, moonpayHook({ ...theirs, status }));
    await eventually(async () => (await rowOf(world, made.id)).theirs !== '', 'the order is told of');
    return { made, theirs };
  }

  test.each([
    ['new', 'waitingPayment'],
    ['pending', 'waitingAuthorization'],
  ])(
    'expired two weeks later, %s, when the provider has none any more; completed when it was paid after all',
    async (status, word) => {
      const { made, theirs } = await told(word);
      await untouchedFor(made.id, '13 days 23 hours');
      await lookUp(world, made.id);
      expect((await rowOf(world, made.id)).status).toBe(status);
      await untouchedFor(made.id, '14 days 1 minute');
      await makeDue(world, made.id);
      await reaches(world, made.id, 'expired');
      expect((await rowOf(world, made.id)).reason).toBe('The provider knows of no order');
      await deliver(world, moonpayHook({ ...theirs, status: 'completed' }));
      await reaches(world, made.id, 'completed');
      expect((await rowOf(world, made.id)).contradicted).toBe(false);
    },
  );

  test('expired two weeks later, new, when the provider is not there to be asked', async () => {
    const { made } = await told('waitingPayment');
    await sql`update transactions set provider = 'removed' where id = ${made.id}`.execute(world.database);
    await untouchedFor(made.id, '14 days 1 minute');
    await makeDue(world, made.id);
    await reaches(world, made.id, 'expired');
    expect((await rowOf(world, made.id)).reason).toMatch(/told of no payment, and cannot be asked/);
  });
});

describe('an unpaid order with a provider that never ends one itself', () => {
  const STRIPE = 'stripe' as ProviderId;

  async function leftAlone(): Promise<Order> {
    const made = await checkOut(world, await findTrade(world, STRIPE, 'buy'));
    await openPage(world, made);
    await lookUp(world, made.id);
    await sql`update transactions set status_at = now() - interval '25 hours' where id = ${made.id}`.execute(
      world.database,
    );
    await openedAgo(world, made.id, '25 hours');
    return made;
  }

  test('is not given up while the person who came back is there, and is when they stay away', async () => {
    const made = await leftAlone();
    await openPage(world, made);
    await lookUp(world, made.id);
    expect((await rowOf(world, made.id)).status).toBe('new');
    await openedAgo(world, made.id, '25 hours');
    await makeDue(world, made.id);
    await reaches(world, made.id, 'expired');
    expect((await rowOf(world, made.id)).reason).toBe('Nothing was paid');
  });

  test('is not given up for a word that nobody knows', async () => {
    const made = await leftAlone();
    const body = JSON.stringify({ id: (await rowOf(world, made.id)).theirs, status: 'funds_on_their_way' });
    world.gate.answer(STRIPE, { part: '/v1/crypto/onramp_sessions', status: 200, headers: {}, body });
    await lookUp(world, made.id);
    world.gate.answer(STRIPE, undefined);
    expect((await rowOf(world, made.id)).status).toBe('new');
  });
});

test('503 while a provider that makes an order once is left alone, and 200 with the same key afterwards', async () => {
  const again = () => intend(world, bodyOf(GUARDARIAN), { headers: { 'idempotency-key': 'left-alone' } });
  const canned = { part: '/v1/transaction', status: 429, headers: { 'retry-after': '1' }, body: '{}' };
  world.gate.answer(GUARDARIAN, canned);
  expect((await again()).status).toBe(503);
  world.gate.answer(GUARDARIAN, undefined);
  await eventually(async () => (await again()).status === 200, 'it goes on');
});

test('502, and no page, while nobody knows the id of an order that can be asked about by nothing else', async () => {
  const headers = { 'idempotency-key': 'half-kept' };
  await sql`create function forget() returns trigger language plpgsql as
    $$ begin raise exception 'not kept'; end $$`.execute(world.database);
  await sql`create trigger forgetful before insert on notices
    for each row when (new.said ->> 'theirs' <> '') execute function forget()`.execute(world.database);
  try {
    expect((await intend(world, bodyOf(GUARDARIAN), { headers })).status).toBeGreaterThanOrEqual(500);
  } finally {
    await sql`drop function forget cascade`.execute(world.database);
  }
  await eventually(async () => {
    const { status } = await intend(world, bodyOf(GUARDARIAN), { headers });
    expect(status).not.toBe(200);
    return status === 502;
  }, 'the order is looked for');
});

test('expired when its page was never opened, although the provider has told of the order', async () => {
  const made = await checkOut(world, await findTrade(world, 'openramp' as ProviderId, 'buy'));
  await sql`update transactions set theirs = 'made beforehand' where id = ${made.id}`.execute(world.database);
  await end(made.id);
  await makeDue(world, made.id);
  await reaches(world, made.id, 'expired');
});

describe('Start again', () => {
  for (const { adapter } of registry) {
    const { id } = adapter.manifest;
    test(`200 for an order with ${id} that nobody went on with`, async () => {
      const made = await checkOut(world, await findTrade(world, id, 'buy'));
      await end(made.id);
      const late = await world.post(`${made.path}/open`, undefined, { origin: world.url });
      expect([late.status, late.body.field]).toEqual([410, 'session']);
      const reply = await world.post(`${made.path}/again`, undefined, { origin: world.url });
      expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
      const path = new URL(reply.body.url).pathname;
      await openPage(world, { path } as Order);
    });
  }
});
