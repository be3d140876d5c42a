/** Several instances on one database. */
import { expect, test } from 'vitest';
import { createAccount, revoke } from '../../src/app/accounts.ts';
import { makeDatabase } from '../service.ts';
import { eventually } from './patience.ts';
import { type Instance, REGISTERED, startInstance } from './world.ts';

test('200 from each of three instances that start at once on a fresh database', async () => {
  const { url, drop } = await makeDatabase();
  const started = await Promise.allSettled([0, 1, 2].map(() => startInstance({ databaseUrl: url })));
  const instances = started.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
  try {
    expect(started.flatMap(result => (result.status === 'rejected' ? [String(result.reason)] : []))).toEqual(
      [],
    );
    for (const { get } of instances) {
      expect((await get('/health/ready')).status).toBe(200);
      await eventually(
        async () => (await get('/quotes/eur/btc?amount=100&country=de')).body.length === REGISTERED.length,
        'the listings are there',
      );
    }
    const applied = await migrationsOf(instances[0]);
    expect(new Set(applied).size).toBe(applied.length);
    expect(applied.length).toBeGreaterThan(0);

    // What one of them is told, all of them know within seconds.
    const database = instances[0]?.database;
    if (!database) throw new Error('no instance');
    const { publicKey } = await createAccount(database, { name: 'shop', environment: 'test' });
    const statuses = () =>
      Promise.all(
        instances.map(async ({ get }) => (await get('/supported', { authorization: publicKey })).status),
      );
    await eventually(async () => (await statuses()).every(status => status === 200), 'all know the key', {
      longestMs: 5_000,
    });
    await revoke(database, publicKey);
    await eventually(async () => (await statuses()).every(status => status === 401), 'all forget it', {
      longestMs: 5_000,
    });
  } finally {
    await Promise.all(instances.map(instance => instance.close()));
    await drop();
  }
});

async function migrationsOf(instance: Instance | undefined): Promise<string[]> {
  const rows = await instance?.database
    .selectFrom('kysely_migration' as 'facts')
    .select('name')
    .execute();
  return rows?.map(({ name }) => name) ?? [];
}
