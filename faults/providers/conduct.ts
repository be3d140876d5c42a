/** Conduct: how a provider goes wrong on the wire. */
import type { ServerResponse } from 'node:http';
import { respond } from '../../src/sandbox/faults.ts';
import type { Fate, Tally } from './orders.ts';

/** The honest answer, and whose account it goes to. */
export interface Due {
  body: string;
  tally: Tally;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

const GIBIBYTE = 2 ** 30;
/** Every piece waits until the one before it has gone to the kernel, and a moment longer: little is ever under way. */
const PIECE = Buffer.alloc(8_192, ' ');
const PIECE_MS = 5;
const TORRENT = Buffer.alloc(65_536, ' ');
const MOST_SPANS = 1_000;
/** Long enough for what was written to arrive before the end does. */
const PARTING_MS = 5;

export function misbehave(response: ServerResponse, fate: Fate, due: Due): void {
  const { body, tally } = due;
  watch(response, tally);
  const answer = { status: 200, headers: JSON_HEADERS, body };
  if (fate.kind === 'slow') return void respond(response, answer, { kind: 'slow', ms: fate.ms });
  if (fate.kind === 'hang' || fate.kind === 'drip')
    return void respond(response, answer, { kind: fate.kind, ms: 0 });
  if (fate.kind === 'status') return void send(response, fate.status, '{"message":"no"}');
  if (fate.kind === 'flood') return void (fate.paced ? pour(response, fate, tally) : gush(response, fate));
  if (fate.kind === 'cut') return void cut(response, fate, body);
  const until = new Date(Date.now() + fate.seconds * 1_000);
  const hint = fate.asDate ? until.toUTCString() : String(fate.seconds);
  send(response, 429, '{"message":"too many"}', { 'retry-after': hint });
}

export function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response
    .writeHead(status, { ...JSON_HEADERS, 'content-length': String(Buffer.byteLength(body)), ...headers })
    .end(body);
}

/** Notices whether the other side hung up before we had done. */
function watch(response: ServerResponse, tally: Tally): void {
  const from = Date.now();
  tally.struck++;
  response.once('close', () => {
    if (!response.writableFinished) tally.cut++;
    if (tally.spans.length < MOST_SPANS) tally.spans.push({ from, to: Date.now() });
  });
}

type Flood = Extract<Fate, { kind: 'flood' }>;

function open(response: ServerResponse, { framing }: Flood): void {
  const length = framing === 'length' ? { 'content-length': String(GIBIBYTE) } : {};
  response.writeHead(200, { ...JSON_HEADERS, ...length });
}

/** Piece by piece; what the socket has taken when it sees the close is what was read, and at most a piece or two more. */
function pour(response: ServerResponse, flood: Flood, tally: Tally): void {
  let taken = 0;
  open(response, flood);
  const next = () => {
    if (response.destroyed || taken >= GIBIBYTE) return;
    response.write(PIECE, error => {
      if (error) return;
      taken += PIECE.length;
      tally.largest = Math.max(tally.largest, taken);
      setTimeout(next, PIECE_MS);
    });
  };
  next();
}

/** As fast as the other side takes it. */
function gush(response: ServerResponse, flood: Flood): void {
  let sent = 0;
  open(response, flood);
  const more = () => {
    while (!response.destroyed && sent < GIBIBYTE) {
      sent += TORRENT.length;
      if (!response.write(TORRENT)) return void response.once('drain', more);
    }
    response.destroy();
  };
  more();
}

/** Before any byte, in the middle of the head, or in the middle of the body. */
function cut({ socket }: ServerResponse, { when, how }: Extract<Fate, { kind: 'cut' }>, body: string): void {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const end = () => (how === 'reset' ? socket?.resetAndDestroy() : socket?.destroy());
  if (when === 'before') return void end();
  socket?.write(when === 'within' ? head.slice(0, 24) : head + body.slice(0, 40));
  setTimeout(end, PARTING_MS);
}
