/** The canonical catalog: assets on networks, fiats, payment methods and countries, and how their names are read. */
import {
  type AssetId,
  type CountryCode,
  type FiatId,
  type MethodId,
  type NetworkId,
  plainWord,
} from './words.ts';

export interface Network {
  id: NetworkId;
  name: string;
  /** EVM chain id; 0 where the network has none. */
  chainId: number;
  native: AssetId;
  /** Whose address rules the network follows. */
  family: string;
  /** Whether an address can carry a tag or memo. */
  tag?: boolean;
}

export interface Asset {
  id: AssetId;
  code: string;
  name: string;
  symbol: string;
  network: NetworkId;
  decimals: number;
  /** Token contract; the zero address for a native coin. */
  address: string;
  /** What the bare code means, when the code lives on several networks. */
  main: boolean;
  /** The code it had before, which clients still have built in; alone it means nothing where another coin has it. */
  formerly?: string;
}

export interface Fiat {
  id: FiatId;
  code: string;
  name: string;
  symbol: string;
  decimals: number;
}

export interface PaymentMethod {
  id: MethodId;
  name: string;
  /** The word of the earlier surface for it. */
  legacy: string;
}

export interface Country {
  code: CountryCode;
  name: string;
  currency: string | null;
}

export const NATIVE_ADDRESS = '0x0000000000000000000000000000000000000000';

/** The plain data the catalog is built from, as committed under `catalog/`. */
export interface CatalogData {
  networks: Network[];
  assets: Asset[];
  fiats: Fiat[];
  methods: PaymentMethod[];
  countries: Country[];
}

export type AssetLookup = { asset: Asset } | { ambiguous: AssetId[] } | undefined;

export interface Currencies {
  networks: ReadonlyMap<NetworkId, Network>;
  assets: ReadonlyMap<AssetId, Asset>;
  fiats: ReadonlyMap<FiatId, Fiat>;
  methods: ReadonlyMap<MethodId, PaymentMethod>;
  countries: ReadonlyMap<CountryCode, Country>;
  /** Finds an asset by id or code in any case; a bare code means its main network when that is unambiguous. */
  findAsset(word: string, network?: NetworkId): AssetLookup;
  findFiat(word: string): Fiat | undefined;
  /** Finds a payment method by its id, or by the earlier surface's word for it, in any case. */
  findMethod(word: string): PaymentMethod | undefined;
  findNetwork(word: string): Network | undefined;
  findCountry(word: string): Country | undefined;
  /** Finds what a provider lists: by contract on its network, or the network's coin of that symbol when there is none. */
  findListed(listed: { network: NetworkId; contract: string | undefined; symbol: string }): Asset | undefined;
}

export function createCurrencies(data: CatalogData): Currencies {
  const networks = byId(data.networks);
  const assets = byId(data.assets);
  const fiats = byId(data.fiats);
  const methods = byId(data.methods);
  const countries = new Map(data.countries.map(country => [country.code, country]));
  const byLegacy = new Map(data.methods.map(method => [method.legacy.toLowerCase() as MethodId, method]));
  const byCode = groupByCode(data.assets);
  const byFormerId = new Map(
    data.assets.filter(({ formerly }) => formerly).map(asset => [formerId(asset), asset]),
  );
  const byContract = new Map(data.assets.map(asset => [contractKey(asset.network, asset.address), asset]));

  return {
    networks,
    assets,
    fiats,
    methods,
    countries,
    findAsset(word, network) {
      const key = plainWord(word);
      if (!key) return undefined;
      const named = assets.get(key as AssetId) ?? byFormerId.get(key);
      if (named) return !network || named.network === network ? { asset: named } : undefined;
      const candidates = (byCode.get(key) ?? []).filter(asset => !network || asset.network === network);
      const only =
        candidates.length === 1
          ? candidates[0]
          : candidates.find(({ main, code }) => main && code.toLowerCase() === key);
      if (only) return { asset: only };
      return candidates.length ? { ambiguous: candidates.map(asset => asset.id) } : undefined;
    },
    findFiat: word => find(fiats, word),
    findMethod: word => find(methods, word) ?? find(byLegacy, word),
    findNetwork: word => find(networks, word),
    findCountry: word =>
      /^[A-Za-z]{2}$/.test(word) ? countries.get(word.toUpperCase() as CountryCode) : undefined,
    findListed({ network, contract, symbol }) {
      const asset = byContract.get(contractKey(network, contract || NATIVE_ADDRESS));
      // A network's own coin has no contract to know it by, so its ticker must be right.
      return asset?.address !== NATIVE_ADDRESS || asset.code === symbol.toUpperCase() ? asset : undefined;
    },
  };
}

function byId<T extends { id: string }>(entries: T[]): Map<T['id'], T> {
  return new Map(entries.map(entry => [entry.id, entry]));
}

function find<T extends { id: string }>(entries: ReadonlyMap<T['id'], T>, word: string): T | undefined {
  const key = plainWord(word);
  return key === undefined ? undefined : entries.get(key);
}

function groupByCode(assets: Asset[]): Map<string, Asset[]> {
  const groups = new Map<string, Asset[]>();
  for (const asset of assets) {
    for (const code of [asset.code, ...(asset.formerly ? [asset.formerly] : [])]) {
      const key = code.toLowerCase();
      groups.set(key, [...(groups.get(key) ?? []), asset]);
    }
  }
  return groups;
}

function formerId({ formerly = '', network }: Asset): string {
  return `${formerly.toLowerCase()}_${network}`;
}

/** Only hexadecimal addresses may be compared without regard to case; all others are case-sensitive. */
function contractKey(network: NetworkId, address: string): string {
  return `${network}|${/^0x[0-9a-fA-F]+$/.test(address) ? address.toLowerCase() : address}`;
}
