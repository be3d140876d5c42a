/** Several instances on one database. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAccount, revoke } from '../../src/app/accounts.ts';
import { makeDatabase } from '../service.ts';
import { eventually } from './patience.ts';
import { type Answer, readAnswer } from './wire.ts';
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

test('answers in our own words while it stops, from all that it has, and ends each connection', async () => {
  const { url, drop } = await makeDatabase();
  const instance = await startInstance({ databaseUrl: url });
  const { publicKey, secret } = await createAccount(instance.database, { name: 'shop', environment: 'test' });
  await instance.look();
  const paths = ['/health/live', '/health/ready', '/nope', '/transactions'];
  const sockets = await Promise.all(paths.map(path => begin(instance, path)));
  // Whoever comes later is answered: all that was begun has been read.
  await instance.get('/health/live');
  const closed = instance.close();
  await wait(100);
  const headers = `Origin: https://shop.example\r\nAuthorization: ${publicKey}\r\nx-service-secret: ${secret}`;
  const replies = await Promise.all(sockets.map(socket => finish(socket, headers)));
  await closed;
  await drop();
  expect(replies.map(reply => [reply?.status, reply?.body])).toEqual([
    [200, { status: 'live' }],
    [503, { status: 'unready', reason: 'stopping' }],
    [404, expect.objectContaining({ errorCode: 404, field: 'path' })],
    [200, { transactions: [], limit: 50 }],
  ]);
  for (const reply of replies) {
    expect(reply?.headers).toMatchObject({
      connection: 'close',
      'access-control-allow-origin': 'https://shop.example',
      'x-request-id': expect.any(String),
    });
  }
});

/** Sends a part of a request. */
async function begin(instance: Instance, path: string): Promise<Socket> {
  const socket = connect(Number(new URL(instance.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n`);
  return socket;
}

/** Sends the rest, and reads until the service hangs up. */
async function finish(socket: Socket, headers: string): Promise<Answer | undefined> {
  const chunks: Buffer[] = [];
  socket.on('data', chunk => chunks.push(chunk));
  socket.write(`${headers}\r\n\r\n`);
  await once(socket, 'close');
  return readAnswer(Buffer.concat(chunks), true);
}

async function migrationsOf(instance: Instance | undefined): Promise<string[]> {
  const rows = await instance?.database
    .selectFrom('kysely_migration' as 'facts')
    .select('name')
    .execute();
  return rows?.map(({ name }) => name) ?? [];
}
