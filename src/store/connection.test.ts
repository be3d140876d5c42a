/** Connections to a database that takes every connection and then says nothing. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { takeBackup } from './backup.ts';
import { type Database, openForRequests } from './database.ts';
import { hasSchema, upgradeSchema } from './upgrade.ts';

/** What a PostgreSQL says to whoever connects: welcome, and ask. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
/** On a machine that has other things to do. */
const SOON_MS = 5_000;

let server: Server;
let open: Set<Socket>;
let connections: number;
/** How often something was asked that is never answered. */
let asked: number;
let url: string;
let database: Database;

/** A server that takes every connection, and then never says anything again. */
beforeEach(async () => {
  open = new Set();
  connections = asked = 0;
  server = createServer(socket => {
    connections++;
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.once('data', () => {
      socket.write(WELCOME);
      socket.on('data', () => asked++);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  url = `postgres://nobody@127.0.0.1:${port}/nothing?sslmode=disable`;
  database = await openForRequests({ url, patienceMs: 700 });
});

afterEach(async () => {
  await database.destroy();
  for (const socket of open) socket.destroy();
  server.close();
});

const ask = () => sql`select 1`.execute(database);

describe('a database that has fallen silent', () => {
  it('is given up soon, with an error that means: come back later', async () => {
    const began = performance.now();
    await expect(ask()).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(performance.now() - began).toBeLessThan(SOON_MS);
  });

  it('has every connection ended that waited for it, so that nobody waits for the same answer again', async () => {
    await vi.waitFor(() => expect(open.size).toBe(0), { timeout: SOON_MS });
    const before = connections;
    await expect(ask()).rejects.toThrow();
    expect(connections).toBe(before + 1);
    await vi.waitFor(() => expect(open.size).toBe(0), { timeout: SOON_MS });
  });

  it('does not break whoever is in a transaction when its connection is lost', async () => {
    const lost = database.transaction().execute(trx => sql`select 1`.execute(trx));
    await vi.waitFor(() => expect(open.size).toBeGreaterThan(0), { timeout: SOON_MS });
    for (const socket of open) socket.destroy();
    await expect(lost).rejects.toThrow();
  });
});

describe('work that takes as long as it takes', () => {
  const backUp = () => {
    const file = join(tmpdir(), 'cloverleaf-never-written');
    return takeBackup({ url, file, madeBy: '1', madeAt: new Date(), keyFor: () => undefined });
  };

  it.each([
    ['an upgrade', () => upgradeSchema(url, {})],
    ['a look for the schema', () => hasSchema(url)],
    ['a backup', backUp],
  ])('is not begun where nothing is ever answered: %s', async (_, begin) => {
    const before = asked;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const begun = expect(begin()).rejects.toMatchObject({ code: 'ETIMEDOUT' });
      while (asked === before) await new Promise(setImmediate);
      vi.advanceTimersByTime(10_000);
      await begun;
    } finally {
      vi.useRealTimers();
    }
  });

  it('has the kernel watch whether the other machine is still there', async () => {
    const watch = vi.spyOn(Socket.prototype, 'setKeepAlive');
    void hasSchema(url).catch(() => {});
    await vi.waitFor(() => expect(watch).toHaveBeenCalledWith(true, 10_000), { timeout: SOON_MS });
    watch.mockRestore();
  });
});
