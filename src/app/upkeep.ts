/** Upkeep: the tasks that keep the service's own house in order. */
import { ENVIRONMENTS, type Environment, type ProviderId } from '../domain/words.ts';
import { newId } from '../engine/ids.ts';
import { forgetKeys } from '../store/checkouts.ts';
import type { Database } from '../store/database.ts';
import { clearEndpoint } from '../store/endpoints.ts';
import { forgetEvents } from '../store/events.ts';
import { tidyFlows } from '../store/flows.ts';
import { forgetIncoming } from '../store/inbox.ts';
import { listFetched } from '../store/listings.ts';
import { planTasks } from '../store/tasks.ts';
import { eraseInTime } from './erasure.ts';
import type { Lines, OpenedLine } from './lines.ts';
import type { Listings } from './listings.ts';
import type { TaskHandler } from './tasks.ts';
import type { Watch } from './watch.ts';

export interface UpkeepOptions {
  database: Database;
  lines: Lines;
  listings: Listings;
  /** Notices what was changed, at once. */
  watch(): Pick<Watch, 'look'>;
  now(): number;
}

export interface Upkeep {
  handlers: Readonly<Record<string, TaskHandler>>;
  /** Makes every task of upkeep due that is not planned yet. */
  plan(): Promise<void>;
}

const REFRESH_MS = 600_000;
const TIDY_MS = 3_600_000;
/** While there is more to forget than was forgotten at once. */
const BUSY_MS = 1_000;
/** How long it is remembered what was told to whom, and what came in. The record itself is kept for good. */
const MEMORY_MS = 90 * 24 * 3_600_000;
/** How long an idempotency key is good for, and for how long it is known that a flow has ended. */
const KEY_LIFE_MS = 7 * 24 * 3_600_000;

export function createUpkeep({ database, lines, listings, watch, now }: UpkeepOptions): Upkeep {
  const seen = new Map<string, OpenedLine>();

  /** A line that an operator has changed is asked anew at once; one that was asked before we started is not. */
  function pauseOf(line: OpenedLine, fetched: Awaited<ReturnType<typeof listFetched>>): number {
    const key = keyOf(line);
    const before = seen.get(key);
    seen.set(key, line);
    const last = fetched.find(
      ({ provider, environment, origin }) => `${provider}:${environment}` === key && origin === line.origin,
    );
    if (!last || (before && before !== line)) return 0;
    const left = last.fetchedAt.getTime() + REFRESH_MS - now();
    // Whoever fetched them may have another clock.
    return Math.min(Math.max(0, left), REFRESH_MS);
  }

  /** Each is a task of its own: whatever becomes of one, the others are done. False when there may be more. */
  const forgetting: Readonly<Record<string, () => Promise<boolean>>> = {
    flows: () => tidyFlows(database, { now: new Date(now()), before: ago(KEY_LIFE_MS) }),
    keys: () => forgetKeys(database, ago(KEY_LIFE_MS)),
    events() {
      const before = ago(MEMORY_MS);
      return forgetEvents(database, { before, belowId: newId(before.getTime()) });
    },
    inbox: () => forgetIncoming(database, ago(MEMORY_MS)),
  };

  function ago(ms: number): Date {
    return new Date(now() - ms);
  }

  return {
    handlers: {
      async 'refresh-listings'(key) {
        const [provider, environment] = key.split(':') as [ProviderId, Environment];
        // Another version of us may know a provider that we do not.
        if (!(await listings.refresh(provider, environment))) return 'others';
        await watch().look();
        return REFRESH_MS;
      },
      erase: id => eraseInTime(database, id, now()),
      async 'clear-endpoint'(id) {
        return (await clearEndpoint(database, id)) ? undefined : BUSY_MS;
      },
      async tidy(what) {
        const forget = forgetting[what];
        // An earlier version of us planned all of it under one name.
        if (!forget) return undefined;
        return (await forget()) ? TIDY_MS : BUSY_MS;
      },
    },
    async plan() {
      const fetched = await listFetched(database);
      const refreshes = ENVIRONMENTS.flatMap(environment =>
        lines.of(environment).map(line => ({
          kind: 'refresh-listings',
          key: keyOf(line),
          inMs: pauseOf(line, fetched),
        })),
      );
      const tidying = Object.keys(forgetting).map(key => ({ kind: 'tidy', key, inMs: TIDY_MS }));
      await planTasks(database, [...tidying, ...refreshes]);
    },
  };
}

function keyOf({ adapter, environment }: OpenedLine): string {
  return `${adapter.manifest.id}:${environment}`;
}
