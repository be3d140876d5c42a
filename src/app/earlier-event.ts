/** The earlier surface's own event: an order that was made there is complete. */
import type { Currencies } from '../domain/currency.ts';
import { asWritten, writeJson } from '../domain/json.ts';
import { ZERO } from '../domain/money.ts';
import { EARLIER_EVENT, type NewEvent } from '../store/events.ts';
import type { Change } from '../store/transactions.ts';

/** Undefined for every other change, and for orders that were made elsewhere. */
export function earlierEventOf(change: Change, { methods }: Currencies): NewEvent | undefined {
  const { transaction, standing, at, statusAt, sequence } = change;
  const { id, origin, accountId, source, target, partnerContext } = transaction;
  const isNews = standing.status === 'completed' && transaction.standing.status !== 'completed';
  if (origin !== 'earlier' || !isNews) return undefined;
  const payload = {
    txId: id,
    gatewayIdentifier: transaction.provider,
    timestamp: statusAt.getTime(),
    inCurrency: source.toUpperCase(),
    inAmount: standing.paid ?? transaction.amount,
    outCurrency: target.toUpperCase(),
    outAmount: standing.received ?? ZERO,
    medium: methods.get(transaction.method)?.legacy ?? transaction.method,
    partnerContext: transaction.contextIsObject ? asWritten(partnerContext) : partnerContext,
  };
  return {
    id: `${id}-${EARLIER_EVENT}`,
    accountId,
    transactionId: id,
    sequence,
    body: writeJson({ type: EARLIER_EVENT, payload }),
    at,
  };
}
