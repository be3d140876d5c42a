/** What the service forgets in time, and what it never does. */
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUpkeep, type UpkeepOptions } from '../../src/app/upkeep.ts';
import { startTestService, type TestService } from '../service.ts';
import { eventually } from './patience.ts';
import { PROVIDERS } from './world.ts';

const DAY_MS = 86_400_000;

let service: TestService;

beforeAll(async () => {
  service = await startTestService({}, { only: PROVIDERS });
});
afterAll(() => service?.close());

/** An event so many days old, of a transaction that was made as long ago, and how its delivery stands. */
async function tellOf(days: number, state: string, madeDays = days): Promise<string> {
  const { database } = service;
  const at = new Date(Date.now() - days * DAY_MS);
  const id = `${ulid(Date.now() - madeDays * DAY_MS)}-1`;
  await sql`insert into events (id, account_id, transaction_id, sequence, body, created_at)
    values (${id}, 'a', 't', 1, '{}', ${at})`.execute(database);
  await sql`insert into deliveries (event_id, endpoint_id, state, due_at)
    select ${id}, id, ${state}, ${at} from endpoints limit 1`.execute(database);
  return id;
}

async function receive(days: number, state: string): Promise<string> {
  const at = new Date(Date.now() - days * DAY_MS);
  const { rows } = await sql<{ id: string }>`
    insert into inbox (provider, environment, digest, headers, received_at, state)
    values ('moonpay', 'test', ${Buffer.from(ulid())}, '', ${at}, ${state}) returning id`.execute(
    service.database,
  );
  return rows[0]?.id ?? '';
}

test('what was told and dealt with long ago is forgotten; what was not, is not', async () => {
  const { database } = service;
  const { id: account } = await database.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  await sql`insert into endpoints (id, account_id, url, secret, created_at)
    values ('e1', ${account}, 'https://shop.example', '', now())`.execute(database);
  const told = await tellOf(100, 'delivered');
  const kept = [
    await tellOf(100, 'dead'),
    await tellOf(10, 'delivered'),
    // Late money: the transaction is old, the event is not.
    await tellOf(1, 'delivered', 100),
  ];
  const done = await receive(100, 'done');
  const inboxKept = [await receive(100, 'parked'), await receive(10, 'done')];

  await sql`update tasks set due_at = now() where kind = 'tidy'`.execute(database);
  const events = async () => (await sql<{ id: string }>`select id from events`.execute(database)).rows;
  const inbox = async () => (await sql<{ id: string }>`select id from inbox`.execute(database)).rows;
  const has = (rows: { id: string }[], wanted: string) => rows.some(({ id }) => id === wanted);
  await eventually(
    async () => !has(await inbox(), done) && !has(await events(), told),
    'what came in and what was told are forgotten',
  );
  expect((await events()).map(({ id }) => id).sort()).toEqual([...kept].sort());
  expect((await inbox()).map(({ id }) => id).sort()).toEqual(inboxKept.sort());
  const { rows } = await sql`select from deliveries`.execute(database);
  expect(rows).toHaveLength(kept.length);
});

test('what is told again at that moment is not forgotten', async () => {
  const { database } = service;
  const id = await tellOf(100, 'delivered');
  await database.transaction().execute(async trx => {
    await sql`select from events where id = ${id} for key share`.execute(trx);
    await sql`update deliveries set state = 'due' where event_id = ${id}`.execute(trx);
    await tidy('events');
  });
  await tidy('events');
  const { rows } = await sql`
    select from events join deliveries on event_id = events.id where events.id = ${id}`.execute(database);
  expect(rows).toHaveLength(1);
});

/** Tidies up once; in how many milliseconds it is to be done again, if at all. */
function tidy(what: string) {
  const { database } = service;
  const { handlers } = createUpkeep({ database, now: () => Date.now() } as UpkeepOptions);
  return handlers.tidy?.(what);
}

async function useKeys(days: number, count: number): Promise<void> {
  const at = new Date(Date.now() - days * DAY_MS);
  await sql`insert into idempotency_keys (account_id, key, digest, transaction_id, created_at)
    select 'a', ${`${days}-`} || n, '', 't', ${at} from generate_series(1, ${count}::int) n`.execute(
    service.database,
  );
}

test('however many keys are old, no more are forgotten at once than take a moment, and the rest soon', async () => {
  const { database } = service;
  const keys = async () => (await sql`select from idempotency_keys`.execute(database)).rows.length;
  const before = await keys();
  await useKeys(8, 5_001);
  await useKeys(6, 1);
  expect([await tidy('keys'), await keys()]).toEqual([1_000, before + 2]);
  expect([await tidy('keys'), await keys()]).toEqual([3_600_000, before + 1]);
});

test('what an earlier version planned under one name is not done again', async () => {
  expect(await tidy('all')).toBeUndefined();
});

test('what cannot be forgotten is told of, and keeps nothing else from being forgotten', async () => {
  const { database } = service;
  const old = await tellOf(100, 'delivered');
  await useKeys(9, 1);
  const done = await receive(100, 'done');
  await sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'stuck'; end $$`.execute(database);
  await sql`create trigger stuck before update or delete on flows
    for each statement execute function refuse()`.execute(database);
  const left = async () => {
    const { rows } = await sql`
      select from events where id = ${old} union all select from inbox where id = ${done}
      union all select from idempotency_keys where key = '9-1'`.execute(database);
    return rows.length;
  };
  try {
    expect(await left()).toBe(3);
    await sql`update tasks set due_at = now() where kind = 'tidy'`.execute(database);
    await eventually(async () => (await left()) === 0, 'all the rest is forgotten');
    await eventually(() => /"kind":"tidy".*stuck/.test(service.logged()), 'the trouble is told');
  } finally {
    await sql`drop function refuse cascade`.execute(database);
  }
});
