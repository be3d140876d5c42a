/** Faults: what can be wrong with a request, or with us, in words each surface turns into a status. */
import type { Limits } from './listing.ts';
import type { Decline, DeclineReason } from './offer.ts';

export type FaultKind =
  | 'badInput'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'methodNotAllowed'
  | 'conflict'
  | 'expired'
  | 'tooLarge'
  | 'headersTooLarge'
  | 'tooSlow'
  | 'unsupportedMedia'
  | 'declined'
  | 'tooMany'
  | 'providerFailed'
  | 'unavailable'
  | 'providerLate';

/** Thrown where a request cannot go on; the surface that caught it decides how it looks. */
export class Fault extends Error {
  readonly kind: FaultKind;
  /** The parameter or body field at fault, as the client spelled it. */
  readonly field: string | undefined;

  constructor(kind: FaultKind, message: string, field?: string) {
    super(message);
    this.name = 'Fault';
    this.kind = kind;
    this.field = field;
  }
}

export function badInput(field: string, message: string): Fault {
  return new Fault('badInput', message, field);
}

/** The order cannot go on, whatever the person changes. */
export class FatalFault extends Fault {}

/** There are too many of them just now: told of together, not one by one. */
export class CrowdFault extends Fault {}

/** A provider, or what it lists, says no to what was asked for. */
export class DeclinedFault extends Fault {
  readonly reason: DeclineReason;
  /** Bounds in what the customer hands over, where they are the reason. */
  readonly limits: Limits | undefined;

  constructor({ reason, message, limits }: Omit<Decline, 'kind'>) {
    super('declined', message, DECLINED_FIELDS[reason]);
    this.reason = reason;
    this.limits = limits;
  }
}

/** What to change for another answer, where one field alone decides. */
const DECLINED_FIELDS: Partial<Record<DeclineReason, string>> = {
  limit: 'amount',
  country: 'country',
  method: 'paymentMethod',
};
