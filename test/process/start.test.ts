/** Starting and stopping, as an operator meets them. */
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registry } from '../../src/providers/registry.ts';
import { freePorts, type Running, run, serve } from './command.ts';

const EVERYONE = registry.map(({ adapter }) => adapter.manifest.id).sort();
/** It opens two seconds after its start, although someone may have no list yet. */
const SOON = { timeout: 20_000 };

/** A quote that is late on a busy machine is nothing these tests are about. */
const UNHURRIED = { QUOTE_DEADLINE_MS: '10000', MOST_DELAY_MS: '0' };

let env: Record<string, string>;
let running: Running[] = [];

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cloverleaf-start-'));
  env = { ...UNHURRIED, DATA_DIR: folder, PORT: await freePorts() };
});

afterEach(async () => {
  for (const service of running) await service.end('SIGKILL');
  running = [];
  await rm(env.DATA_DIR ?? '', { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

async function start(more: Record<string, string> = {}): Promise<Running> {
  const service = await serve({ ...env, ...more });
  running.push(service);
  return service;
}

async function ramps(service: Running, path = '/quotes/eur/btc?amount=100'): Promise<string[]> {
  const quotes = (await (await fetch(service.url + path)).json()) as { ramp: string; errors?: unknown }[];
  return quotes
    .filter(quote => !quote.errors)
    .map(quote => quote.ramp)
    .sort();
}

const keyOf = (service: Running) => /pk_test_\w+/.exec(service.out())?.[0] ?? '';

/** Who takes cards for the coin, as the catalog says. */
async function takers(service: Running, coin: string): Promise<string[]> {
  const answer = await fetch(`${service.url}/supported/onramps?source=eur&destination=${coin}&country=de`, {
    headers: { authorization: keyOf(service) },
  });
  const { message } = (await answer.json()) as { message: { onramp: string; paymentMethods: string[] }[] };
  return message
    .filter(({ paymentMethods }) => paymentMethods.includes('creditcard'))
    .map(({ onramp }) => onramp)
    .sort();
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

describe('the first start', () => {
  it('needs no question answered: URLs, keys, and quotes of every provider', async () => {
    const service = await start();
    const [publicKey] = /pk_test_[0-9A-Z]{26}/.exec(service.out()) ?? [];
    const [secret] = /sk_[\w-]{43}/.exec(service.out()) ?? [];
    expect(service.out()).toContain(service.url);
    expect(service.out()).toContain(`http://127.0.0.1:${Number(env.PORT) + 1}`);
    expect(await ramps(service)).not.toEqual([]);
    await expect.poll(() => ramps(service), SOON).toEqual(EVERYONE);

    const file = join(env.DATA_DIR ?? '', 'demo-account.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ publicKey, secret });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(env.DATA_DIR ?? '', 'master.key'))).mode & 0o777).toBe(0o600);
    expect(service.err()).not.toContain(secret);
    for (const line of service.err().trim().split('\n').filter(Boolean))
      expect(() => JSON.parse(line)).not.toThrow();
  });
});

describe('a second process', () => {
  it('on the same folder is refused with one line', async () => {
    const service = await start();
    const second = await run(['serve'], { ...env, PORT: await freePorts() });
    expect(second.code).toBe(1);
    expect(second.err).toBe(
      `cloverleaf: data folder ${env.DATA_DIR} is in use by process ${service.process.pid}: stop it first, or set DATA_DIR to another folder\n`,
    );
  });

  it('on the same port is refused with one line', async () => {
    await start();
    const folder = await mkdtemp(join(tmpdir(), 'cloverleaf-start-'));
    const second = await run(['serve'], { ...env, DATA_DIR: folder });
    expect(second.code).toBe(1);
    expect(lastLine(second.err)).toMatch(/^cloverleaf: PORT \d+ is in use/);
    await rm(folder, { recursive: true, force: true });
  });
});

describe('a command', () => {
  const list = () => run(['account', 'list'], env);

  it('and the service that starts at the same moment wait for each other', async () => {
    await (await start()).end('SIGINT');
    const [service, listed] = await Promise.all([start(), list()]);
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('demo'), err: '' });
    await service.end('SIGINT');

    // It has the folder before the service asks for it.
    const listing = list();
    const owner = () => readFile(join(env.DATA_DIR ?? '', 'owner.json'), 'utf8');
    await expect.poll(owner, { interval: 5 }).toContain('"isBrief":true');
    await start();
    expect(await listing).toMatchObject({ code: 0, err: '' });
  });
});

describe('a killed service', () => {
  it('starts again by itself, with the same account', async () => {
    const before = await start();
    await before.end('SIGKILL');
    const after = await start();
    expect(keyOf(after)).toMatch(/./);
    expect(keyOf(after)).toBe(keyOf(before));
    await expect.poll(() => ramps(after), SOON).toEqual(EVERYONE);
  });
});

describe('SIGTERM', () => {
  it('lets requests under way finish, then ends with 0', async () => {
    const service = await start({ STOP_NOTICE_MS: '0' });
    await expect.poll(() => takers(service, 'btc'), SOON).toEqual(EVERYONE);
    const buyers = await takers(service, 'eth');
    expect(buyers).toEqual(expect.arrayContaining(['mercuryo', 'moonpay', 'transak']));
    const fault = await run(['sandbox', 'fault', 'moonpay', 'slow', '--ms', '4000'], env);
    expect(fault.out).toContain('moonpay now has the fault slow');
    const slow = ramps(service, '/quotes/eur/eth?amount=150');
    await expect
      .poll(async () => (await fetch(`${service.url}/metrics`)).text())
      .toMatch(/^cloverleaf_quotes_under_way 1$/m);
    // npm passes on what its whole group was sent.
    service.process.kill('SIGTERM');
    expect(await service.end('SIGTERM')).toBe(0);
    expect(await slow).toEqual(buyers);
  });
});

describe('DATABASE_URL alone', () => {
  it('chooses another PostgreSQL, and with MASTER_KEY needs no folder either', async () => {
    const host = await start();
    const folder = await mkdtemp(join(tmpdir(), 'cloverleaf-start-'));
    const socket = join(env.DATA_DIR ?? '', 'run');
    const url = `postgres://cloverleaf@localhost:5432/postgres?host=${encodeURIComponent(socket)}`;
    const port = await freePorts();
    const DATA_DIR = join(folder, 'new');
    const MASTER_KEY = 'ab'.repeat(32);
    const guest = await serve({ ...env, DATA_DIR, PORT: port, DATABASE_URL: url, MASTER_KEY });
    running.push(guest);
    await expect.poll(() => ramps(host), SOON).toEqual(EVERYONE);
    await expect.poll(() => ramps(guest), SOON).toEqual(EVERYONE);
    expect(await readdir(DATA_DIR)).toEqual(['demo-account.json']);
    expect(await guest.end('SIGTERM')).toBe(0);

    // An account whose secret nobody can read is not made.
    const listed = () => run(['account', 'list'], { ...env, DATABASE_URL: url });
    const { out } = await listed();
    const full = join(folder, 'full');
    await mkdir(join(full, 'demo-account.json'), { recursive: true });
    const refused = await run(['serve'], {
      ...env,
      DATA_DIR: full,
      PORT: port,
      DATABASE_URL: url,
      MASTER_KEY,
    });
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/^cloverleaf: DATA_DIR: \S+demo-account.json cannot be written/m);
    expect((await listed()).out).toBe(out);
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['nothing answers there', '127.0.0.1:1/none'],
    ['its host has no address', 'nosuch.invalid/none'],
    ['its port cannot be', '127.0.0.1:99999/none'],
    ['its port cannot be, and stands behind it', '127.0.0.1/none?port=99999'],
    ['its socket is not there', '/none?host=/nonexistent'],
    ['its certificate is not there', '127.0.0.1:1/none?sslrootcert=/nonexistent'],
  ])('is named, without its password, when %s', async (_, place) => {
    const DATABASE_URL = `postgres://me:hunter2@${place}`;
    for (const args of [['serve'], ['account', 'list'], ['backup', join(env.DATA_DIR ?? '', 'backup')]]) {
      const { code, err } = await run(args, { ...env, DATABASE_URL });
      expect([args, code]).toEqual([args, 1]);
      expect(err).toMatch(/^cloverleaf: DATABASE_URL\b.*\n$/);
      expect(err).not.toContain('hunter2');
    }
  });

  it('is named when its role may make no tables there', async () => {
    const host = await start();
    const server = `localhost:5432/postgres?host=${encodeURIComponent(join(env.DATA_DIR ?? '', 'run'))}`;
    const client = new pg.Client(`postgres://cloverleaf@${server}`);
    await client.connect();
    await client.query('create role guest login');
    await client.end();
    const DATABASE_URL = `postgres://guest@${server}`;
    const { code, err } = await run(['serve'], { ...env, PORT: await freePorts(), DATABASE_URL });
    expect([code, err]).toEqual([
      1,
      'cloverleaf: DATABASE_URL: the database cannot be used (permission denied for schema public)\n',
    ]);
    expect(await host.end('SIGTERM')).toBe(0);
  });
});

describe('a wrong setting', () => {
  it.each([
    ['PORT', 'eighty'],
    ['PUBLIC_URL', 'example.com'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'postgres://me:hunter#2@db/x'],
    ['DATABASE_URL', 'postgres://me@db:99999/x'],
    ['MASTER_KEY', 'short'],
    ['QUOTE_DEADLINE_MS', '1'],
    ['TRUSTED_PROXIES', '10.0.0.0/99'],
    ['DEFAULT_COUNTRY', 'Germany'],
    ['DEFAULT_COUNTRY', 'ZZ'],
    ['SANDBOX', 'perhaps'],
    ['LOG_LEVEL', 'loud'],
  ])('%s=%s stops the start with one line that names it', async (name, value) => {
    const { code, err } = await run(['serve'], { ...env, [name]: value });
    expect(code).toBe(1);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).toMatch(new RegExp(`^cloverleaf: ${name} `));
  });

  it.each(['nosuch.invalid', '203.0.113.5'])('HOST=%s is named at the end of it', async HOST => {
    for (const SANDBOX of ['on', 'off']) {
      const { code, err } = await run(['serve'], { ...env, HOST, SANDBOX });
      expect(code).toBe(1);
      expect(lastLine(err)).toMatch(/^cloverleaf: HOST must be an address of this machine \(/);
    }
  });
});

describe('a master key', () => {
  beforeEach(async () => {
    await run(['account', 'create', '--name', 'shop'], env);
  });
  const keyFile = () => join(env.DATA_DIR ?? '', 'master.key');

  it('other than the one of the data is refused, whether it is given or in the folder', async () => {
    const given = await run(['serve'], { ...env, MASTER_KEY: 'ab'.repeat(32) });
    expect([given.code, given.err]).toEqual([
      1,
      'cloverleaf: MASTER_KEY is not the key this database was made with\n',
    ]);
    await writeFile(keyFile(), 'ab'.repeat(32));
    const found = await run(['serve'], env);
    expect([found.code, found.err]).toEqual([
      1,
      `cloverleaf: ${keyFile()} is not the key this database was made with\n`,
    ]);
  });

  it('that was lost is asked for, and no other is made in its place', async () => {
    await rename(keyFile(), `${keyFile()}.kept`);
    const { code, err } = await run(['serve'], env);
    expect([code, err]).toEqual([
      1,
      `cloverleaf: there is no master key in ${env.DATA_DIR}: put back the one the database was made with, or set MASTER_KEY or DATA_DIR as the service has it\n`,
    ]);
    await expect(stat(keyFile())).rejects.toThrow('ENOENT');
    await rename(`${keyFile()}.kept`, keyFile());
    await start();
  });
});
