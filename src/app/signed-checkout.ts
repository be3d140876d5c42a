/** Signed checkouts: an account vouches for what a checkout says, so that nobody on the way can alter it. */
import { createHash, createHmac, createPublicKey, randomBytes, timingSafeEqual, verify } from 'node:crypto';
import { ulid } from 'ulid';
import { badInput, Fault } from '../domain/fault.ts';
import type { Instant } from '../domain/words.ts';
import { insertSigner, revokeSigner, type Signer, setSignedCheckouts } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';
import { type Account, findAccount } from './accounts.ts';
import type { Seal } from './seal.ts';

/** What is signed, exactly as the body says it; what it does not say is absent. */
export interface SignedFields {
  /** The number's own text. */
  amount?: string | undefined;
  destination?: string | undefined;
  network?: string | undefined;
  onramp?: string | undefined;
  partnerContext?: string | undefined;
  paymentMethod?: string | undefined;
  /** `supportedParams.partnerData.redirectUrl.success`, not decoded. */
  redirect?: string | undefined;
  source?: string | undefined;
  type?: string | undefined;
  wallet?: { address?: string | undefined; memo?: string | undefined } | undefined;
}

/** What a client sends along. */
export interface SentSignature {
  /** The text that was signed. */
  signContent?: string | undefined;
  signature?: string | undefined;
}

/** What was signed rightly. */
export interface Vouched {
  /** For the caller to use up. */
  nonce: string;
  /** What it is to be refused with unless it was answered before: it is not of the last minutes. */
  stale?: Fault | undefined;
}

export interface SignedCheckouts {
  /**
   * What there is to a checkout that its account has signed; undefined where no signature is asked for. Throws `forbidden`
   * for anything else.
   */
  check(account: Account, fields: SignedFields, sent: SentSignature): Vouched | undefined;
}

export interface SignedCheckoutsOptions {
  /** The seal of `hmac` signers. */
  seal: Seal;
  now(): Instant;
}

const MOST_SIGNERS = 10;
const LONGEST_CONTENT = 4_096;
const TOLERANCE_MS = 300_000n;
const NONCE = /&nonce=([A-Za-z0-9_-]{16,64})&/;
const TIMESTAMP = /&timestamp=([1-9][0-9]{9})&/;
const HMAC_SIGNATURE = /^[0-9a-f]{64}$/;
const ED25519_SIGNATURE = /^ed25519:(.{88})$/;

export function createSignedCheckouts({ seal, now }: SignedCheckoutsOptions): SignedCheckouts {
  function isSigned({ kind, id, material }: Signer, content: string, signature: string): boolean {
    if (kind === 'hmac') {
      const secret = HMAC_SIGNATURE.test(signature) ? seal.open(material, id) : undefined;
      return secret !== undefined && isSame(hmacOf(secret, content), signature);
    }
    const bytes = readBase64(ED25519_SIGNATURE.exec(signature)?.[1] ?? '');
    return bytes !== undefined && verify(null, Buffer.from(content), publicKeyOf(material), bytes);
  }

  return {
    check(account, fields, { signContent, signature }) {
      const isSent = signContent !== undefined || signature !== undefined;
      if (!account.signedCheckouts && !(isSent && account.signers.length > 0)) return undefined;
      if (signContent === undefined || signature === undefined || signContent.length > LONGEST_CONTENT)
        throw refused();
      const nonce = NONCE.exec(signContent)?.[1];
      const timestamp = TIMESTAMP.exec(signContent)?.[1];
      if (nonce === undefined || timestamp === undefined) throw refused();
      const canonical = canonicalText(fields, { nonce, timestamp });
      if (canonical === undefined || !isSame(canonical, signContent)) throw refused();
      const verdicts = account.signers.map(signer => isSigned(signer, signContent, signature));
      if (!verdicts.includes(true)) throw refused();
      const age = BigInt(now()) - BigInt(timestamp) * 1_000n;
      const isStale = age > TOLERANCE_MS || age < -TOLERANCE_MS;
      return { nonce, stale: isStale ? refused() : undefined };
    },
  };
}

/** One wording for every reason: it must not help anybody to find a signature. */
function refused(): Fault {
  return new Fault(
    'forbidden',
    'The checkout must be signed: signContent has to be the canonical text of this very body with a nonce and a ' +
      'timestamp of the last minutes, and signature has to be made of it with a signing key of the account',
    'signature',
  );
}

/**
 * What has to be signed: `name=value` pairs by name, each value percent-encoded, so that no two checkouts have the same
 * text. Undefined where a value is no text that can be encoded.
 */
function canonicalText(
  fields: SignedFields,
  { nonce, timestamp }: { nonce: string; timestamp: string },
): string | undefined {
  const { wallet, ...plain } = fields;
  const pairs = { ...plain, nonce, timestamp };
  try {
    const memo = wallet?.memo === undefined ? '' : `:${encodeURIComponent(wallet.memo)}`;
    const texts = NAMES.map(name => `${name}=${encodeURIComponent(pairs[name] ?? '')}`);
    return `${texts.join('&')}&wallet=${encodeURIComponent(wallet?.address ?? '')}${memo}`;
  } catch {
    return undefined;
  }
}

/** In the order of the alphabet; `wallet` comes last. */
const NAMES = [
  'amount',
  'destination',
  'network',
  'nonce',
  'onramp',
  'partnerContext',
  'paymentMethod',
  'redirect',
  'source',
  'timestamp',
  'type',
] as const;

function hmacOf(secret: string, content: string): string {
  return createHmac('sha256', secret).update(content).digest('hex');
}

/** Takes as long for any two texts. */
function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map(text => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(one, other);
}

/** Gives an account a secret to sign with; it is shown once. */
export async function addSigningSecret(
  { database, seal }: { database: Database; seal: Seal },
  word: string,
): Promise<{ id: string; secret: string }> {
  const account = await findAccount(database, word);
  const [id, secret] = [ulid(), `ss_${randomBytes(32).toString('base64url')}`];
  await addSigner(database, account, { id, kind: 'hmac', material: seal.close(secret, id) });
  return { id, secret };
}

/** Lets an account sign with the private half of this Ed25519 key: 32 bytes or SPKI in base64, or SPKI as PEM. */
export async function addSigningKey(
  database: Database,
  word: string,
  publicKey: string,
): Promise<{ id: string }> {
  const account = await findAccount(database, word);
  const signer: Signer = { id: ulid(), kind: 'ed25519', material: readPublicKey(publicKey) };
  await addSigner(database, account, signer);
  return { id: signer.id };
}

async function addSigner(database: Database, account: Account, signer: Signer): Promise<void> {
  if (account.signers.length >= MOST_SIGNERS)
    throw new Fault('conflict', `${account.name} has ${MOST_SIGNERS} signing keys: take one away first`);
  await insertSigner(database, account.id, signer);
}

export async function removeSigner(database: Database, word: string, id: string): Promise<void> {
  const account = await findAccount(database, word);
  if (!account.signers.some(signer => signer.id === id))
    throw new Fault('notFound', `${account.name} has no signing key ${id}`);
  await revokeSigner(database, account.id, id);
}

/** Whether every checkout of the account has to be signed from now on. */
export async function requireSignature(
  database: Database,
  word: string,
  required: boolean,
): Promise<Account> {
  const account = await findAccount(database, word);
  if (required && account.signers.length === 0)
    throw new Fault('conflict', `${account.name} has no signing key yet, and could not check out any more`);
  await setSignedCheckouts(database, account.id, required);
  return account;
}

/** What stands before the 32 bytes of an Ed25519 key in SPKI (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

const PEM = /^-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]{1,200})-----END PUBLIC KEY-----\s{0,9}$/;

/** The 32 bytes, in base64. */
function readPublicKey(text: string): string {
  const bytes = readBase64((PEM.exec(text)?.[1] ?? text).replace(/\s/g, ''));
  const hasHead = bytes?.subarray(0, SPKI_HEAD.length).equals(SPKI_HEAD);
  const key = hasHead ? bytes?.subarray(SPKI_HEAD.length) : bytes;
  if (key?.length !== 32)
    throw badInput(
      'ed25519',
      'an Ed25519 public key is needed: 32 bytes in base64, or a file with it in PEM',
    );
  return key.toString('base64');
}

/** Several texts decode to the same bytes; only the usual one counts. */
function readBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
}

function publicKeyOf(base64: string) {
  const x = Buffer.from(base64, 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
