/** Standings: whatever the order and repetition in which things are heard. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal } from './money.ts';
import {
  cameToNothing,
  isEnd,
  keyOf,
  openOrders,
  type Said,
  SINCE,
  type Status,
  standingOf,
} from './transaction.ts';

const STATUSES: Status[] = [
  'new',
  'pending',
  'paid',
  'completed',
  'failed',
  'canceled',
  'expired',
  'refunded',
];

const said = (status: Status, more: Partial<Said> = {}): Said => ({ status, at: 1_000, ...more });

const amounts = fc.nat({ max: 10_000 }).map(cents => decimal(cents).div(100));
const anything: fc.Arbitrary<Said> = fc.record(
  {
    status: fc.constantFrom(...STATUSES),
    at: fc.nat({ max: 5 }),
    ours: fc.boolean(),
    reason: fc.constantFrom('a', 'b'),
    theirs: fc.constantFrom('x', 'y'),
    hash: fc.constantFrom('0x1', '0x2'),
    paid: amounts,
    received: amounts,
    deposit: fc.record({ address: fc.constantFrom('d1', 'd2') }),
    sent: fc.constant(true),
  },
  { requiredKeys: ['status', 'at'] },
);

describe('a standing', () => {
  it('does not depend on order or repetition', () => {
    fc.assert(
      fc.property(
        fc.array(anything, { maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 12, maxLength: 40 }),
        (all, shuffle) => {
          const again = shuffle.map(at => all[at % Math.max(all.length, 1)]).filter(one => one !== undefined);
          const shuffled = [...again, ...all.toReversed()];
          expect(standingOf(shuffled)).toEqual(standingOf(all));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('is never our own word that nothing came of it where the provider tells of an end', () => {
    const [failed, expired] = [
      said('failed', { ours: true, at: 9 }),
      said('expired', { at: 1, reason: 'late' }),
    ];
    for (const all of [
      [failed, expired],
      [expired, failed],
    ])
      expect(standingOf(all)).toMatchObject({ status: 'expired', reason: 'late' });
    expect(standingOf([said('paid'), failed]).status).toBe('failed');
  });

  it('never goes back when more is heard of one order by its provider', () => {
    const rank = (status = 'new') =>
      ['new', 'pending', 'paid', 'expired', 'canceled', 'failed', 'completed', 'refunded'].indexOf(status);
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 10 }), anything, (all, more) => {
        const [before, after] = [all, [...all, more]].map(list =>
          standingOf(list.map(one => ({ ...one, ours: false, theirs: 'x' }))),
        );
        expect(rank(after?.status)).toBeGreaterThanOrEqual(rank(before?.status));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is that of the most promising order where there are several: what was left behind ends nothing', () => {
    const live = said('paid', { theirs: 'y', hash: '0x1' });
    for (const end of ['expired', 'canceled', 'failed'] as const) {
      expect(standingOf([said(end, { theirs: 'x' }), live])).toMatchObject({
        status: 'paid',
        theirs: 'y',
        hash: '0x1',
      });
      expect(standingOf([said(end, { theirs: 'x' }), said('new', { theirs: 'y' })]).status).toBe('new');
    }
    const ended = [said('expired', { theirs: 'x' }), said('failed', { theirs: 'y' })];
    expect(standingOf(ended)).toMatchObject({ status: 'failed', theirs: 'y' });
  });

  it('is that of a second try which came further, after the first was given back', () => {
    const returned = said('refunded', { theirs: 'x' });
    for (const status of ['pending', 'paid', 'completed'] as const)
      expect(standingOf([returned, said(status, { theirs: 'y' })])).toMatchObject({ status, theirs: 'y' });
    expect(standingOf([returned, said('new', { theirs: 'y' })])).toMatchObject({ status: 'refunded' });
    expect(standingOf([returned, said('failed', { theirs: 'y' })])).toMatchObject({ status: 'refunded' });
  });

  it('is that of the order which a person went on with last, where several are as promising', () => {
    const tries = [said('new', { theirs: 'a', at: 1 }), said('new', { theirs: 'b', at: 2 })];
    expect(standingOf(tries)).toMatchObject({ status: 'new', theirs: 'b' });
    expect(standingOf(tries.reverse())).toMatchObject({ status: 'new', theirs: 'b' });
    const delivered = [
      said('failed', { theirs: 'a', at: 9 }),
      said('paid', { theirs: 'b', paid: decimal('100') }),
      said('completed', { hash: '0x1' }),
    ];
    expect(standingOf(delivered)).toMatchObject({ status: 'completed', theirs: 'b', hash: '0x1' });
    expect(standingOf(delivered).paid?.toString()).toBe('100');
  });

  it('takes what names no order as true of every one', () => {
    const withdrawn = said('completed', { hash: '0x1' });
    expect(standingOf([said('paid', { theirs: 'x' }), withdrawn])).toMatchObject({
      status: 'completed',
      theirs: 'x',
      hash: '0x1',
    });
  });

  it('is new while nothing was said', () => {
    expect(standingOf([])).toMatchObject({
      status: 'new',
      reason: '',
      theirs: '',
      hash: '',
      contradicted: false,
    });
  });

  it('lets late money through: what expired or failed may complete, what completed may be refunded', () => {
    expect(standingOf([said('expired', { ours: true }), said('completed')]).status).toBe('completed');
    expect(standingOf([said('failed'), said('completed')]).status).toBe('completed');
    expect(standingOf([said('completed'), said('refunded')]).status).toBe('refunded');
  });

  it('fills in what lower ranks knew, and is corrected by higher ones', () => {
    const standing = standingOf([
      said('completed', { hash: '0xabc', at: 1 }),
      said('pending', { theirs: 'order-1', paid: decimal('100'), hash: 'early', at: 9 }),
    ]);
    expect(standing).toMatchObject({ status: 'completed', theirs: 'order-1', hash: '0xabc' });
    expect(String(standing.paid)).toBe('100');
  });

  it('takes the later of two equals', () => {
    const standing = standingOf([
      said('pending', { at: 2, reason: 'second' }),
      said('pending', { at: 1, reason: 'first' }),
    ]);
    expect(standing.reason).toBe('second');
  });

  it('does not keep the reason of another status', () => {
    expect(standingOf([said('pending', { reason: 'on hold' }), said('completed')]).reason).toBe('');
  });

  it.each(['failed', 'canceled', 'expired'] as const)(
    'is flagged when one order both completed and %s',
    end => {
      const both = [said('completed', { theirs: 'x' }), said(end, { theirs: 'x' })];
      expect(standingOf(both).contradicted).toBe(true);
      expect(standingOf([...both].reverse()).contradicted).toBe(true);
    },
  );

  it('is not flagged when a second try went through, or when our own word was corrected', () => {
    expect(
      standingOf([said('failed', { theirs: 'x' }), said('completed', { theirs: 'y' })]).contradicted,
    ).toBe(false);
    expect(standingOf([said('expired', { ours: true }), said('completed')]).contradicted).toBe(false);
  });

  it('is flagged when two orders under one reference completed', () => {
    expect(
      standingOf([said('completed', { theirs: 'x' }), said('completed', { theirs: 'y' })]).contradicted,
    ).toBe(true);
  });
});

describe('an order that we gave up', () => {
  const givenUp = said('expired', { ours: true, reason: 'The provider knows of no order' });

  it('is said to be paid once its provider says so, whenever it was', () => {
    for (const at of [500, 1_500]) {
      const { status, reason } = standingOf([givenUp, said('paid', { at, theirs: 'x' })]);
      expect([status, reason]).toEqual(['expired', SINCE.paid]);
    }
  });

  it('is said to be gone on with when its provider says so afterwards', () => {
    const reasonAt = (at: number) => standingOf([givenUp, said('pending', { at })]).reason;
    expect([reasonAt(1_500), reasonAt(1_000)]).toEqual([SINCE.pending, givenUp.reason]);
  });

  it('has come to nothing for good once its provider says so', () => {
    const { status, reason } = standingOf([givenUp, said('paid'), said('failed', { reason: 'declined' })]);
    expect([status, reason]).toEqual(['failed', 'declined']);
  });
});

describe('the orders that something may come of', () => {
  const ids = (...all: Said[]) => openOrders(all, 3);

  it('are the one that counts, then the others, the last one first', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((theirs, at) => said('new', { theirs, at })) as [Said, Said, Said];
    expect(ids(a, c, b)).toEqual(['c', 'b', 'a']);
    expect(ids(a, c, b, said('pending', { theirs: 'a', at: 0 }))).toEqual(['a', 'c', 'b']);
  });

  it('are none of those that have ended, but for the one that counts', () => {
    const a = said('expired', { theirs: 'a' });
    expect(ids(a)).toEqual(['a']);
    expect(ids(a, said('new', { theirs: 'b' }))).toEqual(['b']);
  });

  it('are so many at most, and none where none was named', () => {
    expect(openOrders([said('new', { theirs: 'a' }), said('new', { theirs: 'b' })], 1)).toHaveLength(1);
    expect(ids(said('pending'))).toEqual([]);
  });
});

describe('a deposit', () => {
  it('is known to be sent once the provider says so, whichever it said first', () => {
    const [asked, sent] = [
      said('pending', { at: 1, deposit: { address: 'd1' } }),
      said('pending', { at: 2, sent: true }),
    ];
    for (const all of [
      [asked, sent],
      [sent, asked],
    ])
      expect(standingOf(all).deposit).toEqual({ address: 'd1', isSent: true });
    expect(standingOf([sent]).deposit).toBeUndefined();
  });
});

describe('statuses', () => {
  it('are ends or not', () => {
    expect(STATUSES.filter(isEnd).sort()).toEqual(['canceled', 'completed', 'expired', 'failed', 'refunded']);
    expect(STATUSES.filter(cameToNothing).sort()).toEqual(['canceled', 'expired', 'failed']);
  });
});

describe('keys', () => {
  it('are equal for equal sayings only', () => {
    fc.assert(
      fc.property(anything, anything, (a, b) => {
        const same = JSON.stringify(a, order) === JSON.stringify(b, order);
        // Saying that it was not ours is the same as not saying that it was.
        if (a.ours === b.ours) expect(keyOf(a) === keyOf(b)).toBe(same);
      }),
    );
  });
});

function order(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
