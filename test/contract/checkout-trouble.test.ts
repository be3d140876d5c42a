/** Checkouts at a provider in trouble: what is answered, what stays written, and how the same key goes on. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findAccount } from '../../src/app/accounts.ts';
import { other, setPair, world } from './pair.ts';
import { eventually } from './patience.ts';
import { count, expectProblem, issue, keyed, setTill } from './till.ts';
import { type Instance, MERCURYO, MOONPAY, PROVIDERS, TRANSAK } from './world.ts';
import {
  bodyOf,
  eventsOf,
  intend,
  lookOf,
  makeDue,
  openPage,
  order,
  orderOf,
  reaches,
  rowOf,
  statusesOf,
} from './world-orders.ts';

setPair();
setTill();

const SESSION = '/auth/session';

describe('a provider in trouble', () => {
  /** Providers' health is each instance's own: these tests spoil it. */
  let spoilt: Instance;

  beforeAll(async () => {
    spoilt = await world.startAnother({ QUOTE_DEADLINE_MS: '500' });
  });
  afterAll(async () => {
    for (const provider of PROVIDERS) world.sandbox.fault(provider, { kind: 'none', ms: 0 });
    await spoilt?.close();
  });

  test('502 while it is broken, then 503 while its breaker is open; nothing is written', async () => {
    const before = await count();
    for (const kind of ['error', 'garbage', 'truncated', 'reset', 'error'] as const) {
      world.sandbox.fault(MOONPAY, { kind, ms: 0 });
      const reply = await intend(world, bodyOf(MOONPAY), { at: spoilt });
      expect([kind, reply.status]).toEqual([kind, 502]);
      expectProblem(reply, 502, 'onramp');
    }
    const calls = world.gate.calls(MOONPAY).length;
    const refused = await intend(world, bodyOf(MOONPAY), { at: spoilt });
    expectProblem(refused, 503, 'onramp');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(world.gate.calls(MOONPAY).length).toBe(calls);
    expect(await count()).toBe(before);
    // Whoever has a quote needs nothing of a provider whose page is only a link.
    const quoteId = await issue({ until: Date.now() + 60_000 });
    const quoted = await intend(world, bodyOf(MOONPAY, 'buy', { metaData: { quoteId } }), { at: spoilt });
    expect(quoted.status).toBe(200);
    world.sandbox.fault(MOONPAY, { kind: 'none', ms: 0 });
  });

  test('504 when it is late', async () => {
    const before = await count();
    world.sandbox.fault(MERCURYO, { kind: 'hang', ms: 0 });
    const reply = await intend(world, bodyOf(MERCURYO), { at: spoilt });
    expectProblem(reply, 504, 'onramp');
    expect(await count()).toBe(before);
    world.sandbox.fault(MERCURYO, { kind: 'none', ms: 0 });
  });

  test('503 while it wants to be left alone', async () => {
    world.sandbox.fault(TRANSAK, { kind: 'limited', ms: 0 });
    for (let time = 0; time < 2; time++)
      expectProblem(await intend(world, bodyOf(TRANSAK), { at: spoilt }), 503, 'onramp');
    world.sandbox.fault(TRANSAK, { kind: 'none', ms: 0 });
  });

  test('503 without asking it for a page while its breaker is open; the same key goes on when it is back', async () => {
    const { publicKey: by } = await world.newAccount();
    const quoteId = await issue({ by, provider: TRANSAK, until: Date.now() + 600_000 });
    const asking = { by, headers: keyed('left alone') };
    const body = bodyOf(TRANSAK, 'buy', { metaData: { quoteId } });
    await eventually(
      async () => (await spoilt.get('/supported', { authorization: by })).status === 200,
      'the account is known',
    );
    const calls = world.gate.calls(TRANSAK).length;
    // It has just asked to be left alone.
    expectProblem(await intend(world, body, { ...asking, at: spoilt }), 503, 'onramp');
    expect(world.gate.calls(TRANSAK).length).toBe(calls);
    orderOf(await intend(world, body, asking));
    expect(await count(by)).toBe(1);
  });

  test('a link that is opened says nothing of how its provider is', async () => {
    const fresh = await world.startAnother();
    try {
      world.sandbox.fault(MERCURYO, { kind: 'error', ms: 0 });
      const { path } = orderOf(
        await intend(
          world,
          bodyOf(MERCURYO, 'buy', {
            metaData: { quoteId: await issue({ provider: MERCURYO, until: Date.now() + 60_000 }) },
          }),
        ),
      );
      for (let failure = 1; failure <= 5; failure++) {
        expect((await intend(world, bodyOf(MERCURYO), { at: fresh })).status).toBe(502);
        const opened = await fresh.post(`${path}/open`, undefined, { origin: fresh.url });
        expect(opened.status).toBe(200);
      }
      expect((await intend(world, bodyOf(MERCURYO), { at: fresh })).status).toBe(503);
    } finally {
      world.sandbox.fault(MERCURYO, { kind: 'none', ms: 0 });
      await fresh.close();
    }
  });

  test('502 when it makes no page; the transaction that was written expires by itself', async () => {
    const before = await count();
    world.gate.answer(TRANSAK, { part: SESSION, status: 500, body: '{}' });
    expectProblem(await intend(world, bodyOf(TRANSAK)), 502, 'onramp');
    world.gate.answer(TRANSAK, undefined);
    expect(await count()).toBe(before + 1);
    const { id, ready } = await world.database
      .selectFrom('transactions')
      .select(['id', 'ready'])
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow();
    expect(ready).toBe(false);
    // It is swept within a minute.
    const due = (await lookOf(world, id))?.due_at.getTime() ?? Number.POSITIVE_INFINITY;
    expect(due).toBeLessThan(Date.now() + 60_000);
    await sql`update transactions set created_at = created_at - interval '1 minute' where id = ${id}`.execute(
      world.database,
    );
    await makeDue(world, id);
    await reaches(world, id, 'expired');
    expect(await statusesOf(world, id)).toEqual(['new', 'expired']);
    expect(await eventsOf(world, id)).toEqual(['new', 'expired']);
    expect((await rowOf(world, id)).reason).toMatch(/never answered/);
  });

  test('200 by an instance whose clock is slow: no other looks before its time, and gives up what is being made', async () => {
    const real = Date.now;
    const slow = vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000);
    const inMs = async (id: string) => ((await lookOf(world, id))?.due_at.getTime() ?? 0) - real();
    try {
      const made = await order(world, bodyOf(TRANSAK));
      expect(await inMs(made.id)).toBeGreaterThan(15_000);
      await openPage(world, made);
      expect(await inMs(made.id)).toBeGreaterThan(5_000);
    } finally {
      slow.mockRestore();
    }
  });

  test('502 for a page that is not its own', async () => {
    const body = JSON.stringify({ data: { widgetUrl: 'https://evil.example/?apiKey=x' } });
    world.gate.answer(TRANSAK, { part: SESSION, status: 200, body });
    expectProblem(await intend(world, bodyOf(TRANSAK)), 502, 'onramp');
    world.gate.answer(TRANSAK, undefined);
  });

  test('422 when it declines the order itself, which has then failed for the reason it gives', async () => {
    const message = 'The minimum order amount is 120 EUR';
    const body = JSON.stringify({ error: { statusCode: 400, message } });
    world.gate.answer(TRANSAK, { part: SESSION, status: 400, body });
    const headers = keyed('declined');
    const reply = await intend(world, bodyOf(TRANSAK), { headers });
    world.gate.answer(TRANSAK, undefined);
    expectProblem(reply, 422, 'amount');
    expect(reply.body).toMatchObject({ type: 'LimitMismatch', minAmount: 120 });
    const { id } = await world.database
      .selectFrom('transactions')
      .select('id')
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow();
    expect(await statusesOf(world, id)).toEqual(['new', 'failed']);
    expect((await rowOf(world, id)).reason).toContain('120');
    // What failed stays failed, and whoever asks again is told the same.
    const again = await intend(world, bodyOf(TRANSAK), { headers });
    expect([again.status, again.body]).toEqual([422, { ...reply.body, requestId: expect.any(String) }]);
    expect(await statusesOf(world, id)).toEqual(['new', 'failed']);
  });

  test('422 when it makes no second page, which ends nothing that somebody may be paying on the first', async () => {
    const made = await order(world, bodyOf(TRANSAK));
    await openPage(world, made);
    const body = JSON.stringify({ error: { statusCode: 400, message: 'The limit of the day is used up' } });
    world.gate.answer(TRANSAK, { part: SESSION, status: 400, body });
    const open = () => world.post(`${made.path}/open`, undefined, { origin: world.url });
    expect((await open()).status).toBe(422);
    world.gate.answer(TRANSAK, undefined);
    expect(await statusesOf(world, made.id)).toEqual(['new']);
    expect((await open()).status).toBe(200);
  });
});

describe('written before it is asked', () => {
  test('409 while it runs, 504 when the answer never comes, then 200 for the same transaction by the same key', async () => {
    const { publicKey: by } = await world.newAccount();
    await eventually(
      async () => (await other.get('/supported', { authorization: by })).status === 200,
      'the other instance knows the account',
    );
    const hold = world.gate.hold(TRANSAK, SESSION);
    const asking = { by, headers: keyed('held') };
    const first = intend(world, bodyOf(TRANSAK), asking);
    await eventually(() => hold.count() === 1, 'the provider has answered');
    const { id, status, ready } = await world.database
      .selectFrom('transactions')
      .selectAll()
      .where('account_id', '=', (await findAccount(world.database, by)).id)
      .executeTakeFirstOrThrow();
    expect([status, ready]).toEqual(['new', false]);
    expect(await statusesOf(world, id)).toEqual(['new']);
    expect(await lookOf(world, id)).toBeDefined();
    for (const at of [world, other]) {
      expectProblem(await intend(world, bodyOf(TRANSAK), { ...asking, at }), 409, 'Idempotency-Key');
      const another = bodyOf(TRANSAK, 'buy', { amount: 101 });
      expectProblem(await intend(world, another, { ...asking, at }), 422, 'Idempotency-Key');
    }
    expectProblem(await first, 504, 'onramp');
    hold.cut();
    const again = await intend(world, bodyOf(TRANSAK), { ...asking, at: other });
    expect(orderOf(again).id).toBe(id);
    expect((await intend(world, bodyOf(TRANSAK), asking)).text).toBe(again.text);
    expect(await count(by)).toBe(1);
    expect((await rowOf(world, id)).ready).toBe(true);
  });

  test('502 when the answer is cut off on its way; the same key goes on with the same transaction', async () => {
    const { publicKey: by } = await world.newAccount();
    for (const headers of ['cut 1', 'cut 2', 'cut 3'].map(keyed)) {
      const hold = world.gate.hold(TRANSAK, SESSION);
      const first = intend(world, bodyOf(TRANSAK), { by, headers });
      await eventually(() => hold.count() === 1, 'the provider has answered');
      hold.cut();
      expectProblem(await first, 502, 'onramp');
      const before = await count(by);
      const [one, two] = [
        await intend(world, bodyOf(TRANSAK), { by, headers }),
        await intend(world, bodyOf(TRANSAK), { by, headers }),
      ];
      expect([one.status, two.text]).toEqual([200, one.text]);
      expect(await count(by)).toBe(before);
    }
    expect(await count(by)).toBe(3);
  });
});
