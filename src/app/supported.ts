/** What is supported: every question about the catalog, answered from the listings in memory. */
import type { Asset, Currencies, Fiat } from '../domain/currency.ts';
import {
  isBarred,
  type Limits,
  type ListedAsset,
  type ListedMethod,
  type Listing,
  serves,
  sourceLimits,
  usableIn,
  widest,
  widestStated,
} from '../domain/listing.ts';
import { type Amount, decimal } from '../domain/money.ts';
import { bestScore } from '../domain/rank.ts';
import type { AssetId, CountryCode, FiatId, MethodId, ProviderId, Side, StateCode } from '../domain/words.ts';
import type { Manifest } from '../providers/contract.ts';
import { type Account, mayUse } from './accounts.ts';
import type { Listings } from './listings.ts';
import type { Scores } from './scores.ts';

/** Who asks, about which side, where. Without a country: anywhere. */
export interface Scope {
  account: Account;
  side: Side;
  country?: CountryCode | undefined;
  state?: StateCode | undefined;
  fiat?: FiatId | undefined;
  asset?: AssetId | undefined;
}

export interface MethodOffer {
  method: MethodId;
  /** Limits in what the customer hands over, by provider. */
  limits: Map<ProviderId, Limits>;
  aggregated: Limits;
}

export interface Availability {
  provider: Manifest;
  methods: MethodId[];
  recommended: MethodId;
  /** Methods by which this provider's orders get through best. */
  proven: MethodId[];
}

export interface Suggestion {
  country: CountryCode;
  fiat: Fiat;
  asset: Asset;
  amount: Amount;
  method: MethodId;
  provider: ProviderId;
}

export interface Supported {
  assets(scope: Scope): Asset[];
  fiats(scope: Scope): Fiat[];
  methods(scope: Scope): MethodOffer[];
  providers(account: Account): Manifest[];
  availability(scope: Scope): Availability[];
  countries(account: Account): CountryCode[];
  suggest(scope: Scope & { country: CountryCode }): Suggestion | undefined;
  /** A round amount of a fiat that a newcomer might spend; undefined where nothing can be bought with it. */
  usualAmount(scope: Scope & { fiat: FiatId }): Amount | undefined;
}

export interface SupportedOptions {
  currencies: Currencies;
  listings: Listings;
  scores: Scores;
}

/** Assets and methods a newcomer is most likely to want, in this order. */
/** Of money; of most currencies it is something. */
const USUAL_FIAT = '100';
/** With what is a usual amount to sell of each, where no provider names a limit. */
const LIKELY_ASSETS = new Map([
  ['btc_bitcoin', '0.002'],
  ['eth_ethereum', '0.05'],
  ['sol_solana', '1'],
  ['usdc_ethereum', '100'],
]) as Map<AssetId, string>;
const LIKELY_METHODS = ['creditcard', 'debitcard', 'applepay', 'googlepay'] as MethodId[];
const LIKELY_FIATS = ['usd', 'eur', 'gbp'] as FiatId[];

export function createSupported({ currencies, listings, scores }: SupportedOptions): Supported {
  /** Every block of listings the scope touches, with its provider. */
  function* blocks(scope: Scope): Generator<{ manifest: Manifest; listing: Listing }> {
    for (const { line, listings: listed } of listings.of(scope.account.environment)) {
      const { manifest } = line.adapter;
      if (!mayUse(scope.account, manifest.id)) continue;
      for (const listing of listed) {
        if (listing.side !== scope.side) continue;
        if (scope.country && !serves(listing, scope.country)) continue;
        if (scope.fiat && !listing.fiats.has(scope.fiat)) continue;
        if (!isOpen(listing, scope)) continue;
        yield { manifest, listing };
      }
    }
  }

  /** How it can be paid for, in the order of the catalog; by one method alone where one is named. */
  function methods(scope: Scope, only?: MethodId): MethodOffer[] {
    const found = new Map<MethodId, Map<ProviderId, Limits>>();
    for (const { manifest, listing } of blocks(scope)) {
      for (const { id, method } of methodsIn(listing, scope, only)) {
        const limits = found.get(id) ?? new Map<ProviderId, Limits>();
        const known = limits.get(manifest.id);
        const own = blockLimits(listing, scope, method);
        limits.set(manifest.id, known ? widest([known, own]) : own);
        found.set(id, limits);
      }
    }
    return inOrder(only ? [only] : currencies.methods.keys(), found).map(([method, limits]) => ({
      method,
      limits,
      aggregated: widestStated([...limits.values()]),
    }));
  }

  function availability(scope: Scope): Availability[] {
    const found = new Map<ProviderId, { manifest: Manifest; methods: Set<MethodId> }>();
    for (const { manifest, listing } of blocks(scope)) {
      const entry = found.get(manifest.id) ?? { manifest, methods: new Set<MethodId>() };
      for (const { id } of methodsIn(listing, scope)) entry.methods.add(id);
      if (entry.methods.size > 0) found.set(manifest.id, entry);
    }
    // Only those who take a method can be the best for it.
    const candidatesFor = (method: MethodId) =>
      [...found.values()]
        .filter(entry => entry.methods.has(method))
        .map(entry => ({ provider: entry.manifest.id }));
    return [...found.values()].map(({ manifest, methods: offered }) => {
      const ordered = inOrder(currencies.methods.keys(), new Map([...offered].map(id => [id, id]))).map(
        ([id]) => id,
      );
      return {
        provider: manifest,
        methods: ordered,
        recommended: LIKELY_METHODS.find(id => offered.has(id)) ?? (ordered[0] as MethodId),
        proven: ordered.filter(method =>
          isProven(scope, { provider: manifest.id, method, candidates: candidatesFor(method) }),
        ),
      };
    });
  }

  function isProven(
    { account, side, country }: Scope,
    {
      provider,
      method,
      candidates,
    }: { provider: ProviderId; method: MethodId; candidates: { provider: ProviderId }[] },
  ): boolean {
    if (!country) return false;
    return (
      bestScore(candidates, scores.of({ environment: account.environment, side, country, method })) ===
      provider
    );
  }

  /** The method a newcomer is most likely to want; to look for one alone is much quicker than for all. */
  function likeliest(scope: Scope): MethodOffer | undefined {
    for (const method of LIKELY_METHODS) {
      const [offer] = methods(scope, method);
      if (offer) return offer;
    }
    return methods(scope)[0];
  }

  /** The first likely thing that really works in the country. */
  function suggest(scope: Scope & { country: CountryCode }): Suggestion | undefined {
    for (const fiatId of fiatWishes(scope)) {
      if (blocks({ ...scope, fiat: fiatId }).next().done) continue;
      for (const [assetId, sold] of LIKELY_ASSETS) {
        const narrowed = { ...scope, fiat: fiatId, asset: assetId };
        const offer = likeliest(narrowed);
        const fiat = currencies.fiats.get(fiatId);
        const asset = currencies.assets.get(assetId);
        const all = [...(offer?.limits ?? [])];
        const first = all.find(([, { min, max }]) => min || max) ?? all[0];
        if (!offer || !fiat || !asset || !first) continue;
        const [provider, limits] = first;
        return {
          country: scope.country,
          fiat,
          asset,
          method: offer.method,
          provider,
          amount: usualAmount(limits, scope.side === 'buy' ? USUAL_FIAT : sold),
        };
      }
    }
    return undefined;
  }

  /** Likely ones first; all the others are only looked for where none of those will do, for that takes long. */
  function* fiatWishes(scope: Scope & { country: CountryCode }): Generator<FiatId> {
    const own = currencies.countries.get(scope.country)?.currency?.toLowerCase() as FiatId | undefined;
    if (own) yield own;
    yield* LIKELY_FIATS;
    for (const { id } of fiats(scope)) yield id;
  }

  function fiats(scope: Scope): Fiat[] {
    const found = new Set<FiatId>();
    for (const { listing } of blocks(scope)) {
      for (const [id] of listing.fiats) {
        if (methodsIn(listing, { ...scope, fiat: id }).length > 0) found.add(id);
      }
    }
    return [...currencies.fiats.values()].filter(({ id }) => found.has(id));
  }

  return {
    assets(scope) {
      const found = new Set<AssetId>();
      for (const { listing } of blocks(scope)) {
        if (methodsIn(listing, scope).length > 0) for (const id of assetsIn(listing, scope)) found.add(id);
      }
      return [...currencies.assets.values()].filter(({ id }) => found.has(id));
    },
    fiats,
    methods,
    availability,
    suggest,
    usualAmount(scope) {
      const [limits] = likeliest(scope)?.limits.values() ?? [];
      return limits && usualAmount(limits, USUAL_FIAT);
    },
    providers: account =>
      listings
        .of(account.environment)
        .map(({ line }) => line.adapter.manifest)
        .filter(({ id }) => mayUse(account, id)),
    countries(account) {
      const served = (country: CountryCode) =>
        (['buy', 'sell'] as const).some(side => !blocks({ account, side, country }).next().done);
      return [...currencies.countries.keys()].filter(served);
    },
  };
}

/** Whether the asset of the scope, or any at all, is for people there; some bar a country asset by asset. */
function isOpen({ assets }: Listing, scope: Scope): boolean {
  if (scope.asset) {
    const listed = assets.get(scope.asset);
    return listed !== undefined && isFor(listed, scope);
  }
  for (const listed of assets.values()) if (isFor(listed, scope)) return true;
  return false;
}

function assetsIn(listing: Listing, scope: Scope): AssetId[] {
  return [...listing.assets].filter(([, listed]) => isFor(listed, scope)).map(([id]) => id);
}

function isFor(listed: ListedAsset, { country, state }: Scope): boolean {
  return !(country && isBarred(listed, { country, state }));
}

/** Methods usable in the country, for the fiat of the scope or for any; all of them, or one alone. */
function methodsIn(
  listing: Listing,
  { fiat, country }: Scope,
  only?: MethodId,
): { id: MethodId; method: ListedMethod }[] {
  const fiats = fiat ? [listing.fiats.get(fiat)] : [...listing.fiats.values()];
  return fiats
    .flatMap(entry => (entry ? entriesOf(entry.methods, only) : []))
    .filter(([, method]) => !country || usableIn(method, country))
    .map(([id, method]) => ({ id, method }));
}

function entriesOf<K, V>(map: ReadonlyMap<K, V>, only: K | undefined): [K, V][] {
  if (only === undefined) return [...map];
  const value = map.get(only);
  return value === undefined ? [] : [[only, value]];
}

/** A method's limits in what is handed over, as far as the scope says what that is. */
function blockLimits(listing: Listing, { side, asset, fiat }: Scope, method: ListedMethod): Limits {
  const listed = asset && listing.assets.get(asset);
  if (side === 'buy') return fiat ? { min: method.min, max: method.max } : {};
  return listed ? sourceLimits(side, { asset: listed, method }) : {};
}

/** Entries in the order of the catalog, which is the order of importance. */
function inOrder<K, V>(order: Iterable<K>, entries: ReadonlyMap<K, V>): [K, V][] {
  return [...order].flatMap(key => {
    const value = entries.get(key);
    return value === undefined ? [] : [[key, value] as [K, V]];
  });
}

/** A round amount some way above the minimum, within the limits. */
function usualAmount({ min, max }: Limits, otherwise: string): Amount {
  const aim = min?.times(5) ?? max?.div(20) ?? decimal(otherwise);
  const scale = decimal(`1e${aim.magnitude()}`);
  const rounded = [1, 2, 5, 10].map(step => scale.times(step)).find(amount => amount.gte(aim)) ?? aim;
  return max && rounded.gt(max) ? max : rounded;
}
