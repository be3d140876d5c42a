/** The world of a run: a PostgreSQL, the providers' stand-ins, accounts, and instances of the service on one database. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Credentials, createAccount } from '../../src/app/accounts.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { currencies } from '../../src/main.ts';
import { registry } from '../../src/providers/registry.ts';
import type { Standin } from '../../src/providers/world.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { openDatabase } from '../../src/store/database.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded.ts';
import { type Chance, createChance } from './chance.ts';
import type { InstanceOrder } from './instance.ts';
import { endProcesses, type Running, startProcess } from './processes.ts';
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
}

export interface WorldOptions {
  name: string;
  small: boolean;
  seed: number;
  accounts: number;
}

export async function openWorld({ name, small, seed, accounts }: WorldOptions): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), `cloverleaf-faults-${name}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const postgres = await openPostgres(folder);
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
    // One name for all of them, as behind a balancer.
    PUBLIC_URL: 'http://pay.example',
  };
  mkdirSync(env.DATA_DIR);
  const logFile = join(folder, 'instances.log');

  return {
    small,
    seed,
    chance: createChance(seed),
    accounts: await makeAccounts(databaseUrl, accounts),
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      return (await pool.query<Row>(text, [...values])).rows;
    },
    keys: () => ({
      moonpay: settingOf('moonpay', 'webhookKey'),
      transak: token,
      mercuryo: settingOf('mercuryo', 'signKey'),
    }),
    start: ({ port = 0, name: called = 'instance', allowedHost = '', order = {} }) =>
      startProcess({
        order: { sandboxUrl: sandbox.url, ...order },
        env: {
          ...env,
          PORT: String(port),
          DATABASE_URL: `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}application_name=${called}`,
          WEBHOOK_ALLOWED_HOSTS: allowedHost,
        },
        logFile,
      }),
    async close() {
      await endProcesses();
      await sandbox.close();
      await pool.end();
      await postgres.run(`drop database ${database} with (force)`);
      await postgres.stop();
      // Where to leave what the instances logged, for whoever looks for a cause.
      if (process.env.FAULTS_LOG) copyFileSync(logFile, process.env.FAULTS_LOG);
      remove();
    },
  };
}

interface Postgres {
  url: string;
  run(statement: string): Promise<void>;
  stop(): Promise<void>;
}

/** The one that DATABASE_URL names, or an embedded one of our own. */
async function openPostgres(folder: string): Promise<Postgres> {
  const given = process.env.DATABASE_URL;
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
async function makeAccounts(url: string, count: number): Promise<Credentials[]> {
  const database = await openDatabase({ url });
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
