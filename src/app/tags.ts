/** Tags: the part of what we hand out that nobody can guess, so that what comes back is known to be ours as it was. */
import { hash, hkdfSync } from 'node:crypto';
import { isSame } from '../engine/sign.ts';

export interface Tags {
  /** Has the form of `TAG`. */
  of(text: string): string;
  isOf(text: string, tag: string): boolean;
}

const CHARACTERS = 22;
/** A tag in a pattern. */
export const TAG = `[A-Za-z0-9_-]{${CHARACTERS}}`;

/** Tags of one purpose are of no use for another. */
export function createTags(masterKey: Buffer, purpose: string): Tags {
  const secret = Buffer.from(hkdfSync('sha256', masterKey, '', `cloverleaf/${purpose}`, 32));
  const key = secret.toString('base64url');
  /** What BLAKE2 makes of a text cannot be continued, so a key before the text is enough, and takes a third of an HMAC's time. */
  const of = (text: string) => hash('blake2s256', `${key}|${text}`, 'base64url').slice(0, CHARACTERS);
  return { of, isOf: (text, tag) => isSame(tag, of(text)) };
}
