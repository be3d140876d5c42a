/** Benches Bii-c and Bii-d: what customers notice of providers that hang, drip, flood, reset or talk rubbish. */
import type { Child } from './child.ts';
import { rssOf, watchRss } from './cpu.ts';
import { percentile } from './figures.ts';
import { type OpenSample, openConnection, runOpenLoop } from './load.ts';
import { FAULTS, type FleetFault, faultyFirst } from './order.ts';
import { ARRIVALS_PER_SECOND, QUICK_PACE, USUAL_PACE, warmUp } from './quotes.ts';
import { type Row, short } from './table.ts';
import { clientPath, countQuotes, DEADLINE_MS, nameOf } from './wire.ts';
import { nextCents, PROVIDERS, type World } from './world.ts';

const HUNG = [6, 1];
const GRACE_MS = 20;
/** By then the breakers of hung providers have opened. */
const OPENED_MS = DEADLINE_MS * 2;

interface Outage {
  hung: number;
  samples: OpenSample[];
}

export async function benchHung(world: World): Promise<Row[]> {
  const { quick } = world.pacing;
  const amounts = Array.from({ length: ARRIVALS_PER_SECOND * (quick ? 3 : 10) }, nextCents);
  const cases = quick ? HUNG.slice(0, 1) : HUNG;
  const services = await Promise.all(cases.map(() => world.startService(PROVIDERS)));
  const healthy = await ride(world, await world.shared('ours'), { hung: 0, amounts });
  const outages: Outage[] = [];
  for (const [at, hung] of cases.entries()) {
    const samples = await ride(world, services[at] as Child, { hung, amounts });
    outages.push({ hung, samples });
    await services[at]?.stop();
  }
  const hand = await world.shared('hand');
  const shorter = amounts.slice(0, ARRIVALS_PER_SECOND * (quick ? 1 : 3));
  const handHealthy = await ride(world, hand, { hung: 0, amounts: shorter });
  const handHung = await ride(world, hand, { hung: 1, amounts: shorter });
  await world.order({ faults: {} });

  const handRatio = percentile(times(handHung), 50) / percentile(times(handHealthy), 50);
  return outages.flatMap(outage => judgeHung(outage, healthy, handRatio));
}

/** A healthy start, then the fault, then constant arrivals. */
async function ride(
  world: World,
  server: Child,
  { hung, amounts }: { hung: number; amounts: readonly number[] },
): Promise<OpenSample[]> {
  await world.order({ pace: QUICK_PACE, faults: {} });
  await warmUp(server, PROVIDERS, 700);
  await world.order({ pace: USUAL_PACE, faults: faultyFirst(hung, 'hang') });
  return runOpenLoop({
    url: server.url,
    perSecond: ARRIVALS_PER_SECOND,
    requests: amounts.length,
    ask: (connection, at) => connection.get(clientPath(amounts[at] as number, PROVIDERS)),
  });
}

function judgeHung({ hung, samples }: Outage, healthy: readonly OpenSample[], handRatio: number): Row[] {
  const opened = (all: readonly OpenSample[]) => times(all.filter(({ intended }) => intended >= OPENED_MS));
  const after = percentile(opened(samples), 50);
  const usual = percentile(opened(healthy), 50);
  const late = percentile(times(samples), 99);
  const worst = Math.max(...times(samples));
  const paid = samples.filter(({ ms }) => ms >= DEADLINE_MS).length;
  const whole = samples.filter(({ reply }) => hasHealthy(reply.body.toString(), hung)).length;
  const row = { bench: 'Bii-c', baseline: '' };
  return [
    {
      ...row,
      what: `${hung} of 12 hung, p50 once breakers opened over healthy`,
      ours: `${short(after)} ms`,
      baseline: `healthy ${short(usual)} ms; hand ${short(handRatio)} x`,
      figure: after / usual,
      goal: { id: 'G4', most: 1.1 },
    },
    {
      ...row,
      what: `${hung} of 12 hung, p99 once breakers opened over healthy`,
      ours: `${short(percentile(opened(samples), 99))} ms`,
      baseline: `healthy ${short(percentile(opened(healthy), 99))} ms`,
      figure: percentile(opened(samples), 99) / percentile(opened(healthy), 99),
    },
    {
      ...row,
      what: `${hung} of 12 hung, requests that paid D for a provider`,
      ours: `${paid} of ${samples.length}`,
      figure: paid,
      goal: { id: 'G4', most: 5 },
    },
    {
      ...row,
      what: `${hung} of 12 hung, p99 of all requests less D (worst ${short(worst - DEADLINE_MS)})`,
      ours: `${short(late)} ms`,
      figure: late - DEADLINE_MS,
      unit: ' ms',
      goal: { id: 'G4', most: GRACE_MS },
    },
    {
      ...row,
      what: `${hung} of 12 hung, answers with every healthy quote`,
      ours: `${whole} of ${samples.length}`,
      figure: (whole / samples.length) * 100,
      unit: ' %',
      goal: { id: 'G4', least: 100 },
    },
  ];
}

function times(samples: readonly OpenSample[]): number[] {
  return samples.map(({ ms }) => ms);
}

function hasHealthy(body: string, hung: number): boolean {
  for (let provider = hung + 1; provider <= PROVIDERS; provider++) {
    if (!body.includes(`"ramp":"${nameOf(provider)}"`)) return false;
  }
  return true;
}

export async function benchFaults(world: World): Promise<Row[]> {
  const rows: Row[] = [];
  const limit = await world.startBaseline('limit');
  const faults = world.pacing.quick ? FAULTS.slice(0, 2) : FAULTS;
  const services = await Promise.all(faults.map(() => world.startService(PROVIDERS)));
  for (const [at, fault] of faults.entries()) {
    const service = services[at] as Child;
    rows.push(...(await judgeFault(world, fault, { service, limit })));
    await service.stop();
  }
  await world.order({ faults: {} });
  await limit.stop();
  return rows;
}

async function judgeFault(
  world: World,
  fault: FleetFault,
  { service, limit }: { service: Child; limit: Child },
): Promise<Row[]> {
  const { quick } = world.pacing;
  await world.order({ pace: QUICK_PACE, faults: {} });
  // The heap must have found its size before its growth means anything.
  await warmUp(service, PROVIDERS, quick ? 700 : 3_000);
  await warmUp(limit, PROVIDERS, 300);
  const load = () => arrivals(service, quick ? 1.5 : 4);
  const healthy = fault === 'huge' ? await growthOf(service, load) : undefined;

  await world.order({ faults: faultyFirst(PROVIDERS, fault) });
  const { grown, result: samples } = await growthOf(service, load);
  const { grown: limitGrown, result: limitMs } = await growthOf(limit, () => askOnce(limit));

  const worst = Math.max(...times(samples));
  const invented = samples.reduce((sum, { reply }) => sum + countQuotes(reply), 0);
  const failed = samples.filter(({ reply }) => reply.status !== 200).length;
  const time: Row = {
    bench: 'Bii-d',
    what: `12 ${fault}, slowest answer less D (${invented} quotes, ${failed} not 200)`,
    ours: `${short(worst)} ms`,
    baseline: `limit ${short(limitMs)} ms`,
    figure: worst - DEADLINE_MS,
    unit: ' ms',
    goal: { id: 'G5', most: GRACE_MS },
  };
  if (!healthy) return [time];
  const memory: Row = {
    bench: 'Bii-d',
    what: `12 ${fault}, growth of memory (when healthy ${short(healthy.grown)}; limit: one request)`,
    ours: `${short(grown)} MiB`,
    baseline: `limit ${short(limitGrown)} MiB`,
    figure: grown,
    unit: ' MiB',
    goal: { id: 'G5', most: 8 },
  };
  return [time, memory];
}

function arrivals(server: Child, seconds: number): Promise<OpenSample[]> {
  return runOpenLoop({
    url: server.url,
    perSecond: ARRIVALS_PER_SECOND,
    requests: ARRIVALS_PER_SECOND * seconds,
    ask: connection => connection.get(clientPath(nextCents(), PROVIDERS)),
  });
}

/** How far a process's memory rose above where it was, in MiB, while something was done to it. */
async function growthOf<T>({ pid }: Child, act: () => Promise<T>): Promise<{ grown: number; result: T }> {
  const before = rssOf(pid);
  const highest = watchRss(pid);
  const result = await act();
  return { grown: highest() - before, result };
}

/** One request to the limit, which has no bound on what it reads. */
async function askOnce(server: Child): Promise<number> {
  const connection = openConnection(server.url);
  const began = performance.now();
  await connection.get(clientPath(nextCents(), PROVIDERS));
  connection.close();
  return performance.now() - began;
}
