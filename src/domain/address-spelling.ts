/** Spellings: one address may be written in several ways, and another system need not write it as the person did. */
import { base32nopad, base58, base58xrp, base64, base64url, bech32, hex } from '@scure/base';
import { attempt, BECH32_LETTERS } from './address-forms.ts';

/** Whether both are the same address, however each is written; a tag inside one of them is no part of that. */
export function isSameAddress(one: string, other: string): boolean {
  return one === other || spellingOf(one) === spellingOf(other);
}

/** What an address stands for, where it has several spellings; else in small letters, where capitals mean nothing. */
function spellingOf(address: string): string {
  // As in links and pictures to scan.
  const bare = address.replace(/^[A-Za-z]+:/, '');
  const small = bare.toLowerCase();
  for (const read of READERS) {
    const meaning = attempt(() => read(bare));
    if (meaning !== undefined) return meaning;
  }
  return bare === small || bare === bare.toUpperCase() ? small : bare;
}

/** Each reads addresses of its own kind, and throws or gives nothing for others. Checksums are not proven here. */
const READERS: readonly ((address: string) => string | undefined)[] = [
  // Hexadecimal, with or without zeros in front.
  address => (/^0x[0-9a-f]+$/i.test(address) ? address.toLowerCase().replace(/^0x0*/, '0x') : undefined),
  // TON: raw, or in letters that also say how to send there.
  address => (/^(0|-1):[0-9a-f]{64}$/i.test(address) ? address.toLowerCase() : undefined),
  address => {
    if (!/^[\w+/-]{48}$/.test(address)) return undefined;
    const [, workchain, ...account] = (/[-_]/.test(address) ? base64url : base64).decode(address);
    return `${workchain === 0xff ? -1 : workchain}:${written(account.slice(0, 32))}`;
  },
  // Hedera, with or without a checksum.
  address => /^(0\.0\.\d+)(-[a-z]{5})?$/.exec(address)?.[1],
  // XRP Ledger: an account, or an account with its tag.
  address => {
    const body = base58xrp.decode(address).slice(0, -4);
    if (body.length === 21 && address.startsWith('r')) return `ripple ${written(body.slice(1))}`;
    return body.length === 31 && address.startsWith('X') ? `ripple ${written(body.slice(2, 22))}` : undefined;
  },
  // Stellar: an account, or an account with its memo.
  address =>
    /^(G[A-Z2-7]{55}|M[A-Z2-7]{68})$/.test(address)
      ? `stellar ${written(base32nopad.decode(address).slice(1, 33))}`
      : undefined,
  // Bitcoin and its kin: a hash behind a version; scripts have two versions at Litecoin.
  address => hashed(base58.decode(address).slice(0, -4), { key: [0x00], script: [0x05, 0x32] }),
  // Bitcoin Cash in its own letters.
  address => {
    const words = [...address.toLowerCase()].map(letter => BECH32_LETTERS.indexOf(letter));
    return hashed(bech32.fromWords(words.slice(0, -8)), { key: [0x00, 0x10], script: [0x08, 0x18] });
  },
];

function hashed(body: Uint8Array, kinds: Readonly<Record<string, readonly number[]>>): string | undefined {
  const [version = -1, ...hash] = body;
  const kind = Object.keys(kinds).find(one => kinds[one]?.includes(version));
  return kind && hash.length === 20 ? `${kind} ${written(hash)}` : undefined;
}

function written(bytes: Iterable<number>): string {
  return hex.encode(Uint8Array.from(bytes));
}
