/** Accounts: secrets that open, and hosts that are one's own machine. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Fault } from '../domain/fault.ts';
import { type Account, checkSecret, isLoopback, keyRequired } from './accounts.ts';

const SECRET = 'sk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const NEXT = 'sk_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
const accountOf = (...secrets: string[]) =>
  ({
    secretDigests: secrets.map(secret => createHash('sha256').update(secret).digest()),
  }) as unknown as Account;

describe('checkSecret', () => {
  it('opens with each secret that is good', () => {
    for (const secret of [SECRET, NEXT])
      expect(() => checkSecret(accountOf(SECRET, NEXT), secret)).not.toThrow();
  });

  it.each([
    undefined,
    '',
    ' ',
    SECRET.slice(0, -1),
    `${SECRET}A`,
    `${SECRET}, ${SECRET}`,
    SECRET.toLowerCase(),
    `Bearer ${SECRET}`,
    'é',
    createHash('sha256').update(SECRET).digest('hex'),
  ])('does not open with %j, and says no more than that', secret => {
    expect(() => checkSecret(accountOf(SECRET, NEXT), secret)).toThrow(keyRequired());
  });

  it('never opens an account without secrets', () => {
    for (const secret of [undefined, '', SECRET])
      expect(() => checkSecret(accountOf(), secret)).toThrow(Fault);
  });
});

describe('isLoopback', () => {
  const hostOf = (url: string) => new URL(url).hostname;

  it.each([
    'http://localhost',
    'http://LOCALHOST:3000',
    'http://app.localhost',
    'http://127.0.0.1',
    'http://127.9.9.9',
    'http://0x7f.1',
    'http://[::1]:80',
  ])('is true of %s', url => {
    expect(isLoopback(hostOf(url))).toBe(true);
  });

  it.each([
    'http://localhost.example',
    'http://127.0.0.1.example',
    'http://mylocalhost',
    'http://10.0.0.1',
    'http://[::2]',
    'http://128.0.0.1',
  ])('is false of %s', url => {
    expect(isLoopback(hostOf(url))).toBe(false);
  });
});
