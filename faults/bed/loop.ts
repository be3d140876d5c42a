/** How long an instance's loop is held up by its own work, written down as it runs. */
import { appendFileSync, readFileSync } from 'node:fs';

/** Often enough that whatever holds the loop up is noticed. */
const LOOK_MS = 2;
const WRITE_MS = 100;

/**
 * Writes, ten times a second, the longest the loop was held up since the last time. Only as long counts as the process
 * worked meanwhile: one that is not given a core is late through no doing of its own.
 */
export function watchLoop(file: string): void {
  let [at, worked, longest] = [performance.now(), workOf(), 0];
  setInterval(() => {
    const [now, work] = [performance.now(), workOf()];
    longest = Math.max(longest, Math.min(now - at - LOOK_MS, work - worked));
    [at, worked] = [now, work];
  }, LOOK_MS).unref();
  setInterval(() => {
    appendFileSync(file, `${Date.now()} ${longest}\n`);
    longest = 0;
  }, WRITE_MS).unref();
}

/** Of all threads, in milliseconds. */
function workOf(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The longest of each tenth of a second, in milliseconds, from a moment on. */
export function readDelays(file: string, since: number): number[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => line.split(' ').map(Number) as [number, number])
    .filter(([at]) => at >= since)
    .map(([, ms]) => ms);
}
