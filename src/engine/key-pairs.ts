/** Signatures with a private and a public key: the algorithms, and the spellings that keys come in. */
import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SignatureKind } from '../providers/contract.ts';

export type KeyPairKind = Extract<
  SignatureKind,
  `ed25519${string}` | `es256${string}` | `secp256k1${string}` | `rsa${string}`
>;

interface Algorithm {
  /** What kind of key it takes. */
  type: 'ed25519' | 'ec' | 'rsa';
  curve?: 'prime256v1' | 'secp256k1';
  digest: 'sha256' | 'sha512' | null;
  options?: { dsaEncoding?: 'ieee-p1363' | 'der'; padding?: number; saltLength?: number };
  spelling: 'base64' | 'base64url';
  /** Signs the hexadecimal SHA-512 of the text instead of the text. */
  ofDigest?: boolean;
}

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };

const ALGORITHMS: Record<KeyPairKind, Algorithm> = {
  'ed25519-base64': { type: 'ed25519', digest: null, spelling: 'base64' },
  'ed25519-base64url': { type: 'ed25519', digest: null, spelling: 'base64url' },
  // As in JOSE: both numbers one after the other, not as DER.
  'es256-base64url': {
    type: 'ec',
    curve: 'prime256v1',
    digest: 'sha256',
    options: { dsaEncoding: 'ieee-p1363' },
    spelling: 'base64url',
  },
  'secp256k1-base64': {
    type: 'ec',
    curve: 'secp256k1',
    digest: 'sha256',
    options: { dsaEncoding: 'der' },
    spelling: 'base64',
  },
  'rsa-sha256-base64': { type: 'rsa', digest: 'sha256', spelling: 'base64' },
  'rsa-pss-sha512-digest-base64': {
    type: 'rsa',
    digest: 'sha512',
    options: PSS,
    spelling: 'base64',
    ofDigest: true,
  },
};

export function signWith(how: KeyPairKind, key: string, text: Uint8Array): string {
  const algorithm = ALGORITHMS[how];
  const read = readKey('private', key);
  if (!read || !fits(read, algorithm)) throw new Error(`the key cannot sign by ${how}`);
  return sign(algorithm.digest, meant(algorithm, text), { key: read, ...algorithm.options }).toString(
    algorithm.spelling,
  );
}

export function verifyWith(how: KeyPairKind, key: string, text: Uint8Array, signature: string): boolean {
  const algorithm = ALGORITHMS[how];
  const read = readKey('public', key);
  const bytes = Buffer.from(signature, algorithm.spelling);
  // Several texts decode to the same bytes; only the plain one counts.
  if (!read || !fits(read, algorithm) || bytes.toString(algorithm.spelling) !== signature) return false;
  return verify(algorithm.digest, meant(algorithm, text), { key: read, ...algorithm.options }, bytes);
}

function meant({ ofDigest }: Algorithm, text: Uint8Array): Uint8Array {
  return ofDigest ? Buffer.from(createHash('sha512').update(text).digest('hex')) : text;
}

/** A key of another kind would be used by its own algorithm: whoever chose the key would choose the proof. */
function fits({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, { type, curve }: Algorithm): boolean {
  return asymmetricKeyType === type && (!curve || asymmetricKeyDetails?.namedCurve === curve);
}

/** Reading a key takes longer than using it. */
const known = new LRUCache<string, { key: KeyObject | undefined }>({ max: 200 });

function readKey(part: 'private' | 'public', text: string): KeyObject | undefined {
  const name = `${part}:${text}`;
  const kept = known.get(name) ?? { key: tryKey(part, text.trim()) };
  known.set(name, kept);
  return kept.key;
}

function tryKey(part: 'private' | 'public', text: string): KeyObject | undefined {
  try {
    return part === 'private' ? privateKey(text) : publicKey(text);
  } catch {
    return undefined;
  }
}

/** PEM (line ends may have been spelled out), a JSON Web Key, DER in base64, or a bare Ed25519 seed. */
function privateKey(text: string): KeyObject {
  if (text.startsWith('-----')) return createPrivateKey(pem(text));
  if (text.startsWith('{')) return createPrivateKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' });
  const bytes = Buffer.from(text, 'base64');
  const seed = bytes.length === 32 || bytes.length === 64 ? bytes.subarray(0, 32) : undefined;
  const der = seed ? Buffer.concat([ED25519_HEAD, seed]) : bytes;
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

function publicKey(text: string): KeyObject {
  if (text.startsWith('-----')) return createPublicKey(pem(text));
  if (text.startsWith('{')) return createPublicKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' });
  return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
}

function pem(text: string): string {
  return text.replaceAll('\\n', '\n');
}

/** What stands before the seed in a PKCS #8 key (RFC 8410). */
const ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
