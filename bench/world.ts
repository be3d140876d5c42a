/** The world of a run: one PostgreSQL, one fleet, and whatever servers the benches start. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/store/embedded.ts';
import { type Child, LOAD_CORE, SERVER_CORE, startChild, stopChildren } from './child.ts';
import { openConnection, type Reply } from './load.ts';
import type { FleetOrder, FleetReport } from './order.ts';
import { clientPath, DEADLINE_MS } from './wire.ts';

export interface Pacing {
  rounds: number;
  /** Fewer and shorter of everything. */
  quick: boolean;
}

export type SharedName = 'ours' | 'limit' | 'hand' | 'floor';

export interface World {
  pacing: Pacing;
  fleet: Child;
  order(order: FleetOrder): Promise<FleetReport>;
  /** A server that several benches use; nobody stops it, nobody makes its providers fail. */
  shared(name: SharedName): Promise<Child>;
  /** A service of its own, started and known to quote with all its providers. */
  startService(providers: number): Promise<Child>;
  startBaseline(entry: 'bare' | 'limit' | 'hand' | 'floor', args?: readonly string[]): Promise<Child>;
  close(): Promise<void>;
}

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
  const postgres = await startEmbedded({ dataDir: join(folder, 'data') });
  const fleet = await startChild({ entry: 'fleet', core: LOAD_CORE });
  const shared = new Map<SharedName, Promise<Child>>();
  let databases = 0;

  async function createDatabase(name: string): Promise<string> {
    const client = new pg.Client(postgres.url);
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    const url = new URL(postgres.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  async function startService(providers: number): Promise<Child> {
    const name = `bench_${++databases}`;
    const databaseUrl = await createDatabase(name);
    const dataDir = join(folder, name);
    mkdirSync(dataDir);
    const service = await startChild({
      entry: 'service',
      core: SERVER_CORE,
      args: [String(providers), fleet.url],
      logFile: join(dataDir, 'service.log'),
      env: {
        ...{ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', SANDBOX: 'on', ANONYMOUS: 'on' },
        ...{ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, QUOTE_DEADLINE_MS: String(DEADLINE_MS) },
      },
      nodeOptions: profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [],
    });
    await settle(service.url, providers);
    return service;
  }

  const startBaseline: World['startBaseline'] = (entry, args = [fleet.url]) =>
    startChild({ entry, core: SERVER_CORE, args });

  return {
    pacing,
    fleet,
    order: order => orderFleet(fleet.url, order),
    startService,
    startBaseline,
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

/** How many quotes an answer holds. */
export function countQuotes({ body }: Reply): number {
  let count = 0;
  for (let at = body.indexOf('"payout":'); at >= 0; at = body.indexOf('"payout":', at + 9)) count++;
  return count;
}

/** Waits until every provider has told what it lists, and quotes. */
async function settle(url: string, providers: number): Promise<void> {
  const until = Date.now() + SETTLE_MS;
  const connection = openConnection(url);
  try {
    for (;;) {
      const reply = await connection.get(clientPath(nextCents(), providers));
      if (countQuotes(reply) === providers) return;
      if (Date.now() > until) throw new Error(`the service does not quote: ${reply.status} ${reply.body}`);
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  } finally {
    connection.close();
  }
}

async function orderFleet(url: string, order: FleetOrder): Promise<FleetReport> {
  const answer = await fetch(`${url}/_fleet`, { method: 'PUT', body: JSON.stringify(order) });
  return (await answer.json()) as FleetReport;
}
