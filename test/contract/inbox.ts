/** An inbox: what providers tell in a pair of instances, whether it has been dealt with, and what came of it. */
import { sql } from 'kysely';
import { afterEach, beforeAll } from 'vitest';
import type { Account } from '../../src/app/accounts.ts';
import { other, setPair, world } from './pair.ts';
import { eventually } from './patience.ts';
import { type Instance, TRANSAK } from './world.ts';
import { STORIES, type Story, transakTokens } from './world-hooks.ts';
import { accountOf, bodyOf, expectWatched, order, rowOf } from './world-orders.ts';

export let account: Account;

/** Begins a file with two instances that can tell whose webhooks are Transak’s, and watches over every order. */
export function setInbox(): void {
  setPair();
  beforeAll(async () => {
    account = await accountOf(world);
    // The first checkout gets the service its token, the second one tells the other instance of it.
    for (const at of [world, other]) await order(world, bodyOf(TRANSAK), { at });
  });
  afterEach(() => expectWatched(world));
}

interface InboxRow {
  id: string;
  state: string;
  reason: string;
  attempts: number;
}

/** Everything in the inbox since a moment. */
export async function inboxAfter(id: string): Promise<InboxRow[]> {
  const { rows } = await sql<InboxRow>`
    select id, state, reason, attempts from inbox where id > ${id} order by id`.execute(world.database);
  return rows;
}

export async function lastOfInbox(): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select coalesce(max(id), 0)::text as id from inbox`.execute(world.database);
  return rows[0]?.id ?? '0';
}

/** Waits until nothing that came after this is left to be dealt with. */
export async function dealtWith(after: string): Promise<InboxRow[]> {
  await eventually(async () => {
    const rows = await inboxAfter(after);
    return rows.every(({ state, attempts }) => state !== 'due' || attempts > 0);
  }, 'the inbox has been looked at');
  return inboxAfter(after);
}

export async function counted(provider: string, outcome: string, at: Instance = world): Promise<number> {
  const { text } = await at.get('/metrics');
  const line = `cloverleaf_webhooks_in_total{provider="${provider}",outcome="${outcome}"} `;
  const found = text.split('\n').find(one => one.startsWith(line));
  return Number(found?.slice(line.length) ?? 0);
}

export async function tell(provider: string, reference: string): Promise<Story> {
  const { secret } = await transakTokens(world);
  const story = STORIES[provider]?.(reference, secret);
  if (!story) throw new Error(`there is no story of ${provider}`);
  return story;
}

/** The end of a story, as the transaction has it. */
export async function endOf(id: string) {
  const { status, theirs, hash, paid, received, contradicted } = await rowOf(world, id);
  return { status, theirs, hash, paid, received, contradicted };
}
