/** What operators do to providers: seen by a running service, and kept safe at rest. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tables } from '../../src/store/tables.ts';
import { planTasks } from '../../src/store/tasks.ts';
import { eventually } from './patience.ts';
import { runProvider } from './provider-command.ts';
import { MOONPAY, REGISTERED, startWorld, type World } from './world.ts';

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
    await planTasks(world.database, [{ kind: 'refresh-listings', key: 'moonpay:test', dueAt: new Date(0) }]);
    await eventually(() => failures() > known, `a refresh fails with ${kind}`);
    expect([kind, await listed()]).toEqual([kind, REGISTERED]);
    expect((await world.get('/supported/payment-types/eur?country=de')).text).toBe(before);
  }
  world.sandbox.fault(MOONPAY, { kind: 'none', ms: 0 });
});
