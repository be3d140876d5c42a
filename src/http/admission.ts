/** Admission: who is served now and who is told to come back, decided before anything is spent on a request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import ipaddr from 'ipaddr.js';
import { type Account, type Callers, PUBLIC_ACCOUNT, reachOf } from '../app/accounts.ts';
import { type Caller, CROWD_FAULTS, type Crowd, type CrowdRefusal } from '../app/crowd.ts';
import { createLimit, type Limit } from '../app/limits.ts';
import { Fault } from '../domain/fault.ts';

export interface Admission {
  /** Counts a request on its caller; what is wrong when that was one too many. */
  limit(request: IncomingMessage, authorization: string | undefined): Refusal | undefined;
  /** What is wrong when there is more to do than can be done; what is admitted counts until it is answered. */
  shed(response: ServerResponse, authorization: string | undefined): Refusal | undefined;
  /** Whose share of everything a request takes from: an account's, or of those without one an address's. */
  callerOf(account: Account, request: IncomingMessage): Caller;
}

/** Why a request is not served, and the headers that say so beside the usual ones; the same object for all of a kind. */
export interface Refusal {
  reason: 'key' | 'address' | 'late' | 'busy' | CrowdRefusal;
  fault: Fault;
  headers: readonly string[];
}

/** Requests a second of one key, and of one address without a key; 0 for no limit. */
export interface RateLimits {
  rateLimitPerKey: number;
  rateLimitPerAddress: number;
}

export interface AdmissionOptions {
  limits: RateLimits;
  /** Questions being answered at once; orders are not counted. */
  mostAsking: number;
  callers: Pick<Callers, 'recognize'>;
  addressOf(request: IncomingMessage): string | undefined;
  /** Where the earlier surface is on this listener. */
  legacyPath: string;
  /** Why no further round of quotes can begin for a caller. */
  crowd: Pick<Crowd, 'refuses'>;
  /** Whether everything happens later than it should. */
  isLate(): boolean;
  /** A clock that only goes forward, in milliseconds. */
  ticks(): number;
}

/** What a request is about: money under way, a price, anything else, or what nobody may be kept from saying. */
type Concern = 'order' | 'quote' | 'question' | 'always';

export function createAdmission(options: AdmissionOptions): Admission {
  const { callers, addressOf, crowd, isLate, mostAsking } = options;
  const concernOf = createConcerns(options.legacyPath);
  const keys = createLimits('key', options.limits.rateLimitPerKey, options.ticks);
  const addresses = createLimits('address', options.limits.rateLimitPerAddress, options.ticks);
  let asking = 0;

  // Keys that nobody has are guesses, and count on whoever guesses.
  const accountOf = (authorization: string | undefined) =>
    authorization === undefined ? undefined : callers.recognize(authorization);

  function callerOf(account: Account | undefined, request: IncomingMessage): Caller {
    const { rateLimitPerKey, rateLimitPerAddress } = options.limits;
    return !account || account.id === PUBLIC_ACCOUNT
      ? { id: networkOf(addressOf(request)), perSecond: rateLimitPerAddress, reach: PUBLIC_ACCOUNT }
      : { id: account.id, perSecond: rateLimitPerKey, reach: reachOf(account) };
  }

  function limit(request: IncomingMessage, authorization: string | undefined): Refusal | undefined {
    const concern = concernOf(request.url ?? '');
    if (concern === 'always') return undefined;
    const kind = concern === 'order' ? 'orders' : 'questions';
    const account = accountOf(authorization);
    if (account) return keys?.[kind].take(account.id) === false ? keys.refusal : undefined;
    if (!addresses || addresses[kind].take(networkOf(addressOf(request)))) return undefined;
    return addresses.refusal;
  }

  function shed(response: ServerResponse, authorization: string | undefined): Refusal | undefined {
    const { req: request } = response;
    const concern = concernOf(request.url ?? '');
    if (concern === 'always' || concern === 'order') return undefined;
    if (isLate()) return LATE;
    const crowded = concern === 'quote' && crowd.refuses(callerOf(accountOf(authorization), request));
    if (crowded) return CROWDED[crowded];
    if (asking >= mostAsking) return BUSY;
    asking++;
    response.once('close', () => {
      asking--;
    });
    return undefined;
  }

  return { limit, shed, callerOf };
}

/** Orders are counted apart, so that whoever asks too often can still buy. */
type Limits = Record<'orders' | 'questions', Limit> & { refusal: Refusal };

function createLimits(of: 'key' | 'address', perSecond: number, ticks: () => number): Limits | undefined {
  if (perSecond === 0) return undefined;
  const questions = createLimit(perSecond, ticks);
  return { orders: createLimit(perSecond, ticks), questions, refusal: tooOften(of, questions) };
}

/** By how paths begin; whatever is spelled otherwise is a question like any. */
function createConcerns(legacyPath: string): (url: string) => Concern {
  const always = ['/health/', '/hooks/'];
  const orders = ['/checkout/', '/pay/', '/transactions', '/webhooks', '/metrics'];
  const quotes = ['/quotes/', `${legacyPath}/rate/`, `${legacyPath}/sell/`];
  const concerns: [string, Concern][] = [
    ...always.map((path): [string, Concern] => [path, 'always']),
    ...[...orders, `${legacyPath}/transaction/`].map((path): [string, Concern] => [path, 'order']),
    ...quotes.map((path): [string, Concern] => [path, 'quote']),
  ];
  return url => {
    for (const [path, concern] of concerns) if (url.startsWith(path)) return concern;
    return 'question';
  };
}

/** The part of an address that belongs to one household or machine: all of version 4, half of version 6. */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (!address.includes(':')) return address;
  return `${ipaddr.parse(address).toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}

function tooOften(reason: 'key' | 'address', { burst, seconds }: Limit): Refusal {
  return {
    reason,
    fault: reason === 'key' ? KEY_TOO_OFTEN : ADDRESS_TOO_OFTEN,
    // A whole number a second, so that one is there again within a second.
    headers: [
      ...['retry-after', '1', 'ratelimit-policy', `"${reason}";q=${burst};w=${seconds}`],
      ...['ratelimit', `"${reason}";r=0;t=1`],
    ],
  };
}

const KEY_TOO_OFTEN = new Fault('tooMany', 'This key has sent too many requests', 'Authorization');
const ADDRESS_TOO_OFTEN = new Fault('tooMany', 'This address has sent too many requests');
const SOON = ['retry-after', '1'];
const OVERLOADED = new Fault('unavailable', 'The service is overloaded');
const CROWDED: Readonly<Record<CrowdRefusal, Refusal>> = {
  crowded: { reason: 'crowded', fault: CROWD_FAULTS.crowded, headers: SOON },
  share: { reason: 'share', fault: CROWD_FAULTS.share, headers: SOON },
};
const LATE: Refusal = { reason: 'late', fault: OVERLOADED, headers: SOON };
const BUSY: Refusal = { reason: 'busy', fault: OVERLOADED, headers: SOON };
