/** Erasure: what tells of people is taken out of transactions that have ended, and the books stay. */
import { sql } from 'kysely';
import type { Status } from '../domain/transaction.ts';
import type { AccountId } from '../domain/words.ts';
import type { Database } from './database.ts';
import { EARLIER_EVENT } from './events.ts';

/** A place on the walk along an account's transactions, in the order in which they were made. */
export interface Milestone {
  id: string;
  at: Date;
}

/** What decides whether a transaction is erased. */
export interface Erasable {
  id: string;
  status: Status;
  statusAt: Date;
  sequence: number;
  /** Whether it was erased before, and nothing that tells of people was heard of it since. */
  isErased: boolean;
}

/** The next transactions of an account; the walk goes along `entries_by_account`, for each has one entry of that kind. */
export async function listMade(
  database: Database,
  account: AccountId,
  { until, after, most }: { until: Date | undefined; after: Milestone | undefined; most: number },
): Promise<Milestone[]> {
  const { rows } = await sql<Milestone>`
    select transaction_id as id, at from entries
    where account_id = ${account} and status = 'new' and at < ${until ?? 'infinity'}
      and (at, transaction_id) > (${after?.at ?? '-infinity'}, ${after?.id ?? ''})
    order by at, transaction_id limit ${most}`.execute(database);
  return rows;
}

/** What a notice may hold of a person. */
const TELLING = sql`array['hash', 'deposit', 'bank']`;

/** The transactions of these ids, locked in one order. */
export async function lockErasable(trx: Database, ids: readonly string[]): Promise<Erasable[]> {
  const { rows } = await sql<Erasable>`
    select id, status, status_at as "statusAt", sequence,
      coalesce(erased_sequence = sequence, false) and not exists (
        select from notices n where n.transaction_id = t.id and n.said ?| ${TELLING}
      ) as "isErased"
    from transactions t where id = any(${ids}::text[])
    order by id for update of t`.execute(trx);
  return rows;
}

export interface Told {
  id: string;
  transactionId: string;
}

/**
 * The events of transactions that `trx` holds locked, locked as a replay locks them: none of them is made due meanwhile. No
 * index leads from a transaction to its events, but their names are known.
 */
export async function lockEvents(trx: Database, erasable: readonly Erasable[]): Promise<Told[]> {
  const names = erasable.flatMap(({ id, sequence }) => [
    ...Array.from({ length: sequence }, (_, at) => `${id}-${at + 1}`),
    `${id}-${EARLIER_EVENT}`,
  ]);
  const { rows } = await sql<Told>`
    select id, transaction_id as "transactionId" from events where id = any(${names}::text[])
    order by created_at, id for update`.execute(trx);
  return rows;
}

/** Those of these events that somebody is still to be told of. */
export async function findUndelivered(trx: Database, eventIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct event_id as id from deliveries
    where event_id = any(${eventIds}::text[]) and state = 'due'`.execute(trx);
  return rows.map(({ id }) => id);
}

/** Erases transactions and events that `trx` holds locked. A notice keeps its key, so that it is known when it is repeated. */
export async function erase(
  trx: Database,
  { ids, eventIds }: { ids: readonly string[]; eventIds: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return;
  // A key without an answer still stands for its order: whoever comes back with it is told that it has ended.
  await sql`
    with undelivered as (
      delete from deliveries where event_id = any(${eventIds}::text[])
    ), untold as (
      delete from events where id = any(${eventIds}::text[])
    ), entered as (
      update entries set hash = '' where transaction_id = any(${ids}::text[]) and hash <> ''
    ), heard as (
      update notices set said = said - ${TELLING}
      where transaction_id = any(${ids}::text[]) and said ?| ${TELLING}
    ), answered as (
      update idempotency_keys k set answer = null, refusal = null
      from transactions t
      where t.id = any(${ids}::text[]) and k.created_at = t.created_at and k.account_id = t.account_id
        and k.transaction_id = t.id and (k.answer is not null or k.refusal is not null)
    ), led as (
      update flows set step = null, answers = null, embedder = null, around = null
      where transaction_id = any(${ids}::text[])
    )
    update transactions set
      wallet_address = '', wallet_memo = null, partner_context = '', context_is_object = false, uuid = null,
      originating_host = null, around = null, return_to = null, page = null, access = null, hash = '',
      deposit = null, bank = null, erased_sequence = sequence
    where id = any(${ids}::text[])`.execute(trx);
}
