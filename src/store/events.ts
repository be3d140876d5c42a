/** Events: what changed, as accounts are told of it. */
import { sql } from 'kysely';
import type { AccountId } from '../domain/words.ts';
import type { Database } from './database.ts';

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
  // The share lock: an endpoint that is being removed or disabled is waited for, and then not written to.
  const { numAffectedRows } = await sql`
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
    select told.id, listening.id, now() from told join listening using (account_id)`.execute(trx);
  return Number(numAffectedRows ?? 0n);
}
