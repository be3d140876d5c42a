/** Signature algorithms, by name; their test vectors stand beside this file. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureKind } from '../providers/exchange.ts';
import { type KeyPairKind, signWith, verifyWith } from './key-pairs.ts';

/** What is signed: its parts, one after the other. */
export type Signed = string | readonly (string | Uint8Array)[];

type Parts = readonly (string | Uint8Array)[];

/** Signs with `key`, the private one where there are two; a plain digest takes its secret inside the text. */
export function sign(how: SignatureKind, key: string, signed: Signed): string {
  const parts = partsOf(signed);
  return isSecret(how) ? SECRETS[how](key, parts) : signWith(how, key, joined(parts));
}

/** Whether `signature` is what `key` signed, the public one where there are two; a key that cannot be read proves nothing. */
export function isSigned(how: SignatureKind, key: string, signed: Signed, signature: string): boolean {
  const parts = partsOf(signed);
  return isSecret(how)
    ? isSame(SECRETS[how](key, parts), signature)
    : verifyWith(how, key, joined(parts), signature);
}

/** In constant time; how long a signature is, its kind says already. */
export function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Kinds with one secret, which signs and proves alike. */
const SECRETS: Record<Exclude<SignatureKind, KeyPairKind>, (key: string, parts: Parts) => string> = {
  'hmac-sha256-hex': (key, parts) => hmac(key, parts).digest('hex'),
  'hmac-sha256-base64': (key, parts) => hmac(key, parts).digest('base64'),
  'hmac-sha256-base64url': (key, parts) => hmac(key, parts).digest('base64url'),
  'sha512-hex': (_key, parts) => feed(createHash('sha512'), parts).digest('hex'),
  'standard-webhooks': (key, parts) => hmac(whsec(key), parts).digest('base64'),
};

/** The key behind `whsec_`, in base64; a secret of another form is its own text, and signs nothing of anybody else's. */
function whsec(secret: string): string | Buffer {
  const [, key] =
    /^whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(secret) ?? [];
  return key === undefined ? secret : Buffer.from(key, 'base64');
}

function isSecret(how: SignatureKind): how is keyof typeof SECRETS {
  return how in SECRETS;
}

function partsOf(signed: Signed): Parts {
  return typeof signed === 'string' ? [signed] : signed;
}

function joined(parts: Parts): Buffer {
  return Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function hmac(key: string | Buffer, parts: Parts) {
  return feed(createHmac('sha256', key), parts);
}

function feed<T extends { update(data: string | Uint8Array): unknown }>(digest: T, parts: Parts): T {
  for (const part of parts) digest.update(part);
  return digest;
}
