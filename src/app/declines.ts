/** Declines as faults: a provider's no, or its failing, as the answer to a checkout. */
import { DeclinedFault, Fault } from '../domain/fault.ts';
import type { Decline } from '../domain/offer.ts';

export function faultOf(decline: Decline): Fault {
  if (decline.reason !== 'unavailable') return new DeclinedFault(decline);
  const { message, cause } = decline;
  if (cause === 'late') return new Fault('providerLate', message, 'onramp');
  return new Fault(cause === 'busy' ? 'unavailable' : 'providerFailed', message, 'onramp');
}
