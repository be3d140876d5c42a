/** Flows: where a person is in an order that is gone through step by step. */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { MOST_AT_ONCE, wasLast } from './pieces.ts';

/** The page that shows an order's steps, by its web origin, where it is known. */
export interface Listener {
  embedder: string | undefined;
  /** The page that frames that one, where it says so. */
  around: string | undefined;
}

/** Undefined when nobody leads through the order. */
export async function findListener(database: Database, transactionId: string): Promise<Listener | undefined> {
  const row = await database
    .selectFrom('flows')
    .select(['embedder', 'around'])
    .where('transaction_id', '=', transactionId)
    .executeTakeFirst();
  return row && { embedder: row.embedder ?? undefined, around: row.around ?? undefined };
}

/** Where an order that is gone through step by step begins. */
export interface NewFlow extends Listener {
  /** What the person said already, sealed. */
  answers: string;
  expiresAt: Date;
  /** For so long the first turn is whoever's writes it. */
  leaseMs: number;
}

export async function insertFlow(
  trx: Database,
  order: { id: string; createdAt: Date },
  { answers, embedder, around, expiresAt, leaseMs }: NewFlow,
): Promise<void> {
  await sql`
    insert into flows (transaction_id, turn, answers, embedder, around, leased_until, created_at, expires_at)
    values (${order.id}, 0, ${answers}, ${embedder ?? null}, ${around ?? null},
      now() + ${leaseMs} * interval '1 millisecond', ${order.createdAt}, ${expiresAt})`.execute(trx);
}

export interface Flow {
  transactionId: string;
  /** Grows with every step that was taken; 0 before the first one is known. */
  turn: number;
  /** The step the person is at, sealed; undefined where the provider's own page is all there is, and after the end. */
  step: string | undefined;
  /** What we asked the person ourselves, sealed; erased at the end. */
  answers: string | undefined;
  expiresAt: Date;
}

export async function findFlow(database: Database, transactionId: string): Promise<Flow | undefined> {
  const { rows } = await sql<Flow>`
    select transaction_id as "transactionId", turn, step, answers, expires_at as "expiresAt"
    from flows where transaction_id = ${transactionId}`.execute(database);
  const [row] = rows;
  return (
    row && {
      ...row,
      step: row.step ?? undefined,
      answers: row.answers ?? undefined,
    }
  );
}

/** Takes the turn for a while; false when somebody else has it, or has taken it before. */
export async function leaseTurn(
  database: Database,
  { transactionId, turn }: Pick<Flow, 'transactionId' | 'turn'>,
  forMs: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update flows set leased_until = now() + ${forMs} * interval '1 millisecond'
    where transaction_id = ${transactionId} and turn = ${turn}
      and (leased_until is null or leased_until <= now())`.execute(database);
  return numAffectedRows === 1n;
}

/** Gives a turn back that came to nothing, now or after a pause. */
export async function releaseTurn(
  database: Database,
  { transactionId, turn }: Pick<Flow, 'transactionId' | 'turn'>,
  pauseMs = 0,
): Promise<void> {
  await sql`
    update flows set leased_until = now() + ${pauseMs} * interval '1 millisecond'
    where transaction_id = ${transactionId} and turn = ${turn}`.execute(database);
}

/**
 * Goes on to the next turn; false when somebody else has, or the order has ended. The order's row is waited for: what
 * its end erases is not written again.
 */
export async function nextTurn(
  database: Database,
  { transactionId, turn }: Pick<Flow, 'transactionId' | 'turn'>,
  { step, pauseMs }: { step: string | undefined; pauseMs: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with present as (
      select status from transactions where id = ${transactionId} for share
    )
    update flows set turn = turn + 1, step = ${step ?? null},
      leased_until = now() + ${pauseMs} * interval '1 millisecond'
    where transaction_id = ${transactionId} and turn = ${turn}
      and exists (select from present where status in ('new', 'pending', 'paid'))`.execute(database);
  return numAffectedRows === 1n;
}

/** Erases what people said in orders that have ended. */
export async function eraseFlows(database: Database, transactionIds: readonly string[]): Promise<void> {
  if (transactionIds.length === 0) return;
  await sql`
    update flows set step = null, answers = null
    where transaction_id = any(${transactionIds}::text[])`.execute(database);
}

/** Erases what people said in flows that have ended by now, and forgets those that ended before `before`; whether that was all. */
export async function tidyFlows(
  database: Database,
  { now, before }: { now: Date; before: Date },
): Promise<boolean> {
  const erased = await sql`
    update flows set step = null, answers = null where transaction_id in (
      select transaction_id from flows
      where expires_at <= ${now} and (step is not null or answers is not null)
      order by expires_at limit ${MOST_AT_ONCE}
    )`.execute(database);
  const forgotten = await sql`
    delete from flows where transaction_id in (
      select transaction_id from flows where expires_at < ${before} limit ${MOST_AT_ONCE}
    )`.execute(database);
  return wasLast(erased) && wasLast(forgotten);
}
