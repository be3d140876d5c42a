/** Bank transfers: the account that money is sent to, as text to read and to copy. */
import type { PayView } from '../../app/pay.ts';
import type { BankPart } from './shape.ts';

/**
 * Some providers call it new, others pending when they wait for the money; until it has come it may not have been sent.
 */
export function isTransferDue({ side, bank, status }: PayView): boolean {
  return side === 'buy' && bank !== undefined && (status === 'new' || status === 'pending');
}

export function bankOf(view: PayView): Record<BankPart, string> | undefined {
  const { bank, pays } = view;
  if (!bank || !isTransferDue(view)) return undefined;
  const { account, reference, hint } = bank;
  return { ...account, reference, hint, amount: pays.amount.toString() };
}
