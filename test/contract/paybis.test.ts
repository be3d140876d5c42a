/** Orders with Paybis that nobody paid: it has only a list of transactions, and no word for what was left. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ProviderId } from '../../src/domain/words.ts';
import { startWorld, type World } from './world.ts';
import { lookUp, makeDue, type Order, openedAgo, openPage, reaches, rowOf } from './world-orders.ts';
import { checkOut, findTrade } from './world-purchases.ts';

const PAYBIS = 'paybis' as ProviderId;

let world: World;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true });
});
afterEach(() => world.gate.answer(PAYBIS, undefined));
afterAll(() => world?.close());

/** Has its list say the same whenever it is asked. */
function list(data: object[], nextCursor: string | null): void {
  const body = JSON.stringify({ data, meta: { nextCursor } });
  world.gate.answer(PAYBIS, { part: '/v2/transactions', status: 200, headers: {}, body });
}

async function leftAlone(): Promise<Order> {
  const made = await checkOut(world, await findTrade(world, PAYBIS, 'buy'));
  await openPage(world, made);
  await sql`update transactions set status_at = now() - interval '25 hours' where id = ${made.id}`.execute(
    world.database,
  );
  await openedAgo(world, made.id, '25 hours');
  return made;
}

test.each([
  ['a list that has an end', null],
  ['a list that has none', 'on'],
])(
  'given up after a day by our own word, with %s, and completed when it is paid after all',
  async (_, next) => {
    const made = await leftAlone();
    list([{ request: { id: 'other' } }], next);
    await makeDue(world, made.id);
    await reaches(world, made.id, 'expired');
    const { reason, theirs } = await rowOf(world, made.id);
    expect(reason).toBe('Nothing was paid');
    list([{ status: 'completed', request: { id: theirs } }], next);
    await makeDue(world, made.id);
    await reaches(world, made.id, 'completed');
    expect((await rowOf(world, made.id)).contradicted).toBe(false);
  },
);

test('not given up while money may be on its way by bank', async () => {
  const made = await leftAlone();
  const { theirs } = await rowOf(world, made.id);
  list([{ status: 'created', createdAt: new Date().toISOString(), request: { id: theirs } }], null);
  await lookUp(world, made.id);
  expect((await rowOf(world, made.id)).status).toBe('new');
});
