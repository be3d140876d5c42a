/** Trouble: what the client throws, as the widget keeps it. */
import { CloverleafError } from '../../client/src/index.ts';
import type { Trouble } from './state.ts';

export function troubleOf(at: Trouble['at'], error: unknown): Trouble {
  if (error instanceof CloverleafError)
    return { at, kind: error.kind, message: error.message, field: error.field };
  return { at, kind: 'failed', message: error instanceof Error ? error.message : String(error) };
}
