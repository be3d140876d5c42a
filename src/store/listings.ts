/** The last good listings of each provider. */
import { sql } from 'kysely';
import type { Listing } from '../domain/listing.ts';
import { type Amount, decimal } from '../domain/money.ts';
import type {
  AssetId,
  CountryCode,
  Environment,
  FiatId,
  MethodId,
  ProviderId,
  RegionCode,
  Side,
} from '../domain/words.ts';
import type { Database } from './database.ts';

export interface StoredListings {
  provider: ProviderId;
  environment: Environment;
  /** Where they were fetched from. */
  origin: string;
  listings: readonly Listing[];
  fetchedAt: Date;
}

export async function putListings(database: Database, stored: StoredListings): Promise<void> {
  const { provider, environment, origin } = stored;
  const body = JSON.stringify(stored.listings.map(toRow));
  const fetched_at = stored.fetchedAt;
  await database
    .insertInto('listings')
    .values({ provider, environment, origin, body, fetched_at })
    .onConflict(conflict =>
      conflict.columns(['provider', 'environment']).doUpdateSet({ origin, body, fetched_at }),
    )
    .execute();
}

/** Listings in memory. */
export interface ReadListings extends Pick<StoredListings, 'provider' | 'environment' | 'origin'> {
  listings: readonly Listing[];
  /** Of what the row holds. */
  digest: string;
}

/**
 * Reads all of them; those among `known` stay as they are when they have not changed, for reading them takes long. What
 * cannot be read, which another version may have written, is told of and left out.
 */
export async function readListings(
  database: Database,
  known: readonly ReadListings[],
  onTrouble: (provider: ProviderId, environment: Environment, what: string) => void,
): Promise<ReadListings[]> {
  const before = new Map(known.map(({ digest, listings }) => [digest, listings]));
  const { rows } = await sql<Omit<ReadListings, 'listings'> & { body: ListingJson[] | null }>`
    with digested as materialized (
      select *, encode(sha256(convert_to(body::text, 'UTF8')), 'hex') as digest from listings
    )
    select provider, environment, origin, digest,
      case when digest = any(${[...before.keys()]}::text[]) then null else body end as body
    from digested order by provider, environment`.execute(database);
  return rows.flatMap(({ body, ...row }) => {
    try {
      return [{ ...row, listings: before.get(row.digest) ?? (body ?? []).map(fromRow) }];
    } catch (error) {
      onTrouble(row.provider, row.environment, `what it lists cannot be read: ${(error as Error).message}`);
      return [];
    }
  });
}

/** When each provider was last asked what it lists, and where. */
export async function listFetched(
  database: Database,
): Promise<Pick<StoredListings, 'provider' | 'environment' | 'origin' | 'fetchedAt'>[]> {
  const rows = await database
    .selectFrom('listings')
    .select(['provider', 'environment', 'origin', 'fetched_at'])
    .execute();
  return rows.map(row => ({
    provider: row.provider as ProviderId,
    environment: row.environment as Environment,
    origin: row.origin,
    fetchedAt: row.fetched_at,
  }));
}

interface LimitsJson {
  min?: string | undefined;
  max?: string | undefined;
}

interface ListingJson {
  side: Side;
  countries?: CountryCode[] | undefined;
  assets: [
    AssetId,
    {
      native: string;
      network: string;
      places?: number | undefined;
      notIn?: (CountryCode | RegionCode)[] | undefined;
    } & LimitsJson,
  ][];
  fiats: [
    id: FiatId,
    native: string,
    methods: [MethodId, { native: string; onlyIn?: CountryCode[] | undefined } & LimitsJson][],
    /** JSON has null for what is not there. */
    places: number | null | undefined,
  ][];
}

function toRow(listing: Listing): ListingJson {
  return {
    side: listing.side,
    countries: listing.countries && [...listing.countries],
    assets: [...listing.assets].map(([id, asset]) => [
      id,
      {
        ...limitsToRow(asset),
        native: asset.native,
        network: asset.network,
        places: asset.places,
        notIn: asset.notIn && [...asset.notIn],
      },
    ]),
    fiats: [...listing.fiats].map(([id, fiat]) => [
      id,
      fiat.native,
      [...fiat.methods].map(([method, listed]) => [
        method,
        { ...limitsToRow(listed), native: listed.native, onlyIn: listed.onlyIn && [...listed.onlyIn] },
      ]),
      fiat.places,
    ]),
  };
}

function fromRow(row: ListingJson): Listing {
  return {
    side: row.side,
    countries: row.countries && new Set(row.countries),
    assets: new Map(
      row.assets.map(([id, asset]) => [
        id,
        {
          ...limitsFromRow(asset),
          native: asset.native,
          network: asset.network,
          places: asset.places,
          notIn: asset.notIn && new Set(asset.notIn),
        },
      ]),
    ),
    fiats: new Map(
      row.fiats.map(([id, native, methods, places]) => [
        id,
        {
          native,
          places: places ?? undefined,
          methods: new Map(
            methods.map(([method, listed]) => [
              method,
              {
                ...limitsFromRow(listed),
                native: listed.native,
                onlyIn: listed.onlyIn && new Set(listed.onlyIn),
              },
            ]),
          ),
        },
      ]),
    ),
  };
}

function limitsToRow({ min, max }: { min?: Amount | undefined; max?: Amount | undefined }): LimitsJson {
  return { min: min?.toString(), max: max?.toString() };
}

function limitsFromRow({ min, max }: LimitsJson) {
  return {
    min: min === undefined ? undefined : decimal(min),
    max: max === undefined ? undefined : decimal(max),
  };
}
