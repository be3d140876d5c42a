/** Flow visitors: who takes a step, and whether it is theirs to take. */
import { FatalFault } from '../domain/fault.ts';
import type { AccountId, ProviderId } from '../domain/words.ts';
import type { Account, Callers } from './accounts.ts';
import { unknown } from './flow-faults.ts';

export interface Visitor {
  /** The gateway that the step's address names: under another's name it is unknown. */
  gateway: string;
  /** Whose key was sent, if any: that of another account opens nothing. Without one the token alone does. */
  account: Account | undefined;
  /** Address of the person's device; never stored. */
  clientIp: string | undefined;
  /** Web origin of the page that shows the steps, when there is one, and of the page that frames it. */
  origin: string | undefined;
  around: string | undefined;
  /** Whether they may act for an account: a page that it has not registered may not, where it has registered any. */
  mayActFor(account: Account): boolean;
}

/** Faults unless a step of this order is the visitor's to take. The account is the step's own: a key may be left out. */
export function checkVisitor(
  visitor: Visitor,
  order: { accountId: AccountId; provider: ProviderId },
  callers: Pick<Callers, 'find'>,
): void {
  if (visitor.gateway !== order.provider) throw unknown();
  if (visitor.account && visitor.account.id !== order.accountId) throw unknown();
  const account = callers.find(order.accountId);
  // Which pages were a revoked account's is not known any more; the orders of its people go on.
  if (account && !visitor.mayActFor(account))
    throw new FatalFault('forbidden', 'This origin is not registered');
}
