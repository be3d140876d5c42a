/** CPU and memory of a process, as the kernel counts them. */
import { readFileSync } from 'node:fs';

/** USER_HZ, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_KIB = 4;
const SAMPLE_MS = 10;

/** Milliseconds of CPU used so far, user and system, all threads. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may hold anything; the fields are counted behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** MiB in memory now. */
export function rssOf(pid: number): number {
  const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
  return (Number(pages) * PAGE_KIB) / 1024;
}

/** Watches the memory of a process until asked for its highest, in MiB. */
export function watchRss(pid: number): () => number {
  let highest = rssOf(pid);
  const timer = setInterval(() => {
    highest = Math.max(highest, rssOf(pid));
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return Math.max(highest, rssOf(pid));
  };
}
