/** Bench Bviii: how soon a start answers, what an idle service keeps in memory, and how late its loop is under load. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NODE_OPTIONS, SERVER_CORE, startPinned } from './child.ts';
import { rssOf } from './cpu.ts';
import { median } from './figures.ts';
import { openConnection } from './load.ts';
import { QUICK_PACE, warmUp } from './quotes.ts';
import { type Row, short } from './table.ts';
import { PROVIDERS, type World } from './world.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What `npm start` comes to once everything is installed: a bench installs nothing. */
const COMMAND = [...NODE_OPTIONS, join(ROOT, 'bin', 'cloverleaf.mjs'), 'serve'];
const LONGEST_START_MS = 60_000;
const LOOK_MS = 2;
/** By then a new service has done what it does at its beginning. */
const IDLE_MS = 5_000;

type Env = Readonly<Record<string, string>>;

export async function benchStartup(world: World): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cloverleaf-startup-'));
  try {
    return [...(await benchStarts(world, folder)), await benchLoop(world, join(folder, 'loop'))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchStarts(world: World, folder: string): Promise<Row[]> {
  const times = Math.min(3, world.pacing.rounds);
  // Builds what is missing or out of date, and keeps what V8 makes of it: neither is a part of later starts.
  await startOnce(COMMAND, { DATA_DIR: join(folder, 'build') }, IDLE_MS);
  const embedded = { DATA_DIR: join(folder, 'embedded') };
  const shared = { DATA_DIR: join(folder, 'shared'), DATABASE_URL: await world.createDatabase() };
  const firstEmbedded = await startOnce(COMMAND, embedded);
  const nextEmbedded = await startOften(COMMAND, embedded, times);
  const firstShared = await startOnce(COMMAND, shared);
  const nextShared = await startOften(COMMAND, shared, times);
  const alone = await startOnce(COMMAND, { ...shared, SANDBOX: 'off' }, IDLE_MS);
  const whole = await startOnce(COMMAND, shared, IDLE_MS);

  const start = (what: string, seconds: number, most?: number): Row => ({
    bench: 'Bviii',
    what: `start to first answer, ${what}`,
    ours: `${short(seconds)} s`,
    baseline: '',
    figure: seconds,
    unit: ' s',
    ...(most !== undefined && { goal: { id: 'G12', most } }),
  });
  const memory = { bench: 'Bviii', baseline: '', unit: ' MiB' };
  return [
    start('PostgreSQL running, listings known', nextShared, 0.5),
    start('PostgreSQL running, nothing known', firstShared.seconds),
    start('npm start with its own PostgreSQL and all stand-ins', nextEmbedded, 3),
    start('the same for the first time', firstEmbedded.seconds, 3),
    {
      ...memory,
      what: 'memory of an idle service',
      ours: `${short(alone.rss)} MiB`,
      figure: alone.rss,
      goal: { id: 'G12', most: 90 },
    },
    {
      ...memory,
      what: 'the same with all stand-ins inside',
      ours: `${short(whole.rss)} MiB`,
      figure: whole.rss,
    },
  ];
}

interface Started {
  seconds: number;
  rss: number;
}

/** The middle of several starts with what the first one left behind, in seconds. */
async function startOften(command: readonly string[], env: Env, times: number): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < times; round++) seconds.push((await startOnce(command, env)).seconds);
  return median(seconds);
}

/** Starts, waits for the first answer and then for as long as told, and stops. */
async function startOnce(command: readonly string[], env: Env, idleMs = 0): Promise<Started> {
  const port = await freePort();
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'error',
    NODE_ENV: 'production',
    ...env,
  };
  const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const began = performance.now();
  const child = startPinned(SERVER_CORE, ['env', ...words, process.execPath, ...command]);
  child.stdout.resume();
  try {
    await firstAnswer(`http://127.0.0.1:${port}`, child);
    const seconds = (performance.now() - began) / 1000;
    await wait(idleMs);
    return { seconds, rss: rssOf(child.pid as number) };
  } finally {
    const exited = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGTERM');
    await exited;
  }
}

async function firstAnswer(url: string, child: ChildProcess): Promise<void> {
  for (const until = performance.now() + LONGEST_START_MS; performance.now() < until; await wait(LOOK_MS)) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}`);
    const connection = openConnection(url);
    const reply = await connection.get('/supported?type=buy').catch(() => undefined);
    connection.close();
    if (reply?.status === 200) return;
  }
  throw new Error('the service does not start');
}

/** One that is free, as is the next: the sandbox takes that. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = await listenOnce(0);
    if (port !== undefined && (await listenOnce(port + 1)) !== undefined) return port;
  }
}

/** Where it could be listened on a moment ago; undefined when it could not. */
async function listenOnce(wanted: number): Promise<number | undefined> {
  const server = createServer().listen(wanted, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isListening) return undefined;
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}

async function benchLoop(world: World, file: string): Promise<Row> {
  const service = await world.startService(PROVIDERS, { LOOP_FILE: file });
  await world.order({ pace: QUICK_PACE, faults: {} });
  const milliseconds = world.pacing.quick ? 1_500 : 5_000;
  await warmUp(service, PROVIDERS, milliseconds);
  process.kill(service.pid, 'SIGUSR2');
  await wait(100);
  await warmUp(service, PROVIDERS, milliseconds);
  process.kill(service.pid, 'SIGUSR2');
  await wait(100);
  const late = Number(readFileSync(file, 'utf8'));
  await service.stop();
  return {
    bench: 'Bviii',
    what: 'p99 of the loop’s delay under the load of Bii-a',
    ours: `${short(late)} ms`,
    baseline: '',
    figure: late,
    unit: ' ms',
    goal: { id: 'G12', most: 5 },
  };
}
