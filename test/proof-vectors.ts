/** Webhooks that providers' documents, or what follows from them, prove; and how they are held against the verifier. */
import { parseJson } from '../src/domain/json.ts';
import { isProven } from '../src/engine/proof.ts';
import { sign } from '../src/engine/sign.ts';
import { alchemypay } from '../src/providers/alchemypay/adapter.ts';
import { banxa } from '../src/providers/banxa/adapter.ts';
import { coinbase } from '../src/providers/coinbase/adapter.ts';
import type { Adapter, Delivery } from '../src/providers/contract.ts';
import { mercuryo } from '../src/providers/mercuryo/adapter.ts';
import { moonpay } from '../src/providers/moonpay/adapter.ts';
import { BUILT_IN, createOpenramp } from '../src/providers/openramp/adapter.ts';
import { paybis } from '../src/providers/paybis/adapter.ts';
import { rampnetwork } from '../src/providers/rampnetwork/adapter.ts';
import { stripe } from '../src/providers/stripe/adapter.ts';
import { swapped } from '../src/providers/swapped/adapter.ts';
import { topper } from '../src/providers/topper/adapter.ts';
import { transak } from '../src/providers/transak/adapter.ts';

interface Vector {
  adapter: Adapter;
  secret: string;
  key: string;
  /** The header that carries the signature; in the body without one. */
  header?: string;
  signature?: string;
  /** What stands before it in the header and is no part of it. */
  opening?: string;
  body: string;
  /** What else it came with, and where to. */
  headers?: Record<string, string>;
  path?: string;
  /** When it was signed, where that is not the usual moment. */
  at?: number;
}

/** The moment that MoonPay's vector was signed at. */
export const SIGNED_AT = 1_700_000_000_000;

export const MOONPAY: Vector = {
  adapter: moonpay,
  secret: 'webhookKey',
  key: 'wk_test_demo',
  header: 'moonpay-signature-v2',
  signature: 't=1700000000,s=2cff773cc3a55fe39d521e96137c7d426808ca00d86823f997f944d4be395d31',
  body: '{"type":"transaction_updated","data":{"id":"11111111-2222-4333-8444-555555555555","status":"completed"},"externalCustomerId":null}',
};

export const TRANSAK: Vector = {
  adapter: transak,
  secret: 'accessToken',
  key: 'access_token_demo',
  body: '{"data":"eyJhbGciOiJIUzI1NiJ9.eyJ3ZWJob29rRGF0YSI6eyJpZCI6Im9yZC0xIiwic3RhdHVzIjoiQ09NUExFVEVEIn0sImV2ZW50SUQiOiJPUkRFUl9DT01QTEVURUQifQ.R4z6buaWQrdwD7MeBG2bnpFtXacslMfO4tlANv8KW3E"}',
};

export const MERCURYO: Vector = {
  adapter: mercuryo,
  secret: 'signKey',
  key: 'sign_key_demo',
  header: 'x-signature',
  signature: '6ebdf3d8ac40fc2cd3f1d354e00f4e6664152462c548dbc5fb5bc6deadd7508b',
  body: '{"eventId":"8a1b","data":{"id":"0abc","type":"buy","payment_method":"card","status":"paid","fiat_amount":"100.00","fiat_currency":"EUR","amount":"0.00150000","currency":"BTC","merchant_transaction_id":"ord_0001"}}',
};

const STRIPE: Vector = {
  adapter: stripe,
  secret: 'webhookSecret',
  key: 'whsec_madeup_0001',
  header: 'stripe-signature',
  signature: 't=1760000000,v1=66c753792c59037bae39d6ebe09007d653fe1a704adfad1d753e9d25bac57676',
  body: '{"id":"evt_1","object":"event","type":"crypto.onramp_session.updated","data":{"object":{"id":"cos_1","object":"crypto.onramp_session","status":"fulfillment_complete"}}}',
  at: 1_760_000_000_000,
};

const BANXA: Vector = {
  adapter: banxa,
  secret: 'webhookSecret',
  key: 'whsecret_demo',
  header: 'authorization',
  signature: '4a3634a4b01c8191bc01c41ed6d19fd98a8beb7faee100a38d1a85f2c3346464:1700000000',
  opening: 'Bearer key_demo:',
  path: '/webhooks/banxa',
  body: '{"order_id":"0123456789abcdef0123456789abcdef","status":"complete"}',
};

export const RAMP: Vector = {
  adapter: rampnetwork,
  secret: 'webhookPublicKey',
  key: 'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE4H1R5ox+txqkvRXk+pKHdr1/YHN4yHiIwVtuCDBrycL4D+PRUrX0Edk4PKpEtLtaz8pTxMOh2rrd5wktIHW3Ow==',
  header: 'x-body-signature',
  signature:
    'MEUCIQDQ12EAaVboboVu6mmov4tri5dAd/GP4yCrSNhu6Zab9AIgUQkdt2xZncjL058f5QEpI7XB0CLrBZwhyX5GwVLW40w=',
  body: '{"purchase":{"asset":{"chain":"ETH","symbol":"ETH"},"fiatCurrency":"EUR","fiatValue":100,"id":"p1","status":"RELEASED"},"type":"RELEASED"}',
};

const OPENRAMP: Vector = {
  adapter: createOpenramp(BUILT_IN),
  secret: 'webhookSecret',
  key: 'whsec_b3BlbnJhbXAtdGVzdC12ZWN0b3Itc2VjcmV0LTAwMDE=',
  header: 'webhook-signature',
  signature: 'v1,btMAVymRBBa+DxAEFU4HP4PeClm+W9YWqkx5Z9duW5s=',
  headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': '1700000000' },
  body: '{"type":"order.updated","timestamp":"2023-11-14T22:13:20Z","data":{"id":"or_1","reference":"ord-1","status":"paid","at":"2023-11-14T22:13:20Z","page":"https://pages.acme.example/?order=1"}}',
};

const ALCHEMYPAY: Vector = {
  adapter: alchemypay,
  secret: 'appSecret',
  key: 'madeUpSecret0001',
  headers: { timestamp: '1760000000000' },
  path: '/wh/alchemypay',
  body: '{"address":"0x1111111111111111111111111111111111111111","amount":"100","appId":"madeUpAppId00001","crypto":"USDT","fiat":"USD","merchantOrderNo":"ord1","network":"BSC","orderNo":"1028577684629876736","status":"FINISHED","newSignature":"YN7MwF/PXGSqMo2sLTRVprhPAQvVoiH0nCglhbtB5tQ="}',
  at: 1_760_000_000_000,
};

/** As older deliveries have it, so that every letter of it counts. */
export const COINBASE: Vector = {
  adapter: coinbase,
  secret: 'webhookSecret',
  key: '11111111-2222-4333-8444-555555555555',
  header: 'x-hook0-signature',
  signature:
    't=1760000000,h=content-type x-event-id x-event-type,v1=5ff757fad760b41b720e7e316c7d97051cd9f9e336c2f41bc6d8ddfe7cf86abb',
  headers: {
    'content-type': 'application/json',
    'x-event-id': 'evt_0001',
    'x-event-type': 'onramp.transaction.success',
  },
  body: '{"eventType":"onramp.transaction.success","transactionId":"1f087a54-0000-6000-8000-000000000001","status":"ONRAMP_TRANSACTION_STATUS_SUCCESS","partnerUserRef":"sandbox-ord-1"}',
  at: 1_760_000_000_000,
};

const SWAPPED: Vector = {
  adapter: swapped,
  secret: 'secretKey',
  key: 'sk_test_madeup0001',
  header: 'signature',
  signature: 'w42D3O7D4dGl9/h4X0tu3eMMvJeUS7IPcqy42Jk1hpw=',
  body: '{"order_id":"9fcc45a5-4def-4953-9bd8-9ff75d9aaa9c","order_status":"order_broadcasted","external_customer_id":"ord1"}',
};

const PAYBIS: Vector = {
  adapter: paybis,
  secret: 'webhookKey',
  key: '{"kty":"RSA","n":"2y4sht6haHP0B1jiWEJhLWdZy8FudIWBeFjYBdgUlBzvZZ1DkV8gjvhRxOetL8ozJEmtZRhouCrdG4UPThcbXB29M9wAyLLmVTPcnnmyScZTP_EIuvaqawRHWzJQnllas7p4lHEF_02bYz0kUFRVkDI5qAJKOQWe4KcDcPk0IqzhkYyT2uFM6cJUE4uN1Jhl4TmyfgWvOo0C-dn34HeRoqyh9qZRELxxftwEE58_3SO68gTh3HqD-h1AxNziSpC0WDFKqGE82YiMYwxIqcwzfhIiO_-NepYViufKLOSSdQPre5Ls6NgKIKNlW4rPwodUo31hRKHA8hdnmBh6mL1QhQ","e":"AQAB"}',
  header: 'x-request-signature',
  signature:
    'm/ZX0ABppYURVfntzCFZEZrfJn4/daYB2Z1EbXdWa4cDXaGRvi5SPWsku3Tg6J7SLWbUF5Ianq25LO5pEnJKAXoe9v6+Y//bZZ0ZL0TFNdXY1WBGVtIvc6kEglj9aGvZCW8QIebgGYrsghbslhdNlfAOPO+oki+VZ+DmByq2L4h5/Rx12T7AipsRMsick1yZZLLXWDDpEuEOZ3H9W/KMkyYZ8ai8R9D5+ih0+WCeQZI6OcSHMmG2U/+PEX07o3Q85/HuhH/aPWESEE+Gf5TB6EB7SZ+/tp2syGGVgNshH5M4RdRLK1lwQzNyHCtQH58cJBLJ4pPcNYSTKAcYMEimdg==',
  body: '{"partnerUserId":"user-1","locale":"en"}',
};

export const TOPPER: Vector = {
  adapter: topper,
  secret: 'webhookPublicKey',
  key: '{"x":"7-INQ150R-MCWlj5X_wyGLRIRYAA-o8NakJiUq7gOGg","y":"dM-GsyJvdDOuALE3l-U9lPL8V3gY_5BPjLH539yTdKU","alg":"ES256","crv":"P-256","kid":"15a5142e-c20f-466e-8132-234dbdae97e7","kty":"EC"}',
  header: 'x-topper-jws-signature',
  signature:
    'eyJhbGciOiJFUzI1NiJ9..2H0Ypm5sVzuSpgyZySdAJan05lYxctqhmO8btghFQQzkisvSlNvNWzQ1kqTPXTLP_dR4zQZrTsSsShAK51I4EQ',
  body: '{"foo":"bar"}',
};

const ALL = [
  SWAPPED,
  ALCHEMYPAY,
  MOONPAY,
  TRANSAK,
  MERCURYO,
  STRIPE,
  BANXA,
  RAMP,
  OPENRAMP,
  COINBASE,
  PAYBIS,
  TOPPER,
];
export const VECTORS: [string, Vector][] = ALL.map(one => [one.adapter.manifest.name, one]);

export interface Change {
  raw?: Uint8Array;
  signature?: string | undefined;
  keys?: readonly string[];
  now?: number;
}

/** Whether a vector still holds when so much of it is changed. */
export function holds(vector: Vector, change: Change = {}): boolean {
  const { raw = bytesOf(vector.body), keys = [vector.key], now = vector.at ?? SIGNED_AT } = change;
  const signature = 'signature' in change ? change.signature : vector.signature;
  const signed =
    vector.header && signature !== undefined
      ? { [vector.header]: `${vector.opening ?? ''}${signature}` }
      : {};
  const delivery = deliver(raw, { ...vector.headers, ...signed });
  const claims = vector.adapter.webhook?.claims({ ...delivery, path: vector.path ?? delivery.path }) ?? [];
  return isProven(claims, { now, secrets: name => (name === vector.secret ? keys : []) });
}

export function deliver(raw: Uint8Array, headers: Record<string, string>): Delivery {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    // Not JSON: an adapter sees no body.
  }
  return { headers, path: '/hooks/provider', search: '', raw, text, body };
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = bit >> 3;
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

export function jwtOf(header: unknown, payload: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${sign('hmac-sha256-base64url', TRANSAK.key, signed)}`;
}
