/** Requests to Coinbase, each with a token of its own that names what is asked ("JWT authentication"). */
import type { Context, HttpRequest } from '../exchange.ts';
import { writeParts } from '../jwt.ts';

const LIFETIME_SECONDS = 120;
const NONCE_DIGITS = 32;

/** `path` is the whole path: a query is no part of what the token names. */
export function signed(request: Omit<HttpRequest, 'host' | 'headers'>, context: Context): HttpRequest {
  return {
    ...request,
    host: 'api',
    headers: { authorization: `Bearer ${tokenFor(request, context)}` },
  };
}

/** Keys are of two kinds, and which one it is cannot be read off the placeholder of a secret. */
function tokenFor(
  { method, path, query = {} }: Pick<HttpRequest, 'method' | 'path' | 'query'>,
  context: Context,
): string {
  const { apiKeyId = '', keyType } = context.settings;
  const isEc = keyType === 'ec';
  const address = context.base('api').replace(/^https?:\/\//, '');
  const now = Math.floor(context.now / 1000);
  // They want digits that nobody used before: those of the digest of what is asked, when, and for what.
  const asked = `${method} ${path} ${JSON.stringify(query)}`;
  const nonce = context.sign('sha512-hex', 'apiKeySecret', `${context.id} ${context.now} ${asked}`);
  const text = writeParts(
    { alg: isEc ? 'ES256' : 'EdDSA', kid: apiKeyId, typ: 'JWT', nonce: nonce.slice(0, NONCE_DIGITS) },
    {
      sub: apiKeyId,
      iss: 'cdp',
      uris: [`${method} ${address}${path}`],
      iat: now,
      nbf: now,
      exp: now + LIFETIME_SECONDS,
    },
  );
  return `${text}.${context.sign(isEc ? 'es256-base64url' : 'ed25519-base64url', 'apiKeySecret', text)}`;
}
