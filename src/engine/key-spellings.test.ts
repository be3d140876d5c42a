/** Keys as people paste them: whatever one is spelled like, it signs and proves the same, and what is none does neither. */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  COINBASE_SECRET,
  KINDS,
  openPemOf,
  PAIRS,
  type Pair,
  pemOf,
  RAMP_NETWORK,
} from '../../test/key-pairs.ts';
import type { SignatureKind } from '../providers/exchange.ts';
import { isSigned, sign } from './sign.ts';

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
