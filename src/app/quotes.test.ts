/** Quotes: equal asks share one round, boards are ranked, and every quote has a name that only fits itself. */
import { describe, expect, it } from 'vitest';
import type { Found, Listing } from '../domain/listing.ts';
import { decimal } from '../domain/money.ts';
import { type Ask, decline, type Offer, type Outcome } from '../domain/offer.ts';
import type { AccountId, AssetId, CountryCode, FiatId, MethodId, ProviderId } from '../domain/words.ts';
import type { Auction } from '../engine/auction.ts';
import type { Bidder } from '../engine/questions.ts';
import { currencies } from '../main.ts';
import type { Account } from './accounts.ts';
import { mayUse } from './accounts.ts';
import { type Crowd, createCrowd } from './crowd.ts';
import type { Listed, Listings } from './listings.ts';
import { createQuoteIds, type QuoteBounds } from './quote-ids.ts';
import { createQuotes, type QuoteRequest } from './quotes.ts';

const ACCOUNT: Account = {
  ...{ id: 'acc1' as AccountId, name: 'shop', publicKey: 'pk_test_1', environment: 'test' as const },
  ...{ providers: undefined, preferred: {} },
} as unknown as Account;

const fiat = currencies.findFiat('eur');
const asset = currencies.assets.get('btc_bitcoin' as AssetId);
if (!fiat || !asset) throw new Error('the catalog lacks what every test needs');
const ASK: Ask = {
  ...{ side: 'buy', fiat, asset, method: 'creditcard' as MethodId, country: 'DE' as CountryCode },
  ...{ amount: decimal(100), amountOf: 'source' },
};

function listed(id: string, block: Partial<Listing> = {}): Listed {
  const method = { native: 'card' } satisfies Found['method'];
  const listing: Listing = {
    side: 'buy',
    assets: new Map([['btc_bitcoin' as AssetId, { native: 'btc', network: 'bitcoin' }]]),
    fiats: new Map([
      ['eur' as FiatId, { native: 'EUR', methods: new Map([['creditcard' as MethodId, method]]) }],
    ]),
    ...block,
  };
  return {
    line: { adapter: { manifest: { id, limits: { connections: 8 } } } },
    listings: [listing],
  } as unknown as Listed;
}

function offer(gets: string): Offer {
  const figures = {
    pays: decimal(100),
    networkFee: decimal(1),
    providerFee: decimal(2),
    rate: decimal(88_000),
  };
  return { kind: 'offer', ...figures, gets: decimal(gets), asks: [] };
}

interface Held {
  bidders: readonly Bidder[];
  tell(outcome: Outcome): void;
  finish(outcomes: Outcome[]): void;
}

/** An auction that goes on until the test ends it. */
function setUp(providers: Listed[] = [listed('a'), listed('b')], crowd?: Crowd, unread: Listed[] = []) {
  const rounds: Held[] = [];
  const observed: string[] = [];
  const clock = { ticks: 0 };
  const auction: Auction = {
    run: (_ask, bidders, wish) =>
      new Promise(resolve => {
        const placeOf = ({ provider }: Outcome) =>
          bidders.findIndex(({ line }) => line.adapter.manifest.id === provider);
        const tell = (outcome: Outcome) => wish?.onOutcome?.(outcome, placeOf(outcome));
        rounds.push({ bidders, tell, finish: resolve });
      }),
  };
  const quotes = createQuotes({
    listings: { of: () => providers, unread: () => unread.map(({ line }) => line) } as unknown as Listings,
    auction,
    scores: { of: () => new Map(), recount: async () => {} },
    ids: createQuoteIds(Buffer.alloc(32, 1)),
    crowd: crowd ?? createCrowd({ most: 0, deadlineMs: 2_000, ticks: () => 0, onRefused() {} }),
    observe: (provider, kind) => void observed.push(`${provider} ${kind}`),
    now: () => 1_800_000_000_000,
    ticks: () => clock.ticks,
  });
  return { quotes, rounds, observed, clock };
}

const request = (change: Partial<Ask> = {}, account: Partial<Account> = {}): QuoteRequest => ({
  account: { ...ACCOUNT, ...account },
  ask: { ...ASK, ...change },
  clientName: undefined,
});

const outcome = (provider: string, answer: Outcome['answer']): Outcome => ({
  provider: provider as ProviderId,
  answer,
});

describe('asking', () => {
  it('leaves out who is asked too much already, and says and counts that', async () => {
    const crowd = createCrowd({ most: 0, deadlineMs: 2_000, ticks: () => 0, onRefused() {} });
    const full: Crowd = {
      ...crowd,
      enter(caller, bidders) {
        const place = crowd.enter(caller, bidders.slice(0, 1));
        return { ...place, busy: bidders.slice(1) };
      },
    };
    const { quotes, rounds, observed } = setUp([listed('a'), listed('b')], full);
    const asking = quotes.ask(request());
    rounds[0]?.finish([outcome('a', offer('0.001'))]);
    const board = await asking;
    expect(board.quotes.map(({ provider }) => provider)).toEqual(['a']);
    expect(board.refusals).toMatchObject([
      { provider: 'b', answer: { reason: 'unavailable', cause: 'busy' } },
    ]);
    expect(observed).toEqual(['b busy']);
  });

  it('says of who has not told yet what it offers that it is not available', async () => {
    const { quotes, rounds } = setUp([listed('a')], undefined, [listed('b'), listed('c')]);
    const asking = quotes.ask(request({}, { providers: ['a', 'b'] as ProviderId[] }));
    rounds[0]?.finish([outcome('a', offer('0.001'))]);
    expect((await asking).refusals).toMatchObject([{ provider: 'b', answer: { reason: 'unavailable' } }]);
  });

  it('gives offers in their order and the others’ reasons', async () => {
    const { quotes, rounds } = setUp([listed('a'), listed('b'), listed('c'), listed('d', { side: 'sell' })]);
    const asking = quotes.ask(request());
    expect(rounds[0]?.bidders.map(({ line }) => line.adapter.manifest.id)).toEqual(['a', 'b', 'c']);
    rounds[0]?.finish([
      outcome('a', offer('0.001')),
      outcome('b', offer('0.0011')),
      outcome('c', decline('limit', 'Amount should be at least EUR 150')),
    ]);
    const board = await asking;
    expect(board.quotes.map(({ provider, recommendations }) => [provider, recommendations])).toEqual([
      ['b', ['BestPrice', 'LowKyc']],
      ['a', []],
    ]);
    expect(board.refusals.map(({ provider, answer }) => [provider, answer.reason])).toEqual([
      ['d', 'pair'],
      ['c', 'limit'],
    ]);
  });

  it('names the parameter that is missed: the pair, the country or the method', async () => {
    const { quotes, rounds } = setUp([
      listed('pair', { assets: new Map() }),
      listed('country', { countries: new Set(['US' as CountryCode]) }),
      listed('method', { fiats: new Map([['eur' as FiatId, { native: 'EUR', methods: new Map() }]]) }),
    ]);
    const asking = quotes.ask(request());
    rounds[0]?.finish([]);
    const { refusals } = await asking;
    expect(refusals.map(({ answer }) => [answer.reason, answer.message])).toEqual([
      ['pair', 'Buying btc_bitcoin with EUR is not supported'],
      ['country', 'btc_bitcoin with EUR is not available in DE'],
      ['method', 'Payment method creditcard is not available for btc_bitcoin with EUR in DE'],
    ]);
  });

  it('asks only the providers the account may use', async () => {
    const { quotes, rounds } = setUp();
    void quotes.ask(request({}, { providers: ['b' as ProviderId] }));
    expect(rounds[0]?.bidders.map(({ line }) => line.adapter.manifest.id)).toEqual(['b']);
    expect([
      mayUse(ACCOUNT, 'x' as ProviderId),
      mayUse({ ...ACCOUNT, providers: [] }, 'x' as ProviderId),
    ]).toEqual([true, false]);
  });

  it('marks what the account prefers: for the client’s name, else for all', async () => {
    const preferred = { '*': 'a' as ProviderId, widget: 'b' as ProviderId };
    const badge = async (clientName: string | undefined) => {
      const { quotes, rounds } = setUp();
      const asking = quotes.ask({ ...request({}, { preferred }), clientName });
      rounds[0]?.finish([outcome('a', offer('0.001')), outcome('b', offer('0.001'))]);
      const { quotes: all } = await asking;
      return all.find(({ recommendations }) => recommendations.includes('ClientPreferred'))?.provider;
    };
    expect([await badge(undefined), await badge('widget'), await badge('unknown')]).toEqual(['a', 'b', 'a']);
  });

  it('takes no name of the prototype for a client', async () => {
    for (const clientName of ['constructor', '__proto__', 'toString']) {
      const { quotes, rounds } = setUp();
      const asking = quotes.ask({ ...request({}, { preferred: { '*': 'a' as ProviderId } }), clientName });
      rounds[0]?.finish([outcome('a', offer('0.001'))]);
      const [quote] = (await asking).quotes;
      expect(quote?.recommendations).toContain('ClientPreferred');
    }
  });
});

describe('equal asks', () => {
  it('share one round while it is under way and shortly after', async () => {
    const { quotes, rounds } = setUp();
    const both = [quotes.ask(request()), quotes.ask(request({ amount: decimal('100.00') }))];
    rounds[0]?.finish([outcome('a', offer('0.001'))]);
    await Promise.all(both);
    await quotes.ask(request());
    expect(rounds).toHaveLength(1);
  });

  it('ask anew once the answer is two seconds old', async () => {
    const { quotes, rounds, clock } = setUp();
    const first = quotes.ask(request());
    clock.ticks = 10_000; // the round took its time: what counts is when it was complete
    rounds[0]?.finish([outcome('a', offer('0.001'))]);
    await first;
    clock.ticks = 11_999;
    await quotes.ask(request());
    expect(rounds).toHaveLength(1);
    clock.ticks = 12_000;
    void quotes.ask(request());
    expect(rounds).toHaveLength(2);
  });

  it('share a round that is under way however many others come meanwhile', async () => {
    const { quotes, rounds } = setUp();
    const first = quotes.ask(request());
    for (let amount = 101; amount < 301; amount++) {
      const other = quotes.ask(request({ amount: decimal(amount) }));
      rounds.at(-1)?.finish([]);
      await other;
    }
    void quotes.ask(request());
    expect(rounds).toHaveLength(201);
    rounds[0]?.finish([outcome('a', offer('0.001'))]);
    expect((await first).quotes).toHaveLength(1);
  });

  it.each<[string, Partial<Ask>, Partial<Account>]>([
    ['amount', { amount: decimal(101) }, {}],
    ['which amount is fixed', { amountOf: 'destination' }, {}],
    ['side', { side: 'sell' }, {}],
    ['country', { country: 'FR' as CountryCode }, {}],
    ['method', { method: 'applepay' as MethodId }, {}],
    ['wallet', { walletAddress: 'bc1q' }, {}],
    ['world', {}, { environment: 'live' }],
    ['providers', {}, { providers: ['a' as ProviderId] }],
  ])('are not equal when they differ in %s', async (_what, ask, account) => {
    const { quotes, rounds } = setUp();
    void quotes.ask(request());
    void quotes.ask(request(ask, account));
    expect(rounds).toHaveLength(2);
  });

  it('are not mixed up by values that hold the separator', async () => {
    const { quotes, rounds } = setUp();
    void quotes.ask(request({ walletAddress: 'x|buy' }));
    void quotes.ask(request({ walletAddress: 'x' }));
    expect(rounds).toHaveLength(2);
  });
});

describe('following', () => {
  it('tells what has come already, then the rest, and stops after the end', async () => {
    const { quotes, rounds } = setUp([listed('a'), listed('b'), listed('c', { side: 'sell' })]);
    const early: string[] = [];
    const late: string[] = [];
    const first = quotes.follow(request(), ({ provider }) => early.push(provider));
    rounds[0]?.tell(outcome('a', offer('0.001')));
    const second = quotes.follow(request(), ({ provider }) => late.push(provider));
    rounds[0]?.tell(outcome('b', offer('0.001')));
    rounds[0]?.finish([outcome('a', offer('0.001')), outcome('b', offer('0.001'))]);
    await Promise.all([first, second]);
    rounds[0]?.tell(outcome('x', offer('0.001')));
    expect([early, late]).toEqual([
      ['c', 'a', 'b'],
      ['c', 'a', 'b'],
    ]);
  });
});

describe('a follower that fails', () => {
  it('costs neither the round nor the others anything', async () => {
    const { quotes, rounds } = setUp();
    const heard: string[] = [];
    const broken = quotes.follow(request(), () => {
      throw new Error('the connection is gone');
    });
    const whole = quotes.follow(request(), ({ provider }) => heard.push(provider));
    const settled = Promise.allSettled([broken, whole]);
    expect(() => rounds[0]?.tell(outcome('a', offer('0.001')))).not.toThrow();
    rounds[0]?.finish([outcome('a', offer('0.001'))]);
    expect((await settled)[1]).toMatchObject({ status: 'fulfilled', value: { quotes: [{ provider: 'a' }] } });
    expect(heard).toEqual(['a']);
  });
});

describe('a quote’s name', () => {
  it('is short, opaque, and its own for each provider and account', async () => {
    const { quotes, rounds } = setUp([listed('a'), listed('b'), listed('c')]);
    const asking = quotes.ask(request());
    rounds[0]?.finish([
      outcome('a', offer('0.00110227')),
      outcome('b', offer('123456789012345.123456789012345678')),
      outcome('c', decline('limit', 'no')),
    ]);
    const boards = [await asking, await quotes.ask(request({}, { id: 'acc2' as AccountId }))];
    const names = boards.flatMap(board => [...board.quotes, ...board.refusals].map(({ quoteId }) => quoteId));
    expect(new Set(names).size).toBe(6);
    expect(names.filter(name => !/^[A-Za-z0-9_.-]{20,128}$/.test(name))).toEqual([]);
  });

  it('opens only for the same account, provider, pair, amount, method and side', async () => {
    const { quotes, rounds } = setUp();
    const asking = quotes.ask(request());
    rounds[0]?.finish([outcome('a', offer('0.001'))]);
    const [quote] = (await asking).quotes;
    const ids = createQuoteIds(Buffer.alloc(32, 1));
    const bounds: QuoteBounds = {
      account: 'acc1' as AccountId,
      provider: 'a' as ProviderId,
      side: 'buy',
      fiat: 'eur' as FiatId,
      asset: 'btc_bitcoin' as AssetId,
      method: 'creditcard' as MethodId,
      amount: decimal('100'),
    };
    const id = quote?.quoteId ?? '';
    const promised = ids.read(bounds, id);
    expect(promised?.until).toBe(1_800_000_600_000);
    expect(String(promised?.price?.gets)).toBe('0.001');
    expect(ids.read({ ...bounds, provider: 'b' as ProviderId }, id)).toBeUndefined();
    expect(ids.read({ ...bounds, account: 'acc2' as AccountId }, id)).toBeUndefined();
    expect(ids.read({ ...bounds, side: 'sell' }, id)).toBeUndefined();
  });
});
