/** Bench Bvi: thousands of distinct quotes at once, from providers so slow that none is answered before the last has come. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Child } from './child.ts';
import { rssOf, watchRss } from './cpu.ts';
import { percentile } from './figures.ts';
import { type Connection, openConnection, openConnections, type Reply, takeOpen } from './load.ts';
import { QUICK_PACE, warmUp } from './quotes.ts';
import { type Row, short } from './table.ts';
import { clientPath, countQuotes } from './wire.ts';
import { nextCents, PROVIDERS, type World } from './world.ts';

/** How long a provider takes. All requests come within less than that. */
const PROVIDER_MS = 4_000;
const ARRIVAL_MS = 3_500;
const DEADLINE_MS = 30_000;
/** To each provider: with twelve of them less than a fifth of the files that may be open here. */
const CONNECTIONS = 300;
/** Without a queue of its own the limit needs one for each question of the smaller crowd. */
const LIMIT_CONNECTIONS = 1_000;
const AT_ONCE = 2_000;
const CROWDS = [1_000, 10_000];
/**
 * Connections opened before, as a proxy or a backend keeps them: with those that wait for quotes there are always some free.
 * To open one costs client and server more than to refuse what comes over it, and the client has half a core.
 */
const KEPT = 2_000;
/** As many as tell a service how slow the providers have become. */
const FIRST = 40;
const SETTLE_MS = 2_000;
/** Whoever is not answered so long after the deadline is lost. */
const GRACE_MS = 5_000;
const LOOK_MS = 250;

interface Crowd {
  requests: number;
  whole: number;
  /** Answers that lack quotes although every provider gives one. */
  lacking: number;
  refused: number;
  /** Neither answered nor refused. */
  lost: number;
  refusalP99: number;
  /** How much of that is the client's own lateness. */
  lateP99: number;
  /** KiB for each that was answered. */
  memory: number;
  /** Percent of the files that may be open. */
  files: number;
}

export async function benchCrowd(world: World): Promise<Row[]> {
  const crowds = world.pacing.quick ? CROWDS.slice(0, 1) : CROWDS;
  await world.order({ pace: QUICK_PACE, faults: {} });
  const service = await world.startService(PROVIDERS, {
    QUOTE_DEADLINE_MS: String(DEADLINE_MS),
    QUOTES_AT_ONCE: String(AT_ONCE),
    CONNECTIONS: String(CONNECTIONS),
  });
  const ours = await gatherAll(world, service, crowds);
  await wait(SETTLE_MS);
  const strangers = await gather(service, { requests: crowds.at(-1) as number });
  await service.stop();
  const args = [world.fleet.url, String(LIMIT_CONNECTIONS), String(DEADLINE_MS)];
  const limit = await world.startBaseline('limit', args);
  const theirs = await gatherAll(world, limit, crowds);
  await limit.stop();
  await world.order({ pace: QUICK_PACE });
  return [
    ...ours.flatMap((crowd, at) => judge(crowd, theirs[at] as Crowd, theirs[0] as Crowd)),
    refusalRow(strangers, `${nameOf(strangers)}, each over a new connection`),
  ];
}

async function gatherAll(world: World, server: Child, crowds: readonly number[]): Promise<Crowd[]> {
  await world.order({ pace: QUICK_PACE });
  await warmUp(server, PROVIDERS, 2_000);
  await world.order({ pace: { median: PROVIDER_MS, sigma: 0 } });
  await gather(server, { requests: FIRST, kept: FIRST });
  const all: Crowd[] = [];
  for (const requests of crowds) {
    await wait(SETTLE_MS);
    all.push(await gather(server, { requests, kept: Math.min(requests, KEPT) }));
  }
  return all;
}

/** Sends so many requests, evenly within the time they have to come: over connections that are kept, or each over its own. */
async function gather(
  server: Child,
  { requests, kept }: { requests: number; kept?: number },
): Promise<Crowd> {
  const before = rssOf(server.pid);
  const highest = watchRss(server.pid);
  const mostOpen = watchFiles(server.pid);
  const free = kept === undefined ? undefined : await openConnections(server.url, kept);
  const began = performance.now();
  const samples: Promise<Sample>[] = [];
  for (let at = 0; at < requests; at++) {
    const intended = began + (at * ARRIVAL_MS) / requests;
    const early = intended - performance.now();
    if (early > 0) await wait(early);
    const connection = (free && takeOpen(free)) ?? openConnection(server.url);
    samples.push(
      askAt(intended, connection).finally(() => (free ? free.push(connection) : connection.close())),
    );
  }
  const told = await Promise.all(samples);
  for (const connection of free ?? []) connection.close();
  const answered = told.filter(({ reply }) => reply?.status === 200);
  const refused = told.filter(({ reply }) => reply && reply.status !== 200);
  const whole = answered.filter(({ reply }) => countQuotes(reply as Reply) === PROVIDERS).length;
  return {
    requests,
    whole,
    lacking: answered.length - whole,
    refused: refused.length,
    lost: told.length - answered.length - refused.length,
    refusalP99: p99(refused.map(({ ms }) => ms)),
    lateP99: p99(told.map(({ late }) => late)),
    memory: ((highest() - before) * 1024) / answered.length,
    files: (mostOpen() / mostFilesOf(server.pid)) * 100,
  };
}

const p99 = (all: readonly number[]) => (all.length > 0 ? percentile(all, 99) : 0);

interface Sample {
  /** From the moment it was to be sent. */
  ms: number;
  /** From that moment until it was. */
  late: number;
  /** Absent when the connection ended without one. */
  reply: Reply | undefined;
}

async function askAt(intended: number, connection: Connection): Promise<Sample> {
  const late = performance.now() - intended;
  const given = new AbortController();
  const reply = await Promise.race([
    connection.get(clientPath(nextCents(), PROVIDERS)).catch(() => undefined),
    wait(DEADLINE_MS + GRACE_MS, undefined, { signal: given.signal }).catch(() => undefined),
  ]);
  given.abort();
  if (!reply) connection.close();
  return { ms: performance.now() - intended, late, reply };
}

/** Watches the open files of a process until asked for the most there were. */
function watchFiles(pid: number): () => number {
  let most = 0;
  const look = () => {
    most = Math.max(most, readdirSync(`/proc/${pid}/fd`).length);
  };
  const timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}

function mostFilesOf(pid: number): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1]);
}

/** `usual` is the smallest crowd at the limit, the one that it answers. */
function judge(ours: Crowd, limit: Crowd, usual: Crowd): Row[] {
  const row = { bench: 'Bvi' };
  const at = nameOf(ours);
  const answered = ours.whole + ours.lacking;
  return [
    {
      ...row,
      what: `${at}, answers with every quote (${ours.refused} refused, ${ours.lost} lost)`,
      ours: `${ours.whole} of ${answered}`,
      baseline: `limit ${limit.whole} of ${limit.requests}`,
      figure: (ours.whole / answered) * 100,
      unit: ' %',
      goal: { id: 'G7', least: 100 },
    },
    { ...refusalRow(ours, at), goal: { id: 'G7', most: 50 } },
    {
      ...row,
      what: `${at}, neither answered nor refused, or answered without quotes`,
      ours: `${ours.lost + ours.lacking}`,
      baseline: `limit ${limit.lost + limit.lacking}`,
      figure: ours.lost + ours.lacking,
      goal: { id: 'G7', most: 0 },
    },
    memoryRow(at, ours, usual),
    { ...memoryRow(at, ours, usual), what: 'the same', goal: { id: 'G7', most: 0.6, stretch: true } },
    {
      ...row,
      what: `${at}, open files of those allowed`,
      ours: `${short(ours.files)} %`,
      baseline: `limit ${short(limit.files)} %`,
      figure: ours.files,
      unit: ' %',
      goal: { id: 'G7', most: 60 },
    },
  ];
}

const nameOf = ({ requests }: Crowd) => `${requests.toLocaleString('en')} at once`;

function refusalRow({ refused, refusalP99, lateP99 }: Crowd, at: string): Row {
  return {
    bench: 'Bvi',
    what: `${at}, p99 of a refusal`,
    ours: `${refused} refused, ${short(lateP99)} ms late when sent`,
    baseline: 'limit refuses nobody',
    figure: refusalP99,
    unit: ' ms',
  };
}

function memoryRow(at: string, ours: Crowd, usual: Crowd): Row {
  return {
    bench: 'Bvi',
    what: `${at}, memory for each that was answered over limit's at ${usual.requests}`,
    ours: `${short(ours.memory)} KiB`,
    baseline: `limit ${short(usual.memory)} KiB`,
    figure: ours.memory / usual.memory,
    goal: { id: 'G7', most: 0.8 },
  };
}
