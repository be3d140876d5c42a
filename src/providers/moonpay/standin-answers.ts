/** MoonPay's credentials in the sandbox, and its refusals. */
import type { StandinAnswer } from '../world.ts';

export const SETTINGS = {
  apiKey: 'pk_test_cloverleaf',
  secretKey: 'sk_test_cloverleaf',
  webhookKey: 'wk_test_cloverleaf',
};

export function badRequest(message: string): StandinAnswer {
  return refuse(400, 'BadRequestError', message);
}

export function unauthorized(): StandinAnswer {
  return refuse(401, 'UnauthorizedError', 'Invalid API key');
}

export function notFound(message: string): StandinAnswer {
  return refuse(404, 'NotFoundError', message);
}

export function refuse(status: number, type: string, message: string): StandinAnswer {
  return { status, body: { message, type } };
}
