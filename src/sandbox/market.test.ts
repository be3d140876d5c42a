/** The synthetic market: the same for everyone, moving slowly, knowing what it says it knows. */
import { describe, expect, it } from 'vitest';
import { decimal, significant } from '../domain/money.ts';
import type { AssetId } from '../domain/words.ts';
import { currencies } from '../main.ts';
import { createMarket } from './market.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const HOUR = 3_600_000;
const btc = currencies.assets.get('btc_bitcoin' as AssetId);
if (!btc) throw new Error('the catalog has no bitcoin');

describe('the market', () => {
  it('is a function of seed, time and question, and of nothing else', () => {
    const price = (seed: number, now: number) => String(createMarket({ seed, now }).price(btc, 'EUR'));
    expect(price(1, NOW)).toBe(price(1, NOW));
    expect(price(1, NOW)).not.toBe(price(2, NOW));
    expect(price(1, NOW)).not.toBe(price(1, NOW + HOUR));
  });

  it('has a price above zero for every asset of the catalog, with few digits', () => {
    const market = createMarket({ seed: 1, now: NOW });
    const bad = [...currencies.assets.values()].filter(asset => {
      const price = market.price(asset, 'EUR');
      return !price?.gt(0) || !significant(price, 9).eq(price);
    });
    expect(bad.map(({ id }) => id)).toEqual([]);
  });

  it('gives the same coin one price on every network', () => {
    const market = createMarket({ seed: 1, now: NOW });
    const usdc = [...currencies.assets.values()].filter(({ code }) => code === 'USDC');
    expect(new Set(usdc.map(asset => String(market.price(asset, 'USD')))).size).toBe(1);
  });

  it('moves some percent at most in a day', () => {
    const prices = Array.from({ length: 24 * 12 }, (_, step) =>
      Number(createMarket({ seed: 3, now: NOW + (step * HOUR) / 12 }).price(btc, 'EUR')),
    );
    expect(Math.max(...prices) / Math.min(...prices)).toBeLessThan(1.06);
    expect(new Set(prices).size).toBeGreaterThan(100);
  });

  it('knows fiats in any case, and says so when it does not know one', () => {
    const market = createMarket({ seed: 1, now: NOW });
    expect(String(market.perEuro('eur'))).toBe('1');
    expect(market.perEuro('XYZ')).toBeUndefined();
    expect([market.price(btc, 'XYZ'), market.networkFee(btc, 'toString')]).toEqual([undefined, undefined]);
  });

  it('is distorted by exactly the factor a liar is given', () => {
    const truth = createMarket({ seed: 1, now: NOW }).price(btc, 'EUR');
    const lie = createMarket({ seed: 1, now: NOW, distortion: decimal('0.001') }).price(btc, 'EUR');
    expect(String(lie)).toBe(String(truth?.times(decimal('0.001'))));
  });
});
