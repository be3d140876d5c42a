/** Wallets that a page gives for its person, by coin or by network: one whose tag is in doubt is not given, so that the person is asked. */
import { checkAddress, checkMemo } from '../../domain/address.ts';
import type { Asset, Currencies } from '../../domain/currency.ts';
import type { AssetId, NetworkId } from '../../domain/words.ts';
import type { Wallet } from './shape.ts';

export interface WalletReader {
  currencies: Currencies;
  /** The assets that a word stands for. */
  assetsOf(word: string): Asset[];
  /** The text of a parameter; empty when it was not sent. */
  textOf(parameter: 'wallets' | 'networkWallets' | 'walletAddressTags'): string;
  warn(parameter: string, message: string): void;
}

export interface GivenWallets {
  /** By asset. */
  wallets: Record<string, Wallet>;
  /** By network, for every asset that has none of its own. */
  networkWallets: Record<string, Wallet>;
}

const MOST_WALLETS = 50;

/** `wallets` is `BTC:address,ETH:address`, `networkWallets` `ETHEREUM:address`; `walletAddressTags` has their memos by either word. */
export function readWallets(reader: WalletReader): GivenWallets {
  const { currencies, assetsOf, textOf, warn } = reader;
  const { networks } = currencies;
  const tags = readTags(reader);

  const isAddressOn = (id: NetworkId, address: string) => {
    const network = networks.get(id);
    return network !== undefined && checkAddress(network, address, networks.values()) === undefined;
  };

  /** Without its tag an address that many share is somebody else's: then there is no wallet at all. */
  function withTag(id: NetworkId, address: string, tag: string | undefined): Wallet | undefined {
    const network = networks.get(id);
    if (tag === undefined || !network) return { address };
    const flaw = checkMemo(network, tag, address);
    if (!flaw) return { address, memo: tag };
    warn('walletAddressTags', `walletAddressTags: ${flaw.message}`);
    return network.tag ? undefined : { address };
  }

  const byCoin = readPairs(textOf('wallets')).flatMap(([word, address]) => {
    // On networks where the address is none, it was not meant.
    const fits = assetsOf(word).filter(({ network }) => isAddressOn(network, address));
    if (fits.length === 0)
      warn('wallets', `wallets: the address for ${quoted(word)} is not one of its network`);
    return fits.map(
      asset =>
        [
          asset.id,
          withTag(asset.network, address, tags.ofAsset(asset) ?? tags.ofNetwork(asset.network)),
        ] as const,
    );
  });
  const byNetwork = readPairs(textOf('networkWallets')).flatMap(([word, address]) => {
    const id = currencies.findNetwork(word)?.id;
    if (id !== undefined && isAddressOn(id, address)) return [{ id, address }];
    warn('networkWallets', `networkWallets: the address for ${quoted(word)} is not one of that network`);
    return [];
  });
  // A tag that was given for a coin goes with the wallet of its network.
  const tagged = byNetwork.flatMap(({ id, address }) =>
    tags.assetsOn(id).map(asset => [asset.id, id, withTag(id, address, tags.ofAsset(asset))] as const),
  );
  const inDoubt = new Set(tagged.flatMap(([, network, wallet]) => (wallet ? [] : [network])));
  const given = {
    wallets: recordOf([...tagged.map(([asset, , wallet]) => [asset, wallet] as const), ...byCoin]),
    networkWallets: recordOf(
      byNetwork.map(({ id, address }) => [
        id,
        inDoubt.has(id) ? undefined : withTag(id, address, tags.ofNetwork(id)),
      ]),
    ),
  };
  tags.tellUnused();
  return given;
}

interface Tags {
  ofAsset(asset: Asset): string | undefined;
  ofNetwork(id: NetworkId): string | undefined;
  /** Assets of a network that have a tag of their own. */
  assetsOn(id: NetworkId): Asset[];
  /** A tag that nothing was made of is one that its address lacks. */
  tellUnused(): void;
}

function readTags({ currencies, assetsOf, textOf, warn }: WalletReader): Tags {
  const pairs = readPairs(textOf('walletAddressTags')).map(([word, tag]) => ({
    word,
    tag,
    assets: assetsOf(word),
    network: currencies.findNetwork(word)?.id,
  }));
  const used = new Set<string>();
  const take = (pair: (typeof pairs)[number] | undefined) => {
    if (pair) used.add(pair.word);
    return pair?.tag;
  };
  const hasAsset = (id: AssetId) => (pair: (typeof pairs)[number]) =>
    pair.assets.some(asset => asset.id === id);
  return {
    ofAsset: ({ id }) => take(pairs.find(hasAsset(id))),
    ofNetwork: id => take(pairs.find(({ network }) => network === id)),
    assetsOn: id => pairs.flatMap(({ assets }) => assets).filter(({ network }) => network === id),
    tellUnused() {
      for (const { word } of pairs)
        if (!used.has(word))
          warn('walletAddressTags', `walletAddressTags: there is no wallet for ${quoted(word)}`);
    },
  };
}

/** The address itself may have a colon. */
function readPairs(text: string): [word: string, value: string][] {
  return text
    .split(',')
    .slice(0, MOST_WALLETS)
    .flatMap(part => {
      const at = part.indexOf(':');
      return at < 0 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()]];
    });
}

function recordOf(entries: readonly (readonly [string, Wallet | undefined])[]): Record<string, Wallet> {
  return Object.fromEntries(entries.flatMap(([id, wallet]) => (wallet ? [[id, wallet]] : [])));
}

function quoted(word: string): string {
  return JSON.stringify(word.slice(0, 40));
}
