/** When orders are asked about again, and when they are given up. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOf, expiryOf, isForOthers, nextLook, type Watched } from './lookup.ts';
import type { Status } from './transaction.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const order = (more: Partial<Watched> = {}): Watched => ({
  status: 'new',
  statusAt: 0,
  createdAt: 0,
  expiresAt: 10 * MINUTE,
  ready: true,
  openedAt: undefined,
  isKnown: false,
  canAsk: true,
  isGone: false,
  isUnpaid: false,
  isUnderWay: false,
  unpaidMs: undefined,
  everyMs: 0,
  ...more,
});

describe('an order that nobody has gone on with', () => {
  it('is looked at when its session ends, and then it has expired', () => {
    expect(nextLook(order(), MINUTE)).toBe(9 * MINUTE);
    expect(expiryOf(order(), 10 * MINUTE - 1)).toBeUndefined();
    expect(expiryOf(order(), 10 * MINUTE)).toMatch(/before the provider’s page was opened/);
  });

  it('is swept up within a minute when its checkout was never answered', () => {
    expect(endOf(order({ ready: false }))).toBeLessThan(MINUTE);
    expect(expiryOf(order({ ready: false }), MINUTE)).toMatch(/never answered/);
  });

  it('ends even where its provider has told of what it made beforehand', () => {
    expect(expiryOf(order({ isKnown: true }), 10 * MINUTE)).toMatch(/before the provider’s page was opened/);
    expect(expiryOf(order({ isKnown: true, ready: false }), MINUTE)).toMatch(/never answered/);
    expect(expiryOf(order({ isKnown: true, status: 'pending' }), DAY)).toBeUndefined();
  });
});

describe('a sale that waits for coins until a moment that was told', () => {
  const waiting = (more: Partial<Watched> = {}) =>
    order({ status: 'pending', openedAt: 0, isKnown: true, canAsk: false, awaitedUntil: HOUR, ...more });

  it('is given up when nothing was heard for long, and nobody can be asked', () => {
    expect(expiryOf(waiting(), HOUR + DAY - 1)).toBeUndefined();
    expect(expiryOf(waiting(), HOUR + DAY)).toMatch(/told of no coins/);
  });

  it('is not where the provider can be asked, or has told more', () => {
    const others: Partial<Watched>[] = [{ canAsk: true }, { status: 'paid' }, { awaitedUntil: undefined }];
    for (const more of others) expect(expiryOf(waiting(more), 9 * DAY)).toBeUndefined();
  });
});

describe('an order that was begun, of which nothing more is heard', () => {
  const begun = (more: Partial<Watched> = {}) =>
    order({ status: 'pending', openedAt: 0, isKnown: true, canAsk: false, ...more });

  it('is given up after two weeks where nobody can be asked', () => {
    expect(expiryOf(begun(), 14 * DAY - 1)).toBeUndefined();
    expect(expiryOf(begun(), 14 * DAY)).toMatch(/told of no payment/);
    expect(expiryOf(begun({ statusAt: DAY }), 14 * DAY)).toBeUndefined();
  });

  it('is given up after two weeks where its provider can be asked, and has none any more', () => {
    const gone = begun({ canAsk: true, isGone: true });
    expect(expiryOf(gone, 14 * DAY - 1)).toBeUndefined();
    expect(expiryOf(gone, 14 * DAY)).toBe('The provider knows of no order');
  });

  it.each([false, true])(
    'is given up as well where nothing was paid when it was told of, canAsk: %s',
    canAsk => {
      const told = begun({ status: 'new', canAsk, isGone: canAsk });
      expect(expiryOf(told, 14 * DAY - 1)).toBeUndefined();
      expect(expiryOf(told, 14 * DAY)).toMatch(canAsk ? /knows of no order/ : /told of no payment/);
    },
  );

  it('is given up as well where nobody was sent to pay', () => {
    expect(expiryOf(begun({ openedAt: undefined }), 14 * DAY)).toMatch(/told of no payment/);
  });

  it('is not where the provider tells of it when it is asked, money is in, or coins are on their way', () => {
    const gone: Partial<Watched> = { canAsk: true, isGone: true };
    const moved: Partial<Watched>[] = [{ status: 'paid' }, { isSent: true }];
    const others = [{ canAsk: true }, ...moved, ...moved.map(more => ({ ...gone, ...more }))];
    for (const more of others) expect(expiryOf(begun(more), 99 * DAY)).toBeUndefined();
  });
});

describe('an unpaid order of a provider that never ends one itself', () => {
  const left = (more: Partial<Watched> = {}) =>
    order({ openedAt: 0, isKnown: true, isUnpaid: true, unpaidMs: DAY, ...more });

  it.each(['new', 'pending'] as const)('is given up when it was left alone, %s', status => {
    expect(expiryOf(left({ status }), DAY - 1)).toBeUndefined();
    expect(expiryOf(left({ status }), DAY)).toBe('Nothing was paid');
    expect(expiryOf(left({ status, statusAt: HOUR }), DAY)).toBeUndefined();
  });

  it('is not unless the provider says so at that moment, nor once something was paid', () => {
    expect(expiryOf(left({ isUnpaid: false }), 9 * DAY)).toBeUndefined();
    expect(expiryOf(left({ status: 'paid' }), 9 * DAY)).toBeUndefined();
    expect(expiryOf(left({ unpaidMs: undefined }), 9 * DAY)).toBeUndefined();
  });
});

describe('an order the person has gone on with', () => {
  const opened = order({ openedAt: 0 });

  it('is looked at no more often than its provider wishes', () => {
    const paced = { ...opened, everyMs: MINUTE };
    expect([0, 5 * MINUTE, 2 * HOUR].map(age => nextLook(paced, age))).toEqual([MINUTE, MINUTE, 10 * MINUTE]);
  });

  it('is looked at often first, and less often later', () => {
    const paces = [0, 2 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, 2 * DAY, 7 * DAY].map(age =>
      nextLook({ ...opened, status: 'pending' }, age),
    );
    expect(paces).toEqual([10_000, 30_000, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY]);
  });

  it('expires when the provider can be asked and knows nothing of it for an hour', () => {
    expect(expiryOf(opened, HOUR - 1)).toBeUndefined();
    expect(expiryOf(opened, HOUR)).toMatch(/knows of no order/);
  });

  it('ends within a minute when it was begun, the provider knows nothing of it and the client was given no page', () => {
    const begun = order({ openedAt: 1_000, ready: false });
    expect(expiryOf(begun, 20_000)).toBeUndefined();
    expect(expiryOf(begun, MINUTE)).toMatch(/knows of no order/);
    expect(expiryOf({ ...begun, canAsk: false }, MINUTE)).toBeUndefined();
  });

  it('expires a day later when the provider cannot be asked', () => {
    expect(expiryOf({ ...opened, canAsk: false }, DAY - 1)).toBeUndefined();
    expect(expiryOf({ ...opened, canAsk: false }, DAY)).toMatch(/cannot be asked/);
  });

  it('is left to the provider once the provider knows of it', () => {
    expect(expiryOf({ ...opened, isKnown: true }, 30 * DAY)).toBeUndefined();
    expect(nextLook({ ...opened, isKnown: true }, 30 * DAY)).toBe(DAY);
  });
});

describe('an order that has ended', () => {
  it.each(['completed', 'refunded'] as const)('%s, is not looked at any more', status => {
    expect(nextLook(order({ status, openedAt: 0 }), MINUTE)).toBeUndefined();
  });

  it.each(['failed', 'canceled', 'expired'] as const)(
    '%s, is looked at for a day: late money is real',
    status => {
      const ended = order({ status, openedAt: 0, statusAt: HOUR });
      expect(nextLook(ended, 2 * HOUR)).toBe(HOUR);
      expect(nextLook(ended, HOUR + DAY)).toBeUndefined();
      expect(nextLook({ ...ended, openedAt: undefined }, 2 * HOUR)).toBeUndefined();
    },
  );

  it('is looked at for two months while its provider says that it is under way', () => {
    const givenUp = order({ status: 'expired', openedAt: 0, statusAt: HOUR, isUnderWay: true });
    expect([2 * HOUR, 2 * DAY, 3 * DAY, 30 * DAY, 60 * DAY].map(at => nextLook(givenUp, at))).toEqual([
      ...[HOUR, HOUR, 6 * HOUR, DAY, DAY],
    ]);
    expect(nextLook(givenUp, HOUR + 60 * DAY)).toBeUndefined();
  });
});

describe('an order whose provider cannot be reached from here', () => {
  it('is left to others for a day after it was opened or went on, as long as there is something to expect', () => {
    const opened = order({ openedAt: 0, canAsk: false });
    expect([isForOthers(opened, DAY - 1), isForOthers(opened, DAY)]).toEqual([true, false]);
    expect(isForOthers({ ...opened, status: 'pending', statusAt: HOUR }, DAY)).toBe(true);
    expect(isForOthers({ ...opened, status: 'completed' }, HOUR)).toBe(false);
  });

  it('is not left to anybody when nobody has gone on with it', () => {
    expect(isForOthers(order({ canAsk: false }), MINUTE)).toBe(false);
  });
});

describe('every unfinished order', () => {
  it('always has a next look-up', () => {
    const unfinished = fc.constantFrom<Status>('new', 'pending', 'paid');
    fc.assert(
      fc.property(unfinished, fc.nat(), fc.option(fc.nat(), { nil: undefined }), (status, now, openedAt) => {
        const next = nextLook(order({ status, openedAt }), now);
        expect(next).toBeGreaterThan(0);
        expect(next).toBeLessThanOrEqual(DAY);
      }),
    );
  });
});
