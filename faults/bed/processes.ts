/** Processes of instances: started from the bundle, ended by their own ids, and gone when the run is. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { InstanceOrder } from './instance.ts';

/** A process that may not serve yet. */
export interface Spawned {
  /** Resolves when the process is gone, however it went. */
  gone: Promise<void>;
  /** Halts it where it is: nothing it does goes on, and the database still holds what it was doing. */
  freeze(): void;
  /** kill -9. */
  kill(): void;
}

export interface Running extends Spawned {
  pid: number;
  /** Tells it a line; asks it something, and resolves with what it says. */
  tell(line: string): void;
  ask(line: string): Promise<string>;
  /** Asks it to finish and go; its exit code, and how long that took. */
  stop(): Promise<{ code: number | null; ms: number }>;
}

export interface StartOptions<Order extends object = InstanceOrder> {
  /** Its file in the bundle, where it is no instance. */
  entry?: string;
  order: Order;
  env: Readonly<Record<string, string>>;
  /** Where it writes what it logs. */
  logFile: string;
  /** Told of it before it serves. */
  onSpawned?(spawned: Spawned): void;
}

const READY_MS = 60_000;
const children = new Set<ChildProcess>();

/** Resolves when it serves; undefined when it ended before. */
export async function startProcess<Order extends object>({
  entry = 'faults-instance',
  order,
  env,
  logFile,
  onSpawned,
}: StartOptions<Order>): Promise<Running | undefined> {
  const file = fileURLToPath(new URL(`${entry}.js`, import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(order)], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['pipe', 'pipe', openLog(logFile)],
  });
  children.add(child);
  const gone = once(child, 'exit').then(() => void children.delete(child));
  child.stdin?.on('error', () => {});
  const spawned: Spawned = {
    gone,
    freeze: () => void child.kill('SIGSTOP'),
    kill: () => void child.kill('SIGKILL'),
  };
  onSpawned?.(spawned);
  if (!(await isReady(child))) {
    child.kill('SIGKILL');
    await gone;
    return undefined;
  }
  return {
    ...spawned,
    pid: child.pid ?? 0,
    tell: line => void child.stdin?.write(`${line}\n`),
    async ask(line) {
      child.stdin?.write(`${line}\n`);
      const [said] = child.stdout ? await once(child.stdout, 'data') : [];
      return String(said ?? '');
    },
    async stop() {
      const began = performance.now();
      child.kill('SIGTERM');
      await gone;
      return { code: child.exitCode, ms: performance.now() - began };
    },
  };
}

/** Ends whatever is left, each by its own id. */
export async function endProcesses(): Promise<void> {
  await Promise.all(
    [...children].map(child => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      return gone;
    }),
  );
}

/** A port that nobody listens on. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const logs = new Map<string, number>();

function openLog(file: string): number {
  const known = logs.get(file) ?? openSync(file, 'a');
  logs.set(file, known);
  return known;
}

async function isReady(child: ChildProcess): Promise<boolean> {
  if (!child.stdout) return false;
  const lines = createInterface({ input: child.stdout });
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  try {
    await once(lines, 'line', { signal: AbortSignal.any([ended.signal, AbortSignal.timeout(READY_MS)]) });
    return true;
  } catch {
    return false;
  }
}
