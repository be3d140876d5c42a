/** Stripe's errors imitated, and how it knows its partners. */
import type { StandinAnswer, StandinRequest } from '../world.ts';
import { SETTINGS } from './standin-terms.ts';

/** As a bearer, or as the user of Basic with an empty password. */
export function isOurs({ headers }: StandinRequest): boolean {
  const { authorization } = headers;
  return (
    authorization === `Bearer ${SETTINGS.secretKey}` ||
    authorization === `Basic ${btoa(`${SETTINGS.secretKey}:`)}`
  );
}

export function unauthorized(): StandinAnswer {
  return {
    status: 401,
    body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } },
  };
}

export function notFound(id: string): StandinAnswer {
  const message = `No such onramp_session: '${id.slice(0, 40)}'`;
  return {
    status: 404,
    body: { error: { type: 'invalid_request_error', code: 'resource_missing', message } },
  };
}

/** The codes are theirs, the texts are not published. */
export function refuse(code: string, message: string): StandinAnswer {
  return {
    status: 400,
    body: { error: { type: 'invalid_request_error', code: `crypto_onramp_${code}`, message } },
  };
}
