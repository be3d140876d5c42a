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
import type { SignatureKind } from '../providers/exchange.ts';

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
  'rsa-pss-sha512-base64': { type: 'rsa', digest: 'sha512', options: PSS, spelling: 'base64' },
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
  try {
    return verify(algorithm.digest, meant(algorithm, text), { key: read, ...algorithm.options }, bytes);
  } catch {
    // A key too small for the algorithm can have signed nothing.
    return false;
  }
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

/** PEM, a JSON Web Key, or base64: of DER, of a bare Ed25519 seed, or of a seed and its public key. */
function privateKey(text: string): KeyObject {
  if (text.startsWith('-----')) return createPrivateKey(pem(text));
  if (text.startsWith('{')) return createPrivateKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' });
  const bytes = bytesOf(text);
  return ed25519Key(bytes) ?? createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' });
}

/** As above; 32 bytes are an Ed25519 key, and a private key stands for its public one. */
function publicKey(text: string): KeyObject {
  if (text.startsWith('-----')) return createPublicKey(pem(text));
  if (text.startsWith('{')) return createPublicKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' });
  const bytes = bytesOf(text);
  const key = bytes.length === KEY_BYTES ? Buffer.concat([ED25519_PUBLIC_HEAD, bytes]) : bytes;
  try {
    return createPublicKey({ key, format: 'der', type: 'spki' });
  } catch {
    return createPublicKey(privateKey(text));
  }
}

/** A decoder would skip what is not base64, and take a key for another. */
function bytesOf(text: string): Buffer {
  const plain = text.replace(/\s/g, '');
  if (!/^[\w+/-]+={0,2}$/.test(plain)) throw new Error('not base64');
  return Buffer.from(plain, 'base64');
}

/** Both halves must belong together: DER may be as long as they are. */
function ed25519Key(bytes: Buffer): KeyObject | undefined {
  if (bytes.length !== KEY_BYTES && bytes.length !== 2 * KEY_BYTES) return undefined;
  const der = Buffer.concat([ED25519_HEAD, bytes.subarray(0, KEY_BYTES)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  if (bytes.length === KEY_BYTES) return key;
  const half = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
  return half.equals(bytes.subarray(KEY_BYTES)) ? key : undefined;
}

/** The block that is a key, its lines set anew: in settings line ends are often spelled out, or have become spaces. */
function pem(text: string): string {
  const [, kind, body] = PEM.exec(text) ?? [];
  if (kind === undefined || body === undefined) throw new Error('PEM without a key');
  const lines = body.replace(/\\[rn]|\s/g, '').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`, ''].join('\n');
}

/** Other blocks may stand before it, such as the parameters of a curve. */
const PEM = /-----BEGIN ((?:[A-Z]+ )?(?:PRIVATE|PUBLIC) KEY|CERTIFICATE)-----([^-]*)-----END \1-----/;
const KEY_BYTES = 32;
/** What stands before the seed in a PKCS #8 key, and before the public key in a SubjectPublicKeyInfo (RFC 8410). */
const ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519_PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
