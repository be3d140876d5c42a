/** Paybis' credentials in the sandbox, who may ask what, and its refusals. */
import type { StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { PARTNER_KEY, WEBHOOK_PUBLIC_KEY } from './standin-keys.ts';

export const SETTINGS = {
  apiKey: 'paybis-sandbox-key',
  privateKey: PARTNER_KEY,
  publicApiKey: '00000000-0000-4000-8000-706179626973',
  webhookKey: WEBHOOK_PUBLIC_KEY,
};

/** Their error body; words and codes are ours, as theirs are not documented. */
export function refused(status: number, message: string): StandinAnswer {
  return { status, body: { message, code: `error-${status}` } };
}

type Answer = StandinRoute['answer'];

/** For whoever has the key, with or without `Bearer`; what has a body must be signed. */
export function guarded(method: 'GET' | 'POST', path: string, answer: Answer): StandinRoute {
  return {
    method,
    host: 'api',
    path,
    answer(request, world) {
      if (request.headers.authorization?.replace(/^Bearer /, '') !== SETTINGS.apiKey) {
        return refused(401, 'The API key is not valid');
      }
      if (method === 'POST' && !isSigned(request, world)) return refused(403, 'Invalid request signature');
      return answer(request, world);
    },
  };
}

/** "Signing request": the digest of the body in hexadecimal is what is signed. */
function isSigned({ headers, rawBody }: StandinRequest, world: World): boolean {
  const signature = headers['x-request-signature'] ?? '';
  return world.isSigned('rsa-pss-sha512-digest-base64', SETTINGS.privateKey, rawBody, signature);
}

/** For whoever has the public key. */
export function open(path: string, answer: Answer): StandinRoute {
  return {
    method: 'POST',
    host: 'api',
    path,
    answer: (request, world) =>
      request.query.apikey === SETTINGS.publicApiKey
        ? answer(request, world)
        : refused(401, 'The API key is not valid'),
  };
}

/** The members of a body that are texts. */
export function textsOf(body: unknown): Readonly<Record<string, string | undefined>> {
  const given = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return Object.fromEntries(given.filter(([, value]) => typeof value === 'string')) as Record<string, string>;
}
