/** Webhooks out after a replay: whatever is made due again, in whatever order, arrives. */
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type NewEvent, writeEvents } from '../../src/store/events.ts';
import {
  database,
  dispatch,
  endpoints,
  eventsOf,
  type Got,
  listen,
  newShop,
  rowsOf,
  type Shop,
  setOutbox,
  site,
} from './outbox.ts';
import { eventually } from './patience.ts';

setOutbox();

/** More than is looked at at once. */
const MANY = 80;

/** First and second events of many transactions. */
function pairsOf(account: Shop): [first: NewEvent[], second: NewEvent[]] {
  const pairs = Array.from({ length: MANY }, () => eventsOf(account, 2) as [NewEvent, NewEvent]);
  return [pairs.map(([one]) => one), pairs.map(([, two]) => two)];
}

/** Their sequence numbers, by transaction, as they arrived. */
function sequencesOf(got: readonly Got[]): number[][] {
  const sequences = new Map<string, number[]>();
  for (const { headers, body } of got) {
    const { transactionId } = JSON.parse(body) as { transactionId: string };
    const own = sequences.get(transactionId) ?? [];
    sequences.set(transactionId, [...own, Number(headers['x-cloverleaf-sequence'])]);
  }
  return [...sequences.values()];
}

test('later events that are replayed before earlier ones hold up neither those nor what comes after', async () => {
  const account = await newShop('later first');
  const [firsts, seconds] = pairsOf(account);
  await writeEvents(database, [...firsts, ...seconds]);
  const receiver = site.open();
  const { id } = await listen(receiver, account);
  for (const events of [seconds, firsts]) {
    const eventIds = events.map(event => event.id);
    expect(await endpoints.replay(account.id, id, { eventIds })).toBe(MANY);
    await wait(20);
  }
  await writeEvents(database, eventsOf(account));
  await dispatch().wake();
  await eventually(() => receiver.got.length === 2 * MANY + 1, 'all of it arrives');
  const attempts = (await rowsOf(id)).map(row => row.attempts);
  expect(attempts).toEqual(Array.from({ length: 2 * MANY + 1 }, () => 1));
});

test('what is due at one moment arrives, and in order, however it was written', async () => {
  const account = await newShop('at once');
  const receiver = site.open();
  await listen(receiver, account);
  const [firsts, seconds] = pairsOf(account);
  await writeEvents(database, [...seconds, ...firsts]);
  await dispatch().wake();
  await eventually(() => receiver.got.length === 2 * MANY, 'all of it arrives');
  expect(sequencesOf(receiver.got)).toEqual(Array.from({ length: MANY }, () => [1, 2]));
});

test('a replay keeps the order of each transaction, and gives each a moment of its own', async () => {
  const account = await newShop('replayed');
  const told = Array.from({ length: 12 }, () => eventsOf(account, 11));
  await writeEvents(database, told.flat());
  const receiver = site.open();
  const { id } = await listen(receiver, account);
  expect(await endpoints.replay(account.id, id, { since: new Date(0) })).toBe(12 * 11);
  const { rows } = await sql`
    select count(distinct due_at)::int as moments, bool_and(due_at <= now()) as due
    from deliveries where endpoint_id = ${id}`.execute(database);
  expect(rows).toEqual([{ moments: 12, due: true }]);
  await dispatch().wake();
  await eventually(() => receiver.got.length === 12 * 11, 'all of it arrives');
  const inOrder = Array.from({ length: 11 }, (_, at) => at + 1);
  expect(sequencesOf(receiver.got)).toEqual(told.map(() => inOrder));
});
