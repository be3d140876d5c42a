/** Dispatch: tells endpoints of events, again and again until they have heard, and lets none hold up another. */
import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Courier, Receipt } from '../engine/courier.ts';
import type { Database } from '../store/database.ts';
import {
  type AttemptPlan,
  buryLate,
  type Claimed,
  claimDeliveries,
  settleDelivered,
  settleFailed,
} from '../store/deliveries.ts';
import { disableEndpoint } from '../store/endpoints.ts';
import { openSecrets } from './endpoints.ts';
import { type Loop, startLoop } from './loop.ts';
import type { Seal } from './seal.ts';

/** What came of one attempt. */
export interface DeliveryOutcome {
  /**
   * `failed` will be tried again; `dead` will not; `disabled` is dead too, and nothing more is sent there;
   * `interrupted` was broken off because we are stopping, and is due at once.
   */
  kind: 'delivered' | 'failed' | 'dead' | 'disabled' | 'interrupted';
  /** This one included. */
  attempts: number;
  /** How long the attempt took, and how old the event is now. */
  milliseconds: number;
  ageMs: number;
}

export interface DispatchOptions {
  database: Database;
  /** For `endpoint-secrets`. */
  seal: Seal;
  courier: Courier;
  now(): number;
  /** Told what went wrong on our side: the lease sees to it that the delivery is tried again. */
  onFailure(error: unknown): void;
  onDelivered?(outcome: DeliveryOutcome): void;
}

const BEAT_MS = 1_000;
/** Longer than an attempt can take. */
const LEASE_MS = 60_000;
const SLOTS = 256;
const PER_ENDPOINT = 4;
/** Endpoints that failed last time have slots of their own, one each: however many are dead, the others' are free. */
const FAILING_SLOTS = 64;
const MOST_FAILING = 10_000;
/** How long a stop waits for attempts that are under way. */
const GRACE_MS = 3_000;
const GONE = 410;
const TOO_LATE = 'it was not its turn in time: the endpoint failed for too long';

/** Several instances may run on one database; each has slots of its own. */
export function startDispatch(options: DispatchOptions): Loop {
  const { database, seal, courier, now, onFailure, onDelivered } = options;
  const underWay = new Map<string, number>();
  const failing = new LRUCache<string, true>({ max: MOST_FAILING });

  function roomsForWell(): Map<string, number> {
    const used = [...underWay].map(([id, count]) => [id, Math.max(PER_ENDPOINT - count, 0)] as const);
    return new Map([...used, ...[...failing.keys()].map(id => [id, 0] as const)]);
  }

  function roomsForFailing(): Map<string, number> {
    return new Map([...failing.keys()].filter(id => !underWay.has(id)).map(id => [id, 1]));
  }

  async function claim(most: number, rooms: Map<string, number>, otherwise: number): Promise<Claimed[]> {
    if (otherwise === 0 && rooms.size === 0) return [];
    const claimed = await claimDeliveries(database, { most, leaseMs: LEASE_MS, rooms, otherwise });
    for (const { endpointId } of claimed) underWay.set(endpointId, (underWay.get(endpointId) ?? 0) + 1);
    return claimed;
  }

  async function perform(delivery: Claimed): Promise<void> {
    const { endpointId, attempts, createdAt } = delivery;
    const wasFailing = failing.has(endpointId);
    try {
      const receipt = await attempt(delivery);
      const hasFailed = !receipt.accepted && !receipt.interrupted;
      if (receipt.accepted) failing.delete(endpointId);
      else if (hasFailed) failing.set(endpointId, true);
      const kind = await settle(delivery, receipt);
      const ageMs = Math.max(now() - createdAt.getTime(), 0);
      onDelivered?.({ kind, attempts, milliseconds: receipt.milliseconds, ageMs });
      // One at a time, more may come in than is attempted; where that is so, what has waited longest comes too late.
      if (wasFailing && hasFailed && ageMs > PLAN.longestMs)
        await buryLate(database, endpointId, { plan: PLAN, reason: TOO_LATE });
    } finally {
      const left = (underWay.get(endpointId) ?? 1) - 1;
      if (left > 0) underWay.set(endpointId, left);
      else underWay.delete(endpointId);
      // What else is due there is now the other loop's.
      if (failing.has(endpointId) !== wasFailing) void wake();
    }
  }

  async function attempt({ endpointId, ...delivery }: Claimed): Promise<Receipt> {
    const { secret, previousSecret, url, body, sequence, eventId } = delivery;
    const secrets = openSecrets(seal, { id: endpointId, secret, previousSecret });
    if (!secrets) {
      const error = 'the secret of the endpoint cannot be read';
      return { accepted: false, status: undefined, error, interrupted: false, milliseconds: 0 };
    }
    return courier.send({ url, id: `msg_${eventId}`, body, sequence, secrets });
  }

  async function settle(delivery: Claimed, receipt: Receipt): Promise<DeliveryOutcome['kind']> {
    const { accepted, interrupted, status, error } = receipt;
    if (accepted) {
      await settleDelivered(database, delivery, status ?? 200);
      return 'delivered';
    }
    if (interrupted) {
      await settleFailed(database, delivery, { status, error, againInMs: 0, isOurs: true });
      return 'interrupted';
    }
    const isGone = status === GONE;
    const againInMs = isGone ? undefined : waitAfter(delivery.attempts, randomInt(-1_000, 1_001) / 1_000);
    await settleFailed(database, delivery, { status, error, againInMs });
    if (isGone) {
      const reason = 'it answered 410: nothing more is wanted there';
      await disableEndpoint(database, delivery.endpointId, { at: new Date(now()), reason });
      return 'disabled';
    }
    return againInMs === undefined ? 'dead' : 'failed';
  }

  const common = { beatMs: BEAT_MS, perform, onError: onFailure };
  const well = startLoop<Claimed>({
    ...common,
    slots: SLOTS,
    claim: most => claim(most, roomsForWell(), PER_ENDPOINT),
  });
  const ailing = startLoop<Claimed>({
    ...common,
    slots: FAILING_SLOTS,
    claim: most => claim(most, roomsForFailing(), 0),
  });
  async function wake(): Promise<void> {
    await Promise.all([well.wake(), ailing.wake()]);
  }
  return {
    wake,
    async stop() {
      const timer = setTimeout(() => courier.interrupt(), GRACE_MS);
      await Promise.all([well.stop(), ailing.stop()]);
      clearTimeout(timer);
    },
  };
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long after the attempt before it each one is made. */
const SCHEDULE_MS: readonly number[] = [
  0,
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const JITTER = 0.1;
const PLAN: AttemptPlan = {
  dueMs: SCHEDULE_MS.map((_, at) => sumOf(SCHEDULE_MS.slice(0, at + 1))),
  longestMs: sumOf(SCHEDULE_MS) * (1 + JITTER),
};

/** How long to wait after so many attempts; undefined when there have been enough. `chance` is from -1 to 1. */
export function waitAfter(attempts: number, chance: number): number | undefined {
  const planned = SCHEDULE_MS[attempts];
  return planned === undefined ? undefined : Math.round(planned * (1 + JITTER * chance));
}

function sumOf(pauses: readonly number[]): number {
  return pauses.reduce((sum, pause) => sum + pause, 0);
}
