/** The house: all providers of a run in a process of their own, which answer truly, late, wrongly, or not at all, as told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { Pool } from 'undici';
import { latencyOf, type Pace } from '../../bench/latency.ts';
import { createWriter } from '../../bench/template.ts';
import { DEADLINE_MS } from '../../bench/wire.ts';
import { decimal } from '../../src/domain/money.ts';
import { currencies } from '../../src/main.ts';
import { registry } from '../../src/providers/registry.ts';
import type { Standin } from '../../src/providers/world.ts';
import { createMarket } from '../../src/sandbox/market.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { selfSigned } from '../../test/certificate.ts';
import { createChance } from '../bed/chance.ts';
import { CLONES, REAL } from './cast.ts';
import { misbehave, send } from './conduct.ts';
import { GARBAGE } from './garbage.ts';
import { marketOf, tellLie } from './lies.ts';
import {
  type Fate,
  type HouseOrder,
  type HouseReport,
  isStruck,
  NOBODY,
  type Tally,
  WING,
  wingOf,
} from './orders.ts';
import { type Question, readQuestion } from './questions.ts';
import { partOf, placeOf, type Script, spreadOf } from './script.ts';

/** What the house is told when it is built, as JSON in its first argument. */
export interface HousePlan {
  seed: number;
  port: number;
  /** Where a server listens whose certificate nobody has signed. */
  securePort: number;
}

const { seed, port, securePort } = JSON.parse(process.argv[2] ?? '{}') as HousePlan;
const chance = createChance(seed);
/** Prices stand still, so that the same question has the same answer. */
const PRICES_AT = 1_750_000_000_000;
const MARKET_SEED = 1;
const HELD_UP_MS = DEADLINE_MS / 2;
/** How a question tells the stand-in which market to believe in. */
const MARKET_HEADER = 'x-market';

const sandbox = await startSandbox({
  standins: new Map(
    registry
      .filter(({ adapter }) => REAL.some(name => name === adapter.manifest.id))
      .map(({ adapter, standin }) => [adapter.manifest.id, distorted(standin)]),
  ),
  currencies,
  host: '127.0.0.1',
  port: 0,
  now: () => Date.now(),
  pricesAt: PRICES_AT,
});
const standins = new Pool(sandbox.url, { connections: 32, pipelining: 1 });
const writeQuote = await createWriter(sandbox.url);

let pace: Pace = { median: 5, sigma: 0 };
let fates: NonNullable<HouseOrder['fates']> = {};
let script: Script = { theme: 'honest', amounts: 0, round: 0, seed };
let report: HouseReport = { tallies: {}, tardy: [], said: {} };
const asked = new Map<string, Set<string>>();
/** Until when each provider wants to be left alone. */
const quietUntil = new Map<string, number>();
/** What each provider said at the first amount and at the last. */
const remembered = new Map<string, string>();

const server = createServer((request, response) => {
  serve(request, response).catch(error => {
    console.error(error);
    if (!response.headersSent) response.writeHead(599).end(String(error));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(port, '127.0.0.1', () => {
  createSecureServer(selfSigned('nobody.example'), (_request, response) => void response.end())
    .on('tlsClientError', () => {})
    .listen(securePort, '127.0.0.1', () => process.stdout.write('ready\n'));
});
// Whoever started us is gone: so are we.
process.stdin
  .on('end', () => process.exit())
  .on('error', () => process.exit())
  .resume();

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? '';
  const body = request.method === 'GET' ? '' : Buffer.concat(await request.toArray()).toString();
  if (url === '/_house') return void obey(JSON.parse(body) as HouseOrder, response);
  const isWing = url.startsWith(WING);
  const question = readQuestion(isWing ? url.slice(WING.length - 1) : url, body);
  if (!question) return void send(response, 404, '{}');
  if (question.amount === undefined) return pass(question, request, { body, response });
  const name = isWing ? wingOf(question.provider) : question.provider;
  const tally = count(name, question.target + body);
  if (CLONES.includes(question.provider)) return void answerClone(question, { name, tally }, response);
  await answerReal(question, request, { body, response });
}

/** Reports what happened up to now, then does as told. */
function obey(order: HouseOrder, response: ServerResponse): void {
  send(response, 200, JSON.stringify(report));
  pace = order.pace ?? pace;
  fates = order.fates ?? fates;
  script = order.script ?? script;
  if (!order.recount) return;
  report = { tallies: {}, tardy: [], said: {} };
  asked.clear();
}

function count(name: string, question: string): Tally {
  report.tallies[name] ??= structuredClone(NOBODY);
  const tally = report.tallies[name];
  const before = asked.get(name) ?? new Set();
  asked.set(name, before);
  tally.calls++;
  if (before.has(question)) tally.repeats++;
  before.add(question);
  return tally;
}

function answerClone(
  { provider, amount = '' }: Question,
  { name, tally }: { name: string; tally: Tally },
  response: ServerResponse,
): void {
  const cents = Math.round(Number(amount) * 100);
  const place = CLONES.indexOf(provider) + 1;
  const body = writeQuote(place, cents);
  const fate = fates[name];
  if (fate && isStruck(fate, cents)) {
    if (fate.kind === 'limited') limit(name, fate, tally);
    return void misbehave(response, fate, { body, tally });
  }
  const due = performance.now() + latencyOf(pace, place, cents);
  setTimeout(() => {
    if (performance.now() - due > HELD_UP_MS && !report.tardy.includes(cents)) report.tardy.push(cents);
    send(response, 200, body);
  }, due - performance.now());
}

/** A date has whole seconds, and is early by the rest of one. */
function limit(
  provider: string,
  { seconds, asDate }: Extract<Fate, { kind: 'limited' }>,
  tally: Tally,
): void {
  const now = Date.now();
  if (now < (quietUntil.get(provider) ?? 0)) tally.inside++;
  else tally.limits++;
  const until = now + seconds * 1_000;
  quietUntil.set(provider, asDate ? Math.floor(until / 1_000) * 1_000 : until);
}

interface Exchange {
  body: string;
  response: ServerResponse;
}

async function answerReal(question: Question, request: IncomingMessage, exchange: Exchange): Promise<void> {
  const { kind, amount = '' } = question;
  const place = placeOf(kind, amount);
  const part = place === undefined ? undefined : partOf(script, kind, place);
  const market = marketOf(part) * spreadOf(script, kind, place);
  const { status, text } = await ask(question, request, { body: exchange.body, market });
  if (part === undefined) {
    if (script.theme === 'honest' && (place === 0 || place === script.amounts - 1))
      remembered.set(`${kind} ${place}`, text);
    return void send(exchange.response, status, text);
  }
  report.said[part] = (report.said[part] ?? 0) + 1;
  if (script.theme === 'lies') {
    const before = remembered.get(`${kind} ${(place ?? 0) < script.amounts / 2 ? script.amounts - 1 : 0}`);
    return void send(exchange.response, status, tellLie(kind, part, { body: text, before: before ?? text }));
  }
  const garbage = GARBAGE.find(({ name }) => name === part);
  if (garbage) exchange.response.socket?.end(garbage.make(text, chance));
}

/** Everything but quotes, as the stand-in has it. */
async function pass(question: Question, request: IncomingMessage, exchange: Exchange): Promise<void> {
  const { status, text } = await ask(question, request, { body: exchange.body, market: 1 });
  send(exchange.response, status, text);
}

async function ask(
  { target }: Question,
  request: IncomingMessage,
  { body, market }: { body: string; market: number },
): Promise<{ status: number; text: string }> {
  const { host: _host, connection: _connection, ...headers } = request.headers;
  const { statusCode, body: answer } = await standins.request({
    method: request.method === 'POST' ? 'POST' : 'GET',
    path: target,
    headers: { ...(headers as Record<string, string>), [MARKET_HEADER]: String(market) },
    body: body || null,
  });
  return { status: statusCode, text: await answer.text() };
}

/** A stand-in that believes in the market it is told of. */
function distorted(standin: Standin): Standin {
  const routes = standin.routes.map(route => {
    const answer: typeof route.answer = (request, world) => {
      const distortion = decimal(request.headers[MARKET_HEADER] ?? '1');
      const market = createMarket({ seed: MARKET_SEED, now: PRICES_AT, distortion });
      return route.answer(request, { ...world, market });
    };
    return { ...route, answer };
  });
  return { ...standin, routes };
}
