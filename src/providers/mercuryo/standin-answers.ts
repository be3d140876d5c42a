/** Mercuryo's credentials in the sandbox, and the two bodies it answers with. */
import type { StandinAnswer } from '../world.ts';

export const SETTINGS = {
  widgetId: '7d1c5b4e-2f60-4c1a-9d3e-5a0b6c7d8e9f',
  secretKey: 'standin-mercuryo-secret-key',
  signKey: 'standin-mercuryo-sign-key',
  partnerToken: 'standin-mercuryo-partner-token',
};

export function succeed(data: unknown): StandinAnswer {
  return { status: 200, body: { status: 200, data } };
}

/** Their codes open with the HTTP status; which ones the rate calls use is not published, nor are the words. */
export function fail(status: number, message: string): StandinAnswer {
  return { status, body: { status, code: status * 1000, message } };
}
