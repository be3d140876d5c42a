/** Bench Bi: catalogue answers against a bare server that sends the same bytes. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Child } from './child.ts';
import { cpuOf } from './cpu.ts';
import { median, percentile, rotate } from './figures.ts';
import { openConnection } from './load.ts';
import { type Row, short } from './table.ts';
import type { World } from './world.ts';

const CONNECTIONS = 16;
const LEAST_SHARE = 0.85;
const VARIED = fileURLToPath(new URL('../bench/varied.lua', import.meta.url));
const KEY_KNOWN_MS = 10_000;
const PATHS = [
  '/supported',
  '/supported/payment-types',
  '/supported/onramps/all',
  '/supported?type=sell',
  '/supported/defaults/all',
];

/** One of the things measured: a path at a server, possibly with what the client has already. */
interface Target {
  name: string;
  server: Child;
  path: string;
  key: string;
  etag?: string;
  /** Whether no two requests are the same to the letter. */
  varied?: boolean;
}

interface Measured {
  perSecond: number;
  /** How much of a core the server had; a loaded server takes all it gets. */
  share: number;
  cpuMicros: number;
  p99: number;
}

export async function benchCatalogue(world: World): Promise<Row[]> {
  const service = await world.shared('ours');
  const paths = world.pacing.quick ? PATHS.slice(0, 2) : PATHS;
  const pages = await Promise.all(paths.map(path => readPage(service, path)));
  const bare = await world.startBaseline('bare', [service.url, service.key, ...paths]);
  const largest = pages.reduce((a, b) => (b.size > a.size ? b : a));
  const { key } = service;
  const targets: Target[] = pages.flatMap(({ path, etag }) => [
    { name: `ours ${path}`, server: service, path, key },
    { name: `bare ${path}`, server: bare, path, key },
    { name: `304 ${path}`, server: service, path, key, etag },
    { name: `ours varied ${path}`, server: service, path, key, varied: true },
    { name: `bare varied ${path}`, server: bare, path, key, varied: true },
  ]);
  const wanted = targets.filter(({ etag, varied, path }) => (!etag && !varied) || path === largest.path);

  const rounds = new Map<string, Measured[]>(wanted.map(({ name }) => [name, []]));
  const seconds = world.pacing.quick ? 1 : 2;
  for (const target of wanted) await runOwn(target, world.pacing.quick ? 0.3 : 1);
  for (let round = 0; round < Math.min(3, world.pacing.rounds); round++) {
    for (const target of rotate(wanted, round)) rounds.get(target.name)?.push(await measure(target, seconds));
  }
  await bare.stop();

  const of: Of = (name, figure) => median((rounds.get(name) ?? []).map(measured => measured[figure]));
  const rows = pages.flatMap(({ path, size }) => judge(path, size, of));
  const known = `304 ${largest.path}`;
  const full = `bare ${largest.path}`;
  rows.push({
    bench: 'Bi',
    what: `304 for ${largest.path}, req/s over bare's 200`,
    ours: speedText(known, of),
    baseline: `bare ${speedText(full, of)}`,
    figure: of(known, 'perSecond') / of(full, 'perSecond'),
    goal: { id: 'G1', least: 1.2 },
    doubtful: isDisturbed([known, full], of),
  });
  const [ours, other] = [`ours varied ${largest.path}`, `bare varied ${largest.path}`];
  rows.push({
    bench: 'Bi',
    what: `${largest.path}, no two requests the same, req/s`,
    ours: speedText(ours, of),
    baseline: `bare ${speedText(other, of)}`,
    figure: of(ours, 'perSecond') / of(other, 'perSecond'),
    doubtful: isDisturbed([ours, other], of),
  });
  return rows;
}

type Of = (name: string, figure: keyof Measured) => number;

function judge(path: string, size: number, of: Of): Row[] {
  const [ours, bare] = [`ours ${path}`, `bare ${path}`];
  const row = (what: string, figure: keyof Measured, unit: string): Row => ({
    bench: 'Bi',
    what: `${path} (${(size / 1000).toFixed(1)} kB), ${what}`,
    ours: `${short(of(ours, figure))}${unit}`,
    baseline: `bare ${short(of(bare, figure))}${unit}`,
    figure: of(ours, figure) / of(bare, figure),
  });
  return [
    {
      ...row('req/s', 'perSecond', ''),
      ours: speedText(ours, of),
      baseline: `bare ${speedText(bare, of)}`,
      goal: { id: 'G1', least: 0.9 },
      doubtful: isDisturbed([ours, bare], of),
    },
    { ...row('CPU per request', 'cpuMicros', ' µs'), goal: { id: 'G1', most: 1.15 } },
    row('p99', 'p99', ' ms'),
  ];
}

function speedText(name: string, of: Of): string {
  return `${short(Math.round(of(name, 'perSecond')))}/s on ${(of(name, 'share') * 100).toFixed(0)} % of a core`;
}

/** Whether others had so much of the core that speeds cannot be compared. */
function isDisturbed(names: readonly string[], of: Of): boolean {
  return names.some(name => of(name, 'share') < LEAST_SHARE);
}

interface Page {
  path: string;
  size: number;
  etag: string;
}

/** A new key is known to the service within a second or so. */
async function readPage({ url, key }: Child, path: string): Promise<Page> {
  for (const until = Date.now() + KEY_KNOWN_MS; ; ) {
    const answer = await fetch(url + path, { headers: { authorization: key } });
    const body = await answer.arrayBuffer();
    if (answer.ok) return { path, size: body.byteLength, etag: answer.headers.get('etag') ?? '' };
    if (answer.status !== 401 || Date.now() > until) throw new Error(`${path} answered ${answer.status}`);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

async function measure(target: Target, seconds: number): Promise<Measured> {
  const { server } = target;
  const before = cpuOf(server.pid);
  const began = performance.now();
  const { requests, perSecond, p99 } = await (hasWrk() ? runWrk : runOwn)(target, seconds);
  const cpu = cpuOf(server.pid) - before;
  return { perSecond, p99, share: cpu / (performance.now() - began), cpuMicros: (cpu * 1000) / requests };
}

interface Ran {
  requests: number;
  perSecond: number;
  p99: number;
}

let wrkFound: boolean | undefined;

/** Debian has wrk; on a machine where we may, it is fetched. */
function hasWrk(): boolean {
  const works = () => spawnSync('wrk', ['-v']).error === undefined;
  wrkFound ??= works() || (process.getuid?.() === 0 && installWrk() && works());
  return wrkFound;
}

function installWrk(): boolean {
  console.error('bench: installing wrk');
  return spawnSync('apt-get', ['install', '-y', '-qq', 'wrk'], { timeout: 60_000 }).status === 0;
}

async function runWrk(target: Target, seconds: number): Promise<Ran> {
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--latency'];
  const headers = headersOf(target).flatMap(header => ['-H', header]);
  const { server, path, varied } = target;
  const script = varied ? ['-s', VARIED] : [];
  const wrk = spawn('wrk', [...options, ...headers, ...script, server.url + path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  wrk.stdout.on('data', chunk => {
    text += chunk;
  });
  await once(wrk, 'close');
  if (/Socket errors|Non-2xx/.test(text)) throw new Error(`${path}: ${text}`);
  const [, value, unit] = /99% +([\d.]+)(us|ms|s)/.exec(text) ?? [];
  return {
    requests: Number(/(\d+) requests in/.exec(text)?.[1]),
    perSecond: Number(/Requests\/sec: +([\d.]+)/.exec(text)?.[1]),
    p99: Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit ?? ''] ?? Number.NaN),
  };
}

function headersOf({ key, etag }: Target): string[] {
  return [`Authorization: ${key}`, ...(etag ? [`If-None-Match: ${etag}`] : [])];
}

/** Without wrk: slower than the servers it measures, so only CPU per request means much. */
async function runOwn(target: Target, seconds: number): Promise<Ran> {
  const { server, path, etag, varied } = target;
  const header = headersOf(target).join('\r\n');
  const connections = Array.from({ length: CONNECTIONS }, () => openConnection(server.url));
  const times: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  const wanted = etag ? 304 : 200;
  await Promise.all(
    connections.map(async connection => {
      for (let sent = performance.now(); sent < end; sent = performance.now()) {
        const trace = varied ? `\r\nX-Trace: ${times.length}` : '';
        const { status } = await connection.get(path, header + trace);
        if (status !== wanted) throw new Error(`${path} answered ${status}`);
        times.push(performance.now() - sent);
      }
      connection.close();
    }),
  );
  const perSecond = times.length / ((performance.now() - began) / 1000);
  return { requests: times.length, perSecond, p99: percentile(times, 99) };
}
