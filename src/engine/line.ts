/** A line to one provider in one environment: it carries out an adapter's work, and is the only thing that does. */
import { writeJson } from '../domain/json.ts';
import { createJsonReader } from '../domain/json-forms.ts';
import type { Environment, Side } from '../domain/words.ts';
import type { Adapter, Claim } from '../providers/contract.ts';
import type { Context, HttpRequest } from '../providers/exchange.ts';
import { createBudget } from './budget.ts';
import { Chain, type Job, type Terms } from './chain.ts';
import type { Ends } from './ends.ts';
import { createHealth, type Health } from './health.ts';
import { isProven } from './proof.ts';
import { searchOf } from './search.ts';
import { createTokenHolder, type TokenKeeper } from './token.ts';
import { type Channel, type Incoming, openChannel } from './transport.ts';
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

export interface RunOptions<T> extends Terms, Pick<Job<T>, 'id' | 'decline'> {
  /** Whether the work needs the provider's token. */
  authorized?: boolean;
}

/** How work begins. */
export type Start<T> = Job<T>['start'];

export interface Line {
  adapter: Adapter;
  environment: Environment;
  health: Health;
  /** Does the work, exchange by exchange. Throws Upstream, or BadAnswer from the adapter. */
  run<T>(work: Start<T>, options: RunOptions<T>): Promise<T>;
  /** The same for what needs no token, without promises: a quote has many ask at once. */
  ask<T>(job: Job<T>, terms: Terms): void;
  /** Whether one of the claims holds. */
  prove(claims: readonly Claim[]): Promise<boolean>;
  /** The web origin that the provider's pages come from. */
  pageOrigin(side: Side): string;
  /** Whether a page is one of the provider's. */
  isOwnPage(side: Side, url: string): boolean;
  close(): Promise<void>;
}

/** The token in hand may be void, and so may the one another instance got since; a new one is not. */
const MOST_TOKENS = 3;
/** The part of a burst that is left to orders and look-ups: there are many quotes, and each can be done without. */
const RESERVE = 0.25;

export function openLine(options: LineOptions): Line {
  const { adapter, environment, settings } = options;
  const { manifest } = adapter;
  const health = createHealth(options.onUnauthorized && { onUnauthorized: options.onUnauthorized });
  const channels = new Map<string, Channel>();
  for (const [name, base] of Object.entries(options.bases)) {
    channels.set(name, openChannel(base, { most: manifest.limits.connections, underWay: health.underWay }));
  }
  const vault = createVault(adapter, settings, environment);
  const { perSecond, burst } = manifest.limits;
  const budget = options.unmetered ? undefined : createBudget(perSecond, burst);
  const reserve = burst < 2 ? 0 : Math.max(1, Math.floor(burst * RESERVE));

  function send(request: HttpRequest, terms: Terms, ends: Ends<Incoming>): void {
    const channel = channels.get(request.host);
    if (!channel) throw new Error(`${manifest.id}: no host is named ${request.host}`);
    const ticks = performance.now();
    if (health.isLeftAlone(ticks)) throw withheld('the provider has asked to be left alone');
    if (budget?.take(ticks, terms.modest ? reserve : 0) === false)
      throw withheld('our budget of requests is used up');
    const { type, body } = bodyOf(request, vault);
    const headers = headersOf(request, type, vault);
    const path = vault.reveal(request.path, encodeURIComponent);
    const search = searchOf(request.query, vault.reveal);
    channel.send({ method: request.method, path, search, headers, body }, terms, ends);
  }

  function withheld(why: string): Upstream {
    options.onWithheld?.();
    return new Upstream('busy', why);
  }

  async function wait({ deadline, modest }: Terms): Promise<void> {
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

  const sender = { send, wait, alike: createJsonReader() };

  function carryOut<T>(job: Job<T>, terms: Terms): void {
    new Chain(sender, job, terms).begin(contextOf(job.id));
  }

  /** The same by a promise. */
  function promise<T>(start: Start<T>, options: RunOptions<T>): Promise<T> {
    const { id, decline } = options;
    return new Promise((done, fail) => carryOut({ id, start, decline, done, fail }, options));
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

  function ensureToken({ deadline, bodyLimit, id }: Terms & { id: string }, refused?: string) {
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
      await ensureToken(runOptions, refused);
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
