/** The auction: one deadline for all, one outcome each, and nothing a provider does costs anyone else. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Asset, Fiat } from '../domain/currency.ts';
import type { Found } from '../domain/listing.ts';
import { decimal, ZERO } from '../domain/money.ts';
import { type Ask, type Decline, decline, type Outcome, type Price } from '../domain/offer.ts';
import type { AssetId, CountryCode, FiatId, MethodId, NetworkId, ProviderId, Side } from '../domain/words.ts';
import type { Adapter, NativeAsk } from '../providers/contract.ts';
import { BadAnswer } from '../providers/exchange.ts';
import { type Bidder, createAuction, isPriced, type OutcomeKind } from './auction.ts';
import type { Deadline } from './deadline.ts';
import { createHealth, type Health } from './health.ts';
import { Upstream } from './upstream.ts';

const NOW = 1_800_000_000_000;
const EUR: Fiat = { id: 'eur' as FiatId, code: 'EUR', name: 'Euro', symbol: '€', decimals: 2 };
const BTC: Asset = {
  ...{ id: 'btc_bitcoin' as AssetId, code: 'BTC', name: 'Bitcoin', symbol: 'BTC', main: true },
  ...{ network: 'bitcoin' as NetworkId, decimals: 8, address: '0x0000000000000000000000000000000000000000' },
};
const ASK: Ask = {
  ...{ side: 'buy', fiat: EUR, asset: BTC, method: 'creditcard' as MethodId, country: 'DE' as CountryCode },
  ...{ amount: decimal(100), amountOf: 'source' },
};
const FOUND: Found = {
  asset: { native: 'btc', network: 'mainnet' },
  fiat: { native: 'eur', methods: new Map() },
  method: { native: 'card' },
};

type Behaviour = (ask: NativeAsk, deadline: Deadline) => Promise<Price | Decline>;

interface Plan {
  found?: Found;
  health?: Health;
  pricesDestination?: Side[];
}

/** A provider that behaves as told; what was asked of it is kept. */
function bidder(id: string, behave: Behaviour, plan: Plan = {}): Bidder & { asked: NativeAsk[] } {
  const asked: NativeAsk[] = [];
  let deadline: Deadline | undefined;
  const adapter: Adapter = {
    manifest: {
      ...{
        id: id as ProviderId,
        name: id,
        hosts: {},
        sides: ['buy', 'sell'],
        methods: {},
        networks: {},
        settings: [],
      },
      pricesDestination: plan.pricesDestination ?? [],
      duration: { '*': 600 },
      kyc: [{ upTo: { EUR: '150' }, asks: ['email'] }, { asks: ['email', 'selfie'] }],
      limits: { perSecond: 1_000, burst: 1_000, connections: 4 },
      checkout: {
        makes: 'link',
        opens: 'iframe',
        pages: { buy: 'api', sell: 'api' },
        permissions: [],
      },
      statuses: {},
    },
    checkout: () => {
      throw new Error('not asked here');
    },
    catalog: () => [],
    quote(ask) {
      asked.push(ask);
      // The engine waits for whatever the line gives it; here that is the behaviour itself.
      return behave(ask, deadline as Deadline) as unknown as Price;
    },
  };
  return {
    asked,
    found: plan.found ?? FOUND,
    line: {
      adapter,
      environment: 'test',
      health: plan.health ?? createHealth(),
      async run(work, options) {
        deadline = options.deadline;
        return work({} as never) as never;
      },
      prove: async () => false,
      pageOrigin: () => '',
      isOwnPage: () => false,
      close: async () => {},
    },
  };
}

const priceAt =
  (rate: number): Behaviour =>
  async ({ amount, side, amountOf }) => {
    const fees = { networkFee: decimal(1), providerFee: decimal(2) };
    if (amountOf === 'destination') {
      const worth = amount.times(rate);
      return side === 'buy'
        ? { pays: worth.plus(3), gets: amount, ...fees }
        : { pays: amount.plus(3).div(rate), gets: amount, ...fees };
    }
    return side === 'buy'
      ? { pays: amount, gets: amount.minus(3).div(rate), ...fees }
      : { pays: amount, gets: amount.times(rate).minus(3), ...fees };
  };

/** Never answers; ends when the deadline does, as the transport would. */
const hang: Behaviour = (_ask, deadline) =>
  new Promise((_resolve, reject) => {
    deadline.onExpire(() => reject(new Upstream('late', 'no answer before the deadline')));
  });

interface Observed {
  provider: string;
  kind: OutcomeKind;
}

function open(deadlineMs = 5_000) {
  const observed: Observed[] = [];
  const auction = createAuction({
    now: () => NOW,
    ticks: () => NOW,
    deadlineMs,
    observe: (provider, kind) => void observed.push({ provider, kind }),
  });
  return { auction, observed };
}

function show(outcomes: readonly Outcome[]): Record<string, string> {
  return Object.fromEntries(
    outcomes.map(({ provider, answer }) => [provider, answer.kind === 'offer' ? 'offer' : answer.reason]),
  );
}

afterEach(() => void vi.useRealTimers());

describe('an auction', () => {
  it('gives one outcome for each provider, in the order they were given, with what each asks for', async () => {
    const { auction, observed } = open();
    const outcomes = await auction.run(ASK, [
      bidder('a', priceAt(88_000)),
      bidder('b', async () => decline('country', 'not there')),
      bidder('c', priceAt(89_000)),
    ]);
    expect(show(outcomes)).toEqual({ a: 'offer', b: 'country', c: 'offer' });
    expect(outcomes[0]?.answer).toMatchObject({ gets: decimal('0.00110227'), asks: ['email'] });
    expect(observed.map(({ provider, kind }) => `${provider} ${kind}`).sort()).toEqual([
      'a offer',
      'b decline',
      'c offer',
    ]);
  });

  it('asks in the provider’s own words', async () => {
    const one = bidder('a', priceAt(88_000));
    await open().auction.run(ASK, [one]);
    expect(one.asked[0]?.native).toEqual({ fiat: 'eur', asset: 'btc', network: 'mainnet', method: 'card' });
  });

  it('asks all at once', async () => {
    let waiting = 0;
    let release: (() => void) | undefined;
    const everybody = new Promise<void>(resolve => {
      release = resolve;
    });
    const together: Behaviour = async (ask, deadline) => {
      if (++waiting === 3) release?.();
      await everybody;
      return priceAt(88_000)(ask, deadline);
    };
    const outcomes = await open().auction.run(
      ASK,
      ['a', 'b', 'c'].map(id => bidder(id, together)),
    );
    expect(outcomes.filter(isPriced)).toHaveLength(3);
  });

  it('ends for all at one deadline, with the quotes that came', async () => {
    vi.useFakeTimers();
    const { auction } = open(1_000);
    const running = auction.run(ASK, [
      bidder('slow', hang),
      bidder('quick', priceAt(88_000)),
      bidder('stuck', hang),
      bidder('late', async (ask, deadline) => {
        await new Promise(resolve => setTimeout(resolve, 900));
        return priceAt(88_000)(ask, deadline);
      }),
    ]);
    await vi.advanceTimersByTimeAsync(999);
    let done = false;
    void running.then(() => {
      done = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(show(await running)).toEqual({
      slow: 'unavailable',
      quick: 'offer',
      stuck: 'unavailable',
      late: 'offer',
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives all steps of solving the same deadline', async () => {
    vi.useFakeTimers();
    const { auction } = open(1_000);
    const slow: Behaviour = (ask, deadline) =>
      new Promise((resolve, reject) => {
        setTimeout(() => resolve(priceAt(88_000)(ask, deadline)), 400);
        deadline.onExpire(() => reject(new Upstream('late', '')));
      });
    const running = auction.run({ ...ASK, amount: decimal('0.5'), amountOf: 'destination' }, [
      bidder('a', slow),
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(show(await running)).toEqual({ a: 'unavailable' });
  });

  it('leaves no timer behind when everybody answers early', async () => {
    vi.useFakeTimers();
    await open(60_000).auction.run(ASK, [bidder('a', priceAt(88_000))]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells each outcome as it comes', async () => {
    const heard: string[] = [];
    const { auction } = open();
    await auction.run(
      ASK,
      [
        bidder('second', async (ask, deadline) => {
          await new Promise(resolve => setTimeout(resolve, 30));
          return priceAt(88_000)(ask, deadline);
        }),
        bidder('first', priceAt(88_000)),
      ],
      ({ provider }) => heard.push(provider),
    );
    expect(heard).toEqual(['first', 'second']);
  });

  it('without providers is over at once', async () => {
    expect(await open().auction.run(ASK, [])).toEqual([]);
  });
});

describe('a provider that does not answer', () => {
  it('is skipped after five times, and nobody waits for the probe that follows', async () => {
    vi.useFakeTimers();
    let now = NOW;
    const auction = createAuction({ now: () => now, ticks: () => now, deadlineMs: 1_000, observe: () => {} });
    const stuck = bidder('stuck', hang);
    const quick = bidder('quick', priceAt(88_000));
    const elapsed: number[] = [];
    const round = async () => {
      const began = Date.now();
      const running = auction.run(ASK, [stuck, quick]);
      let done = false;
      void running.then(() => {
        done = true;
      });
      while (!done) await vi.advanceTimersByTimeAsync(100);
      elapsed.push(Date.now() - began);
      return running;
    };
    for (let times = 0; times < 7; times++) await round();
    expect(elapsed.map(ms => ms >= 1_000)).toEqual([true, true, true, true, true, false, false]);
    expect(stuck.asked).toHaveLength(5);

    now += 5_000;
    expect(show(await round())).toEqual({ stuck: 'unavailable', quick: 'offer' });
    expect([stuck.asked.length, (elapsed.at(-1) ?? 0) < 1_000]).toEqual([6, true]);
    await round();
    expect(stuck.asked).toHaveLength(6);
    // The probe has a deadline of its own; then the pause doubles.
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stuck.line.health.state()).toBe('open');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('comes back when a probe succeeds', async () => {
    let now = NOW;
    const auction = createAuction({ now: () => now, ticks: () => now, deadlineMs: 1_000, observe: () => {} });
    const health = createHealth();
    for (let failure = 0; failure < 5; failure++) health.failed(new Upstream('late', ''), now);
    const back = bidder('back', priceAt(88_000), { health });
    now += 5_000;
    expect(show(await auction.run(ASK, [back]))).toEqual({ back: 'unavailable' });
    await vi.waitFor(() => expect(health.state()).toBe('closed'));
    expect(show(await auction.run(ASK, [back]))).toEqual({ back: 'offer' });
  });

  it('is not asked while it wants to be left alone', async () => {
    const { auction } = open();
    const busy = bidder('busy', async () => {
      throw new Upstream('limited', 'answered 429', 30_000);
    });
    for (let times = 0; times < 5; times++) await auction.run(ASK, [busy]);
    expect(busy.asked).toHaveLength(1);
  });
});

describe('limits', () => {
  const bounded: Found = { ...FOUND, method: { native: 'card', min: decimal(120), max: decimal(500) } };

  it('that are known decline without a question', async () => {
    const one = bidder('a', priceAt(88_000), { found: bounded });
    const [outcome] = await open().auction.run(ASK, [one]);
    expect(outcome?.answer).toMatchObject({
      reason: 'limit',
      limits: bounded.method && { min: decimal(120) },
    });
    expect(one.asked).toEqual([]);
  });

  it('on what comes out are told in what is handed over, and an amount at them is accepted', async () => {
    const found: Found = { ...FOUND, asset: { native: 'btc', network: 'mainnet', min: decimal('0.005') } };
    const { auction } = open();
    const [outcome] = await auction.run(ASK, [bidder('a', priceAt(88_000), { found })]);
    const answer = outcome?.answer as Decline;
    expect(answer).toMatchObject({ kind: 'decline', reason: 'limit' });
    const min = answer.limits?.min ?? ZERO;
    expect(String(min)).toMatch(/^443(\.\d{1,2})?$/);
    const again = await auction.run({ ...ASK, amount: min.plus(1) }, [
      bidder('a', priceAt(88_000), { found }),
    ]);
    expect(show(again)).toEqual({ a: 'offer' });
  });
});

describe('limits of an exact payout', () => {
  const bounded: Found = { ...FOUND, method: { native: 'card', min: decimal(120), max: decimal(5_000) } };
  const wanting = (amount: string): Ask => ({ ...ASK, amount: decimal(amount), amountOf: 'destination' });

  it.each<[string, Side[]]>([
    ['solved for', []],
    ['asked for directly', ['buy']],
  ])(
    'are told in both, and an amount at them is accepted, where it is %s',
    async (_how, pricesDestination) => {
      const { auction } = open();
      const one = () => bidder('a', priceAt(88_000), { found: bounded, pricesDestination });
      for (const [amount, end] of [
        ['0.0000001', 'min'],
        ['3', 'max'],
      ] as const) {
        const [refused] = await auction.run(wanting(amount), [one()]);
        const answer = refused?.answer as Decline;
        expect(answer).toMatchObject({ reason: 'limit', limits: { min: decimal(120), max: decimal(5_000) } });
        const bound = answer.received?.[end];
        expect([end, Object.values(answer.received ?? {}).filter(Boolean).length]).toEqual([end, 1]);
        // The price may move a little meanwhile.
        for (const rate of [87_500, 88_500]) {
          const ask = wanting(String(bound));
          const again = bidder('a', priceAt(rate), { found: bounded, pricesDestination });
          expect([end, rate, show(await auction.run(ask, [again]))]).toEqual([end, rate, { a: 'offer' }]);
        }
      }
    },
  );

  it('asks nothing twice, and no more than once for a limit', async () => {
    const one = bidder('a', priceAt(88_000), { found: bounded });
    await open().auction.run(wanting('3'), [one]);
    const amounts = one.asked.map(({ amount }) => String(amount));
    expect(new Set(amounts).size).toBe(amounts.length);
    expect(amounts.length).toBeLessThan(6);
  });

  it('are hardly more than listed where they are listed in what is received', async () => {
    const found: Found = { ...FOUND, asset: { native: 'btc', network: 'mainnet', min: decimal('0.005') } };
    const { auction } = open();
    const [refused] = await auction.run(wanting('0.001'), [bidder('a', priceAt(88_000), { found })]);
    const { min } = (refused?.answer as Decline | undefined)?.received ?? {};
    expect([min?.gte('0.005'), min?.lt('0.0051')]).toEqual([true, true]);
    const again = await auction.run(wanting('0.005'), [bidder('a', priceAt(88_000), { found })]);
    expect(show(again)).toEqual({ a: 'offer' });
  });

  it('are still refused for when the provider says no more about them', async () => {
    vi.useFakeTimers();
    const { auction } = open(1_000);
    let questions = 0;
    const silent: Behaviour = (ask, deadline) =>
      ++questions === 1 ? Promise.resolve(decline('limit', 'too much')) : hang(ask, deadline);
    const running = auction.run(wanting('3'), [
      bidder('a', silent, { found: bounded, pricesDestination: ['buy'] }),
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(show(await running)).toEqual({ a: 'limit' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('an exact payout', () => {
  const exact: Ask = { ...ASK, amount: decimal('0.005'), amountOf: 'destination' };

  it('is asked for directly where the provider prices it', async () => {
    const one = bidder('a', priceAt(88_000), { pricesDestination: ['buy'] });
    const [outcome] = await open().auction.run(exact, [one]);
    expect(outcome?.answer).toMatchObject({ kind: 'offer', gets: decimal('0.005') });
    expect(one.asked.map(({ amountOf }) => amountOf)).toEqual(['destination']);
  });

  it('is solved for where it does not', async () => {
    const one = bidder('a', priceAt(88_000));
    const [outcome] = await open().auction.run(exact, [one]);
    expect(outcome?.answer).toMatchObject({ kind: 'offer', pays: decimal('443') });
    expect(one.asked.every(({ amountOf }) => amountOf === 'source')).toBe(true);
  });
});

describe('lies', () => {
  it('far from what the others say are taken out and counted', async () => {
    const { auction, observed } = open();
    const honest = ['a', 'b', 'c'].map((id, place) => bidder(id, priceAt(88_000 + 500 * place)));
    const outcomes = await auction.run(ASK, [bidder('liar', priceAt(88)), ...honest]);
    expect(show(outcomes)).toEqual({ liar: 'unavailable', a: 'offer', b: 'offer', c: 'offer' });
    expect(observed).toContainEqual({ provider: 'liar', kind: 'absurd' });
  });

  it('of a single provider are known by the rate seen before', async () => {
    const { auction } = open();
    await auction.run(ASK, [bidder('a', priceAt(88_000))]);
    expect(show(await auction.run(ASK, [bidder('a', priceAt(88))]))).toEqual({ a: 'unavailable' });
    // A lie does not become the new truth.
    expect(show(await auction.run(ASK, [bidder('a', priceAt(88_100))]))).toEqual({ a: 'offer' });
  });

  it('known by the rate seen before are not told to those who listen either', async () => {
    const { auction } = open();
    await auction.run(ASK, [bidder('a', priceAt(88_000))]);
    const heard: Outcome[] = [];
    await auction.run(ASK, [bidder('a', priceAt(88))], outcome => heard.push(outcome));
    expect(show(heard)).toEqual({ a: 'unavailable' });
  });

  it('that cannot add up are no offers', async () => {
    const { auction } = open();
    const off: Behaviour = async ask =>
      ({ ...(await priceAt(88_000)(ask, {} as Deadline)), providerFee: decimal(-5) }) as Price;
    expect(show(await auction.run(ASK, [bidder('a', off)]))).toEqual({ a: 'unavailable' });
  });

  it('told five times in a row have the provider left alone', async () => {
    const { auction } = open();
    const one = bidder('a', async ask => ({
      pays: ask.amount,
      gets: ZERO,
      networkFee: ZERO,
      providerFee: ZERO,
    }));
    for (let times = 0; times < 8; times++) await auction.run(ASK, [one]);
    expect([one.asked.length, one.line.health.state()]).toEqual([5, 'open']);
  });

  it('about the time are no offers: a price that has run out is not shown', async () => {
    const { auction } = open();
    const stale: Behaviour = async ask =>
      ({ ...(await priceAt(88_000)(ask, {} as Deadline)), validUntil: NOW - 1 }) as Price;
    expect(show(await auction.run(ASK, [bidder('a', stale)]))).toEqual({ a: 'unavailable' });
  });
});

describe('hostile adapters', () => {
  const infinite = decimal(1).div(0);
  const good = {
    pays: decimal(100),
    gets: decimal('0.001'),
    networkFee: decimal(1),
    providerFee: decimal(2),
  };
  const thrown = [
    new Error('x'),
    new BadAnswer('y'),
    new Upstream('garbage', 'z'),
    'text',
    undefined,
    null,
    42,
    {},
  ];
  const returned = [
    ...[undefined, null, 'text', 42, [], {}, { kind: 'offer' }, { kind: 'nonsense' }, () => good],
    ...[
      { ...good, pays: '100' },
      { ...good, gets: undefined },
      { ...good, gets: infinite },
    ],
    ...[{ ...good, networkFee: infinite.minus(infinite) }, { ...good, rate: 'x' }, Object.create(null)],
  ];
  const behaviours: [string, Behaviour][] = [
    ...thrown.map((what, at): [string, Behaviour] => [
      `throws ${at}`,
      () => {
        throw what;
      },
    ]),
    ...thrown.map((what, at): [string, Behaviour] => [`rejects ${at}`, () => Promise.reject(what)]),
    ...returned.map((what, at): [string, Behaviour] => [`returns ${at}`, async () => what as Price]),
  ];

  it.each(['source', 'destination'] as const)('cost nobody else the quote (%s fixed)', async amountOf => {
    const { auction } = open();
    const ask: Ask = { ...ASK, amount: decimal(amountOf === 'source' ? '100' : '0.005'), amountOf };
    const outcomes = await auction.run(ask, [
      ...behaviours.map(([name, behave]) => bidder(name, behave)),
      bidder('good', priceAt(88_000)),
    ]);
    const shown = show(outcomes);
    expect(shown.good).toBe('offer');
    expect(Object.entries(shown).filter(([name, answer]) => name !== 'good' && answer === 'offer')).toEqual(
      [],
    );
    expect(outcomes).toHaveLength(behaviours.length + 1);
  });

  it('are never quoted to the client', async () => {
    const outcomes = await open().auction.run(
      ASK,
      behaviours.map(([name, behave]) => bidder(name, behave)),
    );
    for (const { answer } of outcomes) {
      expect((answer as Decline).message).toMatch(/^The provider /);
    }
  });
});
