/** Swapped's list of orders: when it can tell that one of ours is not there, and when it cannot. */
import { describe, expect, it } from 'vitest';
import type { NativeOrder, Notice } from '../contract.ts';
import type { Context, Exchange } from '../exchange.ts';
import { absence, status } from './orders.ts';

const context = {
  now: Date.UTC(2026, 0, 1),
  settings: { publicKey: 'pk_test_madeup0001', statusPolling: 'on' } as Record<string, string>,
  sign: () => 'signed',
} as unknown as Context;
const order = { id: 'ord-1', side: 'buy', fiat: { code: 'EUR' }, createdAt: context.now } as NativeOrder;

/** So many orders of other people, and then these references. */
function lookedUp(others: number, ...references: string[]): Notice[] | undefined {
  const strangers = Array.from({ length: others }, (_, at) => `other-${at}`);
  const orders = [...strangers, ...references].map((reference, at) => ({
    ...{ order_id: `theirs-${at}`, order_status: 'payment_pending', external_customer_id: reference },
  }));
  const { read } = status(order, context) as Exchange<Notice[] | undefined>;
  return read({
    ...{ status: 200, body: { success: true, data: { orders } } },
  }) as Notice[] | undefined;
}

describe('a look-up in the list', () => {
  it('finds nothing where the list has room left', () => {
    expect(lookedUp(99)).toEqual([]);
  });

  it('cannot tell where the list is full', () => {
    expect(lookedUp(100)).toBeUndefined();
    expect(lookedUp(101)).toBeUndefined();
  });

  it('finds ours in a full one', () => {
    expect(lookedUp(99, 'ord-1')).toMatchObject([{ reference: 'ord-1', word: 'buy.payment_pending' }]);
  });

  it('says nothing of the order when it is refused', () => {
    const said = [400, 404, 409, 422].map(status => absence({ status, body: undefined }));
    expect(said).toEqual(['untold', 'untold', undefined, undefined]);
  });
});
