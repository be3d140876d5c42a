/** Whoever is held up: what others have done meanwhile is neither undone nor done twice, and nothing is held for ever. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { markBegun } from '../../src/store/openings.ts';
import { claimTasks, planTasks, strikeTask, type Task } from '../../src/store/tasks.ts';
import { findTransaction, type Transaction } from '../../src/store/transactions.ts';
import { setAlone, world } from './pair.ts';
import { MOONPAY, PROVIDERS } from './world.ts';
import { deliver, moonpayHook } from './world-hooks.ts';
import { accountOf, reaches, writeOrder } from './world-orders.ts';

const DAY_MS = 86_400_000;

setAlone(PROVIDERS);

const readOrder = async (id: string) => (await findTransaction(world.database, id)) as Transaction;

test('an order is begun once, by whoever read it last', async () => {
  const { database } = world;
  const id = await writeOrder(world, await accountOf(world), { provider: MOONPAY });
  const [slow, quick] = [await readOrder(id), await readOrder(id)];
  expect(await markBegun(database, quick, new Date())).toBe(true);
  expect(await markBegun(database, slow, new Date())).toBe(false);
  expect(await markBegun(database, await readOrder(id), new Date())).toBe(true);
});

test('what is planned while it is being done is done again, however far ahead it was planned', async () => {
  const { database } = world;
  const task = { kind: 'held-up', key: 'a' };
  await planTasks(database, [{ ...task, inMs: 0 }]);
  const claim = { kinds: [task.kind], passed: [], most: 1, leaseMs: 25_000 };
  const [held] = await claimTasks(database, claim);
  await planTasks(database, [{ ...task, inMs: 30 * DAY_MS }]);
  await strikeTask(database, held as Task);
  const left = await database.selectFrom('tasks').selectAll().where('kind', '=', task.kind).execute();
  expect(left.map(({ key, leased_until }) => [key, leased_until])).toEqual([['a', null]]);
});

test('an order of which far too much was said is still told when it ends', async () => {
  const id = await writeOrder(world, await accountOf(world), { provider: MOONPAY });
  await sql`insert into notices (transaction_id, key, said, heard_at)
    select ${id}, 'opened ' || n, jsonb_build_object('status', 'new', 'at', n, 'theirs', 'one'), now()
    from generate_series(1, 500) n`.execute(world.database);
  await deliver(world, moonpayHook({ id: randomUUID(), status: 'completed', externalTransactionId: id }));
  await reaches(world, id, 'completed');
});

test('what a machine holds that was switched off is let go of by the database', async () => {
  const { rows } = await sql<{ ms: string }>`
    select setting as ms from pg_settings where name = 'idle_in_transaction_session_timeout'`.execute(
    world.database,
  );
  expect(rows).toEqual([{ ms: '60000' }]);
});
