/** Transactions: what has been said of an order, and where all of it together leaves the order. */
import type { Amount } from './money.ts';
import type { BankTransfer } from './step.ts';
import type { Instant } from './words.ts';

export type Status =
  | 'new'
  | 'pending'
  | 'paid'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'expired'
  | 'refunded';

/** Where the customer sends what they sell. */
export interface Deposit {
  address: string;
  memo?: string | undefined;
  amount?: Amount | undefined;
  /** When the address is good no longer, where that is told. */
  until?: Instant | undefined;
  /** Whether the provider says that it was sent. */
  isSent?: boolean | undefined;
}

/** One thing said of an order: by its provider, or by our own clock. What is absent is not known to whoever said it. */
export interface Said {
  status: Status;
  /** When it was so. */
  at: Instant;
  /** Whether we said it: what a provider says later then corrects us and contradicts nobody. */
  ours?: boolean | undefined;
  reason?: string | undefined;
  /** The provider's own id of the order. */
  theirs?: string | undefined;
  /** The hash on the chain: of the coins that went out on a buy, of those that came in on a sell. */
  hash?: string | undefined;
  /** What the customer paid in all, and what they received in the end. */
  paid?: Amount | undefined;
  received?: Amount | undefined;
  deposit?: Deposit | undefined;
  /** Whether the customer has sent what they sell, as the provider sees it. */
  sent?: boolean | undefined;
  /** The bank transfer that the customer is to make. */
  bank?: BankTransfer | undefined;
}

/** Where an order stands. */
export interface Standing {
  status: Status;
  reason: string;
  theirs: string;
  hash: string;
  paid: Amount | undefined;
  received: Amount | undefined;
  deposit: Deposit | undefined;
  bank: BankTransfer | undefined;
  /** A provider has told of ends that cannot both be true: a person has to look. */
  contradicted: boolean;
}

/**
 * Higher wins, whenever it was said; among equals of one rank the later in this table. Late money is real, so that an
 * order which expired or failed may still complete, and one that completed may be refunded.
 */
const RANKS: Readonly<Record<Status, number>> = {
  new: 0,
  pending: 10,
  paid: 20,
  expired: 30,
  canceled: 31,
  failed: 32,
  completed: 40,
  refunded: 50,
};

const ENDS: ReadonlySet<Status> = new Set(['completed', 'failed', 'canceled', 'expired', 'refunded']);
/** Ends without delivery: none of them goes with a delivery. */
const UNDELIVERED: ReadonlySet<Status> = new Set(['failed', 'canceled', 'expired']);

/** Whether nothing more is expected to happen. */
export function isEnd(status: Status): boolean {
  return ENDS.has(status);
}

/** Whether it ended with nothing delivered, so that it may be started over; late money may still complete it. */
export function cameToNothing(status: Status): boolean {
  return UNDELIVERED.has(status);
}

/**
 * The standing after everything in the set, so that neither the order in which it was heard nor repetition matters. Of
 * several orders that a provider made under one reference the most promising one counts: what was left behind ends
 * nothing, and a second try goes on where a first one failed. Of one order the status never goes back. What was said
 * without naming an order is true of each.
 */
export function standingOf(all: readonly Said[]): Standing {
  const [first = tryOf('', all), ...others] = triesOf(all);
  const best = others.reduce((a, b) => (compareTries(b, a) > 0 ? b : a), first);
  return { ...best.standing, contradicted: contradicts(all) };
}

/** The provider's orders of which something may still come, by its ids, at most so many: the one that counts, then the others. */
export function openOrders(all: readonly Said[], most: number): string[] {
  return triesOf(all)
    .sort((a, b) => compareTries(b, a))
    .filter(({ own }, at) => at === 0 || !isEnd(own))
    .map(({ id }) => id)
    .slice(0, most);
}

/** One of several orders under one reference. */
interface Try {
  /** The provider's own id of it. */
  id: string;
  standing: Standing;
  /** Where it stands by what was said of it alone, and when something was last. */
  own: Status;
  lastAt: Instant;
}

function triesOf(all: readonly Said[]): Try[] {
  const ids = new Set(all.map(({ theirs }) => theirs).filter(theirs => theirs !== undefined));
  return [...ids].sort().map(id => tryOf(id, all));
}

function tryOf(id: string, all: readonly Said[]): Try {
  const own = all.filter(({ theirs }) => theirs === id);
  return {
    id,
    standing: fold(all.filter(({ theirs }) => theirs === undefined || theirs === id)),
    own: fold(own).status,
    lastAt: own.reduce((last, { at }) => Math.max(last, at), 0),
  };
}

/** The more promising one; of equals the one that a person has gone on with last. */
function compareTries(a: Try, b: Try): number {
  return (
    promiseOf(a.standing.status) - promiseOf(b.standing.status) ||
    promiseOf(a.own) - promiseOf(b.own) ||
    a.lastAt - b.lastAt
  );
}

/** Things said, the lowest rank first. */
export function byRank(all: readonly Said[]): Said[] {
  return all
    .map(said => ({ said, key: keyOf(said) }))
    .sort(compare)
    .map(({ said }) => said);
}

/**
 * How promising a status is, compared with another order's: whatever is under way comes before what has come to nothing. What
 * was given back comes before a try that nobody has gone on with, and after all that others came to.
 */
function promiseOf(status: Status): number {
  if (status === 'refunded') return (RANKS.new + RANKS.pending) / 2;
  return UNDELIVERED.has(status) ? RANKS[status] - 100 : RANKS[status];
}

/** Takes what was said lowest rank first, each thing filling in or correcting what lies below. */
function fold(all: readonly Said[]): Standing {
  const standing: Standing = { ...NOTHING_SAID };
  const ordered = byRank(all);
  for (const said of ordered) {
    const isNews = said.status !== standing.status;
    standing.status = said.status;
    standing.reason = said.reason ?? (isNews ? '' : standing.reason);
    standing.theirs = said.theirs ?? standing.theirs;
    standing.hash = said.hash ?? standing.hash;
    standing.paid = said.paid ?? standing.paid;
    standing.received = said.received ?? standing.received;
    standing.deposit = said.deposit ?? standing.deposit;
    if (said.sent && standing.deposit) standing.deposit = { ...standing.deposit, isSent: true };
    standing.bank = said.bank ?? standing.bank;
  }
  standing.reason = sinceOf(ordered) ?? standing.reason;
  return standing;
}

/** What is said instead of why we gave an order up, once its provider has gone on with it. */
export const SINCE = {
  pending: 'The provider has gone on with the order since',
  paid: 'The provider has told of a payment since',
} as const;

/** Why we gave up is no longer true when the provider goes on; nobody gives up what is paid, so a payment came after. */
function sinceOf(ordered: readonly Said[]): string | undefined {
  const last = ordered.at(-1);
  if (!last?.ours || !UNDELIVERED.has(last.status)) return undefined;
  const theirs = ordered.filter(said => !said.ours).at(-1);
  if (theirs?.status === 'paid') return SINCE.paid;
  return theirs?.status === 'pending' && theirs.at > last.at ? SINCE.pending : undefined;
}

/** Where an order stands that nobody has said anything of. */
export const NOTHING_SAID: Standing = {
  status: 'new',
  reason: '',
  theirs: '',
  hash: '',
  paid: undefined,
  received: undefined,
  deposit: undefined,
  bank: undefined,
  contradicted: false,
};

/** Ends are compared order by order: after a first try that failed a person may well try again under our reference. */
function contradicts(all: readonly Said[]): boolean {
  const theirs = all.filter(said => !said.ours);
  const delivered = new Set(theirs.filter(({ status }) => status === 'completed').map(idOf));
  const undone = theirs.some(said => UNDELIVERED.has(said.status) && delivered.has(idOf(said)));
  return undone || delivered.size > 1;
}

function idOf({ theirs }: Said): string {
  return theirs ?? '';
}

interface Keyed {
  said: Said;
  key: string;
}

/** Our own word that nothing came of it is below every end that a provider tells. */
function rankOf({ status, ours }: Said): number {
  return ours && UNDELIVERED.has(status) ? RANKS.expired - 1 + RANKS[status] / 100 : RANKS[status];
}

/** A total order: by rank, then time, then everything else that was said. Of ours and theirs, theirs counts more. */
function compare(a: Keyed, b: Keyed): number {
  return (
    rankOf(a.said) - rankOf(b.said) ||
    (a.said.ours ? 0 : 1) - (b.said.ours ? 0 : 1) ||
    a.said.at - b.said.at ||
    (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
  );
}

/** All that was said, as one text: equal texts, equal sayings. */
export function keyOf(said: Said): string {
  const { status, at, ours, reason, theirs, hash, paid, received, deposit, sent, bank } = said;
  return JSON.stringify([
    status,
    at,
    ours === true,
    reason ?? null,
    theirs ?? null,
    hash ?? null,
    paid?.toString() ?? null,
    received?.toString() ?? null,
    deposit ? keyOfDeposit(deposit) : null,
    ...(bank ? [bank.reference, bank.hint, ...Object.entries(bank.account).sort().flat()] : []),
    ...(sent ? ['sent'] : []),
  ]);
}

function keyOfDeposit({ address, memo, amount, until }: Deposit): unknown[] {
  return [address, memo ?? null, amount?.toString() ?? null, ...(until === undefined ? [] : [until])];
}
