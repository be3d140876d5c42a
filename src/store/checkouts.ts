/** Checkouts: everything a new order leaves behind, written in one statement, and the keys that make it happen once. */
import { CompiledQuery, sql } from 'kysely';
import type { AccountId } from '../domain/words.ts';
import { textArray } from './arrays.ts';
import type { Database } from './database.ts';
import { insertFlow, type NewFlow } from './flows.ts';
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
}

export interface NewKey {
  key: string;
  /** In hexadecimal. */
  digest: string;
  /** The answer, when it is known already; how long it is being worked on at most, when it is not. */
  answer: string | undefined;
  leaseMs: number | undefined;
}

/** What became of writing it: its key, nonce or id may have been used before. `told`: made, and somebody is to be told. */
export type Insertion = 'made' | 'told' | 'keyTaken' | 'nonceTaken' | 'idTaken';

/** How a value is said: in words that PostgreSQL reads as this type. */
type Field = readonly [type: string, read: (checkout: NewCheckout) => string | undefined];

/** What is known of an order that was just made, by the column it goes into. */
const ORDER: Readonly<Record<string, Field>> = {
  session_id: ['text', ({ order }) => order.sessionId],
  environment: ['text', ({ order }) => order.environment],
  origin: ['text', ({ order }) => order.origin],
  provider: ['text', ({ order }) => order.provider],
  side: ['text', ({ order }) => order.side],
  fiat: ['text', ({ order }) => order.fiat],
  asset: ['text', ({ order }) => order.asset],
  method: ['text', ({ order }) => order.method],
  country: ['text', ({ order }) => order.country],
  source: ['text', ({ order }) => order.source],
  target: ['text', ({ order }) => order.target],
  amount: ['numeric', ({ order }) => order.amount.toString()],
  offer: ['jsonb', ({ order }) => JSON.stringify(writePromised(order.promised))],
  native: ['jsonb', ({ order }) => JSON.stringify(order.native)],
  wallet_address: ['text', ({ order }) => order.walletAddress],
  wallet_memo: ['text', ({ order }) => order.walletMemo],
  partner_context: ['text', ({ order }) => order.partnerContext],
  context_is_object: ['boolean', ({ order }) => String(order.contextIsObject)],
  uuid: ['text', ({ order }) => order.uuid],
  originating_host: ['text', ({ order }) => order.originatingHost],
  around: ['text', ({ order }) => order.around?.join(' ')],
  theme: ['jsonb', ({ order }) => JSON.stringify(order.theme)],
  return_to: ['text', ({ order }) => order.returnTo],
  sign_nonce: ['text', ({ order }) => order.signNonce],
  expires_at: ['timestamptz', ({ order }) => order.expiresAt.toISOString()],
  ready: ['boolean', ({ ready }) => String(ready)],
};

/** Everything that is said of a checkout. */
const FIELDS: Readonly<Record<string, Field>> = {
  ...ORDER,
  id: ['text', ({ order }) => order.id],
  account_id: ['text', ({ order }) => order.accountId],
  created_at: ['timestamptz', ({ order }) => order.createdAt.toISOString()],
  event_id: ['text', ({ event }) => event.id],
  event_body: ['text', ({ event }) => event.body],
  look_in_ms: ['integer', ({ lookInMs }) => String(lookInMs)],
  key: ['text', ({ key }) => key?.key],
  digest: ['text', ({ key }) => key?.digest],
  answer: ['text', ({ key }) => key?.answer],
  lease_ms: ['integer', ({ key }) => key?.leaseMs?.toString()],
};

const COLUMNS = Object.keys(ORDER);
const NAMES = Object.keys(FIELDS);
const READERS = Object.values(FIELDS).map(([, read]) => read);

/** The most that are written at once. */
export const MOST_CHECKOUTS = 64;

/** Fields of a checkout as the statement reads them: `said` is an array of all, in their order. */
function said(...names: string[]): string {
  return names.map(name => `said[${NAMES.indexOf(name) + 1}]::${FIELDS[name]?.[0]}`).join(', ');
}

/**
 * That they are few is written into it, as the planner does not know what is asked for later. Of what is inserted, what
 * stands last is inserted first: where a key was used before, nothing else was done in vain.
 */
const INSERT = `
  /* insert checkouts */
  with wanted as (
    select ${said('id')} as id, ${said('account_id')} as account_id, ${said('created_at')} as created_at,
      ${said('event_id')} as event_id, said
    from (select * from generate_series(0, (select $2::integer) - 1) nth limit ${MOST_CHECKOUTS}) each
    cross join lateral (
      select ($1::text[])[nth * ${NAMES.length} + 1 : (nth + 1) * ${NAMES.length}] as said offset 0
    ) texts
  ), made as (
    insert into transactions (id, account_id, created_at, status, status_at, ${COLUMNS.join(', ')})
    select id, account_id, created_at, 'new', created_at, ${said(...COLUMNS)} from wanted
  ), entry as (
    insert into entries (transaction_id, status, account_id, at, sequence, reason, theirs, hash)
    select id, 'new', account_id, created_at, 1, '', '', '' from wanted
  ), event as (
    insert into events (id, account_id, transaction_id, sequence, body, created_at)
    select event_id, account_id, id, 1, ${said('event_body')}, created_at from wanted
  ), look as (
    insert into tasks (kind, key, due_at)
    select 'look-up', id, now() + ${said('look_in_ms')} * interval '1 millisecond' from wanted
  ), keyed as (
    insert into idempotency_keys (account_id, transaction_id, created_at, key, digest, answer, leased_until)
    select account_id, id, created_at, ${said('key')}, decode(${said('digest')}, 'hex'), ${said('answer')},
      now() + ${said('lease_ms')} * interval '1 millisecond'
    from wanted where ${said('key')} is not null
    order by account_id, ${said('key')}
  ), listening as (
    select id, account_id from endpoints
    where account_id in (select account_id from wanted) and disabled_at is null
    for share
  )
  insert into deliveries (event_id, endpoint_id, due_at)
  select event_id, listening.id, now() from wanted join listening using (account_id)
  returning event_id`;

/**
 * Writes checkouts, all of them in one statement; what became of each. Keys go in one order, so that nobody waits in a
 * circle. Where some were used before, nothing was written: those are told so, and all others written without them.
 */
export async function insertCheckouts(
  database: Database,
  checkouts: readonly NewCheckout[],
): Promise<Insertion[]> {
  const texts: (string | undefined)[] = [];
  for (const checkout of checkouts) for (const read of READERS) texts.push(read(checkout));
  try {
    const { rows } = await database.executeQuery<{ event_id: string }>(
      CompiledQuery.raw(INSERT, [textArray(texts), checkouts.length]),
    );
    const told = new Set(rows.map(row => row.event_id));
    return checkouts.map(({ event }) => (told.has(event.id) ? 'told' : 'made'));
  } catch (error) {
    const taken = isTaken(error) ? await findTaken(database, checkouts) : [];
    if (taken.length === 0) throw error;
    const others = checkouts.filter(checkout => !taken.includes(checkout));
    const insertions = others.length > 0 ? await insertCheckouts(database, others) : [];
    return checkouts.map(checkout => insertions[others.indexOf(checkout)] ?? 'keyTaken');
  }
}

/** Those whose key was used before, if only by another of them. */
async function findTaken(database: Database, checkouts: readonly NewCheckout[]): Promise<NewCheckout[]> {
  const keyed = checkouts.filter(({ key }) => key);
  if (keyed.length === 0) return [];
  const { rows } = await sql<{ nth: number }>`
    select nth::integer from unnest(
      ${keyed.map(({ order }) => order.accountId)}::text[], ${keyed.map(({ key }) => key?.key)}::text[]
    ) with ordinality as named (account_id, key, nth) join idempotency_keys using (account_id, key)`.execute(
    database,
  );
  const used = rows.flatMap(({ nth }) => keyed[nth - 1] ?? []);
  const repeated = keyed.filter((one, nth) => keyed.findIndex(other => haveOneKey(one, other)) < nth);
  return [...used, ...repeated];
}

function haveOneKey(one: NewCheckout, other: NewCheckout): boolean {
  return one.order.accountId === other.order.accountId && one.key?.key === other.key?.key;
}

/** Writes a signed checkout, whose nonce may have been used before: that leaves no key behind. */
export async function insertSigned(database: Database, checkout: NewCheckout): Promise<Insertion> {
  try {
    const [insertion = 'keyTaken'] = await insertCheckouts(database, [checkout]);
    return insertion;
  } catch (error) {
    if (isTaken(error)) return 'nonceTaken';
    throw error;
  }
}

/** Writes an order that is gone through step by step, with where it begins; its id may have been used before. */
export async function insertStepped(
  database: Database,
  checkout: NewCheckout,
  flow: NewFlow,
): Promise<Insertion> {
  try {
    return await database.transaction().execute(async trx => {
      const [insertion = 'idTaken'] = await insertCheckouts(trx, [checkout]);
      await insertFlow(trx, checkout.order, flow);
      return insertion;
    });
  } catch (error) {
    if (isTaken(error)) return 'idTaken';
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  return (error as { code?: string }).code === '23505'; // unique_violation
}

export interface StoredKey {
  digest: string;
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
    select encode(digest, 'hex') as digest, transaction_id as "transactionId", answer, refusal,
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
