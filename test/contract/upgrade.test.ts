/** The schema brought up to date: beside others, after deaths, behind locks, and where a newer version was before. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations.ts';
import { type Step, type Steps, upgradeSchema } from '../../src/store/upgrade.ts';
import { makeDatabase } from '../service.ts';

let url: string;
let drop: () => Promise<void>;
let client: pg.Client;

beforeEach(async () => {
  ({ url, drop } = await makeDatabase());
  client = new pg.Client(url);
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await drop();
});

const step = (statement: string, more: Partial<Step> = {}): Step => ({
  up: async db => void (await sql.raw(statement).execute(db)),
  ...more,
});

const FIRST: Steps = {
  '0001-facts': step('create table facts (name text primary key, value text not null)'),
  '0002-notes': step('create table notes (id int, word text)'),
};
const SECOND: Steps = { ...FIRST, '0003-more': step('alter table notes add column more text') };
const INDEXED: Steps = {
  ...FIRST,
  '0003-index': step('select 1', { indexes: [{ name: 'notes_by_id', unique: true, on: 'notes (id)' }] }),
};

async function steps(): Promise<string[]> {
  const { rows } = await client.query('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

async function isValid(index: string): Promise<boolean> {
  const { rows } = await client.query('select indisvalid from pg_index where indexrelid = $1::regclass', [
    index,
  ]);
  return rows[0].indisvalid;
}

describe('a database', () => {
  test('is made by one of many that start at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => upgradeSchema(url, SECOND)));
    expect(await steps()).toEqual(Object.keys(SECOND));
  });

  test('takes the steps it lacks, once, whoever starts', async () => {
    await upgradeSchema(url, FIRST);
    await client.query(`insert into notes values (1, 'kept')`);
    await Promise.all(Array.from({ length: 5 }, () => upgradeSchema(url, SECOND)));
    expect(await steps()).toEqual(Object.keys(SECOND));
    expect((await client.query('select * from notes')).rows).toEqual([{ id: 1, word: 'kept', more: null }]);
  });

  test('has the same schema, made at once or step by step', async () => {
    const shape = async (at: string) => {
      const looker = new pg.Client(at);
      await looker.connect();
      const { rows } = await looker.query(`
        select indexdef as line from pg_indexes where schemaname = current_schema() and tablename not like 'kysely%'
        union all
        select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
        where connamespace = current_schema()::regnamespace and conrelid::regclass::text not like 'kysely%'
        union all
        select table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable from information_schema.columns
        where table_schema = current_schema() and table_name not like 'kysely%'
        order by 1`);
      await looker.end();
      return rows.map(({ line }) => line as string);
    };
    const names = Object.keys(migrations);
    for (const last of names.keys())
      await upgradeSchema(url, Object.fromEntries(Object.entries(migrations).slice(0, last + 1)));
    const other = await makeDatabase();
    await (await openDatabase({ url: other.url })).destroy();
    expect(await shape(url)).toEqual(await shape(other.url));
    await other.drop();
  });

  test('that took a newer version’s steps is served by the older one', async () => {
    await upgradeSchema(url, SECOND);
    await upgradeSchema(url, FIRST);
    expect(await steps()).toEqual(Object.keys(SECOND));
  });

  test('that older versions cannot work with says so, and since when', async () => {
    await upgradeSchema(url, FIRST);
    await upgradeSchema(url, { ...FIRST, '0003-break': step('drop table notes', { breaks: true }) });
    await expect(upgradeSchema(url, FIRST)).rejects.toThrow(
      /^the database is of a newer version, and since its step 0003-break this one cannot/,
    );
    await upgradeSchema(url, {
      ...FIRST,
      '0003-break': step('drop table notes', { breaks: true }),
      '0004-later': step('select 1'),
    });
  });

  test('that went another way is refused', async () => {
    await upgradeSchema(url, { ...FIRST, '0003-theirs': step('select 1') });
    await expect(upgradeSchema(url, { ...FIRST, '0003-ours': step('select 1') })).rejects.toThrow(
      /has the step 0003-theirs, which this version does not know, but not 0003-ours$/,
    );
  });
});

describe('a step', () => {
  test('that fails leaves nothing behind', async () => {
    await upgradeSchema(url, FIRST);
    const half: Step = {
      async up(db) {
        await sql`create table half ()`.execute(db);
        await sql`select 1 / 0`.execute(db);
      },
    };
    await expect(upgradeSchema(url, { ...FIRST, '0003-half': half })).rejects.toThrow('division by zero');
    expect(await steps()).toEqual(Object.keys(FIRST));
    expect((await client.query(`select to_regclass('half') as half`)).rows[0].half).toBeNull();
  });

  test('waits for a table in use without making others wait behind it', async () => {
    await upgradeSchema(url, FIRST);
    await client.query('begin');
    await client.query('select * from notes');
    const upgrading = upgradeSchema(url, SECOND);
    const reader = new pg.Client(url);
    await reader.connect();
    // A queue behind the step would last until the commit, which comes after this.
    for (const until = Date.now() + 600; Date.now() < until; ) await reader.query('select * from notes');
    await reader.end();
    expect(await steps()).toEqual(Object.keys(FIRST));
    await client.query('commit');
    await upgrading;
    expect(await steps()).toEqual(Object.keys(SECOND));
  });

  test('builds its indexes while rows are written', async () => {
    await upgradeSchema(url, FIRST);
    await client.query('begin');
    await client.query('insert into notes (id) values (1)');
    const upgrading = upgradeSchema(url, INDEXED);
    const writer = new pg.Client(url);
    await writer.connect();
    const begun = () => writer.query(`select to_regclass('notes_by_id') as index`);
    await vi.waitUntil(async () => (await begun()).rows[0].index !== null, { timeout: 20_000 });
    await writer.query('insert into notes (id) values (2)');
    await client.query('commit');
    await upgrading;
    await writer.end();
    expect(await isValid('notes_by_id')).toBe(true);
    expect(await steps()).toEqual(Object.keys(INDEXED));
  });

  test('takes as long as it takes, whatever limit statements have there', async () => {
    await upgradeSchema(url, FIRST);
    await client.query('insert into notes (id) values (1)');
    await client.query(`
      create function slowly(id int) returns int immutable language plpgsql
      as $$ begin perform pg_sleep(0.5); return id; end $$`);
    await client.query(`
      do $$ begin
        execute format('alter database %I set statement_timeout = 200', current_database());
      end $$`);
    const indexes = [{ name: 'notes_slowly', unique: false, on: 'notes (slowly(id))' }];
    await upgradeSchema(url, { ...FIRST, '0003-slow': step('select pg_sleep(0.5)', { indexes }) });
    expect(await isValid('notes_slowly')).toBe(true);
  });

  test('builds an index anew that somebody died over', async () => {
    await upgradeSchema(url, FIRST);
    await client.query('insert into notes (id) values (1), (1)');
    await expect(upgradeSchema(url, INDEXED)).rejects.toThrow(/notes_by_id/);
    expect(await isValid('notes_by_id')).toBe(false);
    await client.query('delete from notes');
    await upgradeSchema(url, INDEXED);
    expect(await isValid('notes_by_id')).toBe(true);
  });
});
