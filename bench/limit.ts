/** The limit: undici's dispatch to every provider, one deadline timer, parse, sort, one write; nothing else. */
import { createServer, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { announce } from './child.ts';
import {
  DEADLINE_MS,
  MOST_PROVIDERS,
  type PlainQuote,
  QUESTION_HEADERS,
  questionTo,
  readClientPath,
  readPayout,
} from './wire.ts';

const [fleetUrl = '', connections = '64', deadlineMs = String(DEADLINE_MS)] = process.argv.slice(2);
const pools = Array.from(
  { length: MOST_PROVIDERS },
  () =>
    new Pool(fleetUrl, {
      connections: Number(connections),
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
    }),
);

announce(createServer((request, response) => ask(request.url ?? '', response)));

function ask(path: string, response: ServerResponse): void {
  const { amount, providers } = readClientPath(path);
  const quotes: PlainQuote[] = [];
  const controllers = new Set<Dispatcher.DispatchController>();
  let waiting = providers;

  const finish = () => {
    clearTimeout(timer);
    quotes.sort((a, b) => b.payout - a.payout);
    const body = JSON.stringify(quotes);
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  };
  const timer = setTimeout(() => {
    for (const controller of controllers) controller.abort(new Error('late'));
  }, Number(deadlineMs));

  for (let provider = 1; provider <= providers; provider++) {
    const chunks: Buffer[] = [];
    const settle = (controller: Dispatcher.DispatchController) => {
      controllers.delete(controller);
      if (--waiting === 0) finish();
    };
    (pools[provider - 1] as Pool).dispatch(
      { method: 'GET', path: questionTo(provider, amount), headers: QUESTION_HEADERS },
      {
        onRequestStart: controller => void controllers.add(controller),
        onResponseStart() {},
        onResponseData: (_controller, chunk) => void chunks.push(chunk),
        onResponseEnd(controller) {
          try {
            quotes.push(readPayout(provider, JSON.parse(Buffer.concat(chunks).toString())));
          } catch {
            // No quote from this one.
          }
          settle(controller);
        },
        onResponseError: settle,
      },
    );
  }
}
