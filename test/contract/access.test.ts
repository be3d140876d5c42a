/** Orders that a provider opens with more than their id: what opens them is kept sealed, used in look-ups, told nobody, and erased. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from './patience.ts';
import { lookOf, makeDue, reaches, rowOf } from './world-orders.ts';
import { type OwnWorld, startOwnWorld } from './world-own.ts';

let world: OwnWorld;

beforeAll(async () => {
  world = await startOwnWorld();
});
afterAll(() => world?.close());

const WORD = 'view-token-that-opens-it';

const asksAbout = (id: string) => world.asked.filter(ask => ask.id === id);

/** What the provider was given when it was last asked about an order. */
async function lookUp(id: string) {
  const before = asksAbout(id).length;
  await makeDue(world, id);
  await eventually(() => asksAbout(id).length > before, 'it was looked up');
  await eventually(async () => !(await lookOf(world, id))?.leased_until, 'it was written down');
  return asksAbout(id).at(-1);
}

/** Every text of the database that an order is in, but for its row's own sealed word. */
async function writtenAbout(id: string): Promise<string> {
  const tables = ['notices', 'entries', 'events', 'inbox', 'tasks'];
  const rows = await Promise.all(
    tables.map(table => sql`select t::text from ${sql.table(table)} t`.execute(world.database)),
  );
  const record = await world.get(`/transactions/${id}`, {
    authorization: world.account.publicKey,
    'x-service-secret': world.secret,
  });
  expect(record.status).toBe(200);
  const row = JSON.stringify(await rowOf(world, id));
  return [JSON.stringify(rows.map(one => one.rows)), record.text, row, world.logged()].join('\n');
}

describe('what opens an order', () => {
  test('is heard in a webhook, kept where nobody can read it, and given to look-ups', async () => {
    const id = await world.opened();
    const notice = { reference: id, theirs: `p1-${id}`, word: 'pending', access: WORD };
    expect((await world.tell({ notices: [notice] }, true)).status).toBe(200);
    await reaches(world, id, 'pending');
    expect(await lookUp(id)).toMatchObject({ theirs: `p1-${id}`, access: WORD });
    expect((await rowOf(world, id)).access).toMatch(/^[\w-]{40,}$/);
    expect(await writtenAbout(id)).not.toContain(WORD);
  });

  test('is heard in a look-up as well', async () => {
    const id = await world.opened();
    world.answers.set(id, [{ reference: id, theirs: `p1-${id}`, word: 'pending', access: WORD }]);
    expect(await lookUp(id)).toMatchObject({ access: undefined });
    await reaches(world, id, 'pending');
    expect(await lookUp(id)).toMatchObject({ theirs: `p1-${id}`, access: WORD });
  });

  test('is that of each order, of several under one reference: the one that counts is asked about first', async () => {
    const id = await world.opened();
    const notices = [
      { reference: id, theirs: `p1-${id}`, word: 'open', access: 'first' },
      { reference: id, theirs: `p2-${id}`, word: 'paid', access: 'second' },
    ];
    await world.tell({ notices }, true);
    await reaches(world, id, 'paid');
    await lookUp(id);
    expect(asksAbout(id).slice(-2)).toMatchObject([
      { theirs: `p2-${id}`, access: 'second' },
      { theirs: `p1-${id}`, access: 'first' },
    ]);
  });

  test('is taken from a webhook that has no other news', async () => {
    const id = await world.opened();
    const notice = { reference: id, theirs: `p1-${id}`, word: 'pending', at: 1 };
    await world.tell({ notices: [notice] }, true);
    await reaches(world, id, 'pending');
    await world.tell({ notices: [{ ...notice, access: WORD }] }, true);
    await eventually(async () => (await rowOf(world, id)).access !== null, 'it is kept');
    expect(await lookUp(id)).toMatchObject({ access: WORD });
  });

  for (const [word, status] of [
    ['done', 'completed'],
    ['returned', 'refunded'],
  ] as const) {
    test(`is erased when the order is ${status}, and not kept again afterwards`, async () => {
      const id = await world.opened();
      const notice = { reference: id, theirs: `p1-${id}`, word: 'pending', access: WORD };
      await world.tell({ notices: [notice] }, true);
      await eventually(async () => (await rowOf(world, id)).access !== null, 'it is kept');
      await world.tell({ notices: [{ ...notice, word }] }, true);
      await reaches(world, id, status);
      expect((await rowOf(world, id)).access).toBeNull();
      // The first news once more, in another envelope: they are late, not new.
      const { rows } = await sql<{ id: string }>`select max(id) as id from inbox`.execute(world.database);
      await world.tell({ notices: [{ ...notice, at: 5 }] }, true);
      await eventually(async () => {
        const late = await sql<{ state: string }>`
          select state from inbox where id > ${rows[0]?.id}`.execute(world.database);
        return late.rows.length === 1 && late.rows.every(({ state }) => state === 'done');
      }, 'it was dealt with');
      const row = await rowOf(world, id);
      expect([row.status, row.access]).toEqual([status, null]);
    });
  }

  test('is kept for an order that failed while money may still come, and erased when nobody looks any more', async () => {
    const id = await world.opened();
    const notice = { reference: id, theirs: `p1-${id}`, word: 'broken', access: WORD };
    await world.tell({ notices: [notice] }, true);
    await reaches(world, id, 'failed');
    expect(await lookUp(id)).toMatchObject({ access: WORD });
    expect((await rowOf(world, id)).access).not.toBeNull();
    await sql`update transactions set status_at = now() - interval '2 days' where id = ${id}`.execute(
      world.database,
    );
    await makeDue(world, id);
    await eventually(async () => !(await lookOf(world, id)), 'nothing more is to be looked at');
    expect((await rowOf(world, id)).access).toBeNull();
  });
});
