/** Problems: how a fault looks from outside. One table of statuses, one body per surface. */
import { DeclinedFault, FatalFault, Fault, type FaultKind } from '../domain/fault.ts';
import type { Amount } from '../domain/money.ts';
import type { DeclineReason } from '../domain/offer.ts';

const STATUS: Record<FaultKind, number> = {
  badInput: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  conflict: 409,
  expired: 410,
  tooLarge: 413,
  headersTooLarge: 431,
  tooSlow: 408,
  unsupportedMedia: 415,
  declined: 422,
  tooMany: 429,
  providerFailed: 502,
  unavailable: 503,
  providerLate: 504,
};

/** How providers' refusals are called, here and in the list of quotes. */
export const DECLINES: Record<DeclineReason, { type: string; errorId: number }> = {
  limit: { type: 'LimitMismatch', errorId: 6101 },
  pair: { type: 'QuoteParameterMismatch', errorId: 6100 },
  country: { type: 'QuoteParameterMismatch', errorId: 6100 },
  method: { type: 'NoSupportedPaymentFound', errorId: 6103 },
  refused: { type: 'ProviderValidation', errorId: 6403 },
  unavailable: { type: 'ProviderUnavailable', errorId: 6200 },
};

export interface Problem {
  status: number;
  body: ProblemBody;
}

/** The same on the earlier surface, whose clients read less. */
export interface EarlierProblem {
  status: number;
  body: EarlierProblemBody;
}

/** The error body of the earlier surface. */
export interface EarlierProblemBody {
  message: string;
  field?: string;
  /** The order cannot go on. */
  fatal?: true;
}

/** The error body of the current surface; public clients read any of the four. */
export interface ProblemBody {
  message: string;
  errorId: number;
  errorCode: number;
  errorMessage: string;
  field?: string;
  /** Why a provider declined, and the bounds it has for the amount. */
  type?: string;
  minAmount?: Amount | undefined;
  maxAmount?: Amount | undefined;
  requestId: string;
}

export function describeProblem(error: unknown, requestId: string): Problem {
  const { fault, status, message } = judge(error);
  return {
    status,
    body: {
      message,
      // Ten times the status: room for finer numbers of the same status.
      errorId: status * 10,
      errorCode: status,
      errorMessage: message,
      ...(fault?.field !== undefined && { field: fault.field }),
      ...(fault instanceof DeclinedFault && describeDecline(fault)),
      requestId,
    },
  };
}

export function describeEarlierProblem(error: unknown): EarlierProblem {
  const { fault, status, message } = judge(error);
  return {
    status,
    body: {
      message,
      ...(fault?.field !== undefined && { field: fault.field }),
      ...(fault instanceof FatalFault && { fatal: true as const }),
    },
  };
}

/** What it is, whoever is told. */
function judge(error: unknown): { fault: Fault | undefined; status: number; message: string } {
  const fault = toFault(error);
  const status = fault ? STATUS[fault.kind] : 500;
  return { fault, status, message: fault?.message ?? 'Something went wrong on our side' };
}

function describeDecline({ reason, limits }: DeclinedFault) {
  return { ...DECLINES[reason], minAmount: limits?.min, maxAmount: limits?.max };
}

/** What the framework refuses before a handler runs, in our words. */
function toFault(error: unknown): Fault | undefined {
  if (error instanceof Fault) return error;
  const { code, statusCode, validation, validationContext, message } = (error ?? {}) as FrameworkError;
  if (validation?.[0]) return describeViolation(validation[0], validationContext);
  if ((code !== undefined && DATABASE_AWAY.has(code)) || DATABASE_LOST.test(message ?? ''))
    return new Fault('unavailable', 'The database does not answer at the moment');
  if (code === 'FST_ERR_BAD_URL') return new Fault('badInput', 'The path is not valid', 'path');
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Fault('tooLarge', 'The body is too large', 'body');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Fault('unsupportedMedia', 'The content type must be application/json', 'Content-Type');
  }
  if (code?.startsWith('FST_ERR_CTP_') || statusCode === 400) {
    return new Fault('badInput', `The body is not valid: ${message}`, 'body');
  }
  return undefined;
}

/** Codes of errors that mean: come back later. Connections refused or cut, shutting down, starting up, no disk. */
const DATABASE_AWAY = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT'],
  ...['57P01', '57P02', '57P03', '08000', '08003', '08006', '53100', '53200', '53300'],
  // Given up for lasting too long, or for waiting in a circle: the same once more may well succeed.
  ...['57014', '40001', '40P01', '55P03'],
]);

/** What the driver says without a code. */
const DATABASE_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered|was closed))/;

interface FrameworkError {
  code?: string;
  statusCode?: number;
  message?: string;
  validation?: Violation[];
  validationContext?: string;
}

interface Violation {
  instancePath: string;
  keyword: string;
  message?: string;
  params: Record<string, unknown>;
}

function describeViolation({ instancePath, keyword, message, params }: Violation, context?: string): Fault {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const field = keyword === 'required' ? [path, params.missingProperty].filter(Boolean).join('.') : path;
  const name = field || context || 'request';
  if (keyword === 'required') return new Fault('badInput', `${name} is required`, name);
  const allowed = keyword === 'enum' ? `: ${(params.allowedValues as string[]).join(', ')}` : '';
  return new Fault('badInput', `${name} ${message ?? 'is not valid'}${allowed}`, name);
}
