/** The forms wallet addresses are written in: each reads a text and says whether it is one of its own. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, bech32, bech32m, hex } from '@scure/base';
import { polymod40 } from './address-sums.ts';

/** What a form makes of a text: whether it is one of the chain's, or what is wrong with it. */
export type Reading = Accepted | 'testnet' | 'checksum' | 'unlike' | { message: string };
/**
 * `proven`: a checksum says so. `formed`: the form gives the chain away. `fits`: it may well be, but much that has
 * nothing to do with the chain looks the same.
 */
type Accepted = 'proven' | 'formed' | 'fits';
export type Form = (address: string) => Reading;

/** What stands in front, or inside as the version: bytes in hexadecimal, or letters. */
interface Prefixes {
  main: readonly string[];
  test?: readonly string[];
}

interface Scheme {
  /** To bytes; throws, or gives nothing, where the text is of another kind. */
  decode(address: string): Uint8Array | undefined;
  /** How many bytes of checksum follow the body. */
  tail: number;
  sum(body: Uint8Array): Uint8Array;
  /** What the body is, provided that the checksum is right. */
  read(body: Uint8Array): Reading;
}

/** A text with nothing to check but its looks. */
export function matching(pattern: RegExp, reading: Reading): Form {
  return address => (pattern.test(address) ? reading : 'unlike');
}

/** Version bytes, a hash and four bytes of double SHA-256, in base 58. */
export function base58check(prefixes: Prefixes, bytes = 20, codec = base58): Form {
  return checksummed({
    decode: address => (BASE58.test(address) ? codec.decode(address) : undefined),
    tail: 4,
    sum: doubleSha256,
    read: body => netOf(prefixes, hex.encode(body.subarray(0, -bytes))),
  });
}

/** BIP 173 and BIP 350: witness programs of version 0 and 1. */
export function segwit(prefixes: Prefixes): Form {
  return address => {
    const net = netOf(prefixes, humanPart(address));
    if (net === 'unlike') return net;
    // The first letter is the version, and the version says which checksum there is.
    const codec = /1q[^1]*$/i.test(address) ? bech32 : bech32m;
    const [version, ...words] = attempt(() => codec.decode(address))?.words ?? [];
    if (version === undefined) return 'checksum';
    const bytes = attempt(() => bech32.fromWords(words))?.length;
    if (version > 1) return { message: 'Addresses of this witness version are not in use yet' };
    return bytes === 32 || (version === 0 && bytes === 20) ? net : 'unlike';
  };
}

/** Bytes in bech32 behind the letters of the network. */
export function bech32Of(prefixes: Prefixes, isRight: (bytes: Uint8Array) => boolean, codec = bech32): Form {
  return address => {
    const net = netOf(prefixes, humanPart(address));
    if (net === 'unlike') return net;
    const bytes = attempt(() => codec.decodeToBytes(address, false))?.bytes;
    if (!bytes) return 'checksum';
    return net === 'testnet' || isRight(bytes) ? net : 'unlike';
  };
}

export function sized(...lengths: number[]): (bytes: Uint8Array) => boolean {
  return bytes => lengths.includes(bytes.length);
}

/** CashAddr; `kinds` says how many bytes follow each version, `bare` which prefix may be left out. */
export function cashaddr(prefixes: Prefixes, kinds: Readonly<Record<number, number>>, bare = ''): Form {
  return address => {
    const text = inOneCase(address) ?? '';
    const full = text.includes(':') ? text : `${bare}:${text}`;
    const [, prefix = '', data = ''] = /^([a-z]+):([02-9ac-hj-np-z]+)$/.exec(full) ?? [];
    const net = netOf(prefixes, prefix);
    const words = [...data].map(letter => BECH32_LETTERS.indexOf(letter));
    const bytes = attempt(() => bech32.fromWords(words.slice(0, -8))) ?? [];
    if (net === 'unlike' || kinds[bytes[0] ?? -1] !== bytes.length - 1) return 'unlike';
    const head = [...prefix].map(letter => letter.charCodeAt(0) & 31);
    return polymod40([...head, 0, ...words]) === 0n ? net : 'checksum';
  };
}

/** Bytes and a checksum behind them. */
export function checksummed({ decode, tail, sum, read }: Scheme): Form {
  return address => {
    const raw = attempt(() => decode(address)) ?? new Uint8Array();
    if (raw.length <= tail) return 'unlike';
    const body = raw.subarray(0, -tail);
    const reading = read(body);
    if (reading === 'unlike') return reading;
    return hex.encode(raw.subarray(-tail)) === hex.encode(sum(body)) ? reading : 'checksum';
  };
}

/** Thirty-two bytes and nothing else. */
export function encoding(codec: { decode(text: string): Uint8Array }, reading: Accepted): Form {
  return address => (attempt(() => codec.decode(address))?.length === 32 ? reading : 'unlike');
}

export function netOf({ main, test = [] }: Prefixes, prefix: string): 'proven' | 'testnet' | 'unlike' {
  return main.includes(prefix) ? 'proven' : test.includes(prefix) ? 'testnet' : 'unlike';
}

export function doubleSha256(body: Uint8Array): Uint8Array {
  return sha256(sha256(body)).subarray(0, 4);
}

/** In small letters, if it does not mix them with capitals. */
export function inOneCase(text: string): string | undefined {
  const small = text.toLowerCase();
  return text === small || text === text.toUpperCase() ? small : undefined;
}

/** Whichever order the letters are in. */
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;
export const BECH32_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

/** What reads other people's texts may throw; here that only says that the text is of another kind. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The letters in front of the last 1. */
function humanPart(address: string): string {
  return address.slice(0, Math.max(address.lastIndexOf('1'), 0)).toLowerCase();
}
