/** The floor: the same answers over raw sockets on both sides, with no more of HTTP than it takes. */
import { connect, createServer, type Socket } from 'node:net';
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

const [fleetUrl = ''] = process.argv.slice(2);
const { hostname, port, host } = new URL(fleetUrl);
const HEAD = Object.entries(QUESTION_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** A kept connection; whoever uses it listens to `onAnswer`. */
interface Wire {
  socket: Socket;
  onAnswer(body: Buffer | undefined): void;
}

const idle: Wire[][] = Array.from({ length: MOST_PROVIDERS + 1 }, () => []);

announce(
  createServer({ noDelay: true }, client => {
    client.on('error', () => client.destroy());
    client.on('data', request => {
      const text = request.toString('latin1');
      ask(text.slice(4, text.indexOf(' ', 4)), quotes => {
        const body = JSON.stringify(quotes.sort((a, b) => b.payout - a.payout));
        client.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
      });
    });
  }),
);

function ask(path: string, answer: (quotes: PlainQuote[]) => void): void {
  const { amount, providers } = readClientPath(path);
  const quotes: PlainQuote[] = [];
  const underWay = new Set<Wire>();
  let waiting = providers;
  const timer = setTimeout(() => {
    for (const { socket } of underWay) socket.destroy();
  }, DEADLINE_MS);
  for (let provider = 1; provider <= providers; provider++) {
    const wire = takeIdle(provider) ?? open();
    underWay.add(wire);
    wire.onAnswer = body => {
      wire.onAnswer = () => {};
      underWay.delete(wire);
      if (body) {
        idle[provider]?.push(wire);
        quotes.push(readPayout(provider, JSON.parse(body.toString())));
      }
      if (--waiting > 0) return;
      clearTimeout(timer);
      answer(quotes);
    };
    wire.socket.write(
      `GET ${questionTo(provider, amount)} HTTP/1.1\r\nhost: ${host}\r\n${HEAD}\r\n`,
      'latin1',
    );
  }
}

function takeIdle(provider: number): Wire | undefined {
  const wire = idle[provider]?.pop();
  return wire?.socket.destroyed ? takeIdle(provider) : wire;
}

function open(): Wire {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const wire: Wire = { socket, onAnswer() {} };
  let received: Buffer | undefined;
  socket.on('data', chunk => {
    received = received ? Buffer.concat([received, chunk]) : chunk;
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = received.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (received.length < end + 4 + length) return;
    const body = received.subarray(end + 4, end + 4 + length);
    received = undefined;
    wire.onAnswer(body);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => wire.onAnswer(undefined));
  return wire;
}
