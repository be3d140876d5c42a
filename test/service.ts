/** A whole service for tests, on a database of its own in the run's PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pg from 'pg';
import { inject } from 'vitest';
import { type Credentials, createAccount } from '../src/app/accounts.ts';
import type { ProviderPlan } from '../src/app/lines.ts';
import { readConfig } from '../src/config.ts';
import type { ProviderId } from '../src/domain/words.ts';
import { type Service, startService } from '../src/main.ts';
import { registry } from '../src/providers/registry.ts';
import type { Sandbox } from '../src/sandbox/server.ts';

export interface TestService extends Service {
  sandbox: Sandbox;
  /** An account with a key for the sandbox. */
  account: Credentials;
  /** Everything that was logged. */
  logged(): string;
  /** GET a path; JSON when it is JSON. */
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  /** Makes another account and waits until the service knows it. */
  newAccount(wish?: { providers?: string[]; live?: boolean }): Promise<Credentials>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  body: any;
}

export interface TestServiceOptions {
  /** The providers it speaks to; all of the registry when nothing is said. */
  only?: readonly ProviderId[];
}

/** Tests ask more at once than anybody in life, on machines that are late for other reasons. */
export const UNLIMITED = {
  ...{ RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0', MOST_DELAY_MS: '0' },
  DATABASE_PATIENCE_MS: '20000',
};

/** `env` is the service's whole environment, but for limits, which are off unless it says otherwise. */
export async function startTestService(
  env: Record<string, string> = {},
  { only }: TestServiceOptions = {},
): Promise<TestService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'cloverleaf-service-'));
  const { url, drop } = await makeDatabase();
  const { logTo, logged } = keepLog();
  const config = readConfig({ ...UNLIMITED, PORT: '0', DATA_DIR: dataDir, DATABASE_URL: url, ...env });
  const plans = plansOf(only);
  let account: Credentials | undefined;
  const service = await startService(config, { logTo, plans, demoKey: () => account?.publicKey });
  const get = async (path: string, headers: Record<string, string> = {}) =>
    readReply(await fetch(service.url + path, { headers, redirect: 'manual' }));
  const newAccount: TestService['newAccount'] = async (wish = {}) => {
    const made = await createAccount(service.database, {
      name: 'shop',
      environment: wish.live ? 'live' : 'test',
      providers: wish.providers as ProviderId[] | undefined,
    });
    while ((await get('/supported/onramps/all', { authorization: made.publicKey })).status === 401) {
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    return made;
  };
  const made = await newAccount();
  account = made;
  await awaitListings(path => get(path, { authorization: made.publicKey }), plans);
  return {
    ...service,
    sandbox: service.sandbox as Sandbox,
    account: made,
    logged,
    get,
    newAccount,
    async close() {
      await service.close();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** An answer with its body: JSON when it is JSON. */
export async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  };
}

/** A log that is kept to be read. */
export function keepLog() {
  let lines = '';
  const logTo = new Writable({
    write(chunk, _encoding, done) {
      lines += chunk;
      done();
    },
  });
  return { logTo, logged: () => lines };
}

/** What a service is given to speak to some of the registry's providers, or to all of them. */
export function plansOf(only?: readonly ProviderId[]): ProviderPlan[] {
  return registry
    .filter(({ adapter }) => only?.includes(adapter.manifest.id) ?? true)
    .map(({ adapter, standin }) => ({ adapter, standinSettings: standin.settings }));
}

const LISTINGS_MS = 20_000;

/** A service opens after two seconds, whoever is missing then; a test begins when everyone has said what they do. */
export async function awaitListings(
  get: (path: string) => Promise<Reply>,
  plans: readonly ProviderPlan[],
): Promise<void> {
  const end = Date.now() + LISTINGS_MS;
  for (;;) {
    const { message } = (await get('/supported/onramps/all')).body;
    const listed = new Set(message.map(({ id }: { id: string }) => id));
    const missing = plans.map(({ adapter }) => adapter.manifest.id).filter(id => !listed.has(id));
    if (missing.length === 0) return;
    if (Date.now() > end) throw new Error(`nothing is listed by ${missing.join(', ')}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

export async function makeDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = inject('postgresUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await run(server, `create database ${name}`);
  // No test pulls the plug on the whole server, and waiting for the disk is most of what a small write costs.
  await run(server, `alter database ${name} set synchronous_commit = off`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(server, `drop database if exists ${name} with (force)`) };
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
