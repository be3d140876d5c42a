/** Signed checkouts: what the account signed goes through, and nothing that differs from it in any way. */
import { createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bothOf,
  CONTENT,
  ED25519,
  ed25519,
  FIELDS,
  HMAC,
  hmac,
  NONCE,
  PRIVATE_KEY,
  PUBLIC_KEY,
  refusal,
  STRICT,
  seal,
  signed,
  TIMESTAMP,
} from '../../test/signed-checkouts.ts';
import { createSignedCheckouts, type SignedFields } from './signed-checkout.ts';

describe('the vector', () => {
  it('is signed as documented', () => {
    expect(hmac(CONTENT)).toBe(HMAC);
    expect(ed25519(CONTENT)).toBe(ED25519);
    const raw = createPublicKey(PRIVATE_KEY).export({ format: 'der', type: 'spki' }).subarray(12);
    expect(raw.toString('base64')).toBe(PUBLIC_KEY);
  });

  it.each([HMAC, ED25519])('goes through with %s, and gives its nonce', signature => {
    const checkouts = createSignedCheckouts({ seal, now: () => TIMESTAMP * 1_000 });
    expect(checkouts.check(STRICT, FIELDS, { signContent: CONTENT, signature })).toEqual({ nonce: NONCE });
  });
});

describe('whatever is sent', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 });
  const maybe = fc.option(text, { nil: undefined });
  const anyFields: fc.Arbitrary<SignedFields> = fc.record({
    amount: maybe,
    destination: maybe,
    network: maybe,
    onramp: maybe,
    partnerContext: maybe,
    paymentMethod: maybe,
    redirect: maybe,
    source: maybe,
    type: maybe,
    wallet: fc.option(fc.record({ address: maybe, memo: maybe }), { nil: undefined }),
  });
  /** The canonical text as its rules say, written a second time. */
  const contentOf = ({ wallet, ...rest }: SignedFields) => {
    const all: Record<string, string | undefined> = { ...rest, nonce: NONCE, timestamp: String(TIMESTAMP) };
    const names =
      'amount destination network nonce onramp partnerContext paymentMethod redirect source timestamp type';
    const pairs = names.split(' ').map(name => `${name}=${encodeURIComponent(all[name] ?? '')}`);
    const memo = wallet?.memo === undefined ? '' : `:${encodeURIComponent(wallet.memo)}`;
    return `${pairs.join('&')}&wallet=${encodeURIComponent(wallet?.address ?? '')}${memo}`;
  };

  it('goes through when it is what was signed', () => {
    fc.assert(
      fc.property(anyFields, fields => {
        for (const sent of bothOf(contentOf(fields))) expect(refusal(sent, { fields })).toBeUndefined();
      }),
    );
  });

  it('does not go through when it is anything else', () => {
    const told = ({ wallet, ...rest }: SignedFields) =>
      JSON.stringify([
        Object.entries(rest)
          .filter(([, value]) => value)
          .sort(),
        wallet?.address ?? '',
        wallet?.memo ?? null,
      ]);
    fc.assert(
      fc.property(anyFields, anyFields, (meant, fields) => {
        fc.pre(told(meant) !== told(fields));
        expect(refusal(signed(contentOf(meant)), { fields })).toBeDefined();
      }),
    );
  });
});

describe('a body that was altered', () => {
  const wallet = FIELDS.wallet ?? {};
  const altered: [string, SignedFields][] = [
    ...(Object.keys(FIELDS) as (keyof SignedFields)[])
      .filter(name => name !== 'wallet')
      .flatMap((name): [string, SignedFields][] => [
        [`${name} changed`, { ...FIELDS, [name]: `${FIELDS[name]}0` }],
        [`${name} left out`, { ...FIELDS, [name]: undefined }],
        [`${name} emptied`, { ...FIELDS, [name]: '' }],
        [`${name} with a blank`, { ...FIELDS, [name]: `${FIELDS[name]} ` }],
        [`${name} in capitals`, { ...FIELDS, [name]: `${FIELDS[name]}a`.toUpperCase() }],
      ]),
    ['amount of the same value', { ...FIELDS, amount: '100.5' }],
    ['amount with an exponent', { ...FIELDS, amount: '1.005e2' }],
    ['currencies swapped', { ...FIELDS, source: 'xrp', destination: 'eur' }],
    ['redirect decoded', { ...FIELDS, redirect: 'https://shop.example/done?order=7' }],
    ['context decomposed', { ...FIELDS, partnerContext: 'order 7/a\u0308&b' }],
    ['context encoded', { ...FIELDS, partnerContext: 'order%207%2F%C3%A4%26b' }],
    ['address changed', { ...FIELDS, wallet: { ...wallet, address: 'rMine' } }],
    [
      'address in small letters',
      { ...FIELDS, wallet: { ...wallet, address: wallet.address?.toLowerCase() } },
    ],
    ['memo changed', { ...FIELDS, wallet: { ...wallet, memo: '12346' } }],
    ['memo left out', { ...FIELDS, wallet: { address: wallet.address } }],
    ['memo emptied', { ...FIELDS, wallet: { ...wallet, memo: '' } }],
    ['memo moved into the address', { ...FIELDS, wallet: { address: `${wallet.address}:12345` } }],
    ['address moved into the memo', { ...FIELDS, wallet: { address: 'rEb8TK3', memo: 'gBgk5:12345' } }],
    ['wallet left out', { ...FIELDS, wallet: undefined }],
    ['a lone surrogate', { ...FIELDS, partnerContext: 'order 7/\ud800' }],
  ];

  it.each(altered)('is refused: %s', (_what, fields) => {
    for (const sent of bothOf(CONTENT)) expect(refusal(sent, { fields })).toBeDefined();
  });
});

describe('a text that is not the canonical one', () => {
  const texts: [string, string][] = [
    ['a plus for a blank', CONTENT.replace('%20', '+')],
    ['small hex digits', CONTENT.replace('%2F%C3%A4', '%2f%c3%a4')],
    ['a letter encoded', CONTENT.replace('source=eur', 'source=%65ur')],
    ['a slash left as it is', CONTENT.replace('%2F%C3', '/%C3')],
    ['the colon encoded', CONTENT.replace(':12345', '%3A12345')],
    ['encoded twice', encodeURIComponent(CONTENT)],
    ['another order', CONTENT.split('&').reverse().join('&')],
    ['a name twice', `${CONTENT}&wallet=rMine`],
    ['a name twice, the first one other', `amount=1&${CONTENT}`],
    ['a second nonce', CONTENT.replace('&onramp', '&nonce=BBBBBBBBBBBBBBBBBBBBBBBBBB&onramp')],
    ['a second timestamp', CONTENT.replace('&type', '&timestamp=1767225601&type')],
    ['a name left out', CONTENT.replace('&network=ripple', '')],
    ['a name more', CONTENT.replace('&onramp', '&note=x&onramp')],
    ['a name in capitals', CONTENT.replace('source=', 'SOURCE=')],
    ['an ampersand at the end', `${CONTENT}&`],
    ['a newline at the end', `${CONTENT}\n`],
    ['a question mark before it', `?${CONTENT}`],
    ['a byte order mark before it', `\ufeff${CONTENT}`],
    ['semicolons', CONTENT.replaceAll('&', ';')],
    ['JSON', JSON.stringify({ ...FIELDS, nonce: NONCE, timestamp: TIMESTAMP })],
    ['nothing', ''],
    ['far too much', CONTENT.replace('order', 'o'.repeat(20_000))],
    ['no nonce', CONTENT.replace(NONCE, '')],
    ['a nonce of 15', CONTENT.replace(NONCE, 'A'.repeat(15))],
    ['a nonce of 65', CONTENT.replace(NONCE, 'A'.repeat(65))],
    ['a nonce with other characters', CONTENT.replace(NONCE, 'AAAAAAAAAAAAAAAA%20')],
    ['no timestamp', CONTENT.replace(String(TIMESTAMP), '')],
    ['a timestamp in milliseconds', CONTENT.replace(String(TIMESTAMP), `${TIMESTAMP}000`)],
    ['a timestamp with a fraction', CONTENT.replace(String(TIMESTAMP), `${TIMESTAMP}.0`)],
    ['a negative timestamp', CONTENT.replace(String(TIMESTAMP), `-${TIMESTAMP}`)],
    ['a timestamp with a nought before it', CONTENT.replace(String(TIMESTAMP), `0${TIMESTAMP}`)],
    ['a timestamp in other digits', CONTENT.replace(String(TIMESTAMP), '१७६७२२५६००')],
  ];

  it.each(texts)('is refused though it is signed: %s', (_what, content) => {
    expect(content).not.toBe(CONTENT);
    for (const sent of bothOf(content)) expect(refusal(sent)).toBeDefined();
  });

  it.each(['A'.repeat(16), 'z_-9'.repeat(16)])('goes through with the nonce %s', nonce => {
    expect(refusal(signed(CONTENT.replace(NONCE, nonce)))).toBeUndefined();
  });
});

describe('the time', () => {
  it.each([-300_000, -299_000, 0, 299_000, 300_000])('may be %i ms off', off => {
    expect(refusal(signed(), { at: TIMESTAMP * 1_000 + off })).toBeUndefined();
  });

  it.each([-86_400_000, -301_000, -300_001, 300_001, 301_000, 86_400_000])('may not be %i ms off', off => {
    expect(refusal(signed(), { at: TIMESTAMP * 1_000 + off })).toBeDefined();
  });

  it('is all that is wrong with what is stale: anything else is refused for good, and in the same words', () => {
    const later = createSignedCheckouts({ seal, now: () => TIMESTAMP * 1_000 + 300_001 });
    const { nonce, stale } = later.check(STRICT, FIELDS, signed()) ?? {};
    expect([nonce, stale?.kind]).toEqual([NONCE, 'forbidden']);
    for (const sent of [
      { signContent: CONTENT, signature: hmac(CONTENT, 'ss_other') },
      { signContent: CONTENT, signature: ED25519.replace('DLFP', 'DLFQ') },
      signed(CONTENT.replace('amount=100.50', 'amount=100.5')),
    ])
      expect(() => later.check(STRICT, FIELDS, sent)).toThrow(stale?.message);
  });
});
