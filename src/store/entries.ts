/** Entries: the statuses a transaction has reached, read back with the transaction they belong to. */
import { type RawBuilder, sql } from 'kysely';
import { type Amount, decimal } from '../domain/money.ts';
import type { Status } from '../domain/transaction.ts';
import type { AccountId, CountryCode, MethodId, ProviderId, Side } from '../domain/words.ts';
import type { Database } from './database.ts';

/** What a record tells of the order itself. */
export interface RecordSource {
  id: string;
  country: CountryCode;
  provider: ProviderId;
  method: MethodId;
  /** The currencies in the client's own words, lower-cased. */
  source: string;
  target: string;
  side: Side;
  amount: Amount;
  walletAddress: string;
  partnerContext: string;
}

/** What a record tells of one status of it. */
export interface EntryFacts {
  status: Status;
  /** When it was reached. */
  at: Date;
  reason: string;
  theirs: string;
  hash: string;
  paid: Amount | undefined;
  received: Amount | undefined;
}

export interface FoundEntry {
  transaction: RecordSource;
  entry: EntryFacts;
  /** Grows from entry to entry of a transaction. */
  sequence: number;
}

/** The most that are listed at once. */
export const MOST_ENTRIES = 51;

/** Entries of an account, newest first. */
export interface EntryFilter {
  account: AccountId;
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  /** Only of these transactions, each named once. */
  ids?: readonly string[] | undefined;
  /** Only what comes after this entry, which the filter lets through. */
  after?: { at: Date; transactionId: string; sequence: number } | undefined;
  /** Up to `MOST_ENTRIES`. */
  most: number;
}

interface Row {
  id: string;
  country: string;
  provider: string;
  method: string;
  source: string;
  target: string;
  side: string;
  amount: string;
  wallet_address: string;
  partner_context: string;
  status: string;
  at: Date;
  sequence: number;
  reason: string;
  theirs: string;
  hash: string;
  paid: string | null;
  received: string | null;
}

/**
 * Of `t`, a transaction, and `e`, an entry of it, which tells what was known by the time the next status was reached. Older
 * versions wrote what became known in the present status to the transaction's row only.
 */
const COLUMNS = sql`
  t.id, t.country, t.provider, t.method, t.source, t.target, t.side, t.amount, t.wallet_address, t.partner_context,
  e.status, e.at, e.sequence,
  case when e.status = t.status then t.reason else e.reason end as reason,
  case when e.status = t.status then t.theirs else e.theirs end as theirs,
  case when e.status = t.status then t.hash else e.hash end as hash,
  case when e.status = t.status then t.paid else e.paid end as paid,
  case when e.status = t.status then t.received else e.received end as received`;

/** The present status of one of the account's transactions. */
export async function findPresentEntry(
  database: Database,
  account: AccountId,
  id: string,
): Promise<FoundEntry | undefined> {
  const { rows } = await sql<Row>`
    /* find present entry */
    select ${COLUMNS}
    from transactions t join entries e on e.transaction_id = t.id and e.status = t.status
    where t.id = ${id} and t.account_id = ${account}`.execute(database);
  return rows[0] && readRow(rows[0]);
}

/** Times are kept in whole milliseconds, so that a position tells exactly where a page ended. */
export async function listEntries(database: Database, filter: EntryFilter): Promise<FoundEntry[]> {
  const query = filter.ids
    ? sql<Row>`/* list entries of ids */ ${withTransactions(entriesOf(filter.ids, filter))}`
    : sql<Row>`/* list entries */ ${withTransactions(entriesAlong(filter))}`;
  const { rows } = await query.execute(database);
  return rows.map(readRow);
}

/** Newest first, each with the transaction it belongs to. */
function withTransactions(entries: RawBuilder<unknown>) {
  return sql`
    select ${COLUMNS}
    from (${entries}) e join transactions t on t.id = e.transaction_id
    order by e.at desc, e.transaction_id desc, e.sequence desc`;
}

/**
 * A walk along `entries_by_account` that ends after `most` entries, however many there are. It looks where to begin only:
 * newest first, those too old come last, and a planner that misjudges a span of time has no reason to leave the walk. That
 * it is short is written into it, as the planner does not know what is asked for later.
 */
function entriesAlong(filter: EntryFilter) {
  return sql`
    select * from (
      select * from entries where account_id = ${filter.account} and ${isBelow(filter)}
      ${NEWEST_FIRST} limit ${sql.lit(MOST_ENTRIES)}
    ) walked where at >= ${filter.from ?? '-infinity'} ${NEWEST_FIRST} limit ${filter.most}`;
}

/**
 * A look at the few entries of each transaction; never a search for them along the account's. The primary key holds all
 * that decides which of them are wanted, and only their transactions are looked at again.
 */
function entriesOf(ids: readonly string[], filter: EntryFilter) {
  return sql`
    select e.* from (
      select transaction_id, array_agg(status) as statuses from (
        select own.* from unnest(${ids}::text[]) as named (id) cross join lateral (
          select transaction_id, status, account_id, at, sequence from entries
          where transaction_id = named.id offset 0
        ) own
        where account_id = ${filter.account} and ${isBelow(filter)} and at >= ${filter.from ?? '-infinity'}
        ${NEWEST_FIRST} limit ${filter.most}
      ) wanted group by transaction_id
    ) chosen cross join lateral (
      select * from entries where transaction_id = chosen.transaction_id offset 0
    ) e where e.status = any(chosen.statuses)`;
}

const NEWEST_FIRST = sql`order by at desc, transaction_id desc, sequence desc`;

/** What comes after an entry is before the end as well; were both said, a walk might begin at the end each time. */
function isBelow({ until, after }: EntryFilter) {
  const { at, transactionId, sequence } = after ?? {
    at: until ?? 'infinity',
    transactionId: '',
    sequence: 0,
  };
  return sql`(at, transaction_id, sequence) < (${at}, ${transactionId}, ${sequence}::integer)`;
}

function readRow(row: Row): FoundEntry {
  return {
    transaction: {
      id: row.id,
      country: row.country as CountryCode,
      provider: row.provider as ProviderId,
      method: row.method as MethodId,
      source: row.source,
      target: row.target,
      side: row.side as Side,
      amount: decimal(row.amount),
      walletAddress: row.wallet_address,
      partnerContext: row.partner_context,
    },
    entry: {
      status: row.status as Status,
      at: row.at,
      reason: row.reason,
      theirs: row.theirs,
      hash: row.hash,
      paid: readAmount(row.paid),
      received: readAmount(row.received),
    },
    sequence: row.sequence,
  };
}

function readAmount(text: string | null): Amount | undefined {
  return text === null ? undefined : decimal(text);
}
