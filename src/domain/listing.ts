/** Listings: what a provider says it will do, in our ids; whatever is not listed is never offered. */
import { type Amount, largest, smallest } from './money.ts';
import type { AssetId, CountryCode, FiatId, MethodId, RegionCode, Side, StateCode } from './words.ts';

/** Bounds on an amount, each possibly unknown. */
export interface Limits {
  min?: Amount | undefined;
  max?: Amount | undefined;
}

/** An asset as a provider lists it; its limits are in the asset. */
export interface ListedAsset extends Limits {
  /** The provider's own word for the asset, and for its network. */
  native: string;
  network: string;
  /** With how many decimal places amounts of it are taken at most. */
  places?: number | undefined;
  notIn?: ReadonlySet<CountryCode | RegionCode> | undefined;
}

/** A payment method for one fiat; its limits are in that fiat. */
export interface ListedMethod extends Limits {
  native: string;
  onlyIn?: ReadonlySet<CountryCode> | undefined;
}

export interface ListedFiat {
  native: string;
  places?: number | undefined;
  methods: ReadonlyMap<MethodId, ListedMethod>;
}

/** One block of what a provider does: within it every asset goes with every fiat and that fiat's methods. */
export interface Listing {
  side: Side;
  /** Countries served; absent when the provider does not restrict them. */
  countries?: ReadonlySet<CountryCode> | undefined;
  assets: ReadonlyMap<AssetId, ListedAsset>;
  fiats: ReadonlyMap<FiatId, ListedFiat>;
}

/** What is looked for in listings. */
export interface Wanted {
  side: Side;
  fiat: FiatId;
  asset: AssetId;
  method: MethodId;
  country: CountryCode;
  state?: StateCode | undefined;
}

/** Where it was found, with the provider's words. */
export interface Found {
  asset: ListedAsset;
  fiat: ListedFiat;
  method: ListedMethod;
}

/** Why it was not found, nearest miss first: the method, else the country, else the pair. */
export type Miss = 'method' | 'country' | 'pair';

export function findListed(listings: readonly Listing[], wanted: Wanted): Found | Miss {
  let miss: Miss = 'pair';
  for (const listing of listings) {
    if (listing.side !== wanted.side) continue;
    const asset = listing.assets.get(wanted.asset);
    const fiat = listing.fiats.get(wanted.fiat);
    if (!asset || !fiat) continue;
    if (!serves(listing, wanted.country) || isBarred(asset, wanted)) {
      if (miss === 'pair') miss = 'country';
      continue;
    }
    const method = fiat.methods.get(wanted.method);
    if (method && usableIn(method, wanted.country)) return { asset, fiat, method };
    miss = 'method';
  }
  return miss;
}

/** Whether a block of listings is open to people in the country. */
export function serves(listing: Listing, country: CountryCode): boolean {
  return !listing.countries || listing.countries.has(country);
}

/** Whether an asset is not for people there; where their state is not known, the country decides. */
export function isBarred(
  { notIn }: ListedAsset,
  { country, state }: { country: CountryCode; state?: StateCode | undefined },
): boolean {
  if (!notIn) return false;
  return notIn.has(country) || (state !== undefined && notIn.has(`${country}-${state}` as RegionCode));
}

export function usableIn(method: ListedMethod, country: CountryCode): boolean {
  return !method.onlyIn || method.onlyIn.has(country);
}

/** The limits known before anyone is asked, in what the customer hands over: fiat on a buy, the asset on a sell. */
export function sourceLimits(side: Side, found: Pick<Found, 'asset' | 'method'>): Limits {
  const { min, max } = side === 'buy' ? found.method : found.asset;
  return { min, max };
}

/** The limits on what comes out: the asset on a buy, fiat on a sell. */
export function destinationLimits(side: Side, found: Pick<Found, 'asset' | 'method'>): Limits {
  const { min, max } = side === 'buy' ? found.asset : found.method;
  return { min, max };
}

export function within(amount: Amount, { min, max }: Limits): boolean {
  return !(min && amount.lt(min)) && !(max && amount.gt(max));
}

/** The widest limits that at least one of them meets. An unknown bound is no bound. */
export function widest(limits: readonly Limits[]): Limits {
  return {
    min: limits.every(l => l.min)
      ? limits.reduce<Amount | undefined>((a, l) => smallest(a, l.min), undefined)
      : undefined,
    max: limits.every(l => l.max)
      ? limits.reduce<Amount | undefined>((a, l) => largest(a, l.max), undefined)
      : undefined,
  };
}

/** The widest of the bounds that are stated at all: whoever needs a number is not helped by those who state none. */
export function widestStated(limits: readonly Limits[]): Limits {
  return {
    min: limits.reduce<Amount | undefined>((a, l) => smallest(a, l.min), undefined),
    max: limits.reduce<Amount | undefined>((a, l) => largest(a, l.max), undefined),
  };
}
