/** Tokens: the provider's vector, and what is no token. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSigned, sign } from '../engine/sign.ts';
import { base64url, readPart, splitToken, writeParts } from './jwt.ts';

/** Coinbase's, with a key that was made up. */
const KEY = 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyB5tVYuj+ZU+UB4sRLoqYunkB+FOuaVvtfg45ELrQSWZA==';
const ID = '00000000-0000-4000-8000-0000000000aa';
const SIGNATURE = 'vVj5p6ee4Kt2vRE3ZyB3kGjzuaQyvCvcVLuwYgX91iSiTi8Y9iKO-TYojcv3eat_n6twXlcWQvwWcYmRtoZ9BA';

const parts = writeParts(
  { alg: 'EdDSA', kid: ID, typ: 'JWT', nonce: '0123456789abcdef0123456789abcdef' },
  {
    sub: ID,
    iss: 'cdp',
    uris: ['POST api.developer.coinbase.com/onramp/v1/buy/quote'],
    iat: 1_760_000_000,
    nbf: 1_760_000_000,
    exp: 1_760_000_120,
  },
);

describe('a token', () => {
  it('is written as the provider of the vector writes it', () => {
    expect(sign('ed25519-base64url', KEY, parts)).toBe(SIGNATURE);
  });

  it('is read as it was written, numbers as text', () => {
    const token = splitToken(`${parts}.${SIGNATURE}`);
    expect(token).toMatchObject({ signed: parts, signature: SIGNATURE, header: { alg: 'EdDSA', kid: ID } });
    expect(token?.claims).toMatchObject({ iss: 'cdp', exp: '1760000120' });
    expect(isSigned('ed25519-base64url', KEY, token?.signed ?? '', token?.signature ?? '')).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['no text', 1],
    ['two parts', parts],
    ['four parts', `${parts}.a.b`],
    ['an empty part', `${parts}.`],
    ['other letters', `${parts}.+/=`],
    ['more than any token', `${parts}.${'a'.repeat(70_000)}`],
  ])('is none when it is %s', (_what, text) => {
    expect(splitToken(text)).toBeUndefined();
  });

  it('has parts that are not JSON', () => {
    expect(readPart('!')).toBeUndefined();
    expect(readPart(base64url('not JSON'))).toBeUndefined();
    expect(readPart(base64url(Uint8Array.from([0x22, 0xff, 0x22])))).toBeUndefined();
  });
});

describe('base64url', () => {
  it('is what others make of the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), bytes => {
        expect(base64url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
      }),
    );
  });

  it('takes a text as UTF-8', () => {
    expect(base64url('{"a":"ü"}')).toBe(Buffer.from('{"a":"ü"}').toString('base64url'));
  });
});
