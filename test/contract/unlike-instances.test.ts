/** Instances that do not know the same providers: what one of them cannot do waits for one that can, and not for long. */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepIncoming } from '../../src/store/inbox.ts';
import { plansOf } from '../service.ts';
import { eventually } from './patience.ts';
import { type Instance, MERCURYO, MOONPAY, startInstance, startWorld, TRANSAK, type World } from './world.ts';
import { moonpayHook } from './world-hooks.ts';
import { bodyOf, lookOf, makeDue, type Order, openPage, order, reaches, rowOf } from './world-orders.ts';

/** The one that does not know MoonPay. */
let world: World;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true, only: [MERCURYO, TRANSAK] });
});
afterAll(() => world?.close());

/** Has one that does know MoonPay do something, and stops it. */
async function withKnowing<T>(work: (knowing: Instance) => Promise<T>): Promise<T> {
  const knowing = await startInstance({
    databaseUrl: world.databaseUrl,
    sandboxUrl: world.gate.url,
    plans: plansOf([MOONPAY, TRANSAK]),
    env: { QUOTE_DEADLINE_MS: '10000' },
  });
  try {
    return await work(knowing);
  } finally {
    await knowing.close();
  }
}

const fetchedAt = async () => {
  const { rows } = await sql<{ at: Date }>`
    select fetched_at as at from listings where provider = 'moonpay'`.execute(world.database);
  return rows[0]?.at.getTime() ?? 0;
};

const refreshTask = () =>
  world.database
    .selectFrom('tasks')
    .selectAll()
    .where('kind', '=', 'refresh-listings')
    .where('key', '=', `${MOONPAY}:test`)
    .executeTakeFirst();

const wasPassedOn = (task: Awaited<ReturnType<typeof lookOf>>) =>
  task !== undefined && task.attempts > 0 && task.leased_until === null;

const incoming = () =>
  world.database.selectFrom('inbox').select(['state', 'attempts', 'reason']).orderBy('id').execute();

/** A webhook of MoonPay, as an instance that knows it has kept it. */
async function keepHook({ id }: Order, status: string): Promise<void> {
  const { headers, body } = moonpayHook({
    ...{ id: 'a1', status, externalTransactionId: id },
    ...{ updatedAt: new Date().toISOString(), quoteCurrencyAmount: 0.001, cryptoTransactionId: 'd0' },
  });
  const envelope = JSON.stringify({ headers, path: '/hooks/moonpay', search: '' });
  const kept = { digest: hash('sha256', body, 'buffer'), headers: envelope, body: Buffer.from(body) };
  await keepIncoming(world.database, [{ provider: MOONPAY, environment: 'test', ...kept }]);
}

/** An order at MoonPay whose page the person has opened. */
async function openedOrder(knowing: Instance): Promise<Order> {
  await eventually(async () => (await fetchedAt()) > 0, 'MoonPay has said what it lists');
  await eventually(
    async () => (await knowing.get('/quotes/eur/btc?amount=100&country=de')).text.includes('moonpay'),
    'its listing is known',
  );
  const made = await order(world, bodyOf(MOONPAY), { at: knowing });
  await openPage(knowing, made);
  return made;
}

test('listings, orders and webhooks of a provider that one instance does not know are left to one that does', async () => {
  const made = await withKnowing(openedOrder);
  const before = await fetchedAt();
  await keepHook(made, 'completed');
  await keepHook(made, 'pending');
  // One that nobody has come for is not waited with any longer.
  await sql`update inbox set due_at = now() - interval '2 minutes' where id = (select max(id) from inbox)`.execute(
    world.database,
  );
  await sql`update tasks set due_at = now() where kind = 'refresh-listings'`.execute(world.database);
  await makeDue(world, made.id);

  await eventually(async () => wasPassedOn(await refreshTask()), 'the refresh was left to others');
  await eventually(async () => wasPassedOn(await lookOf(world, made.id)), 'the look-up was left to others');
  await eventually(async () => (await incoming())[1]?.attempts === 1, 'somebody looked at the late one');
  expect(await incoming()).toEqual([
    { state: 'due', attempts: 0, reason: '' },
    { state: 'due', attempts: 1, reason: 'the provider is not set up' },
  ]);
  expect([await fetchedAt(), (await rowOf(world, made.id)).status]).toEqual([before, 'new']);

  const asked = world.gate.calls(MOONPAY).length;
  await withKnowing(async knowing => {
    await reaches(knowing, made.id, 'completed');
    await eventually(async () => (await fetchedAt()) > before, 'the listings are fetched again');
  });
  expect(world.gate.calls(MOONPAY).length).toBeGreaterThan(asked);
  expect(await refreshTask()).toMatchObject({ attempts: 0 });
});
