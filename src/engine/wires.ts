/** Wires: a bounded number of connections to one host, kept for the next request; each carries one at a time. */
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { connect as connectPlainly, isIP, type LookupFunction, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterwards, together } from '../together.ts';
import { apart } from './headers.ts';
import { type Arrival, forget, take, takeEnd } from './response.ts';
import { Upstream } from './upstream.ts';

/** A request, and how far its response has come. */
export interface Call {
  /** What is sent: text of single bytes, or the bytes themselves. */
  request: string | Buffer;
  arrival: Arrival;
  /** Called once, when the response is complete or what is wrong is known; never once the call was dropped. */
  onEnd(fault?: Upstream): void;
  /** Its connection, until it has ended or was dropped. It never gets another. */
  wire: Wire | undefined;
}

export interface Wires {
  /** Sends a request when a connection is free for it. */
  carry(call: Call): void;
  /** Forgets a call. Its connection, if it has sent anything, is cut: its response would be taken for another's. */
  drop(call: Call): void;
  close(): Promise<void>;
}

export interface WiresOptions {
  /** The most connections at once. */
  most: number;
  /** How long a connection is kept that nobody uses, in milliseconds; less where the server says so. */
  idleMs?: number | undefined;
  /** The only addresses that may be connected to; the name stays for TLS and whoever reads the request. */
  addresses?: readonly LookupAddress[] | undefined;
  /** A certificate to believe in the place of the usual ones. */
  ca?: string | undefined;
}

interface Wire {
  socket: Socket;
  call: Call | undefined;
  connected: boolean;
  /** While it is idle: when it is let go, in milliseconds of a clock that only goes forward. */
  until: number;
  error?: NodeJS.ErrnoException;
}

const CONNECT_MS = 3_000;
const IDLE_MS = 30_000;
const SWEEP_MS = 5_000;
/** A server that says how long it waits is not asked in the last moment of it. */
const MARGIN_MS = 1_000;

/** What any connection reads goes here, and is dealt with before anything else is read. */
const RECEIVED = Buffer.allocUnsafeSlow(65_536);

/** Requests of a round go out one right after the other, once all are made; what was dropped meanwhile does not. */
const speak = together(({ wire, request }: Call) => {
  wire?.socket.write(request, 'latin1');
}, afterwards);

export function openWires(url: URL, { most, idleMs = IDLE_MS, addresses, ca }: WiresOptions): Wires {
  const open = new Set<Wire>();
  const waiting: Call[] = [];
  /** The one used last is used next, so that those too many fall silent. */
  let idle: Wire[] = [];
  let session: Buffer | undefined;
  /** What the server said last of how long it waits, which is mostly what it always says. */
  let patience: { header: string | undefined; ms: number } = { header: undefined, ms: idleMs };
  let isClosed = false;
  const sweep = setInterval(letGo, SWEEP_MS).unref();

  function letGo(): void {
    const now = performance.now();
    const stale = idle.filter(({ until }) => until <= now);
    for (const { socket } of stale) socket.destroy();
  }

  function takeIdle(): Wire | undefined {
    const now = performance.now();
    for (let wire = idle.pop(); wire; wire = idle.pop()) {
      if (wire.until > now && !wire.socket.destroyed) return wire;
      wire.socket.destroy();
    }
    return undefined;
  }

  function carry(call: Call): void {
    if (isClosed) return void call.onEnd(closed());
    const wire = takeIdle() ?? (open.size < most ? dial() : undefined);
    if (wire) assign(wire, call);
    else waiting.push(call);
  }

  function assign(wire: Wire, call: Call): void {
    wire.call = call;
    call.wire = wire;
    if (wire.connected) speak(call);
  }

  function dial(): Wire {
    const onread: OnReadOpts = { buffer: RECEIVED, callback: (count, buffer) => hear(wire, count, buffer) };
    const socket = connect(onread);
    const wire: Wire = { socket, call: undefined, connected: false, until: 0 };
    const timer = setTimeout(() => socket.destroy(), CONNECT_MS);
    open.add(wire);
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      wire.connected = true;
      if (wire.call) socket.write(wire.call.request, 'latin1');
      else release(wire);
    });
    socket.on('session', (ticket: Buffer) => {
      session = ticket;
    });
    socket.on('error', error => {
      wire.error = error;
    });
    socket.once('close', () => {
      clearTimeout(timer);
      lose(wire);
    });
    return wire;
  }

  function connect(onread: OnReadOpts): Socket {
    const secure = url.protocol === 'https:';
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port || (secure ? 443 : 80));
    const common = {
      host,
      port,
      onread,
      noDelay: true,
      keepAlive: true,
      ...(addresses && knownAs(addresses)),
    };
    if (!secure) return connectPlainly(common);
    const servername = isIP(host) ? '' : host;
    // A session spares the next connection half of its greeting.
    const trust = { ...(ca !== undefined && { ca }), ...(session && { session }) };
    return connectSecurely({ ...common, ...trust, servername, ALPNProtocols: ['http/1.1'] });
  }

  function hear(wire: Wire, count: number, buffer: Uint8Array): boolean {
    const { call } = wire;
    try {
      // Whoever speaks unasked would be taken for an answer to the next request.
      if (!call) wire.socket.destroy();
      else if (take(call.arrival, (buffer as Buffer).subarray(0, count))) finish(wire, call);
    } catch (error) {
      if (!(error instanceof Upstream)) throw error;
      end(wire, error);
      wire.socket.destroy();
    }
    return true;
  }

  function finish(wire: Wire, call: Call): void {
    end(wire);
    if (!call.arrival.reusable) return void wire.socket.destroy();
    const header = call.arrival.headers['keep-alive'];
    if (header !== patience.header)
      patience = { header: header && apart(header), ms: patienceOf(header, idleMs) };
    wire.until = performance.now() + patience.ms;
    release(wire);
  }

  /** Tells whoever waits for the answer on a wire that there is no more to come. */
  function end(wire: Wire, fault?: Upstream): void {
    const { call } = wire;
    wire.call = undefined;
    if (!call) return;
    call.wire = undefined;
    forget(call.arrival);
    call.onEnd(fault);
  }

  function release(wire: Wire): void {
    const next = waiting.shift();
    if (next) return void assign(wire, next);
    wire.until ||= performance.now() + idleMs;
    idle.push(wire);
  }

  function lose(wire: Wire): void {
    open.delete(wire);
    idle = idle.filter(other => other !== wire);
    const { call } = wire;
    if (call) end(wire, !wire.error && takeEnd(call.arrival) ? undefined : faultOf(wire, call.arrival));
    const next = open.size < most ? waiting.shift() : undefined;
    if (next) carry(next);
  }

  return {
    carry,
    drop(call) {
      const { wire } = call;
      if (!wire) return void waiting.splice(waiting.indexOf(call) >>> 0, 1);
      wire.call = undefined;
      call.wire = undefined;
      forget(call.arrival);
      // One that is still connecting has sent nothing, and will serve others. Cutting many at once takes time, which
      // the answers that this lets go need not wait for.
      if (wire.connected) setImmediate(() => wire.socket.destroy());
    },
    async close() {
      isClosed = true;
      clearInterval(sweep);
      for (const call of waiting.splice(0)) call.onEnd(closed());
      const closing = [...open].map(({ socket }) => once(socket, 'close'));
      for (const { socket } of open) socket.destroy();
      await Promise.all(closing);
    },
  };
}

function closed(): Upstream {
  return new Upstream('withdrawn', 'the line was closed');
}

/** What it means that a connection was lost before an answer was complete. */
function faultOf({ connected, error }: Wire, { status, rest }: Arrival): Upstream {
  if (!connected) return new Upstream('unreachable', `no connection (${error?.code ?? 'timed out'})`);
  const isAnswered = status !== 0 || rest !== undefined;
  return isAnswered
    ? new Upstream('garbage', 'the answer was cut short')
    : new Upstream('reset', 'connection closed before an answer');
}

/** How long a connection may be idle: as long as we like, or less when the server says so. */
function patienceOf(header: string | undefined, idleMs: number): number {
  if (header === undefined) return idleMs;
  const [, seconds] = /(?:^|[,\s])timeout=(\d{1,6})/i.exec(header) ?? [];
  return seconds === undefined ? idleMs : Math.min(idleMs, Number(seconds) * 1_000 - MARGIN_MS);
}

/** What a host is taken to be without asking anybody. */
function knownAs(addresses: readonly LookupAddress[]): { lookup: LookupFunction } {
  const [first] = addresses;
  return {
    lookup: (_host, { all }, done) =>
      all ? done(null, [...addresses]) : done(null, first?.address ?? '', first?.family),
  };
}
