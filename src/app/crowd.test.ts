/** The crowd: who gets a place, who is refused, and whom a rush keeps waiting. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../domain/offer.ts';
import type { Bidder } from '../engine/questions.ts';
import { type Caller, type Crowd, createCrowd, type Place } from './crowd.ts';

let now = 0;
let refused: string[] = [];

beforeEach(() => {
  now = 0;
  refused = [];
});

function openCrowd(most = 0, deadlineMs = 2_000): Crowd {
  return createCrowd({ most, deadlineMs, ticks: () => now, onRefused: reason => refused.push(reason) });
}

const callerOf = (id: string, reach = 'live'): Caller => ({ id, perSecond: 0, reach });

function bidder(id: string, connections: number): Bidder {
  return { line: { adapter: { manifest: { id, limits: { connections } } } } } as unknown as Bidder;
}

const offerOf = (provider: string) => ({ provider, answer: { kind: 'offer' } }) as unknown as Outcome;

const refusalOf = (provider: string) => ({ provider, answer: { kind: 'decline' } }) as unknown as Outcome;

/** Enters as often as it can, up to so many times. */
function fill(crowd: Crowd, caller: string, bidders: readonly Bidder[], most = 10_000): Place[] {
  const places: Place[] = [];
  try {
    while (places.length < most) places.push(crowd.enter(callerOf(caller), bidders));
  } catch {
    // That was one too many.
  }
  return places;
}

/** Has a provider answer in so many milliseconds, often enough to be believed. */
function teach(crowd: Crowd, who: Bidder, ms: number, outcomeOf = offerOf): void {
  for (let at = 0; at < 100; at++) {
    const place = crowd.enter(callerOf('teacher'), [who]);
    now += ms;
    place.answered(outcomeOf(who.line.adapter.manifest.id), 0);
    place.leave();
  }
}

describe('places', () => {
  it('are as many as connections can serve twice while nobody knows how quick a provider is', () => {
    const a = bidder('a', 10);
    const crowd = openCrowd();
    const callers = Array.from({ length: 100 }, (_, at) => fill(crowd, `caller ${at}`, [a], 1).length);
    expect(callers.reduce((sum, one) => sum + one)).toBe(20);
    expect(refused.at(-1)).toBe('crowded');
  });

  it.each([
    ['quick', 10, 80],
    ['slow', 400, 30],
    ['hardly in time', 1_500, 10],
  ])('are as many as are answered in time by a provider that is %s', (_what, ms, expected) => {
    const a = bidder('a', 10);
    const crowd = openCrowd();
    teach(crowd, a, ms);
    const callers = Array.from({ length: 200 }, (_, at) => fill(crowd, `caller ${at}`, [a], 1).length);
    expect(callers.reduce((sum, one) => sum + one)).toBe(expected);
  });

  it('are fewer at once when a provider gets slow', () => {
    const a = bidder('a', 1);
    const crowd = openCrowd();
    teach(crowd, a, 10);
    const late = crowd.enter(callerOf('one'), [a]);
    now += 2_000;
    late.answered({ provider: 'a', answer: { kind: 'decline', cause: 'late' } } as unknown as Outcome, 0);
    late.leave();
    expect(fill(crowd, 'one', [a])).toHaveLength(1);
  });

  it('are given back when the round is over', () => {
    const crowd = openCrowd(4);
    const places = fill(crowd, 'one', [bidder('a', 64)]);
    for (const place of places) place.leave();
    expect(fill(crowd, 'one', [bidder('a', 64)])).toHaveLength(places.length);
  });

  it('never exceed the number that was set', () => {
    const crowd = openCrowd(5);
    const held = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap(caller => fill(crowd, caller, [bidder('x', 64)], 1));
    expect(held).toHaveLength(5);
    expect(() => crowd.enter(callerOf('g'), [])).toThrow('Too many quotes are under way');
  });

  it.each([
    ['offers', offerOf],
    ['refuses', refusalOf],
  ])(
    'are left while those that are no slower than others have room; one that %s slowly is not asked',
    (_how, outcomeOf) => {
      const [slow, a, b] = [bidder('slow', 1), bidder('a', 8), bidder('b', 8)];
      const crowd = openCrowd();
      for (const who of [a, b]) teach(crowd, who, 100);
      teach(crowd, slow, 1_500, outcomeOf);
      crowd.enter(callerOf('one'), [slow]);
      const place = crowd.enter(callerOf('two'), [slow, a, b]);
      const names = (list: readonly Bidder[]) => list.map(({ line }) => line.adapter.manifest.id);
      expect([names(place.asked), names(place.busy)]).toEqual([['a', 'b'], ['slow']]);
    },
  );

  it('say nothing of how quick a provider is whose refusal was known without asking', () => {
    const a = bidder('a', 10);
    const crowd = openCrowd();
    teach(crowd, a, 0, refusalOf);
    const callers = Array.from({ length: 100 }, (_, at) => fill(crowd, `caller ${at}`, [a], 1).length);
    expect(callers.reduce((sum, one) => sum + one)).toBe(20);
  });

  it('are gone when one has no room that is as quick as the others: an answer has all quotes, or there is none', () => {
    const [small, a, b] = [bidder('small', 1), bidder('a', 8), bidder('b', 8)];
    const crowd = openCrowd();
    for (const who of [small, a, b]) teach(crowd, who, 200);
    const callers = Array.from({ length: 50 }, (_, at) => fill(crowd, `caller ${at}`, [small, a, b], 1));
    expect(callers.flat()).toHaveLength(7);
    expect(callers.flat().every(({ busy }) => busy.length === 0)).toBe(true);
  });

  it('are not said to be gone for everybody when they are gone for few providers only', () => {
    const [slow, a, b] = [bidder('slow', 1), bidder('a', 8), bidder('b', 8)];
    const crowd = openCrowd();
    crowd.enter(callerOf('zero'), [slow, a, b]);
    for (const caller of ['one', 'two', 'three']) fill(crowd, caller, [slow], 1);
    expect([refused.includes('crowded'), crowd.refuses(callerOf('five'))]).toEqual([true, undefined]);
  });

  it('are not said to be gone for those for whom other providers are asked', () => {
    const [test, live] = [bidder('a', 1), bidder('a', 1)];
    const crowd = openCrowd();
    const visitors = ['one', 'two', 'three'].map(id => callerOf(id, 'test'));
    for (const visitor of visitors.slice(0, 2)) crowd.enter(visitor, [test]);
    expect(() => crowd.enter(visitors[2] as Caller, [test])).toThrow('Too many quotes are under way');
    expect([callerOf('four', 'test'), callerOf('shop', 'live')].map(crowd.refuses)).toEqual([
      'crowded',
      undefined,
    ]);
    expect(crowd.enter(callerOf('shop', 'live'), [live]).asked).toHaveLength(1);
  });

  it('are said to be gone until a round is over', () => {
    const crowd = openCrowd(1);
    const a = bidder('a', 8);
    const place = crowd.enter(callerOf('one'), [a]);
    fill(crowd, 'two', [a]);
    expect(crowd.refuses(callerOf('three'))).toBe('crowded');
    place.leave();
    expect(crowd.refuses(callerOf('three'))).toBeUndefined();
  });
});

describe('one caller', () => {
  it('gets three quarters of what there is, and leaves the rest to others', () => {
    const crowd = openCrowd(100);
    const a = bidder('a', 64);
    expect(fill(crowd, 'greedy', [a])).toHaveLength(75);
    expect(refused).toEqual(['share']);
    expect(fill(crowd, 'other', [a], 10)).toHaveLength(10);
  });

  it('is told that it is its own doing', () => {
    const crowd = openCrowd(4);
    fill(crowd, 'greedy', [bidder('a', 64)]);
    expect(() => crowd.enter(callerOf('greedy'), [bidder('a', 64)])).toThrow('Too many of your quotes');
  });

  it('is refused for certain until a round is over, and nobody else is', () => {
    const crowd = openCrowd(4);
    const [first] = fill(crowd, 'greedy', [bidder('a', 64)]);
    expect([crowd.refuses(callerOf('greedy')), crowd.refuses(callerOf('other'))]).toEqual([
      'share',
      undefined,
    ]);
    first?.leave();
    expect(crowd.refuses(callerOf('greedy'))).toBeUndefined();
  });

  it('is not refused for certain when it has its share of few providers only', () => {
    const [slow, a, b] = [bidder('slow', 2), bidder('a', 8), bidder('b', 8)];
    const crowd = openCrowd();
    fill(crowd, 'other', [a, b], 1);
    fill(crowd, 'one', [slow]);
    crowd.enter(callerOf('zero'), [slow, a, b]);
    fill(crowd, 'one', [slow]);
    expect([refused.at(-1), crowd.refuses(callerOf('one'))]).toEqual(['crowded', undefined]);
  });
});

describe('a rush', () => {
  let begun: string[] = [];

  beforeEach(() => {
    begun = [];
  });

  /** What has not begun yet would in the next test. */
  afterEach(() => pass(1_000));

  /** Begins so many rounds for a caller, which take so long to begin. */
  function rush(crowd: Crowd, caller: string, count: number, ms = 5): void {
    for (let at = 0; at < count; at++) {
      void crowd.enter(callerOf(caller), []).begin(async () => {
        now += ms;
        begun.push(`${caller} ${at}`);
      });
    }
  }

  /** So many milliseconds go by, each with a turn of the loop. */
  async function pass(ms: number): Promise<void> {
    for (const until = now + ms; now < until; now++) await nextTurn();
  }

  it('of one caller does not keep those waiting of whom nothing is under way', () => {
    const crowd = openCrowd();
    rush(crowd, 'greedy', 30);
    rush(crowd, 'other', 2);
    expect(begun).toEqual(['greedy 0', 'other 0']);
  });

  it('of callers who have one each is told at once when no more can wait', () => {
    const crowd = openCrowd();
    for (let at = 0; at < 80; at++) rush(crowd, `caller ${at}`, 1);
    expect(crowd.refuses(callerOf('one more'))).toBe('crowded');
  });

  it('is refused beyond what waits a moment only', () => {
    const crowd = openCrowd();
    expect(() => rush(crowd, 'greedy', 100)).toThrow('Too many of your quotes');
    // Fifteen begin at once, as little is under way; the others wait.
    for (let at = 0; at < 47; at++) rush(crowd, `caller ${at}`, 1);
    expect(begun).toHaveLength(16);
    expect(() => rush(crowd, 'one more', 1)).toThrow('Too many quotes are under way');
    expect(crowd.refuses(callerOf('one more'))).toBe('crowded');
  });

  it('tells each round how long it has waited', async () => {
    const crowd = openCrowd();
    const waited: [number, number][] = [];
    for (let at = 0; at < 3; at++) {
      const came = now;
      void crowd.enter(callerOf('one'), []).begin(async ms => {
        waited.push([ms, now - came]);
        now += 50;
      });
    }
    await pass(500);
    expect(waited.map(([told]) => told)).toEqual(waited.map(([, real]) => real));
    expect(waited.map(([told]) => told >= 50)).toEqual([false, true, true]);
  });

  it('does not make those slow who are asked once it is over', async () => {
    const [crowd, a] = [openCrowd(), bidder('a', 4)];
    teach(crowd, a, 10);
    rush(crowd, 'one', 2, 400);
    const place = crowd.enter(callerOf('other'), [a]);
    const begins = place.begin(async () => {
      now += 10;
      place.answered(offerOf('a'), 0);
    });
    await pass(2_000);
    await begins;
    place.leave();
    expect(fill(crowd, 'another', [a], 12)).toHaveLength(12);
  });
});
