/** Banxa's credentials in the sandbox, and its refusals. */
import type { StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';

export const SETTINGS = {
  partner: 'cloverleaf',
  apiKey: 'banxa-sandbox-key',
  pages: 'checkout',
  webhookSecret: 'banxa-sandbox-webhook-secret',
};

/** Their error body; the wording is ours, as theirs is not documented. */
export function refused(status: number, message: string, field?: string): StandinAnswer {
  return { status, body: { errors: [{ code: String(status * 100), message, field: field ?? null }] } };
}

type Answer = (request: StandinRequest, world: World) => StandinAnswer;

/** A route of the API below the partner's code, for whoever has its key. */
export function route(method: 'GET' | 'POST', path: string, answer: Answer): StandinRoute {
  return {
    method,
    host: 'api',
    path: `/:partner/v2${path}`,
    answer(request, world) {
      if (request.headers['x-api-key'] !== SETTINGS.apiKey) return refused(401, 'The API key is not valid');
      if (request.params.partner !== SETTINGS.partner) return refused(403, 'The partner is not known');
      return answer(request, world);
    },
  };
}
