/** Signing: checkouts as an account's server signs them, written from the guide; none of the service's own code is used. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A checkout as it is said in JSON: each value as its own text, so that it can be said otherwise. */
export interface Said {
  onramp: string;
  source: string;
  destination: string;
  network: string;
  /** The number's text. */
  amount: string;
  type: string;
  paymentMethod: string;
  partnerContext: string;
  address: string;
  memo: string;
  redirect: string;
}

export const FORMS = ['hmac', 'ed25519'] as const;
export type Form = (typeof FORMS)[number];

export interface Signed {
  signContent: string;
  signature: string;
}

/** What an account signs with. */
export interface Pen {
  secret: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

export function newPen(secret: string): Pen {
  return { secret, ...generateKeyPairSync('ed25519') };
}

/** What is signed, of exactly these words. */
export function contentOf(said: Said, nonce: string, timestamp: number | string): string {
  const encode = encodeURIComponent;
  const pairs = [
    ...[`amount=${encode(said.amount)}`, `destination=${encode(said.destination)}`],
    ...[`network=${encode(said.network)}`, `nonce=${encode(nonce)}`, `onramp=${encode(said.onramp)}`],
    ...[`partnerContext=${encode(said.partnerContext)}`, `paymentMethod=${encode(said.paymentMethod)}`],
    ...[`redirect=${encode(said.redirect)}`, `source=${encode(said.source)}`, `timestamp=${timestamp}`],
    ...[`type=${encode(said.type)}`, `wallet=${encode(said.address)}:${encode(said.memo)}`],
  ];
  return pairs.join('&');
}

export function signText({ secret, privateKey }: Pen, form: Form, signContent: string): Signed {
  const signature =
    form === 'hmac'
      ? createHmac('sha256', secret).update(signContent).digest('hex')
      : `ed25519:${sign(null, Buffer.from(signContent), privateKey).toString('base64')}`;
  return { signContent, signature };
}

/** The members of a body, each as it is to stand in the JSON. */
export type Members = Readonly<Record<string, string>>;

/** A checkout as members of JSON. */
export function membersOf(said: Said): Members {
  const { amount, address, memo, redirect, ...plain } = said;
  const texts = Object.entries(plain).map(([name, value]) => [name, JSON.stringify(value)]);
  return {
    ...Object.fromEntries(texts),
    amount,
    wallet: JSON.stringify({ address, memo }),
    supportedParams: JSON.stringify({ partnerData: { redirectUrl: { success: redirect } } }),
  };
}

/** A body whose members may stand in it twice. */
export function writeBody(members: readonly (readonly [name: string, text: string])[]): string {
  return `{${members.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
}
