/** Virtual time: everything that is to happen, in one order, on one thread. It passes only when nothing is left to do. */
import { setImmediate as realImmediate } from 'node:timers';

/** Whoever something happens to: an instance of the service, or the world around it. */
export interface Owner {
  name: string;
  /** What belongs to somebody who is not alive any more never happens. */
  isAlive: boolean;
  /** How far its clock is from the true time. */
  skewMs: number;
}

/** Something that is to happen. */
export interface Entry {
  at: number;
  serial: number;
  owner: Owner;
  act(): void;
  isCancelled: boolean;
}

/** Nobody in particular: people, providers, networks. */
export const WORLD: Owner = { name: 'world', isAlive: true, skewMs: 0 };

/** When every simulation begins: 1 March 2026, noon. */
const BEGINNING = 1_772_366_400_000;

let heap: Entry[] = [];
let serial = 0;
let passed = 0;
let owner: Owner = WORLD;
let held: Promise<unknown>[] = [];
let happened = 0;
let slept = 0;

/** Forgets everything; a new world begins. */
export function beginTime(): void {
  heap = [];
  held = [];
  serial = 0;
  passed = 0;
  happened = 0;
  slept = 0;
  owner = WORLD;
}

/** The machines sleep, as if their power had been saved: every clock goes on, and nothing happens meanwhile. */
export function sleep(ms: number): void {
  slept += ms;
}

/** How much time has passed in all, sleep included. */
export function elapsed(): number {
  return passed + slept;
}

/** Milliseconds since the beginning, on a clock that only goes forward. */
export function ticks(): number {
  return passed;
}

/** Milliseconds since 1970, as the clock of `whose` says. */
export function wallOf(whose: Owner = owner): number {
  return Math.floor(BEGINNING + slept + passed + whose.skewMs);
}

/** The true time in whole seconds, in milliseconds since 1970. */
export function wholeSecond(): number {
  return Math.floor(wallOf(WORLD) / 1000) * 1000;
}

export function currentOwner(): Owner {
  return owner;
}

/** How many things have happened. */
export function countHappened(): number {
  return happened;
}

/** How much is still to happen to `whose`; timers that were cancelled do not count. */
export function pendingOf(whose: Owner): number {
  return heap.filter(entry => entry.owner === whose && !entry.isCancelled).length;
}

export function after(ms: number, act: () => void, whose: Owner = owner): Entry {
  const entry = { at: passed + Math.max(0, ms), serial: serial++, owner: whose, act, isCancelled: false };
  push(entry);
  return entry;
}

export function cancel(entry: Entry | undefined): void {
  if (entry) entry.isCancelled = true;
}

/** Resolves for the present owner after so long. */
export function pause(ms: number): Promise<void> {
  return new Promise(resolve => after(ms, resolve));
}

/** Something real is under way: time stands still until it is done. */
export function hold(work: Promise<unknown>): void {
  held.push(work);
}

/** Does something as somebody else. */
export function actAs<T>(whose: Owner, act: () => T): T {
  const before = owner;
  owner = whose;
  try {
    return act();
  } finally {
    owner = before;
  }
}

/** Lets things happen until there is nothing more to wait for. */
export async function passTime(isOver: () => boolean): Promise<void> {
  await settle();
  while (!isOver()) {
    const next = pop();
    if (!next) throw new Error('nothing is left to happen, and something is still waited for');
    if (next.isCancelled || !next.owner.isAlive) continue;
    passed = Math.max(passed, next.at);
    owner = next.owner;
    happened++;
    next.act();
    await settle();
  }
  owner = WORLD;
}

/** Everything that follows at once from what has happened, and everything real that it began. */
async function settle(): Promise<void> {
  await new Promise(resolve => realImmediate(resolve));
  while (held.length > 0) {
    const works = held;
    held = [];
    await Promise.all(works);
    await new Promise(resolve => realImmediate(resolve));
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.serial < b.serial);
}

function push(entry: Entry): void {
  let at = heap.length;
  heap.push(entry);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as Entry;
    if (!isBefore(entry, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = entry;
}

function pop(): Entry | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (!top || !last || heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child++;
    if (!isBefore(heap[child] as Entry, last)) break;
    heap[at] = heap[child] as Entry;
    at = child;
  }
  heap[at] = last;
  return top;
}
