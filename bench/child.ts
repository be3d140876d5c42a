/** Child processes: every server of a bench runs in one, on a core of its choice, and ends when the bench does. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import about from '../package.json' with { type: 'json' };

export interface Child {
  pid: number;
  url: string;
  /** The key of an account and its secret, where there are accounts. */
  key: string;
  secret: string;
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** The name of a file of this folder. */
  entry: string;
  core: number;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Where its log lines go. */
  logFile?: string;
  /** Options of Node itself. */
  nodeOptions?: readonly string[];
}

/** Servers that are measured have a core to themselves; load and fleet share the other one. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const READY_MS = 60_000;
const STOP_MS = 10_000;
/** Those that `npm start` gives to Node. */
export const NODE_OPTIONS = about.scripts.start.match(/--\S+/g) ?? [];

const KEEP_ALIVE_MS = 72_000;
const running = new Set<ChildProcess>();

/** The command that pins what follows to a core, where there is one. */
const canPin = spawnSync('taskset', ['-c', String(LOAD_CORE), 'true']).status === 0;

export async function startChild(options: ChildOptions): Promise<Child> {
  const { entry, core, args = [], env = {}, logFile = '/dev/null', nodeOptions = [] } = options;
  const file = fileURLToPath(new URL(`bench-${entry}.js`, import.meta.url));
  const command = pinned(core, [process.execPath, ...nodeOptions, file, ...args]);
  const child = spawn(command[0], command.slice(1), {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['pipe', 'pipe', openSync(logFile, 'a')],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return { pid: child.pid as number, ...(await readReady(child, entry)), stop: () => stop(child) };
}

/** Another program on a core, which ends by itself. */
export function startPinned(core: number, command: readonly [string, ...string[]]) {
  const [program, ...args] = pinned(core, command);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

function pinned(core: number, command: readonly [string, ...string[]]): [string, ...string[]] {
  return canPin ? ['taskset', '-c', String(core), ...command] : [...command];
}

/** Keeps a process that runs already to a core; threads that tidy its memory go where there is room. */
export function pin(pid: number, core: number): void {
  if (canPin) spawnSync('taskset', ['-cp', String(core), String(pid)]);
}

/** Lets a process use every core again. */
export function unpin(pid: number): void {
  if (canPin) spawnSync('taskset', ['-cp', `0-${cpus().length - 1}`, String(pid)]);
}

/** Ends whatever is left, each by its own id. */
export async function stopChildren(): Promise<void> {
  await Promise.all([...running].map(stop));
}

/** Called in the child: listens on a port of its own, tells the bench where, and ends when the bench is gone. */
export function announce(server: Server): void {
  // As the service does: nobody is to pay for connections that were closed between two rounds.
  if (server instanceof HttpServer) server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, '127.0.0.1', () => {
    ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  onBenchGone(() => process.exit());
}

export function ready(url: string, { key = '', secret = '' } = {}): void {
  process.stdout.write(`${JSON.stringify({ url, key, secret } satisfies Ready)}\n`);
}

export function onBenchGone(end: () => void): void {
  process.stdin.on('end', end).on('error', end).resume();
}

type Ready = Pick<Child, 'url' | 'key' | 'secret'>;

async function readReady(child: ChildProcess, entry: string): Promise<Ready> {
  if (!child.stdout) throw new Error(`${entry} has no output`);
  const lines = createInterface({ input: child.stdout });
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(READY_MS)]);
  try {
    const [line] = (await once(lines, 'line', { signal })) as [string];
    return JSON.parse(line) as Ready;
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${entry} did not start`, { cause: error });
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}
