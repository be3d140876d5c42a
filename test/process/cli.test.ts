/** The command line beside a running service, and without one. */
import { mkdtemp, rm } from 'node:fs/promises';
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

describe('without a running service', () => {
  it('an account can be made, and the service knows it when it starts', async () => {
    const { publicKey, secret } = await create('early');
    expect(publicKey).toMatch(/^pk_test_[0-9A-Z]{26}$/);
    expect(secret).toMatch(/^sk_[\w-]{43}$/);
    service = await serve(env);
    expect((await call('/supported/onramps/all', publicKey)).status).toBe(200);
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

  it('rotate-secret shows a new secret once; the store keeps digests only', async () => {
    const made = await create('rotating');
    const { out } = await run(['account', 'rotate-secret', made.publicKey, '--json'], env);
    const rotated = JSON.parse(out);
    expect(rotated.secret).not.toBe(made.secret);
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

  it('refuses an unknown fault', async () => {
    const { code, err } = await run(['sandbox', 'fault', 'transak', 'explode'], env);
    expect(code).toBe(1);
    expect(err).toContain('kind must be one of');
  });
});

async function query(sql: string): Promise<unknown[]> {
  const socket = encodeURIComponent(join(env.DATA_DIR ?? '', 'run'));
  const client = new pg.Client(
    `postgres://cloverleaf@localhost:5432/cloverleaf?host=${socket}&sslmode=disable`,
  );
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
