/** What is peculiar to one provider's way of proving a webhook. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytesOf,
  COINBASE,
  deliver,
  holds,
  jwtOf,
  MERCURYO,
  MOONPAY,
  RAMP,
  SIGNED_AT,
  TOPPER,
  TRANSAK,
} from '../../test/proof-vectors.ts';
import { guardarian } from '../providers/guardarian/adapter.ts';
import { sign } from './sign.ts';

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

  it('hold together, and either one alone', () => {
    expect(holds(COINBASE, { signature: [t, `v0=${'0'.repeat(64)}`, ...second].join(',') })).toBe(true);
    expect(holds(COINBASE, { signature: [t, `v0=${V0}`, ...second].join(',') })).toBe(true);
    expect(holds(COINBASE, { signature: `${t},v0=${V0}` })).toBe(true);
  });

  it.each([
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
