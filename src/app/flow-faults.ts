/** Flow faults: what can be wrong with a step, as the person who takes it is told. */
import { FatalFault, Fault } from '../domain/fault.ts';
import type { Transaction } from '../store/transactions.ts';

export function unknown(): Fault {
  return new Fault('notFound', 'There is no such step');
}

export function answeredBefore(): Fault {
  return new Fault('conflict', 'The step was answered before');
}

export function ended({ standing: { status, reason } }: Transaction): Fault {
  return new FatalFault('expired', reason || `The order is ${status}`);
}

const FATAL: ReadonlySet<Fault['kind']> = new Set(['declined', 'expired', 'forbidden']);

/** Only what a form asks for is a field here, and what ends the order says so. */
export async function plainly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'badInput' || error instanceof FatalFault) throw error;
    if (FATAL.has(error.kind)) throw new FatalFault(error.kind, error.message);
    throw new Fault(error.kind, error.message);
  }
}
