/** Notices: everything that was ever said of a transaction, each thing once. */
import { hash } from 'node:crypto';
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

/** An honest order has a handful; beyond that only a status that was never told of it is heard. */
const MOST_SAID = 500;

/** What was said of a transaction before, and what has been added to it. */
export interface Conversation {
  before: Said[];
  added: Said[];
}

interface Row {
  id: string;
  said: unknown;
  added: boolean;
}

/** Adds what is new to what was said of transactions; all that was ever said of them, by transaction. */
export async function addNotices(
  trx: Database,
  heard: readonly Heard[],
  at: Date,
): Promise<Map<string, Conversation>> {
  // What is added is not seen by the statement that adds it, so that nothing comes back twice.
  const { rows } = await sql<Row>`
    /* add notices */
    with heard as (
      select distinct on (id, key) id, key, said from unnest(
        ${heard.map(({ transactionId }) => transactionId)}::text[],
        ${heard.map(({ said }) => digestOf(said))}::text[],
        ${heard.map(({ said }) => writeSaid(said))}::jsonb[]
      ) as heard (id, key, said)
    ), added as (
      insert into notices (transaction_id, key, said, heard_at)
      select id, key, said, ${at}::timestamptz from heard
      where (select count(*) from notices n where n.transaction_id = heard.id) < ${MOST_SAID}::int
        or not exists (
          select from notices n where n.transaction_id = heard.id and n.said ->> 'status' = heard.said ->> 'status'
        )
      on conflict do nothing
      returning transaction_id, said
    )
    select transaction_id as id, said, false as added from notices
    where transaction_id in (select id from heard)
    union all
    select transaction_id, said, true from added`.execute(trx);
  const conversations = new Map<string, Conversation>();
  for (const { id, said, added } of rows) {
    const conversation = conversations.get(id) ?? { before: [], added: [] };
    conversation[added ? 'added' : 'before'].push(readSaid(said));
    conversations.set(id, conversation);
  }
  return conversations;
}

/** Everything said of a transaction, in the order in which it was heard. */
export async function listNotices(database: Database, transactionId: string): Promise<Said[]> {
  const rows = await database
    .selectFrom('notices')
    .select('said')
    .where('transaction_id', '=', transactionId)
    .orderBy('heard_at')
    .execute();
  return rows.map(({ said }) => readSaid(said));
}

/** What anybody but us has last said of a transaction; undefined when nobody has said anything. */
export async function lastTold(database: Database, transactionId: string): Promise<Status | undefined> {
  const { rows } = await sql<{ status: Status }>`
    select said ->> 'status' as status from notices
    where transaction_id = ${transactionId} and said -> 'ours' is null
    order by (said ->> 'at')::numeric desc, heard_at desc limit 1`.execute(database);
  return rows[0]?.status;
}

function digestOf(said: Said): string {
  return hash('sha256', keyOf(said), 'base64url');
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
