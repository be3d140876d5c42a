/** Connections to a database that takes every connection and then says nothing. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, openForRequests } from './database.ts';

/** What a PostgreSQL says to whoever connects: welcome, and ask. */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
/** On a machine that has other things to do. */
const SOON_MS = 5_000;

let server: Server;
let open: Set<Socket>;
let connections: number;
let database: Database;

/** A server that takes every connection, and then never says anything again. */
beforeEach(async () => {
  open = new Set();
  connections = 0;
  server = createServer(socket => {
    connections++;
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    socket.once('data', () => socket.write(WELCOME));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  database = await openForRequests({
    url: `postgres://nobody@127.0.0.1:${port}/nothing?sslmode=disable`,
    patienceMs: 700,
  });
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
