/** What operators set for providers: sealed settings by environment, and whether a provider is switched on. */
import type { Environment, ProviderId } from '../domain/words.ts';
import type { Database } from './database.ts';

export interface StoredSetting {
  provider: ProviderId;
  environment: Environment;
  name: string;
  sealed: string;
}

export async function listSettings(database: Database): Promise<StoredSetting[]> {
  const rows = await database
    .selectFrom('provider_settings')
    .select(['provider', 'environment', 'name', 'sealed'])
    .execute();
  return rows as StoredSetting[];
}

export async function putSetting(database: Database, setting: StoredSetting): Promise<void> {
  const { sealed } = setting;
  await database
    .insertInto('provider_settings')
    .values(setting)
    .onConflict(conflict =>
      conflict.columns(['provider', 'environment', 'name']).doUpdateSet({ sealed, updated_at: new Date() }),
    )
    .execute();
}

export async function removeSetting(
  database: Database,
  setting: Omit<StoredSetting, 'sealed'>,
): Promise<void> {
  await database
    .deleteFrom('provider_settings')
    .where('provider', '=', setting.provider)
    .where('environment', '=', setting.environment)
    .where('name', '=', setting.name)
    .execute();
}

/** Providers an operator switched off. */
export async function listDisabled(database: Database): Promise<Set<ProviderId>> {
  const rows = await database
    .selectFrom('provider_switches')
    .select('provider')
    .where('enabled', '=', false)
    .execute();
  return new Set(rows.map(row => row.provider as ProviderId));
}

export async function switchProvider(
  database: Database,
  provider: ProviderId,
  enabled: boolean,
): Promise<void> {
  await database
    .insertInto('provider_switches')
    .values({ provider, enabled })
    .onConflict(conflict => conflict.column('provider').doUpdateSet({ enabled }))
    .execute();
}
