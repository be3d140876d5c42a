/** Faults: what can be wrong with a request, or with us, in words each surface turns into a status. */

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
