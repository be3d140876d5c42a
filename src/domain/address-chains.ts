/** The forms that one chain alone has. */
import { blake2b } from '@noble/hashes/blake2.js';
import { sha512_256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { base32nopad, base58, base58xrp, base64, base64url, base64urlnopad, hex } from '@scure/base';
import {
  checksummed,
  doubleSha256,
  encoding,
  type Form,
  inOneCase,
  netOf,
  type Reading,
} from './address-forms.ts';
import { crc16, crc32, flowParity, hip15 } from './address-sums.ts';

/** EIP-55: the case of the letters is the checksum; letters of one case carry none. */
export const evm: Form = address => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return 'unlike';
  const digits = address.slice(2);
  return readCase(digits, keccak_256(utf8ToBytes(digits.toLowerCase())));
};

/** A number below 2^251 - 256, its leading zeros often left out; starknet.js writes the checksum into the case. */
export const starknet: Form = address => {
  if (!/^0x[0-9a-fA-F]{58,64}$/.test(address) || BigInt(address) >= 2n ** 251n - 256n) return 'unlike';
  const hash = keccak_256(hex.decode(evenHex(BigInt(address))));
  // Starknet's Keccak keeps 250 of the 256 bits.
  hash[0] = (hash[0] ?? 0) & 0x03;
  return readCase(address.slice(2).padStart(64, '0'), hash);
};

export const solana = encoding(base58, 'formed');

/** A SHA-256 in base 64: many a text of 43 letters is one. */
export const arweave = encoding(base64urlnopad, 'fits');

/** XLS-5d: the account and, perhaps, its tag in one. */
export const xAddress = checksummed({
  decode: base58xrp.decode,
  tail: 4,
  sum: doubleSha256,
  read: body => {
    const [flag = 2, ...tag] = body.subarray(22);
    const rest = flag === 0 ? tag : tag.slice(4);
    return body.length !== 31 || flag > 1 || rest.some(byte => byte !== 0)
      ? 'unlike'
      : netOf({ main: ['0544'], test: ['0493'] }, hex.encode(body.subarray(0, 2)));
  },
});

/** Whether an X-address has its tag inside. */
export function holdsTag(address: string): boolean {
  return xAddress(address) === 'proven' && base58xrp.decode(address)[22] === 1;
}

/** Stellar's strkey (SEP-23): `G` an account, `M` one with an id inside. */
export function strkey(version: number, bytes: number): Form {
  return checksummed({
    decode: base32nopad.decode,
    tail: 2,
    sum: body => crc16(body).reverse(),
    read: body => (body[0] === version && body.length === 1 + bytes ? 'proven' : 'unlike'),
  });
}

/** TON's user-friendly form (TEP-2), in either alphabet of base 64. */
export const tonFriendly = checksummed({
  decode: address => (/[-_]/.test(address) ? base64url : base64).decode(address),
  tail: 2,
  sum: crc16,
  read: body => {
    const [tag = 0, workchain = 1] = body;
    const isKnown = [0x11, 0x51].includes(tag & 0x7f) && [0x00, 0xff].includes(workchain);
    return body.length !== 34 || !isKnown ? 'unlike' : tag & 0x80 ? 'testnet' : 'proven';
  },
});

/** SS58 with a one-byte prefix. 42 stands for any Substrate chain, test networks among them, so it says too little. */
export function ss58(prefix: number): Form {
  return checksummed({
    decode: base58.decode,
    tail: 2,
    sum: body => blake2b(concatBytes(utf8ToBytes('SS58PRE'), body)).subarray(0, 2),
    read: body => {
      if (body.length !== 33) return 'unlike';
      if (body[0] === 42)
        return { message: 'This is a generic Substrate address, not one of the network asked for' };
      return body[0] === prefix ? 'proven' : 'unlike';
    },
  });
}

/** CIP-19 by the header: base, pointer and enterprise addresses of the main network. */
export function isShelley(bytes: Uint8Array): boolean {
  const [header = 0xff] = bytes;
  const rest = bytes.subarray(29);
  // A pointer is three numbers, each of which ends with the first byte that has no high bit.
  const ends = rest.filter(byte => byte < 0x80).length;
  const isPointer = ends === 3 && (rest.at(-1) ?? 0x80) < 0x80;
  const kind = header >> 4;
  if ((header & 0x0f) !== 1 || bytes.length < 29) return false;
  return kind < 4 ? rest.length === 28 : kind < 6 ? isPointer : kind < 8 && rest.length === 0;
}

/** Cardano before Shelley: a tagged CBOR payload and its CRC-32. */
export const byron = checksummed({
  decode: address => {
    const raw = base58.decode(address);
    // CBOR writes a small checksum with two bytes; here it always has four.
    if (raw.at(-3) !== 0x19 || raw[4] !== raw.length - 8) return raw;
    return concatBytes(raw.subarray(0, -3), Uint8Array.of(0x1a, 0, 0), raw.subarray(-2));
  },
  tail: 4,
  sum: body => crc32(body.subarray(5, -1)),
  read: body => {
    const head = hex.encode(body.subarray(0, 8));
    const length = hex.encode(Uint8Array.of(body.length - 6));
    if (head !== `82d81858${length}83581c` || body.at(-1) !== 0x1a) return 'unlike';
    // Of the attributes, 1 is a derivation path; 2 is the magic number that only test networks carry.
    const [attributes, first] = body.subarray(36);
    return attributes === 0xa0 || (attributes === 0xa1 && first === 1) ? 'proven' : 'testnet';
  },
});

export const algorand = checksummed({
  decode: base32nopad.decode,
  tail: 4,
  sum: body => sha512_256(body).subarray(-4),
  read: body => (body.length === 32 ? 'proven' : 'unlike'),
});

/** Filecoin's hashed addresses: `f1` and `f2` of 20 bytes, `f3` of 48, and `f410f`, an Ethereum one, of 20. */
export const filecoin = checksummed({
  decode: address => {
    const [, kind = '', text = ''] = /^f([123]|410f)([a-z2-7]+)$/.exec(address) ?? [];
    return concatBytes(hex.decode(FILECOIN_HEADS[kind] ?? ''), base32nopad.decode(text.toUpperCase()));
  },
  tail: 4,
  sum: body => blake2b(body, { dkLen: 4 }),
  read: body => (body.length === FILECOIN_BYTES[body[0] ?? 0] ? 'proven' : 'unlike'),
});

/** Stacks' c32check, in its canonical letters only: a leading zero stands for a byte, as in base 58. */
export const stacks = checksummed({
  decode: address => {
    const [, letters = ''] = /^S([0-9A-HJKMNP-TV-Z]+)$/.exec(address) ?? [];
    const [version = 0, ...digits] = [...letters].map(letter => C32_LETTERS.indexOf(letter));
    const zeros = digits.findIndex(digit => digit > 0);
    const number = digits.reduce((sum, digit) => sum * 32n + BigInt(digit), 0n);
    return concatBytes(Uint8Array.of(version), new Uint8Array(zeros), hex.decode(evenHex(number)));
  },
  tail: 4,
  sum: doubleSha256,
  read: body => {
    const version = hex.encode(body.subarray(0, 1));
    return body.length === 21 ? netOf({ main: ['16', '14'], test: ['1a', '15'] }, version) : 'unlike';
  },
});

/** An account of the Internet Computer's ledger: the CRC-32 stands in front. */
export const icpAccount = checksummed({
  decode: address => (/^[0-9a-f]+$/.test(address) ? crcLast(hex.decode(address)) : undefined),
  tail: 4,
  sum: crc32,
  read: body => (body.length === 28 ? 'proven' : 'unlike'),
});

/** An Internet Computer principal: a key's (29 bytes, ending in 2) or a canister's (10 bytes, ending in 1). */
export const icpPrincipal = checksummed({
  decode: address => {
    const text = address.replaceAll('-', '');
    const isGrouped = text.match(/.{1,5}/g)?.join('-') === address && text === text.toLowerCase();
    return isGrouped ? crcLast(base32nopad.decode(text.toUpperCase())) : undefined;
  },
  tail: 4,
  sum: crc32,
  read: body => (body.at(-1) === PRINCIPAL_ENDS[body.length] ? 'proven' : 'unlike'),
});

/** An account number of Hedera, with or without the checksum of HIP-15. */
export const hedera: Form = address => {
  const [, number, sum] = /^(0\.0\.[1-9][0-9]{0,17})(?:-([a-z]{5}))?$/.exec(address) ?? [];
  if (!number) return 'unlike';
  if (!sum) return 'formed';
  if (sum === hip15(number, 0)) return 'proven';
  return sum === hip15(number, 1) || sum === hip15(number, 2) ? 'testnet' : 'checksum';
};

/** Flow's addresses are words of a linear code; those of the test networks are shifted by a constant. */
export const flow: Form = address => {
  if (!/^0x[0-9a-f]{16}$/.test(address)) return 'unlike';
  const parity = flowParity(BigInt(address));
  if (parity === 0) return 'proven';
  return FLOW_TEST_NETWORKS.some(shift => parity === flowParity(shift)) ? 'testnet' : 'checksum';
};

const C32_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** By what follows the `f`: the protocol and, of a delegated address, whose it is. */
const FILECOIN_HEADS: Readonly<Record<string, string>> = { 1: '01', 2: '02', 3: '03', '410f': '040a' };
/** By protocol: how many bytes, itself among them. */
const FILECOIN_BYTES: Readonly<Record<number, number>> = { 1: 21, 2: 21, 3: 49, 4: 22 };
/** By length: the last byte. */
const PRINCIPAL_ENDS: Readonly<Record<number, number>> = { 29: 2, 10: 1 };
/** The test network, the emulator and the preview network. */
const FLOW_TEST_NETWORKS = [0x6834ba37b3980209n, 0x1cb159857af02018n, 0x5211829e88528817n];

function readCase(digits: string, hash: Uint8Array): Reading {
  if (inOneCase(digits)) return 'formed';
  const marks = hex.encode(hash);
  const spelt = [...digits].map((digit, at) =>
    (marks[at] ?? '') >= '8' ? digit.toUpperCase() : digit.toLowerCase(),
  );
  return spelt.join('') === digits ? 'proven' : 'checksum';
}

function crcLast(raw: Uint8Array): Uint8Array {
  return concatBytes(raw.subarray(4), raw.subarray(0, 4));
}

function evenHex(number: bigint): string {
  const digits = number.toString(16);
  return digits.length % 2 ? `0${digits}` : digits;
}
