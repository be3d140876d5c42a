/** Checkout: from a wish to a transaction with a page to go on at; written down before any provider is asked. */
import type { Asset, Currencies, Fiat } from '../domain/currency.ts';
import { badInput, DeclinedFault, Fault } from '../domain/fault.ts';
import { writeJson } from '../domain/json.ts';
import { findListed } from '../domain/listing.ts';
import { endOf } from '../domain/lookup.ts';
import type { Amount } from '../domain/money.ts';
import type { CountryCode, MethodId, ProviderId, Side, StateCode } from '../domain/words.ts';
import { newId } from '../engine/ids.ts';
import {
  type Insertion,
  insertCheckouts,
  insertSigned,
  insertStepped,
  MOST_CHECKOUTS,
  type NewCheckout,
  type NewKey,
  releaseKey,
} from '../store/checkouts.ts';
import type { Database } from '../store/database.ts';
import type { NewFlow } from '../store/flows.ts';
import { findTransaction, type Order, type Promised } from '../store/transactions.ts';
import { type Account, mayUse } from './accounts.ts';
import { faultOf, writeRefusal } from './declines.ts';
import type { Doors } from './doors.ts';
import { createGroup } from './group.ts';
import type { Listed, Listings } from './listings.ts';
import type { Theme } from './pay.ts';
import type { QuoteIds } from './quote-ids.ts';
import { missed, type Quotes } from './quotes.ts';
import { createRecall, LEASE_MS } from './recall.ts';
import type { Releases } from './releases.ts';
import type { Sessions } from './sessions.ts';
import { newRecordOf } from './transactions.ts';

/** What the client wants carried out, understood and checked as far as that goes without asking anybody. */
export interface Wish {
  account: Account;
  /** Which surface it came in on. */
  origin: Order['origin'];
  provider: ProviderId;
  side: Side;
  fiat: Fiat;
  asset: Asset;
  method: MethodId;
  country: CountryCode;
  state?: StateCode | undefined;
  /** What the customer hands over. */
  amount: Amount;
  /** The currencies in the client's own words, lower-cased. */
  source: string;
  target: string;
  wallet: { address: string; memo?: string | undefined } | undefined;
  quoteId: string | undefined;
  partnerContext: string;
  /** Whether the context was an object; its text is JSON then. */
  contextIsObject: boolean;
  uuid: string | undefined;
  originatingHost: string | undefined;
  /** Web origins of the pages around the widget that it was made in; they may frame its page. */
  around?: readonly string[] | undefined;
  theme: Theme;
  returnTo: string | undefined;
  /** Makes a signed checkout good for one use. */
  signNonce: string | undefined;
  /** What a checkout that was signed too long ago is refused with, unless it was answered then. */
  stale?: Fault | undefined;
  /** The key, and in hexadecimal what tells one body from another. */
  idempotency: { key: string; digest: string } | undefined;
  /** Address of the caller, for providers that want it; never stored. */
  clientIp: string | undefined;
}

/** A wish that was shown with its price already, and is carried out step by step. */
export interface SteppedWish extends Wish {
  /** The id that its transaction gets: nobody makes two of one. */
  id: string;
  price: Promised;
  flow: NewFlow;
}

/** What came of it. */
export interface Intent {
  sessionId: string;
  transactionId: string;
  /** Our pay page. */
  url: string;
  opens: 'iframe' | 'redirect';
  permissions: readonly string[];
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export interface Checkout {
  /**
   * Makes the transaction and resolves with its answer, written by `write`; the same text again for the same
   * idempotency key and body. Faults: `declined` (422; the provider or its listing says no, with limits; also another body
   * under a used key), `conflict` (409; still running, or a nonce used before), `badInput` and `expired` (the quote),
   * `forbidden` (the account may not use the provider, or signed too long ago), `providerLate`, `providerFailed`.
   */
  intend(wish: Wish, write: (intent: Intent) => string): Promise<string>;
  /**
   * Makes the transaction of a flow and asks no provider yet: its steps do. Faults: `conflict` when it was made before,
   * `declined`, `forbidden`, `unavailable`.
   */
  place(wish: SteppedWish): Promise<void>;
}

/** Places where a test may end the process, to see what is left. */
export type CheckoutPoint = 'understood' | 'priced' | 'written' | 'asking' | 'answered' | 'committed';

export interface CheckoutOptions {
  database: Database;
  /** For letting go of what could not be finished: the next try waits for that. */
  background: Database;
  currencies: Currencies;
  listings: Listings;
  quotes: Quotes;
  ids: QuoteIds;
  sessions: Sessions;
  doors: Doors;
  releases: Releases;
  publicUrl(): string;
  now(): number;
  /** Called when there is something to tell accounts. */
  onEvents(): void;
  reach(point: CheckoutPoint): void;
}

const SESSION_MS = 600_000;
/** So many checkouts share one write, and more where many wait. */
const TOGETHER = 8;
/** A key that came to nothing is let go of before its lease ends: from then on it may be another's. */
const RELEASE_MS = LEASE_MS - 3_000;

export function createCheckout(options: CheckoutOptions): Checkout {
  const { database, listings, quotes, ids, sessions, doors, releases, now, reach } = options;
  const insertTogether = createGroup<NewCheckout, Insertion>({
    few: TOGETHER,
    most: MOST_CHECKOUTS,
    // While one is being committed the next is written.
    atOnce: 2,
    write: group => insertCheckouts(database, group),
  });
  const recall = createRecall(database);
  /** Where an id or a nonce may have been used before, nobody else's checkout is in the same write. */
  function insert(checkout: NewCheckout, flow: NewFlow | undefined): Promise<Insertion> {
    if (flow) return insertStepped(database, checkout, flow);
    return checkout.order.signNonce === undefined
      ? insertTogether(checkout)
      : insertSigned(database, checkout);
  }

  /** The price that was promised, what is wrong with the promise, or nothing when none was mentioned. */
  function readPromise(wish: Wish): Promised | Fault | undefined {
    const { account, provider, side, fiat, asset, method, amount, quoteId } = wish;
    if (quoteId === undefined) return undefined;
    const about = { account: account.id, provider, side, fiat: fiat.id, asset: asset.id, method, amount };
    const promised = ids.read(about, quoteId);
    if (!promised?.price)
      return badInput('metaData.quoteId', 'metaData.quoteId is not a quote of yours for this checkout');
    if (promised.until <= now())
      return new Fault('expired', 'The quote has run out: ask for a new one', 'metaData.quoteId');
    return promised.price;
  }

  async function askPrice(wish: Wish): Promise<Promised> {
    const { account, provider, wallet } = wish;
    const ask = { ...wish, amountOf: 'source' as const, walletAddress: wallet?.address };
    const { answer } = await quotes.askOne({ account, ask, clientName: undefined }, provider);
    if (answer.kind === 'decline') throw faultOf(answer);
    return answer;
  }

  function listedFor({ account, provider }: Wish): Listed | Fault {
    if (!mayUse(account, provider))
      return new Fault('forbidden', `Your key does not open ${provider}`, 'onramp');
    const listed = listings.find(account.environment, provider);
    return listed ?? new Fault('unavailable', `${provider} is not available at the moment`, 'onramp');
  }

  function orderOf(
    wish: Wish,
    { line, listings: listed }: Listed,
    { promised, id }: { promised: Promised; id?: string },
  ): Order | Fault {
    const { side, fiat, asset, method, country, state, amount, wallet } = wish;
    const found = findListed(listed, {
      side,
      fiat: fiat.id,
      asset: asset.id,
      method,
      country,
      state,
    });
    if (typeof found === 'string') return faultOf(missed(found, wish));
    const native = {
      fiat: found.fiat.native,
      asset: found.asset.native,
      network: found.asset.network,
      method: found.method.native,
    };
    const refusal = line.adapter.refuses?.({ side, fiat, native, amount, wallet });
    if (refusal) return faultOf(refusal);
    const at = now();
    return {
      id: id ?? newId(at),
      sessionId: newId(at),
      accountId: wish.account.id,
      environment: wish.account.environment,
      origin: wish.origin,
      provider: wish.provider,
      side,
      fiat: fiat.id,
      asset: asset.id,
      method,
      country,
      source: wish.source,
      target: wish.target,
      amount,
      promised,
      native,
      walletAddress: wallet?.address ?? '',
      walletMemo: wallet?.memo,
      partnerContext: wish.partnerContext,
      contextIsObject: wish.contextIsObject,
      uuid: wish.uuid,
      originatingHost: wish.originatingHost,
      around: wish.around,
      theme: { ...wish.theme },
      returnTo: wish.returnTo,
      signNonce: wish.signNonce,
      createdAt: new Date(at),
      expiresAt: new Date(at + SESSION_MS),
    };
  }

  /** The order at the price that was promised, if one was; or what is wrong with it. */
  function draw(wish: Wish, listed: Listed): Order | Fault | undefined {
    const promise = readPromise(wish);
    return !promise || promise instanceof Fault ? promise : orderOf(wish, listed, { promised: promise });
  }

  function intentOf({ line }: Listed, order: Pick<Order, 'id' | 'sessionId' | 'expiresAt'>): Intent {
    const { opens, permissions } = line.adapter.manifest.checkout;
    return {
      sessionId: order.sessionId,
      transactionId: order.id,
      url: `${options.publicUrl()}/pay/${sessions.tokenOf(order.sessionId)}`,
      opens,
      permissions,
      expiresAt: order.expiresAt.getTime(),
    };
  }

  /** Writes the order down, with all that begins with it. */
  async function write(
    order: Order,
    { account, key, ready, flow }: Pick<NewCheckout, 'key' | 'ready'> & { account: Account; flow?: NewFlow },
  ): Promise<Insertion> {
    const createdAt = order.createdAt.getTime();
    const checkout = {
      order,
      event: { id: `${order.id}-1`, body: writeJson(newRecordOf(order, account.publicKey)) },
      lookInMs: endOf({ createdAt, expiresAt: order.expiresAt.getTime(), ready }) - createdAt,
      key,
      ready,
    };
    const insertion = await insert(checkout, flow);
    if (insertion === 'told') options.onEvents();
    return insertion;
  }

  /** Asks the provider whether it takes the order, where that is a question; then the answer is kept and given. */
  async function settle(wish: Wish, listed: Listed, transactionId: string, tell: (intent: Intent) => string) {
    const { account, idempotency } = wish;
    const began = performance.now();
    let answer: string | undefined;
    let refusal: string | undefined;
    try {
      const transaction = await findTransaction(database, transactionId);
      if (!transaction) throw new Error(`transaction ${transactionId} is gone`);
      await doors.prepare(transaction, { clientIp: wish.clientIp, reach });
      reach('answered');
      answer = tell(intentOf(listed, transaction));
      return answer;
    } catch (error) {
      if (error instanceof DeclinedFault) refusal = writeRefusal(error);
      throw error;
    } finally {
      if (idempotency) {
        const kept = { key: idempotency.key, answer, refusal };
        if (answer !== undefined) await releaseKey(database, account.id, kept);
        else
          await releases.release(() => releaseKey(options.background, account.id, kept), began + RELEASE_MS);
      }
      reach('committed');
    }
  }

  return {
    async intend(wish, tell) {
      reach('understood');
      const { account, idempotency, stale } = wish;
      if (stale) return recall.stale(wish, stale);
      // What was answered before is answered again: no provider is asked twice, and it may have gone since, no longer list
      // the pair, or the quote may have run out.
      const listed = listedFor(wish);
      if (listed instanceof Fault) return recall.refused(wish, listed);
      const again = (transactionId: string) => settle(wish, listed, transactionId, tell);
      const drawn = draw(wish, listed);
      if (!drawn || drawn instanceof Fault) {
        const used = await recall.used(wish, again);
        if (used !== undefined) return used;
        if (drawn) throw drawn;
      }
      const order = drawn ?? orThrow(orderOf(wish, listed, { promised: await askPrice(wish) }));
      reach('priced');
      const asks = doors.asks(listed.line);
      const answer = asks ? undefined : tell(intentOf(listed, order));
      const key: NewKey | undefined = idempotency && {
        key: idempotency.key,
        digest: idempotency.digest,
        answer,
        leaseMs: asks ? LEASE_MS : undefined,
      };
      const insertion = await write(order, { account, key, ready: !asks });
      reach('written');
      if (insertion === 'keyTaken') return recall.taken(wish, again);
      if (insertion === 'nonceTaken')
        throw new Fault('conflict', 'The signature’s nonce was used before', 'signContent');
      if (answer === undefined) return settle(wish, listed, order.id, tell);
      reach('committed');
      return answer;
    },
    async place(wish) {
      const { account, id, flow } = wish;
      const order = orThrow(orderOf(wish, orThrow(listedFor(wish)), { promised: wish.price, id }));
      const insertion = await write(order, { account, key: undefined, ready: false, flow });
      if (insertion === 'idTaken') throw new Fault('conflict', 'The step was answered before');
    },
  };
}

function orThrow<T>(found: T | Fault): T {
  if (found instanceof Fault) throw found;
  return found;
}
