/** What operators do to providers: seen by a running service, and kept safe at rest. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lines } from '../../src/app/lines.ts';
import { createListings } from '../../src/app/listings.ts';
import { currencies } from '../../src/main.ts';
import { putListings, type ReadListings, readListings } from '../../src/store/listings.ts';
import type { Tables } from '../../src/store/tables.ts';
import { planTasks } from '../../src/store/tasks.ts';
import { eventually } from './patience.ts';
import { runProvider } from './provider-command.ts';
import { MOONPAY, REGISTERED, startWorld, type World } from './world.ts';
import { bodyOf, intend } from './world-orders.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

async function listed(): Promise<string[]> {
  const { body } = await world.get('/supported/onramps/all', { authorization: world.key });
  return body.message.map(({ id }: { id: string }) => id).sort();
}

test('200 is without a provider that was disabled, everywhere and without a restart, and with it once enabled', async () => {
  expect(await listed()).toEqual(REGISTERED);
  await runProvider(world, 'disable', 'moonpay');
  await eventually(async () => !(await listed()).includes('moonpay'), 'the switch is seen', {
    longestMs: 5_000,
  });
  const quotes = (await world.get('/quotes/eur/btc?amount=111&country=de&errors=all')).body;
  expect(quotes.map(({ ramp }: { ramp: string }) => ramp).sort()).toEqual(
    REGISTERED.filter(id => id !== MOONPAY),
  );
  expect((await world.get('/supported/payment-types/eur?country=de')).text).not.toContain('moonpay":');
  await runProvider(world, 'enable', 'moonpay');
  await eventually(async () => (await listed()).includes('moonpay'), 'the switch is seen', {
    longestMs: 5_000,
  });
  const again = (await world.get('/quotes/eur/btc?amount=112&country=de&errors=all')).body;
  expect(again.map(({ ramp }: { ramp: string }) => ramp).sort()).toEqual(REGISTERED);
});

test('settings are sealed at rest: no table holds one in clear, and the log does not either', async () => {
  const secret = 'sk_test_Canary-0123456789abcdef';
  await runProvider(world, 'set', 'moonpay', 'secretKey', secret);
  const rows = await world.database.selectFrom('provider_settings').selectAll().execute();
  expect(rows.map(({ provider, environment, name }) => [provider, environment, name])).toEqual([
    ['moonpay', 'test', 'secretKey'],
  ]);
  const tables: (keyof Tables)[] = [
    'accounts',
    'account_secrets',
    'provider_settings',
    'provider_switches',
    'listings',
    'tasks',
    'facts',
  ];
  const forms = [
    secret,
    Buffer.from(secret).toString('base64').slice(0, 38),
    Buffer.from(secret).toString('hex'),
  ];
  for (const table of tables) {
    const text = JSON.stringify(await world.database.selectFrom(table).selectAll().execute());
    expect([table, forms.filter(form => text.includes(form))]).toEqual([table, []]);
  }
  expect(world.logged()).not.toContain(secret);
});

test('account secrets are kept as digests only', async () => {
  const rows = await world.database.selectFrom('account_secrets').selectAll().execute();
  expect(rows.length).toBeGreaterThan(0);
  for (const { digest } of rows) expect(digest.length).toBe(32);
});

test('200 keeps the last good listing when a refresh fails', async () => {
  const before = (await world.get('/supported/payment-types/eur?country=de')).text;
  const failures = () => world.logged().split('"key":"moonpay:test"').length - 1;
  for (const kind of ['error', 'garbage', 'truncated'] as const) {
    const known = failures();
    world.sandbox.fault(MOONPAY, { kind, ms: 0 });
    await world.database
      .updateTable('tasks')
      .set({ attempts: 0 })
      .where('key', '=', 'moonpay:test')
      .execute();
    await planTasks(world.database, [{ kind: 'refresh-listings', key: 'moonpay:test', inMs: 0 }]);
    await eventually(() => failures() > known, `a refresh fails with ${kind}`);
    expect([kind, await listed()]).toEqual([kind, REGISTERED]);
    expect((await world.get('/supported/payment-types/eur?country=de')).text).toBe(before);
  }
  world.sandbox.fault(MOONPAY, { kind: 'none', ms: 0 });
});

/** Listings of an instance that cannot reach anybody, and has only what others have stored. */
const newListings = () =>
  createListings({
    ...{ currencies, database: world.database, now: Date.now },
    lines: { of: () => [] } as Pick<Lines, 'of'> as Lines,
    onTrouble: expect.unreachable,
  });

const stored = (known: readonly ReadListings[] = []) =>
  readListings(world.database, known, expect.unreachable);

test('listings that are the same after a refresh are not read again, and nobody is told that they are new', async () => {
  const { database } = world;
  const fetched = async () =>
    (await sql<{ at: Date }>`select min(fetched_at) as at from listings`.execute(database)).rows[0]?.at ?? 0;
  const [before, known, listings] = [await fetched(), await stored(), newListings()];
  expect([await listings.reload(), await listings.reload()]).toEqual([true, false]);
  await sql`update tasks set due_at = now() where kind = 'refresh-listings'`.execute(database);
  await eventually(async () => (await fetched()) > before, 'all listings are fetched again');
  const again = await stored(known);
  expect(again.filter((one, at) => one.listings !== known[at]?.listings)).toEqual([]);
  expect(await listings.reload()).toBe(false);
});

test('422 for an amount that is finer than its provider takes, with how many places it takes', async () => {
  const sale = { source: 'usdc_ethereum', paymentMethod: 'sepabanktransfer' };
  const sell = (amount: number) => intend(world, bodyOf(MOONPAY, 'sell', { ...sale, amount }));
  expect((await sell(100.12)).status).toBe(200);
  const { status, body } = await sell(100.123);
  expect([status, body.message]).toEqual([422, 'Amounts of USDC are taken with at most 2 decimal places']);
});

test('listings that have changed are read again, and only those', async () => {
  const { database, get } = world;
  const offered = async () => (await get('/quotes/eur/btc?amount=100&country=de')).text.includes('moonpay');
  expect(await offered()).toBe(true);
  const [known, listings] = [await stored(), newListings()];
  await listings.reload();
  const moonpay = known.find(({ provider }) => provider === MOONPAY);
  if (!moonpay) throw new Error('MoonPay lists nothing');
  const sells = moonpay.listings.filter(({ side }) => side === 'sell');
  await putListings(database, { ...moonpay, listings: sells, fetchedAt: new Date() });
  const again = await stored(known);
  const kept = again.filter(one => known.some(other => other.listings === one.listings));
  expect(kept.map(({ provider }) => provider)).toEqual(REGISTERED.filter(id => id !== MOONPAY));
  expect(again.find(({ provider }) => provider === MOONPAY)?.listings).toEqual(sells);
  expect(await listings.reload()).toBe(true);
  await eventually(async () => !(await offered()), 'it sells no more');
});

test('listings that cannot be read are left out and told of, and all others are there', async () => {
  const { database } = world;
  const [told, before]: [string[], ReadListings[]] = [[], await stored()];
  const spoil = (from: string, to: string) =>
    sql`update listings set body = replace(body::text, ${from}, ${to})::jsonb where provider = 'transak'`.execute(
      database,
    );
  await spoil('"assets"', '"coins"');
  try {
    const read = await readListings(database, [], (provider, environment, what) => {
      told.push(`${provider} ${environment}: ${what}`);
    });
    expect(read.map(({ provider }) => provider)).toEqual(
      before.map(({ provider }) => provider).filter(id => id !== 'transak'),
    );
    expect(told).toEqual([expect.stringMatching(/^transak test: what it lists cannot be read: /)]);
  } finally {
    await spoil('"coins"', '"assets"');
  }
});
