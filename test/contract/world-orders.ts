/** Orders in a world: checkouts that are taken, and what is left of them in the database. */
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { expect } from 'vitest';
import { type Account, findAccount } from '../../src/app/accounts.ts';
import type { ProviderId, Side } from '../../src/domain/words.ts';
import { transactionRow } from '../rows.ts';
import type { Reply } from '../service.ts';
import { eventually } from './patience.ts';
import type { Instance, World } from './world.ts';

export const WALLET = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
export const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** A body with all that has to be in it. */
export function bodyOf(onramp: ProviderId, side: Side = 'buy', more: object = {}): Record<string, unknown> {
  const pair =
    side === 'buy'
      ? { source: 'eur', destination: 'btc', amount: 100, wallet: { address: WALLET } }
      : { source: 'btc', destination: 'eur', amount: 0.01 };
  return { onramp, type: side, paymentMethod: 'creditcard', ...pair, ...more };
}

interface Asking {
  at?: Instance;
  by?: string;
  headers?: Record<string, string>;
  query?: string;
}

/** Asks for a checkout. */
export function intend(world: World, body: unknown, asking: Asking = {}): Promise<Reply> {
  const { at = world, by = world.key, headers, query = '' } = asking;
  return at.post(`/checkout/intent${query}`, body, { authorization: by, ...headers });
}

export interface Order {
  id: string;
  session: string;
  /** The path of its pay page. */
  path: string;
}

export function orderOf({ status, text, body }: Reply): Order {
  expect([status, text]).toEqual([200, expect.any(String)]);
  const { sessionInformation, transactionInformation } = body.message;
  return {
    id: transactionInformation.transactionId,
    session: sessionInformation.sessionId,
    path: new URL(transactionInformation.url).pathname,
  };
}

/** A checkout that is taken. */
export async function order(world: World, body: unknown, asking?: Asking): Promise<Order> {
  return orderOf(await intend(world, body, asking));
}

/** Goes on from our pay page: the provider's own page for it. */
export async function openPage(at: Instance, { path }: Order): Promise<string> {
  const { status, text, body } = await at.post(`${path}/open`, undefined, { origin: at.url });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body.url;
}

/** The row of a transaction. */
export async function rowOf({ database }: Instance, id: string) {
  return database.selectFrom('transactions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** The statuses it has reached, in their order; each may be there once. */
export async function statusesOf({ database }: Instance, id: string): Promise<string[]> {
  const rows = await database
    .selectFrom('entries')
    .select('status')
    .where('transaction_id', '=', id)
    .orderBy('sequence')
    .execute();
  const statuses = rows.map(({ status }) => status);
  expect(new Set(statuses).size).toBe(statuses.length);
  return statuses;
}

/** The events of a transaction, whose numbers leave nothing out; each tells the status it is about. */
export async function eventsOf({ database }: Instance, id: string): Promise<string[]> {
  const rows = await database
    .selectFrom('events')
    .select(['id', 'sequence', 'body'])
    .where('transaction_id', '=', id)
    .orderBy('sequence')
    .execute();
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, at) => at + 1));
  expect(rows.map(row => row.id)).toEqual(rows.map(({ sequence }) => `${id}-${sequence}`));
  return rows.map(({ body }) => {
    const told = JSON.parse(body);
    expect(told.transactionId).toBe(id);
    return told.status;
  });
}

export async function reaches(at: Instance, id: string, status: string): Promise<void> {
  let found = '';
  await eventually(async () => {
    found = (await rowOf(at, id)).status;
    return found === status;
  }, `${id} is ${status}`).catch(error => {
    throw new Error(`${(error as Error).message}; it is ${found}`);
  });
}

/** Makes the next look-up of an order due now. */
export async function makeDue({ database }: Instance, ...ids: string[]): Promise<void> {
  await sql`update tasks set due_at = now() where kind = 'look-up' and key = any(${ids}::text[])`.execute(
    database,
  );
}

/** Has somebody gone to the provider so long ago, and not since: an interval in PostgreSQL's words. */
export async function openedAgo({ database }: Instance, id: string, ago: string): Promise<void> {
  await sql`
    update transactions set opened_at = now() - ${ago}::interval, visited_at = now() - ${ago}::interval
    where id = ${id}`.execute(database);
}

/** Has an order looked up, once. */
export async function lookUp(at: Instance, id: string): Promise<void> {
  await makeDue(at, id);
  await eventually(async () => {
    const task = await lookOf(at, id);
    return !task || (!task.leased_until && task.due_at > new Date());
  }, 'it was looked up');
}

/** The look-up that is planned for an order. */
export async function lookOf({ database }: Instance, id: string) {
  return database
    .selectFrom('tasks')
    .selectAll()
    .where('kind', '=', 'look-up')
    .where('key', '=', id)
    .executeTakeFirst();
}

/** A transaction as a checkout leaves it, written without one. */
export async function writeOrder(
  { database }: Instance,
  account: Account,
  more: Parameters<typeof transactionRow>[1] = {},
): Promise<string> {
  const row = transactionRow(account.id, { id: ulid(), ...more });
  const entry = { status: 'new', account_id: account.id, at: row.created_at, sequence: 1 };
  await database.transaction().execute(async trx => {
    await trx.insertInto('transactions').values(row).execute();
    await trx
      .insertInto('entries')
      .values({ transaction_id: row.id, reason: '', theirs: '', hash: '', ...entry })
      .execute();
    await sql`insert into events (id, account_id, transaction_id, sequence, body, created_at)
      values (${`${row.id}-1`}, ${account.id}, ${row.id}, 1,
        ${JSON.stringify({ transactionId: row.id, status: 'new' })}, now())`.execute(trx);
    await sql`insert into tasks (kind, key, due_at)
      values ('look-up', ${row.id}, now() + interval '1 hour')`.execute(trx);
  });
  return row.id;
}

export function accountOf({ database, key }: World): Promise<Account> {
  return findAccount(database, key);
}

/** What must be true at any time: every unfinished transaction has a look-up planned, and no two entries are one. */
export async function expectWatched({ database }: Instance): Promise<void> {
  const { rows: unwatched } = await sql<{ id: string }>`
    select id from transactions t where status in ('new', 'pending', 'paid')
      and not exists (select from tasks where kind = 'look-up' and key = t.id)`.execute(database);
  expect(unwatched).toEqual([]);
  const { rows: untold } = await sql<{ id: string }>`
    select t.id from transactions t
    where sequence <> (select count(*) from events e where e.transaction_id = t.id)
      or not exists (select from entries e where e.transaction_id = t.id and e.status = t.status)`.execute(
    database,
  );
  expect(untold).toEqual([]);
}
