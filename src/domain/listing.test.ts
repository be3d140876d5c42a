/** Listings: what is found, why something is not, and the limits that follow. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  destinationLimits,
  findListed,
  type Limits,
  type Listing,
  type Miss,
  sourceLimits,
  type Wanted,
  widest,
  widestStated,
  within,
} from './listing.ts';
import { decimal } from './money.ts';
import type { AssetId, CountryCode, FiatId, MethodId, Side } from './words.ts';

const sides = fc.constantFrom<Side>('buy', 'sell');
const countries = fc.constantFrom('DE', 'US', 'FR') as fc.Arbitrary<CountryCode>;
const someCountries = fc.option(
  fc.uniqueArray(countries).map(codes => new Set(codes)),
  { nil: undefined },
);
const assets = fc.constantFrom('btc', 'eth') as fc.Arbitrary<AssetId>;
const fiats = fc.constantFrom('eur', 'usd') as fc.Arbitrary<FiatId>;
const methods = fc.constantFrom('card', 'bank') as fc.Arbitrary<MethodId>;

function mapOf<K extends string, V>(keys: fc.Arbitrary<K>, values: fc.Arbitrary<V>): fc.Arbitrary<Map<K, V>> {
  return fc
    .uniqueArray(fc.tuple(keys, values), { selector: ([key]) => key })
    .map(entries => new Map(entries));
}

const listing: fc.Arbitrary<Listing> = fc.record({
  side: sides,
  countries: someCountries,
  assets: mapOf(
    assets,
    fc.record({ native: fc.constant(''), network: fc.constant(''), notIn: someCountries }),
  ),
  fiats: mapOf(
    fiats,
    fc.record({
      native: fc.constant(''),
      methods: mapOf(methods, fc.record({ native: fc.constant(''), onlyIn: someCountries })),
    }),
  ),
});

const wanted: fc.Arbitrary<Wanted> = fc.record({
  side: sides,
  asset: assets,
  fiat: fiats,
  method: methods,
  country: countries,
});

/** How near one block comes to what is wanted. */
function nearness(block: Listing, want: Wanted): Miss | 'found' {
  const asset = block.assets.get(want.asset);
  const fiat = block.fiats.get(want.fiat);
  if (block.side !== want.side || !asset || !fiat) return 'pair';
  if (block.countries?.has(want.country) === false || asset.notIn?.has(want.country)) return 'country';
  const method = fiat.methods.get(want.method);
  return method && method.onlyIn?.has(want.country) !== false ? 'found' : 'method';
}

describe('findListed', () => {
  it('heeds the rules of a state where it is known, and those of the country always', () => {
    const notIn = (...codes: string[]): Listing => ({
      side: 'buy',
      assets: new Map([
        ['btc' as AssetId, { native: '', network: '', notIn: new Set(codes as CountryCode[]) }],
      ]),
      fiats: new Map([
        ['usd' as FiatId, { native: '', methods: new Map([['card' as MethodId, { native: '' }]]) }],
      ]),
    });
    const find = (blocked: string, country: string, state?: string) => {
      const want = { side: 'buy', asset: 'btc', fiat: 'usd', method: 'card', country, state } as Wanted;
      return typeof findListed([notIn(blocked)], want) === 'object';
    };
    expect(find('US-NY', 'US', 'NY')).toBe(false);
    expect(find('US-NY', 'US', 'CA')).toBe(true);
    expect(find('US-NY', 'US')).toBe(true);
    expect(find('US-NY', 'DE')).toBe(true);
    expect(find('US', 'US', 'CA')).toBe(false);
    // New York is none of Canada's, and Canada is none of the states.
    expect(find('US-CA', 'CA')).toBe(true);
    expect(find('CA', 'US', 'CA')).toBe(true);
  });

  it('finds exactly what one block lists whole, else names the nearest miss', () => {
    fc.assert(
      fc.property(fc.array(listing, { maxLength: 4 }), wanted, (blocks, want) => {
        const each = blocks.map(block => nearness(block, want));
        const found = findListed(blocks, want);
        const first = blocks[each.indexOf('found')];
        if (first) return typeof found === 'object' && found.asset === first.assets.get(want.asset);
        return found === ((['method', 'country'] as const).find(miss => each.includes(miss)) ?? 'pair');
      }),
      { numRuns: 500 },
    );
  });

  it('never joins the asset of one block to the fiat of another', () => {
    const block = (asset: string, fiat: string): Listing => ({
      side: 'buy',
      assets: new Map([[asset as AssetId, { native: asset, network: '' }]]),
      fiats: new Map([
        [fiat as FiatId, { native: fiat, methods: new Map([['card' as MethodId, { native: 'card' }]]) }],
      ]),
    });
    const want = { side: 'buy', asset: 'btc', fiat: 'usd', method: 'card', country: 'DE' } as Wanted;
    expect(findListed([block('btc', 'eur'), block('eth', 'usd')], want)).toBe('pair');
  });
});

const limits: fc.Arbitrary<Limits> = fc
  .tuple(fc.option(fc.nat(20)), fc.option(fc.nat(20)))
  .map(([min, max]) => ({
    ...(min !== null && { min: decimal(min) }),
    ...(max !== null && { max: decimal(max + 20) }),
  }));

describe('limits', () => {
  it('widest admits what at least one admits, and is met at both ends', () => {
    fc.assert(
      fc.property(fc.array(limits, { minLength: 1, maxLength: 5 }), fc.nat(45), (all, number) => {
        const wide = widest(all);
        const amount = decimal(number);
        const admitted = all.some(one => within(amount, one));
        const ends = [wide.min, wide.max].every(end => !end || all.some(one => within(end, one)));
        return (!admitted || within(amount, wide)) && ends;
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes an unknown bound for no bound', () => {
    expect(widest([{ min: decimal(5), max: decimal(9) }, { max: decimal(7) }])).toEqual({
      min: undefined,
      max: decimal(9),
    });
    expect(widest([])).toEqual({ min: undefined, max: undefined });
  });

  it('takes the widest of what is stated where a number is needed', () => {
    const all = [{ min: decimal(5), max: decimal(9) }, { max: decimal(12) }, {}];
    expect(widestStated(all)).toEqual({ min: decimal(5), max: decimal(12) });
    expect(widestStated([{}])).toEqual({ min: undefined, max: undefined });
  });

  it('includes both ends', () => {
    const bounds = { min: decimal(5), max: decimal(9) };
    const admits = ['4.99', '5', '9', '9.01'].map(amount => within(decimal(amount), bounds));
    expect(admits).toEqual([false, true, true, false]);
    expect(within(decimal(1), {})).toBe(true);
  });

  it('takes the limits of what is handed over from the fiat on a buy and from the asset on a sell', () => {
    const found = {
      asset: { native: 'btc', network: '', min: decimal('0.1') },
      method: { native: 'card', max: decimal(500) },
    };
    expect(sourceLimits('buy', found)).toEqual({ min: undefined, max: decimal(500) });
    expect(sourceLimits('sell', found)).toEqual({ min: decimal('0.1'), max: undefined });
    expect(destinationLimits('buy', found)).toEqual(sourceLimits('sell', found));
    expect(destinationLimits('sell', found)).toEqual(sourceLimits('buy', found));
  });
});
