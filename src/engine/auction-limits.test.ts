/** Amounts in an auction: limits that are known, limits of an exact payout, and exact payouts themselves. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ASK, type Behaviour, bidder, FOUND, hang, open, priceAt, show } from '../../test/bidders.ts';
import type { Found } from '../domain/listing.ts';
import { cut, decimal, largest, ZERO } from '../domain/money.ts';
import { type Ask, type Decline, decline, type Price } from '../domain/offer.ts';
import type { Side } from '../domain/words.ts';

afterEach(() => void vi.useRealTimers());

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

describe('amounts of a currency that is taken with few places', () => {
  const coarse: Found = {
    ...FOUND,
    fiat: { ...FOUND.fiat, places: 0 },
    asset: { ...FOUND.asset, places: 2 },
  };
  const asking = (amount: string, more: Partial<Ask> = {}): Ask => ({
    ...ASK,
    amount: decimal(amount),
    ...more,
  });

  it.each<[string, Ask, string]>([
    ['money on a buy', asking('100.5'), 'EUR'],
    ['coins on a sell', asking('0.123', { side: 'sell' }), 'BTC'],
    ['coins to be received', asking('0.123', { amountOf: 'destination' }), 'BTC'],
  ])('are refused without a question when they are finer: %s', async (_what, ask, code) => {
    const one = bidder('a', priceAt(88_000), { found: coarse, pricesDestination: ['buy', 'sell'] });
    const [outcome] = await open().auction.run(ask, [one]);
    expect(outcome?.answer).toMatchObject({
      reason: 'refused',
      message: expect.stringContaining(`Amounts of ${code} are taken`),
    });
    expect(one.asked).toEqual([]);
  });

  it('are asked about as they are otherwise', async () => {
    const one = bidder('a', priceAt(88_000), { found: coarse });
    expect(show(await open().auction.run(asking('100'), [one]))).toEqual({ a: 'offer' });
  });

  it('are solved for in such amounts', async () => {
    const one = bidder('a', priceAt(88_000), { found: coarse });
    expect(show(await open().auction.run(asking('0.01', { amountOf: 'destination' }), [one]))).toEqual({
      a: 'offer',
    });
    expect(one.asked.map(({ amount }) => amount.decimalPlaces()).filter(places => places > 0)).toEqual([]);
  });
});

describe('a refusal for the amount without a figure', () => {
  const refuses: Behaviour = async () => decline('limit', 'Too much for this method');
  it('keeps its own words where the listed limits would have let the amount through', async () => {
    const found: Found = { ...FOUND, method: { native: 'card', min: decimal(30), max: decimal(101_000) } };
    const [outcome] = await open().auction.run(ASK, [bidder('a', refuses, { found })]);
    expect(outcome?.answer).toEqual(decline('limit', 'Too much for this method'));
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

describe('an amount too small', () => {
  const FEES = { networkFee: decimal(1), providerFee: decimal(2) };
  const tiny: Ask = { ...ASK, amount: decimal('0.00001'), amountOf: 'destination' };
  const sale: Ask = { ...ASK, side: 'sell', amount: decimal('0.0000001') };

  /** As MoonPay does: less than 0.001 is priced as that. */
  const atLeast = (change: Partial<Price> = {}): Behaviour => {
    const honest = priceAt(88_000);
    return async (ask, deadline) => {
      if (ask.amountOf === 'source')
        return ask.amount.lt(91) ? decline('limit', 'too little') : honest(ask, deadline);
      const amount = largest(ask.amount, decimal('0.001')) ?? ask.amount;
      return { ...(await honest({ ...ask, amount }, deadline)), ...change } as Price;
    };
  };
  /** As some do who name no least amount: what is left after the fees, and if that is nothing, nothing. */
  const leaving: Behaviour = async ({ amount }) => ({
    ...FEES,
    pays: amount,
    gets: largest(ZERO, cut(amount.times(88_000).minus(3), 2)) ?? ZERO,
  });

  it('is refused for, not held against a provider that prices its least amount instead', async () => {
    const { auction } = open();
    const one = bidder('a', atLeast(), { pricesDestination: ['buy'] });
    for (let times = 0; times < 6; times++) {
      const [outcome] = await auction.run(tiny, [one]);
      expect(outcome?.answer).toMatchObject({ reason: 'limit', limits: { min: decimal(91) } });
      const { min = ZERO } = (outcome?.answer as Decline | undefined)?.received ?? {};
      expect(show(await auction.run({ ...tiny, amount: min }, [one]))).toEqual({ a: 'offer' });
    }
    expect(one.line.health.state()).toBe('closed');
  });

  it('explains no price that is wrong otherwise, nor one above the greatest amount', async () => {
    const max: Found = { ...FOUND, method: { native: 'card', max: decimal(90) } };
    for (const [change, found] of [
      [{ providerFee: decimal(-5) }, FOUND],
      [{ pays: decimal(-91) }, FOUND],
      [{ rate: decimal(88) }, FOUND],
      [{ gets: decimal('0.000009') }, FOUND],
      [{}, max],
    ] as const) {
      const one = bidder('a', atLeast(change), { found, pricesDestination: ['buy'] });
      expect(show(await open().auction.run(tiny, [one]))).toEqual({ a: 'unavailable' });
    }
  });

  it.each([
    ['the usual rate is known', '0.01'],
    ['nothing is known of the pair', undefined],
  ])('is refused for where nothing is left of it, and %s', async (_what, before) => {
    const { auction } = open();
    if (before) await auction.run({ ...sale, amount: decimal(before) }, [bidder('b', leaving)]);
    const one = bidder('a', leaving);
    for (const ask of [sale, { ...sale, amount: decimal('0.01'), amountOf: 'destination' } as const]) {
      for (let times = 0; times < 6; times++) {
        const [outcome] = await auction.run(ask, [one]);
        expect(outcome?.answer).toMatchObject({ kind: 'decline', reason: 'limit' });
        const { min } = (outcome?.answer as Decline | undefined)?.limits ?? {};
        if (!before) continue;
        expect(show(await auction.run({ ...sale, amount: min ?? ZERO }, [one]))).toEqual({ a: 'offer' });
      }
    }
    expect(one.line.health.state()).toBe('closed');
  });

  it('does not explain less than nothing, nor nothing for an amount that leaves something', async () => {
    const { auction } = open();
    await auction.run({ ...sale, amount: decimal('0.01') }, [bidder('b', leaving)]);
    const saying = (gets: string): Behaviour => {
      return async ({ amount }) => ({ ...FEES, pays: amount, gets: decimal(gets) });
    };
    expect(show(await auction.run(sale, [bidder('a', saying('-0.001'))]))).toEqual({ a: 'unavailable' });
    const much = { ...sale, amount: decimal('0.001') };
    expect(show(await auction.run(much, [bidder('a', saying('0'))]))).toEqual({ a: 'unavailable' });
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
