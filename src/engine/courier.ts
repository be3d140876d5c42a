/** The courier: hands one signed event to an endpoint of somebody else's choosing, and says what came of it. */
import type { LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import { Webhook } from 'standardwebhooks';
import { Pool } from 'undici';
import type { Guard, Place } from './guard.ts';
import { createRoll } from './roll.ts';
import { sign } from './sign.ts';

export interface Letter {
  url: string;
  /** Stays the same over all attempts: receivers know by it what they have had. */
  id: string;
  /** Exactly what is sent and signed. */
  body: string;
  /** Which change of its transaction it tells of; a test tells of none. */
  sequence?: number | undefined;
  /** The current secret, then the one before it while that is still good. */
  secrets: readonly [string, ...string[]];
}

export interface Receipt {
  /** Whether the receiver has taken it: only that is success. */
  accepted: boolean;
  /** Undefined when there was no answer. */
  status: number | undefined;
  /** Why it was not accepted, in a few words of ours; never the receiver's. */
  error: string;
  /** Whether it was ourselves who broke it off: that says nothing of the receiver. */
  interrupted: boolean;
  milliseconds: number;
}

export interface Courier {
  send(letter: Letter): Promise<Receipt>;
  /** Breaks off whatever is under way, and whatever is sent from now on. */
  interrupt(): void;
  close(): Promise<void>;
}

export interface CourierOptions {
  guard: Guard;
  /** Milliseconds since 1970: what receivers judge an attempt's age by. */
  now(): number;
  deadlineMs?: number;
}

const DEADLINE_MS = 10_000;
/** More of an answer is not read; none of it is kept. */
const ANSWER_LIMIT = 65_536;
const MOST_POOLS = 256;
const INTERRUPTED = 'broken off because we are stopping';

export function createCourier({ guard, now, deadlineMs = DEADLINE_MS }: CourierOptions): Courier {
  // By origin and addresses: a connection is used again only where its address has just been checked once more.
  const pools = new LRUCache<string, Pool>({ max: MOST_POOLS, dispose: pool => void pool.close() });
  const underWay = createRoll();
  let stopped = false;

  function poolFor(place: Place): Pool {
    const addresses = place.addresses.map(({ address }) => address).sort();
    const key = `${place.url.origin} ${addresses.join(' ')}`;
    const known = pools.get(key);
    if (known) return known;
    const pool = openPool(place, deadlineMs);
    pools.set(key, pool);
    return pool;
  }

  async function post(letter: Letter, signal: AbortSignal): Promise<number | string> {
    const place = await beforeAbort(guard.locate(letter.url), signal);
    if ('refused' in place) return `the URL ${place.refused}`;
    const { statusCode, body } = await poolFor(place).request({
      method: 'POST',
      path: place.url.pathname + place.url.search,
      headers: headersOf(letter, new Date(now())),
      body: letter.body,
      signal,
    });
    // The status has decided; an answer that goes on and on, or breaks off, changes nothing.
    await body.dump({ limit: ANSWER_LIMIT, signal }).catch(() => {});
    return statusCode;
  }

  function interrupt(): void {
    stopped = true;
    underWay.call();
  }

  return {
    async send(letter) {
      const began = performance.now();
      const stop = new AbortController();
      const strike = underWay.add(() => stop.abort(INTERRUPTED));
      if (stopped) stop.abort(INTERRUPTED);
      const timer = setTimeout(() => stop.abort(`no answer within ${deadlineMs} ms`), deadlineMs);
      const outcome = await post(letter, stop.signal).catch(error =>
        stop.signal.aborted ? String(stop.signal.reason) : describe(error),
      );
      clearTimeout(timer);
      strike();
      return { ...judge(outcome), milliseconds: Math.round(performance.now() - began) };
    },
    interrupt,
    async close() {
      interrupt();
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map(pool => pool.destroy()));
    },
  };
}

/** Connects to the addresses that were checked and to no other; the name stays for TLS and the Host header. */
function openPool({ url, addresses }: Place, deadlineMs: number): Pool {
  const [first] = addresses;
  const lookup: LookupFunction = (_host, options, done) =>
    options.all ? done(null, [...addresses]) : done(null, first?.address ?? '', first?.family);
  return new Pool(url.origin, {
    connect: { lookup, timeout: deadlineMs },
    // The deadline of the whole attempt is the only clock. Who calls bounds how many connections there are.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    maxHeaderSize: 16_384,
  });
}

function headersOf({ id, body, sequence, secrets }: Letter, at: Date): Record<string, string> {
  const signatures = secrets.map(secret => new Webhook(secret).sign(id, at, body));
  return {
    'content-type': 'application/json',
    'user-agent': 'cloverleaf',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
    // Older receivers take the secret as it was shown to them, prefix and all, and know of one only.
    'x-onramper-webhook-signature': sign('hmac-sha256-hex', secrets[0], body),
    ...(sequence !== undefined && { 'x-cloverleaf-sequence': String(sequence) }),
  };
}

function judge(outcome: number | string): Omit<Receipt, 'milliseconds'> {
  const answer = { accepted: false, status: undefined, error: '', interrupted: outcome === INTERRUPTED };
  if (typeof outcome === 'string') return { ...answer, error: outcome };
  if (outcome >= 200 && outcome < 300) return { ...answer, accepted: true, status: outcome };
  const redirects = outcome >= 300 && outcome < 400 ? ': redirects are not followed' : '';
  return { ...answer, status: outcome, error: `answered ${outcome}${redirects}` };
}

/** The kind of failure only: an error's text may hold what the other side has sent. */
function describe(error: Error & { code?: unknown }): string {
  return `the connection failed (${typeof error.code === 'string' ? error.code : error.name})`;
}

/** Rejects when the time is up; what cannot be broken off is left to itself. */
function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('given up'));
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject);
  });
}
