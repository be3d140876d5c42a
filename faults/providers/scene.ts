/** The scene of a run: the house, instances of the service that ask it, and the limit to measure them against. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SERVER_CORE, startChild, stopChildren } from '../../bench/child.ts';
import { type OpenSample, openConnection, type Reply, runOpenLoop } from '../../bench/load.ts';
import { clientPath, countQuotes, DEADLINE_MS } from '../../bench/wire.ts';
import { nextCents, PROVIDERS } from '../../bench/world.ts';
import type { Credentials } from '../../src/app/accounts.ts';
import { findPort, startProcess } from '../bed/processes.ts';
import { openWorld } from '../bed/world.ts';
import { type Cast, CLONES } from './cast.ts';
import type { HousePlan } from './house.ts';
import { type Fate, type HouseOrder, type HouseReport, WING } from './orders.ts';

export interface Scene {
  small: boolean;
  seed: number;
  account: Credentials;
  house: { url: string; secureUrl: string };
  /** Reports what happened in the house since the last recount, then has it do as told. */
  order(order: HouseOrder): Promise<HouseReport>;
  start(cast: Omit<Cast, 'url'>): Promise<Site>;
  /** An instance that several parts use; nobody ends it, and what they do to it passes. */
  well(): Promise<Site>;
  /** The limit aggregator, which asks the same house. */
  limitUrl: string;
  close(): Promise<void>;
}

export interface Site {
  url: string;
  pid: number;
  /** Whether it has ended, though nobody ended it. */
  isGone(): boolean;
  log(): string;
  end(): Promise<void>;
}

const SETTLE_MS = 60_000;
/** On a quiet machine answers are no later than this after the deadline. */
const QUIET_MS = 20;

export async function openScene(small: boolean, seed: number): Promise<Scene> {
  const world = await openWorld({ name: 'providers', small, seed, accounts: 1 });
  const plan: HousePlan = { seed, port: await findPort(), securePort: await findPort() };
  const url = `http://127.0.0.1:${plan.port}`;
  const built = await startProcess({
    entry: 'faults-house',
    order: plan,
    env: {},
    logFile: join(world.folder, 'house.log'),
  });
  if (!built) throw new Error('the house cannot be built');
  const limit = await startChild({ entry: 'limit', core: SERVER_CORE, args: [url] });
  let sites = 0;
  let shared: Promise<Site> | undefined;

  async function start(cast: Omit<Cast, 'url'>): Promise<Site> {
    const port = await findPort();
    const logFile = join(world.folder, `site-${++sites}.log`);
    const running = await world.start({
      port,
      logFile,
      env: envOf(cast.who),
      order: { cast: { ...cast, url } },
    });
    if (!running) throw new Error(`an instance does not start: ${readFileSync(logFile, 'utf8')}`);
    let state: 'up' | 'ended' | 'gone' = 'up';
    void running.gone.then(() => {
      if (state === 'up') state = 'gone';
    });
    return {
      url: `http://127.0.0.1:${port}`,
      pid: running.pid,
      isGone: () => state === 'gone',
      log: () => readFileSync(logFile, 'utf8'),
      async end() {
        state = 'ended';
        running.kill();
        await running.gone;
      },
    };
  }

  return {
    small,
    seed,
    account: world.accounts[0] as Credentials,
    house: { url, secureUrl: `https://127.0.0.1:${plan.securePort}` },
    order: order => tell(url, order),
    start,
    async well() {
      shared ??= start({ who: 'clones' });
      await settle(await shared);
      return shared;
    },
    limitUrl: limit.url,
    async close() {
      await stopChildren();
      await world.close();
    },
  };
}

/** Real adapters are tested for what they believe, and get all the time they need; the clones are tested for time. */
const PATIENT_MS = 15_000;

function envOf(who: Cast['who']): Record<string, string> {
  return {
    QUOTE_DEADLINE_MS: String(who === 'real' ? PATIENT_MS : DEADLINE_MS),
    // What is tested is what becomes of a request, not whether it is let in.
    ...{ RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0', QUOTES_AT_ONCE: '0', MOST_DELAY_MS: '0' },
  };
}

async function tell(url: string, order: HouseOrder): Promise<HouseReport> {
  const answer = await fetch(`${url}/_house`, { method: 'PUT', body: JSON.stringify(order) });
  return (await answer.json()) as HouseReport;
}

/** Waits until the providers have told what they list, and quote; those that cannot are not waited for. */
export async function settle({ url }: Site, quotes = PROVIDERS): Promise<void> {
  const until = Date.now() + SETTLE_MS;
  const connection = openConnection(url);
  try {
    for (;;) {
      const reply = await connection.get(clientPath(nextCents(), PROVIDERS));
      if (countQuotes(reply) === quotes) return;
      if (Date.now() > until) throw new Error(`an instance does not quote: ${reply.status} ${reply.body}`);
      await wait(100);
    }
  } finally {
    connection.close();
  }
}

/** What is kept of an answer. Whole ones would have the asker tidy its memory, which takes a core from those it measures. */
export interface Gist {
  status: number;
  /** Those who have a quote in it. */
  quoted: readonly string[];
}

/** Refusals name their provider too, but not in this order. */
function gistOf({ status, body }: Reply): Gist {
  return { status, quoted: CLONES.filter(name => body.includes(`"ramp":"${name}","quoteId"`)) };
}

export function hasQuote({ quoted }: Gist, provider: string): boolean {
  return quoted.includes(provider);
}

/** A request that was sent at its moment, and what came of it. */
export interface Sample extends OpenSample<Gist> {
  cents: number;
}

/** Constant arrivals, each for another amount. */
export async function arrive(
  url: string,
  { perSecond, requests }: { perSecond: number; requests: number },
): Promise<Sample[]> {
  const amounts = Array.from({ length: requests }, nextCents);
  const samples = await runOpenLoop({
    url,
    perSecond,
    requests,
    ask: async (connection, at) => gistOf(await connection.get(clientPath(amounts[at] as number, PROVIDERS))),
  });
  return samples.map((sample, at) => ({ ...sample, cents: amounts[at] as number }));
}

/** A request that was sent when the one before it was answered. */
export type Turn = Omit<Sample, 'intended' | 'late'>;

/** So many connections, begun one by one, each of which asks for another amount as soon as it is answered. */
export async function ask(
  url: string,
  { connections = 1, requests }: { connections?: number; requests: number },
): Promise<Turn[]> {
  const turns: Turn[] = [];
  let left = requests;
  const work = async (at: number) => {
    await wait((at * DEADLINE_MS) / connections);
    const connection = openConnection(url);
    while (left-- > 0) {
      const cents = nextCents();
      const began = performance.now();
      const reply = await connection.get(clientPath(cents, PROVIDERS));
      turns.push({ cents, ms: performance.now() - began, reply: gistOf(reply) });
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, at) => work(at)));
  return turns;
}

/** How much later than the deadline the last of them was answered, in milliseconds. */
export function excessOf(samples: readonly { ms: number }[]): number {
  return samples.reduce((most, { ms }) => Math.max(most, ms - DEADLINE_MS), 0);
}

/** How late an answer may be: what a quiet machine allows, or twice what the limit itself needed on this one. */
export function slackOf(limit: readonly { ms: number }[]): number {
  return Math.max(QUIET_MS, 2 * excessOf(limit));
}

/** Puts a base URL in the wing for each of them. */
export function inWing({ house }: Scene, providers: readonly string[]): Record<string, string> {
  return Object.fromEntries(providers.map(name => [name, house.url + WING.slice(0, -1)]));
}

/** Asks the limit, with one provider that says nothing, while something else is measured on the same machine. */
export async function beside<T>(
  { order, limitUrl }: Scene,
  { requests, fates }: { requests: number; fates: Readonly<Record<string, Fate>> },
  act: () => Promise<T>,
): Promise<{ result: T; limit: Sample[] }> {
  await order({ fates: { ...fates, p01: { kind: 'hang', share: 0.5 } } });
  const [result, limit] = await Promise.all([act(), arrive(limitUrl, { perSecond: 20, requests })]);
  await order({ fates, recount: true });
  return { result, limit };
}

/** How often asking a provider came to an end of a kind, by what an instance counts. */
export async function readOutcomes(url: string): Promise<(provider: string, kind: string) => number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return (provider, kind) => {
    const name = `cloverleaf_provider_outcomes_total{provider="${provider}",outcome="${kind}"} `;
    const start = text.indexOf(name);
    return start < 0 ? 0 : Number.parseInt(text.slice(start + name.length), 10);
  };
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}
