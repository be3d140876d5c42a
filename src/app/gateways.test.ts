/** Gateways: in one entry everything goes with everything, and nothing that is listed is left out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findListed, type Listing } from '../domain/listing.ts';
import { decimal } from '../domain/money.ts';
import type {
  AccountId,
  AssetId,
  CountryCode,
  FiatId,
  MethodId,
  ProviderId,
  RegionCode,
  StateCode,
} from '../domain/words.ts';
import { currencies } from '../main.ts';
import type { Account } from './accounts.ts';
import { createGateways, type Place } from './gateways.ts';
import type { Listings } from './listings.ts';
import { createSupported } from './supported.ts';

const ACCOUNT = {
  ...{ id: 'acc1' as AccountId, name: 'shop', environment: 'test', providers: undefined },
  preferred: {},
} as unknown as Account;

const ASSETS = ['btc_bitcoin', 'eth_ethereum', 'usdc_polygon', 'sol_solana'] as AssetId[];
const FIATS = ['eur', 'usd', 'brl'] as FiatId[];
const METHODS = ['creditcard', 'applepay', 'sepabanktransfer', 'pix'] as MethodId[];
const COUNTRIES = ['DE', 'US', 'BR'] as CountryCode[];

function open(providers: Record<string, Listing[]>) {
  const all = Object.entries(providers).map(([id, listings]) => ({
    line: { adapter: { manifest: { id } } },
    listings,
  }));
  const listings = { of: () => all } as unknown as Listings;
  const scores = { of: () => new Map(), recount: async () => {} };
  return createGateways({
    currencies,
    listings,
    supported: createSupported({ currencies, listings, scores }),
  });
}

const some = <T>(from: T[]) => fc.subarray(from, { minLength: 1 });
const maybe = <T>(from: T[]) => fc.option(some(from), { nil: undefined });
const setOf = <T>(items: T[] | undefined) => items && new Set(items);

const method = fc.record({ id: fc.constantFrom(...METHODS), onlyIn: maybe(COUNTRIES) });
const listing: fc.Arbitrary<Listing> = fc
  .record({
    side: fc.constantFrom('buy' as const, 'buy' as const, 'sell' as const),
    countries: maybe(COUNTRIES),
    assets: fc.array(fc.tuple(fc.constantFrom(...ASSETS), maybe(COUNTRIES)), { minLength: 1, maxLength: 4 }),
    fiats: fc.array(fc.tuple(fc.constantFrom(...FIATS), fc.array(method, { minLength: 1, maxLength: 3 })), {
      minLength: 1,
      maxLength: 3,
    }),
  })
  .map(({ side, countries, assets, fiats }) => ({
    side,
    countries: setOf(countries),
    assets: new Map(assets.map(([id, notIn]) => [id, { native: id, network: '', notIn: setOf(notIn) }])),
    fiats: new Map(
      fiats.map(([id, methods]) => [
        id,
        {
          native: id,
          methods: new Map(methods.map(({ id: m, onlyIn }) => [m, { native: m, onlyIn: setOf(onlyIn) }])),
        },
      ]),
    ),
  }));

/** Every combination that can be bought in one of the countries. */
function buyable(listings: Listing[], countries: CountryCode[]): string[] {
  const combinations = ASSETS.flatMap(asset =>
    FIATS.flatMap(fiat => METHODS.map(one => ({ side: 'buy' as const, asset, fiat, method: one }))),
  );
  return combinations
    .filter(wanted =>
      countries.some(country => typeof findListed(listings, { ...wanted, country }) !== 'string'),
    )
    .map(({ asset, fiat, method: one }) => `${asset} ${fiat} ${one}`)
    .sort();
}

describe('a list of gateways', () => {
  it('holds exactly what can be bought in the place, every part of an entry with every other', () => {
    fc.assert(
      fc.property(
        fc.array(listing, { maxLength: 3 }),
        fc.constantFrom<Place>(...COUNTRIES, 'all'),
        (listings, place) => {
          const entries = open({ a: listings }).list(ACCOUNT, { place, state: undefined });
          const held = entries.flatMap(({ assets, fiats, methods }) =>
            assets.flatMap(asset =>
              fiats.flatMap(fiat => methods.map(one => `${asset.id} ${fiat.id} ${one}`)),
            ),
          );
          // One country stands for all that no listing names.
          const everywhere = [...COUNTRIES, 'FR' as CountryCode];
          const expected = buyable(listings, place === 'all' ? everywhere : [place]);
          expect([...new Set(held)].sort()).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  const plain = (change: Partial<Listing> = {}): Listing => ({
    side: 'buy',
    assets: new Map([['btc_bitcoin' as AssetId, { native: 'btc', network: '' }]]),
    fiats: new Map([
      [
        'eur' as FiatId,
        {
          native: 'eur',
          methods: new Map([['creditcard' as MethodId, { native: 'card', min: decimal(20) }]]),
        },
      ],
    ]),
    ...change,
  });

  it('joins what goes together', () => {
    const { list } = open({
      a: [plain(), plain({ assets: new Map([['eth_ethereum' as AssetId, { native: 'eth', network: '' }]]) })],
    });
    const entries = list(ACCOUNT, { place: 'DE' as CountryCode, state: undefined });
    expect(entries.map(({ assets }) => assets.map(({ id }) => id))).toEqual([
      ['btc_bitcoin', 'eth_ethereum'],
    ]);
  });

  it('leaves out what is barred in the state, where it is known', () => {
    const barred = new Set(['US-NY' as RegionCode]);
    const { list } = open({
      a: [
        plain({
          assets: new Map([['btc_bitcoin' as AssetId, { native: 'btc', network: '', notIn: barred }]]),
        }),
      ],
    });
    const count = (state?: string) =>
      list(ACCOUNT, { place: 'US' as CountryCode, state: state as StateCode | undefined }).length;
    expect([count(), count('TX'), count('NY')]).toEqual([1, 1, 0]);
  });

  it('is that of the account', () => {
    const { list } = open({ a: [plain()], b: [plain()] });
    const account = { ...ACCOUNT, providers: ['b' as ProviderId] };
    expect(list(account, { place: 'all', state: undefined }).map(({ provider }) => provider)).toEqual(['b']);
  });

  it('has a usual amount for each of its fiats, and a currency for every country', () => {
    const gateways = open({ a: [plain({ countries: new Set(['DE', 'CH'] as CountryCode[]) })] });
    const where = { place: 'DE' as CountryCode, state: undefined };
    const amounts = gateways.usualAmounts(ACCOUNT, where, gateways.list(ACCOUNT, where));
    expect([...amounts].map(([code, amount]) => `${amount} ${code}`)).toEqual(['100 EUR']);
    // What can be paid with there, else what is paid with there.
    expect(['DE', 'CH', 'JP', 'AQ'].map(code => gateways.currencyOf(ACCOUNT, code as CountryCode))).toEqual([
      'EUR',
      'EUR',
      'JPY',
      'EUR',
    ]);
  });
});
