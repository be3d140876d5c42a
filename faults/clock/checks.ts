/** What is looked at while a clock is wrong: when sessions end, which webhooks are believed, and how pages follow each other. */
import { setTimeout as wait } from 'node:timers/promises';
import { ulid } from 'ulid';
import type { Credentials } from '../../src/app/accounts.ts';
import { type Client, checkOut, checkoutLetter } from '../bed/client.ts';
import { keysOf, type Load } from '../bed/load.ts';
import { signLetter, writeLetter } from '../bed/wire.ts';
import type { World } from '../bed/world.ts';

interface Clocked {
  world: World;
  client: Client;
  /** How far the clock of whom we ask is ahead of ours. */
  aheadMs: number;
}

const SESSION_MS = 600_000;
/** Whole seconds, and the time it takes to ask. */
const SLACK_MS = 3_000;
const WINDOW_SECONDS = 300;
/** So far from the border that the time it takes to ask does not matter. */
const MARGIN_SECONDS = 15;
const PAGE = 50;
const MOST_PAGES = 2_000;

/** A session ends ten minutes after its instance's now, and no further off than that clock. */
export async function checkExpiry({ world, client, aheadMs }: Clocked) {
  const account = world.accounts[0] as Credentials;
  const began = Date.now();
  const text = await checkOut(
    client,
    checkoutLetter(account, { provider: 'transak', partnerContext: 'end' }),
  );
  const tookMs = Date.now() - began;
  const { message } = JSON.parse(text) as { message: { sessionInformation: { expiringTime: number } } };
  const off = message.sessionInformation.expiringTime * 1000 - began - SESSION_MS;
  const isRight = Math.abs(off - aheadMs) <= SLACK_MS + tookMs;
  return { off, flaws: isRight ? [] : [`a session ends ${off} ms off`] };
}

/** Which moments of a webhook are believed: those about the instance's own now, as wide as ever. */
export async function checkWindow({ world, client, aheadMs }: Clocked): Promise<{ flaws: string[] }> {
  const flaws: string[] = [];
  for (const [offset, expected] of [
    [-(WINDOW_SECONDS - MARGIN_SECONDS), 200],
    [WINDOW_SECONDS - MARGIN_SECONDS, 200],
    [-(WINDOW_SECONDS + MARGIN_SECONDS), 401],
    [WINDOW_SECONDS + MARGIN_SECONDS, 401],
  ] as const) {
    // Whether it names an order of ours does not matter: it is kept when it is believed.
    const reference = ulid();
    const at = Math.floor((Date.now() + aheadMs) / 1000) + offset;
    const letter = writeLetter('moonpay', {
      ...{ reference, theirs: `t-${reference}`, word: 'pending', at: at * 1000, reason: null, hash: null },
      ...{ cents: 10_000, coins: '0.001', serial: reference },
    });
    const { status } = await client.post('/hooks/moonpay', signLetter(letter, world.keys(), at));
    if (status !== expected) flaws.push(`a webhook ${offset} s off was answered ${status}`);
  }
  return { flaws };
}

interface TransactionPage {
  cursor?: string;
  transactions: { transactionId: string; status: string; statusDate: string }[];
}

interface Reader {
  client(): Client;
  account: Credentials;
  load: Load;
}

/** Goes through all records page by page, at either instance, while more come: each once, the newest first. */
export async function checkPages({ client, account, load }: Reader) {
  const before = new Set([...load.made.values()].map(({ transactionId }) => transactionId));
  const seen = new Map<string, string>();
  const flaws: string[] = [];
  let last = '9';
  let cursor: string | undefined;
  let pages = 0;
  for (; pages < MOST_PAGES; pages++) {
    const path = `/transactions?limit=${PAGE}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
    const { status, text } = await client().get(path, keysOf(account));
    if (status !== 200) {
      flaws.push(`a page was answered ${status}`);
      break;
    }
    const page = JSON.parse(text) as TransactionPage;
    for (const { transactionId, status: reached, statusDate } of page.transactions) {
      const key = `${transactionId} ${reached}`;
      if (seen.has(key)) flaws.push(`${key} came twice`);
      if (statusDate > last) flaws.push(`${key} of ${statusDate} came after ${last}`);
      seen.set(key, statusDate);
      last = statusDate;
    }
    cursor = page.cursor;
    if (cursor === undefined) break;
    await wait(1);
  }
  const found = new Set([...seen.keys()].map(key => key.split(' ')[0]));
  for (const id of before) if (!found.has(id)) flaws.push(`${id} was skipped`);
  return {
    what: 'records by cursor, skipped, repeated or out of order',
    count: seen.size,
    flaws,
    worst: `${pages + 1} pages`,
  };
}
