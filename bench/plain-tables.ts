/** Plain tables: what the baselines write into, made like ours on the same server. */
import { openDatabase } from '../src/store/database.ts';
import { type World, withClient } from './world.ts';

/** A new database with `rows` and `letters`, which have a primary key and nothing else, and with copies of our tables. */
export async function createPlainTables(world: World): Promise<string> {
  const url = await world.createDatabase();
  await (await openDatabase({ url })).destroy();
  await withClient(url, client =>
    client.query(`
      create schema plain;
      create table plain.rows (like transactions including defaults, primary key (id));
      create table plain.letters (like inbox including defaults including identity, primary key (id));
      create table plain.keys (like idempotency_keys including all);
      create table plain.sessions (
        id         text primary key,
        account_id text not null,
        created_at timestamptz not null,
        expires_at timestamptz not null
      );
      create table plain.transactions (like transactions including all);
      create table plain.events (like events including all);
      create table plain.inbox (like inbox including all)`),
  );
  return url;
}
