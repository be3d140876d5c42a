/** News: what the page around the widget is told of as it happens. */
import { bestOffer, shownOffers } from './offers.ts';
import { askOf, type State } from './state.ts';
import type { Surroundings } from './surroundings.ts';

export type News = (state: State, before: State | undefined) => void;

export function createNews({ tell }: Surroundings): News {
  return (state, before) => {
    if (!before) greet(state);
    tellQuotes(state, before);
    tellOrder(state, before);
  };

  function greet({ setup }: State): void {
    for (const { parameter, message } of setup.warnings) {
      // biome-ignore lint/suspicious/noConsole: whoever builds the page around us looks there
      console.warn(`cloverleaf widget: ${message}`);
      tell({ type: 'warning', parameter, message });
    }
    tell({ type: 'ready' });
  }

  function tellQuotes(state: State, before: State | undefined): void {
    const ask = askOf(state);
    const { round, pair, side } = state;
    const isNews =
      round.phase === 'done' && (before?.round.phase !== 'done' || before.round.serial !== round.serial);
    if (!isNews || !ask || !pair) return;
    const best = bestOffer(state);
    tell({
      type: 'quote',
      side,
      fiat: pair.fiat.id,
      crypto: pair.crypto.id,
      amount: ask.amount,
      input: ask.input,
      paymentMethod: ask.method,
      offers: shownOffers(state).length,
      ...(best && { best: { onramp: best.ramp, pays: best.pays, payout: best.payout } }),
    });
  }

  function tellOrder({ order, side }: State, before: State | undefined): void {
    if (before?.order && !order) {
      const { transactionId } = before.order;
      tell({ type: 'closed', ...(transactionId !== undefined && { transactionId }) });
    }
    if (!order?.transactionId || !order.status) return;
    const { transactionId, status, provider } = order;
    const isOther = transactionId !== before?.order?.transactionId;
    // Of an order that was come to by its link nobody here knows who made it, and with whom.
    if (isOther && provider) tell({ type: 'checkout', transactionId, onramp: provider, side });
    if (!isOther && status === before?.order?.status) return;
    tell({ type: 'status', transactionId, status });
    if (status === 'completed') tell({ type: 'completed', transactionId });
  }
}
