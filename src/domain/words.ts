/** The words everything else is said in: branded ids and the small closed sets. */

declare const brand: unique symbol;
type Branded<T, Name extends string> = T & { readonly [brand]: Name };

/** `moonpay` */
export type ProviderId = Branded<string, 'ProviderId'>;
/** `btc_bitcoin` */
export type AssetId = Branded<string, 'AssetId'>;
/** `eur` */
export type FiatId = Branded<string, 'FiatId'>;
/** `creditcard` */
export type MethodId = Branded<string, 'MethodId'>;
/** `bitcoin` */
export type NetworkId = Branded<string, 'NetworkId'>;
/** `DE`, always upper case inside; each view writes it as its surface wants it. */
export type CountryCode = Branded<string, 'CountryCode'>;
/** `NY`: a state of the United States, always upper case inside. */
export type StateCode = Branded<string, 'StateCode'>;
/** `US-NY`: a state as rules about places name it. */
export type RegionCode = Branded<string, 'RegionCode'>;
/** Opaque id of an account; never shown. */
export type AccountId = Branded<string, 'AccountId'>;

export type Side = 'buy' | 'sell';
/** `test` reaches providers' sandboxes only, `live` their production hosts only; the key decides. */
export type Environment = 'test' | 'live';
export const ENVIRONMENTS: readonly Environment[] = ['test', 'live'];
/** Milliseconds since 1970, UTC. */
export type Instant = number;

/** A member of a record by a word from outside; never one that every object inherits. */
export function member<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Reads a word the client sent: short, plain ASCII, lower-cased; anything else is no word of ours. */
export function plainWord(text: string): string | undefined {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(text) ? text.toLowerCase() : undefined;
}

export const LONGEST_CONTEXT = 4_096;

/** Whether a text can be the client's own reference of an order. */
export function isContext(text: string): boolean {
  return text.length <= LONGEST_CONTEXT && !/\p{Cc}/u.test(text);
}
