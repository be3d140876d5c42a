/** Transport: single requests to one host that end by the deadline, over a bounded number of connections. */
import { together } from '../together.ts';
import type { Deadline } from './deadline.ts';
import { createHeadReader } from './head-forms.ts';
import type { Head, Headers } from './headers.ts';
import { awaitArrival } from './response.ts';
import type { Search } from './search.ts';
import { Upstream } from './upstream.ts';
import { type Call, openWires, type Wires, type WiresOptions } from './wires.ts';

export interface Outgoing {
  method: 'GET' | 'POST' | 'PUT';
  /** With its query, unless that is said apart. */
  path: string;
  search?: Search | undefined;
  /** Beside those that are sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | Uint8Array | undefined;
}

export interface Incoming {
  status: number;
  headers: Readonly<Headers>;
  text: string;
}

export interface SendOptions {
  deadline: Deadline;
  /** Most bytes of body that are read; the connection is cut beyond. */
  bodyLimit: number;
  /** Hands out the means to end the request early. */
  onAbort?(abort: () => void): () => void;
  /** A question that changes nothing, whatever its method: it may be asked again. */
  harmless?: boolean | undefined;
  /** The answer's status is all that counts, whatever becomes of the rest of it. */
  statusOnly?: boolean | undefined;
}

export interface Channel {
  /** Calls back once, later, with the answer or what is wrong: by no promise, as a quote sends many. What cannot be sent is thrown. */
  send(request: Outgoing, options: SendOptions, onEnd: OnEnd): void;
  close(): Promise<void>;
}

export type OnEnd = (fault: Upstream | undefined, answer: Incoming) => void;

/** Requests waiting for a connection beyond this many per connection are refused: a queue to death helps nobody. */
const WAITING_PER_CONNECTION = 8;

/** A channel to one base URL; the base may carry a path of its own. */
export function openChannel(base: string, options: WiresOptions): Channel {
  const url = new URL(base);
  const prefix = url.pathname.replace(/\/$/, '');
  const usual = writeHeaders({ host: url.host, connection: 'keep-alive', ...USUAL_HEADERS });
  const way = { wires: openWires(url, options), readHead: createHeadReader() };
  const most = options.most * (1 + WAITING_PER_CONNECTION);
  let inFlight = 0;

  function send(request: Outgoing, options: SendOptions, onEnd: OnEnd): void {
    if (inFlight >= most) throw new Upstream('busy', 'too many requests to this host are under way');
    const bytes = write(request, prefix, usual);
    // A kept connection may have been closed under us: try once more, when nothing can have happened.
    let mayTryAgain = request.method === 'GET' || options.harmless;
    const end: OnEnd = (fault, answer) => {
      if (fault?.kind === 'reset' && mayTryAgain) {
        mayTryAgain = false;
        return exchange(way, bytes, options, end);
      }
      inFlight--;
      onEnd(fault, answer);
    };
    inFlight++;
    exchange(way, bytes, options, end);
  }

  return { send, close: way.wires.close };
}

/** Answers that came at once are read at once: one kind of work after the other, not one answer after the other. */
const deliver = together(({ answer, onEnd }: { answer: Incoming; onEnd: OnEnd }) => {
  onEnd(undefined, answer);
}, setImmediate);

/** To one host, and how its answers are read. */
interface Way {
  wires: Wires;
  readHead(text: string): Head;
}

/** Sends one request and tells its response, or what is wrong, by the deadline at the latest. */
function exchange(
  { wires, readHead }: Way,
  request: string | Buffer,
  options: SendOptions,
  onEnd: OnEnd,
): void {
  const { deadline, bodyLimit, onAbort, statusOnly } = options;
  const arrival = awaitArrival(bodyLimit, readHead);
  let stopClock: (() => void) | undefined;
  let stopListening: (() => void) | undefined;
  let isOver = false;
  const fail = (fault: Upstream) => queueMicrotask(() => onEnd(fault, arrival));
  const call: Call = {
    request,
    arrival,
    onEnd(fault) {
      isOver = true;
      stopClock?.();
      stopListening?.();
      if (fault && !(statusOnly && arrival.status !== 0)) fail(fault);
      else deliver({ answer: arrival, onEnd });
    },
    wire: undefined,
  };
  const giveUp = (fault: Upstream) => {
    wires.drop(call);
    call.onEnd(fault);
  };
  if (deadline.remaining() === 0) return void fail(LATE);
  stopClock = deadline.onExpire(() => giveUp(LATE));
  // Whoever was told so must not find later that it was sent.
  if (isOver) return;
  stopListening = onAbort?.(() => giveUp(BROKEN_OFF));
  wires.carry(call);
}

/** Made once: whoever makes an error walks the stack, and of these there are hundreds when every provider hangs. */
export const LATE = new Upstream('late', 'no answer before the deadline');
const BROKEN_OFF = new Upstream('withdrawn', 'the request was broken off');

const USUAL_HEADERS = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'cloverleaf',
};

const TARGET = /^\/[\x21-\x7e]*$/;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\t\x20-\x7e\x80-\xff]*$/;

/** A request as it is sent; what cannot be a part of it is refused before it is one. */
function write(request: Outgoing, prefix: string, usual: string): string | Buffer {
  const { method, path, search = '', headers, body } = request;
  if (!TARGET.test(path)) throw unsendable('path');
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const length = bytes || method !== 'GET' ? `content-length: ${bytes?.length ?? 0}\r\n` : '';
  const own = headers ? writeHeaders(headers) : '';
  const head = `${method} ${prefix}${path}${search} HTTP/1.1\r\n${usual}${own}${length}\r\n`;
  return bytes ? Buffer.concat([Buffer.from(head, 'latin1'), bytes]) : head;
}

function writeHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => {
      const header = `${name}: ${value}`;
      if (!HEADER.test(header)) throw unsendable('header');
      return `${header}\r\n`;
    })
    .join('');
}

function unsendable(part: string): Upstream {
  return new Upstream('unreachable', `the ${part} of the request cannot be sent`);
}
