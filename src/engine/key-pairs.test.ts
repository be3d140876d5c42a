/** Signatures with two keys: the providers' vectors hold, whatever a key is spelled like, and nothing else does. */
import { generateKeyPairSync, sign as signRaw } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KINDS, openPemOf, PAIRS, PAYBIS, type Pair, PROVING, pemOf, SIGNING } from '../../test/key-pairs.ts';
import { isSigned, sign } from './sign.ts';

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
