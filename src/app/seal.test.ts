/** Sealing: what we closed we can open, and nobody can alter, move or guess it. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSeal } from './seal.ts';

const KEY = Buffer.alloc(32, 7);
const seal = createSeal(KEY, 'quote');

describe('a seal', () => {
  it('opens what it closed, whatever the text and whatever it is bound to', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme' }),
        (text, bound) => seal.open(seal.close(text, bound), bound) === text,
      ),
    );
  });

  it('refuses every text in which a single bit was flipped', () => {
    const sealed = seal.close('17pk0|0.00107954', 'moonpay|public|buy');
    const bytes = Buffer.from(sealed, 'base64url');
    const accepted: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      if (seal.open(altered.toString('base64url'), 'moonpay|public|buy') !== undefined) accepted.push(bit);
    }
    expect(accepted).toEqual([]);
  });

  it('refuses every text in which a single character was changed, left out or added', () => {
    const accepted: string[] = [];
    const sealed = seal.close('some text');
    for (let at = 0; at < sealed.length; at++) {
      for (const char of ['A', 'z', '0', '_', '-', '=', '+', '/', ' ', '\n', 'é', '']) {
        const altered = sealed.slice(0, at) + char + sealed.slice(at + 1);
        if (altered !== sealed && seal.open(altered) !== undefined) accepted.push(altered);
      }
    }
    for (const altered of [
      `${sealed}=`,
      `${sealed}A`,
      ` ${sealed}`,
      `${sealed}\n`,
      sealed.slice(1),
      sealed.slice(0, -1),
    ]) {
      if (seal.open(altered) !== undefined) accepted.push(altered);
    }
    expect(accepted).toEqual([]);
  });

  it('refuses what was sealed for another purpose, bound to another thing, or with another key', () => {
    const sealed = seal.close('text', 'moonpay|1');
    expect(seal.open(sealed, 'moonpay|1')).toBe('text');
    for (const bound of ['', 'moonpay|2', 'moonpay|', 'moonpay|11', 'Moonpay|1']) {
      expect(seal.open(sealed, bound)).toBeUndefined();
    }
    expect(createSeal(KEY, 'cursor').open(sealed, 'moonpay|1')).toBeUndefined();
    expect(createSeal(Buffer.alloc(32, 8), 'quote').open(sealed, 'moonpay|1')).toBeUndefined();
  });

  it('is the same in another process that has the key', () => {
    expect(createSeal(Buffer.from(KEY), 'quote').open(seal.close('text'))).toBe('text');
  });

  it('never seals the same text to the same words, and shows nothing of it', () => {
    const sealed = Array.from({ length: 50 }, () => seal.close('wallet bc1qexample'));
    expect(new Set(sealed).size).toBe(50);
    expect(sealed.filter(one => Buffer.from(one, 'base64url').includes('bc1q'))).toEqual([]);
    expect(sealed.filter(one => !/^[A-Za-z0-9_-]+$/.test(one))).toEqual([]);
  });

  it('opens nothing that is not ours, however long', () => {
    const foreign = ['', 'A', '{}', '__proto__', 'é', randomBytes(27).toString('base64url')];
    const long = ['A'.repeat(65_536), 'A'.repeat(1_000_000), randomBytes(60).toString('base64url')];
    expect([...foreign, ...long].map(text => seal.open(text)).filter(text => text !== undefined)).toEqual([]);
  });
});
