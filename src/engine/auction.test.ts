/** The auction: one deadline for all, one outcome each, and nobody waits for a provider that does not answer. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ASK, type Behaviour, bidder, hang, NOW, open, priceAt, show } from '../../test/bidders.ts';
import { decimal } from '../domain/money.ts';
import { decline } from '../domain/offer.ts';
import { createAuction, isPriced } from './auction.ts';
import { createHealth } from './health.ts';
import { Upstream } from './upstream.ts';

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
  });

  it('gives all steps of solving the same deadline', async () => {
    vi.useFakeTimers();
    const { auction } = open(1_000);
    const slow: Behaviour = (ask, deadline) =>
      new Promise((resolve, reject) => {
        setTimeout(() => resolve(priceAt(88_000)(ask, deadline)), 400);
        deadline.add({ giveUp: reject });
      });
    const running = auction.run({ ...ASK, amount: decimal('0.5'), amountOf: 'destination' }, [
      bidder('a', slow),
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(show(await running)).toEqual({ a: 'unavailable' });
  });

  it('does not take it for silence when one question after the other takes too long', async () => {
    vi.useFakeTimers();
    const { auction } = open(1_000);
    const answersIn =
      (ms: number): Behaviour =>
      (ask, deadline) =>
        new Promise((resolve, reject) => {
          setTimeout(() => resolve(priceAt(88_000)(ask, deadline)), ms);
          deadline.add({ giveUp: reject });
        });
    const [slow, silent] = [bidder('slow', answersIn(400)), bidder('silent', answersIn(1_200))];
    for (let times = 0; times < 5; times++) {
      const asked = { ...ASK, amount: decimal('0.5'), amountOf: 'destination' as const };
      const running = auction.run(asked, [slow, silent]);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(show(await running)).toEqual({ slow: 'unavailable', silent: 'unavailable' });
    }
    expect([slow.line.health.state(), silent.line.health.state()]).toEqual(['closed', 'open']);
  });

  it.each([
    { waitedMs: 100, lasts: 900, state: 'open' },
    { waitedMs: 300, lasts: 700, state: 'closed' },
    { waitedMs: 5_000, lasts: 500, state: 'closed' },
  ] as const)(
    'that has waited $waitedMs of 1000 ms lasts $lasts, and the breaker is $state after five',
    async ({ waitedMs, lasts, state }) => {
      vi.useFakeTimers();
      const [{ auction }, silent] = [open(1_000), bidder('silent', hang)];
      for (let times = 0; times < 5; times++) {
        const began = Date.now();
        const running = auction.run(ASK, [silent], { waitedMs }).then(() => Date.now() - began);
        await vi.advanceTimersByTimeAsync(1_000);
        expect(await running).toBe(lasts);
      }
      expect(silent.line.health.state()).toBe(state);
    },
  );

  it('leaves no timer behind when everybody answers early', async () => {
    vi.useFakeTimers();
    await open(60_000).auction.run(ASK, [bidder('a', priceAt(88_000))]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves orders their part of what a provider allows, unless it is for one', async () => {
    const asked = bidder('a', priceAt(88_000));
    const { ask } = asked.line;
    const modest: unknown[] = [];
    asked.line.ask = (job, terms) => {
      modest.push(terms.modest);
      ask(job, terms);
    };
    const { auction } = open();
    await auction.run(ASK, [asked]);
    await auction.run(ASK, [asked], { isForOrder: true });
    expect(modest).toEqual([true, false]);
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
      { onOutcome: ({ provider }, at) => heard.push(`${at} ${provider}`) },
    );
    expect(heard).toEqual(['1 first', '0 second']);
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
