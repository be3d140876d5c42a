/** The world of a run: a PostgreSQL, the providers' stand-ins, accounts, and instances of the service on one database. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Credentials, createAccount } from '../../src/app/accounts.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { currencies } from '../../src/main.ts';
import { registry } from '../../src/providers/registry.ts';
import type { Standin } from '../../src/providers/world.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { openForRequests } from '../../src/store/database.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded.ts';
import { migrations } from '../../src/store/migrations.ts';
import { upgradeSchema } from '../../src/store/upgrade.ts';
import { type Chance, createChance } from './chance.ts';
import type { InstanceOrder } from './instance.ts';
import { endProcesses, type Running, type Spawned, startProcess } from './processes.ts';
import { type Keys, PROVIDERS, type Provider } from './wire.ts';

export interface World {
  /** A twentieth of everything. */
  small: boolean;
  seed: number;
  chance: Chance;
  accounts: readonly Credentials[];
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** What webhooks are signed with at the moment: Transak's is a token it lends. */
  keys(): Keys;
  /** What instances and commands read from their environment; `DATABASE_URL` among it. */
  env: Readonly<Record<string, string>>;
  /** A folder that goes with the world. */
  folder: string;
  /** Has a stand-in do something wrong from now on. */
  fault: Sandbox['fault'];
  start(options: Start): Promise<Running | undefined>;
  close(): Promise<void>;
}

export interface Start {
  /** A port to listen on, for one that is started again and again. */
  port?: number;
  /** How its database connections are named. */
  name?: string;
  /** A host that webhooks may go to. */
  allowedHost?: string;
  order?: Omit<InstanceOrder, 'sandboxUrl'>;
  /** Its file in the bundle, where it is another version. */
  entry?: string;
  /** What it reads from its environment besides, or otherwise. */
  env?: Readonly<Record<string, string>>;
  /** Where it writes what it logs, if not where all do. */
  logFile?: string;
  /** Told of it before it serves. */
  onSpawned?(spawned: Spawned): void;
}

export interface WorldOptions {
  name: string;
  small: boolean;
  seed: number;
  accounts: number;
  /** The steps its schema has taken; otherwise all. */
  steps?: readonly string[];
  /** A PostgreSQL that the run brings, by its URL; otherwise there is one of our own. */
  server?: string;
}

export async function openWorld(options: WorldOptions): Promise<World> {
  const { name, small, seed, accounts, server, steps } = options;
  const folder = mkdtempSync(join(tmpdir(), `cloverleaf-faults-${name}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const postgres = await openPostgres(folder, server);
  const database = `faults_${name}_${process.pid}`;
  await postgres.run(`create database ${database}`);
  const databaseUrl = urlIn(postgres.url, database);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  pool.on('error', () => {});
  let token = '';
  const sandbox = await startSandbox({
    standins: standins(lent => {
      token = lent;
    }),
    currencies,
    host: '127.0.0.1',
    port: 0,
    now: () => Date.now(),
  });
  const env = {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DATA_DIR: join(folder, 'instance'),
    MASTER_KEY: randomBytes(32).toString('hex'),
    // A run is one caller that does what thousands do in life.
    ...{ RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0', MOST_DELAY_MS: '0' },
    // One name for all of them, as behind a balancer.
    PUBLIC_URL: 'http://pay.example',
  };
  mkdirSync(env.DATA_DIR);
  const logFile = join(folder, 'instances.log');

  return {
    small,
    seed,
    chance: createChance(seed),
    accounts: await makeAccounts(databaseUrl, accounts, steps),
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      return (await pool.query<Row>(text, [...values])).rows;
    },
    keys: () => ({
      moonpay: settingOf('moonpay', 'webhookKey'),
      transak: token,
      mercuryo: settingOf('mercuryo', 'signKey'),
    }),
    env: { ...env, DATABASE_URL: databaseUrl },
    folder,
    fault: sandbox.fault,
    start: ({ port = 0, name: called = 'instance', allowedHost = '', order = {}, ...own }) =>
      startProcess({
        order: { sandboxUrl: sandbox.url, ...order },
        env: {
          ...env,
          PORT: String(port),
          DATABASE_URL: `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}application_name=${called}`,
          WEBHOOK_ALLOWED_HOSTS: allowedHost,
          ...own.env,
        },
        logFile: own.logFile ?? logFile,
        ...(own.entry && { entry: own.entry }),
        ...(own.onSpawned && { onSpawned: own.onSpawned }),
      }),
    async close() {
      await endProcesses();
      await sandbox.close();
      await pool.end();
      await postgres.run(`drop database ${database} with (force)`);
      await postgres.stop();
      // Where to leave what the instances logged, for whoever looks for a cause.
      if (process.env.FAULTS_LOG && existsSync(logFile)) copyFileSync(logFile, process.env.FAULTS_LOG);
      remove();
    },
  };
}

interface Postgres {
  url: string;
  run(statement: string): Promise<void>;
  stop(): Promise<void>;
}

/** The one that was brought, or that DATABASE_URL names, or an embedded one of our own. */
async function openPostgres(folder: string, server: string | undefined): Promise<Postgres> {
  const given = server ?? process.env.DATABASE_URL;
  const own: EmbeddedPostgres | undefined = given
    ? undefined
    : await startEmbedded({ dataDir: join(folder, 'data') });
  const url = given ?? own?.url ?? '';
  return {
    url,
    async run(statement) {
      const client = new pg.Client(url);
      await client.connect();
      await client.query(statement).finally(() => client.end());
    },
    stop: async () => own?.stop(),
  };
}

function urlIn(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** The schema is made on the way. */
async function makeAccounts(url: string, count: number, steps?: readonly string[]): Promise<Credentials[]> {
  const taken = Object.entries(migrations).filter(([name]) => steps?.includes(name) ?? true);
  await upgradeSchema(url, Object.fromEntries(taken));
  const database = await openForRequests({ url, patienceMs: 700 });
  const made: Credentials[] = [];
  for (let at = 0; at < count; at++)
    made.push(await createAccount(database, { name: `faults ${at}`, environment: 'test' }));
  await database.destroy();
  return made;
}

function settingOf(provider: Provider, name: string): string {
  return registry.find(({ adapter }) => adapter.manifest.id === provider)?.standin.settings[name] ?? '';
}

/** The stand-ins of our providers; one lends a token that we have to know. */
function standins(onToken: (token: string) => void): Map<ProviderId, Standin> {
  const ours = registry.filter(({ adapter }) => PROVIDERS.some(name => name === adapter.manifest.id));
  return new Map(ours.map(({ adapter, standin }) => [adapter.manifest.id, overhear(standin, onToken)]));
}

function overhear(standin: Standin, onToken: (token: string) => void): Standin {
  const routes = standin.routes.map(route => {
    if (!route.path.endsWith('/refresh-token')) return route;
    const answer: typeof route.answer = (request, world) => {
      const given = route.answer(request, world);
      const { data } = given.body as { data?: { accessToken: string } };
      if (data) onToken(data.accessToken);
      return given;
    };
    return { ...route, answer };
  });
  return { ...standin, routes };
}
