/** Coinbase's keys in the sandbox, who may ask, and its refusals. */
import { readDecimal, ZERO } from '../../domain/money.ts';
import { splitToken } from '../jwt.ts';
import type { StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';

export const SETTINGS = {
  apiKeyId: '00000000-0000-4000-8000-636f696e6261',
  // An Ed25519 seed and its public key, nobody's.
  apiKeySecret: 'wGxFeceUiJFxjGDQ0YCXZyBai5LnX8Aj4vz4of9sXgfp2CrCAVgNJEjrHNAGfzgUXiZCPW0NkrE6jTW5BedteQ==',
  keyType: 'ed25519',
  usState: 'CA',
  webhookSecret: '11111111-2222-4333-8444-555555555555',
};

/** As a Status object; only the name of its first field is documented. */
function refuse(status: number, code: number, message: string): StandinAnswer {
  return { status, body: { code, message, details: [] } };
}

export function badRequest(message: string): StandinAnswer {
  return refuse(400, 3, message);
}

/** A route that answers those only who have a token for it. */
export function guarded(
  method: 'GET' | 'POST',
  template: string,
  answer: StandinRoute['answer'],
): StandinRoute {
  return {
    ...{ method, host: 'api', path: template },
    answer(request, world) {
      const asked = template.replace(/:(\w+)/g, (_whole, name) =>
        encodeURIComponent(request.params[name] ?? ''),
      );
      const path = `${new URL(world.base('api')).pathname}${asked}`;
      return isAllowed({ method, path }, request, world)
        ? answer(request, world)
        : refuse(401, 16, 'Unauthenticated: the token is not valid for this request');
    },
  };
}

interface Asked {
  method: string;
  path: string;
}

interface Claims {
  sub?: unknown;
  iss?: unknown;
  uris?: unknown;
  nbf?: unknown;
  exp?: unknown;
}

/** How far ahead of ours the partner's clock may be: one of a sandbox may stand still. */
const LEEWAY_SECONDS = 600;

/** "JWT authentication": the key, the request it was made for, and its two minutes. */
function isAllowed(asked: Asked, { headers }: StandinRequest, world: World): boolean {
  const token = splitToken(headers.authorization?.replace(/^Bearer /, ''));
  const { alg, kid, nonce } = (token?.header ?? {}) as Record<string, unknown>;
  const { sub, iss, uris, nbf, exp } = (token?.claims ?? {}) as Claims;
  if (!token || alg !== 'EdDSA' || !/^[0-9a-f]{16,}$/.test(String(nonce))) return false;
  if (kid !== SETTINGS.apiKeyId || sub !== kid || iss !== 'cdp') return false;
  if (!Array.isArray(uris) || uris.length !== 1 || !names(String(uris[0]), asked)) return false;
  const from = readDecimal(nbf) ?? ZERO;
  const until = readDecimal(exp) ?? ZERO;
  const seconds = Math.floor(world.now / 1000);
  if (from.gt(seconds + LEEWAY_SECONDS) || until.lt(seconds) || until.minus(from).gt(120)) return false;
  return world.isSigned('ed25519-base64url', SETTINGS.apiKeySecret, token.signed, token.signature);
}

/** `POST api.example/path`; the host is whatever name the sandbox was reached under. */
function names(uri: string, { method, path }: Asked): boolean {
  const [, verb, address = ''] = /^(\w+) [^/\s]+(\/\S*)$/.exec(uri) ?? [];
  return verb === method && address === path;
}
