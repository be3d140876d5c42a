/** Signatures with two keys: the providers' vectors hold, whatever a key is spelled like, and nothing else does. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signRaw,
} from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SignatureKind } from '../providers/exchange.ts';
import { isSigned, sign } from './sign.ts';

const encode = (text: string) => Buffer.from(text).toString('base64url');

const COINBASE_SECRET =
  'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyB5tVYuj+ZU+UB4sRLoqYunkB+FOuaVvtfg45ELrQSWZA==';

interface SigningVector {
  what: string;
  how: SignatureKind;
  privateKey: string;
  text: string;
  signature: string;
}

/** Kinds that sign the same way each time. */
const SIGNING: SigningVector[] = [
  {
    what: 'a Ramp Network page',
    how: 'ed25519-base64',
    privateKey: 'MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f',
    text: 'hostApiKey=demo_key&selectedCountryCode=FR&userAddress=0x0000000000000000000000000000000000000001&enabledFlows=ONRAMP&defaultFlow=ONRAMP&inAsset=EUR&outAsset=ETH_ETH&inAssetValue=100&timestamp=1700000000000',
    signature: 'CoN7K87Rqww7hD0GSpkApCVxiNvs0uS/f1etnfIIG/3Zk+QiqtLJ0Vfq4gSdf3/9f5fdOedrniyIGuBdMns1Bw==',
  },
  {
    what: 'a Coinbase token',
    how: 'ed25519-base64url',
    privateKey: COINBASE_SECRET,
    text: [
      '{"alg":"EdDSA","kid":"00000000-0000-4000-8000-0000000000aa","typ":"JWT","nonce":"0123456789abcdef0123456789abcdef"}',
      '{"sub":"00000000-0000-4000-8000-0000000000aa","iss":"cdp","uris":["POST api.developer.coinbase.com/onramp/v1/buy/quote"],"iat":1760000000,"nbf":1760000000,"exp":1760000120}',
    ]
      .map(encode)
      .join('.'),
    signature: 'vVj5p6ee4Kt2vRE3ZyB3kGjzuaQyvCvcVLuwYgX91iSiTi8Y9iKO-TYojcv3eat_n6twXlcWQvwWcYmRtoZ9BA',
  },
];

interface ProvingVector {
  what: string;
  how: SignatureKind;
  publicKey: string;
  text: string;
  signature: string;
}

const RAMP_NETWORK: ProvingVector = {
  what: 'a Ramp Network webhook',
  how: 'secp256k1-base64',
  publicKey:
    'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE4H1R5ox+txqkvRXk+pKHdr1/YHN4yHiIwVtuCDBrycL4D+PRUrX0Edk4PKpEtLtaz8pTxMOh2rrd5wktIHW3Ow==',
  text: '{"purchase":{"asset":{"chain":"ETH","symbol":"ETH"},"fiatCurrency":"EUR","fiatValue":100,"id":"p1","status":"RELEASED"},"type":"RELEASED"}',
  signature:
    'MEUCIQDQ12EAaVboboVu6mmov4tri5dAd/GP4yCrSNhu6Zab9AIgUQkdt2xZncjL058f5QEpI7XB0CLrBZwhyX5GwVLW40w=',
};

const PAYBIS: ProvingVector = {
  what: 'a Paybis request',
  how: 'rsa-pss-sha512-digest-base64',
  publicKey:
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2y4sht6haHP0B1jiWEJhLWdZy8FudIWBeFjYBdgUlBzvZZ1DkV8gjvhRxOetL8ozJEmtZRhouCrdG4UPThcbXB29M9wAyLLmVTPcnnmyScZTP/EIuvaqawRHWzJQnllas7p4lHEF/02bYz0kUFRVkDI5qAJKOQWe4KcDcPk0IqzhkYyT2uFM6cJUE4uN1Jhl4TmyfgWvOo0C+dn34HeRoqyh9qZRELxxftwEE58/3SO68gTh3HqD+h1AxNziSpC0WDFKqGE82YiMYwxIqcwzfhIiO/+NepYViufKLOSSdQPre5Ls6NgKIKNlW4rPwodUo31hRKHA8hdnmBh6mL1QhQIDAQAB',
  text: '{"partnerUserId":"user-1","locale":"en"}',
  signature:
    'm/ZX0ABppYURVfntzCFZEZrfJn4/daYB2Z1EbXdWa4cDXaGRvi5SPWsku3Tg6J7SLWbUF5Ianq25LO5pEnJKAXoe9v6+Y//bZZ0ZL0TFNdXY1WBGVtIvc6kEglj9aGvZCW8QIebgGYrsghbslhdNlfAOPO+oki+VZ+DmByq2L4h5/Rx12T7AipsRMsick1yZZLLXWDDpEuEOZ3H9W/KMkyYZ8ai8R9D5+ih0+WCeQZI6OcSHMmG2U/+PEX07o3Q85/HuhH/aPWESEE+Gf5TB6EB7SZ+/tp2syGGVgNshH5M4RdRLK1lwQzNyHCtQH58cJBLJ4pPcNYSTKAcYMEimdg==',
};

const TOPPER: ProvingVector = {
  what: 'Topper’s documented webhook',
  how: 'es256-base64url',
  publicKey:
    '{"x":"7-INQ150R-MCWlj5X_wyGLRIRYAA-o8NakJiUq7gOGg","y":"dM-GsyJvdDOuALE3l-U9lPL8V3gY_5BPjLH539yTdKU","alg":"ES256","crv":"P-256","kid":"15a5142e-c20f-466e-8132-234dbdae97e7","kty":"EC"}',
  text: `eyJhbGciOiJFUzI1NiJ9.${encode('{"foo":"bar"}')}`,
  signature: '2H0Ypm5sVzuSpgyZySdAJan05lYxctqhmO8btghFQQzkisvSlNvNWzQ1kqTPXTLP_dR4zQZrTsSsShAK51I4EQ',
};

const GUARDARIAN: ProvingVector = {
  what: 'a Guardarian request',
  how: 'rsa-sha256-base64',
  publicKey: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwwW0XXemy1JEDjkCWawl
8SQwYEvCbEB19/BhDD3mi/ufIvjr8oll4+hVCrA2LFQWM2VAEhKZ2P3/5LwNxpts
NvC5Fpz10Gq22GosvWdviQknYC+tsiKKbzOStJh/hu3RebFH8AfdF0UO/gXA+loI
ksJsLW+G9nG7mqzj0zGkWpnU6cB0MDnKHZ876faBbSNirguEfVGDaRjx9f07S2/A
e4GOVWPjXrQucEXs1q000Z0R+two4uVumkufVxwvGDbvzqlEuVPcM0lKimcFwjN/
Gk1MMbsC/4b6BaDzzNi89jcWSh7lel5WMZCxSvr/teDCv9fJbvaYLdABkfIzvgzE
vwIDAQAB
-----END PUBLIC KEY-----`,
  text: '{"from_amount":100,"from_currency":"EUR","to_currency":"BTC","from_network":"EUR","to_network":"BTC"}',
  signature:
    'CV0JglCLDEsfLKuVbvkbf4fPtml5UmhvdR0gdGCRFSdcPbm2p2RSiUsX2GfrruKiKhsYberECPdnfdUOwpdZC88ic8B+gCN/Mm6daC+nQDh0Q4E5vCzXbemtTzBh2+ptsiIhi5eFySNjm073dCgAY0Lq054VDjSeF013EGxRX4OjClqKTeEJKgkABUCln6hl8ZiMCgCHDfoOimNzX9AHaOb6gFyHYOI4fNv8gjSri7+kNHqSwocHF5OcLvBQKZjxU+I+EP+FPXvL57WGdH9cso2UdLotc49fcBoABcpuyMtkqbfD2jpniQrjoZLHrZ8DrVn5LIm6nWfUT6WdEfmMCw==',
};

const PROVING: ProvingVector[] = [
  ...SIGNING.map(({ privateKey, ...vector }) => ({ ...vector, publicKey: privateKey })),
  RAMP_NETWORK,
  PAYBIS,
  TOPPER,
  GUARDARIAN,
];

/** Keys of every kind, made up once. */
const PAIRS = {
  ed25519: generateKeyPairSync('ed25519'),
  prime256v1: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  secp256k1: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  secp384r1: generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
type Pair = (typeof PAIRS)['rsa'];

const KINDS: [SignatureKind, keyof typeof PAIRS][] = [
  ['ed25519-base64', 'ed25519'],
  ['ed25519-base64url', 'ed25519'],
  ['es256-base64url', 'prime256v1'],
  ['secp256k1-base64', 'secp256k1'],
  ['rsa-sha256-base64', 'rsa'],
  ['rsa-pss-sha512-base64', 'rsa'],
  ['rsa-pss-sha512-digest-base64', 'rsa'],
];

const pemOf = ({ privateKey }: Pair) => privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const openPemOf = ({ publicKey }: Pair) => publicKey.export({ format: 'pem', type: 'spki' }).toString();

describe('signing with a key pair', () => {
  it.each(SIGNING)('signs $what', ({ how, privateKey, text, signature }) => {
    expect(sign(how, privateKey, text)).toBe(signature);
    expect(sign(how, privateKey, [text.slice(0, 9), Buffer.from(text.slice(9))])).toBe(signature);
  });

  it.each(PROVING)('knows $what', ({ how, publicKey, text, signature }) => {
    expect(isSigned(how, publicKey, text, signature)).toBe(true);
    expect(isSigned(how, publicKey, [text.slice(0, 9), Buffer.from(text.slice(9))], signature)).toBe(true);
  });

  it.each(PROVING)('knows $what with nothing changed in it', ({ how, publicKey, text, signature }) => {
    expect(isSigned(how, publicKey, `${text} `, signature)).toBe(false);
    expect(isSigned(how, publicKey, text.slice(1), signature)).toBe(false);
    expect(isSigned(how, publicKey, '', signature)).toBe(false);
    const bytes = Buffer.from(signature, 'base64');
    const spell = how.endsWith('url') ? 'base64url' : 'base64';
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(isSigned(how, publicKey, text, changed.toString(spell))).toBe(false);
    }
  });

  it.each(PROVING)('knows $what in one spelling only', ({ how, publicKey, text, signature }) => {
    const bytes = Buffer.from(signature, 'base64');
    const others = [
      bytes.toString(how.endsWith('url') ? 'base64' : 'base64url'),
      bytes.toString('hex'),
      ` ${signature}`,
      `${signature}\n`,
      `${signature}=`,
      signature.replace(/=+$/, ''),
      `${signature.slice(0, 8)}\n${signature.slice(8)}`,
      signature + signature,
      `${signature}!`,
      '',
    ].filter(other => other !== signature);
    expect(others.filter(other => isSigned(how, publicKey, text, other))).toEqual([]);
  });

  it.each(KINDS)('signs by %s what its public key knows', (how, curve) => {
    const signature = sign(how, pemOf(PAIRS[curve] as Pair), 'text');
    expect(isSigned(how, openPemOf(PAIRS[curve] as Pair), 'text', signature)).toBe(true);
    expect(isSigned(how, openPemOf(PAIRS[curve] as Pair), 'texu', signature)).toBe(false);
  });

  it.each(KINDS)('by %s takes no key of another kind', (how, curve) => {
    const wrong = Object.entries(PAIRS).filter(([name]) => name !== curve);
    for (const [, pair] of wrong) {
      expect(() => sign(how, pemOf(pair as Pair), 'text')).toThrow(/cannot sign/);
      expect(isSigned(how, openPemOf(pair as Pair), 'text', ownSignature(pair as Pair))).toBe(false);
    }
  });

  it('names no key when it cannot sign', () => {
    const key = pemOf(PAIRS.rsa).slice(0, -40);
    expect(() => sign('rsa-sha256-base64', key, 'text')).toThrow(
      new Error('the key cannot sign by rsa-sha256-base64'),
    );
  });
});

/** What the key signs by its own algorithm, in base64. */
function ownSignature({ privateKey }: Pair): string {
  return signRaw(
    privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256',
    Buffer.from('text'),
    privateKey,
  ).toString('base64');
}

describe('a signature in another form', () => {
  it('as DER is not one in the form of JOSE, nor the other way round', () => {
    const { privateKey } = PAIRS.prime256v1;
    const der = signRaw('sha256', Buffer.from('text'), privateKey).toString('base64url');
    expect(isSigned('es256-base64url', openPemOf(PAIRS.prime256v1 as Pair), 'text', der)).toBe(false);
    const raw = signRaw('sha256', Buffer.from('text'), {
      key: PAIRS.secp256k1.privateKey,
      dsaEncoding: 'ieee-p1363',
    }).toString('base64');
    expect(isSigned('secp256k1-base64', openPemOf(PAIRS.secp256k1 as Pair), 'text', raw)).toBe(false);
  });

  it('over the text is not one over its digest, nor the other way round', () => {
    const { how, publicKey, signature } = PAYBIS;
    const digest =
      '23e111afc05ba2f94e5f8d23e79aee76e4518ad9275c0aa3707e8fcea53cbf81cc834c40f55cd85ef961a8caa13f6265c776b2d1d1366caff10a1f411282e3af';
    expect(isSigned(how, publicKey, digest, signature)).toBe(false);
    expect(isSigned('rsa-pss-sha512-base64', publicKey, PAYBIS.text, signature)).toBe(false);
    expect(isSigned('rsa-pss-sha512-base64', publicKey, digest, signature)).toBe(true);
  });

  it('by PKCS #1 is not one by PSS, nor the other way round', () => {
    const [pem, open] = [pemOf(PAIRS.rsa), openPemOf(PAIRS.rsa)];
    expect(
      isSigned('rsa-pss-sha512-digest-base64', open, 'text', sign('rsa-sha256-base64', pem, 'text')),
    ).toBe(false);
    expect(
      isSigned('rsa-sha256-base64', open, 'text', sign('rsa-pss-sha512-digest-base64', pem, 'text')),
    ).toBe(false);
  });

  it('by a key too small for the algorithm proves nothing', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const signature = sign('rsa-sha256-base64', pemOf(small), 'text');
    expect(isSigned('rsa-pss-sha512-digest-base64', openPemOf(small), 'text', signature)).toBe(false);
    expect(() => sign('rsa-pss-sha512-digest-base64', pemOf(small), 'text')).toThrow();
  });
});

describe('a key', () => {
  const spellings = (key: KeyObject, type: 'sec1' | 'pkcs8' | 'pkcs1'): [string, string][] => {
    const pem = key.export({ format: 'pem', type } as { format: 'pem'; type: 'pkcs8' }).toString();
    return [
      ['PEM', pem],
      ['PEM without its last line end', pem.trim()],
      ['PEM with its line ends spelled out', pem.replaceAll('\n', '\\n')],
      ['PEM with carriage returns spelled out', pem.replaceAll('\n', '\\r\\n')],
      ['PEM with carriage returns', pem.replaceAll('\n', '\r\n')],
      ['PEM on one line', pem.replaceAll('\n', ' ')],
      ['PEM with space around it', `\n  ${pem}  \n`],
    ];
  };
  const { ed25519, prime256v1, rsa } = PAIRS;
  const PRIVATE: [string, SignatureKind, string, Pair][] = [
    ...spellings(ed25519.privateKey, 'pkcs8').map(([what, key]): [string, SignatureKind, string, Pair] => [
      `Ed25519 as ${what}`,
      'ed25519-base64',
      key,
      ed25519 as Pair,
    ]),
    ...spellings(prime256v1.privateKey, 'sec1').map(([what, key]): [string, SignatureKind, string, Pair] => [
      `a curve’s as SEC 1 in ${what}`,
      'es256-base64url',
      key,
      prime256v1 as Pair,
    ]),
    ...spellings(rsa.privateKey, 'pkcs1').map(([what, key]): [string, SignatureKind, string, Pair] => [
      `RSA as PKCS #1 in ${what}`,
      'rsa-sha256-base64',
      key,
      rsa,
    ]),
    [
      'a curve’s with the curve’s parameters before it',
      'es256-base64url',
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${prime256v1.privateKey.export({ format: 'pem', type: 'sec1' })}`,
      prime256v1 as Pair,
    ],
    [
      'a JSON Web Key',
      'es256-base64url',
      JSON.stringify(prime256v1.privateKey.export({ format: 'jwk' })),
      prime256v1 as Pair,
    ],
    [
      'DER in base64',
      'rsa-sha256-base64',
      rsa.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
      rsa,
    ],
    ['an Ed25519 seed', 'ed25519-base64', seedOf(ed25519 as Pair).toString('base64'), ed25519 as Pair],
    [
      'an Ed25519 seed and its public key',
      'ed25519-base64',
      Buffer.concat([seedOf(ed25519 as Pair), openOf(ed25519 as Pair)]).toString('base64'),
      ed25519 as Pair,
    ],
  ];

  it.each(PRIVATE)('may be %s', (_what, how, key, pair) => {
    expect(isSigned(how, openPemOf(pair), 'text', sign(how, key, 'text'))).toBe(true);
  });

  it.each([
    ['PEM', openPemOf(ed25519 as Pair)],
    ['PEM with its line ends spelled out', openPemOf(ed25519 as Pair).replaceAll('\n', '\\n')],
    ['a JSON Web Key', JSON.stringify(ed25519.publicKey.export({ format: 'jwk' }))],
    ['DER in base64', ed25519.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')],
    ['32 bytes', openOf(ed25519 as Pair).toString('base64')],
    ['told by its private one', pemOf(ed25519 as Pair)],
  ])('that is public may be %s', (_what, key) => {
    expect(
      isSigned('ed25519-base64', key, 'text', sign('ed25519-base64', pemOf(ed25519 as Pair), 'text')),
    ).toBe(true);
  });

  it('of a curve is not taken for an Ed25519 seed where it is as long as one with its public key', () => {
    const scalar = PAIRS.secp256k1.privateKey.export({ format: 'jwk' }).d as string;
    const der = Buffer.concat([
      Buffer.from('303e020100301006072a8648ce3d020106052b8104000a042730250201010420', 'hex'),
      Buffer.from(scalar, 'base64url'),
    ]);
    expect(der.length).toBe(64);
    const key = der.toString('base64');
    const signature = sign('secp256k1-base64', key, 'text');
    expect(isSigned('secp256k1-base64', openPemOf(PAIRS.secp256k1 as Pair), 'text', signature)).toBe(true);
    expect(() => sign('ed25519-base64', key, 'text')).toThrow(/cannot sign/);
  });

  it('of Ed25519 whose halves do not belong together signs nothing', () => {
    const bytes = Buffer.from(COINBASE_SECRET, 'base64');
    bytes[63] = (bytes[63] as number) ^ 1;
    expect(() => sign('ed25519-base64', bytes.toString('base64'), 'text')).toThrow(/cannot sign/);
  });

  const pem = openPemOf(rsa);
  it.each([
    ['empty', ''],
    ['a word', 'key'],
    ['PEM that is cut short', pem.slice(0, -60)],
    ['PEM with something else inside', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----'],
    ['PEM of something else', '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----'],
    ['JSON of something else', '{"kty":"oct","k":"AAAA"}'],
    ['JSON that is cut short', '{"kty":"EC"'],
    ['as long as an Ed25519 key and its half', 'A'.repeat(86)],
    ['very long', 'A'.repeat(100_000)],
  ])('that is %s proves nothing', (_what, key) => {
    for (const [how, curve] of KINDS) {
      const signature = sign(how, pemOf(PAIRS[curve] as Pair), 'text');
      expect(isSigned(how, key, 'text', signature)).toBe(false);
      expect(() => sign(how, key, 'text')).toThrow(/cannot sign/);
    }
  });

  it.each([
    [
      'live',
      'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAElvxpYOhgdAmI+7oL4mABRAfM5CwLkCbZm64ERVKAisSulWFC3oRZom/PeyE2iXPX1ekp9UD1r+51c9TiuIHU4w==',
    ],
    [
      'demo',
      'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEevN2PMEeIaaMkS4VIfXOqsLebj19kVeuwWl0AnkIA6DJU0r3ixkXVhJTltycJtkDoEAYtPHfARyTofB5ZNw9xA==',
    ],
  ])('that Ramp Network publishes (%s) is of the curve it signs with', (_which, key) => {
    const read = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    expect(read.asymmetricKeyDetails?.namedCurve).toBe('secp256k1');
    expect(isSigned('secp256k1-base64', key, RAMP_NETWORK.text, RAMP_NETWORK.signature)).toBe(false);
  });
});

function seedOf({ privateKey }: Pair): Buffer {
  return privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
}

function openOf({ privateKey }: Pair): Buffer {
  return createPublicKey(createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()))
    .export({ format: 'der', type: 'spki' })
    .subarray(-32);
}
