/** The embedded PostgreSQL: a private server on a Unix socket that lives and dies with this process. */
import type { ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withConnection } from './connection.ts';
import { syncFolder } from './disk.ts';
import { claim, isHeldToStay, release } from './embedded-lock.ts';
import { buffersFor } from './embedded-memory.ts';
import {
  chooseRunner,
  exitOf,
  findPrograms,
  launch,
  own,
  type Runner,
  requireAccess,
  self,
} from './embedded-runner.ts';
import {
  EmbeddedFault,
  messageOf,
  NAME,
  PORT,
  type Site,
  siteOf,
  socketFile,
  statusOf,
  unusable,
} from './embedded-site.ts';
import { finishSwap } from './embedded-swap.ts';

export { EmbeddedFault };

export interface EmbeddedPostgres {
  url: string;
  stop(): Promise<void>;
}

export async function startEmbedded(options: {
  dataDir: string;
  /** Whether it is for a moment only, as commands need it, so that others may wait for its end. */
  isBrief?: boolean;
  log?(line: string): void;
}): Promise<EmbeddedPostgres> {
  const { dataDir, isBrief = false, log = () => {} } = options;
  const site = siteOf(dataDir);
  try {
    const bin = findPrograms();
    const lock = await claim(site, isBrief);
    try {
      finishSwap(site);
      return await serve({ site, bin, lock, log });
    } catch (error) {
      release(lock);
      throw error;
    }
  } catch (error) {
    if (error instanceof EmbeddedFault) throw error;
    throw unusable(dataDir, error);
  }
}

/** The address of the server that a service has running on this folder, if one does; that of a command is about to end. */
export async function attachEmbedded(dataDir: string): Promise<{ url: string } | undefined> {
  const site = siteOf(dataDir);
  const url = urlOf(site.socket, NAME);
  try {
    // Whose it is, is read while it answers: owners sign before they start one, and are gone after its end only.
    return (await withConnection(url, async () => isHeldToStay(site))) ? { url } : undefined;
  } catch {
    return undefined;
  }
}

const PRIVATE = { recursive: true, mode: 0o700 };
const RECOVERY_MS = 120_000;
/** After it ended by itself: soon, but never in a tight circle. */
const RESTART_MS = 500;
const LONGEST_LOG = 1024 * 1024;

const SETTINGS = {
  listen_addresses: '',
  port: PORT,
  unix_socket_permissions: '0700',
  max_connections: 200,
  max_wal_size: '256MB',
  fsync: 'on',
  synchronous_commit: 'on',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_messages: 'log', // errors go to the client alone: the file stays small and never quotes a row
};

// The pipe on stdin ends when node dies by any means; the program is then interrupted, for PostgreSQL a clean stop.
// The shell itself outlives a SIGTERM to everyone, so that its end always means the end of the program.
const LIFELINE = `trap '' HUP TERM
exec 4<&0 </dev/null
"$@" 4<&- & program=$!
{ cat >/dev/null; kill -INT $program 2>/dev/null; } <&4 &
wait $program`;

interface Start {
  site: Site;
  bin: string;
  lock: number;
  log(line: string): void;
}

/** Port and sslmode are spelled out, so that PGPORT and PGSSLMODE in the environment change nothing. */
function urlOf(socket: string, database: string): string {
  return `postgres://${NAME}@localhost:${PORT}/${database}?host=${encodeURIComponent(socket)}&sslmode=disable`;
}

async function serve(start: Start): Promise<EmbeddedPostgres> {
  const { site, bin } = start;
  const runner = await chooseRunner();
  own(site.root, runner);
  await requireAccess(runner, [site.root, join(bin, 'postgres')]);
  fs.writeFileSync(site.log, '', { mode: 0o600 });
  if (!fs.existsSync(join(site.cluster, 'PG_VERSION'))) await createCluster(start, runner);
  return supervise(start, () => {
    clearTraces(site, runner);
    const settings = Object.entries(settingsOf(site)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const command = ['sh', '-c', LIFELINE, 'sh', join(bin, 'postgres'), '-D', site.cluster, ...settings];
    return launchLogged(start, runner, command);
  });
}

function settingsOf({ cluster, socket }: Site) {
  return {
    ...SETTINGS,
    shared_buffers: buffersFor(cluster),
    unix_socket_directories: `"${socket.replaceAll('"', '""')}"`,
  };
}

/** Launches a program on the lifeline, with the lock in its hands and the log, after what was said before, as its voice. */
function launchLogged({ site, lock }: Start, runner: Runner, command: string[]): ChildProcess {
  const output = fs.openSync(site.log, isLong(site.log) ? 'w' : 'a', 0o600);
  try {
    return launch(runner, command, ['pipe', 'ignore', output, lock]);
  } finally {
    fs.closeSync(output);
  }
}

/** Where it ends again and again the log does not take the room that it may be ending for. */
function isLong(log: string): boolean {
  return (fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LONGEST_LOG;
}

/** Made aside and moved into place, so that a kill at any moment leaves a whole cluster or none. */
async function createCluster(start: Start, runner: Runner): Promise<void> {
  const { site, bin, log } = start;
  log(`creating the database in ${site.name}`);
  const draft = `${site.cluster}.new`;
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft, PRIVATE);
  own(draft, runner);
  const flags = ['-U', NAME, '-A', 'trust', '--no-locale', '-E', 'UTF8', '--no-instructions'];
  const command = ['sh', '-c', LIFELINE, 'sh', join(bin, 'initdb'), '-D', draft, ...flags];
  const code = await exitOf(launchLogged(start, runner, command));
  if (code !== 0) throw broken(site);
  fs.renameSync(draft, site.cluster);
  syncFolder(site.root);
}

/** Under the lock no former server is left, so whatever it left behind only misleads. */
function clearTraces(site: Site, runner: Runner): void {
  fs.mkdirSync(site.socket, PRIVATE);
  const former = fs.statSync(site.cluster).uid;
  if (![self().uid, runner.uid, former].includes(fs.lstatSync(site.socket).uid)) {
    throw new EmbeddedFault(`the folder ${site.socket} belongs to someone else: remove it`);
  }
  own(site.socket, runner);
  fs.chmodSync(site.socket, 0o700);
  const socket = socketFile(site.socket);
  const traces = [join(site.cluster, 'postmaster.pid'), socket, `${socket}.lock`];
  for (const trace of traces) fs.rmSync(trace, { force: true });
  if (former === runner.uid) return;
  const inside = fs.readdirSync(site.cluster, { recursive: true, encoding: 'utf8' });
  for (const path of inside) fs.lchownSync(join(site.cluster, path), runner.uid, runner.gid);
  own(site.cluster, runner); // last, as the sign that all is done
}

/** Keeps a server running until it is stopped: one that ends by itself is started again. */
async function supervise(
  { site, lock, log }: Start,
  launchServer: () => ChildProcess,
): Promise<EmbeddedPostgres> {
  let isWanted = true;
  let current = run(launchServer());
  const shutDown = async () => {
    isWanted = false;
    current.child.stdin?.end();
    await current.ended;
  };
  try {
    await waitUntilReady(site, current);
    await withConnection(urlOf(site.socket, 'postgres'), createDatabase);
  } catch (error) {
    await shutDown();
    throw error;
  }
  void (async () => {
    for (await current.ended; isWanted; await current.ended) {
      log(`PostgreSQL ended by itself (see ${site.log}) and is started again`);
      await delay(RESTART_MS);
      try {
        if (isWanted) current = run(launchServer());
      } catch (error) {
        // Such as a disk without room, which there may be again.
        log(`PostgreSQL cannot be started: ${messageOf(error)}`);
      }
    }
  })();
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= shutDown().then(() => release(lock));
    return stopped;
  };
  return { url: urlOf(site.socket, NAME), stop };
}

interface Run {
  child: ChildProcess;
  ended: Promise<void>;
  hasEnded: boolean;
}

function run(child: ChildProcess): Run {
  const started: Run = { child, ended: Promise.resolve(), hasEnded: false };
  started.ended = exitOf(child).then(() => {
    started.hasEnded = true;
  });
  return started;
}

/** Reads the server's own word, as pg_ctl does: a connection tried too early is an error in its log. */
async function waitUntilReady(site: Site, server: { hasEnded: boolean }): Promise<void> {
  const deadline = performance.now() + RECOVERY_MS;
  while (statusOf(site)[7]?.trim() !== 'ready') {
    if (server.hasEnded || performance.now() > deadline) throw broken(site);
    await delay(5);
  }
}

async function createDatabase(client: pg.Client): Promise<void> {
  const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [NAME]);
  if (found.rowCount === 0) await client.query(`CREATE DATABASE ${NAME}`);
}

function broken(site: Site): EmbeddedFault {
  const lines = fs.readFileSync(site.log, 'utf8').trim().split('\n');
  const reason = lines.findLast(line => /FATAL|PANIC|error/.test(line)) ?? lines.at(-1);
  return new EmbeddedFault(`PostgreSQL does not start in ${site.name}: ${reason || 'no reason given'}`);
}
