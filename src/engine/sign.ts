/** Signature algorithms, by name; their test vectors stand beside this file. */
import { createHash, createHmac } from 'node:crypto';
import type { SignatureKind } from '../providers/contract.ts';

/** What is signed: its parts, one after the other. */
export type Signed = string | readonly (string | Uint8Array)[];

/** Signs with `key`; a plain digest takes its secret inside the text and ignores the key. */
export function sign(how: SignatureKind, key: string, signed: Signed): string {
  return ALGORITHMS[how](key, typeof signed === 'string' ? [signed] : signed);
}

type Parts = readonly (string | Uint8Array)[];

const ALGORITHMS: Record<SignatureKind, (key: string, parts: Parts) => string> = {
  'hmac-sha256-hex': (key, parts) => hmac(key, parts).digest('hex'),
  'hmac-sha256-base64': (key, parts) => hmac(key, parts).digest('base64'),
  'hmac-sha256-base64url': (key, parts) => hmac(key, parts).digest('base64url'),
  'sha512-hex': (_key, parts) => feed(createHash('sha512'), parts).digest('hex'),
};

function hmac(key: string, parts: Parts) {
  return feed(createHmac('sha256', key), parts);
}

function feed<T extends { update(data: string | Uint8Array): unknown }>(digest: T, parts: Parts): T {
  for (const part of parts) digest.update(part);
  return digest;
}
