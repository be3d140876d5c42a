/** An auction with providers that lie or break: nothing they do costs anyone else the quote. */
import { describe, expect, it } from 'vitest';
import { ASK, type Behaviour, bidder, NOW, open, priceAt, show } from '../../test/bidders.ts';
import { decimal, ZERO } from '../domain/money.ts';
import type { Ask, Decline, Outcome, Price } from '../domain/offer.ts';
import { BadAnswer } from '../providers/exchange.ts';
import { createAuction } from './auction.ts';
import type { Deadline } from './deadline.ts';
import type { Bidder } from './questions.ts';
import { Upstream } from './upstream.ts';

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
    await auction.run(ASK, [bidder('a', priceAt(88))], { onOutcome: outcome => heard.push(outcome) });
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
    await auction.run(ASK, [bidder('honest', priceAt(88_000))]);
    const one = bidder('a', async ask => ({
      pays: ask.amount,
      gets: ZERO,
      networkFee: ZERO,
      providerFee: ZERO,
    }));
    for (let times = 0; times < 8; times++) await auction.run(ASK, [one]);
    expect([one.asked.length, one.line.health.state()]).toEqual([5, 'open']);
  });

  it.each([
    ['a price that has run out', NOW - 1],
    ['one that runs out now', NOW],
    ['one whose end is no moment', Number.NaN],
  ])('about the time are no offers: %s is not shown', async (_what, validUntil) => {
    const { auction } = open();
    const stale: Behaviour = async ask =>
      ({ ...(await priceAt(88_000)(ask, {} as Deadline)), validUntil }) as Price;
    expect(show(await auction.run(ASK, [bidder('a', stale)]))).toEqual({ a: 'unavailable' });
  });
});

describe('a usual rate', () => {
  const at = (rate: number, ...ids: string[]) => ids.map(id => bidder(id, priceAt(rate)));
  const offersOf = (outcomes: Outcome[]) =>
    Object.entries(show(outcomes)).flatMap(([id, answer]) => (answer === 'offer' ? [id] : []));
  const live = ({ line, found }: Bidder): Bidder => ({ line: { ...line, environment: 'live' }, found });

  it('of a sandbox is nothing to those who sell in earnest, nor theirs to a sandbox', async () => {
    const made = at(5, 'a', 'b', 'c');
    const real = at(2, 'a', 'b', 'c').map(live);
    for (const [first, second] of [
      [made, real],
      [real, made],
    ] as const) {
      const { auction } = open();
      await auction.run(ASK, first);
      expect(offersOf(await auction.run(ASK, second))).toEqual(['a', 'b', 'c']);
    }
  });

  it('of a sandbox decides nothing about an amount to be received in earnest', async () => {
    const { auction } = open();
    await auction.run(ASK, at(5, 'a'));
    const [one] = at(88_000, 'b') as [ReturnType<typeof bidder>];
    const exact: Ask = { ...ASK, amount: decimal('0.005'), amountOf: 'destination' };
    expect(offersOf(await auction.run(exact, [live(one)]))).toEqual(['b']);
    // Without a usual rate it begins where it would in a world without that sandbox.
    expect(one.asked[0]?.amount).toEqual(decimal(100));
  });

  it('that one alone has told hides nobody from more who agree', async () => {
    const { auction } = open();
    await auction.run(ASK, at(88, 'liar'));
    const all = () => [...at(88, 'liar'), ...at(88_000, 'a', 'b', 'c', 'd', 'e')];
    expect(offersOf(await auction.run(ASK, all()))).toEqual(['a', 'b', 'c', 'd', 'e']);
    // What they agreed on is the usual rate from then on.
    expect(offersOf(await auction.run(ASK, at(88, 'liar')))).toEqual([]);
  });

  it('of a small amount with a fee in it hides nobody at a larger one', async () => {
    const { auction } = open();
    const folding: Behaviour = async ({ amount }) => ({
      ...{ pays: amount, gets: amount.minus(8).div(88_000), networkFee: ZERO, providerFee: ZERO },
    });
    await auction.run({ ...ASK, amount: decimal(20) }, [bidder('folding', folding)]);
    const honest = await auction.run(ASK, [bidder('folding', folding), ...at(88_000, 'a')]);
    expect(offersOf(honest)).toEqual(['folding', 'a']);
  });

  it('that many have agreed on holds against any number of liars until ten minutes after', async () => {
    let ticks = 0;
    const auction = createAuction({ now: () => NOW, ticks: () => ticks, deadlineMs: 5_000, observe() {} });
    await auction.run(ASK, at(88_000, 'a', 'b', 'c'));
    const all = () => [...at(88, 'u', 'v', 'w', 'x', 'y', 'z'), ...at(88_000, 'a')];
    for (; ticks < 600_000; ticks += 60_000) {
      expect(offersOf(await auction.run(ASK, all()))).toEqual(['a']);
    }
    // One alone does not speak for the three for ever: it may be the one that has missed a change.
    expect(offersOf(await auction.run(ASK, all()))).toEqual(['u', 'v', 'w', 'x', 'y', 'z']);
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
