/** Keys of signed checkouts: whose signature counts, how it is written, and who has to sign at all. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  accountOf,
  bothOf,
  CONTENT,
  ED25519,
  ed25519,
  FIELDS,
  HMAC,
  hmac,
  hmacSigner,
  NONCE,
  PUBLIC_KEY,
  refusal,
  SECRET,
  SIGNERS,
  seal,
  signed,
  TIMESTAMP,
} from '../../test/signed-checkouts.ts';
import { createSignedCheckouts } from './signed-checkout.ts';

describe('a signature', () => {
  it('may be of any key the account has, during a rotation too', () => {
    expect(refusal({ signContent: CONTENT, signature: hmac(CONTENT, `${SECRET}-next`) })).toBeUndefined();
  });

  const { privateKey } = generateKeyPairSync('ed25519');
  const foreign = [hmac(CONTENT, 'ss_other'), ed25519(CONTENT, privateKey)];

  it('of another key or another account is refused', () => {
    for (const signature of foreign) expect(refusal({ signContent: CONTENT, signature })).toBeDefined();
    const other = accountOf(true, [hmacSigner('s9', 'ss_other')]);
    for (const sent of bothOf(CONTENT)) expect(refusal(sent, { account: other })).toBeDefined();
  });

  it('of a key that was taken away is refused', () => {
    const [, ...rest] = SIGNERS;
    expect(refusal(signed(), { account: accountOf(true, rest) })).toBeDefined();
  });

  it('of a secret that was moved to another signer is refused', () => {
    const moved = SIGNERS.map(signer => ({ ...signer, id: `${signer.id}x` })).slice(0, 1);
    expect(refusal(signed(), { account: accountOf(true, moved) })).toBeDefined();
  });

  it.each([
    ['nothing', ''],
    ['in capitals', HMAC.toUpperCase()],
    ['in base64', Buffer.from(HMAC, 'hex').toString('base64')],
    ['with a name before it', `sha256=${HMAC}`],
    ['cut short', HMAC.slice(0, -1)],
    ['too long', `${HMAC}0`],
    ['with a newline', `${HMAC}\n`],
    ['twice', `${HMAC},${HMAC}`],
    ['of the secret without its prefix', hmac(CONTENT, SECRET.slice(3))],
    [
      'of the bytes of the secret',
      createHmac('sha256', Buffer.from(SECRET.slice(3), 'base64url'))
        .update(CONTENT)
        .digest('hex'),
    ],
    ['keyed with the public key', hmac(CONTENT, PUBLIC_KEY)],
    ['keyed with the sealed secret', hmac(CONTENT, SIGNERS[0]?.material)],
    ['keyed with nothing', hmac(CONTENT, '')],
    ['Ed25519 without its name', ED25519.slice(8)],
    ['Ed25519 in capitals', ED25519.replace('ed25519', 'ED25519')],
    ['Ed25519 in base64url', ED25519.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')],
    ['Ed25519 without padding', ED25519.replaceAll('=', '')],
    [
      'Ed25519 with other bits in the padding',
      ED25519.replace(/.==$/, last => `${last[0] === 'B' ? 'A' : 'B'}==`),
    ],
    ['Ed25519 of nothing', `ed25519:${'A'.repeat(86)}==`],
    ['Ed25519 of 63 bytes', `ed25519:${'A'.repeat(84)}`],
    ['Ed25519 of 1 MB', `ed25519:${'A'.repeat(1_000_000)}`],
  ])('is refused: %s', (_what, signature) => {
    expect(refusal({ signContent: CONTENT, signature })).toBeDefined();
  });

  it('is refused with any character of it changed', () => {
    for (const good of [HMAC, ED25519]) {
      const accepted = [...good].filter((char, at) => {
        const altered = good.slice(0, at) + (char === '0' ? '1' : '0') + good.slice(at + 1);
        return refusal({ signContent: CONTENT, signature: altered }) === undefined;
      });
      expect(accepted).toEqual([]);
    }
  });
});

describe('who has to sign', () => {
  const none = createSignedCheckouts({ seal, now: () => TIMESTAMP * 1_000 });

  it('is an account that asks for it, with both fields', () => {
    const { signContent, signature } = signed();
    for (const sent of [{}, { signContent }, { signature }]) expect(refusal(sent)).toBeDefined();
  });

  it('is nobody else; a signature that is sent counts all the same where there are keys', () => {
    const lax = accountOf(false, SIGNERS);
    expect(none.check(lax, FIELDS, {})).toBeUndefined();
    expect(none.check(lax, FIELDS, signed())).toEqual({ nonce: NONCE });
    for (const sent of [
      { signContent: CONTENT },
      { signature: HMAC },
      { signContent: CONTENT, signature: 'x' },
    ])
      expect(refusal(sent, { account: lax })).toBeDefined();
  });

  it('is nobody where there are no keys, unless signatures are asked for: then nothing goes through', () => {
    expect(none.check(accountOf(false, []), FIELDS, { signature: 'x' })).toBeUndefined();
    for (const sent of [{}, signed()]) expect(refusal(sent, { account: accountOf(true, []) })).toBeDefined();
  });
});

it('says the same whatever is wrong, and nothing of what would be right', () => {
  const said = new Set([
    refusal({}),
    refusal({ signContent: CONTENT, signature: hmac(CONTENT, 'other') }),
    refusal(signed(CONTENT.replace('eur', 'usd'))),
    refusal(signed(), { at: 0 }),
    refusal(signed(), { fields: { ...FIELDS, partnerContext: '\udc00' } }),
  ]);
  expect(said.size).toBe(1);
  expect([...said].join()).not.toMatch(/[0-9a-f]{16}|amount=|rEb8|ss_/);
});
