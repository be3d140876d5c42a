/** The inbox: proven webhooks of providers, kept before they are acknowledged and until they have been dealt with. */
import { sql } from 'kysely';
import type { Environment, ProviderId } from '../domain/words.ts';
import { byteArray, textArray } from './arrays.ts';
import type { Database } from './database.ts';
import { MOST_AT_ONCE, wasLast } from './pieces.ts';

export interface Incoming {
  provider: ProviderId;
  environment: Environment;
  /** Of all that was sent: a delivery that came before is not kept again. */
  digest: Buffer;
  /** Headers and query, as JSON. */
  headers: string;
  body: Buffer;
}

export interface Kept extends Omit<Incoming, 'digest'> {
  id: string;
  receivedAt: Date;
  attempts: number;
}

/** Keeps deliveries, byte for byte and all in one write; in one order, so that no two of us wait for each other. */
export async function keepIncoming(database: Database, incoming: readonly Incoming[]): Promise<void> {
  await sql`
    /* keep incoming */
    insert into inbox (provider, environment, digest, headers, body)
    select provider, environment, digest, headers, body from unnest(
      ${textArray(incoming.map(({ provider }) => provider))}::text[],
      ${textArray(incoming.map(({ environment }) => environment))}::text[],
      ${byteArray(incoming.map(({ digest }) => digest))}::bytea[],
      ${textArray(incoming.map(({ headers }) => headers))}::text[],
      ${byteArray(incoming.map(({ body }) => body))}::bytea[]
    ) as i (provider, environment, digest, headers, body)
    order by provider, environment, digest
    on conflict do nothing`.execute(database);
}

/**
 * Due deliveries of the lines that we have, held by this database transaction: whoever dies in it lets go of them at once.
 * Those of other lines are left to instances that have them, unless nobody takes them.
 */
export async function takeIncoming(trx: Database, most: number, lines: readonly string[]): Promise<Kept[]> {
  const { rows } = await sql<Kept>`
    /* take incoming */
    select id, provider, environment, headers, body, received_at as "receivedAt", attempts from inbox
    where state = 'due' and due_at <= now()
      and (provider || ':' || environment = any(${lines}::text[]) or due_at < now() - interval '1 minute')
    order by due_at limit ${most}
    for update skip locked`.execute(trx);
  return rows;
}

/** What becomes of a delivery: done and erased, tried again, or parked for a person to look at. */
export interface Fate {
  id: string;
  state: 'done' | 'due' | 'parked';
  reason: string;
  /** In how many milliseconds it is tried again. */
  inMs: number;
}

export async function settleIncoming(trx: Database, fates: readonly Fate[]): Promise<void> {
  await sql`
    /* settle incoming */
    update inbox i set
      state = f.state, due_at = now() + f.in_ms * interval '1 millisecond', reason = f.reason,
      attempts = i.attempts + 1,
      headers = case when f.state = 'done' then '' else i.headers end,
      body = case when f.state = 'done' then null else i.body end
    from unnest(
      ${fates.map(({ id }) => id)}::bigint[],
      ${fates.map(({ state }) => state)}::text[],
      ${fates.map(({ reason }) => reason)}::text[],
      ${fates.map(({ inMs }) => inMs)}::int[]
    ) as f (id, state, reason, in_ms)
    where i.id = f.id`.execute(trx);
}

/** Puts a due delivery off, or parks it when it is old, because dealing with it fails in a way nobody has foreseen. */
export async function postponeIncoming(
  database: Database,
  id: string,
  { reason, parkBefore }: { reason: string; parkBefore: Date },
): Promise<void> {
  await sql`
    update inbox set
      due_at = now() + interval '1 minute', attempts = attempts + 1, reason = ${reason},
      state = case when received_at < ${parkBefore} then 'parked' else 'due' end
    where id = ${id} and state = 'due'`.execute(database);
}

export interface Parked {
  id: string;
  provider: string;
  environment: string;
  receivedAt: Date;
  attempts: number;
  reason: string;
}

/** What waits for a person, newest first. */
export async function listParked(database: Database, most: number): Promise<Parked[]> {
  const { rows } = await sql<Parked>`
    select id, provider, environment, received_at as "receivedAt", attempts, reason from inbox
    where state = 'parked' order by id desc limit ${most}`.execute(database);
  return rows;
}

/** Parked deliveries: those with these ids, those that came before a moment, or all. */
export type Chosen = readonly string[] | Date | 'all';

const among = (chosen: Chosen) =>
  chosen === 'all'
    ? sql`true`
    : chosen instanceof Date
      ? sql`received_at < ${chosen}`
      : sql`id = any(${chosen}::bigint[])`;

/** Makes parked deliveries due once more, as old as they are; which ones there were. */
export async function retryParked(database: Database, chosen: Chosen): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update inbox set state = 'due', due_at = now()
    where state = 'parked' and ${among(chosen)} returning id`.execute(database);
  return rows.map(({ id }) => id);
}

/** Erases what parked deliveries say, and remembers only that they came; which ones there were. */
export async function dismissParked(database: Database, chosen: Chosen): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update inbox set state = 'done', reason = '', headers = '', body = null
    where state = 'parked' and ${among(chosen)} returning id`.execute(database);
  return rows.map(({ id }) => id);
}

/** Forgets deliveries that were dealt with before `before`: the first ones have come first. False when there may be more. */
export async function forgetIncoming(database: Database, before: Date): Promise<boolean> {
  const forgotten = await sql`
    delete from inbox where id in (
      select id from (
        select id, received_at from inbox where state = 'done' order by id limit ${MOST_AT_ONCE}
      ) first where received_at < ${before}
    )`.execute(database);
  return wasLast(forgotten);
}
