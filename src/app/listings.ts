/** Listings: fetched from providers on a schedule, put into our ids, stored, and kept in memory. */
import type { Currencies } from '../domain/currency.ts';
import { type ListedFiat, type ListedMethod, type Listing, usableIn } from '../domain/listing.ts';
import {
  type AssetId,
  type CountryCode,
  type Environment,
  type FiatId,
  type MethodId,
  member,
  type ProviderId,
  type RegionCode,
} from '../domain/words.ts';
import { createDeadline } from '../engine/deadline.ts';
import type { Manifest, TheirAsset, TheirFiat, TheirListing } from '../providers/contract.ts';
import type { Database } from '../store/database.ts';
import { putListings, type ReadListings, readListings } from '../store/listings.ts';
import type { Lines, OpenedLine } from './lines.ts';

/** A provider that can be reached and has said what it does. */
export interface Listed {
  line: OpenedLine;
  listings: readonly Listing[];
}

/** What the lines of an environment list, and who has not said yet. */
interface Survey {
  listed: readonly Listed[];
  unread: readonly OpenedLine[];
}

export interface Listings {
  /**
   * Asks a provider for its catalog and stores it; throws when it fails, and then the last good one stays. False when there
   * is no line to the provider here.
   */
  refresh(provider: ProviderId, environment: Environment): Promise<boolean>;
  /** Reads what is stored; whether any of it is new. */
  reload(): Promise<boolean>;
  of(environment: Environment): readonly Listed[];
  /** Providers that could be reached, and have not said yet what they do. */
  unread(environment: Environment): readonly OpenedLine[];
  /** One of them; undefined when it is not to be had at the moment. */
  find(environment: Environment, provider: ProviderId): Listed | undefined;
}

export interface ListingsOptions {
  currencies: Currencies;
  database: Database;
  lines: Lines;
  now(): number;
  /** Told what is stored and cannot be read: the provider stays away until it is asked again. */
  onTrouble(provider: ProviderId, environment: Environment, what: string): void;
}

const CATALOG_DEADLINE_MS = 20_000;
const CATALOG_BODY_LIMIT = 16 * 1024 * 1024;

export function createListings(options: ListingsOptions): Listings {
  const { currencies, database, lines, now, onTrouble } = options;
  let stored: readonly ReadListings[] = [];
  /** What was found for lines; every quote asks for all of them. */
  let surveys = new WeakMap<readonly OpenedLine[], Survey>();

  function surveyOf(environment: Environment): Survey {
    const all = lines.of(environment);
    const survey = surveys.get(all) ?? surveyed(all);
    surveys.set(all, survey);
    return survey;
  }

  function surveyed(all: readonly OpenedLine[]): Survey {
    const listed = all.flatMap(look);
    const read = new Set(listed.map(({ line }) => line));
    return { listed, unread: all.filter(line => !read.has(line)) };
  }

  function look(line: OpenedLine): Listed[] {
    const { id, sides } = line.adapter.manifest;
    const known = stored.find(
      ({ provider, environment, origin }) =>
        provider === id && environment === line.environment && origin === line.origin,
    );
    // What was stored before an upgrade may be of a side that is no longer traded.
    return known ? [{ line, listings: known.listings.filter(({ side }) => sides.includes(side)) }] : [];
  }

  return {
    async refresh(provider, environment) {
      const line = lines.of(environment).find(({ adapter }) => adapter.manifest.id === provider);
      if (!line) return false;
      const theirs = await askPolitely(line);
      const listings = translate(theirs, line.adapter.manifest, currencies);
      const useful = listings.filter(({ assets, fiats }) => assets.size > 0 && fiats.size > 0);
      if (useful.length === 0) throw new Error(`${provider} lists nothing that we know`);
      await putListings(database, {
        provider,
        environment,
        origin: line.origin,
        listings: useful,
        fetchedAt: new Date(now()),
      });
      return true;
    },
    async reload() {
      const before = stored;
      stored = await readListings(database, before, onTrouble);
      surveys = new WeakMap();
      return stored.length !== before.length || !stored.every((one, at) => isSame(one, before[at]));
    },
    of: environment => surveyOf(environment).listed,
    unread: environment => surveyOf(environment).unread,
    find: (environment, provider) =>
      surveyOf(environment).listed.find(({ line }) => line.adapter.manifest.id === provider),
  };
}

function isSame(one: ReadListings, other: ReadListings | undefined): boolean {
  return (['provider', 'environment', 'origin', 'digest'] as const).every(key => one[key] === other?.[key]);
}

/** Leaves a provider alone that wants to be, and lets its health know how it went. */
async function askPolitely(line: OpenedLine): Promise<TheirListing[]> {
  const { health } = line;
  if (health.admit(performance.now()) === 'skip') throw new Error('the provider is left alone for now');
  try {
    const catalog = await fetchCatalog(line);
    health.succeeded();
    return catalog;
  } catch (error) {
    health.failed(error, performance.now());
    throw error;
  }
}

async function fetchCatalog(line: OpenedLine): Promise<TheirListing[]> {
  const deadline = createDeadline(CATALOG_DEADLINE_MS);
  try {
    return await line.run(context => line.adapter.catalog(context), {
      deadline,
      bodyLimit: CATALOG_BODY_LIMIT,
      id: 'catalog',
      modest: true,
      patient: true,
    });
  } finally {
    deadline.clear();
  }
}

/**
 * Their words into our ids. What we cannot place for certain is left out: a wrong asset would lose money. Where they have
 * several words for a method of ours, each in other countries, all but the first are blocks of their own, behind the others.
 */
export function translate(
  theirs: readonly TheirListing[],
  manifest: Manifest,
  currencies: Currencies,
): Listing[] {
  const blocks = theirs.map(listing => translateBlock(listing, manifest, currencies));
  const most = Math.max(0, ...blocks.map(({ length }) => length));
  return Array.from({ length: most }, (_, at) => blocks.flatMap(layers => layers[at] ?? [])).flat();
}

function translateBlock(theirs: TheirListing, manifest: Manifest, currencies: Currencies): Listing[] {
  const fiats = theirs.fiats.flatMap(fiat => translateFiat(fiat, manifest, currencies));
  const block = {
    side: theirs.side,
    countries: theirs.countries && countrySet(theirs.countries, currencies),
    assets: new Map(theirs.assets.flatMap(asset => translateAsset(asset, manifest, currencies))),
  };
  return Array.from({ length: Math.max(1, ...fiats.map(([, layers]) => layers.length)) }, (_, at) => ({
    ...block,
    fiats: new Map(fiats.flatMap(([id, layers]) => (layers[at] ? [[id, layers[at]]] : []))),
  }));
}

type AssetEntry = [AssetId, Listing['assets'] extends ReadonlyMap<AssetId, infer V> ? V : never];

function translateAsset(theirs: TheirAsset, manifest: Manifest, currencies: Currencies): AssetEntry[] {
  const network = member(manifest.networks, theirs.network);
  const asset =
    theirs.id === undefined
      ? network && currencies.findListed({ network, contract: theirs.contract, symbol: theirs.symbol })
      : currencies.assets.get(theirs.id as AssetId);
  if (!asset) return [];
  const { code, min, max, places, notIn } = theirs;
  const listed = { native: code, network: theirs.network, min, max, places };
  return [[asset.id, { ...listed, notIn: notIn && placeSet(notIn, currencies) }]];
}

function translateFiat(
  theirs: TheirFiat,
  manifest: Manifest,
  currencies: Currencies,
): [FiatId, ListedFiat[]][] {
  const fiat = currencies.findFiat(theirs.code);
  if (!fiat) return [];
  const layers: Map<MethodId, ListedMethod>[] = [];
  for (const { code, kind, min, max, onlyIn } of theirs.methods) {
    for (const method of member(manifest.methods, kind ?? code) ?? []) {
      if (!currencies.methods.has(method)) continue;
      // Their first word for a method of ours is the one that is asked with, wherever it is good.
      const before = layers.flatMap(layer => layer.get(method) ?? []);
      const places = leftBy(before, onlyIn && countrySet(onlyIn, currencies), currencies);
      if (before.length > 0 && places?.size === 0) continue;
      const layer = layers[before.length] ?? new Map<MethodId, ListedMethod>();
      layers[before.length] = layer.set(method, { native: code, min, max, onlyIn: places });
    }
  }
  return [[fiat.id, layers.map(methods => ({ native: theirs.code, places: theirs.places, methods }))]];
}

/** Where a further word for a method is asked with: all the countries it is good in, less those of the words before it. */
function leftBy(
  before: readonly ListedMethod[],
  own: ReadonlySet<CountryCode> | undefined,
  currencies: Currencies,
): ReadonlySet<CountryCode> | undefined {
  if (before.length === 0) return own;
  const places = own ? [...own] : [...currencies.countries.keys()];
  return new Set(places.filter(country => !before.some(method => usableIn(method, country))));
}

function countrySet(codes: readonly string[], currencies: Currencies): Set<CountryCode> {
  return new Set(codes.flatMap(code => currencies.findCountry(code)?.code ?? []));
}

/** Countries, and states of the United States. */
function placeSet(codes: readonly string[], currencies: Currencies): Set<CountryCode | RegionCode> {
  const states = codes.map(code => code.toUpperCase()).filter(code => /^US-[A-Z]{2}$/.test(code));
  return new Set([...countrySet(codes, currencies), ...(states as RegionCode[])]);
}
