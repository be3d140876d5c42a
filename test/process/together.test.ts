/** Commands without a service: several at once on one folder, and one whose database goes away under it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startEmbedded } from '../../src/store/embedded.ts';
import { run } from './command.ts';

let env: { DATA_DIR: string };

beforeEach(async () => {
  env = { DATA_DIR: await mkdtemp(join(tmpdir(), 'cloverleaf-together-')) };
  expect((await create('first')).code).toBe(0);
});

afterEach(() => rm(env.DATA_DIR, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }));

const create = (name: string) => run(['account', 'create', '--name', name], env);

async function names(): Promise<string[]> {
  const { out } = await run(['account', 'list', '--json'], env);
  return (JSON.parse(out) as { name: string }[]).map(({ name }) => name);
}

describe('commands at once', () => {
  it('wait for each other, and all of them are carried out', async () => {
    const wanted = ['one', 'two', 'three'];
    const ended = await Promise.all(wanted.map(create));
    expect(ended.map(({ code, err }) => [code, err])).toEqual(wanted.map(() => [0, '']));
    expect(await names()).toEqual(expect.arrayContaining(wanted));
  });
});

describe('a database that shuts down', () => {
  it('in the middle of a command is told of in one line', async () => {
    const server = await startEmbedded({ dataDir: env.DATA_DIR });
    const holder = new pg.Client(server.url);
    holder.on('error', () => {});
    await holder.connect();
    await holder.query('begin; lock table accounts');
    const creating = create('second');
    const waiting = () => holder.query(`select from pg_locks where not granted`);
    await vi.waitUntil(async () => (await waiting()).rowCount === 1, { timeout: 60_000, interval: 50 });
    await server.stop();
    expect(await creating).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^cloverleaf: the connection to the database was lost \(.+\): see .*\n$/),
    });
    expect(await names()).not.toContain('second');
  });
});
