/** Spellings: one address may be written in several ways, and another system need not write it as the person did. */
import { base64, base64url, hex } from '@scure/base';
import { tonFriendly } from './address-chains.ts';

/** Whether both are the same address, however each is written. Neither need be right. */
export function isSameAddress(one: string, other: string): boolean {
  return spellingOf(one) === spellingOf(other);
}

/** Capitals mean nothing in hexadecimal addresses, nor in those that are written in one case throughout; nor does a scheme. */
function spellingOf(address: string): string {
  if (tonFriendly(address) === 'proven') return rawTon(address);
  const bare = address.replace(/^[A-Za-z]+:/, '');
  const [small, large] = [bare.toLowerCase(), bare.toUpperCase()];
  return /^0x[0-9a-fA-F]+$/.test(bare) || bare === small || bare === large ? small : bare;
}

/** What TON's user-friendly forms stand for: the first byte only says how to send there. */
function rawTon(address: string): string {
  const [, workchain, ...account] = (/[-_]/.test(address) ? base64url : base64).decode(address);
  return `${workchain === 0xff ? -1 : workchain}:${hex.encode(Uint8Array.from(account.slice(0, 32)))}`;
}
