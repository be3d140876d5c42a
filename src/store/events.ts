/** Events: what changed, as accounts are told of it. */
import { sql } from 'kysely';
import type { AccountId } from '../domain/words.ts';
import type { Database } from './database.ts';
import { MOST_AT_ONCE, wasLast } from './pieces.ts';

/** What follows the transaction's id in the name of the earlier surface's own event; every other has its number there. */
export const EARLIER_EVENT = 'transaction_completed';

export interface NewEvent {
  /** `<transaction id>-<sequence>`: nothing can be told twice under two names. */
  id: string;
  accountId: AccountId;
  transactionId: string;
  /** Which change of its transaction it is; grows by one. */
  sequence: number;
  /** JSON, exactly as it will be sent. */
  body: string;
  at: Date;
}

/**
 * Writes events and what has to be delivered of them, in the transaction that changes what they tell of; gives how many
 * deliveries that makes. An event that is there already makes none.
 */
export async function writeEvents(trx: Database, events: readonly NewEvent[]): Promise<number> {
  if (events.length === 0) return 0;
  // The share lock: an endpoint that is being removed or disabled is waited for, and then not written to. The time of the
  // statement, not of the transaction: of two that change one order, the one that began first may come second.
  const { numAffectedRows } = await sql`
    /* write events */
    with told as (
      insert into events (id, account_id, transaction_id, sequence, body, created_at)
      select * from unnest(
        ${events.map(({ id }) => id)}::text[],
        ${events.map(({ accountId }) => accountId)}::text[],
        ${events.map(({ transactionId }) => transactionId)}::text[],
        ${events.map(({ sequence }) => sequence)}::int[],
        ${events.map(({ body }) => body)}::text[],
        ${events.map(({ at }) => at)}::timestamptz[]
      )
      on conflict (id) do nothing
      returning id, account_id
    ), listening as (
      select id, account_id from endpoints
      where account_id in (select account_id from told) and disabled_at is null
      for share
    )
    insert into deliveries (event_id, endpoint_id, due_at)
    select told.id, listening.id, statement_timestamp() from told join listening using (account_id)`.execute(
    trx,
  );
  return Number(numAffectedRows ?? 0n);
}

/**
 * Forgets events that everybody was told of before `before`, and that they were; what could not be delivered stays. Ids
 * begin with the time their transaction was made, so that only those below `belowId` are looked at. False when there may be more.
 */
export async function forgetEvents(
  database: Database,
  { before, belowId }: { before: Date; belowId: string },
): Promise<boolean> {
  const isTold = sql`not exists (select from deliveries d where d.event_id = e.id and d.state <> 'delivered')`;
  const forgotten = await database.transaction().execute(async trx => {
    const { rows } = await sql<{ id: string }>`
      select id from events e where id < ${belowId} and created_at < ${before} and ${isTold}
      order by id limit ${MOST_AT_ONCE} for update skip locked`.execute(trx);
    // A replay that came first has made deliveries which were not to be seen before.
    return sql`
      with old as (
        select id from events e where id = any(${rows.map(({ id }) => id)}::text[]) and ${isTold}
      ), told as (
        delete from deliveries where event_id in (select id from old)
      )
      delete from events where id in (select id from old)`.execute(trx);
  });
  return wasLast(forgotten);
}
