/** Upkeep: the tasks that keep the service's own house in order. */
import { ENVIRONMENTS, type Environment, type ProviderId } from '../domain/words.ts';
import { forgetKeys } from '../store/checkouts.ts';
import type { Database } from '../store/database.ts';
import { planTasks } from '../store/tasks.ts';
import type { Lines } from './lines.ts';
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
/** How long an idempotency key is good for. */
const KEY_LIFE_MS = 7 * 24 * 3_600_000;

export function createUpkeep({ database, lines, listings, watch, now }: UpkeepOptions): Upkeep {
  return {
    handlers: {
      async 'refresh-listings'(key) {
        const [provider, environment] = key.split(':') as [ProviderId, Environment];
        await listings.refresh(provider, environment);
        await watch().look();
        return REFRESH_MS;
      },
      async tidy() {
        await forgetKeys(database, new Date(now() - KEY_LIFE_MS));
        return TIDY_MS;
      },
    },
    async plan() {
      const dueAt = new Date(now());
      const keys = ENVIRONMENTS.flatMap(environment =>
        lines.of(environment).map(({ adapter }) => `${adapter.manifest.id}:${environment}`),
      );
      await planTasks(database, [
        { kind: 'tidy', key: 'all', dueAt: new Date(dueAt.getTime() + TIDY_MS) },
        ...keys.map(key => ({ kind: 'refresh-listings', key, dueAt })),
      ]);
    },
  };
}
