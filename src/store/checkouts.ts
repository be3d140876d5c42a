/** Checkouts: everything a new order leaves behind, written in one statement, and the keys that make it happen once. */
import { sql } from 'kysely';
import type { AccountId } from '../domain/words.ts';
import { textArray } from './arrays.ts';
import type { Database } from './database.ts';
import { MOST_AT_ONCE, wasLast } from './pieces.ts';
import { type Order, writePromised } from './transactions.ts';

export interface NewCheckout {
  order: Order;
  /** The event of its first status, with its body as it is told. */
  event: { id: string; body: string };
  /** In how many milliseconds it is first looked whether anything came of it. */
  lookInMs: number;
  key: NewKey | undefined;
  /** Whether the client can be given its page at once. */
  ready: boolean;
  flow?: NewFlow | undefined;
}

/** An order that is gone through step by step. */
export interface NewFlow {
  /** What the person said already, sealed. */
  answers: string;
  embedder: string | undefined;
  around: string | undefined;
  expiresAt: Date;
  /** For so long the first turn is whoever's writes it. */
  leaseMs: number;
}

export interface NewKey {
  key: string;
  digest: Buffer;
  /** The answer, when it is known already; how long it is being worked on at most, when it is not. */
  answer: string | undefined;
  leaseMs: number | undefined;
}

/** What became of writing it: its key, nonce or id may have been used before. `told`: made, and somebody is to be told. */
export type Insertion = 'made' | 'told' | 'keyTaken' | 'nonceTaken' | 'idTaken';

/** Writes a signed checkout: a nonce that was used before must not leave the key behind. */
export async function insertSigned(database: Database, checkout: NewCheckout): Promise<Insertion> {
  try {
    return await database.transaction().execute(async trx => {
      const [insertion] = await insertCheckouts(trx, [checkout]);
      if (insertion === undefined || insertion === 'nonceTaken') throw new NonceTaken();
      return insertion;
    });
  } catch (error) {
    if (error instanceof NonceTaken) return 'nonceTaken';
    throw error;
  }
}

class NonceTaken extends Error {}

/**
 * Writes checkouts, all of them in one statement; what became of each. Keys go in one order, so that nobody waits in a
 * circle. No two may have one id.
 */
export async function insertCheckouts(
  database: Database,
  checkouts: readonly NewCheckout[],
): Promise<Insertion[]> {
  const { rows } = await sql<{ id: string; keyed: boolean; made: boolean; told: boolean }>`
    /* insert checkouts */
    with wanted as (
      select *, (${textArray(checkouts.map(({ key }) => key?.answer))}::text[])[at] as answer,
        (${textArray(checkouts.map(({ event }) => event.body))}::text[])[at] as event_body
      from json_to_recordset(${JSON.stringify(checkouts.map(rowOf))}::json) as w (
        at integer, id text, session_id text, account_id text, environment text, origin text, provider text, side text,
        fiat text, asset text, method text, country text, source text, target text, amount numeric, offer jsonb,
        native jsonb, wallet_address text, wallet_memo text, partner_context text, uuid text,
        originating_host text, around text, theme jsonb, return_to text, sign_nonce text, created_at timestamptz,
        expires_at timestamptz, ready boolean, event_id text, look_in_ms integer,
        key text, digest text, lease_ms integer, context_is_object boolean,
        flow_answers text, flow_embedder text, flow_around text, flow_end timestamptz, flow_lease_ms integer
      )
    ), keyed as (
      insert into idempotency_keys (account_id, key, digest, transaction_id, answer, leased_until, created_at)
      select account_id, key, decode(digest, 'hex'), id, answer,
        now() + lease_ms * interval '1 millisecond', created_at
      from wanted where key is not null
      order by account_id, key
      on conflict do nothing
      returning transaction_id
    ), made as (
      insert into transactions (
        id, session_id, account_id, environment, origin, provider, side, fiat, asset, method, country,
        source, target, amount, offer, native, wallet_address, wallet_memo, partner_context, uuid,
        originating_host, around, theme, return_to, sign_nonce, created_at, expires_at, ready, context_is_object,
        status, status_at
      )
      select
        id, session_id, account_id, environment, origin, provider, side, fiat, asset, method, country,
        source, target, amount, offer, native, wallet_address, wallet_memo, partner_context, uuid,
        originating_host, around, theme, return_to, sign_nonce, created_at, expires_at, ready, context_is_object,
        'new', created_at
      from wanted where key is null or id in (select transaction_id from keyed)
      on conflict do nothing
      returning id, account_id, created_at
    ), entry as (
      insert into entries (transaction_id, status, account_id, at, sequence, reason, theirs, hash)
      select id, 'new', account_id, created_at, 1, '', '', '' from made
    ), event as (
      insert into events (id, account_id, transaction_id, sequence, body, created_at)
      select event_id, w.account_id, id, 1, event_body, w.created_at from wanted w join made using (id)
    ), listening as (
      select id, account_id from endpoints
      where account_id in (select account_id from made) and disabled_at is null
      for share
    ), delivery as (
      insert into deliveries (event_id, endpoint_id, due_at)
      select event_id, listening.id, now()
      from wanted w join made using (id) join listening on listening.account_id = made.account_id
      returning event_id
    ), flow as (
      insert into flows (transaction_id, turn, answers, embedder, around, leased_until, created_at, expires_at)
      select id, 0, flow_answers, flow_embedder, flow_around, now() + flow_lease_ms * interval '1 millisecond',
        w.created_at, flow_end
      from wanted w join made using (id) where flow_end is not null
    ), look as (
      insert into tasks (kind, key, due_at)
      select 'look-up', id, now() + look_in_ms * interval '1 millisecond' from wanted join made using (id)
    )
    select id, id in (select transaction_id from keyed) as keyed, id in (select id from made) as made,
      event_id in (select event_id from delivery) as told
    from wanted`.execute(database);
  const found = new Map(rows.map(row => [row.id, row]));
  return checkouts.map(({ order, key }) => {
    const row = found.get(order.id);
    if (row?.made) return row.told ? 'told' : 'made';
    if (key && !row?.keyed) return 'keyTaken';
    return order.signNonce === undefined ? 'idTaken' : 'nonceTaken';
  });
}

/** One row, all but its long texts: they are JSON themselves, and in JSON again each letter would be looked at. */
function rowOf({ order, event, key, lookInMs, ready, flow }: NewCheckout, index: number): object {
  return {
    at: index + 1,
    id: order.id,
    session_id: order.sessionId,
    account_id: order.accountId,
    environment: order.environment,
    origin: order.origin,
    provider: order.provider,
    side: order.side,
    fiat: order.fiat,
    asset: order.asset,
    method: order.method,
    country: order.country,
    source: order.source,
    target: order.target,
    amount: order.amount.toString(),
    offer: writePromised(order.promised),
    native: order.native,
    wallet_address: order.walletAddress,
    wallet_memo: order.walletMemo,
    partner_context: order.partnerContext,
    uuid: order.uuid,
    originating_host: order.originatingHost,
    around: order.around?.join(' '),
    theme: order.theme,
    return_to: order.returnTo,
    sign_nonce: order.signNonce,
    created_at: order.createdAt,
    expires_at: order.expiresAt,
    ready,
    event_id: event.id,
    look_in_ms: lookInMs,
    key: key?.key,
    digest: key?.digest.toString('hex'),
    lease_ms: key?.leaseMs,
    context_is_object: order.contextIsObject,
    flow_answers: flow?.answers,
    flow_embedder: flow?.embedder,
    flow_around: flow?.around,
    flow_end: flow?.expiresAt,
    flow_lease_ms: flow?.leaseMs,
  };
}

export interface StoredKey {
  digest: Buffer;
  transactionId: string;
  answer: string | null;
  /** In place of an answer: what the provider said no to, and why. */
  refusal: string | null;
  /** Whether somebody is working on it. */
  running: boolean;
}

export async function findKey(
  database: Database,
  account: AccountId,
  key: string,
): Promise<StoredKey | undefined> {
  const { rows } = await sql<StoredKey>`
    select digest, transaction_id as "transactionId", answer, refusal,
      coalesce(leased_until > now(), false) as running
    from idempotency_keys where account_id = ${account} and key = ${key}`.execute(database);
  return rows[0];
}

/** Takes up a key that nobody works on any more; false when somebody else was faster. */
export async function leaseKey(
  database: Database,
  account: AccountId,
  lease: { key: string; forMs: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update idempotency_keys set leased_until = now() + ${lease.forMs} * interval '1 millisecond'
    where account_id = ${account} and key = ${lease.key} and answer is null
      and (leased_until is null or leased_until <= now())`.execute(database);
  return numAffectedRows === 1n;
}

/** Keeps the answer or the refusal for good, or lets go of the key without one. */
export async function releaseKey(
  database: Database,
  account: AccountId,
  release: { key: string; answer: string | undefined; refusal: string | undefined },
): Promise<void> {
  await sql`
    update idempotency_keys set leased_until = null, answer = coalesce(answer, ${release.answer ?? null}),
      refusal = coalesce(refusal, ${release.refusal ?? null})
    where account_id = ${account} and key = ${release.key}`.execute(database);
}

/** Forgets keys nobody will come back with. False when there may be more. */
export async function forgetKeys(database: Database, before: Date): Promise<boolean> {
  const forgotten = await sql`
    delete from idempotency_keys where (account_id, key) in (
      select account_id, key from idempotency_keys where created_at < ${before}
      order by created_at limit ${MOST_AT_ONCE}
    )`.execute(database);
  return wasLast(forgotten);
}
