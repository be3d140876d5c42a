/** Look-ups: when an order is asked about again, and when nobody expects anything of it any more. */
import { cameToNothing, type Status } from './transaction.ts';
import type { Instant } from './words.ts';

export interface Watched {
  status: Status;
  statusAt: Instant;
  createdAt: Instant;
  expiresAt: Instant;
  /** Whether the client was given its page. */
  ready: boolean;
  /** When the person was last sent to the provider, or the order was made there for them. */
  openedAt: Instant | undefined;
  /** Whether the provider has told of the order at all. */
  isKnown: boolean;
  /** Whether the provider can be asked about it at present. */
  canAsk: boolean;
  /** Whether it has just said that there is no such order. */
  isGone: boolean;
  /** Whether it has just said once more that nothing was paid; and that something is under way. */
  isUnpaid: boolean;
  isUnderWay: boolean;
  /** How long an unpaid order may be left alone, where the provider never ends one itself. */
  unpaidMs: number | undefined;
  /** Until when coins are waited for, where that was told and nobody has said that they were sent. */
  awaitedUntil?: Instant | undefined;
  /** Whether somebody has said that coins were sent. */
  isSent?: boolean | undefined;
  /** How often the provider wants to be asked at most. */
  everyMs: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a checkout may take to be answered: longer than a key is held, so that its client may still go on after a crash. */
const UNANSWERED_MS = 30_000;
/** How long after an opening a provider that can be asked may know nothing of the order; and one that cannot. */
const UNKNOWN_MS = HOUR;
const UNHEARD_MS = DAY;
/** How long it may say nothing of an order that it has told of, where it cannot be asked or has none: a transfer by bank takes days. */
const SILENT_MS = 14 * DAY;
/** Late money is real: what came to nothing is looked at for a while longer, and for long where its provider still works on it. */
const AFTERMATH_MS = DAY;
const UNDER_WAY_MS = 60 * DAY;

/** From which age on, and how often then. */
const PACE: readonly [age: number, every: number][] = [
  [7 * DAY, DAY],
  [2 * DAY, 6 * HOUR],
  [6 * HOUR, HOUR],
  [HOUR, 10 * MINUTE],
  [15 * MINUTE, 2 * MINUTE],
  [2 * MINUTE, 30_000],
  [0, 10_000],
];

/** In how many milliseconds to look again; undefined when there is no more to expect. */
export function nextLook(order: Watched, now: Instant): number | undefined {
  const { status, statusAt, openedAt } = order;
  if (status === 'completed' || status === 'refunded') return undefined;
  if (cameToNothing(status)) {
    // We may have given up too soon. Not for ever: at some providers an order that nobody pays is under way for good.
    const lastsMs = order.isUnderWay ? UNDER_WAY_MS : AFTERMATH_MS;
    if (openedAt === undefined || now - statusAt >= lastsMs) return undefined;
    return Math.max(HOUR, paceOf(order, now));
  }
  if (openedAt === undefined && now < endOf(order)) return endOf(order) - now;
  return paceOf(order, now);
}

function paceOf(order: Watched, now: Instant): number {
  const age = now - lastMoveOf(order);
  return Math.max(order.everyMs, PACE.find(([from]) => age >= from)?.[1] ?? MINUTE);
}

/** When the person or the provider has last gone on with it. */
function lastMoveOf({ openedAt, statusAt }: Watched): Instant {
  return Math.max(openedAt ?? 0, statusAt);
}

/**
 * Whether it is left to instances that can reach the provider when this one cannot. Not for ever: in the end it is given up
 * like any other that nobody can be asked about.
 */
export function isForOthers(order: Watched, now: Instant): boolean {
  if (order.openedAt === undefined || nextLook(order, now) === undefined) return false;
  return now - lastMoveOf(order) < UNHEARD_MS;
}

/** Why we give an order up, as it is written down. */
export const GIVEN_UP = {
  unpaid: 'Nothing was paid',
  noCoins: 'The provider has told of no coins, and cannot be asked about them',
  silent: 'The provider has told of no payment, and cannot be asked about it',
  unopened: 'The session ended before the provider’s page was opened',
  unanswered: 'The checkout was never answered',
  unknown: 'The provider knows of no order',
  untold: 'The provider has told of no order, and cannot be asked about it',
} as const;

/** Why the order is given up, when it is time to: our word, which gives way to any end that the provider tells. */
export function expiryOf(order: Watched, now: Instant): string | undefined {
  const { status, openedAt, isKnown, canAsk } = order;
  if (isLeftAlone(order, now)) return GIVEN_UP.unpaid;
  if (isUnheardOf(order, now)) return GIVEN_UP.noCoins;
  if (isSilent(order, now)) return canAsk ? GIVEN_UP.unknown : GIVEN_UP.silent;
  if (status !== 'new') return undefined;
  // Even where the provider has told of it: what it made beforehand nobody has gone on with.
  if (openedAt === undefined) {
    if (now < endOf(order)) return undefined;
    return order.ready ? GIVEN_UP.unopened : GIVEN_UP.unanswered;
  }
  if (isKnown || now - openedAt < patienceOf(order)) return undefined;
  return canAsk ? GIVEN_UP.unknown : GIVEN_UP.untold;
}

/** Only right after the provider has said so: a word that we do not know may mean money. */
function isLeftAlone(order: Watched, now: Instant): boolean {
  const { status, openedAt, isUnpaid, unpaidMs } = order;
  if (unpaidMs === undefined || openedAt === undefined || !isUnpaid) return false;
  return (status === 'new' || status === 'pending') && now - lastMoveOf(order) >= unpaidMs;
}

/** Whether the end of waiting for coins must have been told, and was lost on its way. */
function isUnheardOf({ status, canAsk, awaitedUntil }: Watched, now: Instant): boolean {
  if (status !== 'pending' || canAsk || awaitedUntil === undefined) return false;
  return now >= awaitedUntil + UNHEARD_MS;
}

/** Whether the end of an order that was told of must have been told, and was lost on its way. What was sent may still be on its own. */
function isSilent(order: Watched, now: Instant): boolean {
  const { status, openedAt, isKnown, canAsk, isGone, isSent } = order;
  const isBegun = status === 'pending' || (status === 'new' && isKnown && openedAt !== undefined);
  if (!isBegun || isSent || (canAsk && !isGone)) return false;
  return now - lastMoveOf(order) >= SILENT_MS;
}

/** Without its page nobody can have gone on: an order that was begun and is not there was never made. */
function patienceOf({ ready, canAsk }: Watched): number {
  if (!canAsk) return UNHEARD_MS;
  return ready ? UNKNOWN_MS : UNANSWERED_MS;
}

/** When an order that nobody has gone on with ends. */
export function endOf({
  ready,
  createdAt,
  expiresAt,
}: Pick<Watched, 'ready' | 'createdAt' | 'expiresAt'>): Instant {
  return ready ? expiresAt : createdAt + UNANSWERED_MS;
}
