/** History: transactions of an account and the records of them, made in bulk as years of orders would have left them. */
import type pg from 'pg';

/** Statuses that each transaction has reached, and so records of it. */
export const RECORDS_EACH = 4;

/** One order every ten seconds; each later status comes so many orders after the first. */
const EVERY_MS = 10_000;
const STEPS = `(values ('new', 0, 1), ('pending', 6, 2), ('paid', 12, 3), ('completed', 30, 4))`;
const LAST_STEP = 30;

export interface History {
  /** When the first order was made and the last record was written; milliseconds since 1970. */
  firstAt: number;
  lastAt: number;
  transactions: number;
}

/** The id of an order of a history, counted from 1: as long as ours and rising as ours do. */
export function idOf({ firstAt }: History, at: number): string {
  return `0${hex(firstAt + at * EVERY_MS, 11)}${hex(at, 14)}`;
}

/** Writes the history of an account up to now. Order by order, so that what is near in time is near on the disk. */
export async function writeHistory(client: pg.Client, account: string, records: number): Promise<History> {
  const transactions = Math.ceil(records / RECORDS_EACH);
  const lastAt = Date.now();
  const firstAt = lastAt - (transactions + LAST_STEP) * EVERY_MS;
  // What is written here refers to what is there; looking each of it up would take longer than writing it.
  await client.query(`
    set synchronous_commit = off;
    set session_replication_role = replica;
    set maintenance_work_mem = '512MB'`);
  const restore = await dropIndexes(client, ['transactions', 'entries']);
  await client.query(
    `insert into transactions (
       ${COMMON.map(([column]) => column).join(', ')}, id, session_id, account_id, created_at, expires_at, ready,
       status, status_at, theirs, hash, paid, received, sequence)
     select
       ${COMMON.map(([, value]) => `'${value}'`).join(', ')}, id, id, $1, made, made + interval '10 minutes', true,
       'completed', made + ${LAST_STEP} * ${interval(EVERY_MS)}, md5(id)::uuid::text, md5(id) || md5(id || 'h'),
       100, 0.00168, ${RECORDS_EACH}
     from (select at, ${madeAt('at')} as made, ${sqlId('at')} as id from generate_series(1, $3::bigint) at) orders`,
    [account, firstAt, transactions],
  );
  await client.query(
    `insert into entries (transaction_id, status, account_id, at, sequence, reason, theirs, hash, paid, received)
     select ${sqlId('now - lag')}, status, $1, ${madeAt('now')} + sequence * ${interval(137)}, sequence, '',
       case when lag > 0 then md5(${sqlId('now - lag')})::uuid::text else '' end, '', null, null
     from generate_series(1, $3::bigint + ${LAST_STEP}) now
     cross join ${STEPS} steps (status, lag, sequence)
     where now - lag between 1 and $3::bigint`,
    [account, firstAt, transactions],
  );
  await restore();
  await client.query('vacuum (analyze) transactions');
  await client.query('vacuum (analyze) entries');
  await client.query('checkpoint');
  return { firstAt, lastAt, transactions };
}

/** Transactions that have just been made and wait for word of them; gives their ids. */
export async function writeOrders(client: pg.Client, account: string, count: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `with made as (
       insert into transactions (
         ${COMMON.map(([column]) => column).join(', ')}, id, session_id, account_id, created_at, expires_at, ready,
         status, status_at)
       select
         ${COMMON.map(([, value]) => `'${value}'`).join(', ')}, id, id, $1, now(), now() + interval '10 minutes',
         true, 'new', now()
       from (select ${sqlId('at')} as id from generate_series(1, $3::bigint) at) orders
       returning id, account_id, created_at
     ), entry as (
       insert into entries (transaction_id, status, account_id, at, sequence, reason, theirs, hash)
       select id, 'new', account_id, created_at, 1, '', '', '' from made
     )
     select id from made`,
    [account, Date.now(), count],
  );
  return rows.map(({ id }) => id);
}

/** Columns that are the same for all. */
const COMMON = Object.entries({
  environment: 'test',
  origin: 'current',
  provider: 'moonpay',
  side: 'buy',
  fiat: 'eur',
  asset: 'btc_bitcoin',
  method: 'creditcard',
  country: 'DE',
  source: 'eur',
  target: 'btc',
  amount: '100',
  offer: '{"gets":"0.00168","networkFee":"7.64","providerFee":"3.99"}',
  native: '{"fiat":"eur","asset":"btc","network":"bitcoin","method":"credit_debit_card"}',
  wallet_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  partner_context: 'order-1',
  theme: '{}',
});

/** The moment of an order; `$2` is when the history begins. */
function madeAt(at: string): string {
  return `to_timestamp(($2::bigint + (${at}) * ${EVERY_MS}) / 1000.0)`;
}

function sqlId(at: string): string {
  const moment = `lpad(upper(to_hex($2::bigint + (${at}) * ${EVERY_MS})), 11, '0')`;
  return `'0' || ${moment} || lpad(upper(to_hex(${at})), 14, '0')`;
}

function interval(milliseconds: number): string {
  return `interval '${milliseconds} milliseconds'`;
}

function hex(value: number, length: number): string {
  return value.toString(16).toUpperCase().padStart(length, '0');
}

/** Building an index at once is far faster than row by row; gives how to make them again, exactly as they were. */
async function dropIndexes(client: pg.Client, tables: readonly string[]): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select c.relname as name, pg_get_indexdef(c.oid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid::regclass::text = any($1::text[]) and not i.indisunique`,
    [tables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return async () => {
    for (const { definition } of rows) await client.query(definition);
  };
}
