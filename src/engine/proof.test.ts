/** Proof of webhooks: the providers' vectors hold, and nothing else does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../domain/json.ts';
import { alchemypay } from '../providers/alchemypay/adapter.ts';
import { banxa } from '../providers/banxa/adapter.ts';
import { coinbase } from '../providers/coinbase/adapter.ts';
import type { Adapter, Claim, Delivery } from '../providers/contract.ts';
import { BadAnswer } from '../providers/exchange.ts';
import { guardarian } from '../providers/guardarian/adapter.ts';
import { mercuryo } from '../providers/mercuryo/adapter.ts';
import { moonpay } from '../providers/moonpay/adapter.ts';
import { BUILT_IN, createOpenramp } from '../providers/openramp/adapter.ts';
import { paybis } from '../providers/paybis/adapter.ts';
import { rampnetwork } from '../providers/rampnetwork/adapter.ts';
import { stripe } from '../providers/stripe/adapter.ts';
import { swapped } from '../providers/swapped/adapter.ts';
import { topper } from '../providers/topper/adapter.ts';
import { transak } from '../providers/transak/adapter.ts';
import { isProven } from './proof.ts';
import { isSame, sign } from './sign.ts';

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
const SIGNED_AT = 1_700_000_000_000;

const MOONPAY: Vector = {
  adapter: moonpay,
  secret: 'webhookKey',
  key: 'wk_test_demo',
  header: 'moonpay-signature-v2',
  signature: 't=1700000000,s=2cff773cc3a55fe39d521e96137c7d426808ca00d86823f997f944d4be395d31',
  body: '{"type":"transaction_updated","data":{"id":"11111111-2222-4333-8444-555555555555","status":"completed"},"externalCustomerId":null}',
};

const TRANSAK: Vector = {
  adapter: transak,
  secret: 'accessToken',
  key: 'access_token_demo',
  body: '{"data":"eyJhbGciOiJIUzI1NiJ9.eyJ3ZWJob29rRGF0YSI6eyJpZCI6Im9yZC0xIiwic3RhdHVzIjoiQ09NUExFVEVEIn0sImV2ZW50SUQiOiJPUkRFUl9DT01QTEVURUQifQ.R4z6buaWQrdwD7MeBG2bnpFtXacslMfO4tlANv8KW3E"}',
};

const MERCURYO: Vector = {
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

const RAMP: Vector = {
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
const COINBASE: Vector = {
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

const TOPPER: Vector = {
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
const VECTORS: [string, Vector][] = ALL.map(one => [one.adapter.manifest.name, one]);

interface Change {
  raw?: Uint8Array;
  signature?: string | undefined;
  keys?: readonly string[];
  now?: number;
}

/** Whether a vector still holds when so much of it is changed. */
function holds(vector: Vector, change: Change = {}): boolean {
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

function deliver(raw: Uint8Array, headers: Record<string, string>): Delivery {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw);
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    // Not JSON: an adapter sees no body.
  }
  return { headers, path: '/hooks/provider', search: '', raw, text, body };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = bit >> 3;
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

describe.each(VECTORS)('a webhook of %s', (_name, vector) => {
  const raw = bytesOf(vector.body);

  it('holds as it was signed', () => {
    expect(holds(vector)).toBe(true);
  });

  it('holds with any of the values a secret has', () => {
    expect(holds(vector, { keys: ['new', vector.key] })).toBe(true);
  });

  it.each<[string, Change]>([
    ['another key', { keys: ['other'] }],
    ['a key that is longer', { keys: [`${vector.key}x`] }],
    ['an empty key', { keys: [''] }],
    ['no key', { keys: [] }],
    ['no body', { raw: new Uint8Array() }],
    ['a body cut short', { raw: raw.subarray(0, -1) }],
    ['a body with more behind it', { raw: Uint8Array.from([...raw, 0]) }],
    ['a body with a mark before it', { raw: Uint8Array.from([0xef, 0xbb, 0xbf, ...raw]) }],
    ['a body that is not UTF-8', { raw: Uint8Array.from([0xff, 0xfe, ...raw]) }],
    ['a body twice', { raw: Uint8Array.from([...raw, ...raw]) }],
  ])('does not hold with %s', (_what, change) => {
    expect(holds(vector, change)).toBe(false);
  });

  it('does not hold when a single bit of the body is changed', () => {
    const bits = Array.from({ length: raw.length * 8 }, (_, bit) => bit);
    expect(bits.filter(bit => holds(vector, { raw: flipped(raw, bit) }))).toEqual([]);
  });
});

const IN_HEADERS = VECTORS.filter(([, { signature }]) => signature !== undefined);

describe.each(IN_HEADERS)('the signature of %s', (_name, vector) => {
  it('does not hold when a single bit of it is changed', () => {
    const signature = bytesOf(vector.signature ?? '');
    const text = (bit: number) => new TextDecoder('latin1').decode(flipped(signature, bit));
    const bits = Array.from({ length: signature.length * 8 }, (_, bit) => bit);
    expect(bits.filter(bit => holds(vector, { signature: text(bit) }))).toEqual([]);
  });

  it.each<[string, (signature: string) => string | undefined]>([
    ['not there', () => undefined],
    ['empty', () => ''],
    ['cut short', signature => signature.slice(0, -1)],
    ['longer', signature => `${signature}0`],
    ['in capitals', signature => signature.toUpperCase()],
    ['behind a space', signature => ` ${signature}`],
    ['before a line break', signature => `${signature}\n`],
    ['there twice', signature => `${signature}, ${signature}`],
    ['there a thousand times', signature => Array(1_000).fill(signature).join(',')],
    ['nothing but zeros', signature => signature.replace(/[0-9a-f]{64}$|[\w+/-]{22,}/, zeros)],
  ])('does not hold when it is %s', (_what, change) => {
    expect(holds(vector, { signature: change(vector.signature ?? '') })).toBe(false);
  });
});

function zeros(text: string): string {
  return '0'.repeat(text.length);
}

describe.each(VECTORS)('whatever comes to the hook of %s', (_name, { adapter, header, body }) => {
  const { webhook } = adapter;
  const anyHeader = fc.oneof(fc.string(), fc.stringMatching(/^t=\d{1,15},s=[0-9a-f]{60,70}$/));

  it('is looked at without a failure, and claims little', () => {
    const anyBody = fc.oneof(
      fc.uint8Array(),
      fc.json().map(bytesOf),
      fc.mixedCase(fc.constant(body)).map(bytesOf),
    );
    fc.assert(
      fc.property(anyBody, anyHeader, (raw, value) => {
        const claims = webhook?.claims(deliver(raw, header ? { [header]: value } : {}));
        expect(claims?.length).toBeLessThanOrEqual(2);
      }),
    );
  });

  it('is read, or said to be unreadable', () => {
    const anything = fc.jsonValue();
    const anyOrder = fc.record(
      { id: anything, status: anything, type: anything, data: anything },
      { requiredKeys: [] },
    );
    const anyEvent = fc.record({
      type: fc.constant('transaction_updated'),
      data: fc.oneof(anything, anyOrder),
    });
    fc.assert(
      fc.property(fc.oneof(anything, anyOrder, anyEvent), said => {
        const text = JSON.stringify(adapter === transak ? { data: jwtOf({ alg: 'HS256' }, said) } : said);
        try {
          expect(Array.isArray(webhook?.read(deliver(bytesOf(text), {})))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(BadAnswer);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function jwtOf(header: unknown, payload: unknown): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${sign('hmac-sha256-base64url', TRANSAK.key, signed)}`;
}

describe('the moment MoonPay signed', () => {
  const header = (t: string) => `t=${t},s=${sign('hmac-sha256-hex', MOONPAY.key, `${t}.${MOONPAY.body}`)}`;
  const seconds = SIGNED_AT / 1000;

  it.each([-300, -299, 0, 299, 300])('may be %i seconds from now', by => {
    expect(holds(MOONPAY, { signature: header(`${seconds + by}`) })).toBe(true);
  });

  it.each([-100_000_000, -301, 301, 100_000_000])('may not be %i seconds from now', by => {
    expect(holds(MOONPAY, { signature: header(`${seconds + by}`) })).toBe(false);
  });

  it('is a part of what was signed', () => {
    expect(holds(MOONPAY, { signature: header(`${seconds}`).replace('t=1700000000', 't=1700000001') })).toBe(
      false,
    );
  });

  // Each of them signed with the right key, so that only its form is against it.
  it.each([
    ['milliseconds', `${SIGNED_AT}`],
    ['negative', `-${seconds}`],
    ['a fraction', `${seconds}.5`],
    ['with an exponent', '17e8'],
    ['hexadecimal', '0x6553f100'],
    ['signed', `+${seconds}`],
    ['not a number', 'NaN'],
    ['not there', ''],
    ['blank', ' '],
    ['in other digits', '١٧٠٠٠٠٠٠٠٠'],
  ])('counts for nothing when it is %s', (_what, t) => {
    expect(holds(MOONPAY, { signature: header(t) })).toBe(false);
  });

  it.each([
    ['the moment twice', (good: string) => `t=1700000000,${good}`],
    ['the signature twice', (good: string) => `${good},${good.split(',')[1]}`],
    [
      'a thousand signatures, the right one among them',
      (good: string) => {
        const [t, s] = good.split(',');
        return [t, ...Array(999).fill(`s=${'0'.repeat(64)}`), s].join(',');
      },
    ],
    ['both the other way round', (good: string) => good.split(',').reverse().join(',')],
    ['only the moment', (good: string) => good.split(',')[0]],
    ['only the signature', (good: string) => good.split(',')[1]],
    ['a longer text', (good: string) => `${good},${'x'.repeat(100_000)}`],
  ])('counts for nothing when the header has %s', (_what, change) => {
    expect(holds(MOONPAY, { signature: change(header(`${seconds}`)) })).toBe(false);
  });
});

describe('bytes that are not text', () => {
  // Both of them read as the same text: only the bytes tell them apart.
  const [one, other] = [Uint8Array.from([0x7b, 0xff, 0x7d]), Uint8Array.from([0x7b, 0xfe, 0x7d])];

  it.each([
    ['MoonPay', MOONPAY, `t=1700000000,s=${sign('hmac-sha256-hex', MOONPAY.key, ['1700000000.', one])}`],
    ['Mercuryo', MERCURYO, sign('hmac-sha256-hex', MERCURYO.key, [one])],
  ])('are held against the signature of %s as they came', (_name, vector, signature) => {
    expect(holds(vector, { raw: one, signature })).toBe(true);
    expect(holds(vector, { raw: other, signature })).toBe(false);
  });
});

describe('a body of Mercuryo with white space', () => {
  const spaced = bytesOf(JSON.stringify(JSON.parse(MERCURYO.body), null, 1));

  it('holds when it was signed without it, as one of their pages has it', () => {
    expect(holds(MERCURYO, { raw: spaced })).toBe(true);
  });

  it('holds when it was signed as it is, as the other has it', () => {
    expect(holds(MERCURYO, { raw: spaced, signature: sign('hmac-sha256-hex', MERCURYO.key, [spaced]) })).toBe(
      true,
    );
  });

  it('does not hold when more than white space was changed', () => {
    const text = new TextDecoder().decode(spaced).replace('100.00', '900.00');
    expect(holds(MERCURYO, { raw: bytesOf(text) })).toBe(false);
  });
});

describe('a body of Ramp Network in another order', () => {
  const other = (text: string) => holds(RAMP, { raw: bytesOf(text) });

  it('holds when it says the same', () => {
    const { purchase, type } = JSON.parse(RAMP.body);
    const turned = { type, purchase: Object.fromEntries(Object.entries(purchase).reverse()) };
    expect(other(JSON.stringify(turned))).toBe(true);
    expect(other(JSON.stringify(turned, null, 2))).toBe(true);
  });

  it.each([
    ['a key more', RAMP.body.replace('{"purchase"', '{"mode":"OFFRAMP","purchase"')],
    ['a key less', RAMP.body.replace('"fiatCurrency":"EUR",', '')],
    ['a key twice', RAMP.body.replace('"type"', '"type":"CREATED","type"')],
    ['a number as a text', RAMP.body.replace('100', '"100"')],
    ['a number in other digits', RAMP.body.replace('100', '100.0')],
    ['another number', RAMP.body.replace('100', '1000')],
  ])('does not hold with %s', (_what, text) => {
    expect(text).not.toBe(RAMP.body);
    expect(other(text)).toBe(false);
  });
});

describe('both signatures of Coinbase', () => {
  const V0 = 'b8d4eabac9df3d301a2a0628730aa0fffc480f75140630a5ae4c95b9a07dfdf1';
  const [t, ...second] = (COINBASE.signature ?? '').split(',');

  it('hold together, and the first one alone', () => {
    expect(holds(COINBASE, { signature: [t, `v0=${V0}`, ...second].join(',') })).toBe(true);
    expect(holds(COINBASE, { signature: `${t},v0=${V0}` })).toBe(true);
  });

  it.each([
    ['the first one is wrong', [t, `v0=${'0'.repeat(64)}`, ...second]],
    ['they change places', [t, ...second, `v0=${V0}`]],
    ['they are exchanged', [t, `v0=${second[1]?.slice(3)}`, second[0], `v1=${V0}`]],
    ['the headers are other ones', [t, 'h=content-type x-event-id', second[1]]],
    ['the headers are in another order', [t, 'h=x-event-id content-type x-event-type', second[1]]],
    ['a header is not there', [t, 'h=content-type x-event-id x-event-kind', second[1]]],
    ['the moment is another one', ['t=1760000001', `v0=${V0}`]],
  ])('do not hold when %s', (_what, parts) => {
    expect(holds(COINBASE, { signature: parts.join(',') })).toBe(false);
  });

  it.each([-301, 301])('do not hold %i seconds away', by => {
    expect(holds(COINBASE, { now: (COINBASE.at ?? 0) + by * 1000 })).toBe(false);
  });
});

describe('a detached token of Topper', () => {
  const OURS =
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN7EPyA5xKotOJJJCrW31PnAq61rsgjyIilIQTdzpnZahRANCAATh8MKhZaZJiHWv536t+RSdE2Hcw5ySLb3iLVBCEJNV1puCTIuzHiba4sz24aKoFqeCm7jGZQ1wsZW6LM5pV31z';
  const part = (text: string) => Buffer.from(text).toString('base64url');
  const make = (header: object) => {
    const head = part(JSON.stringify(header));
    return `${head}..${sign('es256-base64url', OURS, `${head}.${part(TOPPER.body)}`)}`;
  };
  const keys = [OURS];

  it('holds with other harmless words in its header', () => {
    expect(holds(TOPPER, { keys, signature: make({ alg: 'ES256' }) })).toBe(true);
    expect(holds(TOPPER, { keys, signature: make({ typ: 'JWT', alg: 'ES256', kid: 'x' }) })).toBe(true);
  });

  it.each([
    { alg: 'none' },
    { alg: 'es256' },
    { alg: 'HS256' },
    { alg: ['ES256'] },
    { alg: 'ES256', crit: ['exp'] },
    { alg: 'ES256', b64: false },
    {},
    [],
  ])('does not hold with the header %j, though the signature is right', header => {
    expect(holds(TOPPER, { keys, signature: make(header) })).toBe(false);
  });

  it('does not hold when it brings its body along', () => {
    const attached = (TOPPER.signature ?? '').replace('..', `.${part(TOPPER.body)}.`);
    expect(holds(TOPPER, { signature: attached })).toBe(false);
  });

  it('does not hold when the public key was used as a secret', () => {
    const head = part('{"alg":"ES256"}');
    const forged = sign('hmac-sha256-base64url', TOPPER.key, `${head}.${part(TOPPER.body)}`);
    expect(holds(TOPPER, { signature: `${head}..${forged}` })).toBe(false);
  });
});

describe('a token of Transak', () => {
  const make = (header: object) => {
    const payload = { webhookData: { id: 'ord-1', status: 'COMPLETED' } };
    return bytesOf(JSON.stringify({ data: jwtOf(header, payload) }));
  };

  it('holds with other harmless words in its header', () => {
    expect(holds(TRANSAK, { raw: make({ typ: 'JWT', alg: 'HS256' }) })).toBe(true);
  });

  it.each([
    { alg: 'none' },
    { alg: 'hs256' },
    { alg: 'HS512' },
    { alg: 'RS256' },
    { alg: ['HS256'] },
    { alg: 'HS256', crit: ['exp'] },
    { alg: 'HS256', crit: null },
    {},
    [],
  ])('does not hold with the header %j, though the signature is right', header => {
    expect(holds(TRANSAK, { raw: make(header) })).toBe(false);
  });

  it('does not hold when it is longer than any of theirs', () => {
    expect(holds(TRANSAK, { raw: make({ alg: 'HS256', x: 'x'.repeat(65_536) }) })).toBe(false);
  });
});

describe('webhooks of Guardarian', () => {
  const body = '{"requesterType":"EXCHANGE","version":"1.0","payload":{"id":5808727624,"status":"finished"}}';

  it('prove nothing, whatever they come with', () => {
    const anyHeaders = fc.dictionary(fc.string(), fc.string());
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.constant(body)), anyHeaders, (text, headers) => {
        expect(guardarian.webhook?.claims(deliver(bytesOf(text), headers))).toEqual([]);
        expect(guardarian.webhook?.hints?.(deliver(bytesOf(text), headers)).length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('claims', () => {
  const claim: Claim = {
    how: 'hmac-sha256-hex',
    secret: 'key',
    signed: ['text'],
    signature: sign('hmac-sha256-hex', 'k', 'text'),
  };
  const options = { now: SIGNED_AT, secrets: () => ['k'] };
  const wrong: Claim = { ...claim, signature: '0'.repeat(64) };

  it('prove nothing when there are none', () => {
    expect(isProven([], options)).toBe(false);
  });

  it('prove by any one of them', () => {
    expect(isProven([wrong, claim], options)).toBe(true);
    expect(isProven([wrong, wrong], options)).toBe(false);
  });

  it('prove nothing when there are a thousand, though one is right', () => {
    expect(isProven([...Array<Claim>(999).fill(wrong), claim], options)).toBe(false);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'prove nothing at the moment %d',
    at => {
      expect(isProven([{ ...claim, at }], options)).toBe(false);
    },
  );
});

describe.each(['hmac-sha256-hex', 'hmac-sha256-base64', 'hmac-sha256-base64url'] as const)('%s', how => {
  const claimOf = (raw: Uint8Array, signature: string): Claim => ({
    how,
    secret: '',
    signed: [raw],
    signature,
  });
  const options = { now: SIGNED_AT, secrets: () => ['key'] };

  it('holds for any bytes, and for none that differ from them in a single bit', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (raw, any) => {
        const signature = sign(how, 'key', [raw]);
        expect(isProven([claimOf(raw, signature)], options)).toBe(true);
        expect(isProven([claimOf(flipped(raw, any % (raw.length * 8)), signature)], options)).toBe(false);
        const bit = any % (signature.length * 8);
        const changed = new TextDecoder('latin1').decode(flipped(bytesOf(signature), bit));
        expect(isProven([claimOf(raw, changed)], options)).toBe(false);
      }),
    );
  });
});

describe('comparing', () => {
  it('tells the same from all else, whatever the lengths', () => {
    expect(isSame('', '')).toBe(true);
    expect(isSame('abc', 'abc')).toBe(true);
    expect(isSame('abc', 'abd')).toBe(false);
    expect(isSame('abc', 'abc\0')).toBe(false);
    expect(isSame('', 'a')).toBe(false);
  });
});
