/** The world of a run: one PostgreSQL, one fleet, and whatever servers the benches start. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/store/embedded.ts';
import {
  type Child,
  LOAD_CORE,
  NODE_OPTIONS,
  SERVER_CORE,
  startChild,
  stopChildren,
  unpin,
} from './child.ts';
import { childrenOf, parentOf } from './cpu.ts';
import { openConnection } from './load.ts';
import type { FleetOrder, FleetReport } from './order.ts';
import { clientPath, countQuotes, DEADLINE_MS, KINDS } from './wire.ts';

export interface Pacing {
  rounds: number;
  /** Fewer and shorter of everything. */
  quick: boolean;
  /** The most transaction records that are made. */
  rows: number;
}

/** A service with three providers as they are in life, and the database under it. */
export interface Desk extends Child {
  databaseUrl: string;
}

export type SharedName = 'ours' | 'limit' | 'hand' | 'floor';

export interface World {
  pacing: Pacing;
  fleet: Child;
  order(order: FleetOrder): Promise<FleetReport>;
  /** A server that several benches use; nobody stops it, nobody makes its providers fail. */
  shared(name: SharedName): Promise<Child>;
  /** A service of its own, started and known to quote with all its providers. */
  startService(providers: number, env?: Readonly<Record<string, string>>): Promise<Child>;
  startDesk(env?: Readonly<Record<string, string>>): Promise<Desk>;
  startBaseline(entry: Baseline, args?: readonly string[]): Promise<Child>;
  /** An empty database on the server that all services use. */
  createDatabase(): Promise<string>;
  /** Lets PostgreSQL use every core; gives the process that started all of it. */
  spreadPostgres(): Promise<number>;
  /** Starts PostgreSQL anew, with memory for what it holds by now; services find it again by themselves. */
  restartPostgres(): Promise<void>;
  close(): Promise<void>;
}

export type Baseline = SharedName | 'bare' | 'rows' | 'naive' | 'mailbox' | 'sink';

/** How many providers a quote asks, where a bench does not say otherwise. */
export const PROVIDERS = 12;

const SETTLE_MS = 60_000;
const LOWEST_CENTS = 5_000;
/** As many distinct amounts as all providers take by card. */
const AMOUNTS = 290_000;

export async function openWorld(pacing: Pacing, profileDir?: string): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'cloverleaf-bench-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const startPostgres = () => startEmbedded({ dataDir: join(folder, 'data') });
  let postgres = await startPostgres();
  const fleet = await startChild({ entry: 'fleet', core: LOAD_CORE });
  const shared = new Map<SharedName, Promise<Child>>();
  let databases = 0;

  async function createDatabase(): Promise<string> {
    const name = `bench_${++databases}`;
    await withClient(postgres.url, client => client.query(`create database ${name}`));
    const url = new URL(postgres.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  async function launch(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Desk> {
    const databaseUrl = await createDatabase();
    const dataDir = join(folder, new URL(databaseUrl).pathname);
    mkdirSync(dataDir);
    const service = await startChild({
      entry: 'service',
      core: SERVER_CORE,
      args,
      logFile: join(dataDir, 'service.log'),
      env: {
        ...{ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', SANDBOX: 'on', ANONYMOUS: 'on' },
        ...{ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, QUOTE_DEADLINE_MS: String(DEADLINE_MS) },
        // What is measured is what it can do, not what it lets one caller do.
        ...{ RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0' },
        ...more,
      },
      nodeOptions: [...NODE_OPTIONS, ...(profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [])],
    });
    return { ...service, databaseUrl };
  }

  async function startService(providers: number, env?: Readonly<Record<string, string>>): Promise<Child> {
    const service = await launch([String(providers), fleet.url], env);
    await settle(service.url, providers);
    return service;
  }

  async function startDesk(env?: Readonly<Record<string, string>>): Promise<Desk> {
    const { sandboxUrl } = await orderFleet(fleet.url, {});
    const desk = await launch(['0', sandboxUrl], env);
    // A new key is known to the service within a second or so.
    await settle(desk.url, KINDS.length, `authorization: ${desk.key}`);
    return desk;
  }

  async function spreadPostgres(): Promise<number> {
    const main = await withClient(postgres.url, async client => {
      const { rows } = await client.query('select pg_backend_pid() as pid');
      return parentOf((rows as [{ pid: number }])[0].pid);
    });
    for (const member of [main, ...childrenOf(main)]) unpin(member);
    return main;
  }

  const startBaseline: World['startBaseline'] = (entry, args = [fleet.url]) =>
    startChild({ entry, core: SERVER_CORE, args });

  return {
    pacing,
    fleet,
    order: order => orderFleet(fleet.url, order),
    startService,
    startDesk,
    startBaseline,
    createDatabase,
    spreadPostgres,
    async restartPostgres() {
      await postgres.stop();
      postgres = await startPostgres();
    },
    shared(name) {
      const known = shared.get(name) ?? (name === 'ours' ? startService(PROVIDERS) : startBaseline(name));
      shared.set(name, known);
      return known;
    },
    async close() {
      await stopChildren();
      await postgres.stop();
      remove();
    },
  };
}

let amounts = 0;

/** Another amount with every call, so that nothing can be answered from before. */
export function nextCents(): number {
  return LOWEST_CENTS + ((amounts++ * 7_919) % AMOUNTS);
}

/** Waits until every provider has told what it lists, and quotes. */
async function settle(url: string, providers: number, header?: string): Promise<void> {
  const until = Date.now() + SETTLE_MS;
  const connection = openConnection(url);
  try {
    for (;;) {
      const reply = await connection.get(clientPath(nextCents(), providers), header);
      if (countQuotes(reply) === providers) return;
      if (Date.now() > until) throw new Error(`the service does not quote: ${reply.status} ${reply.body}`);
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  } finally {
    connection.close();
  }
}

/** A connection of its own for one piece of work. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function orderFleet(url: string, order: FleetOrder): Promise<FleetReport> {
  const answer = await fetch(`${url}/_fleet`, { method: 'PUT', body: JSON.stringify(order) });
  return (await answer.json()) as FleetReport;
}
