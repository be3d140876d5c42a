/** Tokens that providers lend for a time, sealed; the newest and the one before it. */
import { sql } from 'kysely';
import type { Environment, ProviderId } from '../domain/words.ts';
import type { Database } from './database.ts';

/** Whose token it is; a stand-in's is never used with the provider itself. */
export interface TokenName {
  provider: ProviderId;
  environment: Environment;
  origin: string;
}

export interface StoredToken {
  sealed: string;
  until: Date;
  previous: string | null;
}

export async function readToken(database: Database, name: TokenName): Promise<StoredToken | undefined> {
  return database
    .selectFrom('provider_tokens')
    .select(['sealed', 'until', 'previous'])
    .where('provider', '=', name.provider)
    .where('environment', '=', name.environment)
    .where('origin', '=', name.origin)
    .executeTakeFirst();
}

/** Makes others who want to replace this token wait until the database transaction has ended. */
export async function lockToken(trx: Database, name: TokenName): Promise<void> {
  const text = `token ${name.provider} ${name.environment} ${name.origin}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`.execute(trx);
}

export async function putToken(trx: Database, name: TokenName, token: StoredToken): Promise<void> {
  await trx
    .insertInto('provider_tokens')
    .values({ ...name, ...token })
    .onConflict(conflict => conflict.columns(['provider', 'environment', 'origin']).doUpdateSet(token))
    .execute();
}
