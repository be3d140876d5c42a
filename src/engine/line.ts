/** A line to one provider in one environment: it carries out an adapter's work, and is the only thing that does. */
import { parseJson, writeJson } from '../domain/json.ts';
import { createJsonReader } from '../domain/json-forms.ts';
import type { Environment, Side } from '../domain/words.ts';
import type { Adapter, Claim } from '../providers/contract.ts';
import {
  BadAnswer,
  type Context,
  type Exchange,
  type HttpAnswer,
  type HttpRequest,
  Unauthorized,
  type Work,
} from '../providers/exchange.ts';
import { createBudget } from './budget.ts';
import type { Deadline } from './deadline.ts';
import { createHealth, type Health } from './health.ts';
import { isProven } from './proof.ts';
import { searchOf } from './search.ts';
import { createTokenHolder, type TokenKeeper } from './token.ts';
import { type Channel, type Incoming, type OnEnd, openChannel } from './transport.ts';
import { Upstream } from './upstream.ts';
import { createVault, inJson, type Vault } from './vault.ts';

export interface LineOptions {
  adapter: Adapter;
  environment: Environment;
  /** Base URL by host name of the manifest. */
  bases: Readonly<Record<string, string>>;
  /** Values of the manifest's settings, secrets among them. */
  settings: Readonly<Record<string, string>>;
  now(): number;
  onUnauthorized?(): void;
  /** Told of every request that was not sent because the provider allows no more at present. */
  onWithheld?(): void;
  /** For a stand-in, which needs no protection from us. */
  unmetered?: boolean;
  /** Where the provider's token is kept, for adapters that need one. */
  tokens?: TokenKeeper;
}

export interface RunOptions<T> {
  deadline: Deadline;
  bodyLimit: number;
  id: string;
  /** Reads a refusal as a result; without it, or when it reads none, the refusal is thrown. */
  decline?: (answer: HttpAnswer) => T | undefined;
  /** Whether the work needs the provider's token. */
  authorized?: boolean;
  /** Whether all of it changes nothing at the provider, whatever the methods of its requests. */
  harmless?: boolean;
  /** Whether it leaves a part of what the provider allows to orders. */
  modest?: boolean;
  /** Whether its answers are much like each other, and tell of nobody: something of them is kept to read the next ones by. */
  alike?: boolean;
  /** Whether it waits where the provider allows it no more requests at present. */
  patient?: boolean;
}

export type AskOptions<T> = Omit<RunOptions<T>, 'authorized'>;

type Sending = Pick<RunOptions<unknown>, 'deadline' | 'bodyLimit' | 'harmless' | 'modest'>;

/** How work begins. */
export type Start<T> = (context: Context) => Work<T>;

/** Who is told of its end: one of them, once. */
export interface Ends<T> {
  done(result: T): void;
  fail(error: unknown): void;
}

/** Work under way. */
interface Errand<T> {
  options: AskOptions<T>;
  ends: Ends<T>;
  /** Exchanges that were begun. */
  links: number;
}

export interface Line {
  adapter: Adapter;
  environment: Environment;
  health: Health;
  /** Does the work, exchange by exchange. Throws Upstream, or BadAnswer from the adapter. */
  run<T>(work: Start<T>, options: RunOptions<T>): Promise<T>;
  /** The same for what needs no token, without promises: a quote has many ask at once. */
  ask<T>(work: Start<T>, options: AskOptions<T>, ends: Ends<T>): void;
  /** Whether one of the claims holds. */
  prove(claims: readonly Claim[]): Promise<boolean>;
  /** The web origin that the provider's pages come from. */
  pageOrigin(side: Side): string;
  /** Whether a page is one of the provider's. */
  isOwnPage(side: Side, url: string): boolean;
  close(): Promise<void>;
}

/** A provider may need a few requests for one answer; more means it leads us in a circle. */
const LONGEST_CHAIN = 12;
/** The token in hand may be void, and so may the one another instance got since; a new one is not. */
const MOST_TOKENS = 3;
/** The part of a burst that is left to orders and look-ups: there are many quotes, and each can be done without. */
const RESERVE = 0.25;

export function openLine(options: LineOptions): Line {
  const { adapter, environment, settings } = options;
  const { manifest } = adapter;
  const channels = new Map<string, Channel>();
  for (const [name, base] of Object.entries(options.bases)) {
    channels.set(name, openChannel(base, { most: manifest.limits.connections }));
  }
  const vault = createVault(adapter, settings, environment);
  const { perSecond, burst } = manifest.limits;
  const budget = options.unmetered ? undefined : createBudget(perSecond, burst);
  const reserve = burst < 2 ? 0 : Math.max(1, Math.floor(burst * RESERVE));
  const readAlike = createJsonReader();
  const health = createHealth(options.onUnauthorized && { onUnauthorized: options.onUnauthorized });

  function send(request: HttpRequest, options: Sending, onEnd: OnEnd): void {
    const { deadline, bodyLimit, harmless, modest } = options;
    const channel = channels.get(request.host);
    if (!channel) throw new Error(`${manifest.id}: no host is named ${request.host}`);
    const ticks = performance.now();
    if (health.isLeftAlone(ticks)) throw withheld('the provider has asked to be left alone');
    if (budget?.take(ticks, modest ? reserve : 0) === false)
      throw withheld('our budget of requests is used up');
    const { type, body } = bodyOf(request, vault);
    const headers = headersOf(request, type, vault);
    const path = vault.reveal(request.path, encodeURIComponent);
    const search = searchOf(request.query, vault.reveal);
    const sending = { deadline, bodyLimit, harmless, onAbort: health.track };
    channel.send({ method: request.method, path, search, headers, body }, sending, onEnd);
  }

  function withheld(why: string): Upstream {
    options.onWithheld?.();
    return new Upstream('busy', why);
  }

  /** Whoever cannot have any before the deadline need not wait for that. */
  async function waitForBudget({ deadline, modest }: Pick<RunOptions<unknown>, 'deadline' | 'modest'>) {
    for (;;) {
      const ms = budget?.waitMs(performance.now(), modest ? reserve : 0) ?? 0;
      if (ms === 0 || ms >= deadline.remaining()) return;
      await new Promise(resolve => setTimeout(resolve, ms));
    }
  }

  const contextOf = (id: string): Context => ({
    now: options.now(),
    id,
    settings: vault.open,
    secret: vault.placeholder,
    has: vault.has,
    sign: vault.sign,
    base: baseOf,
  });

  function baseOf(host: string): string {
    const base = options.bases[host];
    if (base === undefined) throw new Error(`${manifest.id}: no host is named ${host}`);
    return base;
  }

  const pageBase = (side: Side) => baseOf(manifest.checkout.pages[side]);

  /** From the first exchange to the last one's answer; whoever waits is told by a call. */
  function carryOut<T>(start: Start<T>, options: AskOptions<T>, ends: Ends<T>): void {
    goOn({ options, ends, links: 0 }, () => start(contextOf(options.id)));
  }

  /** One step further: to a result, or to the next exchange. */
  function goOn<T>(errand: Errand<T>, step: () => Work<T>): void {
    const { options, ends } = errand;
    let work: Work<T>;
    try {
      work = step();
    } catch (error) {
      return void ends.fail(error);
    }
    if (!isExchange(work)) return void ends.done(work);
    const next = work;
    if (errand.links++ === LONGEST_CHAIN) ends.fail(new BadAnswer('the answers lead to no end'));
    else if (options.patient) waitForBudget(options).then(() => perform(errand, next));
    else perform(errand, next);
  }

  function perform<T>(errand: Errand<T>, exchange: Exchange<T>): void {
    const { options, ends } = errand;
    try {
      send(exchange.request, options, (fault, answer) => {
        if (fault) ends.fail(fault);
        else
          goOn(errand, () =>
            hear(exchange, readAnswer(answer, options.alike ? readAlike : parseJson), options.decline),
          );
      });
    } catch (error) {
      ends.fail(error);
    }
  }

  /** The same by a promise. */
  function promise<T>(start: Start<T>, options: AskOptions<T>): Promise<T> {
    return new Promise((done, fail) => carryOut(start, options, { done, fail }));
  }

  const { token } = adapter;
  const holder =
    token && options.tokens
      ? createTokenHolder({
          keeper: options.tokens,
          now: options.now,
          onHeld: values => vault.lend(token.name, values),
        })
      : undefined;

  function ensureToken({ deadline, bodyLimit, id }: RunOptions<unknown>, refused?: string) {
    return holder?.ensure(
      () =>
        promise(context => (token as NonNullable<typeof token>).ask(context), { deadline, bodyLimit, id }),
      deadline,
      refused,
    );
  }

  async function carryOutAuthorized<T>(start: Start<T>, runOptions: RunOptions<T>): Promise<T> {
    let refused: string | undefined;
    for (let tries = 1; ; tries++) {
      await ensureToken(runOptions as RunOptions<unknown>, refused);
      // When the refusal comes there may be another in hand, got for somebody whose refusal came sooner.
      const used = holder?.current();
      try {
        return await promise(start, runOptions);
      } catch (error) {
        refused = used;
        const isRefusal = error instanceof Upstream && error.kind === 'unauthorized';
        if (!isRefusal || !refused || tries === MOST_TOKENS) throw error;
      }
    }
  }

  return {
    adapter,
    environment,
    health,
    run: (start, runOptions) =>
      runOptions.authorized ? carryOutAuthorized(start, runOptions) : promise(start, runOptions),
    ask: carryOut,
    async prove(claims) {
      const holds = () => isProven(claims, { now: options.now(), secrets: vault.values });
      if (holds()) return true;
      // What a token of ours does not open may be opened by one that another instance has got since.
      if (!holder || !claims.some(({ secret }) => secret === token?.name)) return false;
      await holder.look();
      return holds();
    },
    pageOrigin: side => new URL(pageBase(side)).origin,
    isOwnPage(side, url) {
      const base = pageBase(side);
      return url.startsWith(base) && /^([/?#]|$)/.test(url.slice(base.length));
    },
    async close() {
      await Promise.all([...channels.values()].map(channel => channel.close()));
    },
  };
}

function isExchange<T>(work: Work<T>): work is Exchange<T> {
  return typeof work === 'object' && work !== null && (work as Exchange<T>).kind === 'exchange';
}

function readAnswer({ status, headers, text }: Incoming, parse: (text: string) => unknown): HttpAnswer {
  if ((headers['content-encoding'] || 'identity') !== 'identity') {
    throw new Upstream('garbage', 'compressed although we asked for plain text');
  }
  let body: unknown;
  try {
    body = parse(text);
  } catch {
    // Left undefined: an error page may still mean something by its status, and a reader that needs a body says so.
  }
  return status === 429 ? { status, retryAfter: headers['retry-after'], body } : { status, body };
}

/** What comes of an answer. A refusal of our credentials is one in whatever way the provider says so. */
export function hear<T>(
  { read }: Exchange<T>,
  answer: HttpAnswer,
  decline: RunOptions<T>['decline'],
): Work<T> {
  try {
    return answer.status >= 400 ? readRefusal(answer, decline) : read(answer);
  } catch (error) {
    if (error instanceof Unauthorized) throw new Upstream('unauthorized', error.message);
    throw error;
  }
}

/** Tells a refusal of this request from trouble between the provider and us, which is thrown. */
function readRefusal<T>(answer: HttpAnswer, decline: RunOptions<T>['decline']): T {
  const { status } = answer;
  if (status === 401 || status === 403) throw new Upstream('unauthorized', `answered ${status}`);
  if (status === 429) throw new Upstream('limited', 'answered 429', readDelay(answer.retryAfter));
  const declined = status < 500 ? decline?.(answer) : undefined;
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

function headersOf(
  { headers }: HttpRequest,
  type: string | undefined,
  { reveal }: Vault,
): Record<string, string> | undefined {
  if (!headers) return type === undefined ? undefined : { 'content-type': type };
  const revealed = Object.entries(headers).map(([name, value]) => [name, reveal(value)]);
  return Object.fromEntries(type === undefined ? revealed : [['content-type', type], ...revealed]);
}

/** What is sent, and what it is called. */
function bodyOf(
  { body, form, file }: HttpRequest,
  { reveal }: Vault,
): { type?: string; body?: string | Uint8Array } {
  if (body === undefined && !form && !file) return NO_BODY;
  if (file) return { type: file.type, body: file.bytes };
  if (form) return { type: 'application/x-www-form-urlencoded', body: searchOf(form, reveal).slice(1) };
  return { type: 'application/json', body: reveal(writeJson(body), inJson) };
}

const NO_BODY = {};
