/** What opens providers' orders: sealed, kept by order, and bounded. */
import { describe, expect, it } from 'vitest';
import type { Heard } from '../store/notices.ts';
import type { Transaction } from '../store/transactions.ts';
import { createAccess } from './access.ts';
import { createSeal } from './seal.ts';

const seal = createSeal(Buffer.alloc(32, 7), 'order-access');
const access = createAccess(seal);

type Holder = Pick<Transaction, 'id' | 'access' | 'standing'>;

const holder = (theirs: string, kept?: string, id = 'tx1'): Holder =>
  ({ id, access: kept, standing: { theirs } }) as Holder;

const told = (theirs: string | undefined, word: string | undefined): Heard => ({
  transactionId: 'tx1',
  said: { status: 'pending', at: 0, theirs },
  access: word,
});

describe('what opens an order', () => {
  it('is kept so that nobody can read it, and opened for its transaction', () => {
    const kept = access.keep(holder('p1'), [told('p1', 'view-token')]);
    expect(kept).not.toContain('view-token');
    expect(access.open(holder('p1', kept))).toBe('view-token');
    expect(access.open(holder('p1', kept, 'tx2'))).toBeUndefined();
  });

  it('is that of the order the transaction stands for', () => {
    const kept = access.keep(holder('p1'), [told('p1', 'one'), told('p2', 'two')]);
    expect(access.open(holder('p1', kept))).toBe('one');
    expect(access.open(holder('p2', kept))).toBe('two');
    expect(access.open(holder('p3', kept))).toBeUndefined();
  });

  it('is any order’s where it was told of none', () => {
    expect(access.open(holder('p1', access.keep(holder('p1'), [told(undefined, 'one')])))).toBe('one');
  });

  it('is written anew only when it is news', () => {
    const kept = access.keep(holder('p1'), [told('p1', 'one'), told('p2', 'two')]);
    expect(access.keep(holder('p1', kept), [told('p1', 'one')])).toBeUndefined();
    expect(access.keep(holder('p1', kept), [told('p1', undefined), told('p1', '')])).toBeUndefined();
    const renewed = access.keep(holder('p1', kept), [told('p1', 'other')]);
    expect(access.open(holder('p1', renewed))).toBe('other');
    expect(access.open(holder('p2', renewed))).toBe('two');
  });

  it('is forgotten first where it is oldest, and not kept at all when it is longer than any', () => {
    const many = Array.from({ length: 30 }, (_, at) => told(`p${at}`, `word ${at}`));
    const kept = access.keep(holder('p0'), many);
    expect(access.open(holder('p29', kept))).toBe('word 29');
    expect(access.open(holder('p0', kept))).toBeUndefined();
    expect(access.keep(holder('p1'), [told('p1', 'x'.repeat(2_049))])).toBeUndefined();
    const longest = Array.from({ length: 30 }, (_, at) => told(`p${at}`, 'x'.repeat(2_048)));
    expect(access.open(holder('p29', access.keep(holder('p0'), longest)))).toHaveLength(2_048);
  });

  it('is nothing that was altered or sealed for something else', () => {
    expect(access.open(holder('p1', 'rubbish'))).toBeUndefined();
    const elsewhere = createSeal(Buffer.alloc(32, 7), 'pages').close('[["p1","word"]]', 'tx1');
    expect(access.open(holder('p1', elsewhere))).toBeUndefined();
  });
});
