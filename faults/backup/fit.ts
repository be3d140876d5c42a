/** Whether what a backup holds fits together, and whether all that was acknowledged before it is there. */
import pg from 'pg';
import { loadBackup } from '../../src/store/backup.ts';
import type { Made } from '../bed/load.ts';

/** What must not be found in any database of one moment; each says how a row is called that is wrong. */
const MISFITS: Record<string, string> = {
  'transactions without their first entry':
    "select id from transactions t where not exists (select from entries where transaction_id = t.id and status = 'new')",
  'entries of no transaction':
    'select transaction_id as id from entries e where not exists (select from transactions where id = e.transaction_id)',
  'transactions whose last entry is not theirs': `select t.id from transactions t where t.sequence <>
      (select max(sequence) from entries where transaction_id = t.id)
    or not exists (select from entries where transaction_id = t.id and status = t.status)`,
  'entries without their event': `select transaction_id as id from entries e where not exists
      (select from events v where v.transaction_id = e.transaction_id and v.sequence = e.sequence)`,
  'deliveries of no event':
    'select event_id as id from deliveries d where not exists (select from events where id = d.event_id)',
  'keys of no transaction':
    'select transaction_id as id from idempotency_keys k where not exists (select from transactions where id = k.transaction_id)',
  'open transactions that nobody looks after': `select id from transactions t where status in ('new', 'pending', 'paid')
      and not exists (select from tasks where kind = 'look-up' and key = t.id)`,
  'orders told of their end that have not ended': `select transaction_id as id from notices n join transactions t on
      t.id = n.transaction_id where n.said ->> 'status' = 'completed' and t.status <> 'completed'`,
};

export interface Trial {
  /** A server that databases can be made on. */
  serverUrl: string;
  file: string;
  name: string;
  /** What had been acknowledged when the backup was begun. */
  made: readonly Made[];
}

/** Puts the backup into a database of its own and looks; what is wrong, in words. */
export async function findMisfits({ serverUrl, file, name, made }: Trial): Promise<string[]> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await run(serverUrl, client => client.query(`create database ${name}`));
  try {
    await loadBackup(url.href, file);
    return await run(url.href, async client => {
      const { rows } = await client.query('select id from transactions');
      const there = new Set(rows.map(({ id }) => id as string));
      const found = made.filter(({ transactionId }) => !there.has(transactionId)).map(lost);
      for (const [what, query] of Object.entries(MISFITS)) {
        const wrong = await client.query(query);
        if (wrong.rows.length > 0)
          found.push(`${name}: ${wrong.rows.length} ${what}, ${wrong.rows[0].id} first`);
      }
      return found;
    });
  } finally {
    await run(serverUrl, client => client.query(`drop database ${name} with (force)`));
  }
}

function lost({ transactionId }: Made): string {
  return `${transactionId} was acknowledged before the backup and is not inside`;
}

async function run<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  return use(client).finally(() => client.end());
}
