/** What the providers' stand-ins have in common: small pieces for stating terms. */
import { type Asset, NATIVE_ADDRESS } from '../domain/currency.ts';
import { type Amount, raise, significant } from '../domain/money.ts';
import type { Manifest } from './contract.ts';

/** The words of a text, between spaces or lines. */
export function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/** Their word for each of our networks; where they have two, the one that stands first. */
export function theirNetworks(networks: Manifest['networks']): ReadonlyMap<string, string> {
  const theirs = new Map<string, string>();
  for (const [word, id] of Object.entries(networks)) if (!theirs.has(id)) theirs.set(id, word);
  return theirs;
}

/** Whether it is its network's own coin. */
export function isNative(asset: Asset): boolean {
  return asset.address === NATIVE_ADDRESS;
}

/** An amount as a person would set a limit: whole, and mostly zeros. */
export function roundly(amount: Amount, digits = 2): Amount {
  return raise(significant(amount, digits), 0);
}
