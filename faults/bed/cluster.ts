/** A PostgreSQL of a run's own, to be ended and started as the run likes, on a port of loopback. */
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chooseRunner, exitOf, findPrograms, launch, own } from '../../src/store/embedded-runner.ts';
import { findPort } from './processes.ts';

export interface Cluster {
  /** Moves when it is started elsewhere. */
  port(): number;
  /** Resolves when it takes connections; on another port when that is wished. */
  start(elsewhere?: boolean): Promise<void>;
  /** `fast` ends its connections and shuts down, `immediate` leaves everything as it is, as a crash does. */
  stop(how: 'fast' | 'immediate'): Promise<void>;
}

const USER = 'cloverleaf';
const READY_MS = 60_000;
const SETTINGS = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=100'],
  ...['shared_buffers=64MB', 'io_method=sync', 'jit=off', 'timezone=UTC'],
];

/** The server is ended when its input is: it does not outlive the run, however that goes. */
const LIFELINE = `exec 4<&0 </dev/null
"$@" 4<&- & program=$!
{ cat >/dev/null; kill -INT $program 2>/dev/null; } <&4 &
wait $program`;

/** `wal` is a folder for what is written ahead, if that is to be elsewhere. */
export async function startCluster(folder: string, { wal }: { wal?: string } = {}): Promise<Cluster> {
  const bin = findPrograms();
  const runner = await chooseRunner();
  const data = join(folder, 'cluster');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  own(data, runner);
  if (wal !== undefined) {
    mkdirSync(wal, { recursive: true, mode: 0o700 });
    own(wal, runner);
  }
  const log = openSync(join(folder, 'cluster.log'), 'a');
  const how = ['-D', data, '-U', USER, '-A', 'trust', '--no-locale', '-E', 'UTF8', '--no-instructions'];
  const make = wal === undefined ? how : [...how, '-X', wal];
  if ((await exitOf(launch(runner, [join(bin, 'initdb'), ...make], ['ignore', log, log]))) !== 0)
    throw new Error(`no PostgreSQL can be made in ${folder}`);
  let port = await findPort();
  let ended: Promise<unknown> = Promise.resolve();

  async function start(elsewhere = false): Promise<void> {
    if (elsewhere) port = await findPort();
    const flags = [...SETTINGS, `port=${port}`].flatMap(setting => ['-c', setting]);
    const command = ['sh', '-c', LIFELINE, 'sh', join(bin, 'postgres'), '-D', data, ...flags];
    const child = launch(runner, command, ['pipe', log, log]);
    child.stdin?.on('error', () => {});
    ended = once(child, 'exit');
    const until = Date.now() + READY_MS;
    while (statusIn(data)[7]?.trim() !== 'ready') {
      if (child.exitCode !== null || Date.now() > until) throw new Error('PostgreSQL does not start');
      await wait(5);
    }
  }

  await start();
  return {
    port: () => port,
    start,
    async stop(how) {
      process.kill(Number(statusIn(data)[0]), how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await ended;
    },
  };
}

/** What the server says of itself: its process on the first line, how far it has come on the eighth. */
function statusIn(data: string): string[] {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

export function urlOf(port: number, database = 'postgres'): string {
  return `postgres://${USER}@127.0.0.1:${port}/${database}?sslmode=disable`;
}
