/** Orders to the fleet: what its providers can be told, and what they report. */
import type { Pace } from './latency.ts';

export const FAULTS = ['hang', 'huge', 'drip', 'reset', '5xx', 'garbage'] as const;
export type FleetFault = (typeof FAULTS)[number];

/** The body of `PUT /_fleet`; what is absent stays as it is. */
export interface FleetOrder {
  pace?: Pace;
  /** All faults there are, by provider. */
  faults?: Record<number, FleetFault>;
  /** Begin counting anew. */
  recount?: boolean;
}

export interface FleetReport {
  /** Quote calls by provider since the last recount; index 0 is nobody. */
  calls: number[];
  /** Where the stand-ins of the real providers are. */
  sandboxUrl: string;
}

/** The same fault for the first so many providers. */
export function faultyFirst(providers: number, fault: FleetFault): Record<number, FleetFault> {
  return Object.fromEntries(Array.from({ length: providers }, (_, at) => [at + 1, fault]));
}
