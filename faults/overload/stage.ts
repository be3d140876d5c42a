/** The stage: one instance on a core of its own, and loads that are put on it by processes on another. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LOAD_CORE, pin, SERVER_CORE } from '../../bench/child.ts';
import { openConnection, type Reply } from '../../bench/load.ts';
import { countQuotes } from '../../bench/wire.ts';
import { PROVIDERS } from '../../bench/world.ts';
import { findPort, startProcess } from '../bed/processes.ts';
import type { World } from '../bed/world.ts';
import type { LoadOrder, LoadResult, Told } from './load.ts';

/** What stages are built in: a database with accounts, and twelve providers in a process of their own. */
export interface Hall {
  world: World;
  providersUrl: string;
}

export interface Stage {
  url: string;
  pid: number;
  small: boolean;
  keys: readonly string[];
  /** Requests at constant rates; what came of each. */
  load(order: Pick<LoadOrder, 'streams' | 'beginAt'>): Promise<Told[]>;
  /** Holds connections; how long each lasted. */
  hold(order: Pick<LoadOrder, 'slow' | 'idle' | 'unread'>): Promise<LoadResult['cut']>;
  /** One quote, over a connection of its own. */
  ask(): Promise<Reply>;
  close(): Promise<void>;
}

const WARM_KEYS = 12;
/** More than any machine can do for long. */
const MANY = 1_000;
const CALM_MS = 1_000;
const STARTING_MS = 30_000;
const NO_REPLY: Reply = { status: 0, body: Buffer.alloc(0) };

export async function openStage(
  { world, providersUrl }: Hall,
  env: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const port = await findPort();
  // Whatever a run turns off for the sake of others is what is tried here.
  const instance = await world.start({
    port,
    env: { MOST_DELAY_MS: '250', ...env },
    order: { cast: { who: 'clones', url: providersUrl } },
  });
  if (!instance) throw new Error('an instance does not start');
  pin(instance.pid, SERVER_CORE);
  const url = `http://127.0.0.1:${port}`;
  const keys = world.accounts.map(({ publicKey }) => publicKey);
  let cents = world.chance.whole(0, 100_000);

  function nextPath(): string {
    cents += 7_919;
    return `/quotes/eur/btc?amount=${((10_000 + (cents % 200_000)) / 100).toFixed(2)}&country=de`;
  }

  async function run(order: Omit<LoadOrder, 'url' | 'file' | 'firstCents'>): Promise<LoadResult> {
    const file = join(world.folder, `load-${cents}.json`);
    cents += 1;
    const logFile = join(world.folder, 'load.log');
    const running = await startProcess({
      entry: 'faults-load',
      order: { url, file, firstCents: cents, ...order } satisfies LoadOrder,
      env: {},
      logFile,
    });
    if (running) pin(running.pid, LOAD_CORE);
    await running?.gone;
    if (!existsSync(file)) throw new Error(`the load came to nothing: ${readFileSync(logFile, 'utf8')}`);
    return JSON.parse(readFileSync(file, 'utf8')) as LoadResult;
  }

  async function ask(): Promise<Reply> {
    const connection = openConnection(url);
    const header = `authorization: ${keys.at(-1)}`;
    const reply = await connection.get(nextPath(), header).catch(() => NO_REPLY);
    connection.close();
    return reply;
  }

  const stage: Stage = {
    url,
    pid: instance.pid,
    small: world.small,
    keys,
    ask,
    load: async order => (await run(order)).told,
    hold: async order => (await run(order)).cut,
    async close() {
      instance.kill();
      await instance.gone;
    },
  };
  await settle(stage);
  return stage;
}

/** Every provider must have told what it lists, and the code must have run a few times. */
async function settle(stage: Stage): Promise<void> {
  const until = Date.now() + STARTING_MS;
  while (countQuotes(await stage.ask()) < PROVIDERS) {
    if (Date.now() > until) throw new Error('the instance does not quote');
    await wait(100);
  }
  const keys = stage.keys.slice(0, WARM_KEYS);
  const warm = { name: 'warm', keys, perSecond: 50, seconds: stage.small ? 1 : 5 };
  await stage.load({ streams: [warm] });
  // To refuse, too.
  await stage.load({ streams: [{ ...warm, keys: stage.keys.slice(-1), perSecond: MANY, seconds: 2 }] });
  await wait(CALM_MS);
}
