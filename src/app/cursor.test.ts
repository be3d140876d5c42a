/** Cursors under every alteration. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCursors, LONGEST_CURSOR } from './cursor.ts';
import { createSeal } from './seal.ts';

const KEY = Buffer.alloc(32, 7);
const cursors = createCursors(createSeal(KEY, 'cursor'));
const POSITION = {
  at: new Date('2026-03-01T10:00:00.123Z'),
  transactionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  sequence: 3,
};

describe('a cursor', () => {
  it('leads back to where it was made, to the millisecond', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true }),
        fc.string(),
        fc.nat(),
        fc.string({ unit: 'grapheme' }),
        (at, transactionId, sequence, bound) => {
          const position = { at, transactionId, sequence };
          expect(cursors.read(bound, cursors.issue(bound, position))).toEqual(position);
        },
      ),
    );
  });

  it('is short enough to be sent, and no longer text is looked at', () => {
    const farthest = {
      at: new Date(8_640_000_000_000_000),
      transactionId: 'Z'.repeat(26),
      sequence: 2 ** 31 - 1,
    };
    const cursor = cursors.issue('x'.repeat(2_000), farthest);
    expect(cursor.length).toBeLessThan(160);
    expect(cursors.read('', 'A'.repeat(LONGEST_CURSOR + 1))).toBeUndefined();
  });

  it('is worth nothing with any bit of it flipped', () => {
    const bytes = Buffer.from(cursors.issue('account', POSITION), 'base64url');
    const accepted: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      if (cursors.read('account', altered.toString('base64url'))) accepted.push(bit);
    }
    expect(accepted).toEqual([]);
  });

  it('is worth nothing to another account, another question, another version or another service', () => {
    const cursor = cursors.issue('["account",null]', POSITION);
    expect(cursors.read('["account",null]', cursor)).toEqual(POSITION);
    for (const bound of ['', '["account"]', '["other",null]', '["account",1]'])
      expect(cursors.read(bound, cursor)).toBeUndefined();
    const older = createSeal(KEY, 'cursor').close('[0,"x",1]', 'v0|["account",null]');
    expect(cursors.read('["account",null]', older)).toBeUndefined();
    const elsewhere = createCursors(createSeal(Buffer.alloc(32, 8), 'cursor'));
    expect(elsewhere.read('["account",null]', cursor)).toBeUndefined();
  });

  it('shows nothing of what it holds', () => {
    const cursor = cursors.issue('account', POSITION);
    expect(Buffer.from(cursor, 'base64url').includes(POSITION.transactionId)).toBe(false);
  });
});
