/** Slow and idle clients: how long they last, and whether anybody else notices. */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { countQuotes } from '../../bench/wire.ts';
import type { Line } from '../report.ts';
import type { Stage } from './stage.ts';

/** What the service gives headers, and whoever reads nothing, in seconds; and what it may take to notice. */
const HEADERS_S = 10;
const UNREAD_S = 30;
const NOTICE_S = 2;
/** After so long a silence the kernel may still take some more of an answer, and the time begins anew. */
const KERNEL_S = 30;
const IDLE_S = { small: 4, full: 30 };
const ASK_MS = 250;
/** What an idle connection may cost, all in all. */
const MOST_KIB = 40;

export async function holdSlow(stage: Stage): Promise<Line> {
  const connections = stage.small ? 100 : 1_000;
  const limit = HEADERS_S + NOTICE_S;
  const { result: cuts, failed } = await beside(stage, () =>
    stage.hold({ slow: { connections, seconds: limit + 3 } }),
  );
  return {
    fault: 'F26',
    what: 'headers that never end, a line every half second',
    count: connections,
    violations: cuts.filter(ms => ms === null || ms > limit * 1_000).length + failed,
    worst: `${longest(cuts)} until cut, ${failed} others not served`,
  };
}

export async function holdUnread(stage: Stage): Promise<Line> {
  // One for each key but that of whoever asks meanwhile: of two the second would be refused, in answers that are too short.
  const keys = stage.keys.slice(0, -1);
  const connections = keys.length;
  const limit = UNREAD_S + NOTICE_S + KERNEL_S;
  const { result: cuts, failed } = await beside(stage, () =>
    stage.hold({ unread: { connections, seconds: limit + 10, keys } }),
  );
  return {
    fault: 'F26',
    what: 'answers that nobody reads',
    count: connections,
    violations: cuts.filter(ms => ms === null || ms > limit * 1_000).length + failed,
    worst: `${longest(cuts)} until cut, ${failed} others not served`,
  };
}

export async function holdIdle(stage: Stage): Promise<Line> {
  const connections = stage.small ? 500 : 10_000;
  const seconds = stage.small ? IDLE_S.small : IDLE_S.full;
  const before = rssOf(stage.pid);
  let highest = before;
  const { result: cuts, failed } = await beside(stage, async () => {
    const watch = setInterval(() => {
      highest = Math.max(highest, rssOf(stage.pid));
    }, ASK_MS);
    const held = await stage.hold({ idle: { connections, seconds } });
    clearInterval(watch);
    return held;
  });
  const each = (highest - before) / connections;
  const ended = cuts.filter(ms => ms !== null).length;
  return {
    fault: 'F26',
    what: 'connections kept and not used',
    count: connections,
    violations: failed + Number(!stage.small && each > MOST_KIB),
    worst: `${each.toFixed(1)} KiB each, ${ended} ended for others, ${failed} others not served`,
  };
}

/** Asks for quotes while something goes on; how many did not get them. */
async function beside<T>(stage: Stage, act: () => Promise<T>): Promise<{ result: T; failed: number }> {
  let isOver = false;
  let failed = 0;
  const asking = (async () => {
    while (!isOver) {
      const reply = await stage.ask();
      if (reply.status !== 200 || countQuotes(reply) === 0) failed++;
      await wait(ASK_MS);
    }
  })();
  const result = await act();
  isOver = true;
  await asking;
  return { result, failed };
}

function longest(cuts: readonly (number | null)[]): string {
  if (cuts.some(ms => ms === null)) return `${cuts.filter(ms => ms === null).length} never`;
  return `${(Math.max(...(cuts as number[])) / 1_000).toFixed(1)} s`;
}

function rssOf(pid: number): number {
  return Number(/^VmRSS\D+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
