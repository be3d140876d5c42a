/** Evasion: one caller who tries to be taken for many, in every way that is known. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Line, say } from '../report.ts';
import { type Hall, openStage, type Stage } from './stage.ts';

const PER_SECOND = 50;
const BURST = 2 * PER_SECOND;
const TOLERANCE = 1.05;

/** By then a caller may ask for a whole burst again. */
const REFILL_MS = 2_100;

interface Trick {
  /** What is sent in the place of the usual header, request by request. */
  headers(key: string, at: number): readonly string[];
  connections: number;
  /** Requests sent without waiting for an answer. */
  pipelined: number;
}

const alike: Trick['headers'] = key => [`authorization: ${key}`];

const TRICKS: Readonly<Record<string, Trick>> = {
  'over one connection': { headers: alike, connections: 1, pipelined: 1 },
  'over many connections': { headers: alike, connections: 64, pipelined: 1 },
  'all at once over one connection': { headers: alike, connections: 1, pipelined: 200 },
  'all at once over many': { headers: alike, connections: 16, pipelined: 50 },
  'with words before the key': {
    headers: (key, at) => [`authorization: ${['Bearer ', 'bearer ', 'BASIC ', 'Basic ', ''][at % 5]}${key}`],
    connections: 8,
    pipelined: 1,
  },
  'with the header’s name in other letters': {
    headers: (key, at) => [`${['Authorization', 'AUTHORIZATION', 'aUTHORIZATION'][at % 3]}: ${key}`],
    connections: 8,
    pipelined: 1,
  },
  'with headers in another order, and more of them': {
    headers: (key, at) => {
      const more = Array.from({ length: at % 20 }, (_, one) => `x-more-${one}: ${at}`);
      return at % 2 ? [...more, `authorization: ${key}`] : [`authorization: ${key}`, ...more];
    },
    connections: 8,
    pipelined: 1,
  },
  'with a forwarded address of another each time': {
    headers: (key, at) => [`authorization: ${key}`, `x-forwarded-for: 198.51.100.${at % 256}`],
    connections: 8,
    pipelined: 1,
  },
  'with the key in other letters, which nobody has': {
    headers: (key, at) => [`authorization: ${at % 2 ? key.toLowerCase() : key.toUpperCase()}`],
    connections: 8,
    pipelined: 1,
  },
  'with another guess each time': {
    headers: (_key, at) => [`authorization: pk_test_${String(at).padStart(26, '0')}`],
    connections: 8,
    pipelined: 1,
  },
  'without a key, from addresses it makes up': {
    headers: (_key, at) => [`x-forwarded-for: 203.0.113.${at % 256}`, `x-real-ip: 203.0.113.${at % 256}`],
    connections: 8,
    pipelined: 1,
  },
};

export async function evadeLimits(hall: Hall): Promise<Line> {
  const limits = { RATE_LIMIT_PER_KEY: String(PER_SECOND), RATE_LIMIT_PER_ADDRESS: String(PER_SECOND) };
  const stage = await openStage(hall, limits);
  // Whatever was asked while it started is forgotten.
  await wait(REFILL_MS);
  const tried: Attempt[] = [];
  for (const [at, [name, trick]] of Object.entries(TRICKS).entries()) {
    const attempt = await attemptTo(stage, { name, ...trick, key: stage.keys[at % stage.keys.length] ?? '' });
    say(
      `overload: ${name}: ${attempt.served} of ${attempt.sent} served, ${attempt.ratio.toFixed(2)} of what is allowed`,
    );
    tried.push(attempt);
  }
  await stage.close();
  const successes = tried.filter(({ ratio }) => ratio > TOLERANCE);
  return {
    fault: 'X10',
    what: `${tried.length} ways around a limit of ${PER_SECOND}/s`,
    count: tried.reduce((sum, { sent, served }) => sum + sent - served, 0),
    violations: successes.length,
    worst: `${Math.max(...tried.map(({ ratio }) => ratio)).toFixed(2)} of what is allowed${successes.map(({ name }) => `, ${name}`).join('')}`,
  };
}

interface Attempt {
  name: string;
  sent: number;
  served: number;
  /** What was served over what may be. */
  ratio: number;
}

/** Asks as fast as it can, for a while. */
async function attemptTo(stage: Stage, trick: Trick & { name: string; key: string }): Promise<Attempt> {
  const until = performance.now() + (stage.small ? 1_000 : 4_000);
  const began = performance.now();
  const counts = { sent: 0, served: 0 };
  await Promise.all(Array.from({ length: trick.connections }, () => insist(stage, { trick, until, counts })));
  const seconds = (performance.now() - began) / 1_000;
  return { name: trick.name, ...counts, ratio: counts.served / (BURST + PER_SECOND * seconds) };
}

interface Insistence {
  trick: Trick & { key: string };
  until: number;
  counts: { sent: number; served: number };
}

async function insist({ url }: Stage, { trick, until, counts }: Insistence): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  await once(socket, 'connect');
  while (performance.now() < until) {
    const requests = Array.from({ length: trick.pipelined }, () =>
      write(trick.headers(trick.key, counts.sent++)),
    );
    const statuses = readStatuses(socket, requests.length);
    socket.write(requests.join(''));
    const served = (await statuses).filter(status => status !== '429').length;
    counts.served += served;
  }
  socket.destroy();
}

function write(headers: readonly string[]): string {
  return `${['GET /supported HTTP/1.1', 'host: x', 'if-none-match: *', ...headers].join('\r\n')}\r\n\r\n`;
}

/** The statuses of so many answers. */
async function readStatuses(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  for (;;) {
    const [chunk] = (await once(socket, 'data')) as [string];
    text += chunk;
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n/g)];
    if (statuses.length >= count) return statuses.map(([, status]) => status ?? '');
  }
}
