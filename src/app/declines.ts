/** Declines as faults: a provider's no, or its failing, as the answer to a checkout, also when it is asked for again. */
import { DeclinedFault, Fault } from '../domain/fault.ts';
import { decimal } from '../domain/money.ts';
import type { Decline, DeclineReason } from '../domain/offer.ts';

export function faultOf(decline: Decline): Fault {
  if (decline.reason !== 'unavailable') return new DeclinedFault(decline);
  const { message, cause } = decline;
  if (cause === 'late') return new Fault('providerLate', message, 'onramp');
  return new Fault(cause === 'busy' ? 'unavailable' : 'providerFailed', message, 'onramp');
}

interface Kept {
  reason: DeclineReason;
  message: string;
  limits?: { min?: string | undefined; max?: string | undefined } | undefined;
}

/** A no as text, to be kept. */
export function writeRefusal({ reason, message, limits }: DeclinedFault): string {
  const kept: Kept = {
    reason,
    message,
    limits: limits && { min: limits.min?.toString(), max: limits.max?.toString() },
  };
  return JSON.stringify(kept);
}

/** The very same no as it was given before. */
export function readRefusal(text: string): DeclinedFault {
  const { limits, ...said } = JSON.parse(text) as Kept;
  const amount = (written: string | undefined) => (written === undefined ? undefined : decimal(written));
  return new DeclinedFault(
    limits ? { ...said, limits: { min: amount(limits.min), max: amount(limits.max) } } : said,
  );
}
