/** The fleet: 64 providers in a process of their own, answering in real wire shapes, late or badly as they are told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { currencies } from '../src/main.ts';
import { registry } from '../src/providers/registry.ts';
import { respond } from '../src/sandbox/faults.ts';
import { startSandbox } from '../src/sandbox/server.ts';
import { announce } from './child.ts';
import { latencyOf, type Pace } from './latency.ts';
import type { FleetFault, FleetOrder, FleetReport } from './order.ts';
import { createWriter } from './template.ts';
import { KINDS, type Kind, kindOf, MOST_PROVIDERS, nameOf } from './wire.ts';

const HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** Where a question for a quote has its amount, the one number the answer depends on. */
const AMOUNTS: Record<Kind, readonly [path: string, parameter: string]> = {
  moonpay: ['/buy_quote?', 'baseCurrencyAmount='],
  transak: ['/quotes?', 'fiatAmount='],
  mercuryo: ['/rate?', '&amount='],
};

/** The stand-ins of our three kinds: they answer everything but quotes, once, and show what a quote looks like. */
const sandbox = await startSandbox({
  standins: new Map(
    registry
      .filter(({ adapter }) => KINDS.some(kind => kind === adapter.manifest.id))
      .map(({ adapter, standin }) => [adapter.manifest.id, standin]),
  ),
  currencies,
  host: '127.0.0.1',
  port: 0,
  now: () => Date.now(),
});
const writeQuote = await createWriter(sandbox.url);
const lists = new Map<string, Promise<Buffer>>();
const calls = new Array<number>(MOST_PROVIDERS + 1).fill(0);
let pace: Pace = { median: 5, sigma: 0 };
let faults: Record<number, FleetFault> = {};

const server = createServer((request, response) => {
  const url = request.url ?? '';
  if (url === '/_fleet') return void obey(request, response);
  const provider = Number(url.slice(2, 4));
  const cents = readCents(kindOf(provider), url);
  if (cents === undefined) return void answerList(url, provider, response);
  calls[provider] = (calls[provider] ?? 0) + 1;
  const fault = faults[provider];
  if (fault) return misbehave(response, fault, writeQuote(provider, cents));
  setTimeout(() => send(response, writeQuote(provider, cents)), latencyOf(pace, provider, cents));
});
announce(server);

/** Reports the calls up to now, then does as told. */
async function obey(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const order = JSON.parse(Buffer.concat(await request.toArray()).toString()) as FleetOrder;
  const report: FleetReport = { calls, sandboxUrl: sandbox.url };
  response.writeHead(200, HEADERS).end(JSON.stringify(report));
  pace = order.pace ?? pace;
  faults = order.faults ?? faults;
  if (order.recount) calls.fill(0);
}

function send(response: ServerResponse, body: string): void {
  response.writeHead(200, { ...HEADERS, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Lists are long and never change: the stand-in writes each once. */
async function answerList(url: string, provider: number, response: ServerResponse): Promise<void> {
  const path = `/${kindOf(provider)}${url.slice(nameOf(provider).length + 1)}`;
  let list = lists.get(path);
  if (!list) {
    list = fetch(sandbox.url + path).then(async answer => Buffer.from(await answer.arrayBuffer()));
    lists.set(path, list);
  }
  response.writeHead(200, HEADERS).end(await list);
}

/** Undefined when the request is not for a quote. */
function readCents(kind: Kind, url: string): number | undefined {
  const [path, parameter] = AMOUNTS[kind];
  if (!url.includes(path)) return undefined;
  const start = url.indexOf(parameter) + parameter.length;
  const end = url.indexOf('&', start);
  return Math.round(Number(url.slice(start, end < 0 ? undefined : end)) * 100);
}

/** Goes wrong the way a stand-in of the sandbox does. */
function misbehave(response: ServerResponse, fault: FleetFault, body: string): void {
  const kind = fault === '5xx' ? 'error' : fault;
  respond(response, { status: 200, headers: HEADERS, body }, { kind, ms: 0 });
}
