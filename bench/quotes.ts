/** Benches Bii-a and Bii-b: what a quote costs in CPU and adds in latency, against limit, hand and floor. */
import type { Child } from './child.ts';
import { cpuOf } from './cpu.ts';
import { median, percentile, rotate } from './figures.ts';
import { idealOf, type Pace } from './latency.ts';
import { type ClosedResult, runClosedLoop, runOpenLoop } from './load.ts';
import { type Row, short, spreadOf } from './table.ts';
import { clientPath, countQuotes, DEADLINE_MS } from './wire.ts';
import { nextCents, PROVIDERS, type SharedName, type World } from './world.ts';

const CLIENTS = 16;
/** Each round of Bii-a is so many short turns of every target. */
const TURNS = 5;
export const QUICK_PACE: Pace = { median: 5, sigma: 0.5 };
export const USUAL_PACE: Pace = { median: 80, sigma: 0.5 };
export const ARRIVALS_PER_SECOND = 30;

const NAMES = ['ours', 'limit', 'hand', 'floor'] as const satisfies SharedName[];
type Name = SharedName;
type Servers = Record<Name, Child>;

export interface Cost extends ClosedResult {
  /** Milliseconds of CPU a request takes. */
  cpu: number;
}

/** A closed loop of quotes. Hardly any answer may be incomplete, or something else was measured. */
export async function measureCost(server: Child, providers: number, milliseconds: number): Promise<Cost> {
  const before = cpuOf(server.pid);
  const { incomplete, ...result } = await loop(server, providers, milliseconds);
  if (incomplete > result.requests * 0.01) {
    throw new Error(
      `${incomplete} of ${result.requests} answers with ${providers} providers were incomplete`,
    );
  }
  return { ...result, cpu: (cpuOf(server.pid) - before) / result.requests };
}

/** The same for its own sake: code gets compiled and connections opened, late answers included. */
export async function warmUp(server: Child, providers: number, milliseconds: number): Promise<void> {
  await loop(server, providers, milliseconds);
}

async function loop(server: Child, providers: number, milliseconds: number) {
  let incomplete = 0;
  const result = await runClosedLoop({
    url: server.url,
    connections: CLIENTS,
    milliseconds,
    ask: connection => connection.get(clientPath(nextCents(), providers)),
    onReply(reply) {
      if (countQuotes(reply) !== providers) incomplete++;
    },
  });
  return { ...result, incomplete };
}

export async function benchCost(world: World): Promise<Row[]> {
  const servers = await warmServers(world);
  const { quick, rounds } = world.pacing;
  const costs: Record<Name, Cost[]> = { ours: [], limit: [], hand: [], floor: [] };
  const fleetBefore = cpuOf(world.fleet.pid);
  const began = performance.now();
  for (let turn = 0; turn < rounds * TURNS; turn++) {
    for (const name of rotate(NAMES, turn)) {
      costs[name].push(await measureCost(servers[name], PROVIDERS, quick ? 200 : 600));
    }
  }
  const fleetShare = (cpuOf(world.fleet.pid) - fleetBefore) / (performance.now() - began);

  const cpu = (name: Name) => median(costs[name].map(cost => cost.cpu));
  // Turn by turn: what slows the machine down for seconds then slows down both.
  const over = (name: Name, baseline: Name) =>
    median(costs[name].map(({ cpu }, turn) => cpu / (costs[baseline][turn] as Cost).cpu));
  const spread = (name: Name) => spreadOf(costs[name].map(cost => cost.cpu));
  const row = (what: string, baseline: Name): Row => ({
    bench: 'Bii-a',
    what,
    ours: `${spread('ours')} ms`,
    baseline: `${baseline} ${spread(baseline)} ms`,
    figure: over('ours', baseline),
  });
  const speed = (name: Name) => median(costs[name].map(cost => cost.requests / cost.seconds));
  const slowest = (name: Name) => median(costs[name].map(cost => percentile(cost.times, 99)));
  return [
    { ...row('CPU per request over limit', 'limit'), goal: { id: 'G2', most: 1.25 } },
    { ...row('the same', 'limit'), goal: { id: 'G2', most: 0.85, stretch: true } },
    {
      ...row('quotes per core over hand', 'hand'),
      ours: `${short(1000 / cpu('ours'))}/s`,
      baseline: `hand ${short(1000 / cpu('hand'))}/s`,
      figure: over('hand', 'ours'),
      goal: { id: 'G2', least: 4.4 },
    },
    row('CPU per request over floor', 'floor'),
    {
      ...row('CPU per request, hand over limit', 'limit'),
      ours: `hand ${spread('hand')} ms`,
      figure: over('hand', 'limit'),
    },
    {
      bench: 'Bii-a',
      what: `requests a second (fleet used ${(fleetShare * 100).toFixed(0)} % of its core)`,
      ours: `${short(speed('ours'))}/s`,
      baseline: `limit ${short(speed('limit'))}/s`,
      figure: speed('ours') / speed('limit'),
    },
    {
      bench: 'Bii-a',
      what: 'p99 of a request',
      ours: `${short(slowest('ours'))} ms`,
      baseline: `limit ${short(slowest('limit'))} ms`,
      figure: slowest('ours') / slowest('limit'),
    },
  ];
}

export async function benchLatency(world: World): Promise<Row[]> {
  const servers = await warmServers(world);
  const { quick, rounds } = world.pacing;
  await world.order({ pace: USUAL_PACE });
  const added: Record<Name, number[][]> = { ours: [], limit: [], hand: [], floor: [] };
  for (let round = 0; round < rounds; round++) {
    // Every server is asked the same amounts, so that all wait for the same providers.
    const amounts = Array.from({ length: ARRIVALS_PER_SECOND * (quick ? 1.5 : 6) }, nextCents);
    for (const name of rotate(NAMES, round)) added[name].push(await measureAdded(servers[name], amounts));
  }

  const at = (name: Name, share: number) => median(added[name].map(times => percentile(times, share)));
  const row = (what: string, share: number, baseline: Name): Row => ({
    bench: 'Bii-b',
    what,
    ours: `${short(at('ours', share))} ms`,
    baseline: `${baseline} ${short(at(baseline, share))} ms`,
    figure: at('ours', share) / at(baseline, share),
  });
  return [
    {
      ...row('added latency p50, ours less limit', 50, 'limit'),
      figure: at('ours', 50) - at('limit', 50),
      unit: ' ms',
      goal: { id: 'G3', most: 1 },
    },
    { ...row('added latency p99 over limit', 99, 'limit'), goal: { id: 'G3', most: 1.5 } },
    {
      ...row('added latency p50, quiet machine', 50, 'limit'),
      figure: at('ours', 50),
      unit: ' ms',
      goal: { id: 'G3', most: 3 },
    },
    {
      ...row('added latency p99, quiet machine', 99, 'limit'),
      figure: at('ours', 99),
      unit: ' ms',
      goal: { id: 'G3', most: 9 },
    },
    row('added latency p50 over hand', 50, 'hand'),
    row('added latency p99 over hand', 99, 'hand'),
    row('added latency p50 over floor', 50, 'floor'),
    row('added latency p99 over floor', 99, 'floor'),
  ];
}

/** Milliseconds over the moment at which the slowest needed provider had answered, request by request. */
async function measureAdded(server: Child, amounts: readonly number[]): Promise<number[]> {
  const samples = await runOpenLoop({
    url: server.url,
    perSecond: ARRIVALS_PER_SECOND,
    requests: amounts.length,
    ask: (connection, at) => connection.get(clientPath(amounts[at] as number, PROVIDERS)),
  });
  return samples.map(({ ms }, at) => {
    return ms - idealOf(USUAL_PACE, PROVIDERS, { cents: amounts[at] as number, deadlineMs: DEADLINE_MS });
  });
}

const warmed = new WeakSet<Child>();

/** The four to compare, each compiled by a first load. */
async function warmServers(world: World): Promise<Servers> {
  const started = await Promise.all(NAMES.map(async name => [name, await world.shared(name)] as const));
  await world.order({ pace: QUICK_PACE, faults: {} });
  for (const [, server] of started) {
    if (!warmed.has(server)) await warmUp(server, PROVIDERS, world.pacing.quick ? 1_500 : 5_000);
    warmed.add(server);
  }
  return Object.fromEntries(started) as Servers;
}
