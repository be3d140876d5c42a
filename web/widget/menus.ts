/** Menus: what a list offers to choose from, and which of it a search finds. */
import type { CryptoAsset } from '../../client/src/index.ts';
import { type Pair, partnersKey, type State } from './state.ts';

/** Coins that can be had for the fiat where the person is, as far as the integrator allows them. */
export function coinsOf(state: State): CryptoAsset[] | undefined {
  const { lists, side, setup } = state;
  const all = lists.currencies[side]?.crypto;
  const partners = side === 'buy' ? lists.partners[partnersKey(state)] : undefined;
  return all?.filter(coin => (!partners || partners.includes(coin.id)) && isCoinAllowed(coin, setup));
}

export function fiatsOf(state: State) {
  const { lists, side, setup } = state;
  const partners = side === 'sell' ? lists.partners[partnersKey(state)] : undefined;
  return lists.currencies[side]?.fiat.filter(
    fiat => (!partners || partners.includes(fiat.id)) && isFiatAllowed(fiat, setup),
  );
}

/** Whether the pair can be chosen, as far as the lists of its side are known. */
export function isListed(state: State): boolean {
  const { crypto, fiat } = state.pair ?? {};
  const has = (list: { id: string }[] | undefined, id: string | undefined) =>
    list === undefined || list.some(one => one.id === id);
  return has(coinsOf(state), crypto?.id) && has(fiatsOf(state), fiat?.id);
}

/** Whether the integrator allows the coin. */
export function isCoinAllowed({ id, network }: Pair['crypto'], { only }: State['setup']): boolean {
  const { cryptos, networks } = only;
  return (
    (cryptos.length === 0 || cryptos.includes(id)) && (networks.length === 0 || networks.includes(network))
  );
}

export function isFiatAllowed({ id }: Pair['fiat'], { only }: State['setup']): boolean {
  return only.fiats.length === 0 || only.fiats.includes(id);
}

export function isMethodAllowed(id: string, { only }: State['setup']): boolean {
  return only.methods.length === 0 || only.methods.includes(id);
}

/** Those whose words begin with what was typed; a code that is typed whole comes first. */
export function search<T>(entries: readonly T[], query: string, wordsOf: (entry: T) => string[]): T[] {
  const wanted = plain(query);
  if (wanted === '') return [...entries];
  const rank = (entry: T) => {
    const words = wordsOf(entry).map(plain);
    if (words.includes(wanted)) return 0;
    if (words.some(word => word.startsWith(wanted))) return 1;
    return words.some(word => word.includes(` ${wanted}`) || word.includes(wanted)) ? 2 : 3;
  };
  return entries
    .map(entry => ({ entry, rank: rank(entry) }))
    .filter(one => one.rank < 3)
    .toSorted((a, b) => a.rank - b.rank)
    .map(one => one.entry);
}

/** Without accents and case, as people type in a hurry. */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().trim();
}
