/** The real command line in processes of its own, as a newcomer runs it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMAND = join(ROOT, 'bin', 'cloverleaf.mjs');

export interface Finished {
  code: number | null;
  out: string;
  err: string;
}

export interface Running {
  process: ChildProcess;
  url: string;
  out(): string;
  err(): string;
  /** Sends a signal and waits for the end; a process that has ended is left alone. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

type Environment = Record<string, string>;

/** Runs a command to its end, as another user where one is named. */
export function run(
  args: string[],
  env: Environment,
  user: { uid?: number; gid?: number } = {},
): Promise<Finished> {
  return new Promise(done => {
    const options = { env: whole(env), ...user };
    const child = execFile(process.execPath, [COMMAND, ...args], options, (_error, out, err) => {
      done({ code: child.exitCode, out, err });
    });
  });
}

/** Starts the service and waits until it says that it runs. */
export async function serve(env: Environment): Promise<Running> {
  const child = spawn(process.execPath, [COMMAND, 'serve'], {
    env: whole(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stderr.on('data', chunk => {
    err += chunk;
  });
  await new Promise<void>((ready, failed) => {
    child.stdout.on('data', chunk => {
      out += chunk;
      if (out.includes('Cloverleaf is running')) ready();
    });
    child.once('exit', code => failed(new Error(`ended with ${code}: ${err}`)));
  });
  return {
    process: child,
    url: `http://127.0.0.1:${env.PORT}`,
    out: () => out,
    err: () => err,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill(signal);
      const [code] = await ended;
      return code as number | null;
    },
  };
}

/** Where ports are looked for, below the range the kernel hands out by itself: each worker has a thousand of its own. */
const FIRST_PORT = 20_000 + 1_000 * (Number(process.env.VITEST_POOL_ID ?? 0) % 10);
let handedOut = 2 * Math.floor(Math.random() * 500);

/** Two free ports in a row, which nobody was given before. */
export async function freePorts(): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    handedOut = (handedOut + 2) % 1_000;
    const port = FIRST_PORT + handedOut;
    if ((await isFree(port)) && (await isFree(port + 1))) return String(port);
  }
  throw new Error('no two free ports in a row');
}

function isFree(port: number): Promise<boolean> {
  return new Promise(done => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}

function whole(env: Environment): Environment {
  return { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env };
}
