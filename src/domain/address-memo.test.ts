/** Memos: where they are taken, in which form, and that there is never a second one. */
import { describe, expect, it } from 'vitest';
import { HASH, inX, networkOf, networks, PROVEN } from '../../test/address-vectors.ts';
import { checkMemo } from './address.ts';

describe('checkMemo', () => {
  const TAGGED = 'XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD2m4Er6SnvjVLpMWPjR';
  const memoFlaw = (id: string, memo: string | undefined, address = '') =>
    checkMemo(networkOf(id), memo, address)?.message;

  it.each(networks.map(network => [network.id] as const))('is never demanded on %s', id => {
    expect(memoFlaw(id, undefined)).toBeUndefined();
  });

  it.each(networks.map(network => [network.id, network.tag === true] as const))(
    'is taken on %s: %s',
    (id, tag) => {
      expect(memoFlaw(id, '12345') === undefined).toBe(tag);
    },
  );

  it.each([
    ['ripple', '0'],
    ['ripple', '999999999'],
    ['ripple', '4294967295'],
    ['stellar', 'hello'],
    ['stellar', 'é'.repeat(14)],
    ['stellar', '18446744073709551615'],
    ['cosmos', 'm'.repeat(256)],
    ['osmosis', '103456789'],
    ['ton', 'c'.repeat(120)],
    ['stacks', 'm'.repeat(34)],
    ['hedera', 'm'.repeat(100)],
    ['eos', 'order 17, "thanks"'],
  ])('takes on %s %s', (id, memo) => {
    expect(memoFlaw(id, memo)).toBeUndefined();
  });

  it.each([
    ['bitcoin', '1', 'Bitcoin addresses take no memo'],
    ['base', 'x', 'Base addresses take no memo'],
    ['solana', '', 'Solana addresses take no memo'],
    ['ripple', '', 'The memo is empty'],
    ['ripple', '4294967296', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '9999999999', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '10000000000', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '-1', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '1.0', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '1e3', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '0x10', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '007', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '１', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '1\n', 'The memo has characters that cannot be seen'],
    ['stellar', 'm'.repeat(29), 'The memo is longer than 28 bytes'],
    ['stellar', 'é'.repeat(15), 'The memo is longer than 28 bytes'],
    ['cosmos', 'm'.repeat(257), 'The memo is longer than 256 characters'],
    ['cosmos', 'é'.repeat(129), 'The memo is longer than 256 bytes'],
    ['ton', 'c'.repeat(121), 'The memo is longer than 120 bytes'],
    ['stacks', 'm'.repeat(35), 'The memo is longer than 34 bytes'],
    ['hedera', 'm'.repeat(101), 'The memo is longer than 100 bytes'],
    ['hedera', 'a\u202eb', 'The memo has characters that cannot be seen'],
    ['eos', 'a\ud800', 'The memo has characters that cannot be seen'],
    ['eos', 'a\u2028b', 'The memo has characters that cannot be seen'],
  ])('refuses on %s %j: %s', (id, memo, message) => {
    expect(memoFlaw(id, memo)).toBe(message);
  });

  it('refuses a second one where the address has it inside', () => {
    const inside = 'The address already has its memo inside';
    expect(memoFlaw('ripple', '1', TAGGED)).toBe(inside);
    expect(memoFlaw('ripple', '1', inX(`0544${HASH}010000000000000000`))).toBe(inside);
    expect(memoFlaw('ripple', '1', inX(`0544${HASH}000000000000000000`))).toBeUndefined();
    expect(memoFlaw('ripple', '1', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh')).toBeUndefined();
    expect(memoFlaw('ripple', undefined, TAGGED)).toBeUndefined();
    expect(memoFlaw('stellar', '1', PROVEN.stellar?.[1])).toBe(inside);
    expect(memoFlaw('stellar', '1', PROVEN.stellar?.[0])).toBeUndefined();
  });
});
