/** Transport: single requests to one host that end by the deadline, over a bounded number of connections. */
import { afterwards, together } from '../together.ts';
import type { Deadline } from './deadline.ts';
import type { Ends } from './ends.ts';
import { createHeadReader } from './head-forms.ts';
import type { Head, Headers } from './headers.ts';
import { type Arrival, awaitArrival } from './response.ts';
import type { Place, Register, Waiter } from './roll.ts';
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
  /** A question that changes nothing, whatever its method: it may be asked again. */
  harmless?: boolean | undefined;
  /** The answer's status is all that counts, whatever becomes of the rest of it. */
  statusOnly?: boolean | undefined;
}

export interface ChannelOptions extends WiresOptions {
  /** Where requests stand while they are under way: whoever keeps it may end them early. */
  underWay?: Register | undefined;
}

export interface Channel {
  /** Tells the answer, or what is wrong, later. What cannot be sent is thrown. */
  send(request: Outgoing, options: SendOptions, ends: Ends<Incoming>): void;
  close(): Promise<void>;
}

/** Requests waiting for a connection beyond this many per connection are refused: a queue to death helps nobody. */
const WAITING_PER_CONNECTION = 8;

/** A channel to one base URL; the base may carry a path of its own. */
export function openChannel(base: string, options: ChannelOptions): Channel {
  const url = new URL(base);
  const prefix = url.pathname.replace(/\/$/, '');
  const usual = writeHeaders({ host: url.host, connection: 'keep-alive', ...USUAL_HEADERS });
  const { underWay } = options;
  const way = { wires: openWires(url, options), readHead: createHeadReader(), underWay, inFlight: 0 };
  const most = options.most * (1 + WAITING_PER_CONNECTION);
  return {
    send(request, options, ends) {
      if (way.inFlight >= most) throw new Upstream('busy', 'too many requests to this host are under way');
      // A kept connection may have been closed under us: try once more, when nothing can have happened.
      const mayTryAgain = request.method === 'GET' || options.harmless === true;
      const trip = new Trip(way, write(request, prefix, usual), { options, ends, mayTryAgain });
      way.inFlight++;
      trip.begin();
    },
    close: way.wires.close,
  };
}

/** To one host, and how its answers are read. */
interface Way {
  wires: Wires;
  readHead(text: string): Head;
  underWay: Register | undefined;
  inFlight: number;
}

/** What is to become of a request. */
interface Errand {
  options: SendOptions;
  ends: Ends<Incoming>;
  mayTryAgain: boolean;
}

/** One request, from being sent to its answer, or to the deadline. A class, as a quote makes many. */
class Trip implements Call, Waiter {
  readonly request: string | Buffer;
  readonly arrival: Arrival;
  wire: Call['wire'] = undefined;
  readonly #way: Way;
  readonly #errand: Errand;
  #isOver = false;
  #atDeadline: Place | undefined = undefined;
  #underWay: Place | undefined = undefined;

  constructor(way: Way, request: string | Buffer, errand: Errand) {
    this.request = request;
    this.arrival = awaitArrival(errand.options.bodyLimit, way.readHead);
    this.#way = way;
    this.#errand = errand;
  }

  begin(): void {
    this.#atDeadline = this.#errand.options.deadline.add(this);
    // Whoever was told so must not find later that it was sent.
    if (this.#isOver) return;
    this.#underWay = this.#way.underWay?.add(this);
    this.#way.wires.carry(this);
  }

  giveUp(fault: Upstream): void {
    this.#way.wires.drop(this);
    this.onEnd(fault);
  }

  onEnd(fault?: Upstream): void {
    const { deadline, statusOnly } = this.#errand.options;
    this.#isOver = true;
    if (this.#atDeadline) deadline.strike(this.#atDeadline);
    if (this.#underWay) this.#way.underWay?.strike(this.#underWay);
    if (fault && !(statusOnly && this.arrival.status !== 0)) afterwards(() => this.#fail(fault));
    else deliver(this);
  }

  arrive(): void {
    this.#way.inFlight--;
    this.#errand.ends.done(this.arrival);
  }

  #fail(fault: Upstream): void {
    const { ends, mayTryAgain } = this.#errand;
    if (fault.kind === 'reset' && mayTryAgain)
      return void new Trip(this.#way, this.request, { ...this.#errand, mayTryAgain: false }).begin();
    this.#way.inFlight--;
    ends.fail(fault);
  }
}

/** Answers that came at once are read at once: one kind of work after the other, not one answer after the other. */
const deliver = together((trip: Trip) => trip.arrive(), setImmediate);

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
