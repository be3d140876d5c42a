/** Quote ids under every alteration. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createQuoteIds } from './quote-ids.ts';

const ids = createQuoteIds(Buffer.alloc(32, 7));
const BOUND = 'moonpay|acc1|buy|eur|btc_bitcoin|creditcard|source|100';
const PROMISED = { until: 1_800_000_000_000, payout: '0.00107707' };

describe('a quote id', () => {
  it('gives back what was promised, to whom it belongs', () => {
    expect(ids.read(BOUND, ids.issue(BOUND, PROMISED))).toEqual(PROMISED);
    expect(ids.read(BOUND, ids.issue(BOUND, { until: 1, payout: '' }))).toEqual({ until: 1, payout: '' });
  });

  it('is at most 128 characters, whatever was promised', () => {
    fc.assert(
      fc.property(fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 15n }), (until, payout) => {
        const id = ids.issue(BOUND, { until, payout: `${payout}.${'1'.repeat(18)}` });
        return id.length <= 128 && /^[\w.-]+$/.test(id);
      }),
    );
  });

  it('is worth nothing for another account, provider, pair, amount, method or side', () => {
    const id = ids.issue(BOUND, PROMISED);
    for (const part of BOUND.split('|'))
      expect(ids.read(BOUND.replace(part, `${part}x`), id)).toBeUndefined();
    expect(createQuoteIds(Buffer.alloc(32, 8)).read(BOUND, id)).toBeUndefined();
  });

  it('is worth nothing when any character of it is changed, added or taken away', () => {
    const id = ids.issue(BOUND, PROMISED);
    fc.assert(
      fc.property(fc.nat(id.length - 1), fc.string({ maxLength: 2 }), (at, text) => {
        const altered = id.slice(0, at) + text + id.slice(at + 1);
        return altered === id || ids.read(BOUND, altered) === undefined;
      }),
      { numRuns: 2_000 },
    );
  });
});
