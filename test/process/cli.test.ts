/** The command line beside a running service, and without one. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts, type Running, run, serve } from './command.ts';

let env: Record<string, string>;
let service: Running;

beforeAll(async () => {
  env = { DATA_DIR: await mkdtemp(join(tmpdir(), 'cloverleaf-cli-')), PORT: await freePorts() };
});

afterAll(async () => {
  await service?.end('SIGTERM');
  await rm(env.DATA_DIR ?? '', { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

const SOON = { timeout: 5_000 };

async function call(
  path: string,
  key?: string,
): Promise<{ status: number; body: { message: { id: string }[] } }> {
  const response = await fetch(service.url + path, key ? { headers: { authorization: key } } : {});
  return { status: response.status, body: (await response.json()) as { message: { id: string }[] } };
}

async function create(...options: string[]): Promise<{ publicKey: string; secret: string }> {
  const { code, out } = await run(['account', 'create', '--json', '--name', ...options], env);
  expect(code).toBe(0);
  return JSON.parse(out);
}

/** What reading records with a secret is answered with. */
async function reads(key: string, secret: string): Promise<number> {
  const headers = { authorization: key, 'x-service-secret': secret };
  return (await fetch(`${service.url}/transactions`, { headers })).status;
}

interface Listed {
  publicKey: string;
  providers: string;
  preferred: Record<string, string>;
  origins: string[];
  redirectHosts: string[];
  signedCheckouts: boolean;
  signers: { id: string; kind: string }[];
}

async function listed(publicKey: string): Promise<Listed> {
  const all = JSON.parse((await run(['account', 'list', '--json'], env)).out) as Listed[];
  return all.find(account => account.publicKey === publicKey) as Listed;
}

describe('without a running service', () => {
  it('an account can be made, and the service knows it when it starts', async () => {
    const { code, out, err } = await run(['account', 'create', '--json', '--name', 'early'], env);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^cloverleaf: made a new database in \S+, for there was none: .*\n$/),
    ]);
    const { publicKey, secret } = JSON.parse(out);
    expect(publicKey).toMatch(/^pk_test_[0-9A-Z]{26}$/);
    expect(secret).toMatch(/^sk_[\w-]{43}$/);
    // A quote that is late on a busy machine is nothing these tests are about.
    service = await serve({ ...env, QUOTE_DEADLINE_MS: '10000', MOST_DELAY_MS: '0' });
    expect((await call('/supported/onramps/all', publicKey)).status).toBe(200);
  });
});

describe('elsewhere', () => {
  it.each([
    ['account', 'list'],
    ['account', 'revoke', 'shop'],
    ['provider', 'list'],
    ['webhook', 'list', 'shop'],
    ['transaction', 'review'],
    ['inbox', 'list'],
  ])('%s %s is refused in one line, and leaves nothing there', async (...args) => {
    const DATA_DIR = join(env.DATA_DIR ?? '', 'elsewhere');
    const { code, out, err } = await run(args, { DATA_DIR });
    expect([code, out, err]).toEqual([
      1,
      '',
      `cloverleaf: there is no database in ${DATA_DIR}: set DATABASE_URL or DATA_DIR as the service has it, or start it first\n`,
    ]);
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it('the key is asked for that the database was made with, and no other is made', async () => {
    const DATA_DIR = join(env.DATA_DIR ?? '', 'keyless');
    const { code, err } = await run(['account', 'list'], { DATA_DIR, DATABASE_URL: databaseUrl() });
    expect([code, err]).toEqual([
      1,
      `cloverleaf: there is no master key in ${DATA_DIR}: put back the one the database was made with, or set MASTER_KEY or DATA_DIR as the service has it\n`,
    ]);
    expect(existsSync(join(DATA_DIR, 'master.key'))).toBe(false);
  });

  it('DATA_DIR is named where no key can be', async () => {
    const DATA_DIR = join(env.DATA_DIR ?? '', 'owner.json', 'below');
    const { code, err } = await run(['account', 'list'], { DATA_DIR, DATABASE_URL: databaseUrl() });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^cloverleaf: DATA_DIR: the master key cannot be used \(ENOTDIR: .*\n$/),
    ]);
  });
});

describe('a database of DATABASE_URL that nothing was ever in', () => {
  const setting = () => ({
    DATABASE_URL: databaseUrl('untouched'),
    DATA_DIR: join(env.DATA_DIR ?? '', 'untouched'),
  });
  beforeAll(() => query('create database untouched'));
  const tables = () => query("select from pg_tables where schemaname = 'public'", databaseUrl('untouched'));

  it.each([
    ['account', 'list'],
    ['provider', 'list'],
    ['webhook', 'list', 'shop'],
  ])('stays so: %s %s is refused in one line', async (...args) => {
    expect(await run(args, setting())).toEqual({
      code: 1,
      out: '',
      err: 'cloverleaf: there is nothing of Cloverleaf in the database of DATABASE_URL: set DATABASE_URL or DATA_DIR as the service has it, or start it first\n',
    });
    expect(await tables()).toEqual([]);
    expect(existsSync(setting().DATA_DIR)).toBe(false);
  });

  it('is given tables by what may come before the first start, which says so', async () => {
    const { code, err } = await run(['account', 'create', '--name', 'early'], setting());
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(
        /^cloverleaf: made new tables in the database of DATABASE_URL, for there were none: .*\n$/,
      ),
    ]);
    const { out } = await run(['account', 'list'], setting());
    expect(out).toContain('early');
  });
});

describe('account', () => {
  it('create --providers opens these providers only, without a restart', async () => {
    const { publicKey } = await create('shop', '--providers', 'moonpay,transak');
    await expect.poll(async () => (await call('/supported/onramps/all', publicKey)).status, SOON).toBe(200);
    const { body } = await call('/supported/onramps/all', publicKey);
    expect(body.message.map(({ id }) => id)).toEqual(['moonpay', 'transak']);
  });

  it('create --live makes a key that no stand-in serves', async () => {
    const { publicKey } = await create('live', '--live');
    expect(publicKey).toMatch(/^pk_prod_/);
    await expect.poll(async () => (await call('/supported/onramps/all', publicKey)).status, SOON).toBe(200);
    expect((await call('/supported/onramps/all', publicKey)).body.message).toEqual([]);
  });

  it('create with an unknown provider says which there are', async () => {
    const { code, err } = await run(['account', 'create', '--name', 'x', '--providers', 'acme'], env);
    expect(code).toBe(1);
    expect(err).toMatch(/no provider is named acme: there are moonpay/);
  });

  it('providers changes which ones a key opens, and all opens them all again', async () => {
    const { publicKey } = await create('choosing');
    const ids = async () =>
      (await call('/supported/onramps/all', publicKey)).body.message?.map(({ id }) => id);
    const some = await run(['account', 'providers', 'choosing', 'MoonPay', 'transak,mercuryo'], env);
    expect(some.out).toBe(`${publicKey} may use only moonpay, transak, mercuryo\n`);
    await expect.poll(ids, SOON).toEqual(['moonpay', 'transak', 'mercuryo']);
    const wrong = await run(['account', 'providers', 'choosing', 'moonpay', 'acme'], env);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('no provider is named acme')]);
    const all = await run(['account', 'providers', 'choosing', 'all'], env);
    expect(all.out).toBe(`${publicKey} may use all providers\n`);
    await expect.poll(async () => (await ids())?.length, SOON).toBeGreaterThan(3);
    expect(await listed(publicKey)).toMatchObject({ providers: 'all' });
  });

  it('prefer is for one client or for all, and unprefer takes it back', async () => {
    const { publicKey } = await create('preferring');
    await run(['account', 'prefer', 'preferring', 'moonpay'], env);
    await run(['account', 'prefer', 'preferring', 'transak', '--client', 'app'], env);
    expect(await listed(publicKey)).toMatchObject({ preferred: { '*': 'moonpay', app: 'transak' } });
    const one = await run(['account', 'unprefer', 'preferring', '--client', 'app'], env);
    expect(one.out).toBe(`${publicKey} has no preference for app\n`);
    expect((await listed(publicKey)).preferred).toEqual({ '*': 'moonpay' });
    await run(['account', 'unprefer', publicKey], env);
    expect((await listed(publicKey)).preferred).toEqual({});
  });

  it('rotate-secret shows a new secret once, --end ends the one before; the store keeps digests only', async () => {
    const made = await create('rotating');
    const { out } = await run(['account', 'rotate-secret', made.publicKey, '--json'], env);
    const rotated = JSON.parse(out);
    expect(rotated.secret).not.toBe(made.secret);
    await expect.poll(() => reads(made.publicKey, rotated.secret), SOON).toBe(200);
    expect(await reads(made.publicKey, made.secret)).toBe(200);
    const ended = await run(['account', 'rotate-secret', made.publicKey, '--end'], env);
    expect(ended.out).toBe(`${made.publicKey} has its current secret only\n`);
    await expect.poll(() => reads(made.publicKey, made.secret), SOON).toBe(401);
    expect(await reads(made.publicKey, rotated.secret)).toBe(200);
    const rows = await query("select encode(digest, 'hex') as digest from account_secrets");
    expect(JSON.stringify(rows)).not.toContain(made.secret);
    const list = await run(['account', 'list', '--json'], env);
    expect(list.out).toContain(made.publicKey);
    expect(list.out).not.toContain('sk_');
  });

  it('revoke makes a key useless within five seconds', async () => {
    const { publicKey } = await create('leaving');
    await expect.poll(async () => (await call('/supported', publicKey)).status, SOON).toBe(200);
    expect((await run(['account', 'revoke', publicKey], env)).out).toBe(`revoked ${publicKey}\n`);
    await expect.poll(async () => (await call('/supported', publicKey)).status, SOON).toBe(401);
  });

  it('allow registers origins and hosts as browsers write them, disallow takes them back', async () => {
    const { publicKey } = await create('framed');
    const places = [
      '--origin',
      'https://Shop.example',
      'http://localhost:3000',
      '--redirect-host',
      'Shop.example',
    ];
    const allowed = await run(['account', 'allow', 'framed', ...places], env);
    expect(allowed.out).toBe(
      'pages of https://shop.example may act for framed\n' +
        'pages of http://localhost:3000 may act for framed\n' +
        'people may be sent back to shop.example\n',
    );
    expect(await listed(publicKey)).toMatchObject({
      origins: ['http://localhost:3000', 'https://shop.example'],
      redirectHosts: ['shop.example'],
    });
    await run(['account', 'disallow', publicKey, '--origin', 'https://shop.example'], env);
    expect(await listed(publicKey)).toMatchObject({ origins: ['http://localhost:3000'] });
    const table = (await run(['account', 'list'], env)).out;
    expect(table).toContain('http://localhost:3000');
    const wrong = await run(['account', 'allow', 'framed', '--origin', 'shop.example'], env);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('shop.example is not an origin')]);
    const none = await run(['account', 'allow', 'framed'], env);
    expect([none.code, none.err]).toEqual([1, 'cloverleaf: name at least one --origin or --redirect-host\n']);
  });

  it('sign adds keys, require-signature switches, unsign takes keys away; the secret is shown once', async () => {
    const { publicKey } = await create('signing');
    const tooSoon = await run(['account', 'require-signature', 'signing', 'on'], env);
    expect([tooSoon.code, tooSoon.err]).toEqual([1, expect.stringContaining('has no signing key yet')]);

    const made = JSON.parse((await run(['account', 'sign', 'signing', '--hmac', '--json'], env)).out);
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      secret: expect.stringMatching(/^ss_[\w-]{43}$/),
    });
    expect(JSON.stringify(await query('select * from account_signers'))).not.toContain(made.secret);

    const file = join(env.DATA_DIR ?? '', 'public.txt');
    const key = generateKeyPairSync('ed25519').publicKey;
    await writeFile(file, key.export({ format: 'pem', type: 'spki' }));
    const raw = key.export({ format: 'der', type: 'spki' }).subarray(12).toString('base64');
    for (const given of [file, raw]) {
      const { out } = await run(['account', 'sign', 'signing', '--ed25519', given], env);
      expect(out).toMatch(/^signer {10}[0-9A-Z]{26}\n$/);
    }
    const stored = await query("select distinct material from account_signers where kind = 'ed25519'");
    expect(stored).toEqual([{ material: raw }]);

    const required = await run(['account', 'require-signature', publicKey, 'on'], env);
    expect(required.out).toBe(`checkouts of ${publicKey} must be signed\n`);
    expect((await run(['account', 'unsign', 'signing', made.id], env)).out).toBe(
      `${made.id} signs no more\n`,
    );
    const { signers, signedCheckouts } = await listed(publicKey);
    expect([signedCheckouts, signers.map(({ kind }) => kind)]).toEqual([true, ['ed25519', 'ed25519']]);
    expect((await run(['account', 'list'], env)).out).not.toContain(raw);

    for (const [args, said] of [
      [['sign', 'signing'], 'name --hmac or --ed25519'],
      [['sign', 'signing', '--hmac', '--ed25519', raw], 'name --hmac or --ed25519'],
      [['sign', 'signing', '--ed25519', 'nope'], 'an Ed25519 public key is needed'],
      [['unsign', 'signing', made.id], `signing has no signing key ${made.id}`],
      [['unsign', 'framed', signers[0]?.id ?? ''], 'framed has no signing key'],
      [['require-signature', 'signing', 'maybe'], 'Allowed choices are on, off'],
    ] as const) {
      const { code, err } = await run(['account', ...args], env);
      expect([args, code, err]).toEqual([args, 1, expect.stringContaining(said)]);
    }
  });

  it('an unknown account is refused in one line', async () => {
    expect((await run(['account', 'revoke', 'nobody'], env)).err).toBe('cloverleaf: no account nobody\n');
  });
});

describe('provider', () => {
  it('disable takes a provider out within seconds, enable brings it back', async () => {
    const ids = async () =>
      (await call('/quotes/eur/btc?amount=123&errors=all')).body as unknown as { ramp: string }[];
    await run(['provider', 'disable', 'mercuryo'], env);
    await expect.poll(async () => (await ids()).map(({ ramp }) => ramp), SOON).not.toContain('mercuryo');
    await run(['provider', 'enable', 'mercuryo'], env);
    await expect.poll(async () => (await ids()).map(({ ramp }) => ramp), SOON).toContain('mercuryo');
  });

  it('set seals a credential, and list and settings show that it is there but not what it is', async () => {
    const secret = 'sk_live_do_not_show_me';
    await run(['provider', 'set', 'moonpay', 'secretKey', secret, '--live'], env);
    const shown =
      (await run(['provider', 'settings', 'moonpay'], env)).out +
      (await run(['provider', 'list', '--json'], env)).out;
    expect(shown).toContain('secretKey');
    expect(shown).not.toContain(secret);
    expect(JSON.stringify(await query('select * from provider_settings'))).not.toContain(secret);
    await run(['provider', 'unset', 'moonpay', 'secretKey', '--live'], env);
    expect(await query('select * from provider_settings')).toEqual([]);
  });

  it('set refuses a live key among the test settings, and the other way round', async () => {
    const live = await run(['provider', 'set', 'stripe', 'secretKey', 'rk_live_1'], env);
    expect([live.code, live.err]).toEqual([
      1,
      expect.stringMatching(/one for live keys: set it with --live/),
    ]);
    const test = await run(['provider', 'set', 'moonpay', 'apiKey', 'pk_test_1', '--live'], env);
    expect([test.code, test.err]).toEqual([1, expect.stringMatching(/one for test keys: set it without/)]);
    expect(await query('select * from provider_settings')).toEqual([]);
  });

  it('set refuses a setting the manifest does not have, and names those it has', async () => {
    const { code, err } = await run(['provider', 'set', 'moonpay', 'password', 'x'], env);
    expect(code).toBe(1);
    expect(err).toMatch(/moonpay has no setting password: it takes apiKey/);
  });
});

describe('sandbox', () => {
  it('fault makes one provider fail and none sets it right', async () => {
    const priced = async (amount: string) =>
      ((await call(`/quotes/eur/btc?amount=${amount}`)).body as unknown as { ramp: string }[]).map(
        ({ ramp }) => ramp,
      );
    await run(['sandbox', 'fault', 'transak', 'error'], env);
    expect(await priced('141')).not.toContain('transak');
    await run(['sandbox', 'fault', 'transak', 'none'], env);
    expect(await priced('142')).toContain('transak');
  });

  it('is asked at the address of an IPv6 HOST', async () => {
    const { code, err } = await run(['sandbox', 'faults'], { HOST: '::1', PORT: '1' });
    expect(code).toBe(1);
    expect(err).toMatch(/^cloverleaf: no sandbox answers at http:\/\/\[::1\]:2\/_faults: /);
  });

  it('is not taken for whoever else listens there', async () => {
    const server = createServer((_, reply) => reply.end('<p>not a sandbox</p>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const PORT = String((server.address() as AddressInfo).port - 1);
    const { code, err } = await run(['sandbox', 'faults'], { PORT });
    expect([code, err]).toEqual([1, expect.stringMatching(/^cloverleaf: no sandbox answers at .*\n$/)]);
    server.close();
  });

  it('refuses an unknown fault', async () => {
    const { code, err } = await run(['sandbox', 'fault', 'transak', 'explode'], env);
    expect(code).toBe(1);
    expect(err).toContain('kind must be one of');
  });
});

function databaseUrl(name = 'cloverleaf'): string {
  const socket = encodeURIComponent(join(env.DATA_DIR ?? '', 'run'));
  return `postgres://cloverleaf@localhost:5432/${name}?host=${socket}&sslmode=disable`;
}

async function query(sql: string, url = databaseUrl()): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
