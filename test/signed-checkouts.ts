/** Signed checkouts to test with: the documented vector, its keys, and what is said to whatever is sent. */
import { createHmac, createPrivateKey, sign } from 'node:crypto';
import { expect } from 'vitest';
import type { Account } from '../src/app/accounts.ts';
import { createSeal } from '../src/app/seal.ts';
import { createSignedCheckouts, type SentSignature, type SignedFields } from '../src/app/signed-checkout.ts';
import { Fault } from '../src/domain/fault.ts';
import type { Signer } from '../src/store/accounts.ts';

/** The vector of docs/signed-checkout.md. */
export const SECRET = 'ss_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
export const TIMESTAMP = 1_767_225_600;
export const FIELDS: SignedFields = {
  amount: '100.50',
  destination: 'xrp',
  network: 'ripple',
  onramp: 'moonpay',
  partnerContext: 'order 7/ä&b',
  paymentMethod: 'creditcard',
  redirect: 'https%3A%2F%2Fshop.example%2Fdone%3Forder%3D7',
  source: 'eur',
  type: 'buy',
  wallet: { address: 'rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh', memo: '12345' },
};
export const CONTENT =
  'amount=100.50&destination=xrp&network=ripple&nonce=01JGFJJZ00ABCDEFGHJKMNPQRS&onramp=moonpay' +
  '&partnerContext=order%207%2F%C3%A4%26b&paymentMethod=creditcard' +
  '&redirect=https%253A%252F%252Fshop.example%252Fdone%253Forder%253D7&source=eur&timestamp=1767225600' +
  '&type=buy&wallet=rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:12345';
export const HMAC = '802f5c5bd9124d2c921f6fc1006c18df6dacade3780df1d3045ce3811499af03';
/** The key of RFC 8032, 7.1, test 1. */
export const PRIVATE_KEY = createPrivateKey({
  key: Buffer.from(
    '302e020100300506032b6570042204209d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'hex',
  ),
  format: 'der',
  type: 'pkcs8',
});
export const PUBLIC_KEY = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
export const ED25519 =
  'ed25519:DLFPA9F8/B/N3IDnFBu8mWb5TOcEBwf8H1a1pV/s8rGV3Hct5tPUV0P4qyEodePx+NK++sr0zYp0usaysxiQBw==';
export const NONCE = '01JGFJJZ00ABCDEFGHJKMNPQRS';

export const seal = createSeal(Buffer.alloc(32, 7), 'account-signers');
export const hmacSigner = (id: string, secret: string): Signer => ({
  id,
  kind: 'hmac',
  material: seal.close(secret, id),
});
export const SIGNERS: Signer[] = [
  hmacSigner('s1', SECRET),
  { id: 's2', kind: 'ed25519', material: PUBLIC_KEY },
  hmacSigner('s3', `${SECRET}-next`),
];

export const accountOf = (signedCheckouts: boolean, signers: readonly Signer[]) =>
  ({ signedCheckouts, signers }) as unknown as Account;
export const STRICT = accountOf(true, SIGNERS);

/** Undefined when it goes through; else what is said. Anything but the one refusal fails the test. */
export function refusal(
  sent: SentSignature,
  { fields = FIELDS, account = STRICT, at = TIMESTAMP * 1_000 } = {},
) {
  try {
    const found = createSignedCheckouts({ seal, now: () => at }).check(account, fields, sent);
    expect(found).toEqual({ nonce: expect.any(String), stale: found?.stale });
    if (found?.stale) throw found.stale;
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    const { kind, field, message } = error as Fault;
    expect([kind, field]).toEqual(['forbidden', 'signature']);
    return message;
  }
}

export const hmac = (content: string, secret = SECRET) =>
  createHmac('sha256', secret).update(content).digest('hex');
export const ed25519 = (content: string, key = PRIVATE_KEY) =>
  `ed25519:${sign(null, Buffer.from(content), key).toString('base64')}`;
/** A text with both signatures that are right for it. */
export const bothOf = (signContent: string): SentSignature[] => [
  { signContent, signature: hmac(signContent) },
  { signContent, signature: ed25519(signContent) },
];
export const signed = (signContent = CONTENT) => ({ signContent, signature: hmac(signContent) });
