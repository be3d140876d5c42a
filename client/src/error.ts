/** Errors: one class, whose kind says what to do about it. */
import type { Amount, DeclineType } from './types.ts';

/**
 * What went wrong, by what can be done about it.
 *
 * - `badInput`: change what `field` names · `declined`: the provider says no, with its `reason` and bounds
 * - `unauthorized`, `forbidden`: the key, the secret or the origin · `notFound` · `conflict`: it was used or is there already
 * - `expired`: the quote or session has run out, ask for a new one
 * - `busy`: come back after `retryAfter` seconds · `providerFailed`: the provider failed or was late, others may not
 * - `unreachable`: no answer came · `timeout`: none came in time · `aborted`: the caller broke it off
 * - `failed`: the service has a fault of its own, or what answers is no such service
 * - `unverified`: a webhook that is not the service's
 */
export type ErrorKind =
  | 'badInput'
  | 'declined'
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'conflict'
  | 'expired'
  | 'busy'
  | 'providerFailed'
  | 'unreachable'
  | 'timeout'
  | 'aborted'
  | 'failed'
  | 'unverified';

export interface ErrorDetails {
  status?: number | undefined;
  code?: number | undefined;
  field?: string | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  reason?: DeclineType | undefined;
  minAmount?: Amount | undefined;
  maxAmount?: Amount | undefined;
  cause?: unknown;
}

/** Everything the client throws. Its message can be shown to a person. */
export class CloverleafError extends Error {
  readonly kind: ErrorKind;
  /** HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** The service's number of the error. */
  readonly code: number | undefined;
  /** The parameter or member at fault. */
  readonly field: string | undefined;
  /** What the service's operator finds the request by. */
  readonly requestId: string | undefined;
  /** Seconds to wait before another try. */
  readonly retryAfter: number | undefined;
  /** Why a provider declined. */
  readonly reason: DeclineType | undefined;
  /** What the provider takes at least and at most, of the source currency. */
  readonly minAmount: Amount | undefined;
  readonly maxAmount: Amount | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'CloverleafError';
    this.kind = kind;
    this.status = details.status;
    this.code = details.code;
    this.field = details.field;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.reason = details.reason;
    this.minAmount = details.minAmount;
    this.maxAmount = details.maxAmount;
  }
}

/** What a caller gave that cannot be sent. */
export function badInput(field: string, message: string): CloverleafError {
  return new CloverleafError('badInput', message, { field });
}

const KINDS: Record<number, ErrorKind> = {
  400: 'badInput',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  408: 'busy',
  409: 'conflict',
  410: 'expired',
  413: 'badInput',
  415: 'badInput',
  422: 'declined',
  429: 'busy',
  431: 'badInput',
  502: 'providerFailed',
  503: 'busy',
  504: 'providerFailed',
};

/** The error an answer stands for; `body` is whatever came, ours or a proxy's. */
export function errorOf(response: Response, body: unknown): CloverleafError {
  const { status, headers } = response;
  const problem = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const text = (name: string) => (typeof problem[name] === 'string' ? (problem[name] as string) : undefined);
  const field = text('field');
  return new CloverleafError(kindOf(status, field), text('message') ?? `The service answered ${status}`, {
    status,
    code: typeof problem.errorId === 'number' ? problem.errorId : undefined,
    field,
    requestId: text('requestId') ?? headers.get('x-request-id') ?? undefined,
    retryAfter: readRetryAfter(headers.get('retry-after')),
    reason: text('type') as DeclineType | undefined,
    minAmount: text('minAmount'),
    maxAmount: text('maxAmount'),
  });
}

function kindOf(status: number, field: string | undefined): ErrorKind {
  // Another order had the key: no provider has been asked.
  if (status === 422 && field === 'Idempotency-Key') return 'conflict';
  return KINDS[status] ?? 'failed';
}

/** Seconds only: our service sends nothing else, and a date needs two clocks that agree. */
function readRetryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
