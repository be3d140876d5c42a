/** News: each order is told once, each of its statuses once, and nothing of an order that nobody made here but where it stands. */
import { describe, expect, it } from 'vitest';
import { exampleOffer, exampleState, play, priced } from './example.ts';
import type { WidgetEvent } from './messages.ts';
import { createNews } from './news.ts';
import type { Order } from './state.ts';

const FIRST: Order = { token: 'a', transactionId: 't1', status: 'new', provider: 'moonpay' };
const LINKED: Order = { token: 'a', transactionId: undefined, status: undefined, provider: undefined };

/** What is told while one order follows another. */
function toldOf(...orders: (Order | undefined)[]): WidgetEvent[] {
  const told: WidgetEvent[] = [];
  const news = createNews({ origins: [], tell: event => void told.push(event) });
  let before = exampleState();
  for (const order of orders) {
    const state = exampleState({ order });
    news(state, before);
    before = state;
  }
  return told;
}

describe('news of prices', () => {
  it.each([
    ['source', '100', { payout: '0.001', pays: '100' }],
    ['destination', '0.002', { payout: '0.002', pays: '187.31' }],
  ] as const)('say what the amount is of, and what is paid: %s', (field, text, figures) => {
    const told: WidgetEvent[] = [];
    const news = createNews({ origins: [], tell: event => void told.push(event) });
    const before = play(exampleState(), { type: 'typed', field, text });
    news(priced([exampleOffer('moonpay', figures.payout, figures)], before), before);
    expect(told).toEqual([
      {
        type: 'quote',
        side: 'buy',
        fiat: 'eur',
        crypto: 'btc_bitcoin',
        amount: text,
        input: field,
        paymentMethod: 'creditcard',
        offers: 1,
        best: { onramp: 'moonpay', ...figures },
      },
    ]);
  });
});

describe('news of an order', () => {
  const checkout = { type: 'checkout', onramp: 'moonpay', side: 'buy' };

  it('are that it was made, where it stands, and that it was left', () => {
    expect(toldOf(FIRST, FIRST, { ...FIRST, status: 'completed' }, undefined)).toEqual([
      { ...checkout, transactionId: 't1' },
      { type: 'status', transactionId: 't1', status: 'new' },
      { type: 'status', transactionId: 't1', status: 'completed' },
      { type: 'completed', transactionId: 't1' },
      { type: 'closed', transactionId: 't1' },
    ]);
  });

  it('are told of another that was started from its page, even in the same status', () => {
    const again = { ...FIRST, token: 'b', transactionId: 't2' };
    expect(toldOf(FIRST, again).slice(2)).toEqual([
      { ...checkout, transactionId: 't2' },
      { type: 'status', transactionId: 't2', status: 'new' },
    ]);
  });

  it('that was come to by its link are where it stands', () => {
    const known: Order = { ...LINKED, transactionId: 't1', status: 'paid' };
    expect(toldOf(LINKED, known)).toEqual([{ type: 'status', transactionId: 't1', status: 'paid' }]);
  });
});
