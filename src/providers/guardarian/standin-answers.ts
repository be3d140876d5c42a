/** Guardarian's credentials in the sandbox, and its refusals. */
import type { StandinAnswer, StandinRoute } from '../world.ts';
import { PARTNER_KEY } from './standin-keys.ts';

export const SETTINGS = { apiKey: 'guardarian-sandbox-key', privateKey: PARTNER_KEY };

/** Their error body; codes are theirs, words are ours. */
export function refused(status: number, code: string, message: string): StandinAnswer {
  return { status, body: { statusCode: status, code, message } };
}

export function badRequest(message: string): StandinAnswer {
  return refused(400, 'BAD_REQUEST', message);
}

/** A route for whoever has the key. Their lists answer without one. */
export function guarded(method: 'GET' | 'POST', path: string, answer: StandinRoute['answer']): StandinRoute {
  return {
    method,
    host: 'api',
    path: `/v1${path}`,
    answer: (request, world) =>
      request.headers['x-api-key'] === SETTINGS.apiKey
        ? answer(request, world)
        : refused(403, 'INVALID_TOKEN', 'Invalid api key'),
  };
}
