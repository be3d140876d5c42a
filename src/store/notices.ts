/** Notices: everything that was ever said of a transaction, each thing once. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { decimal } from '../domain/money.ts';
import { keyOf, type Said, type Status } from '../domain/transaction.ts';
import type { Database } from './database.ts';
import { readDeposit, writeDeposit } from './transactions.ts';

/** Something said of a transaction. */
export interface Heard {
  transactionId: string;
  said: Said;
  /** What opens the order, where that was told; it is not a part of what was said, and not kept with it. */
  access?: string | undefined;
}

/** An honest order has a handful. */
const MOST_SAID = 500;

/** What was said of transactions before, and what has been added to it. */
export interface Conversation {
  before: Heard[];
  added: Heard[];
}

/** Adds what is new to what was said of transactions. */
export async function addNotices(trx: Database, heard: readonly Heard[], at: Date): Promise<Conversation> {
  const { rows } = await sql<{ transaction_id: string; key: string }>`
    insert into notices (transaction_id, key, said, heard_at)
    select distinct on (id, key) id, key, said, ${at}::timestamptz from unnest(
      ${heard.map(({ transactionId }) => transactionId)}::text[],
      ${heard.map(({ said }) => digestOf(said))}::text[],
      ${heard.map(({ said }) => writeSaid(said))}::jsonb[]
    ) as heard (id, key, said)
    where (select count(*) from notices n where n.transaction_id = heard.id) < ${MOST_SAID}
    on conflict do nothing
    returning transaction_id, key`.execute(trx);
  const added = new Set(rows.map(row => `${row.transaction_id} ${row.key}`));
  const isAdded = ({ transactionId, said }: Heard) => added.has(`${transactionId} ${digestOf(said)}`);
  const all = await listSaid(
    trx,
    heard.map(({ transactionId }) => transactionId),
  );
  return { before: all.filter(one => !isAdded(one)), added: all.filter(isAdded) };
}

/** Everything said of a transaction, in the order in which it was heard. */
export async function listNotices(database: Database, transactionId: string): Promise<Said[]> {
  return (await listSaid(database, [transactionId])).map(({ said }) => said);
}

async function listSaid(database: Database, transactionIds: readonly string[]): Promise<Heard[]> {
  const rows = await database
    .selectFrom('notices')
    .select(['transaction_id', 'said'])
    .where('transaction_id', 'in', [...new Set(transactionIds)])
    .orderBy('heard_at')
    .execute();
  return rows.map(row => ({ transactionId: row.transaction_id, said: readSaid(row.said) }));
}

function digestOf(said: Said): string {
  return createHash('sha256').update(keyOf(said)).digest('base64url');
}

function writeSaid({ paid, received, deposit, ...said }: Said): string {
  return JSON.stringify({
    ...said,
    paid: paid?.toString(),
    received: received?.toString(),
    deposit: writeDeposit(deposit) ?? undefined,
  });
}

function readSaid(stored: unknown): Said {
  const { paid, received, deposit, ...said } = stored as Record<string, string> & {
    status: Status;
    at: number;
    ours?: boolean;
  };
  return {
    ...(said as unknown as Said),
    paid: paid === undefined ? undefined : decimal(paid),
    received: received === undefined ? undefined : decimal(received),
    deposit: deposit === undefined ? undefined : readDeposit(JSON.parse(deposit)),
  };
}
