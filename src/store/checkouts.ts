/** Checkouts: everything a new order leaves behind, written in one statement, and the keys that make it happen once. */
import { sql } from 'kysely';
import type { AccountId } from '../domain/words.ts';
import type { Database } from './database.ts';
import { type Order, writePromised } from './transactions.ts';

export interface NewCheckout {
  order: Order;
  /** The event of its first status, as it is told. */
  event: { id: string; body: string };
  /** When it is first looked whether anything came of it. */
  lookAt: Date;
  key: NewKey | undefined;
  /** Whether the client can be given its page at once. */
  ready: boolean;
}

export interface NewKey {
  key: string;
  digest: Buffer;
  /** The answer, when it is known already; until when it is being worked on, when it is not. */
  answer: string | undefined;
  leasedUntil: Date | undefined;
}

/** What became of writing it: its key or its nonce may have been used before. `told`: made, and somebody is to be told. */
export type Insertion = 'made' | 'told' | 'keyTaken' | 'nonceTaken';

export async function insertCheckout(database: Database, checkout: NewCheckout): Promise<Insertion> {
  if (checkout.order.signNonce === undefined || !checkout.key) return insert(database, checkout);
  // A nonce that was used before must not leave the key behind.
  try {
    return await database.transaction().execute(async trx => {
      const insertion = await insert(trx, checkout);
      if (insertion === 'nonceTaken') throw new NonceTaken();
      return insertion;
    });
  } catch (error) {
    if (error instanceof NonceTaken) return 'nonceTaken';
    throw error;
  }
}

class NonceTaken extends Error {}

async function insert(database: Database, checkout: NewCheckout): Promise<Insertion> {
  const { order, event, key, lookAt } = checkout;
  const { rows } = await sql<{ keyed: boolean; made: boolean; told: boolean }>`
    with keyed as (
      insert into idempotency_keys (account_id, key, digest, transaction_id, answer, leased_until, created_at)
      select ${order.accountId}, ${key?.key ?? null}::text, ${key?.digest ?? null}::bytea, ${order.id},
        ${key?.answer ?? null}::text, ${key?.leasedUntil ?? null}::timestamptz, ${order.createdAt}
      where ${key !== undefined}
      on conflict do nothing
      returning transaction_id
    ), made as (
      insert into transactions (
        id, session_id, account_id, environment, origin, provider, side, fiat, asset, method, country,
        source, target, amount, offer, native, wallet_address, wallet_memo, partner_context, uuid,
        originating_host, theme, return_to, sign_nonce, created_at, expires_at, ready, status, status_at
      )
      select
        ${order.id}, ${order.sessionId}, ${order.accountId}, ${order.environment}, ${order.origin},
        ${order.provider}, ${order.side}, ${order.fiat}, ${order.asset}, ${order.method}, ${order.country},
        ${order.source}, ${order.target}, ${order.amount.toString()}::numeric,
        ${writePromised(order.promised)}::jsonb, ${JSON.stringify(order.native)}::jsonb,
        ${order.walletAddress}, ${order.walletMemo ?? null}, ${order.partnerContext}, ${order.uuid ?? null},
        ${order.originatingHost ?? null}, ${JSON.stringify(order.theme)}::jsonb, ${order.returnTo ?? null},
        ${order.signNonce ?? null}, ${order.createdAt}, ${order.expiresAt}, ${checkout.ready},
        'new', ${order.createdAt}
      where ${key === undefined} or exists (select from keyed)
      on conflict (account_id, sign_nonce) do nothing
      returning id, account_id, created_at
    ), entry as (
      insert into entries (transaction_id, status, account_id, at, sequence, reason, theirs, hash)
      select id, 'new', account_id, created_at, 1, '', '', '' from made
    ), event as (
      insert into events (id, account_id, transaction_id, sequence, body, created_at)
      select ${event.id}::text, account_id, id, 1, ${event.body}::text, created_at from made
    ), delivery as (
      insert into deliveries (event_id, endpoint_id, due_at)
      select ${event.id}::text, endpoints.id, made.created_at
      from made join endpoints using (account_id) where endpoints.disabled_at is null
      returning event_id
    ), look as (
      insert into tasks (kind, key, due_at) select 'look-up', id, ${lookAt}::timestamptz from made
    )
    select exists (select from keyed) as keyed, exists (select from made) as made,
      exists (select from delivery) as told`.execute(database);
  if (rows[0]?.made) return rows[0].told ? 'told' : 'made';
  return key && !rows[0]?.keyed ? 'keyTaken' : 'nonceTaken';
}

export interface StoredKey {
  digest: Buffer;
  transactionId: string;
  answer: string | null;
  /** Whether somebody is working on it. */
  running: boolean;
}

export async function findKey(
  database: Database,
  account: AccountId,
  key: string,
): Promise<StoredKey | undefined> {
  const { rows } = await sql<StoredKey>`
    select digest, transaction_id as "transactionId", answer,
      coalesce(leased_until > now(), false) as running
    from idempotency_keys where account_id = ${account} and key = ${key}`.execute(database);
  return rows[0];
}

/** Takes up a key that nobody works on any more; false when somebody else was faster. */
export async function leaseKey(
  database: Database,
  account: AccountId,
  lease: { key: string; until: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update idempotency_keys set leased_until = ${lease.until}
    where account_id = ${account} and key = ${lease.key} and answer is null
      and (leased_until is null or leased_until <= now())`.execute(database);
  return numAffectedRows === 1n;
}

/** Keeps the answer for good, or lets go of the key without one. */
export async function releaseKey(
  database: Database,
  account: AccountId,
  release: { key: string; answer: string | undefined },
): Promise<void> {
  await sql`
    update idempotency_keys set leased_until = null, answer = coalesce(answer, ${release.answer ?? null})
    where account_id = ${account} and key = ${release.key}`.execute(database);
}

/** Forgets keys nobody will come back with. */
export async function forgetKeys(database: Database, before: Date): Promise<void> {
  await sql`delete from idempotency_keys where created_at < ${before}`.execute(database);
}
