/** Series: numbers by label, counted cheaply and written in the text format that Prometheus reads. */
import { existsSync, readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** All series of one name. */
export interface Family {
  /** Its lines, the last one ended. */
  write(): string;
}

/** With two labels at most: what counts every answer makes no list of them. */
export interface Counter extends Family {
  add(first?: string, second?: string): void;
}

export interface Histogram extends Family {
  observe(value: number, first?: string, second?: string): void;
}

interface About {
  name: string;
  help: string;
  labels: readonly string[];
}

/** A number, with the values of its labels. */
type Reading = readonly [value: number, ...labels: string[]];

export function createCounter(about: About): Counter {
  const cells = createCells(about, () => ({ count: 0 }));
  return {
    add(first, second) {
      cells.of(first, second).count++;
    },
    write() {
      const lines = cells.all().map(([labels, { count }]) => lineOf(about.name, labels, count));
      return written(
        about,
        'counter',
        lines.length > 0 || about.labels.length > 0 ? lines : [`${about.name} 0`],
      );
    },
  };
}

/** What is not counted but looked at when somebody asks. */
export function createGauge(about: About & { read(): readonly Reading[]; grows?: boolean }): Family {
  const { name, labels, read, grows = false } = about;
  return {
    write() {
      const lines = read().map(([value, ...values]) => lineOf(name, pairsOf(labels, values), value));
      return written(about, grows ? 'counter' : 'gauge', lines);
    },
  };
}

export function createHistogram(about: About & { bounds: readonly number[] }): Histogram {
  const { name, bounds } = about;
  const cells = createCells(about, () => ({ sum: 0, count: 0, within: bounds.map(() => 0) }));
  return {
    observe(value, first, second) {
      const cell = cells.of(first, second);
      cell.sum += value;
      cell.count++;
      const at = bounds.findIndex(bound => value <= bound);
      if (at >= 0) cell.within[at] = (cell.within[at] as number) + 1;
    },
    write() {
      const lines = cells.all().flatMap(([labels, { sum, count, within }]) => {
        let below = 0;
        const buckets = bounds.map((bound, at) => {
          below += within[at] as number;
          return lineOf(`${name}_bucket`, [...labels, ['le', String(bound)]], below);
        });
        return [
          ...buckets,
          lineOf(`${name}_bucket`, [...labels, ['le', '+Inf']], count),
          lineOf(`${name}_sum`, labels, sum),
          lineOf(`${name}_count`, labels, count),
        ];
      });
      return written(about, 'histogram', lines);
    },
  };
}

/** Where Linux lists them. */
const OPEN_FILES = '/proc/self/fd';
/** Seldom enough to cost nothing: the loop is woken for every look. */
const LAG_MS = 100;

/** What every process of ours tells of itself, under the names that dashboards know. */
export function createProcessFamilies(): Family[] {
  const lag = monitorEventLoopDelay({ resolution: LAG_MS });
  lag.enable();
  const gauge = (name: string, help: string, read: () => number) =>
    createGauge({ name, help, labels: [], read: () => [[read()]], grows: name.endsWith('_total') });
  // What is measured is the time between two looks.
  const late = (share: number) => Math.max(0, lag.percentile(share) / 1e9 - LAG_MS / 1000);
  // Of the time since somebody last asked.
  const lags = [
    gauge('nodejs_eventloop_lag_p50_seconds', 'Middle delay of the loop.', () => late(50)),
    gauge('nodejs_eventloop_lag_p99_seconds', 'Long delays of the loop.', () => late(99)),
  ];
  const memory = () => process.memoryUsage();
  const cpu = () => process.cpuUsage();
  return [
    gauge('process_cpu_user_seconds_total', 'CPU time in user code.', () => cpu().user / 1e6),
    gauge('process_cpu_system_seconds_total', 'CPU time in the kernel.', () => cpu().system / 1e6),
    gauge('process_start_time_seconds', 'When the process started.', () => performance.timeOrigin / 1000),
    gauge('process_resident_memory_bytes', 'Memory in use.', () => memory().rss),
    ...(existsSync(OPEN_FILES)
      ? [gauge('process_open_fds', 'Open files and connections.', () => readdirSync(OPEN_FILES).length)]
      : []),
    gauge('nodejs_heap_size_total_bytes', 'Memory set aside for objects.', () => memory().heapTotal),
    gauge('nodejs_heap_size_used_bytes', 'Memory in use for objects.', () => memory().heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory in use for buffers.', () => memory().external),
    {
      write() {
        const text = lags.map(({ write }) => write()).join('');
        lag.reset();
        return text;
      },
    },
    createGauge({
      name: 'nodejs_version_info',
      help: 'The version of Node.js.',
      labels: ['version'],
      read: () => [[1, process.version]],
    }),
  ];
}

type Pairs = readonly (readonly [name: string, value: string])[];

interface Cells<T> {
  /** The numbers kept for these labels; labels are few, so none is ever forgotten. */
  of(first?: string, second?: string): T;
  all(): (readonly [labels: Pairs, cell: T])[];
}

function createCells<T>({ labels: names }: About, make: () => T): Cells<T> {
  /** By the first label, then by the second: a key made of both would be made for every count. */
  const cells = new Map<string, Map<string, { labels: readonly string[]; cell: T }>>();
  const all: { labels: readonly string[]; cell: T }[] = [];

  function add(first: string, second: string): T {
    const added = { labels: [first, second].slice(0, names.length), cell: make() };
    cells.set(first, (cells.get(first) ?? new Map()).set(second, added));
    all.push(added);
    return added.cell;
  }

  return {
    of: (first = '', second = '') => cells.get(first)?.get(second)?.cell ?? add(first, second),
    all: () => all.map(({ labels, cell }) => [pairsOf(names, labels), cell] as const),
  };
}

function pairsOf(names: readonly string[], values: readonly string[]): Pairs {
  return names.map((name, at) => [name, values[at] ?? ''] as const);
}

function written({ name, help }: About, type: string, lines: readonly string[]): string {
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`;
}

function lineOf(name: string, labels: Pairs, value: number): string {
  const list = labels.map(([label, text]) => `${label}="${quoted(text)}"`).join(',');
  return `${name}${list ? `{${list}}` : ''} ${value}`;
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
