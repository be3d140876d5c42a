/** Transactions: orders as they were made, and where each of them stands. */
import { type Selectable, sql } from 'kysely';
import { type Amount, decimal } from '../domain/money.ts';
import type { BankTransfer } from '../domain/step.ts';
import type { Deposit, Standing, Status } from '../domain/transaction.ts';
import type {
  AccountId,
  AssetId,
  CountryCode,
  Environment,
  FiatId,
  MethodId,
  ProviderId,
  Side,
} from '../domain/words.ts';
import type { Database } from './database.ts';
import type { TransactionRow } from './tables.ts';

/** What was ordered; none of it changes afterwards. */
export interface Order {
  id: string;
  sessionId: string;
  accountId: AccountId;
  environment: Environment;
  /** Which surface it was made on. */
  origin: 'current' | 'earlier';
  provider: ProviderId;
  side: Side;
  fiat: FiatId;
  asset: AssetId;
  method: MethodId;
  country: CountryCode;
  /** The currencies in the client's own words, lower-cased. */
  source: string;
  target: string;
  amount: Amount;
  promised: Promised;
  native: { fiat: string; asset: string; network: string; method: string };
  walletAddress: string;
  walletMemo: string | undefined;
  partnerContext: string;
  /** Whether the context was an object; its text is JSON then. */
  contextIsObject: boolean;
  uuid: string | undefined;
  originatingHost: string | undefined;
  /** Web origins of the pages around the widget that it was made in. */
  around?: readonly string[] | undefined;
  theme: Readonly<Record<string, unknown>>;
  returnTo: string | undefined;
  signNonce: string | undefined;
  createdAt: Date;
  expiresAt: Date;
}

/** The price that was promised when it was ordered; fees are in fiat. */
export interface Promised {
  gets: Amount;
  networkFee: Amount;
  providerFee: Amount;
}

export interface Transaction extends Order {
  /** Public key of the account. */
  publicKey: string;
  /** For how many days after its end the account has it tell of people; undefined for ever. */
  retentionDays: number | undefined;
  /** Whether what told of people was erased. */
  isErased: boolean;
  /** Whether the client was given its page: until then nobody can go on with it. */
  ready: boolean;
  openedAt: Date | undefined;
  /** When the person was last sent to the provider's page. */
  visitedAt: Date | undefined;
  /** The provider's page, sealed, where it must not be made anew. */
  page: string | undefined;
  /** What opens the provider's order where its id alone does not, sealed. */
  access: string | undefined;
  standing: Standing;
  statusAt: Date;
  /** Grows with every change. */
  sequence: number;
}

type Row = Selectable<Omit<TransactionRow, 'looked_at'>> & {
  public_key: string;
  retention_days: number | null;
};

/** Column by column: what is planned once goes on when a newer version adds one. */
const SELECT = sql`
  select t.id, t.session_id, t.account_id, t.environment, t.origin, t.provider, t.side, t.fiat, t.asset, t.method,
    t.country, t.source, t.target, t.amount, t.offer, t.native, t.wallet_address, t.wallet_memo, t.partner_context,
    t.context_is_object, t.uuid, t.originating_host, t.around, t.theme, t.return_to, t.sign_nonce, t.created_at,
    t.expires_at, t.ready, t.opened_at, t.visited_at, t.page, t.access, t.status, t.status_at, t.reason, t.theirs,
    t.hash, t.paid, t.received, t.deposit, t.bank, t.contradicted, t.sequence, t.erased_sequence,
    a.public_key, a.retention_days
  from transactions t join accounts a on a.id = t.account_id`;

export async function findTransaction(database: Database, id: string): Promise<Transaction | undefined> {
  const { rows } = await sql<Row>`/* find transaction */ ${SELECT} where t.id = ${id}`.execute(database);
  return rows[0] && readTransaction(rows[0]);
}

export async function findBySession(database: Database, session: string): Promise<Transaction | undefined> {
  const { rows } = await sql<Row>`/* find by session */ ${SELECT} where t.session_id = ${session}`.execute(
    database,
  );
  return rows[0] && readTransaction(rows[0]);
}

/** Those of `seen` (sequence numbers by id) that have changed since. */
export async function findChanged(
  database: Database,
  seen: ReadonlyMap<string, number>,
): Promise<Transaction[]> {
  const { rows } = await sql<Row>`
    /* find changed */ ${SELECT}
    join unnest(${[...seen.keys()]}::text[], ${[...seen.values()]}::int[]) as seen (id, sequence)
      on seen.id = t.id
    where t.sequence > seen.sequence`.execute(database);
  return rows.map(readTransaction);
}

/** How a provider's notice names an order: by our reference, by its own id, or both. */
export interface OrderName {
  provider: ProviderId;
  environment: Environment;
  reference: string | undefined;
  theirs: string | undefined;
}

/** The transactions named, locked in one order so that no two of us wait for each other. */
export async function lockNamed(trx: Database, names: readonly OrderName[]): Promise<Transaction[]> {
  const { rows } = await sql<Row>`
    /* lock named */ ${SELECT}
    where t.id in (
      select t.id from unnest(
        ${names.map(name => name.provider)}::text[], ${names.map(name => name.environment)}::text[],
        ${names.map(name => name.reference ?? null)}::text[]
      ) as named (provider, environment, reference)
      join transactions t
        on t.id = named.reference and t.provider = named.provider and t.environment = named.environment
      union
      select t.id from unnest(
        ${names.map(name => name.provider)}::text[], ${names.map(name => name.environment)}::text[],
        ${names.map(name => name.theirs ?? null)}::text[]
      ) as named (provider, environment, theirs)
      join transactions t
        on t.theirs = named.theirs and t.provider = named.provider and t.theirs <> ''
        and t.environment = named.environment
    )
    order by t.id for update of t`.execute(trx);
  return rows.map(readTransaction);
}

/** What opens orders, sealed, by the transaction's id. Those that have ended for good need it no more. */
export async function writeAccess(trx: Database, access: ReadonlyMap<string, string>): Promise<void> {
  await sql`
    update transactions t set access = a.access
    from unnest(${[...access.keys()]}::text[], ${[...access.values()]}::text[]) as a (id, access)
    where t.id = a.id and t.status <> all(${ENDED_FOR_GOOD}::text[])`.execute(trx);
}

/** Of one that goes on again it may just have been told. */
export async function eraseAccess(database: Database, id: string): Promise<void> {
  await database
    .updateTable('transactions')
    .set({ access: null })
    .where('id', '=', id)
    .where('status', 'not in', OPEN)
    .execute();
}

/** Those that something may still be done with. */
export const OPEN: readonly Status[] = ['new', 'pending', 'paid'];
/** Nothing that came to nothing: late money may still complete it, and for that it is looked up for a while longer. */
const ENDED_FOR_GOOD: readonly Status[] = ['completed', 'refunded'];

/** The transactions of these ids, locked in one order. */
export async function lockTransactions(trx: Database, ids: readonly string[]): Promise<Transaction[]> {
  const { rows } = await sql<Row>`
    ${SELECT} where t.id = any(${ids}::text[]) order by t.id for update of t`.execute(trx);
  return rows.map(readTransaction);
}

/** Those a person has to look at, newest first. */
export async function listContradicted(database: Database, most: number): Promise<Transaction[]> {
  const { rows } = await sql<Row>`
    ${SELECT} where t.contradicted order by t.status_at desc limit ${most}`.execute(database);
  return rows.map(readTransaction);
}

/** A new standing of a transaction. */
export interface Change {
  transaction: Transaction;
  standing: Standing;
  /** When it was written down, and when its status was reached. */
  at: Date;
  statusAt: Date;
  sequence: number;
}

/**
 * Writes new standings down, with an entry for each status that was reached. One that is reached again, by a second try
 * after a first has failed, is told anew: its entry moves to where whoever reads on finds it.
 */
export async function writeChanges(trx: Database, changes: readonly Change[]): Promise<void> {
  const standings = changes.map(({ standing }) => standing);
  await sql`
    /* write changes */
    with changes as (
      select * from unnest(
        ${changes.map(({ transaction }) => transaction.id)}::text[],
        ${changes.map(({ transaction }) => transaction.accountId)}::text[],
        ${changes.map(({ statusAt }) => statusAt)}::timestamptz[],
        ${changes.map(({ sequence }) => sequence)}::int[],
        ${standings.map(({ status }) => status)}::text[],
        ${standings.map(({ reason }) => reason)}::text[],
        ${standings.map(({ theirs }) => theirs)}::text[],
        ${standings.map(({ hash }) => hash)}::text[],
        ${standings.map(({ paid }) => paid?.toString() ?? null)}::numeric[],
        ${standings.map(({ received }) => received?.toString() ?? null)}::numeric[],
        ${standings.map(({ deposit }) => writeDeposit(deposit))}::jsonb[],
        ${standings.map(({ bank }) => (bank ? JSON.stringify(bank) : null))}::jsonb[],
        ${standings.map(({ contradicted }) => contradicted)}::boolean[]
      ) as c (id, account_id, at, sequence, status, reason, theirs, hash, paid, received, deposit, bank,
        contradicted)
    ), written as (
      update transactions t set
        status = c.status, status_at = c.at, sequence = c.sequence, reason = c.reason, theirs = c.theirs,
        hash = c.hash, paid = c.paid, received = c.received, deposit = c.deposit,
        bank = c.bank, contradicted = c.contradicted,
        access = case when c.status = any(${ENDED_FOR_GOOD}::text[]) then null else t.access end
      from (select distinct on (id) * from changes order by id, sequence desc) c where t.id = c.id
    )
    insert into entries (transaction_id, status, account_id, at, sequence, reason, theirs, hash, paid, received)
    select distinct on (id, status) id, status, account_id, at, min(sequence) over (partition by id, status, at),
      reason, theirs, hash, paid, received
    from changes order by id, status, sequence desc
    on conflict (transaction_id, status) do update set
      at = excluded.at,
      sequence = case when excluded.at > entries.at then excluded.sequence else entries.sequence end,
      reason = excluded.reason, theirs = excluded.theirs, hash = excluded.hash, paid = excluded.paid,
      received = excluded.received`.execute(trx);
}

function readTransaction(row: Row): Transaction {
  return {
    id: row.id,
    publicKey: row.public_key,
    retentionDays: row.retention_days ?? undefined,
    isErased: row.erased_sequence !== null,
    sessionId: row.session_id,
    accountId: row.account_id as AccountId,
    environment: row.environment as Environment,
    origin: row.origin as Order['origin'],
    provider: row.provider as ProviderId,
    side: row.side as Side,
    fiat: row.fiat as FiatId,
    asset: row.asset as AssetId,
    method: row.method as MethodId,
    country: row.country as CountryCode,
    source: row.source,
    target: row.target,
    amount: decimal(row.amount),
    promised: readPromised(row.offer),
    native: row.native as Order['native'],
    walletAddress: row.wallet_address,
    walletMemo: row.wallet_memo ?? undefined,
    partnerContext: row.partner_context,
    contextIsObject: row.context_is_object,
    uuid: row.uuid ?? undefined,
    originatingHost: row.originating_host ?? undefined,
    around: row.around?.split(' '),
    theme: row.theme as Record<string, unknown>,
    returnTo: row.return_to ?? undefined,
    signNonce: row.sign_nonce ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ready: row.ready,
    openedAt: row.opened_at ?? undefined,
    visitedAt: row.visited_at ?? undefined,
    page: row.page ?? undefined,
    access: row.access ?? undefined,
    standing: {
      status: row.status as Status,
      reason: row.reason,
      theirs: row.theirs,
      hash: row.hash,
      paid: readAmount(row.paid),
      received: readAmount(row.received),
      deposit: readDeposit(row.deposit),
      bank: (row.bank as BankTransfer | null) ?? undefined,
      contradicted: row.contradicted,
    },
    statusAt: row.status_at,
    sequence: row.sequence,
  };
}

/** Amounts as text. */
export function writePromised({ gets, networkFee, providerFee }: Promised): Record<keyof Promised, string> {
  return { gets: gets.toString(), networkFee: networkFee.toString(), providerFee: providerFee.toString() };
}

function readPromised(stored: unknown): Promised {
  const { gets, networkFee, providerFee } = stored as Record<keyof Promised, string>;
  return { gets: decimal(gets), networkFee: decimal(networkFee), providerFee: decimal(providerFee) };
}

export function writeDeposit(deposit: Deposit | undefined): string | null {
  return deposit ? JSON.stringify({ ...deposit, amount: deposit.amount?.toString() }) : null;
}

export function readDeposit(stored: unknown): Deposit | undefined {
  if (!stored) return undefined;
  const { amount, ...deposit } = stored as Omit<Deposit, 'amount'> & { amount?: string };
  return { ...deposit, amount: readAmount(amount ?? null) };
}

function readAmount(text: string | null): Amount | undefined {
  return text === null ? undefined : decimal(text);
}
