/** The command line in processes of its own, which may be ended at any moment together with what they started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Ended {
  /** Null when it was killed. */
  code: number | null;
  said: string;
  ms: number;
}

export interface Command {
  ended: Promise<Ended>;
  /** kill -9 of the command alone; false when it has ended by itself. */
  kill(): boolean;
}

/** Runs a command; the environment says on which data. */
export function startCommand(args: readonly string[], env: Readonly<Record<string, string>>): Command {
  const began = performance.now();
  const file = fileURLToPath(new URL('faults-cli.js', import.meta.url));
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => said.push(String(chunk)));
  return {
    ended: once(child, 'close').then(() => ({
      code: child.exitCode,
      said: said.join('').trim(),
      ms: performance.now() - began,
    })),
    kill: () => isRunning(child) && child.kill('SIGKILL'),
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** kill -9 of the PostgreSQL that works in a folder or below it; false when there is none. */
export function killPostgres(folder: string): boolean {
  for (const cluster of [join(folder, 'restoring/postgres'), join(folder, 'postgres')]) {
    try {
      const pid = Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10);
      // A number that is left over may be somebody else's by now.
      if (readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster)) return process.kill(pid, 'SIGKILL');
    } catch {
      // There is none here, or no more.
    }
  }
  return false;
}
