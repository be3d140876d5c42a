/** Orders of one account that have ended, the commands that erase them, and everything the database then holds. */
import { Command } from 'commander';
import { sql } from 'kysely';
import { expect, vi } from 'vitest';
import { type Account, findAccount } from '../../src/app/accounts.ts';
import { accountCommands } from '../../src/cli/accounts.ts';
import { transactionCommands } from '../../src/cli/transactions.ts';
import { readConfig } from '../../src/config.ts';
import { world } from './pair.ts';
import { MASTER_KEY } from './world.ts';
import { rowOf, writeOrder } from './world-orders.ts';

export const DAY_MS = 86_400_000;

/** Runs a command of the command line; what it printed. */
export async function run(...words: string[]): Promise<string> {
  const program = new Command('cloverleaf').exitOverride();
  const config = () => readConfig({ DATABASE_URL: world.databaseUrl, MASTER_KEY });
  accountCommands(program, config);
  transactionCommands(program, config);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await program.parseAsync(words, { from: 'user' });
    return log.mock.calls.flat().join('\n');
  } finally {
    log.mockRestore();
  }
}

export async function newShop(): Promise<Account> {
  return findAccount(world.database, (await world.newAccount()).publicKey);
}

/** An order of the account that ended so many days ago. */
export async function endedOrder(account: Account, days = 0, status = 'completed'): Promise<string> {
  const at = new Date(Date.now() - days * DAY_MS - 1_000);
  return writeOrder(world, account, { created_at: at, status, status_at: at });
}

/** Whether nothing of people is left in an order. */
export async function isErased(id: string): Promise<boolean> {
  const { wallet_address, erased_sequence } = await rowOf(world, id);
  expect([id, erased_sequence !== null]).toEqual([id, wallet_address === '']);
  return erased_sequence !== null;
}

/** Has an order's first event wait for an endpoint that nobody tells of it; what undoes that. */
export async function holdBack(account: Account, id: string): Promise<() => Promise<void>> {
  const { database } = world;
  await sql`insert into endpoints (id, account_id, url, secret, created_at, disabled_at)
    values (${id}, ${account.id}, 'https://shop.example', '', now(), now())`.execute(database);
  await sql`insert into deliveries (event_id, endpoint_id, due_at)
    values (${`${id}-1`}, ${id}, now())`.execute(database);
  return async () => {
    await sql`update deliveries set state = 'delivered' where endpoint_id = ${id}`.execute(database);
  };
}

/** Every column of every row of every table, as text. */
export async function everything(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(world.database);
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ text: string }>`
        select t::text as text from ${sql.table(name)} t`.execute(world.database);
      return rows.map(({ text }) => `${name}: ${text}`);
    }),
  );
  return texts.flat().join('\n');
}
