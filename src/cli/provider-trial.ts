/** A trial of a provider: each of its operations once, through its line, and what came of it. */
import { translate } from '../app/listings.ts';
import type { Currencies } from '../domain/currency.ts';
import type { Listing } from '../domain/listing.ts';
import { type Amount, significant } from '../domain/money.ts';
import { type Decline, type Price, priceOffer } from '../domain/offer.ts';
import { type CountryCode, member, type Side } from '../domain/words.ts';
import { createDeadline } from '../engine/deadline.ts';
import { newId } from '../engine/ids.ts';
import type { Line, RunOptions } from '../engine/line.ts';
import { Upstream } from '../engine/upstream.ts';
import {
  absenceIn,
  type Manifest,
  type NativeAsk,
  type NativeOrder,
  type Notice,
  type Page,
  type TheirListing,
} from '../providers/contract.ts';
import { BadAnswer, type Context, type HttpAnswer, type Work } from '../providers/exchange.ts';
import { chooseAsk } from './provider-choice.ts';

export interface TrialOptions {
  line: Line;
  currencies: Currencies;
  country: CountryCode | undefined;
  now(): number;
}

export type Verdict = 'matched' | 'refused' | 'failed' | 'left out';

export interface Trial {
  operation: string;
  verdict: Verdict;
  detail: string;
  ms: number;
}

/** A quote as it was asked for, and every answer on the way to it. */
export interface TriedQuote {
  ask: NativeAsk;
  answers: HttpAnswer[];
}

export interface TrialReport {
  trials: Trial[];
  quotes: TriedQuote[];
}

const DEADLINE_MS = 20_000;
const BODY_LIMIT = 16 * 1024 * 1024;
const MOST_NAMED = 8;

export async function tryProvider(options: TrialOptions): Promise<TrialReport> {
  const { line } = options;
  const { manifest, token } = line.adapter;
  const trials: Trial[] = [];
  const known: Known = { listings: [], quotes: [], rate: undefined, order: undefined };
  const attempt = async (operation: string, work: () => Promise<Finding>) => {
    const began = performance.now();
    const { verdict, detail } = await work().catch(explain);
    trials.push({ operation, verdict, detail, ms: Math.round(performance.now() - began) });
  };
  if (token) await attempt('token', () => tryToken(line));
  await attempt('catalog', () => tryCatalog(options, known));
  for (const side of manifest.sides) await attempt(`${side} quote`, () => tryQuote(options, side, known));
  await attempt('checkout', () => tryCheckout(line, known.order));
  await attempt('status', () => tryStatus(line, known.order));
  return { trials, quotes: known.quotes };
}

/** What one operation tells the next. */
interface Known {
  listings: Listing[];
  quotes: TriedQuote[];
  rate: Amount | undefined;
  order: NativeOrder | undefined;
}

interface Finding {
  verdict: Verdict;
  detail: string;
}

const matched = (detail: string): Finding => ({ verdict: 'matched', detail });
const leftOut = (detail: string): Finding => ({ verdict: 'left out', detail });

function explain(error: unknown): Finding {
  if (error instanceof Upstream) return { verdict: 'failed', detail: `${error.kind}: ${error.message}` };
  if (error instanceof BadAnswer)
    return { verdict: 'failed', detail: `the answer is not as documented: ${error.message}` };
  throw error;
}

interface Running<T> extends Pick<RunOptions<T>, 'authorized' | 'decline'> {
  work(context: Context): Work<T>;
}

async function run<T>(line: Line, { work, ...options }: Running<T>): Promise<T> {
  const deadline = createDeadline(DEADLINE_MS);
  try {
    return await line.run(work, { deadline, bodyLimit: BODY_LIMIT, id: 'check', ...options });
  } finally {
    deadline.clear();
  }
}

/** The same work; every answer that it reads is kept. */
function noting<T>(work: Work<T>, answers: HttpAnswer[]): Work<T> {
  if (typeof work !== 'object' || work === null || !('kind' in work) || work.kind !== 'exchange') return work;
  return {
    ...work,
    read(answer) {
      answers.push(answer);
      return noting(work.read(answer), answers);
    },
  };
}

function asked({ amount, side, fiat, asset, method, country }: NativeAsk): string {
  const [from, to] = side === 'buy' ? [fiat.code, asset.id] : [asset.id, fiat.code];
  return `${amount} ${from} to ${to} by ${method} in ${country}`;
}

/** How much of a catalog we know how to place, and what we do not. */
function judgeCatalog(theirs: readonly TheirListing[], manifest: Manifest, currencies: Currencies): Finding {
  const [assets, methods, fiats] = [
    new Map<string, boolean>(),
    new Map<string, boolean>(),
    new Set<string>(),
  ];
  for (const block of theirs) {
    for (const asset of block.assets) {
      const [placed] = translate([{ side: block.side, assets: [asset], fiats: [] }], manifest, currencies);
      assets.set(`${asset.code} on ${asset.network}`, (placed?.assets.size ?? 0) > 0);
    }
    for (const { code, methods: offered } of block.fiats) {
      fiats.add(code);
      for (const { code: word, kind } of offered)
        methods.set(kind ?? word, member(manifest.methods, kind ?? word) !== undefined);
    }
  }
  const known = [...assets.values()].filter(Boolean).length;
  const detail = [
    `${theirs.length} blocks`,
    `${known} of ${assets.size} assets known${missing(assets)}`,
    `${fiats.size} fiats`,
    `${[...methods.values()].filter(Boolean).length} of ${methods.size} payment methods known${missing(methods)}`,
  ].join('; ');
  return { verdict: known > 0 ? 'matched' : 'failed', detail };
}

function missing(all: ReadonlyMap<string, boolean>): string {
  const names = [...all].filter(([, known]) => !known).map(([name]) => name);
  if (names.length === 0) return '';
  return ` (not: ${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ', …' : ''})`;
}

async function tryToken(line: Line): Promise<Finding> {
  await run(line, { work: () => true, authorized: true });
  return matched('lent');
}

async function tryCatalog({ line, currencies }: TrialOptions, known: Known): Promise<Finding> {
  const { adapter } = line;
  const theirs = await run(line, { work: context => adapter.catalog(context) });
  known.listings = translate(theirs, adapter.manifest, currencies);
  return judgeCatalog(theirs, adapter.manifest, currencies);
}

async function tryQuote(
  { line, currencies, country, now }: TrialOptions,
  side: Side,
  known: Known,
): Promise<Finding> {
  const { adapter } = line;
  const ask = chooseAsk(known.listings, side, { currencies, country, rate: known.rate });
  if (!ask) return leftOut('nothing is listed to ask for');
  const answers: HttpAnswer[] = [];
  known.quotes.push({ ask, answers });
  const answer = await run<Price | Decline>(line, {
    work: context => noting(adapter.quote(ask, context), answers),
    decline(refusal) {
      answers.push(refusal);
      return adapter.decline?.(refusal, ask);
    },
  });
  if ('kind' in answer) return { verdict: 'refused', detail: `${asked(ask)}: ${answer.message}` };
  const offer = priceOffer(ask, answer, adapter.manifest.kyc);
  if (typeof offer === 'string') throw new BadAnswer(`${asked(ask)}: the figures do not fit (${offer})`);
  const { pays, gets, networkFee, providerFee, rate } = offer;
  known.rate ??= rate;
  known.order ??= orderOf(ask, now());
  const fees = `fees ${networkFee} and ${providerFee}`;
  return matched(`${asked(ask)}: pays ${pays}, gets ${gets}, ${fees}, rate ${significant(rate, 8)}`);
}

async function tryCheckout(line: Line, order: NativeOrder | undefined): Promise<Finding> {
  const { adapter } = line;
  if (adapter.manifest.checkout.makes === 'order') return leftOut('it would make an order');
  if (!order) return leftOut('there is no price to go on with');
  const page = await run<Page | Decline>(line, {
    work: context => adapter.checkout(order, context),
    authorized: true,
    decline: answer => adapter.decline?.(answer, order),
  });
  if (page.kind === 'decline') return { verdict: 'refused', detail: page.message };
  if (!line.isOwnPage(order.side, page.url)) throw new BadAnswer('a page that is not the provider’s own');
  // What follows the host may open somebody's session.
  return matched(`a page on ${new URL(page.url).host}`);
}

async function tryStatus(line: Line, order: NativeOrder | undefined): Promise<Finding> {
  const { status } = line.adapter;
  if (!status) return leftOut('it cannot be asked');
  if (!order) return leftOut('there is no price to make up an order from');
  const unknown = { ...order, id: newId(order.createdAt) };
  for (const theirs of [undefined, UNKNOWN_ID]) {
    const made = { ...unknown, theirs, access: theirs };
    let canAsk = true;
    const notices = await run<Notice[] | undefined>(line, {
      work(context) {
        const work = status(made, context);
        canAsk = work !== undefined;
        return work;
      },
      authorized: true,
      decline: answer => absenceIn(answer, line.adapter, made) && [],
    });
    if (notices && notices.length > 0)
      throw new BadAnswer('it says something about an order that nobody has made');
    if (canAsk) return matched('an order that nobody has made is not known');
  }
  return leftOut('it cannot be asked about an order that nobody has made');
}

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
/** Nobody's address: the range is for documents. */
const CLIENT_IP = '203.0.113.7';
const OUR_URL = 'https://cloverleaf.example';

/** Addresses that are nobody's loss. */
const WALLETS: Readonly<Record<string, string>> = {
  bitcoin: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  ethereum: '0x52908400098527886E0F7030069857D2E4169EE7',
  solana: '11111111111111111111111111111111',
};

function orderOf(ask: NativeAsk, now: number): NativeOrder | undefined {
  const address = WALLETS[ask.asset.network];
  if (address === undefined) return undefined;
  const { side, fiat, asset, method, country, amount, native } = ask;
  return {
    ...{ id: newId(now), side, fiat, asset, method, country, amount, native },
    wallet: { address },
    email: undefined,
    returnUrl: `${OUR_URL}/pay/return`,
    hookUrl: `${OUR_URL}/hooks/check`,
    theme: { isDark: false },
    theirs: undefined,
    access: undefined,
    createdAt: now,
    clientIp: CLIENT_IP,
  };
}
