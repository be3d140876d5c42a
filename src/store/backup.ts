/** Backups: all rows of a database as they were at one moment, taken while everybody goes on, and put into an empty one. */
import pg from 'pg';
import { badInput, Fault } from '../domain/fault.ts';
import {
  type Header,
  readBackup,
  type Sum,
  type Table,
  VERSION,
  type Writer,
  writeBackup,
} from './backup-file.ts';
import { withConnection } from './connection.ts';
import { copyIn, copyOut } from './copy.ts';
import { migrations } from './migrations.ts';
import type { Tables } from './tables.ts';
import { createSchema, kyselyOf, readSteps } from './upgrade.ts';

export interface BackupOrder {
  url: string;
  file: string;
  madeBy: string;
  madeAt: Date;
  /** The key to put inside, told what it must open; undefined for none. */
  keyFor(keyCheck: string | null): Buffer | undefined;
}

export interface BackupMade {
  header: Header;
  sum: Sum;
  bytes: number;
}

/** Writes everything that was committed before it began, and nothing by halves. */
export async function takeBackup({ url, file, madeBy, madeAt, keyFor }: BackupOrder): Promise<BackupMade> {
  return withConnection(url, async client => {
    const tables = await beginSnapshot(client);
    const keyCheck = await readKeyCheck(client);
    const header: Header = {
      format: 'cloverleaf backup',
      version: VERSION,
      madeBy,
      madeAt: madeAt.toISOString(),
      steps: await readSteps(kyselyOf(client)),
      keyCheck,
      masterKey: keyFor(keyCheck)?.toString('hex'),
    };
    const made = await writeBackup(file, async writer => {
      await writer.line(header);
      return writeTables(client, tables, writer);
    });
    return { ...made, header };
  });
}

/** Puts a backup into a database that holds nothing yet, in one transaction. */
export function loadBackup(url: string, file: string): Promise<{ header: Header; sum: Sum }> {
  return withConnection(url, async client => {
    await client.query('begin');
    const [found] = await readTables(client);
    if (found) throw new Fault('conflict', `the database is not empty: it has a table ${found.name}`);
    let tables: TableShape[] | undefined;
    const loaded = await readBackup(file, async (table, header) => {
      tables ??= await prepareTables(client, header);
      return loadTable(client, tables, table);
    });
    const absent = (tables ?? []).find(({ name }) => !(name in loaded.sum.rows));
    if (absent) throw badInput('file', `${file} is damaged: it has no rows of ${absent.name}`);
    const names = (tables ?? []).map(({ name }) => quoted(name));
    for (const name of names) await client.query(`alter table ${name} enable trigger user`);
    await client.query('commit');
    // All of it is there; what plans are made by, PostgreSQL gathers by itself in time.
    await client.query(`analyze ${names.join(', ')}`).catch(() => {});
    return loaded;
  });
}

/** Refuses a backup whose schema this version does not know. */
export function checkSteps({ steps }: Header): void {
  const unknown = newerStep(steps);
  if (unknown !== undefined)
    throw badInput(
      'file',
      `the backup is of a newer version’s schema: its step ${unknown} is not known here`,
    );
}

/** A step of the schema that this version does not know: a newer one has taken it. */
export function newerStep(steps: readonly string[]): string | undefined {
  return steps.find(name => !migrations[name]);
}

/** Every table of ours, as the compiler sees to: others may have their own beside them. */
const OURS = Object.keys({
  accounts: true,
  account_secrets: true,
  account_signers: true,
  deliveries: true,
  endpoints: true,
  entries: true,
  events: true,
  facts: true,
  flows: true,
  idempotency_keys: true,
  inbox: true,
  listings: true,
  notices: true,
  provider_instances: true,
  provider_settings: true,
  provider_switches: true,
  provider_tokens: true,
  revisions: true,
  tasks: true,
  transactions: true,
} satisfies Record<keyof Tables, true>);

interface TableShape {
  name: string;
  columns: string[];
  /** Tables that must hold their rows before it. */
  refers: string[];
  counters: Record<string, string>;
}

const MOST_TRIES = 5;

/** From here on the connection sees one moment, and no table changes its shape; the tables, in an order to load them in. */
async function beginSnapshot(client: pg.Client): Promise<TableShape[]> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = await readTables(client);
    if (before.length === 0) throw new Fault('unavailable', 'there is nothing to back up yet');
    await client.query('begin isolation level repeatable read read only');
    await client.query('set local idle_in_transaction_session_timeout = 0');
    // Before anything is read: a lock had later might be on a table that the moment does not know.
    await client.query(
      `lock table ${before.map(({ name }) => quoted(name)).join(', ')} in access share mode`,
    );
    const tables = await readTables(client);
    if (JSON.stringify(tables.map(shapeOf)) === JSON.stringify(before.map(shapeOf))) return tables;
    await client.query('rollback');
  }
  throw new Fault('unavailable', 'the schema of the database is being changed: try again');
}

function shapeOf({ name, columns }: TableShape): unknown {
  return [name, columns];
}

async function readKeyCheck(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query(`select value from facts where name = 'master-key-check'`);
  return rows[0]?.value ?? null;
}

/** Ours; where a newer version has been, all that there are, for it may have made some that are not known here. */
async function readTables(client: pg.Client): Promise<TableShape[]> {
  const ours = newerStep(await readSteps(kyselyOf(client))) === undefined ? OURS : null;
  const { rows } = await client.query<TableShape>(
    `
    select c.relname as name,
      array(
        select attname::text from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
      ) as columns,
      array(
        select distinct f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and f.oid <> c.oid
      ) as refers,
      (
        select coalesce(jsonb_object_agg(attname, value), '{}') from (
          select attname,
            pg_sequence_last_value(pg_get_serial_sequence(c.oid::regclass::text, attname)::regclass)::text as value
          from pg_attribute where attrelid = c.oid and attidentity <> '' and not attisdropped
        ) counted where value is not null
      ) as counters
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname not like 'kysely\\_%'
      and ($1::text[] is null or c.relname = any ($1))
    order by c.relname`,
    [ours],
  );
  return inOrder(rows);
}

/** Those that others refer to first. */
function inOrder(tables: readonly TableShape[]): TableShape[] {
  const ordered: TableShape[] = [];
  const isPlaced = (name: string) => ordered.some(table => table.name === name);
  for (let left = [...tables]; left.length > 0; ) {
    const next = left.find(({ refers }) => refers.every(isPlaced)) ?? (left[0] as TableShape);
    ordered.push(next);
    left = left.filter(table => table !== next);
  }
  return ordered;
}

async function writeTables(
  client: pg.Client,
  tables: readonly TableShape[],
  writer: Writer,
): Promise<Sum['rows']> {
  const rows: Sum['rows'] = {};
  for (const { name, columns, counters } of tables) {
    await writer.line({ table: name, columns, counters });
    rows[name] = await copyOut(client, `copy ${target(name, columns)} to stdout`, writer.rows);
    await writer.endRows();
  }
  return rows;
}

/** The schema as it was when the backup was made, without a row in it; later steps are taken at the next start. */
async function prepareTables(client: pg.Client, header: Header): Promise<TableShape[]> {
  checkSteps(header);
  const steps = Object.fromEntries(
    Object.entries(migrations).filter(([name]) => header.steps.includes(name)),
  );
  await createSchema(kyselyOf(client), steps);
  const tables = await readTables(client);
  const names = tables.map(({ name }) => quoted(name));
  // What steps and triggers write is in the backup already.
  await client.query(`truncate ${names.join(', ')}`);
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  return tables;
}

async function loadTable(client: pg.Client, tables: readonly TableShape[], given: Table): Promise<number> {
  const { table, columns, counters, rows } = given;
  const known = tables.find(({ name }) => name === table);
  if (!known || columns.some(column => !known.columns.includes(column)))
    throw badInput(
      'file',
      `the backup has a table ${table} that is not as this version’s: it cannot be read`,
    );
  const count = await copyIn(client, `copy ${target(table, columns)} from stdin`, rows);
  for (const [column, value] of Object.entries(counters))
    await client.query('select setval(pg_get_serial_sequence($1, $2)::regclass, $3::bigint)', [
      ...[quoted(table), column, value],
    ]);
  return count;
}

function target(table: string, columns: readonly string[]): string {
  return `${quoted(table)} (${columns.map(quoted).join(', ')})`;
}

function quoted(name: string): string {
  return pg.escapeIdentifier(name);
}
