/** Trouble: what the client throws, as the widget keeps it. */
import { CloverleafError } from '../../client/src/index.ts';
import { compareAmounts } from './decimal.ts';
import type { Decline, Trouble } from './state.ts';

export function troubleOf(at: Trouble['at'], error: unknown): Trouble {
  if (error instanceof CloverleafError)
    return { at, kind: error.kind, message: error.message, field: error.field };
  return { at, kind: 'failed', message: error instanceof Error ? error.message : String(error) };
}

/** A provider's own words where it has some; whatever else there is to say is said in the person's language. */
export function declineOf(error: unknown, pays: string): Decline | undefined {
  if (!(error instanceof CloverleafError)) return undefined;
  const { kind, message, minAmount, maxAmount } = error;
  if (kind === 'providerFailed') return { kind: 'silent' };
  if (kind !== 'declined') return undefined;
  if (minAmount && compareAmounts(pays, minAmount) < 0) return { kind: 'min', amount: minAmount };
  if (maxAmount && compareAmounts(pays, maxAmount) > 0) return { kind: 'max', amount: maxAmount };
  return { kind: 'words', words: message };
}
