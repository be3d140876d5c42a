/** Gateways: what each provider sells where, in groups within which everything goes with everything. */
import type { Asset, Currencies, Fiat } from '../domain/currency.ts';
import { isBarred, type Listing, serves, usableIn } from '../domain/listing.ts';
import type { Amount } from '../domain/money.ts';
import type { AssetId, CountryCode, FiatId, MethodId, ProviderId, StateCode } from '../domain/words.ts';
import { type Account, mayUse } from './accounts.ts';
import type { Listings } from './listings.ts';
import type { Supported } from './supported.ts';

/** A country, or all of them together. */
export type Place = CountryCode | 'all';

/** Where somebody is; without a state the country's rules alone apply. */
export interface Where {
  place: Place;
  state: StateCode | undefined;
}

/** Every method works with every fiat and every asset. */
export interface Gateway {
  provider: ProviderId;
  methods: MethodId[];
  fiats: Fiat[];
  assets: Asset[];
}

export interface Gateways {
  /** One provider may come several times. */
  list(account: Account, where: Where): Gateway[];
  /** What to pay with in a country, as far as that is known. */
  currencyOf(account: Account, country: CountryCode): string;
  /** A round amount of each fiat that the gateways take. */
  usualAmounts(account: Account, where: Where, gateways: readonly Gateway[]): Map<string, Amount>;
}

export interface GatewaysOptions {
  currencies: Currencies;
  listings: Listings;
  supported: Supported;
}

/** What is paid with where nothing is known of the country. */
const FALLBACK_CURRENCY = 'EUR';

export function createGateways({ currencies, listings, supported }: GatewaysOptions): Gateways {
  const everywhere = [...currencies.countries.keys()].map((country): Spot => ({ country }));
  const assetOrder = orderOf(currencies.assets.keys());
  const fiatOrder = orderOf(currencies.fiats.keys());
  const methodOrder = orderOf(currencies.methods.keys());

  function show(provider: ProviderId, { methods, fiats, assets }: Group): Gateway {
    return {
      provider,
      methods: [...methods].sort(methodOrder),
      fiats: [...fiats].sort(fiatOrder).flatMap(id => currencies.fiats.get(id) ?? []),
      assets: [...assets].sort(assetOrder).flatMap(id => currencies.assets.get(id) ?? []),
    };
  }

  return {
    list(account, { place, state }) {
      const spots = place === 'all' ? everywhere : [{ country: place, state }];
      return listings.of(account.environment).flatMap(({ line, listings: listed }) => {
        const { id } = line.adapter.manifest;
        if (!mayUse(account, id)) return [];
        return groupsOf(listed, spots).map(group => show(id, group));
      });
    },
    currencyOf(account, country) {
      const suggestion = supported.suggest({ account, side: 'buy', country });
      return suggestion?.fiat.code ?? currencies.countries.get(country)?.currency ?? FALLBACK_CURRENCY;
    },
    usualAmounts(account, { place, state }, gateways) {
      const scope = { account, side: 'buy', country: place === 'all' ? undefined : place, state } as const;
      const fiats = new Map(gateways.flatMap(entry => entry.fiats).map(fiat => [fiat.id, fiat.code]));
      return new Map(
        [...fiats]
          .sort(([a], [b]) => fiatOrder(a, b))
          .flatMap(([fiat, code]): [string, Amount][] => {
            const amount = supported.usualAmount({ ...scope, fiat });
            return amount ? [[code, amount]] : [];
          }),
      );
    },
  };
}

/** By where they stand in the catalog, which is the order of importance. */
function orderOf<T>(ids: Iterable<T>): (a: T, b: T) => number {
  const places = new Map([...ids].map((id, place) => [id, place]));
  return (a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0);
}

/** A place as rules are held against it. */
interface Spot {
  country: CountryCode;
  state?: StateCode | undefined;
}

interface Group {
  methods: ReadonlySet<MethodId>;
  fiats: ReadonlySet<FiatId>;
  assets: ReadonlySet<AssetId>;
}

/**
 * What listings sell in at least one of the places, in as few groups as are found easily. Joining groups that differ in
 * one part alone never joins what does not go together.
 */
function groupsOf(listings: readonly Listing[], spots: readonly Spot[]): Group[] {
  const buys = listings.filter(({ side }) => side === 'buy');
  const deals = buys.flatMap(listing => dealsOf(listing, spots));
  return (['methods', 'fiats', 'assets', 'methods'] as const).reduce(join, deals);
}

/** One fiat by one method, with the assets that can be had so. */
function dealsOf(listing: Listing, spots: readonly Spot[]): Group[] {
  const served = spots.filter(({ country }) => serves(listing, country));
  return [...soldIn(listing, served)].flatMap(([open, assets]) =>
    [...listing.fiats].flatMap(([fiat, { methods }]) =>
      [...methods]
        .filter(([, method]) => open.some(({ country }) => usableIn(method, country)))
        .map(([method]) => ({ methods: alone(method), fiats: alone(fiat), assets })),
    ),
  );
}

/** The same set for the same word, of which there are as many as the catalog has. */
function alone<T extends string>(word: T): ReadonlySet<T> {
  const known = singles.get(word) ?? new Set([word]);
  singles.set(word, known);
  return known as ReadonlySet<T>;
}

const singles = new Map<string, ReadonlySet<string>>();

/** The assets of a listing by where they are sold; most are sold wherever it serves. */
function soldIn(listing: Listing, served: readonly Spot[]): Map<readonly Spot[], ReadonlySet<AssetId>> {
  const kinds = new Map<string, { open: readonly Spot[]; assets: Set<AssetId> }>();
  for (const [id, asset] of listing.assets) {
    const open = asset.notIn ? served.filter(spot => !isBarred(asset, spot)) : served;
    const key = open.length === served.length ? 'served' : open.map(({ country }) => country).join();
    const kind = kinds.get(key) ?? { open, assets: new Set() };
    kind.assets.add(id);
    if (open.length > 0) kinds.set(key, kind);
  }
  return new Map([...kinds.values()].map(({ open, assets }) => [open, assets]));
}

/** Joins the groups that differ in one part alone. */
function join(groups: readonly Group[], part: keyof Group): Group[] {
  const [one, other] = PARTS.filter(name => name !== part) as [keyof Group, keyof Group];
  const alike = new Map<string, Group[]>();
  for (const group of groups) {
    const key = `${spell(group[one])}|${spell(group[other])}`;
    const known = alike.get(key);
    if (known) known.push(group);
    else alike.set(key, [group]);
  }
  return [...alike.values()].map(all => {
    const [first] = all as [Group];
    return all.length === 1 ? first : { ...first, [part]: new Set(all.flatMap(group => [...group[part]])) };
  });
}

const PARTS = ['methods', 'fiats', 'assets'] as const;

/** Most groups share the same sets, and writing one out takes long. */
const spelled = new WeakMap<ReadonlySet<string>, string>();

function spell(set: ReadonlySet<string>): string {
  const known = spelled.get(set);
  if (known !== undefined) return known;
  const spelling = [...set].sort().join();
  spelled.set(set, spelling);
  return spelling;
}
