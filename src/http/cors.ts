/** Cross-origin rules: both surfaces are called from browsers on any site; a key, not an origin, says who calls. */
import type { IncomingHttpHeaders } from 'node:http';

const EXPOSED = 'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
const NONE: string[] = [];

/**
 * The headers of every answer, errors included, as a flat list; none when no browser asks. Clients of the earlier surface
 * send credentials along, which browsers must be told is fine; we set none, so there are none to abuse.
 */
export function corsHeaders(origin: string | undefined, credentials = false): string[] {
  if (origin === undefined) return NONE;
  const headers = ['access-control-allow-origin', origin, 'access-control-expose-headers', EXPOSED];
  if (credentials) headers.push('access-control-allow-credentials', 'true');
  return headers;
}

/** Takes back what lets pages of other sites read an answer. */
export function hideFromPages(reply: { removeHeader(name: string): unknown }): void {
  for (const name of READERS) reply.removeHeader(name);
}

const READERS = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
];

/**
 * Whether pages of an origin may act for an account: those it has registered, or any while it has registered none, since
 * its key is public and an origin proves nothing beside it. Callers that are no browser send no origin.
 */
export function isWelcome(registered: readonly string[], origin: string | undefined): boolean {
  return origin === undefined || registered.length === 0 || registered.includes(origin);
}

/** The answer to a preflight: whatever the page wants to send may be sent. */
export function preflightHeaders(headers: IncomingHttpHeaders, credentials = false): string[] {
  const { origin } = headers;
  return [
    ...corsHeaders(origin, credentials),
    'access-control-allow-methods',
    'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    'access-control-allow-headers',
    String(headers['access-control-request-headers'] ?? '*'),
    'access-control-max-age',
    '86400',
    'vary',
    'Origin, Access-Control-Request-Headers',
  ];
}
