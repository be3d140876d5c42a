/** Transak's credentials in the sandbox, and the two bodies it answers with. */
import type { StandinAnswer } from '../world.ts';

export const SETTINGS = {
  apiKey: '00000000-0000-4000-8000-7472616e7361',
  apiSecret: 'transak-sandbox-secret',
  referrerDomain: 'sandbox.example',
};

export function found(response: unknown): StandinAnswer {
  return { status: 200, body: { response } };
}

/** Their error body; the wording is ours, as theirs is not documented. */
export function refused(status: number, message: string): StandinAnswer {
  return { status, body: { error: { statusCode: status, message } } };
}
