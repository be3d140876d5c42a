/** Quote ids under every alteration. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from '../domain/money.ts';
import type { AccountId, AssetId, FiatId, MethodId, ProviderId } from '../domain/words.ts';
import { createQuoteIds, type Promised, type QuoteBounds } from './quote-ids.ts';

const ids = createQuoteIds(Buffer.alloc(32, 7));
const BOUND: QuoteBounds = {
  account: 'acc1' as AccountId,
  provider: 'moonpay' as ProviderId,
  side: 'buy',
  fiat: 'eur' as FiatId,
  asset: 'btc_bitcoin' as AssetId,
  method: 'creditcard' as MethodId,
  amount: decimal('100'),
};
const PRICE = { gets: decimal('0.00107707'), networkFee: decimal('1.2'), providerFee: decimal('0') };
const PROMISED = { until: 1_800_000_000_000, price: PRICE };

const issue = ({ until, price }: Promised) => ids.issuer(BOUND, until)({ ...BOUND, price });

describe('a quote id', () => {
  it('gives back what was promised, to whom it belongs', () => {
    expect(ids.read(BOUND, issue(PROMISED))).toEqual(PROMISED);
    expect(ids.read(BOUND, issue({ until: 1 }))).toEqual({ until: 1, price: undefined });
  });

  it('is at most 128 characters, whatever was promised', () => {
    fc.assert(
      fc.property(fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), (until, whole) => {
        const most = decimal(`${whole}.${'1'.repeat(18)}`);
        const price = { gets: most, networkFee: most, providerFee: most };
        const id = issue({ until, price });
        const read = ids.read(BOUND, id);
        return id.length <= 128 && /^[\w.-]+$/.test(id) && read?.price?.gets.eq(most) === true;
      }),
    );
  });

  it('is worth nothing for another account, provider, pair, amount, method or side', () => {
    const id = issue(PROMISED);
    const others = { ...BOUND, amount: decimal('100.01'), side: 'sell' as const };
    for (const name of Object.keys(BOUND) as (keyof QuoteBounds)[]) {
      const other = name in { amount: 0, side: 0 } ? others[name] : `${BOUND[name]}x`;
      expect(ids.read({ ...BOUND, [name]: other }, id)).toBeUndefined();
    }
    expect(createQuoteIds(Buffer.alloc(32, 8)).read(BOUND, id)).toBeUndefined();
  });

  it('is worth nothing when any character of it is changed, added or taken away', () => {
    const id = issue(PROMISED);
    fc.assert(
      fc.property(fc.nat(id.length - 1), fc.string({ maxLength: 2 }), (at, text) => {
        const altered = id.slice(0, at) + text + id.slice(at + 1);
        return altered === id || ids.read(BOUND, altered) === undefined;
      }),
      { numRuns: 2_000 },
    );
  });
});
