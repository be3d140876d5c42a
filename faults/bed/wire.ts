/** The providers' webhooks, written and signed as their documents say; none of the service's own code is used. */
import { createHmac } from 'node:crypto';

export const PROVIDERS = ['moonpay', 'transak', 'mercuryo'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** What each provider signs its webhooks with. */
export type Keys = Readonly<Record<Provider, string>>;

/** A webhook that is not signed yet: for Transak the claims of its token, for the others the body. */
export interface Letter {
  provider: Provider;
  text: string;
}

/** A webhook as it is sent. */
export interface Posted {
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

/** MoonPay signs a moment with it, `at` in seconds; the others sign none. */
export function signLetter({ provider, text }: Letter, keys: Keys, at: number): Posted {
  const key = keys[provider];
  if (provider === 'transak') return { headers: JSON_TYPE, body: JSON.stringify({ data: jwtOf(text, key) }) };
  if (provider === 'mercuryo')
    return { headers: { ...JSON_TYPE, 'x-signature': hmac(key, text).digest('hex') }, body: text };
  return { headers: { ...JSON_TYPE, ...moonpaySignature(key, String(at), text) }, body: text };
}

export const JSON_TYPE = { 'content-type': 'application/json' };

export function moonpaySignature(key: string, at: string, text: string): Record<string, string> {
  return { 'moonpay-signature-v2': `t=${at},s=${hmac(key, `${at}.${text}`).digest('hex')}` };
}

export function hmac(key: string, text: string) {
  return createHmac('sha256', key).update(text);
}

export function jwtOf(claims: string, key: string, header = '{"alg":"HS256"}'): string {
  const signed = `${base64url(header)}.${base64url(claims)}`;
  return `${signed}.${hmac(key, signed).digest('base64url')}`;
}

export function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** What is told of an order; amounts of money are in cents. */
export interface Tidings {
  /** Our reference; left out when the provider names its own id only. */
  reference: string | undefined;
  theirs: string;
  word: string;
  /** Milliseconds since 1970, whole seconds. */
  at: number;
  reason: string | null;
  hash: string | null;
  cents: number;
  coins: string;
  /** Tells apart what would otherwise be the same. */
  serial: string;
}

/** Puts tidings as the provider would. */
export function writeLetter(provider: Provider, tidings: Tidings): Letter {
  return { provider, text: JSON.stringify(FORMS[provider](tidings)) };
}

const FEE_CENTS = 399;
const NETWORK_CENTS = 764;

const FORMS: Record<Provider, (tidings: Tidings) => unknown> = {
  /** "Buy webhooks": the amount leaves out the fees. */
  moonpay: ({ reference, theirs, word, at, reason, hash, cents, coins }) => ({
    type: 'transaction_updated',
    data: {
      id: theirs,
      status: word,
      externalTransactionId: reference ?? null,
      updatedAt: new Date(at).toISOString(),
      failureReason: reason,
      baseCurrencyAmount: (cents - FEE_CENTS - NETWORK_CENTS) / 100,
      feeAmount: FEE_CENTS / 100,
      extraFeeAmount: 0,
      networkFeeAmount: NETWORK_CENTS / 100,
      quoteCurrencyAmount: Number(coins),
      cryptoTransactionId: hash,
    },
    externalCustomerId: null,
  }),
  transak: ({ reference, theirs, word, at, reason, hash, cents, coins, serial }) => ({
    webhookData: {
      id: theirs,
      status: word,
      partnerOrderId: reference ?? null,
      isBuyOrSell: 'BUY',
      fiatAmount: cents / 100,
      cryptoAmount: Number(coins),
      transactionHash: hash,
      updatedAt: new Date(at).toISOString(),
      statusReason: reason,
    },
    eventID: `ORDER_${serial}`,
    createdAt: new Date(at).toISOString(),
  }),
  /** "Callbacks": the word is a type of operation and its status. */
  mercuryo: ({ reference, theirs, word, at, hash, cents, coins, serial }) => ({
    eventId: serial,
    data: {
      type: word.split('.')[0],
      id: theirs,
      status: word.split('.')[1],
      merchant_transaction_id: reference ?? null,
      amount: coins,
      fiat_amount: (cents / 100).toFixed(2),
      tx: { id: hash, address: null },
      updated_at_ts: at / 1000,
    },
  }),
};
