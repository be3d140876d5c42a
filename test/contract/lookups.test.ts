/** Look-ups and expiry: what becomes of orders of which nobody tells, or which nobody goes on with. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ProviderId, Side } from '../../src/domain/words.ts';
import { switchProvider } from '../../src/store/providers.ts';
import { eventually } from './patience.ts';
import { type Instance, MERCURYO, MOONPAY, PROVIDERS, startWorld, TRANSAK, type World } from './world.ts';
import {
  bodyOf,
  eventsOf,
  expectWatched,
  lookOf,
  lookUp,
  makeDue,
  type Order,
  openedAgo,
  openPage,
  order,
  reaches,
  rowOf,
  statusesOf,
} from './world-orders.ts';
import { type HostedPage, introduce, press, visit } from './world-person.ts';

/** How long a stand-in takes for what nobody has to do anything for. */
const STEP_MS = 800;

let world: World;
let other: Instance;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true, only: PROVIDERS });
  other = await world.startAnother();
});
afterEach(async () => {
  for (const provider of PROVIDERS) world.sandbox.fault(provider, { kind: 'none', ms: 0 });
  await expectWatched(world);
});
afterAll(async () => {
  await other?.close();
  await world?.close();
});

const lose = (provider: ProviderId) => world.sandbox.fault(provider, { kind: 'webhooks-lost', ms: 0 });

/** Goes to the provider's page, up to where money is asked for. */
async function go(
  provider: ProviderId,
  side: Side,
  at: World = world,
): Promise<{ made: Order; page: HostedPage }> {
  const made = await order(at, bodyOf(provider, side));
  return { made, page: await introduce(await visit(await openPage(at, made))) };
}

/** Hands over what is asked for. */
async function pay(page: HostedPage): Promise<HostedPage> {
  if (page.stage === 'deposit') return press(page, 'deposit');
  return press(await press(page, 'card'), 'approve');
}

async function recordsOf(id: string): Promise<{ status: string; statusReason: string }[]> {
  const { body } = await world.get(`/transactions?transactionIds=${id}`, {
    authorization: world.key,
    'x-service-secret': world.account.secret,
  });
  return body.transactions;
}

/** Calls to a provider about one order. */
const callsAbout = (provider: ProviderId, id: string) =>
  world.gate.calls(provider).filter(({ path }) => path.includes(id) && !path.includes('/flow/')).length;

describe('when every webhook is lost', () => {
  const REACHED: Record<string, Record<Side, string[]>> = {
    moonpay: {
      buy: ['new', 'pending', 'completed'],
      sell: ['new', 'pending', 'paid', 'completed'],
    },
    mercuryo: {
      buy: ['new', 'pending', 'paid', 'completed'],
      sell: ['new', 'pending', 'paid', 'completed'],
    },
  };

  for (const provider of [MOONPAY, MERCURYO]) {
    for (const side of ['buy', 'sell'] as const) {
      test(`completed by looking: a ${side} at ${provider}, with every status on the way`, async () => {
        lose(provider);
        const { made, page } = await go(provider, side);
        const statuses = REACHED[provider]?.[side];
        if (side === 'buy')
          await press(page, 'card').then(asked => lookUp(world, made.id).then(() => press(asked, 'approve')));
        else await pay(page);
        await lookUp(world, made.id);
        for (let step = 0; step < 3; step++) {
          world.pass(STEP_MS);
          if ((await rowOf(world, made.id)).status !== 'completed') await lookUp(world, made.id);
        }
        await reaches(world, made.id, 'completed');
        expect(await statusesOf(world, made.id)).toEqual(statuses);
        expect([...new Set(await eventsOf(world, made.id))]).toEqual(statuses);
        const row = await rowOf(world, made.id);
        expect([row.theirs, row.hash]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
        expect([Number(row.paid) > 0, Number(row.received) > 0, row.contradicted]).toEqual([
          true,
          true,
          false,
        ]);
        const { rows } = await sql`select from inbox where provider = ${provider}`.execute(world.database);
        expect(rows.length).toBe(0);
        await eventually(async () => !(await lookOf(world, made.id)), 'nothing more is to be looked at');
      });
    }
  }

  test('completed by looking at Transak, as soon as one webhook has told its id of the order', async () => {
    const { made, page } = await go(TRANSAK, 'buy');
    await eventually(async () => (await rowOf(world, made.id)).theirs !== '', 'the first one has come');
    lose(TRANSAK);
    await pay(page);
    for (let step = 0; step < 3; step++) {
      await lookUp(world, made.id);
      world.pass(STEP_MS);
    }
    await makeDue(world, made.id);
    await reaches(world, made.id, 'completed');
    const row = await rowOf(world, made.id);
    expect([row.hash, Number(row.received) > 0]).toEqual([expect.stringMatching(/./), true]);
  });

  test('completed by looking at Transak by our reference, when not one webhook has come', async () => {
    lose(TRANSAK);
    const { made, page } = await go(TRANSAK, 'buy');
    await pay(page);
    world.pass(STEP_MS);
    world.pass(STEP_MS);
    await lookUp(world, made.id);
    await makeDue(world, made.id);
    await reaches(world, made.id, 'completed');
    expect((await rowOf(world, made.id)).theirs).not.toBe('');
  });

  test('expired after a day at Transak, which tells by our reference of completed orders alone, with that as the reason', async () => {
    lose(TRANSAK);
    const { made } = await go(TRANSAK, 'buy');
    await openedAgo(world, made.id, '23 hours');
    await lookUp(world, made.id);
    expect((await rowOf(world, made.id)).status).toBe('new');
    await openedAgo(world, made.id, '24.1 hours');
    await makeDue(world, made.id);
    await reaches(world, made.id, 'expired');
    expect((await rowOf(world, made.id)).reason).toMatch(/cannot be asked/);
  });

  test('one of two instances looks, and once', async () => {
    lose(MOONPAY);
    const { made, page } = await go(MOONPAY, 'buy');
    await pay(page);
    const before = callsAbout(MOONPAY, made.id);
    await lookUp(world, made.id);
    expect(callsAbout(MOONPAY, made.id)).toBe(before + 1);
    expect(await statusesOf(world, made.id)).toEqual(['new', 'pending']);
    // Looked at again, it says the same, which is no news.
    const told = await eventsOf(world, made.id);
    await lookUp(world, made.id);
    expect(await eventsOf(world, made.id)).toEqual(told);
  });

  test('looks often at first, beginning soon after the page was opened and after each change', async () => {
    lose(MOONPAY);
    const { made, page } = await go(MOONPAY, 'buy');
    const dueIn = async () => ((await lookOf(world, made.id))?.due_at.getTime() ?? 0) - Date.now();
    expect(await dueIn()).toBeLessThan(10_500);
    await pay(page);
    await lookUp(world, made.id);
    expect(await dueIn()).toBeLessThan(15_500);
    expect(await dueIn()).toBeGreaterThan(1_000);
  });
});

describe('a session nobody goes on with', () => {
  test('is looked at when it ends and not before; expired then, with a reason, an event and a record', async () => {
    const made = await order(world, bodyOf(MOONPAY));
    const { expires_at } = await rowOf(world, made.id);
    const fromEnd = async () =>
      ((await lookOf(world, made.id))?.due_at.getTime() ?? 0) - expires_at.getTime();
    expect(Math.abs(await fromEnd())).toBeLessThan(5_000);
    await lookUp(world, made.id);
    expect((await rowOf(world, made.id)).status).toBe('new');
    expect(Math.abs(await fromEnd())).toBeLessThan(5_000);
    expect(callsAbout(MOONPAY, made.id)).toBe(0);

    await sql`update transactions set expires_at = now() where id = ${made.id}`.execute(world.database);
    await makeDue(world, made.id);
    await reaches(world, made.id, 'expired');
    expect(await statusesOf(world, made.id)).toEqual(['new', 'expired']);
    expect(await eventsOf(world, made.id)).toEqual(['new', 'expired']);
    const records = await recordsOf(made.id);
    expect(records.map(({ status }) => status)).toEqual(['expired', 'new']);
    expect(records[0]?.statusReason).toMatch(/before the provider’s page was opened/);
    await eventually(async () => !(await lookOf(world, made.id)), 'nothing more is to be looked at');
    expect(callsAbout(MOONPAY, made.id)).toBe(0);
  });

  test('of which the person has gone on in time does not expire with it', async () => {
    const { made } = await go(MOONPAY, 'buy');
    await sql`update transactions set expires_at = now() - interval '5 minutes' where id = ${made.id}`.execute(
      world.database,
    );
    await lookUp(world, made.id);
    expect((await rowOf(world, made.id)).status).toBe('new');
  });
});

describe('opened, and unknown to the provider', () => {
  for (const late of ['a webhook', 'a look-up'] as const) {
    test(`expired after an hour, and completed all the same when ${late} tells of late money`, async () => {
      const { made, page } = await go(MOONPAY, 'buy');
      await openedAgo(world, made.id, '59 minutes');
      await lookUp(world, made.id);
      expect((await rowOf(world, made.id)).status).toBe('new');
      await openedAgo(world, made.id, '61 minutes');
      await lookUp(world, made.id);
      await reaches(world, made.id, 'expired');
      expect((await rowOf(world, made.id)).reason).toMatch(/knows of no order/);
      // It is looked at for a while longer.
      expect(await lookOf(world, made.id)).toBeDefined();

      if (late === 'a look-up') lose(MOONPAY);
      await pay(page);
      for (let step = 0; step < 3; step++) world.pass(STEP_MS);
      if (late === 'a look-up') await makeDue(world, made.id);
      await reaches(world, made.id, 'completed');
      expect(await statusesOf(world, made.id)).toEqual(['new', 'expired', 'completed']);
      expect([...new Set(await eventsOf(world, made.id))]).toEqual(['new', 'expired', 'completed']);
      const { contradicted, reason } = await rowOf(world, made.id);
      // Our own word contradicts nobody.
      expect([contradicted, reason]).toEqual([false, '']);
    });
  }
});

describe('a provider that is down', () => {
  test('is asked again later, while the orders of others go on', async () => {
    for (const provider of [MOONPAY, MERCURYO]) lose(provider);
    const orders = [];
    for (const provider of [MOONPAY, MERCURYO]) {
      const { made, page } = await go(provider, 'buy');
      await pay(page);
      orders.push(made.id);
    }
    for (let step = 0; step < 3; step++) world.pass(STEP_MS);
    const [down = '', up = ''] = orders;
    world.sandbox.fault(MOONPAY, { kind: 'error', ms: 0 });
    await makeDue(world, down, up);
    await reaches(world, up, 'completed');
    await eventually(async () => {
      const task = await lookOf(world, down);
      return !!task && task.attempts > 0 && !task.leased_until && task.due_at > new Date();
    }, 'it is put off');
    expect((await rowOf(world, down)).status).toBe('new');
    expect(world.logged() + other.logged()).toContain('a task failed; it will be tried again');
    // However long it is away, nothing is given up for it.
    await openedAgo(world, down, '3 hours');
    await makeDue(world, down);
    await eventually(async () => ((await lookOf(world, down))?.attempts ?? 0) > 1, 'it was asked again');
    expect((await rowOf(world, down)).status).toBe('new');

    world.sandbox.fault(MOONPAY, { kind: 'none', ms: 0 });
    await makeDue(world, down);
    await reaches(world, down, 'completed');
    expect((await rowOf(world, down)).theirs).not.toBe('');
  });

  test('is left alone inside its Retry-After, however many orders there are to look up', async () => {
    // How a provider does is each instance's own knowledge: here is but one.
    const alone = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true, only: PROVIDERS });
    try {
      alone.sandbox.fault(MERCURYO, { kind: 'webhooks-lost', ms: 0 });
      const orders: string[] = [];
      for (let at = 0; at < 3; at++) orders.push((await go(MERCURYO, 'buy', alone)).made.id);
      const [first = ''] = orders;
      alone.sandbox.fault(MERCURYO, { kind: 'limited', ms: 0 });
      await makeDue(alone, first);
      const areOff = async (ids: readonly string[]) => {
        const tasks = await Promise.all(ids.map(id => lookOf(alone, id)));
        return tasks.every(task => task && task.due_at > new Date() && !task.leased_until);
      };
      await eventually(() => areOff([first]), 'it was put off');
      const calls = alone.gate.calls(MERCURYO).length;
      await makeDue(alone, ...orders);
      await eventually(() => areOff(orders), 'all of them were put off');
      expect(alone.gate.calls(MERCURYO).slice(calls)).toEqual([]);
    } finally {
      await alone.close();
    }
  });

  test('is still asked about its orders when it has been disabled, and leads on whoever was on the way', async () => {
    lose(MERCURYO);
    const { made, page } = await go(MERCURYO, 'buy');
    await switchProvider(world.database, MERCURYO, false);
    try {
      await eventually(
        async () => (await world.get('/quotes/eur/btc?amount=78&country=de&errors=all')).body.length === 2,
        'the switch is seen',
      );
      await openPage(world, made);
      await pay(page);
      for (let step = 0; step < 3; step++) world.pass(STEP_MS);
      await makeDue(world, made.id);
      await reaches(world, made.id, 'completed');
    } finally {
      await switchProvider(world.database, MERCURYO, true);
    }
  });

  test('is offered again when it is back, whatever was looked up meanwhile', async () => {
    const alone = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true, only: PROVIDERS });
    try {
      alone.sandbox.fault(TRANSAK, { kind: 'webhooks-lost', ms: 0 });
      // Nobody has told its id there, so that Transak cannot be asked about it.
      const { made } = await go(TRANSAK, 'buy', alone);
      const isIn = async (state: string) =>
        (await alone.get('/metrics')).text.includes(
          `cloverleaf_provider_breaker{provider="transak",environment="test",state="${state}"} 1`,
        );
      alone.sandbox.fault(TRANSAK, { kind: 'error', ms: 0 });
      for (let amount = 101; !(await isIn('open')); amount++)
        await alone.get(`/quotes/eur/btc?amount=${amount}&country=de`);
      alone.sandbox.fault(TRANSAK, { kind: 'none', ms: 0 });
      // Look-ups go on all the while, past the moment when its time has come to be asked again.
      const from = Date.now();
      await eventually(
        async () => {
          await makeDue(alone, made.id);
          return Date.now() - from > 7_000;
        },
        'the pause is over',
        { everyMs: 500 },
      );
      let amount = 200;
      await eventually(
        async () => {
          const { body } = await alone.get(`/quotes/eur/btc?amount=${amount++}&country=de`);
          return body.some(
            ({ ramp, payout }: { ramp: string; payout?: number }) => ramp === TRANSAK && payout,
          );
        },
        'it has quotes again',
        { everyMs: 500 },
      );
    } finally {
      await alone.close();
    }
  }, 60_000);
});
