/** POST /hooks/{provider} without proof: nothing in it is believed, but the orders it names are looked up at once, and not too often. */
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from './patience.ts';
import { eventsOf, lookOf, reaches, rowOf, statusesOf, writeOrder } from './world-orders.ts';
import { type OwnWorld, startOwnWorld } from './world-own.ts';

let world: OwnWorld;

beforeAll(async () => {
  world = await startOwnWorld();
});
afterAll(() => world?.close());

const asksAbout = (id: string) => world.asked.filter(ask => ask.id === id);

async function counted(outcome: string): Promise<number> {
  const { text } = await world.get('/metrics');
  const line = `cloverleaf_webhooks_in_total{provider="mercuryo",outcome="${outcome}"} `;
  return Number(
    text
      .split('\n')
      .find(one => one.startsWith(line))
      ?.slice(line.length) ?? 0,
  );
}

async function inboxCount(): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) from inbox`.execute(world.database);
  return Number(rows[0]?.count);
}

const lookedUp = (id: string, times = 1) =>
  eventually(() => asksAbout(id).length >= times, `${id} was looked up`);

describe('200', () => {
  test('a hint by our reference: the provider is asked at once, and what it says counts', async () => {
    const id = await world.opened();
    const [hinted, kept] = [await counted('hinted'), await inboxCount()];
    world.answers.set(id, [{ reference: id, theirs: `t-${id}`, word: 'pending' }]);
    const reply = await world.tell({
      hints: [{ reference: id }],
      notices: [{ reference: id, word: 'done', hash: 'forged' }],
    });
    expect([reply.status, reply.body]).toEqual([200, { received: true }]);
    await reaches(world, id, 'pending');
    expect(await statusesOf(world, id)).toEqual(['new', 'pending']);
    expect(await eventsOf(world, id)).toEqual(['new', 'pending']);
    expect((await rowOf(world, id)).hash).toBe('');
    expect(await counted('hinted')).toBe(hinted + 1);
    // Nothing of the delivery is kept.
    expect(await inboxCount()).toBe(kept);
  });

  test('a hint by their id of the order', async () => {
    const id = await world.opened({ theirs: `theirs-${ulid()}` });
    const { theirs } = await rowOf(world, id);
    expect((await world.tell({ hints: [{ theirs }] })).status).toBe(200);
    await lookedUp(id);
  });

  test('a hint about a live order', async () => {
    const id = await world.opened({ environment: 'live' });
    expect((await world.tell({ hints: [{ reference: id }] })).status).toBe(200);
    await lookedUp(id);
  });

  test('a hint about an order that is completed: it may have been refunded since', async () => {
    const id = await world.opened();
    await world.tell({ notices: [{ reference: id, theirs: `t-${id}`, word: 'done' }] }, true);
    await reaches(world, id, 'completed');
    await sql`delete from tasks where key = ${id}`.execute(world.database);
    world.answers.set(id, [{ reference: id, theirs: `t-${id}`, word: 'returned' }]);
    expect((await world.tell({ hints: [{ reference: id }] })).status).toBe(200);
    await reaches(world, id, 'refunded');
    await eventually(async () => !(await lookOf(world, id)), 'nothing more is to be looked at');
  });

  test('a hint about nothing we know, which tells nobody whether we do', async () => {
    const planned = async () =>
      (await sql<{ count: string }>`select count(*) from tasks`.execute(world.database)).rows[0]?.count;
    const before = await planned();
    const known = await world.tell({ hints: [{ reference: await world.opened() }] });
    const unknown = await world.tell({ hints: [{ reference: ulid() }, { theirs: 'nobody’s' }] });
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    expect(Number(await planned())).toBe(Number(before) + 1);
  });

  test('a hint about another provider’s order, which is left alone', async () => {
    const id = await writeOrder(world, world.account, { provider: 'moonpay', opened_at: new Date() });
    const before = await lookOf(world, id);
    expect((await world.tell({ hints: [{ reference: id }] })).status).toBe(200);
    expect(await lookOf(world, id)).toEqual(before);
  });

  test('a delivery that is proven counts itself: nobody has to be asked', async () => {
    const id = await world.opened();
    const delivery = { hints: [{ reference: id }], notices: [{ reference: id, word: 'paid' }] };
    expect((await world.tell(delivery, true)).status).toBe(200);
    await reaches(world, id, 'paid');
    expect(asksAbout(id)).toEqual([]);
  });

  test.each(['live', 'test'] as const)(
    'a delivery that is proven by the secrets of both environments counts for the %s order it tells of',
    async environment => {
      const id = await world.opened({ environment });
      await world.tell({ notices: [{ reference: id, theirs: `t-${id}`, word: 'pending' }] }, true);
      await reaches(world, id, 'pending');
      await world.tell({ notices: [{ theirs: `t-${id}`, word: 'paid' }] }, true);
      await reaches(world, id, 'paid');
    },
  );

  test('twenty hints of a delivery count, and no more', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 22; at++) ids.push(await world.opened());
    expect((await world.tell({ hints: ids.map(reference => ({ reference })) })).status).toBe(200);
    for (const id of ids.slice(0, 20)) await lookedUp(id);
    expect(ids.slice(20).flatMap(asksAbout)).toEqual([]);
  });
});

describe('a flood of hints', () => {
  test('does not have the provider asked again about an order within five seconds', async () => {
    const id = await world.opened();
    await world.tell({ hints: [{ reference: id }] });
    await lookedUp(id);
    const [first] = asksAbout(id);
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => world.tell({ hints: [{ reference: id }] })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const dueAt = (await lookOf(world, id))?.due_at.getTime() ?? 0;
    expect(dueAt - (first?.at ?? 0)).toBeGreaterThanOrEqual(4_900);
    // It is asked then, because something may have happened after it was asked last.
    await lookedUp(id, 2);
    const moments = asksAbout(id).map(({ at }) => at);
    const pauses = moments.slice(1).map((at, nth) => at - (moments[nth] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(4_900);
    expect(moments.length).toBeLessThan(replies.length / 4);
  });

  test('about an order that is being asked about waits as well', async () => {
    const id = await world.opened();
    await sql`
      update tasks set leased_until = now() + interval '1 minute', due_at = now() + interval '1 minute'
      where key = ${id}`.execute(world.database);
    const before = Date.now();
    await world.tell({ hints: [{ reference: id }] });
    const dueAt = (await lookOf(world, id))?.due_at.getTime() ?? 0;
    expect(dueAt - before).toBeGreaterThanOrEqual(4_900);
    expect(dueAt - before).toBeLessThan(10_000);
  });

  test('never puts a look-up off', async () => {
    const id = await world.opened({ looked_at: new Date() });
    const soon = new Date(Date.now() + 2_000);
    await sql`update tasks set due_at = ${soon} where key = ${id}`.execute(world.database);
    await world.tell({ hints: [{ reference: id }] });
    expect((await lookOf(world, id))?.due_at).toEqual(soon);
  });
});

describe('401', () => {
  test.each([
    ['names no order', { hints: [] }],
    ['has nothing in it', {}],
    ['names an order by nothing', { hints: [{}] }],
    ['names an order by an empty text', { hints: [{ reference: '', theirs: '' }] }],
    [
      'names an order as no order is named',
      { hints: [{ reference: '\u0000' }, { theirs: 'x'.repeat(129) }] },
    ],
    ['cannot be read', '{"hints":'],
    ['is empty', ''],
  ])('a delivery without proof that %s', async (_what, body) => {
    const refused = await counted('refused');
    expect((await world.tell(body)).status).toBe(401);
    expect(await counted('refused')).toBe(refused + 1);
  });
});
