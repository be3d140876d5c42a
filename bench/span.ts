/** A span: one of several targets under load for a while; its rate, its latency, and what it and PostgreSQL used. */
import { cpus } from 'node:os';
import { cpuOf, familyCpuOf, machineCpu } from './cpu.ts';
import { median, percentile, rotate } from './figures.ts';
import type { ClosedResult } from './load.ts';
import type { Pacing } from './world.ts';

export interface Target<Name extends string> {
  name: Name;
  pid: number;
  /** What takes time and is not to be measured. */
  prepare?(): Promise<void>;
  /** Puts it under load. */
  run(milliseconds: number): Promise<Load>;
  /** Waits until nothing of it is left to be done. */
  settle?(): Promise<void>;
}

export interface Load {
  requests: number;
  seconds: number;
  p50: number;
  p99: number;
}

export interface Span {
  perSecond: number;
  p50: number;
  p99: number;
  /** Microseconds a request took of the target's process, and of PostgreSQL. */
  cpuMicros: number;
  postgresMicros: number;
  /** How much of the machine went to processes that are not ours. */
  foreign: number;
}

/** The middle of what was measured, by target. */
export interface Spans<Name extends string> {
  of(name: Name, figure: keyof Span): number;
  /** Of all rounds. */
  all(name: Name, figure: keyof Span): number[];
  /** Whether others kept the machine too busy for these to be compared. */
  isDisturbed(...names: Name[]): boolean;
}

export interface SpanOptions {
  pacing: Pacing;
  /** The process that started all of PostgreSQL. */
  postgres: number;
  /** Other processes that are part of the load. */
  helpers: readonly number[];
  /** How long a span is. */
  milliseconds: number;
  /** After so many requests the code of a target has been compiled. */
  warmUp: number;
  /** Called before every round. */
  prepare?(): Promise<void>;
}

/** More than this of the machine in other hands makes figures doubtful. */
const MOST_FOREIGN = 0.1;
/** A target that is not warm by then has no time to become so. */
const MOST_TURNS = 6;

/** A warm-up of each, then rounds that each begin with another one. */
export async function measureSpans<Name extends string>(
  targets: readonly Target<Name>[],
  options: SpanOptions,
): Promise<Spans<Name>> {
  const { pacing, milliseconds } = options;
  const spans = new Map<Name, Span[]>(targets.map(({ name }) => [name, []]));
  await options.prepare?.();
  for (const target of targets) {
    let requests = 0;
    for (let turn = 0; turn < MOST_TURNS && requests < options.warmUp; turn++) {
      await target.prepare?.();
      requests += (await target.run(milliseconds)).requests;
      await target.settle?.();
    }
  }
  for (let round = 0; round < pacing.rounds; round++) {
    await options.prepare?.();
    for (const target of rotate(targets, round)) {
      await target.prepare?.();
      spans.get(target.name)?.push(await measureSpan(target, options));
      await target.settle?.();
    }
  }
  const foreign = median([...spans.values()].flat().map(span => span.foreign));
  console.error(`bench: others used ${(foreign * 100).toFixed(0)} % of the machine meanwhile`);
  const all = (name: Name, figure: keyof Span) => (spans.get(name) ?? []).map(span => span[figure]);
  const of = (name: Name, figure: keyof Span) => median(all(name, figure));
  return { all, of, isDisturbed: (...names) => names.some(name => of(name, 'foreign') > MOST_FOREIGN) };
}

async function measureSpan(
  { pid, run }: Target<string>,
  { postgres, helpers, milliseconds }: SpanOptions,
): Promise<Span> {
  const others = [process.pid, ...helpers].filter(other => other !== pid);
  const read = () => ({
    at: performance.now(),
    machine: machineCpu(),
    own: cpuOf(pid),
    postgres: familyCpuOf(postgres),
    load: others.reduce((sum, other) => sum + cpuOf(other), 0),
  });
  const before = read();
  const { requests, seconds, p50, p99 } = await run(milliseconds);
  const after = read();
  const used = (what: keyof typeof before) => after[what] - before[what];
  const foreign = used('machine') - used('own') - used('postgres') - used('load');
  return {
    perSecond: requests / seconds,
    p50,
    p99,
    cpuMicros: (used('own') * 1000) / requests,
    postgresMicros: (used('postgres') * 1000) / requests,
    foreign: Math.max(0, foreign / (used('at') * cpus().length)),
  };
}

export function loadOf({ requests, seconds, times }: ClosedResult): Load {
  return { requests, seconds, p50: percentile(times, 50), p99: percentile(times, 99) };
}
