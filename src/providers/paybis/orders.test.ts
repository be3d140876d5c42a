/** Look-ups of Paybis' orders in lists of any length, and how an order that nobody paid comes to its end. */
import { describe, expect, it } from 'vitest';
import { saidOf } from '../../app/notices.ts';
import { decimal } from '../../domain/money.ts';
import { type Said, standingOf } from '../../domain/transaction.ts';
import type { NativeOrder, Notice } from '../contract.ts';
import type { Context, Exchange, HttpRequest, Work } from '../exchange.ts';
import { paybis } from './adapter.ts';
import { status } from './orders.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CREATED = Date.parse('2026-03-10T14:00:00Z');
const NEXT_DAY = CREATED + DAY;
const order = { id: 'ord-1', theirs: 'req-1', createdAt: CREATED } as NativeOrder;

interface Scene {
  /** Transactions of others, of which there are so many a day. */
  daily: number;
  /** When the order's own was made. */
  made?: number;
  sorted: 'newest first' | 'oldest first';
}

const SORTS = ['newest first', 'oldest first'] as const;

/** Asks what became of the order, as the engine would. */
function look(scene: Scene, now: number, access?: string): { notices?: Notice[] | undefined; asked: number } {
  const context = { now, settings: {}, secret: (name: string) => name } as unknown as Context;
  let work: Work<Notice[] | undefined> = status({ ...order, access }, context);
  let asked = 0;
  for (; isExchange(work); asked++) {
    const { request, read }: Exchange<Notice[] | undefined> = work;
    work = read({ status: 200, body: listed(request, scene, now) });
  }
  return { notices: work, asked };
}

function isExchange<T>(work: Work<T>): work is Exchange<T> {
  return typeof work === 'object' && work !== null && 'request' in work;
}

/** A page of the list: others' transactions come at even distances. */
function listed({ query = {} }: HttpRequest, { daily, made, sorted }: Scene, now: number): unknown {
  const [from, to] = [Date.parse(query.from ?? ''), Math.min(Date.parse(query.to ?? ''), now)];
  expect(from).toBeLessThanOrEqual(now - (now % DAY));
  const every = DAY / daily;
  const others = Array.from({ length: Math.max(0, Math.floor((to - from) / every)) }, (_, index) => ({
    ...{ at: from + index * every, status: 'completed', request: { id: `other-${index}` } },
  }));
  const own = { at: made ?? 0, status: 'completed', request: { id: 'req-1' } };
  const all = [...others, own].filter(({ at }) => at >= from && at <= to).sort((a, b) => a.at - b.at);
  if (sorted === 'newest first') all.reverse();
  const start = Number(query.cursor ?? 0);
  const end = start + Number(query.limit);
  return { data: all.slice(start, end), meta: { nextCursor: end < all.length ? String(end) : null } };
}

describe.each(SORTS)('in a list with the %s', sorted => {
  it.each([1, 3, 30])('a transaction that was made at once is found after %i days', days => {
    const scene = { daily: 3_000, made: CREATED + 20 * 60_000, sorted };
    expect(look(scene, CREATED + days * DAY).notices).toMatchObject([{ word: 'completed' }]);
  });

  it('whoever came back the next day is found', () => {
    const scene = { daily: 200, made: CREATED + 30 * HOUR, sorted };
    expect(look(scene, CREATED + 31 * HOUR).notices).toMatchObject([{ word: 'completed' }]);
    expect(look(scene, CREATED + 20 * DAY).notices).toMatchObject([{ word: 'completed' }]);
  });

  it('what a webhook has told of is found among any number', () => {
    const made = CREATED + 5 * DAY;
    const scene = { daily: 50_000, made, sorted };
    const { notices, asked } = look(scene, made + DAY, new Date(made).toISOString());
    expect([notices, asked <= 2]).toMatchObject([[{ word: 'completed' }], true]);
  });

  it.each([0.1, 200, 5_000])(
    'what nobody made is not seen among %d a day, in ten pages at the most',
    daily => {
      const { notices, asked } = look({ daily, sorted }, CREATED + 9 * DAY);
      expect([notices, asked <= 10]).toEqual([[{ theirs: 'req-1', word: 'unseen' }], true]);
    },
  );
});

it('on the day itself what was made last is found first', () => {
  const scene = { daily: 3_000, made: CREATED + HOUR, sorted: SORTS[0] };
  expect(look(scene, CREATED + 9 * HOUR).notices).toMatchObject([{ word: 'completed' }]);
});

describe('a request that nobody made anything of', () => {
  const { manifest } = paybis;
  const told = (notice: Notice) => {
    const native = { fiat: 'EUR', asset: 'ETH', network: 'ethereum', method: 'card' };
    const options = { heardAt: CREATED, order: { side: 'buy' as const, walletAddress: '', native } };
    return saidOf(manifest, notice, options) as Said;
  };
  const [notice] = look({ daily: 10, sorted: SORTS[0] }, NEXT_DAY).notices ?? [];

  it('is said to be unpaid, the same at every look, and given up by us in a day', () => {
    const later = look({ daily: 10, sorted: SORTS[0] }, NEXT_DAY + DAY).notices?.[0];
    expect(told(notice as Notice)).toEqual({ ...told(later as Notice), status: 'new' });
    expect(manifest.checkout.givenUpAfter).toBe(86_400);
  });

  it('contradicts nothing when it is paid after all', () => {
    const givenUp: Said = { status: 'expired', at: NEXT_DAY, ours: true };
    const paid = told({ theirs: 'req-1', word: 'completed', at: NEXT_DAY + HOUR, paid: decimal(200) });
    const standing = standingOf([told(notice as Notice), givenUp, paid]);
    expect([standing.status, standing.contradicted]).toEqual(['completed', false]);
  });
});
