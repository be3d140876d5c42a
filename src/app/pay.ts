/** The pay page's side of things: what it shows of a transaction, and how it gets the person to the provider. */
import type { Currencies } from '../domain/currency.ts';
import { Fault } from '../domain/fault.ts';
import { type Amount, ZERO } from '../domain/money.ts';
import type { BankTransfer } from '../domain/step.ts';
import { cameToNothing, type Deposit, SINCE, type Status } from '../domain/transaction.ts';
import type { Side } from '../domain/words.ts';
import { findKey } from '../store/checkouts.ts';
import type { Database } from '../store/database.ts';
import { findListener, type Listener } from '../store/flows.ts';
import { findBySession, findChanged, findTransaction, type Transaction } from '../store/transactions.ts';
import type { Account, Callers } from './accounts.ts';
import { startBeat } from './beat.ts';
import type { Checkout, Wish } from './checkout.ts';
import type { Doors } from './doors.ts';
import type { Lines } from './lines.ts';
import type { Sessions } from './sessions.ts';

/** A sum in the currency people know it by. */
export interface Sum {
  amount: Amount;
  code: string;
}

/** Everything the page shows, from the transaction's row. */
export interface PayView {
  transactionId: string;
  side: Side;
  provider: { id: string; name: string };
  pays: Sum;
  gets: Sum;
  /** Whether `gets` is what was promised: the provider has not told what it was in the end. */
  isEstimate: boolean;
  networkFee: Sum;
  providerFee: Sum;
  /** Name of the network, for people. */
  network: string;
  /** Where coins go on a buy; on a sell the address they come back to, or empty. */
  walletAddress: string;
  walletMemo: string | undefined;
  method: string;
  theme: Theme;
  status: Status;
  reason: string;
  hash: string;
  deposit: Deposit | undefined;
  /** The bank transfer that the person is to make. */
  bank: BankTransfer | undefined;
  /** Grows with every change. */
  sequence: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
  opened: boolean;
  /** How the provider's page is shown, from where, and with which permissions. */
  opens: 'iframe' | 'redirect';
  pageOrigin: string;
  permissions: readonly string[];
  /** The way back to the shop; a URL that was checked when the checkout was made. */
  returnTo: string | undefined;
  /** Origins that may frame the page and are told of progress. */
  ancestors: readonly string[];
  /**
   * Whether it may be started over here when it came to nothing; an order by steps begins anew where it was begun, and
   * one that was erased nowhere.
   */
  restarts: boolean;
  /** Present while another page leads the person through the order by steps. */
  handover: Handover | undefined;
}

/** To whom the person is handed over once their part here is done. */
export interface Handover extends Listener {
  /** Where the order can be followed afterwards: this very page. */
  trackingUrl: string;
}

export interface Theme {
  isDark: boolean;
  themeName?: string | undefined;
  primaryColor?: string | undefined;
  secondaryColor?: string | undefined;
  primaryTextColor?: string | undefined;
  secondaryTextColor?: string | undefined;
  cardColor?: string | undefined;
  borderRadius?: string | undefined;
}

export interface Pay {
  /** Undefined for a token that is not ours. */
  view(token: string): Promise<PayView | undefined>;
  /** Makes the provider's page, signed anew, for a person at this address. Faults: expired, declined, providerLate, providerFailed. */
  open(token: string, clientIp: string | undefined): Promise<{ url: string }>;
  /** Calls back with the view at every change, until told to stop; undefined for a token that is not ours. */
  follow(token: string, onChange: (view: PayView) => void): Promise<(() => void) | undefined>;
  /** Starts the same checkout over for a person at this address, when the first one has come to nothing; the URL of its page. */
  again(token: string, clientIp: string | undefined): Promise<{ url: string }>;
  /** Looks at once for changes to tell. */
  wake(): void;
  stop(): Promise<void>;
}

export interface PayOptions {
  /** For people's pages, and for telling them of changes. */
  database: Database;
  background: Database;
  currencies: Currencies;
  callers: Callers;
  lines: Lines;
  sessions: Sessions;
  doors: Doors;
  checkout: Checkout;
  publicUrl(): string;
  now(): number;
  onError(error: unknown): void;
}

const BEAT_MS = 1_000;

/** Somebody who looks at a transaction, and what they saw last. */
interface Follower {
  id: string;
  sequence: number;
  tell(transaction: Transaction): void;
}

export function createPay(options: PayOptions): Pay {
  const { database, background, currencies, callers, lines, sessions, doors, checkout } = options;
  const followers = new Set<Follower>();
  const beat = startBeat({ everyMs: BEAT_MS, work: tellChanges, onError: options.onError });

  /** One question for everybody who looks, however many there are. */
  async function tellChanges(): Promise<void> {
    if (followers.size === 0) return;
    const seen = new Map<string, number>();
    for (const { id, sequence } of followers) seen.set(id, Math.min(sequence, seen.get(id) ?? sequence));
    for (const transaction of await findChanged(background, seen)) {
      for (const follower of followers) {
        if (follower.id !== transaction.id || follower.sequence >= transaction.sequence) continue;
        follower.sequence = transaction.sequence;
        follower.tell(transaction);
      }
    }
  }

  async function find(token: string): Promise<Transaction | undefined> {
    const session = sessions.read(token);
    return session === undefined ? undefined : findBySession(database, session);
  }

  async function known(token: string): Promise<Transaction> {
    const transaction = await find(token);
    if (!transaction) throw new Fault('notFound', 'There is no such session', 'token');
    return transaction;
  }

  async function handoverOf({ id, origin, sessionId }: Transaction): Promise<Handover | undefined> {
    const listener = origin === 'earlier' ? await findListener(database, id) : undefined;
    const trackingUrl = `${options.publicUrl()}/pay/${sessions.tokenOf(sessionId)}`;
    return listener && { ...listener, trackingUrl };
  }

  function viewOf(transaction: Transaction, handover: Handover | undefined): PayView {
    const { side, standing, promised, theme } = transaction;
    const fiat = currencies.fiats.get(transaction.fiat)?.code ?? transaction.fiat;
    const asset = currencies.assets.get(transaction.asset);
    const coin = asset?.code ?? transaction.asset;
    const line = lines.find(transaction.provider, transaction.environment);
    const manifest = line?.adapter.manifest;
    const [given, received] = side === 'buy' ? [fiat, coin] : [coin, fiat];
    return {
      transactionId: transaction.id,
      side,
      provider: { id: transaction.provider, name: manifest?.name ?? transaction.provider },
      pays: { amount: standing.paid ?? transaction.amount, code: given },
      gets: { amount: standing.received ?? promised.gets, code: received },
      isEstimate: standing.received === undefined,
      networkFee: { amount: promised.networkFee ?? ZERO, code: fiat },
      providerFee: { amount: promised.providerFee ?? ZERO, code: fiat },
      network: (asset && currencies.networks.get(asset.network)?.name) ?? '',
      walletAddress: transaction.walletAddress,
      walletMemo: transaction.walletMemo,
      method: currencies.methods.get(transaction.method)?.name ?? transaction.method,
      theme: { isDark: false, ...theme },
      status: standing.status,
      reason: standing.reason,
      hash: standing.hash,
      deposit: standing.deposit,
      bank: standing.bank,
      sequence: transaction.sequence,
      expiresAt: transaction.expiresAt.getTime(),
      opened: transaction.visitedAt !== undefined,
      opens: manifest?.checkout.opens ?? 'redirect',
      pageOrigin: line?.pageOrigin(side) ?? '',
      permissions: manifest?.checkout.permissions ?? [],
      returnTo: transaction.returnTo,
      ancestors: [...(callers.find(transaction.accountId)?.origins ?? []), ...(transaction.around ?? [])],
      restarts: transaction.origin === 'current' && !transaction.isErased,
      handover,
    };
  }

  function wishOf(transaction: Transaction, account: Account, clientIp: string | undefined): Wish {
    const fiat = currencies.fiats.get(transaction.fiat);
    const asset = currencies.assets.get(transaction.asset);
    if (!fiat || !asset) throw new Fault('expired', 'What was ordered is no longer offered', 'session');
    const { walletAddress: address, walletMemo: memo } = transaction;
    return {
      ...transaction,
      account,
      fiat,
      asset,
      wallet: address ? { address, memo } : undefined,
      quoteId: undefined,
      theme: { isDark: false, ...transaction.theme },
      signNonce: undefined,
      // Whoever presses twice starts over once.
      idempotency: { key: againKey(transaction), digest: Buffer.from(transaction.id).toString('hex') },
      clientIp,
    };
  }

  /** What is started over: an order whose new one came to nothing before it had a page is left for that one. */
  async function lastOf(transaction: Transaction): Promise<Transaction> {
    const begun = await findKey(database, transaction.accountId, againKey(transaction));
    const next = begun?.answer === null ? await findTransaction(database, begun.transactionId) : undefined;
    return next && cameToNothing(next.standing.status) ? lastOf(next) : transaction;
  }

  return {
    async view(token) {
      const transaction = await find(token);
      return transaction && viewOf(transaction, await handoverOf(transaction));
    },
    async open(token, clientIp) {
      return { url: await doors.open(await known(token), { clientIp }) };
    },
    async follow(token, onChange) {
      const transaction = await find(token);
      if (!transaction) return undefined;
      const { id, sequence } = transaction;
      const handover = await handoverOf(transaction);
      const follower: Follower = { id, sequence, tell: changed => onChange(viewOf(changed, handover)) };
      followers.add(follower);
      return () => void followers.delete(follower);
    },
    async again(token, clientIp) {
      const transaction = await known(token);
      const { standing, visitedAt, expiresAt } = transaction;
      const hasLapsed = standing.status === 'new' && !visitedAt && expiresAt.getTime() <= options.now();
      const isOver = cameToNothing(standing.status) && standing.reason !== SINCE.paid;
      if (!isOver && !hasLapsed)
        throw new Fault('conflict', 'The transaction has not come to nothing', 'session');
      if (transaction.origin !== 'current')
        throw new Fault('conflict', 'It is started over where it was begun', 'session');
      const last = await lastOf(transaction);
      if (transaction.isErased || last.isErased)
        throw new Fault('expired', 'What was ordered has been erased', 'session');
      const account = callers.find(transaction.accountId);
      if (!account) throw new Fault('forbidden', 'The shop’s account is closed', 'session');
      const wish = wishOf(last, account, clientIp);
      return { url: await checkout.intend(wish, ({ url }) => url) };
    },
    wake: () => void beat.wake(),
    stop: beat.stop,
  };
}

/** Clients' keys are plain ASCII, so none of them is this one. */
function againKey({ id }: Transaction): string {
  return `again · ${id}`;
}
