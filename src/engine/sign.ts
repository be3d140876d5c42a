/** Signature algorithms, by name; their test vectors stand beside this file. */
import { createHash, createHmac } from 'node:crypto';
import type { SignatureKind } from '../providers/contract.ts';

/** Signs `text` with `key`; a plain digest takes its secret inside the text and ignores the key. */
export function sign(how: SignatureKind, key: string, text: string): string {
  return ALGORITHMS[how](key, text);
}

const ALGORITHMS: Record<SignatureKind, (key: string, text: string) => string> = {
  'hmac-sha256-hex': (key, text) => createHmac('sha256', key).update(text).digest('hex'),
  'hmac-sha256-base64': (key, text) => createHmac('sha256', key).update(text).digest('base64'),
  'sha512-hex': (_key, text) => createHash('sha512').update(text).digest('hex'),
};
