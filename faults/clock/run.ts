/** The run of clocks: one of two instances has a clock that jumps, drifts or lives elsewhere; nobody waits for it. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Credentials } from '../../src/app/accounts.ts';
import { type Client, checkOut, checkoutLetter, openClient } from '../bed/client.ts';
import { type Answer, type Load, startLoad } from '../bed/load.ts';
import { findPort, type Running } from '../bed/processes.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { checkExpiry, checkPages, checkWindow } from './checks.ts';

const HOUR_MS = 3_600_000;
const REST_MS = 25;
/** No answer takes as long as the deadline of quotes: whoever waits longer hangs. */
const DEADLINE_MS = 8_000;
const HUNG_MS = DEADLINE_MS + 1_000;
/** MoonPay's prices run out at a moment, by which a clock that is far off may have them all be over. */
const PROVIDERS = ['transak', 'mercuryo'];

/** Where summer time begins or ends, two seconds before it does. */
const ZONES = [
  { zone: 'America/New_York', at: '2026-11-01T05:59:58Z' },
  { zone: 'Europe/Berlin', at: '2027-03-28T00:59:58Z' },
  { zone: 'Australia/Lord_Howe', at: '2027-04-03T14:59:58Z' },
  { zone: 'Pacific/Kiritimati', at: '2026-12-31T09:59:58Z' },
];

export async function runClock(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'clock', small, seed, accounts: 1 });
  try {
    const found = await goWrong(world);
    return { run: 'clock', seed, seconds: Math.round((performance.now() - began) / 1000), ...found };
  } finally {
    await world.close();
  }
}

/** A finding and what it is about. */
interface Found {
  what: string;
  count: number;
  flaws: readonly string[];
  worst: string;
}

async function goWrong(world: World): Promise<Pick<Section, 'lines' | 'examples'>> {
  const steady = await start(world, {});
  const wrong = await start(world, { aheadMs: 0 });
  const both = [steady.client, wrong.client];
  const load = startLoad({
    world,
    client: () => world.chance.pick(both),
    restMs: REST_MS,
    providers: PROVIDERS,
  });
  const account = world.accounts[0] as Credentials;
  const found: Found[] = [];
  const holdMs = world.small ? 800 : 4_000;
  const times = world.small ? 1 : 10;

  /** The clock is set, left so, and set right again. */
  async function shift(what: string, aheadMs: number): Promise<void> {
    const first = load.answers.length;
    let worst = 0;
    const flaws: string[] = [];
    for (let time = 0; time < times; time++) {
      wrong.running.tell(String(aheadMs));
      await wait(holdMs / 2);
      const { off, ...checked } = await checkExpiry({ world, client: wrong.client, aheadMs });
      worst = Math.max(worst, Math.abs(off));
      flaws.push(...checked.flaws, ...(await checkWindow({ world, client: wrong.client, aheadMs })).flaws);
      await wait(holdMs / 2);
      wrong.running.tell('0');
      await wait(holdMs / 2);
    }
    const answers = load.answers.slice(first);
    flaws.push(...answers.flatMap(answer => flawOf(answer) ?? []));
    const slowest = Math.max(...answers.map(({ ms }) => ms));
    found.push({
      ...{ what, count: times * 2, flaws },
      worst: `slowest of ${answers.length} answers ${Math.round(slowest)} ms; sessions end ${Math.round(worst)} ms off`,
    });
    say(`${what}: ${flaws.length}`);
  }

  await shift('an hour ahead, and back', HOUR_MS);
  await shift('an hour behind, and back', -HOUR_MS);
  await shift('400 ms ahead of the other', 400);
  await shift('400 ms behind the other', -400);
  await shift('a second twice, as with a leap second', -1_000);
  found.push(await checkPages({ client: () => world.chance.pick(both), account, load }));
  await load.stop();
  wrong.running.kill();
  found.push(await liveElsewhere(world));
  found.push(uniqueIds(load));
  for (const client of both) await client.close();
  return report(found);
}

function report(found: readonly Found[]): Pick<Section, 'lines' | 'examples'> {
  const lines = found.map(
    ({ what, count, flaws, worst }): Line => ({ fault: 'F24', what, count, violations: flaws.length, worst }),
  );
  return { lines, examples: found.flatMap(({ what, flaws }) => flaws.map(flaw => `${what}: ${flaw}`)) };
}

interface Started {
  running: Running;
  client: Client;
}

async function start(world: World, order: { aheadMs?: number }, zone = 'UTC'): Promise<Started> {
  const port = await findPort();
  const env = { TZ: zone, QUOTE_DEADLINE_MS: String(DEADLINE_MS) };
  const running = await world.start({ port, order, env });
  if (!running) throw new Error('an instance does not start');
  const client = openClient(`http://127.0.0.1:${port}`, 32);
  const account = world.accounts[0] as Credentials;
  await checkOut(client, checkoutLetter(account, { provider: 'transak', partnerContext: 'first' }));
  return { running, client };
}

/** Hung, cut off early, or refused. */
function flawOf({ errand, status, ms }: Answer): string | undefined {
  if (ms > HUNG_MS) return `${errand} took ${Math.round(ms)} ms`;
  return status === 200 ? undefined : `${errand} answered ${status} after ${Math.round(ms)} ms`;
}

/** Instances that live in other zones, while summer time begins or ends there. */
async function liveElsewhere(world: World): Promise<Found> {
  const flaws: string[] = [];
  let answers = 0;
  for (const { zone, at } of world.small ? ZONES.slice(0, 2) : ZONES) {
    const aheadMs = Date.parse(at) - Date.now();
    const { running, client } = await start(world, { aheadMs }, zone);
    const load = startLoad({ world, client: () => client, restMs: REST_MS, providers: PROVIDERS });
    await wait(world.small ? 3_000 : 6_000);
    const { off, flaws: expiry } = await checkExpiry({ world, client, aheadMs });
    flaws.push(...expiry.map(flaw => `${zone}: ${flaw}, ${off} ms off`));
    flaws.push(...load.answers.flatMap(answer => flawOf(answer) ?? []).map(flaw => `${zone}: ${flaw}`));
    answers += load.answers.length;
    await load.stop();
    running.kill();
    await client.close();
  }
  return { what: 'zones in which summer time begins or ends', count: answers, flaws, worst: '' };
}

function uniqueIds({ made }: Load): Found {
  const ids = [...made.values()].flatMap(({ transactionId, sessionId }) => [transactionId, sessionId]);
  const twice = ids.length - new Set(ids).size;
  return {
    what: 'ids of orders and sessions, given twice',
    count: ids.length,
    flaws: Array.from({ length: twice }, () => 'an id was given twice'),
    worst: '',
  };
}
