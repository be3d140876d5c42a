/** The load: callers in a process of their own, who ask at constant rates whatever the service does, or hold connections. */

import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Connection, type Reply, runOpenLoop } from '../../bench/load.ts';
import { countQuotes } from '../../bench/wire.ts';

/** What the load is told, as JSON in its first argument. */
export interface LoadOrder {
  url: string;
  /** Where it leaves what came of it. */
  file: string;
  /** The first amount to ask for, in cents: each request asks for another. */
  firstCents: number;
  streams?: readonly Stream[];
  /** When streams begin, by the clock of the machine: several loads begin together, and each has been quick for a while. */
  beginAt?: number | undefined;
  slow?: { connections: number; seconds: number };
  idle?: { connections: number; seconds: number };
  /** By the keys in turn: whoever asks too often is refused, and refusals are too short to be left unread. */
  unread?: { connections: number; seconds: number; keys: readonly string[] };
}

/** Requests at a constant rate, by the keys in turn. */
export interface Stream {
  name: string;
  keys: readonly string[];
  perSecond: number;
  seconds: number;
}

export interface Told {
  stream: string;
  /** When it was to be sent, in milliseconds after the first of its stream. */
  intended: number;
  /** From that moment to the answer. */
  ms: number;
  /** How much of that had passed when it was sent. */
  late: number;
  /** 0 when there was none. */
  status: number;
  quotes: number;
}

export interface LoadResult {
  told: Told[];
  /** Milliseconds until each slow connection was ended; absent where it was not. */
  cut: (number | null)[];
}

/** As many distinct amounts as every provider takes. */
const AMOUNTS = 200_000;
/** As many connections as requests come in that time are open before: callers keep theirs, and open more when all are in use. */
const KEPT_SECONDS = 0.1;
/** What is always answered. */
const GREETING = '/health/live';
const WARM_SECONDS = 1;
const DRIBBLE_MS = 500;
const OPENED_AT_ONCE = 200;
const PAUSE_MS = 5;
/** Between two that send hundreds of requests in one piece: all of them at once would be a rush, and be refused as one. */
const APART_MS = 100;
const NOTHING = { status: 0, quotes: 0 };

const order = JSON.parse(process.argv[2] ?? '{}') as LoadOrder;
let asked = 0;
process.stdout.write('ready\n');
const told = (await Promise.all((order.streams ?? []).map(run))).flat();
const cut = [...(await dribble()), ...(await hold()), ...(await ignore())];
writeFileSync(order.file, JSON.stringify({ told, cut } satisfies LoadResult));
process.exit();

async function run({ name, keys, perSecond, seconds }: Stream): Promise<Told[]> {
  const { url, beginAt } = order;
  const warmUp = (connection: Connection) => connection.get(GREETING);
  if (beginAt !== undefined)
    await runOpenLoop({ url, perSecond, requests: Math.round(perSecond * WARM_SECONDS), ask: warmUp });
  const samples = await runOpenLoop({
    url,
    beginAt,
    perSecond,
    requests: Math.round(perSecond * seconds),
    kept: Math.round(perSecond * KEPT_SECONDS),
    greeting: GREETING,
    // Whole answers would fill the memory, and tidying that takes time which the others need.
    ask: (connection, at) =>
      connection.get(nextPath(), `authorization: ${keys[at % keys.length]}`).then(count, () => NOTHING),
  });
  return samples.map(({ intended, ms, late, reply }) => ({ stream: name, intended, ms, late, ...reply }));
}

function count(reply: Reply): Pick<Told, 'status' | 'quotes'> {
  return { status: reply.status, quotes: countQuotes(reply) };
}

function nextPath(): string {
  const cents = 10_000 + ((order.firstCents + asked++ * 7_919) % AMOUNTS);
  return `/quotes/eur/btc?amount=${(cents / 100).toFixed(2)}&country=de`;
}

/** Opens connections, and waits for each to be ended; null for those that were not in time. */
async function awaitCuts(
  { connections, seconds, apartMs = 0 }: { connections: number; seconds: number; apartMs?: number },
  use: (socket: Socket, at: number) => void,
): Promise<(number | null)[]> {
  const { hostname, port } = new URL(order.url);
  const cuts: Promise<number | null>[] = [];
  for (let at = 0; at < connections; at++) {
    const socket = connect(Number(port), hostname).on('error', () => {});
    cuts.push(
      new Promise(resolve => {
        let began = performance.now();
        socket.once('connect', () => {
          began = performance.now();
          use(socket, at);
        });
        socket.once('close', () => resolve(performance.now() - began));
        setTimeout(() => resolve(null), seconds * 1_000);
      }),
    );
    if (apartMs > 0) await wait(apartMs);
    else if (at % OPENED_AT_ONCE === 0) await wait(PAUSE_MS);
  }
  return Promise.all(cuts);
}

/** Headers that never end, one by one. */
async function dribble(): Promise<(number | null)[]> {
  if (!order.slow) return [];
  return awaitCuts(order.slow, socket => {
    socket.resume();
    socket.write('GET /supported HTTP/1.1\r\nhost: x\r\n');
    const timer = setInterval(() => socket.write('x-more: 1\r\n'), DRIBBLE_MS);
    socket.once('close', () => clearInterval(timer));
  });
}

/** One request each, and then nothing. */
async function hold(): Promise<(number | null)[]> {
  if (!order.idle) return [];
  return awaitCuts(order.idle, socket => {
    socket.resume();
    socket.write(`GET ${GREETING} HTTP/1.1\r\nhost: x\r\n\r\n`);
  });
}

/** Many requests, and nobody who reads the answers. */
async function ignore(): Promise<(number | null)[]> {
  if (!order.unread) return [];
  const { keys } = order.unread;
  return awaitCuts({ ...order.unread, apartMs: APART_MS }, (socket, at) => {
    socket.pause();
    const request = `GET /supported HTTP/1.1\r\nhost: x\r\nauthorization: ${keys[at % keys.length]}\r\n\r\n`;
    socket.write(request.repeat(500));
    // Whoever does not read only learns by writing that the other side has gone.
    const timer = setInterval(() => socket.write('\r\n'), DRIBBLE_MS);
    socket.once('close', () => clearInterval(timer));
  });
}
