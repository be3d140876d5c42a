/** The stand-in's credentials in the sandbox, how it knows a partner, and its refusals. */
import { BadAnswer } from '../exchange.ts';
import type { StandinAnswer, StandinRequest, StandinRoute } from '../world.ts';
import { CODES, type Code, VERSION } from './schema.ts';

export const SETTINGS = {
  apiKey: 'openramp-sandbox-key',
  webhookSecret: 'whsec_b3BlbnJhbXAtc2FuZGJveC13ZWJob29rLXNlY3JldA==',
};

export function refuse(code: Code, message: string, more: Record<string, string> = {}): StandinAnswer {
  return { status: CODES[code], body: { error: { code, message, ...more } } };
}

/** Answers those who have the key and speak this version. */
export function known(answer: StandinRoute['answer']): StandinRoute['answer'] {
  return (request, world) => {
    const { authorization, 'openramp-version': version } = request.headers;
    if (authorization !== `Bearer ${SETTINGS.apiKey}`) return refuse('unauthorized', 'The key is not known');
    if (version !== VERSION)
      return refuse('bad_request', `Only version ${VERSION} is spoken here`, { field: 'openramp-version' });
    return answer(request, world);
  };
}

/** The body as `read` has it, or a refusal that names the place. */
export function readBody<T>({ body }: StandinRequest, read: (body: unknown) => T): T | StandinAnswer {
  try {
    return read(body ?? null);
  } catch (error) {
    if (!(error instanceof BadAnswer)) throw error;
    const [place = ''] = error.message.split(' ');
    return refuse('bad_request', error.message, { field: place.slice(1).replaceAll('/', '.') || 'body' });
  }
}

export function isRefusal(value: object): value is StandinAnswer {
  return 'status' in value && 'body' in value;
}
