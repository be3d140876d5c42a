/** CPU and memory of processes and of the machine, as the kernel counts them. */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_KIB = 4;
const SAMPLE_MS = 10;

/** Milliseconds of CPU used so far, user and system, all threads. */
export function cpuOf(pid: number): number {
  const fields = statOf(pid);
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** The same of a process and all it has started, whether they still run or have ended. */
export function familyCpuOf(pid: number): number {
  for (;;) {
    const ended = endedCpuOf(pid);
    const running = [pid, ...childrenOf(pid)].map(member => unlessGone(() => cpuOf(member)) ?? 0);
    // One that ends while the others are read would be counted twice, or not at all.
    if (endedCpuOf(pid) === ended) return running.reduce((sum, cpu) => sum + cpu, ended);
  }
}

/** Of those it has started that have ended. */
function endedCpuOf(pid: number): number {
  const fields = statOf(pid);
  return ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_SECOND;
}

export function childrenOf(pid: number): number[] {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return all.map(Number).filter(one => unlessGone(() => parentOf(one)) === pid);
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** Milliseconds of CPU that all processes together have used so far. */
export function machineCpu(): number {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split(/\s+/, 8);
  const ticks = [user, nice, system, irq, softirq].reduce((sum, part) => sum + Number(part), 0);
  return (ticks * 1000) / TICKS_PER_SECOND;
}

/** The name in brackets may hold anything; the fields are counted behind it. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Processes end while they are looked at. */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
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
