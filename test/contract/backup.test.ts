/** Backups of a database with everything in it, taken while it is written to, and put into another one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadBackup, takeBackup } from '../../src/store/backup.ts';
import { readBackup } from '../../src/store/backup-file.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { transactionRow } from '../rows.ts';
import { makeDatabase } from '../service.ts';

let folder: string;
let source: Awaited<ReturnType<typeof makeDatabase>>;
let database: Database;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cloverleaf-backups-'));
  source = await makeDatabase();
  database = await openDatabase({ url: source.url });
  await fill();
});

afterAll(async () => {
  await database?.destroy();
  await source?.drop();
  await rm(folder, { recursive: true, force: true });
});

const ODD = [
  '',
  'tab\there',
  'line\nbreak\r',
  'back\\slash \\. \\N',
  '\\.',
  'ü 漢 🍀',
  'quote\'s "',
  ' '.repeat(70_000),
];

async function fill(): Promise<void> {
  await database
    .insertInto('accounts')
    .values({
      id: 'shop',
      name: 'shop',
      public_key: 'pk_test_x',
      environment: 'test',
      providers: ['a', 'b,"c'],
    })
    .execute();
  await database
    .insertInto('account_secrets')
    .values({ id: 's', account_id: 'shop', digest: Buffer.from([0, 10, 92, 46, 255]) })
    .execute();
  for (const partner_context of ODD)
    await database.insertInto('transactions').values(transactionRow('shop', { partner_context })).execute();
  await withClient(source.url, async client => {
    await client.query(
      `insert into inbox (provider, environment, digest, headers) select 'moonpay', 'test', int4send(n), '{}'
      from generate_series(1, 40) n`,
    );
    // The counter is ahead of every row that is left.
    await client.query('delete from inbox where id > 30');
  });
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** All rows of all tables, in words. */
function contentOf(url: string): Promise<Record<string, string>> {
  return withClient(url, async client => {
    const { rows: tables } = await client.query(
      `select tablename as name from pg_tables where schemaname = current_schema() and tablename not like 'kysely%'`,
    );
    const content: Record<string, string> = {};
    for (const { name } of tables) {
      const { rows } = await client.query(
        `select coalesce(md5(string_agg(t::text, e'\\n' order by t::text)), '') as sum from ${name} t`,
      );
      content[name] = rows[0].sum;
    }
    return content;
  });
}

function backUp(): Promise<Awaited<ReturnType<typeof takeBackup>> & { file: string }> {
  const file = join(folder, `backup${++count}`);
  const order = { url: source.url, file, madeBy: '0.1.0', madeAt: new Date(), keyFor: () => undefined };
  return takeBackup(order).then(made => ({ ...made, file }));
}

describe('a backup', () => {
  test('brings every row into an empty database, counters and triggers included', async () => {
    const { file, sum } = await backUp();
    expect(sum.rows).toMatchObject({ transactions: ODD.length, inbox: 30, account_secrets: 1 });
    const target = await makeDatabase();
    await loadBackup(target.url, file);
    expect(await contentOf(target.url)).toEqual(await contentOf(source.url));
    const opened = await openDatabase({ url: target.url });
    const next = await withClient(target.url, client =>
      client.query(
        `insert into inbox (provider, environment, digest, headers) values ('x', 'test', 'x', '') returning id`,
      ),
    );
    expect(next.rows[0].id).toBe('41');
    const before = await opened
      .selectFrom('revisions')
      .select('revision')
      .where('name', '=', 'accounts')
      .execute();
    await opened.updateTable('accounts').set({ name: 'other' }).where('id', '=', 'shop').execute();
    const after = await opened
      .selectFrom('revisions')
      .select('revision')
      .where('name', '=', 'accounts')
      .execute();
    expect(Number(after[0]?.revision)).toBe(Number(before[0]?.revision) + 1);
    await opened.destroy();
    await target.drop();
  });

  test('is of one moment, with all that was committed before it began, whatever is written meanwhile', async () => {
    let isOver = false;
    const committed: string[] = [];
    const writing = (async () => {
      while (!isOver) {
        const id = ulid();
        await database.transaction().execute(async trx => {
          // The entry first: a copy of two moments would have one without the other.
          await trx
            .insertInto('entries')
            .values({
              ...{ transaction_id: id, status: 'new', account_id: 'shop', at: new Date(), sequence: 1 },
              ...{ reason: '', theirs: '', hash: '' },
            })
            .execute();
          await trx.insertInto('transactions').values(transactionRow('shop', { id })).execute();
        });
        committed.push(id);
      }
    })();
    for (let round = 0; round < 5; round++) {
      await expect.poll(() => committed.length, { timeout: 20_000 }).toBeGreaterThan(round * 5);
      const before = [...committed];
      const { file } = await backUp();
      const found: Record<string, Set<string>> = {};
      await readBackup(file, async ({ table, rows }) => {
        let text = '';
        for await (const piece of rows) text += piece;
        const lines = text.split('\n').slice(0, -1);
        found[table] = new Set(lines.map(line => line.split('\t')[0] ?? ''));
        return lines.length;
      });
      expect(before.filter(id => !found.transactions?.has(id))).toEqual([]);
      const made = [...(found.entries ?? [])];
      expect(made.filter(id => !found.transactions?.has(id))).toEqual([]);
      expect(found.transactions?.size).toBe(made.length + ODD.length);
    }
    isOver = true;
    await writing;
  });

  test('is not put where something is, and leaves nothing where it fails', async () => {
    const { file } = await backUp();
    await expect(loadBackup(source.url, file)).rejects.toThrow(/^the database is not empty: it has a table/);
    const target = await makeDatabase();
    await expect(loadBackup(target.url, join(folder, 'absent'))).rejects.toThrow(/cannot be read/);
    expect(await contentOf(target.url)).toEqual({});
    await loadBackup(target.url, file);
    await target.drop();
  });

  test('leaves the tables of others alone, where it is made and where it is put', async () => {
    const target = await makeDatabase();
    for (const { url } of [source, target])
      await withClient(url, client => client.query('create table heartbeat (at timestamptz)'));
    const { file, sum } = await backUp();
    await withClient(source.url, client => client.query('drop table heartbeat'));
    expect(Object.keys(sum.rows).sort()).toEqual(Object.keys(await contentOf(source.url)).sort());
    await loadBackup(target.url, file);
    expect(await contentOf(target.url)).toEqual({ ...(await contentOf(source.url)), heartbeat: '' });
    await target.drop();
  });

  test('is put where no statement may take long, and has statistics gathered of its own tables alone', async () => {
    const { file } = await backUp();
    const target = await makeDatabase();
    await withClient(target.url, async client => {
      // Whoever gathered statistics of everything would meet it.
      await client.query(`
        create table slow as select 1 as id;
        create function slowly(id int) returns int immutable language plpgsql
        as $$ begin perform pg_sleep(0.5); return id; end $$;
        create index on slow (slowly(id));
        do $$ begin
          execute format('alter database %I set statement_timeout = 200', current_database());
        end $$`);
    });
    await loadBackup(target.url, file);
    const gathered = await withClient(target.url, async client => {
      await client.query('set statement_timeout = 0');
      const { rows } = await client.query(
        'select distinct tablename as name from pg_stats where schemaname = current_schema()',
      );
      return rows.map(({ name }) => name as string);
    });
    expect(gathered).toEqual(expect.arrayContaining(['accounts', 'transactions']));
    expect(gathered).not.toContain('slow');
    await target.drop();
  });

  test('is there when it is committed, whatever comes of gathering statistics', async () => {
    const { file } = await backUp();
    const target = await makeDatabase();
    const query = pg.Client.prototype.query as (...sent: unknown[]) => unknown;
    const failing = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...sent: unknown[]
    ) {
      const isAnalyze = typeof sent[0] === 'string' && sent[0].startsWith('analyze');
      return query.apply(this, isAnalyze ? ['select 1 / 0'] : sent);
    } as never);
    try {
      await loadBackup(target.url, file);
    } finally {
      failing.mockRestore();
    }
    expect(await contentOf(target.url)).toEqual(await contentOf(source.url));
    await target.drop();
  });

  test('of a newer version’s database holds its new tables, and is refused here', async () => {
    await withClient(source.url, async client => {
      await client.query(`insert into kysely_migration values ('9999-later', '')`);
      await client.query('create table later (id text)');
    });
    const { file, sum } = await backUp();
    await withClient(source.url, async client => {
      await client.query('drop table later');
      await client.query(`delete from kysely_migration where name = '9999-later'`);
    });
    expect(sum.rows).toMatchObject({ later: 0, accounts: 1 });
    const target = await makeDatabase();
    await expect(loadBackup(target.url, file)).rejects.toThrow('its step 9999-later is not known here');
    await target.drop();
  });

  test('of an empty database is refused', async () => {
    const target = await makeDatabase();
    const order = { url: target.url, file: join(folder, 'empty'), madeBy: '', madeAt: new Date() };
    await expect(takeBackup({ ...order, keyFor: () => undefined })).rejects.toThrow('nothing to back up');
    await target.drop();
  });
});
