/** What is supported: answers from the listings, the same way for every question. */
import { describe, expect, it } from 'vitest';
import type { Listing } from '../domain/listing.ts';
import { type Amount, decimal } from '../domain/money.ts';
import type { AccountId, AssetId, CountryCode, FiatId, MethodId, ProviderId } from '../domain/words.ts';
import { currencies } from '../main.ts';
import type { Account } from './accounts.ts';
import type { Listings } from './listings.ts';
import { createSupported, type Scope } from './supported.ts';

const ACCOUNT = {
  ...{ id: 'acc1' as AccountId, name: 'shop', publicKey: 'pk', environment: 'test', providers: undefined },
  preferred: {},
} as unknown as Account;

interface Block {
  side?: Listing['side'];
  countries?: string[];
  assets?: Record<string, { min?: Amount; max?: Amount; notIn?: string[] }>;
  fiats?: Record<string, Record<string, { min?: Amount; max?: Amount; onlyIn?: string[] }>>;
}

const setOf = (codes: string[] | undefined) => codes && new Set(codes as CountryCode[]);

function listing({
  side = 'buy',
  countries,
  assets = { btc_bitcoin: {} },
  fiats = { eur: { creditcard: {} } },
}: Block): Listing {
  return {
    side,
    countries: setOf(countries),
    assets: new Map(
      Object.entries(assets).map(([id, { notIn, ...limits }]) => [
        id as AssetId,
        { native: id, network: '', ...limits, notIn: setOf(notIn) },
      ]),
    ),
    fiats: new Map(
      Object.entries(fiats).map(([id, methods]) => [
        id as FiatId,
        {
          native: id,
          methods: new Map(
            Object.entries(methods).map(([method, { onlyIn, ...limits }]) => [
              method as MethodId,
              { native: method, ...limits, onlyIn: setOf(onlyIn) },
            ]),
          ),
        },
      ]),
    ),
  };
}

/** `completed`: how many of ten orders with each were, by whichever method. */
function supported(providers: Record<string, Block[]>, completed: Record<string, number> = {}) {
  const all = Object.entries(providers).map(([id, blocks]) => ({
    line: { adapter: { manifest: { id } } },
    listings: blocks.map(listing),
  }));
  return createSupported({
    currencies,
    listings: { of: () => all } as unknown as Listings,
    scores: {
      of: () =>
        new Map(
          Object.entries(completed).map(([id, many]) => [id as ProviderId, { started: 10, completed: many }]),
        ),
      recount: async () => {},
    },
  });
}

const scope = (change: Partial<Record<keyof Scope, unknown>> = {}): Scope =>
  ({ account: ACCOUNT, side: 'buy', ...change }) as Scope;

describe('methods', () => {
  it('carry each provider’s limits in what is handed over, and the widest of them', () => {
    const { methods } = supported({
      a: [{ fiats: { eur: { creditcard: { min: decimal(20), max: decimal(500) } } } }],
      b: [{ fiats: { eur: { creditcard: { min: decimal(30), max: decimal(900) } } } }],
    });
    const [offer] = methods(scope({ fiat: 'eur', country: 'DE' }));
    expect(offer?.aggregated).toEqual({ min: decimal(20), max: decimal(900) });
    expect([...(offer?.limits.keys() ?? [])]).toEqual(['a', 'b']);
  });

  it('leave out those not usable in the country, and come in the order of the catalog', () => {
    const { methods } = supported({
      a: [
        { fiats: { eur: { sepabanktransfer: { onlyIn: ['DE'] }, creditcard: {}, pix: { onlyIn: ['BR'] } } } },
      ],
    });
    const ids = (country: string) => methods(scope({ fiat: 'eur', country })).map(({ method }) => method);
    expect([ids('DE'), ids('US')]).toEqual([['creditcard', 'sepabanktransfer'], ['creditcard']]);
  });

  it('are none where every asset is barred, and such a country is not served', () => {
    const { methods, fiats, countries } = supported({
      a: [{ assets: { btc_bitcoin: { notIn: ['KP'] }, eth_ethereum: { notIn: ['KP', 'DE'] } } }],
    });
    for (const [country, served] of [
      ['KP', false],
      ['DE', true],
    ] as const) {
      expect([country, methods(scope({ country })).length > 0]).toEqual([country, served]);
      expect([country, fiats(scope({ country })).length > 0]).toEqual([country, served]);
      expect([country, countries(ACCOUNT).includes(country as CountryCode)]).toEqual([country, served]);
    }
  });

  it('of several blocks of one provider keep the widest limits', () => {
    const { methods } = supported({
      a: [
        { fiats: { eur: { creditcard: { min: decimal(10), max: decimal(500) } } } },
        { fiats: { eur: { creditcard: { min: decimal(50), max: decimal(900) } } } },
      ],
    });
    const [offer] = methods(scope({ fiat: 'eur' }));
    expect(offer?.limits.get('a' as ProviderId)).toEqual({ min: decimal(10), max: decimal(900) });
  });
});

describe('assets and fiats', () => {
  it('are those that can be traded in the country, for the key, on the side', () => {
    const { assets, fiats } = supported({
      a: [{ assets: { btc_bitcoin: {}, eth_ethereum: { notIn: ['DE'] } }, countries: ['DE', 'FR'] }],
      b: [{ side: 'sell', assets: { sol_solana: {} }, fiats: { usd: { creditcard: {} } } }],
    });
    expect(assets(scope({ country: 'DE' })).map(({ id }) => id)).toEqual(['btc_bitcoin']);
    expect(assets(scope({ country: 'FR' })).map(({ id }) => id)).toEqual(['btc_bitcoin', 'eth_ethereum']);
    expect(assets(scope({ country: 'US' }))).toEqual([]);
    expect(assets(scope({ side: 'sell' })).map(({ id }) => id)).toEqual(['sol_solana']);
    expect(fiats(scope({ side: 'sell' })).map(({ id }) => id)).toEqual(['usd']);
    expect(fiats(scope({ account: { ...ACCOUNT, providers: ['b'] } }))).toEqual([]);
  });
});

describe('suggestions', () => {
  it('take the country’s own money, a likely asset and an amount within the limits', () => {
    const { suggest } = supported({
      a: [
        { fiats: { eur: { creditcard: { min: decimal(20), max: decimal(60) } }, usd: { creditcard: {} } } },
      ],
    });
    const suggestion = suggest({ ...scope(), country: 'DE' as CountryCode });
    expect(suggestion).toMatchObject({
      fiat: { id: 'eur' },
      asset: { id: 'btc_bitcoin' },
      method: 'creditcard',
    });
    expect(String(suggestion?.amount)).toBe('60');
  });

  it.each([
    ['20', '30000', '100'],
    ['30', '30000', '200'],
    ['0.3', '9', '2'],
    ['4000', '9000000', '20000'],
  ])('are round: with limits from %s to %s, %s', (min, max, amount) => {
    const limits = { min: decimal(min), max: decimal(max) };
    const { suggest } = supported({ a: [{ fiats: { eur: { creditcard: limits } } }] });
    expect(String(suggest({ ...scope(), country: 'DE' as CountryCode })?.amount)).toBe(amount);
  });

  it('are of a provider that names limits; where none does, an amount of coins to sell is not one of money', () => {
    const sale = { ...scope({ side: 'sell' }), country: 'DE' as CountryCode };
    const block = (min?: string): Block => ({
      side: 'sell',
      assets: { btc_bitcoin: min ? { min: decimal(min) } : {} },
    });
    const unlimited = supported({ a: [block()] }).suggest(sale);
    expect([unlimited?.provider, String(unlimited?.amount)]).toEqual(['a', '0.002']);
    const limited = supported({ a: [block()], b: [block('0.0004')] }).suggest(sale);
    expect([limited?.provider, String(limited?.amount)]).toEqual(['b', '0.002']);
  });

  it('are not made where nothing is sold', () => {
    const { suggest } = supported({ a: [{ countries: ['FR'] }] });
    expect(suggest({ ...scope(), country: 'DE' as CountryCode })).toBeUndefined();
  });
});

describe('availability', () => {
  it('names each provider once, with all its methods and the likeliest as recommended', () => {
    const { availability, countries } = supported({
      a: [{ fiats: { eur: { sepabanktransfer: {} } } }, { fiats: { eur: { debitcard: {} } } }],
      b: [{ countries: ['FR'] }],
    });
    const found = availability(scope({ fiat: 'eur', asset: 'btc_bitcoin', country: 'DE' }));
    expect(found.map(({ provider, methods, recommended }) => [provider.id, methods, recommended])).toEqual([
      ['a', ['debitcard', 'sepabanktransfer'], 'debitcard'],
    ]);
    expect(countries(ACCOUNT)).toHaveLength(currencies.countries.size);
  });
});

describe('providers', () => {
  it('are proven by a method that they take, whoever has done better by another', () => {
    const { availability } = supported(
      {
        a: [{ fiats: { eur: { applepay: {} } } }],
        b: [{ fiats: { eur: { creditcard: {}, applepay: {} } } }],
      },
      { a: 9, b: 5 },
    );
    const found = availability(scope({ fiat: 'eur', asset: 'btc_bitcoin', country: 'DE' }));
    expect(found.map(({ provider, proven }) => [provider.id, proven])).toEqual([
      ['a', ['applepay']],
      ['b', ['creditcard']],
    ]);
  });
});
