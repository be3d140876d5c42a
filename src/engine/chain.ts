/** A chain: one piece of work, exchange after exchange, to its result. */
import { parseJson } from '../domain/json.ts';
import type { JsonReader } from '../domain/json-forms.ts';
import {
  BadAnswer,
  type Context,
  type Exchange,
  type HttpAnswer,
  type HttpRequest,
  Unauthorized,
  type Work,
} from '../providers/exchange.ts';
import type { Deadline } from './deadline.ts';
import type { Ends } from './ends.ts';
import type { Incoming } from './transport.ts';
import { Upstream } from './upstream.ts';

/** Work to be done, and who is told how it ended. */
export interface Job<T> extends Ends<T> {
  /** Unique to it. */
  id: string;
  start(context: Context): Work<T>;
  /** Reads a refusal as a result; without it, or when it reads none, the refusal is an error. */
  decline?: ((answer: HttpAnswer) => T | undefined) | undefined;
}

/** How it is done. */
export interface Terms {
  deadline: Deadline;
  bodyLimit: number;
  /** Whether all of it changes nothing at the provider, whatever the methods of its requests. */
  harmless?: boolean;
  /** Whether it leaves a part of what the provider allows to orders. */
  modest?: boolean;
  /** Whether its answers are much like each other, and tell of nobody: something of them is kept to read the next ones by. */
  alike?: boolean;
  /** Whether it waits where the provider allows it no more requests at present. */
  patient?: boolean;
}

/** Who sends its requests. */
export interface Sender {
  /** Throws when it cannot be sent. */
  send(request: HttpRequest, terms: Terms, ends: Ends<Incoming>): void;
  /** Until one may be sent; whoever cannot send any before the deadline need not wait for that. */
  wait(terms: Terms): Promise<void>;
  /** Reads answers that are much like each other. */
  alike: JsonReader;
}

/** A provider may need a few requests for one answer; more means it leads us in a circle. */
const LONGEST = 12;

/** A class, as a quote makes many. */
export class Chain<T> implements Ends<Incoming> {
  readonly #sender: Sender;
  readonly #job: Job<T>;
  readonly #terms: Terms;
  #exchange: Exchange<T> | undefined = undefined;
  #links = 0;

  constructor(sender: Sender, job: Job<T>, terms: Terms) {
    this.#sender = sender;
    this.#job = job;
    this.#terms = terms;
  }

  begin(context: Context): void {
    let work: Work<T>;
    try {
      work = this.#job.start(context);
    } catch (error) {
      return void this.#job.fail(error);
    }
    this.#goOn(work);
  }

  /** An answer has come. */
  done(answer: Incoming): void {
    const reader = this.#terms.alike ? this.#sender.alike : ANY;
    let body: unknown;
    let work: Work<T>;
    try {
      body = readBody(answer, reader);
      work = hear(this.#exchange as Exchange<T>, answerOf(answer, body), this.#job);
    } catch (error) {
      reader.giveBack(body);
      return void this.#job.fail(error);
    }
    // Work that goes on may come back to what it has read.
    if (!isExchange(work)) reader.giveBack(body);
    this.#goOn(work);
  }

  fail(fault: unknown): void {
    this.#job.fail(fault);
  }

  #goOn(work: Work<T>): void {
    if (!isExchange(work)) return void this.#job.done(work);
    this.#exchange = work;
    if (this.#links++ === LONGEST) this.#job.fail(new BadAnswer('the answers lead to no end'));
    else if (this.#terms.patient) this.#sender.wait(this.#terms).then(() => this.#send(work));
    else this.#send(work);
  }

  #send({ request }: Exchange<T>): void {
    try {
      this.#sender.send(request, this.#terms, this);
    } catch (error) {
      this.#job.fail(error);
    }
  }
}

function isExchange<T>(work: Work<T>): work is Exchange<T> {
  return typeof work === 'object' && work !== null && (work as Exchange<T>).kind === 'exchange';
}

const ANY: JsonReader = { read: parseJson, giveBack() {} };

/** Undefined when it is not JSON: an error page may still mean something by its status, and a reader that needs a body says so. */
function readBody({ headers, text }: Incoming, reader: JsonReader): unknown {
  if ((headers['content-encoding'] || 'identity') !== 'identity') {
    throw new Upstream('garbage', 'compressed although we asked for plain text');
  }
  try {
    return reader.read(text);
  } catch {
    return undefined;
  }
}

function answerOf({ status, headers }: Incoming, body: unknown): HttpAnswer {
  return status === 429 ? { status, retryAfter: headers['retry-after'], body } : { status, body };
}

/** What comes of an answer. A refusal of our credentials is one in whatever way the provider says so. */
export function hear<T>({ read }: Exchange<T>, answer: HttpAnswer, job: Pick<Job<T>, 'decline'>): Work<T> {
  try {
    return answer.status >= 400 ? readRefusal(answer, job) : read(answer);
  } catch (error) {
    if (error instanceof Unauthorized) throw new Upstream('unauthorized', error.message);
    throw error;
  }
}

/** Tells a refusal of this request from trouble between the provider and us, which is thrown. */
function readRefusal<T>(answer: HttpAnswer, job: Pick<Job<T>, 'decline'>): T {
  const { status } = answer;
  if (status === 401 || status === 403) throw new Upstream('unauthorized', `answered ${status}`);
  if (status === 429) throw new Upstream('limited', 'answered 429', readDelay(answer.retryAfter));
  const declined = status < 500 ? job.decline?.(answer) : undefined;
  if (!declined) throw new Upstream('status', `answered ${status}`);
  return declined;
}

/** Seconds, or an HTTP date. */
function readDelay(value: string | undefined): number | undefined {
  if (!value) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
