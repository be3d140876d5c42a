/** Instances on one database whose providers stand behind a gate: calls are counted, answers can be replaced, prices stand still. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountWish, type Credentials, createAccount } from '../../src/app/accounts.ts';
import type { ProviderPlan } from '../../src/app/lines.ts';
import { readConfig } from '../../src/config.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { currencies, type Service, startService } from '../../src/main.ts';
import { registry } from '../../src/providers/registry.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import {
  awaitListings,
  keepLog,
  makeDatabase,
  plansOf,
  type Reply,
  readReply,
  UNLIMITED,
} from '../service.ts';
import { eventually } from './patience.ts';
import { type Gate, openGate } from './world-gate.ts';

export const MOONPAY = 'moonpay' as ProviderId;
export const TRANSAK = 'transak' as ProviderId;
export const MERCURYO = 'mercuryo' as ProviderId;
/** The three whose words, limits and ways are spelled out in tests; a world of only these stays as it is whoever joins. */
export const PROVIDERS = [MERCURYO, MOONPAY, TRANSAK];
/** Everyone we speak to, in the order of the alphabet. */
export const REGISTERED = registry.map(({ adapter }) => adapter.manifest.id).sort();

/** A moment whose prices hold for good, so that they are the same in every run, and for whoever asks a moment later. */
const NEW_YEAR = Date.UTC(2026, 0, 1, 12);

/** Given to every instance, so that several can share a database. */
export const MASTER_KEY = '5f'.repeat(32);

export type Get = (path: string, headers?: Record<string, string>) => Promise<Reply>;
/** A body that is no text is sent as JSON. */
export type Post = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

export interface Instance extends Service {
  get: Get;
  post: Post;
  /** Everything that was logged. */
  logged(): string;
}

export interface InstanceOptions {
  databaseUrl: string;
  env?: Record<string, string>;
  /** A sandbox that runs already; without it the instance has one of its own. */
  sandboxUrl?: string;
  /** Other providers than the registry's. */
  plans?: readonly ProviderPlan[];
}

export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { databaseUrl, env, sandboxUrl, plans } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'cloverleaf-instance-'));
  const { logTo, logged } = keepLog();
  const config = readConfig({
    ...UNLIMITED,
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    MASTER_KEY,
    ...env,
  });
  const service = await startService(config, {
    logTo,
    ...(sandboxUrl && { sandboxUrl }),
    ...(plans && { plans }),
  });
  return {
    ...service,
    get: getter(service.url),
    post: poster(service.url),
    logged,
    async close() {
      await service.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** GETs paths of a service; JSON when it is JSON. */
export function getter(url: string): Get {
  return async (path, headers = {}) => readReply(await fetch(url + path, { headers, redirect: 'manual' }));
}

export function poster(url: string): Post {
  return async (path, body, headers = {}) => {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const sent = isRaw ? body : JSON.stringify(body);
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { ...(!isRaw && { 'content-type': 'application/json' }), ...headers },
      redirect: 'manual',
      ...(sent !== undefined && { body: sent as string | Buffer }),
    });
    return readReply(response);
  };
}

export interface World extends Instance {
  databaseUrl: string;
  /** Its webhooks go to the first instance. */
  sandbox: Sandbox;
  gate: Gate;
  /** An account that may use every provider, and its public key. */
  account: Credentials;
  key: string;
  /** Makes another account and waits until the first instance knows it. */
  newAccount(wish?: Partial<AccountWish>): Promise<Credentials>;
  /** One more instance on the same database, behind the same gate. */
  startAnother(env?: Record<string, string>): Promise<Instance>;
  /** Lets time pass for the stand-ins, whose clock is wound by hand; what falls due in it is done in its order. */
  pass(ms: number): void;
}

export interface WorldOptions {
  /** What stand-ins do later they do when `pass` says so. */
  byHand?: boolean;
  /** The providers there are in this world; all of the registry when nothing is said. */
  only?: readonly ProviderId[];
}

export async function startWorld(
  env: Record<string, string> = {},
  { byHand = false, only }: WorldOptions = {},
): Promise<World> {
  const { url: databaseUrl, drop } = await makeDatabase();
  const hands = createHands();
  const sandbox = await startSandbox({
    standins: new Map(registry.map(({ adapter, standin }) => [adapter.manifest.id, standin])),
    currencies,
    host: '127.0.0.1',
    port: 0,
    pricesAt: NEW_YEAR,
    ...(byHand ? hands : { now: Date.now }),
  });
  const gate = await openGate(sandbox.url);
  const shared = { databaseUrl, sandboxUrl: gate.url, plans: plansOf(only) };
  const first = await startInstance({ ...shared, env });
  sandbox.deliverTo(first.url);
  const newAccount: World['newAccount'] = async wish => {
    const made = await createAccount(first.database, { name: 'world', environment: 'test', ...wish });
    await eventually(async () => {
      const { status } = await first.get('/supported/onramps/all', { authorization: made.publicKey });
      return status === 200;
    }, 'the account is known');
    return made;
  };
  const account = await newAccount();
  await awaitListings(path => first.get(path, { authorization: account.publicKey }), shared.plans);
  return {
    ...first,
    databaseUrl,
    sandbox,
    gate,
    account,
    key: account.publicKey,
    newAccount,
    startAnother: more => startInstance({ ...shared, env: { ...env, ...more } }),
    pass: hands.pass,
    async close() {
      await first.close();
      await gate.close();
      await sandbox.close();
      await drop();
    },
  };
}

/** A clock that goes with the real one and can be put forward; its timers ring only then. */
function createHands() {
  const waiting = new Set<{ at: number; act: () => void }>();
  let ahead = 0;
  const now = () => Date.now() + ahead;
  return {
    now,
    later(ms: number, act: () => void) {
      const entry = { at: now() + ms, act };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
    pass(ms: number) {
      ahead += ms;
      for (;;) {
        const [next] = [...waiting].filter(({ at }) => at <= now()).sort((a, b) => a.at - b.at);
        if (!next) return;
        waiting.delete(next);
        next.act();
      }
    },
  };
}
