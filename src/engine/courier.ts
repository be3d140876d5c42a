/** The courier: hands one signed event to an endpoint of somebody else's choosing, and says what came of it. */
import { LRUCache } from 'lru-cache';
import { Webhook } from 'standardwebhooks';
import { createDeadline, type Deadline } from './deadline.ts';
import type { Guard, Place } from './guard.ts';
import { createRoll } from './roll.ts';
import { sign } from './sign.ts';
import { type Channel, type Outgoing, openChannel } from './transport.ts';
import { Upstream } from './upstream.ts';

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
const MOST_CHANNELS = 256;
/** Few servers say how long they keep a connection; most keep it for longer. */
const IDLE_MS = 4_000;
const INTERRUPTED = 'broken off because we are stopping';

export function createCourier({ guard, now, deadlineMs = DEADLINE_MS }: CourierOptions): Courier {
  // By origin and addresses: a connection is used again only where its address has just been checked once more.
  const channels = new LRUCache<string, Channel>({
    max: MOST_CHANNELS,
    // Whatever is under way there is over by then.
    dispose: channel => void setTimeout(channel.close, deadlineMs).unref(),
  });
  const underWay = createRoll();
  let stopped = false;

  function channelTo({ url, addresses }: Place): Channel {
    const key = [url.origin, ...addresses.map(({ address }) => address).sort()].join(' ');
    const known = channels.get(key);
    if (known) return known;
    // Who calls bounds how many connections there are.
    const options = { most: Number.POSITIVE_INFINITY, idleMs: IDLE_MS, addresses, underWay };
    const channel = openChannel(url.origin, options);
    channels.set(key, channel);
    return channel;
  }

  async function post(letter: Letter, deadline: Deadline): Promise<number | string> {
    const place = await inTime(guard.locate(letter.url), deadline);
    if ('refused' in place) return `the URL ${place.refused}`;
    if (stopped) return INTERRUPTED;
    const request: Outgoing = {
      method: 'POST',
      path: place.url.pathname + place.url.search,
      headers: headersOf(letter, new Date(now())),
      body: letter.body,
    };
    // The status decides; an answer that goes on and on, or breaks off, changes nothing.
    const sending = { deadline, bodyLimit: ANSWER_LIMIT, statusOnly: true };
    return new Promise((resolve, reject) => {
      channelTo(place).send(request, sending, { done: ({ status }) => resolve(status), fail: reject });
    });
  }

  /** Rejects when the time is up or we stop; what cannot be broken off is left to itself. */
  function inTime<T>(work: Promise<T>, deadline: Deadline): Promise<T> {
    return new Promise((resolve, reject) => {
      const atDeadline = deadline.add({ giveUp: reject });
      const atStop = underWay.add({ giveUp: reject });
      work.then(resolve, reject).finally(() => {
        deadline.strike(atDeadline);
        underWay.strike(atStop);
      });
    });
  }

  /** In a few words of ours. */
  function describe(error: Error): string {
    if (!(error instanceof Upstream)) return `it could not be sent (${error.name})`;
    if (error.kind === 'withdrawn') return INTERRUPTED;
    return error.kind === 'late' ? `no answer within ${deadlineMs} ms` : error.message;
  }

  function interrupt(): void {
    stopped = true;
    underWay.dismiss(new Upstream('withdrawn', INTERRUPTED))();
  }

  return {
    async send(letter) {
      const began = performance.now();
      const deadline = createDeadline(deadlineMs);
      const outcome = stopped ? INTERRUPTED : await post(letter, deadline).catch(describe);
      deadline.clear();
      return { ...judge(outcome), milliseconds: Math.round(performance.now() - began) };
    },
    interrupt,
    async close() {
      interrupt();
      await Promise.all([...channels.values()].map(channel => channel.close()));
    },
  };
}

function headersOf({ id, body, sequence, secrets }: Letter, at: Date): Record<string, string> {
  const signatures = secrets.map(secret => new Webhook(secret).sign(id, at, body));
  return {
    'content-type': 'application/json',
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
