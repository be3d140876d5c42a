/** The run of overload: far more than can be done, one greedy key, connections that are slow or idle, and limits evaded. */
import { LOAD_CORE, startChild, stopChildren } from '../../bench/child.ts';
import { PROVIDERS } from '../../bench/world.ts';
import { openWorld } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { evadeLimits } from './evasion.ts';
import type { Told } from './load.ts';
import { holdIdle, holdSlow, holdUnread } from './slow.ts';
import { type Hall, openStage, type Stage } from './stage.ts';

const ACCOUNTS = 24;
/** What is called sustainable, of what can be done for a moment. */
const SUSTAINABLE = 0.7;
const FIRST_RATE = 30;
const MOST_RATE = 2_000;
const FASTER = 1.4;
const MOSTLY = 0.98;
const TOO_LATE_MS = 400;
const TIMES = 10;
const PRESSED_SECONDS = 60;
const LEAST_GOODPUT = 0.9;
const MOST_RATIO = 1.5;
/** A refusal later than that is none. */
const FAST_MS = 500;
const RECOVERY_MS = 5_000;
const WINDOW_MS = 500;
const CALM_WINDOWS = 4;
const A_FEW = 0.1;
const OTHERS = 5;
/** Until loads that begin together are all there, and quick. */
const GATHERING_MS = 4_000;

export async function runOverload(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'overload', small, seed, accounts: ACCOUNTS });
  try {
    const fleet = await startChild({ entry: 'fleet', core: LOAD_CORE });
    const lines = await overload({ world, providersUrl: fleet.url });
    const seconds = Math.round((performance.now() - began) / 1000);
    return { run: 'overload', seed, seconds, lines, examples: [] };
  } finally {
    await stopChildren();
    await world.close();
  }
}

async function overload(hall: Hall): Promise<Line[]> {
  const open = await openStage(hall);
  const perSecond = await findSustainable(open);
  say(`overload: ${perSecond} quotes a second can be sustained`);
  const crowded = await pressTenTimes(open, perSecond);
  await open.close();
  // An operator knows what a machine can do, and lets no key have more than half of it.
  const limited = await openStage(hall, { RATE_LIMIT_PER_KEY: String(Math.round(perSecond / 2)) });
  const greedy = await pressWithOneKey(limited, perSecond);
  const held = [
    await holdSlow(limited),
    await holdIdle(limited),
    ...(hall.world.small ? [] : [await holdUnread(limited)]),
  ];
  await limited.close();
  return [...crowded, greedy, ...held, await evadeLimits(hall)];
}

const keysOf = ({ keys }: Stage, from: number, to: number) => keys.slice(from, to);

/** Faster and faster until it is too fast; a share of the last rate that was not. */
async function findSustainable(stage: Stage): Promise<number> {
  const keys = keysOf(stage, 0, ACCOUNTS);
  let perSecond = FIRST_RATE;
  for (let rate = FIRST_RATE; rate < MOST_RATE; rate = Math.round(rate * FASTER)) {
    const told = await stage.load({
      streams: [{ name: 'trial', keys, perSecond: rate, seconds: stage.small ? 1 : 3 }],
    });
    const isWell = told.filter(isWhole).length >= told.length * MOSTLY && percentile(told, 99) < TOO_LATE_MS;
    if (!isWell) break;
    perSecond = rate;
  }
  return Math.round(perSecond * SUSTAINABLE);
}

async function pressTenTimes(stage: Stage, perSecond: number): Promise<Line[]> {
  const keys = keysOf(stage, 0, ACCOUNTS);
  const seconds = stage.small ? 4 : PRESSED_SECONDS;
  const usual = await stage.load({
    streams: [{ name: 'usual', keys, perSecond, seconds: stage.small ? 3 : 20 }],
  });
  const pressed = await stage.load({
    streams: [{ name: 'pressed', keys, perSecond: perSecond * TIMES, seconds }],
  });
  const after = await stage.load({
    streams: [{ name: 'after', keys, perSecond, seconds: stage.small ? 4 : 10 }],
  });
  const ratio = goodput(pressed) / goodput(usual);
  const refused = pressed.filter(({ status }) => status === 429 || status === 503);
  const lacking = pressed.filter(({ status, quotes }) => status === 200 && quotes < PROVIDERS).length;
  const lost = pressed.filter(({ status }) => ![200, 429, 503].includes(status));
  const recovered = recoveryOf(after, percentile(usual, 99) * MOST_RATIO);
  return [
    {
      fault: 'F26',
      what: `${TIMES} times the sustainable ${perSecond} quotes/s for ${seconds} s, by ${keys.length} keys`,
      count: refused.length,
      violations:
        lacking + lost.length + Number(ratio < LEAST_GOODPUT) + Number(percentile(refused, 99) > FAST_MS),
      worst: `goodput ${ratio.toFixed(2)} of usual, refusals p99 ${Math.round(percentile(refused, 99))} ms (${lateness(pressed)}), ${lacking} incomplete, ${lost.length} lost${reasonsOf(lost)}`,
    },
    {
      fault: 'F26',
      what: 'back to normal after that',
      count: after.length,
      violations: Number(recovered > RECOVERY_MS),
      worst: `${(recovered / 1000).toFixed(1)} s`,
    },
  ];
}

/** Six keys at the sustainable rate; then one of them sends ten times that by itself, and then they are as before. */
async function pressWithOneKey(stage: Stage, perSecond: number): Promise<Line> {
  const half = Math.round(perSecond / 2);
  const seconds = stage.small ? 4 : PRESSED_SECONDS;
  const others = { name: 'others', keys: keysOf(stage, 1, 1 + OTHERS), perSecond: half, seconds };
  const one = { name: 'one', keys: keysOf(stage, 0, 1), perSecond: half, seconds };
  // Each in a process of its own: what one caller waits for must not be told by a process that is busy being another.
  const load = (streams: (typeof one)[]) => {
    const beginAt = Date.now() + GATHERING_MS;
    return Promise.all(streams.map(stream => stage.load({ streams: [stream], beginAt })));
  };
  const [before = []] = await load([others, one]);
  const [pressed = [], greedy = []] = await load([others, { ...one, perSecond: perSecond * TIMES }]);
  const [after = []] = await load([others, one]);
  const usual = [...before, ...after];
  const refused = greedy.filter(({ status }) => status === 429).length;
  const unserved = pressed.filter(told => !isWhole(told));
  const p99 = (told: readonly Told[]) => percentile(told, 99);
  const ratio = p99(pressed) / p99(usual);
  return {
    fault: 'F26',
    what: `one key sends ${perSecond * TIMES}/s beside ${OTHERS} others`,
    count: refused,
    violations: unserved.length + Number(ratio > MOST_RATIO),
    worst: `others’ p99 ${Math.round(p99(before))} ms before, ${Math.round(p99(pressed))} ms beside it, ${Math.round(p99(after))} ms after (${ratio.toFixed(2)}; ${lateness(pressed)}), ${unserved.length} of theirs not served${reasonsOf(unserved)}`,
  };
}

/** What those got who did not get what they asked for. */
function reasonsOf(unserved: readonly Told[]): string {
  const reasons = new Set(unserved.map(({ status }) => (status === 200 ? 'incomplete' : status)));
  return reasons.size > 0 ? ` (${[...reasons].join(', ')})` : '';
}

/** How late the load itself was: on a machine that has other things to do, that is not the service's doing. */
function lateness(told: readonly Told[]): string {
  return `sent ${Math.round(
    percentile(
      told.map(({ late }) => ({ ms: late })),
      99,
    ),
  )} ms late`;
}

/** Whole answers a second, until the last of them had come: what is still being worked off was not done in time. */
function goodput(told: readonly Told[]): number {
  const whole = told.filter(isWhole);
  const ends = [...whole.map(({ intended, ms }) => intended + ms), ...told.map(({ intended }) => intended)];
  // Too many to be handed over as arguments.
  const lastMs = ends.reduce((latest, end) => Math.max(latest, end), 0);
  return whole.length / (lastMs / 1_000);
}

function isWhole({ status, quotes }: Told): boolean {
  return status === 200 && quotes === PROVIDERS;
}

/** When the first two seconds began in which never more than a few were refused or slower than usual: later there are others, as ever. */
function recoveryOf(told: readonly Told[], usualMs: number): number {
  const windows = new Map<number, { all: number; bad: number }>();
  for (const { intended, status, ms } of told) {
    const at = Math.floor(intended / WINDOW_MS);
    const { all, bad } = windows.get(at) ?? { all: 0, bad: 0 };
    windows.set(at, { all: all + 1, bad: bad + Number(status !== 200 || ms > usualMs) });
  }
  const calm = [...windows.values()].map(({ all, bad }) => bad <= all * A_FEW);
  const at = calm.findIndex((_, from) => {
    const stretch = calm.slice(from, from + CALM_WINDOWS);
    return stretch.length === CALM_WINDOWS && stretch.every(Boolean);
  });
  return (at < 0 ? calm.length : at) * WINDOW_MS;
}

function percentile(told: readonly Pick<Told, 'ms'>[], share: number): number {
  const sorted = told.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * share) / 100) - 1)] ?? 0;
}
