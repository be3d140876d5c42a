/** Wallet addresses changed at random: no change gets past a checksum, no text is too odd, and others judge alike. */
import { createRequire } from 'node:module';
import { base58, hex } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FORMED, flawOf, isTaken, LONG, networks, PROVEN, pairs } from '../../test/address-vectors.ts';
import { checkAddress, checkMemo } from './address.ts';
import { crc32 } from './address-sums.ts';

describe('a checksum', () => {
  const LETTERS = [...'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.:+/'];
  /** TON writes the same in either. */
  const OTHER_ALPHABET = ['-+', '+-', '_/', '/_'];

  // Seeded, because the weakest (EIP-55, and the two bytes of SS58) let one change in tens of thousands through.
  it.each(pairs(PROVEN))('notices any one letter changed on %s in %s', (id, address) => {
    const change = fc.tuple(fc.nat(address.length - 1), fc.constantFrom(...LETTERS));
    fc.assert(
      fc.property(change, ([at, letter]) => {
        fc.pre(letter !== address[at] && !OTHER_ALPHABET.includes(letter + address[at]));
        expect(isTaken(id, address.slice(0, at) + letter + address.slice(at + 1))).toBe(false);
      }),
      { seed: 1, numRuns: 150 },
    );
  });

  it.each(pairs(PROVEN))('notices a letter lost, doubled or swapped on %s in %s', (id, address) => {
    for (let at = 0; at < address.length; at++) {
      const [head, letter, rest] = [address.slice(0, at), address[at] ?? '', address.slice(at + 1)];
      const swapped = rest.slice(0, 1) + letter + rest.slice(1);
      // Starknet's leading zeros may be left out.
      if (head + letter !== '0x0') expect(isTaken(id, head + rest)).toBe(false);
      expect(isTaken(id, head + letter + letter + rest)).toBe(false);
      if (swapped !== letter + rest) expect(isTaken(id, head + swapped)).toBe(false);
    }
  });

  it('of Byron is written with two bytes when it is small', () => {
    const payload = `83581c0000398a${LONG.slice(0, 48)}a000`;
    expect(hex.encode(crc32(hex.decode(payload)))).toBe('0000b0ce');
    const address = (sum: string) => base58.encode(hex.decode(`82d8185821${payload}${sum}`));
    expect(flawOf('cardano', address('19b0ce'))).toBeUndefined();
    expect(flawOf('cardano', address('19b0cf'))).toBe('The checksum of the address is wrong');
  });
});

describe('whatever the text', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'binary-ascii', maxLength: 300 }),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFqpzry1xXST:.-'), maxLength: 120 }),
    fc
      .tuple(
        fc.constantFrom(...pairs(PROVEN).map(([, address]) => address)),
        fc.string({ unit: 'grapheme', maxLength: 4 }),
      )
      .map(([address, end]) => address + end),
    fc.constantFrom('9', 'z', '1', '0', 'ｚ').map(letter => letter.repeat(1_000_000)),
  );

  it('an answer is given, and it does not repeat the text', () => {
    fc.assert(
      fc.property(fc.constantFrom(...networks), anyText, (network, text) => {
        const message = checkAddress(network, text, networks)?.message;
        if (message && text.length > 20) expect(message).not.toContain(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('an answer is given about memos too', () => {
    fc.assert(
      fc.property(fc.constantFrom(...networks), anyText, anyText, (network, memo, address) => {
        const message = checkMemo(network, memo, address)?.message;
        if (!network.tag) expect(message).toBe(`${network.name} addresses take no memo`);
      }),
    );
  });
});

interface Oracle {
  validate(address: string, currency: string): boolean;
}

describe('multicoin-address-validator', () => {
  const require = createRequire(import.meta.url);
  const oracle = require('multicoin-address-validator') as Oracle;
  const judge = (address: string, symbol: string) => {
    try {
      return oracle.validate(address, symbol);
    } catch {
      return false;
    }
  };

  /** What it calls each; `laxer` where it takes other prefixes, lengths, letters or, of CashAddr, any checksum. */
  const SYMBOLS: [id: string, symbol: string, laxer?: 'laxer'][] = [
    ['bitcoin', 'btc'],
    ['litecoin', 'ltc'],
    ['dogecoin', 'doge'],
    ['dash', 'dash'],
    ['zcash', 'zec'],
    ['bitcoincash', 'bch', 'laxer'],
    ['evm', 'eth'],
    ['tron', 'trx'],
    ['xrp', 'xrp'],
    ['stellar', 'xlm'],
    ['cardano', 'ada'],
    ['algorand', 'algo', 'laxer'],
    ['aptos', 'apt'],
    ['hedera', 'hbar', 'laxer'],
    ['polkadot', 'dot', 'laxer'],
    ['tezos', 'xtz', 'laxer'],
    ['solana', 'sol', 'laxer'],
    ['eos', 'eos', 'laxer'],
  ];

  /** Forms it does not know. */
  const UNKNOWN =
    /^(3C|zs|tex|X7|XV|M[A-Z2-7]{68}|bitcoincash:z|BITCOINCASH|0\.0\.123-|bitcoincash:p0|0x1$|0x5bf|b1$|eosio\.token)/;

  it.each(SYMBOLS)('agrees on %s', (id, symbol, laxer) => {
    const known = [...(PROVEN[id] ?? []), ...(FORMED[id] ?? [])].filter(address => !UNKNOWN.test(address));
    expect(known.length).toBeGreaterThan(0);
    const change = fc.tuple(fc.constantFrom(...known), fc.nat(), fc.constantFrom(...'019aAzZlO'));
    fc.assert(
      fc.property(change, ([address, position, letter]) => {
        const at = position % address.length;
        const changed = address.slice(0, at) + letter + address.slice(at + 1);
        for (const text of [address, changed]) {
          const [ours, theirs] = [isTaken(id, text), judge(text, symbol)];
          if (laxer) expect(theirs || !ours).toBe(true);
          else expect([text, ours]).toEqual([text, theirs]);
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});
