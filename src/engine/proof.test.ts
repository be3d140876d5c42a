/** Proof of webhooks: the providers' vectors hold, and nothing else does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../domain/json.ts';
import { type Adapter, BadAnswer, type Claim, type Delivery } from '../providers/contract.ts';
import { mercuryo } from '../providers/mercuryo/adapter.ts';
import { moonpay } from '../providers/moonpay/adapter.ts';
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
  body: string;
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

const VECTORS: [string, Vector][] = [MOONPAY, TRANSAK, MERCURYO].map(one => [one.adapter.manifest.name, one]);

interface Change {
  raw?: Uint8Array;
  signature?: string | undefined;
  keys?: readonly string[];
  now?: number;
}

/** Whether a vector still holds when so much of it is changed. */
function holds(vector: Vector, change: Change = {}): boolean {
  const { raw = bytesOf(vector.body), keys = [vector.key], now = SIGNED_AT } = change;
  const signature = 'signature' in change ? change.signature : vector.signature;
  const headers = vector.header && signature !== undefined ? { [vector.header]: signature } : {};
  const claims = vector.adapter.webhook?.claims(deliver(raw, headers)) ?? [];
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
    ['nothing but zeros', signature => signature.replace(/[0-9a-f]{64}$/, '0'.repeat(64))],
  ])('does not hold when it is %s', (_what, change) => {
    expect(holds(vector, { signature: change(vector.signature ?? '') })).toBe(false);
  });
});

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
        const text = JSON.stringify(header ? said : { data: jwtOf({ alg: 'HS256' }, said) });
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
