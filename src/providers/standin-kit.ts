/** What the providers' stand-ins have in common: small pieces for stating terms and writing answers. */
import { type Asset, type Currencies, type Fiat, NATIVE_ADDRESS } from '../domain/currency.ts';
import { type Amount, raise, significant } from '../domain/money.ts';
import type { Manifest } from './contract.ts';
import type { World } from './world.ts';

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

/** What is made of a world's currencies, once for as long as they are the same. */
export function forCurrencies<T>(make: (currencies: Currencies) => T): (currencies: Currencies) => T {
  const made = new WeakMap<Currencies, { it: T }>();
  return currencies => {
    const known = made.get(currencies) ?? { it: make(currencies) };
    made.set(currencies, known);
    return known.it;
  };
}

/** Whether it is its network's own coin. */
export function isNative(asset: Asset): boolean {
  return asset.address === NATIVE_ADDRESS;
}

/** An amount as a person would set a limit: whole, and mostly zeros. */
export function roundly(amount: Amount, digits = 2): Amount {
  return raise(significant(amount, digits), 0);
}

/** Whether an amount of a fiat is worth more than so many euros. */
export function isAbove(
  euros: Amount,
  { fiat, value }: { fiat: Fiat; value: Amount },
  world: World,
): boolean {
  return value.gt(euros.times(world.market.perEuro(fiat.code) ?? 1));
}

const MOST_ZEROS = 8;

/** Filled with zeros to the places of the currency, eight at most. */
export function filled(value: Amount, { decimals }: { decimals: number }): string {
  const [whole, places = ''] = value.toString().split('.');
  const all = places.padEnd(Math.min(decimals, MOST_ZEROS), '0');
  return all ? `${whole}.${all}` : `${whole}`;
}

/** 128 hexadecimal digits that belong to the text: the same for the same. */
export function digest(text: string, world: World): string {
  return world.sign('sha512-hex', '', text);
}

/** A UUID that belongs to the text. */
export function uuid(text: string, world: World): string {
  const hex = digest(text, world);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** `2026-01-01T12:00:00.000Z` */
export function iso(at: number): string {
  return new Date(at).toISOString();
}
