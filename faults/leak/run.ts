/** The run of leaks: a million requests while every provider fails in every way, and nothing is left of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Credentials } from '../../src/app/accounts.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { FAULT_KINDS, type FaultKind } from '../../src/sandbox/faults.ts';
import { checkOut, checkoutLetter, each, openClient } from '../bed/client.ts';
import { keysOf } from '../bed/load.ts';
import { findPort, type Running } from '../bed/processes.ts';
import { PROVIDERS } from '../bed/wire.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { createMix } from './mix.ts';

const REQUESTS = { small: 20_000, full: 1_000_000 };
const CONNECTIONS = 32;
const FAULT_MS = 1_000;
const SAMPLES = 100;
/** MiB for 100,000 requests; so few as a small run has tell of nothing but a flood. */
const MOST_SLOPE = { small: 200, full: 1 };
/** Connections to providers and from clients are let go of by then. */
const CALM_MS = 120_000;
/** Those that come and go by themselves. */
const SPARE = 4;

export async function runLeak(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'leak', small, seed, accounts: 1 });
  try {
    const found = await askOn(world);
    return { run: 'leak', seed, seconds: Math.round((performance.now() - began) / 1000), ...found };
  } finally {
    await world.close();
  }
}

/** What a process has open. */
interface Holdings {
  files: number;
  /** By what Node calls them. */
  resources: Readonly<Record<string, number>>;
}

async function askOn(world: World): Promise<Pick<Section, 'lines' | 'examples'>> {
  const port = await findPort();
  const running = await world.start({ port, env: { QUOTE_DEADLINE_MS: '300', LOG_LEVEL: 'fatal' } });
  if (!running) throw new Error('the instance does not start');
  const size = world.small ? 'small' : 'full';
  await warmUp(world, port);
  const before = await holdingsOf(running);

  const client = openClient(`http://127.0.0.1:${port}`, CONNECTIONS);
  const mix = createMix(world, client);
  const statuses = new Map<number, number>();
  const samples: { asked: number; mib: number }[] = [];
  const ending = new AbortController();
  const failing = failInTurn(world, ending.signal);
  let asked = 0;
  await each(Array.from({ length: REQUESTS[size] }), CONNECTIONS, async () => {
    const status = await mix.ask();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (++asked % (REQUESTS[size] / SAMPLES) !== 0) return;
    const sample = { asked, mib: await leastOf(running) };
    samples.push(sample);
    if (samples.length % 10 === 0) say(`${sample.asked} requests, ${Math.round(sample.mib)} MiB`);
  });
  ending.abort();
  const faults = await failing;
  await client.close();
  const after = await calmDown(running, before);
  return judge({ size, asked, faults, statuses, samples, before, after });
}

/** Once through everything, so that what is made at first use is there. */
async function warmUp(world: World, port: number): Promise<void> {
  const client = openClient(`http://127.0.0.1:${port}`, CONNECTIONS);
  const account = world.accounts[0] as Credentials;
  await checkOut(client, checkoutLetter(account, { provider: 'moonpay', partnerContext: 'first' }));
  const mix = createMix(world, client);
  await each(Array.from({ length: 500 }), CONNECTIONS, async () => void (await mix.ask()));
  // As many connections to the database as are ever kept for requests.
  await each(Array.from({ length: 1_000 }), CONNECTIONS, async () => {
    await client.get('/transactions?limit=50', keysOf(account));
  });
  await client.close();
  await wait(1_000);
}

/** Every provider fails, each time in another way; how many faults there were. */
async function failInTurn(world: World, ending: AbortSignal): Promise<number> {
  const kinds = FAULT_KINDS.filter(kind => !kind.startsWith('webhooks-'));
  let count = 0;
  while (!ending.aborted) {
    for (const [at, provider] of PROVIDERS.entries()) {
      const kind = kinds[(count + at) % kinds.length] as FaultKind;
      world.fault(provider as ProviderId, { kind, ms: 1_000 });
    }
    count++;
    await wait(FAULT_MS);
  }
  for (const provider of PROVIDERS) world.fault(provider as ProviderId, { kind: 'none', ms: 0 });
  return count;
}

async function holdingsOf(running: Running): Promise<Holdings> {
  const resources = JSON.parse(await running.ask('resources')) as Record<string, number>;
  return { files: readdirSync(`/proc/${running.pid}/fd`).length, resources };
}

/** Waits until it holds no more than before, or for as long as anything may take to be let go of. */
async function calmDown(running: Running, before: Holdings): Promise<Holdings> {
  const until = performance.now() + CALM_MS;
  for (;;) {
    const now = await holdingsOf(running);
    if (excessOf(before, now).length === 0 || performance.now() > until) return now;
    await wait(1_000);
  }
}

function excessOf(before: Holdings, after: Holdings): string[] {
  const files = after.files > before.files + SPARE ? [`${after.files} files, ${before.files} before`] : [];
  const resources = Object.entries(after.resources).flatMap(([name, count]) => {
    const had = before.resources[name] ?? 0;
    return count > had + SPARE ? [`${count} ${name}, ${had} before`] : [];
  });
  return [...files, ...resources];
}

/** What it holds when everything is cleared away that can be: before that, memory goes up and down by tens of MiB. */
async function leastOf(running: Running): Promise<number> {
  await running.ask('collect');
  return residentOf(running.pid);
}

function residentOf(pid: number): number {
  return Number(/^VmRSS\D+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

interface Outcome {
  size: 'small' | 'full';
  asked: number;
  faults: number;
  statuses: ReadonlyMap<number, number>;
  samples: readonly { asked: number; mib: number }[];
  before: Holdings;
  after: Holdings;
}

function judge({ size, asked, faults, statuses, samples, before, after }: Outcome) {
  const slope = slopeOf(samples.slice(samples.length / 2)) * 100_000;
  const excess = excessOf(before, after);
  const broken = [...statuses].filter(([status]) => status === 0 || status === 500);
  const last = samples.at(-1)?.mib ?? 0;
  const line = (what: string, [count, violations, worst]: [number, number, string]): Line => ({
    ...{ fault: 'F28', what, count, violations, worst },
  });
  const told = [...statuses].sort((a, b) => a[0] - b[0]).map(([status, times]) => `${status}: ${times}`);
  return {
    lines: [
      line('requests that broke', [
        asked,
        broken.reduce((sum, [, times]) => sum + times, 0),
        told.join(', '),
      ]),
      line('memory over the last half, after full collections', [
        ...([faults, slope > MOST_SLOPE[size] ? 1 : 0] as const),
        `${slope.toFixed(2)} MiB more for 100,000 requests; ${Math.round(last)} MiB at the end`,
      ]),
      line('files, sockets and timers afterwards', [
        ...([faults, excess.length] as const),
        `${after.files} files open, ${before.files} before`,
      ]),
    ],
    examples: excess,
  };
}

/** Of the line that lies closest to all samples. */
function slopeOf(samples: readonly { asked: number; mib: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const [x, y] = [mean(samples.map(({ asked }) => asked)), mean(samples.map(({ mib }) => mib))];
  const across = samples.reduce((sum, { asked, mib }) => sum + (asked - x) * (mib - y), 0);
  return across / samples.reduce((sum, { asked }) => sum + (asked - x) ** 2, 0);
}
