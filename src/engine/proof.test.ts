/** Proof of webhooks: the providers' vectors hold, and nothing else does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytesOf,
  type Change,
  deliver,
  flipped,
  holds,
  jwtOf,
  SIGNED_AT,
  VECTORS,
} from '../../test/proof-vectors.ts';
import type { Claim } from '../providers/contract.ts';
import { BadAnswer } from '../providers/exchange.ts';
import { transak } from '../providers/transak/adapter.ts';
import { isProven } from './proof.ts';
import { isSame, sign } from './sign.ts';

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
