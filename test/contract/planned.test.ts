/** What is asked of transactions again and again: planned once, it stays short and goes on when the tables change. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import type { ProviderId } from '../../src/domain/words.ts';
import { openDatabase } from '../../src/store/database.ts';
import { findPresentEntry, listEntries } from '../../src/store/entries.ts';
import type { Tables } from '../../src/store/tables.ts';
import { findBySession, findChanged, findTransaction, lockNamed } from '../../src/store/transactions.ts';
import { account, at, service, setRecords, UNKNOWN_ID, write } from './records.ts';

setRecords();

/** For what is asked this time, or made once for whatever is asked. */
const PLANS = ['custom', 'generic'] as const;
const DEEP = { at: at(9_000), transactionId: UNKNOWN_ID, sequence: 1 };

test('20,000 records make no page longer: each is a walk along an index, whatever is asked', async () => {
  await write(account.id, [{ status: 'new', at: at(0) }]);
  await sql`
    insert into transactions
    select made.* from transactions t, generate_series(1, 20000) n, jsonb_populate_record(t, jsonb_build_object(
      'id', '01' || lpad(n::text, 24, '0'), 'session_id', n, 'created_at', t.created_at + n * interval '1 second'
    )) made`.execute(service.database);
  await sql`
    insert into entries
    select id, status, account_id, created_at, 1, '', '', '', null, null from transactions
    where id like '010000%'`.execute(service.database);
  await sql`analyze entries, transactions`.execute(service.database);
  const from = at(100);
  const ids = Array.from({ length: 50 }, (_, nth) => `01${String(nth * 400 + 1).padStart(24, '0')}`);
  const filters = [
    {},
    { after: DEEP },
    { from },
    { until: at(9_000) },
    { from, until: at(9_000) },
    { from, until: at(19_000), after: DEEP },
    { ids },
    { ids, from, after: DEEP },
  ];
  const asked = filters.flatMap(filter => PLANS.map(plans => ({ filter, plans })));
  for (const { filter, plans } of asked) {
    const plan = await planOf(plans, database =>
      listEntries(database, { account: account.id, most: 51, ...filter }),
    );
    const walked = 'ids' in filter ? 'entries_pkey' : 'entries_by_account';
    expect([filter, plan]).toEqual([filter, expect.stringMatching(`Scan (using|on) ${walked}`)]);
    // The few entries of some ids are put in order; those of an account are in order.
    const wrong = 'ids' in filter ? /Seq Scan/ : /Seq Scan|Sort|Rows Removed/;
    expect([filter, plan]).not.toEqual([filter, expect.stringMatching(wrong)]);
    const rows = [...plan.matchAll(/actual rows=([0-9]+)/g)].map(([, count]) => Number(count));
    expect(Math.max(...rows)).toBeLessThanOrEqual(51);
  }
});

test('what was planned goes on when a newer version adds columns', async () => {
  const id = await write(account.id, [{ status: 'new', at: at(0) }]);
  const database = await openDatabase({ url: await readUrl() });
  const look = async () => {
    const found = await findTransaction(database, id);
    return [
      found,
      await findBySession(database, found?.sessionId ?? ''),
      await findChanged(database, new Map([[id, -1]])),
      await lockNamed(database, [
        { provider: MOONPAY, environment: 'test', reference: id, theirs: undefined },
      ]),
      await findPresentEntry(database, account.id, id),
      await listEntries(database, { account: account.id, most: 51 }),
      await listEntries(database, { account: account.id, most: 51, ids: [id] }),
    ];
  };
  try {
    const before = await look();
    expect(before.flat().filter(found => found === undefined)).toEqual([]);
    expect(before.flat().length).toBe(7);
    for (const table of TABLES)
      await sql`alter table ${sql.table(table)} add column newer text`.execute(database);
    expect(await look()).toEqual(before);
  } finally {
    for (const table of TABLES)
      await sql`alter table ${sql.table(table)} drop column if exists newer`.execute(database);
    await database.destroy();
  }
});

const MOONPAY = 'moonpay' as ProviderId;
const TABLES = ['transactions', 'entries', 'accounts'];

/** How the database goes about the first statement of some work. */
async function planOf(
  plans: (typeof PLANS)[number],
  work: (database: Kysely<Tables>) => Promise<unknown>,
): Promise<string> {
  const pool = new pg.Pool({ connectionString: await readUrl(), max: 1 });
  const seen: { sql: string; parameters: readonly unknown[] }[] = [];
  const database = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void seen.push(query),
  });
  try {
    await work(database);
    const [first] = seen;
    await pool.query(`set plan_cache_mode = force_${plans}_plan; prepare asked as ${first?.sql}`);
    const asked = (first?.parameters ?? []).map(literalOf).join(', ');
    const plan = await pool.query(`explain (analyze, costs off, timing off) execute asked (${asked})`);
    return plan.rows.map(row => row['QUERY PLAN']).join('\n');
  } finally {
    await database.destroy();
  }
}

async function readUrl(): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(service.database);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${rows[0]?.name}`;
  return url.href;
}

/** A parameter as PostgreSQL reads it. */
function literalOf(parameter: unknown): string {
  if (parameter instanceof Date) return literalOf(parameter.toISOString());
  return pg.escapeLiteral(Array.isArray(parameter) ? `{${parameter}}` : String(parameter));
}
