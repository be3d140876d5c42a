/** Keepers of providers' tokens: every instance uses the same one, and only one of them gets a new one. */
import type { KeptToken, TokenKeeper } from '../engine/token.ts';
import type { Database } from '../store/database.ts';
import { lockToken, putToken, readToken, type StoredToken, type TokenName } from '../store/tokens.ts';
import type { Seal } from './seal.ts';

export type KeeperOf = (name: TokenName) => TokenKeeper;

export function createTokenKeepers({ database, seal }: { database: Database; seal: Seal }): KeeperOf {
  return name => {
    const bound = `${name.provider}:${name.environment}:${name.origin}`;
    const unseal = (stored: StoredToken | undefined): KeptToken | undefined => {
      const secret = stored && seal.open(stored.sealed, bound);
      if (!stored || secret === undefined) return undefined;
      const previous = stored.previous ? seal.open(stored.previous, bound) : undefined;
      return { secret, until: stored.until.getTime(), previous };
    };
    return {
      read: async () => unseal(await readToken(database, name)),
      renew: (stale, ask) =>
        database.transaction().execute(async trx => {
          await lockToken(trx, name);
          const kept = unseal(await readToken(trx, name));
          if (kept && kept.secret !== stale) return kept;
          const { secret, until } = await ask();
          await putToken(trx, name, {
            sealed: seal.close(secret, bound),
            until: new Date(until),
            previous: kept ? seal.close(kept.secret, bound) : null,
          });
          return { secret, until, previous: kept?.secret };
        }),
    };
  };
}
