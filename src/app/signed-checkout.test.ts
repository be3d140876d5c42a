/** Signed checkouts: what the account signed goes through, and nothing that differs from it in any way. */
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../domain/fault.ts';
import type { Signer } from '../store/accounts.ts';
import type { Account } from './accounts.ts';
import { createSeal } from './seal.ts';
import { createSignedCheckouts, type SentSignature, type SignedFields } from './signed-checkout.ts';

/** The vector of docs/signed-checkout.md. */
const SECRET = 'ss_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const TIMESTAMP = 1_767_225_600;
const FIELDS: SignedFields = {
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
const CONTENT =
  'amount=100.50&destination=xrp&network=ripple&nonce=01JGFJJZ00ABCDEFGHJKMNPQRS&onramp=moonpay' +
  '&partnerContext=order%207%2F%C3%A4%26b&paymentMethod=creditcard' +
  '&redirect=https%253A%252F%252Fshop.example%252Fdone%253Forder%253D7&source=eur&timestamp=1767225600' +
  '&type=buy&wallet=rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:12345';
const HMAC = '802f5c5bd9124d2c921f6fc1006c18df6dacade3780df1d3045ce3811499af03';
/** The key of RFC 8032, 7.1, test 1. */
const PRIVATE_KEY = createPrivateKey({
  key: Buffer.from(
    '302e020100300506032b6570042204209d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'hex',
  ),
  format: 'der',
  type: 'pkcs8',
});
const PUBLIC_KEY = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const ED25519 =
  'ed25519:DLFPA9F8/B/N3IDnFBu8mWb5TOcEBwf8H1a1pV/s8rGV3Hct5tPUV0P4qyEodePx+NK++sr0zYp0usaysxiQBw==';
const NONCE = '01JGFJJZ00ABCDEFGHJKMNPQRS';

const seal = createSeal(Buffer.alloc(32, 7), 'account-signers');
const hmacSigner = (id: string, secret: string): Signer => ({
  id,
  kind: 'hmac',
  material: seal.close(secret, id),
});
const SIGNERS: Signer[] = [
  hmacSigner('s1', SECRET),
  { id: 's2', kind: 'ed25519', material: PUBLIC_KEY },
  hmacSigner('s3', `${SECRET}-next`),
];

const accountOf = (signedCheckouts: boolean, signers: readonly Signer[]) =>
  ({ signedCheckouts, signers }) as unknown as Account;
const STRICT = accountOf(true, SIGNERS);

/** Undefined when it goes through; else what is said. Anything but the one refusal fails the test. */
function refusal(sent: SentSignature, { fields = FIELDS, account = STRICT, at = TIMESTAMP * 1_000 } = {}) {
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

const hmac = (content: string, secret = SECRET) => createHmac('sha256', secret).update(content).digest('hex');
const ed25519 = (content: string, key = PRIVATE_KEY) =>
  `ed25519:${sign(null, Buffer.from(content), key).toString('base64')}`;
/** A text with both signatures that are right for it. */
const bothOf = (signContent: string): SentSignature[] => [
  { signContent, signature: hmac(signContent) },
  { signContent, signature: ed25519(signContent) },
];
const signed = (signContent = CONTENT) => ({ signContent, signature: hmac(signContent) });

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
