/** Retention: what tells of people goes by itself, as long after the end as the account says at that time. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Account } from '../../src/app/accounts.ts';
import { eraseInTime } from '../../src/app/erasure.ts';
import { DAY_MS, endedOrder, holdBack, isErased, newShop, run } from './erasures.ts';
import { setAlone, world } from './pair.ts';
import { untilAwaited } from './patience.ts';
import { MOONPAY, PROVIDERS } from './world.ts';
import { deliver, moonpayHook } from './world-hooks.ts';
import { bodyOf, order, reaches, rowOf, writeOrder } from './world-orders.ts';

setAlone(PROVIDERS);

const retain = ({ publicKey }: Account, days: string) => run('account', 'retain', publicKey, days);

async function planned(id: string): Promise<Date | undefined> {
  const { database } = world;
  const tasks = database.selectFrom('tasks').selectAll().where('kind', '=', 'erase').where('key', '=', id);
  return (await tasks.executeTakeFirst())?.due_at;
}

/** So many days after its end, but for the moments that writing takes. */
async function expectPlanned(id: string, days: number): Promise<void> {
  const { status_at } = await rowOf(world, id);
  const dueAt = (await planned(id))?.getTime() ?? 0;
  expect(Math.abs(dueAt - status_at.getTime() - days * DAY_MS)).toBeLessThan(2_000);
}

test('an order is erased so many days after its end, and not before', async () => {
  const account = await newShop();
  expect(await retain(account, '2')).toBe(
    `${account.publicKey} keeps what tells of people for 2 days\nerased 0 transactions that ended longer ago`,
  );
  const { id } = await order(world, bodyOf(MOONPAY), { by: account.publicKey });
  await deliver(world, moonpayHook({ id: 'm1', status: 'pending', externalTransactionId: id }));
  await reaches(world, id, 'pending');
  expect(await planned(id)).toBeUndefined();
  await deliver(world, moonpayHook({ id: 'm1', status: 'completed', externalTransactionId: id }));
  await reaches(world, id, 'completed');
  await expectPlanned(id, 2);

  const makeDue = () =>
    sql`update tasks set due_at = now() where kind = 'erase' and key = ${id}`.execute(world.database);
  await makeDue();
  await expect.poll(async () => ((await planned(id))?.getTime() ?? 0) - Date.now()).toBeGreaterThan(DAY_MS);
  expect(await isErased(id)).toBe(false);
  await sql`
    update transactions set status_at = now() - interval '2 days' where id = ${id}`.execute(world.database);
  await makeDue();
  await expect.poll(() => isErased(id), { timeout: 10_000 }).toBe(true);
  await expect.poll(() => planned(id), { timeout: 10_000 }).toBeUndefined();
});

test('no order is planned to be erased where nobody asked for it', async () => {
  const account = await newShop();
  const { id } = await order(world, bodyOf(MOONPAY), { by: account.publicKey });
  await deliver(world, moonpayHook({ id: 'm2', status: 'completed', externalTransactionId: id }));
  await reaches(world, id, 'completed');
  expect(await planned(id)).toBeUndefined();
});

test('the present setting counts: a longer time is waited for, and none at all erases nothing', async () => {
  const account = await newShop();
  await retain(account, '30');
  const id = await endedOrder(account, 10);
  const { status_at } = await rowOf(world, id);
  const now = status_at.getTime() + 12 * DAY_MS;
  const inTime = () => eraseInTime(world.database, id, now);
  expect(await inTime()).toBe(18 * DAY_MS);
  await retain(account, 'for-ever');
  expect(await inTime()).toBeUndefined();
  expect(await isErased(id)).toBe(false);
  await retain(account, '12');
  expect(await inTime()).toBeUndefined();
  expect(await isErased(id)).toBe(true);
  expect(await eraseInTime(world.database, 'nobody’s', now)).toBeUndefined();
});

test('webhooks that are still to be delivered are waited for, a day at a time', async () => {
  const account = await newShop();
  const id = await endedOrder(account, 10);
  const release = await holdBack(account, id);
  await retain(account, '5');
  expect(await planned(id)).toBeDefined();
  expect(await eraseInTime(world.database, id, Date.now())).toBe(DAY_MS);
  expect(await isErased(id)).toBe(false);
  await release();
  expect(await eraseInTime(world.database, id, Date.now())).toBeUndefined();
  expect(await isErased(id)).toBe(true);
});

test('what goes on again is not erased', async () => {
  const account = await newShop();
  await retain(account, '1');
  const id = await writeOrder(world, account, { status: 'pending', status_at: new Date(0) });
  expect(await eraseInTime(world.database, id, Date.now())).toBeUndefined();
  expect(await isErased(id)).toBe(false);
});

test('it is good for what ended before: the old is erased at once, the rest is planned, other accounts’ is left', async () => {
  const account = await newShop();
  const [old, young] = [await endedOrder(account, 10), await endedOrder(account, 3)];
  const unfinished = await writeOrder(world, account, { status: 'paid' });
  const others = await endedOrder(await newShop(), 10);
  expect(await retain(account, '7')).toContain('erased 1 transaction that ended longer ago');
  expect(await Promise.all([old, young, unfinished, others].map(isErased))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  await expectPlanned(young, 7);
  expect(await Promise.all([old, unfinished, others].map(planned))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('an end that is just being written by somebody who knew of no retention time is planned too', async () => {
  const account = await newShop();
  const id = await writeOrder(world, account, { status: 'paid' });
  let retaining: Promise<string> | undefined;
  await world.database.transaction().execute(async trx => {
    await sql`update transactions set status = 'completed' where id = ${id}`.execute(trx);
    retaining = retain(account, '7');
    await untilAwaited(trx, world.database, 'the command waits for the end to be written');
  });
  await retaining;
  expect(await planned(id)).toBeDefined();
});

test('only whole days from 1 to 3650 are taken, and shown in the list', async () => {
  const account = await newShop();
  for (const days of ['0', '3651', '1.5', '1e2', 'ever', '', ' 7'])
    await expect(retain(account, days)).rejects.toThrow(
      'days must be a whole number from 1 to 3650, or for-ever',
    );
  const listed = async () => {
    const all = JSON.parse(await run('account', 'list', '--json')) as {
      publicKey: string;
      retentionDays: unknown;
    }[];
    return all.find(({ publicKey }) => publicKey === account.publicKey)?.retentionDays;
  };
  expect(await listed()).toBe('for-ever');
  await retain(account, '3650');
  expect(await listed()).toBe(3650);
  await retain(account, 'for-ever');
  expect(await listed()).toBe('for-ever');
});
