/** A client of the steps: it knows only what answers say, and posts as browsers of the time do, without naming a type. */
import { expect } from 'vitest';
import type { Reply } from '../service.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into steps freely
export type AnyStep = any;

export interface StepClient {
  /** Every URL that was asked for, and every one that answers told of. */
  urls: string[];
  /** The first step of a gateway's rate. */
  firstStep(provider: string, path?: string): Promise<AnyStep>;
  /** Posts answers to a step. */
  post(step: { url: string }, body: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Sends a file to a step, as it is or as a `data:` URL. */
  put(step: { url: string }, bytes: Uint8Array): Promise<Reply>;
  /** Follows nothing: where a URL leads. */
  open(url: string): Promise<Reply>;
}

export function stepClient(serviceUrl: string, key: string | undefined): StepClient {
  const urls: string[] = [];
  const own = key === undefined ? {} : { authorization: `Basic ${key}` };

  async function send(url: string, init: RequestInit): Promise<Reply> {
    urls.push(url);
    const response = await fetch(url, { redirect: 'manual', ...init });
    const text = await response.text();
    const location = response.headers.get('location');
    if (location !== null) urls.push(location);
    urls.push(...[...text.matchAll(/https?:\/\/[^"\\\s]+/g)].map(([found]) => found));
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const body = isJson && text ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, body };
  }

  return {
    urls,
    async firstStep(provider, path = '/EUR/BTC/creditCard/100') {
      const { status, body, text } = await send(`${serviceUrl}/legacy/rate${path}?country=de`, {
        headers: own,
      });
      expect([status, text]).toEqual([200, expect.any(String)]);
      const rate = body.find(({ identifier }: { identifier: string }) => identifier === provider);
      expect(rate, text).toMatchObject({ available: true });
      return rate.nextStep;
    },
    post: ({ url }, body, headers = {}) =>
      send(`${url}?country=de`, {
        method: 'POST',
        headers: { ...own, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    put: ({ url }, bytes) => send(url, { method: 'PUT', headers: own, body: bytes as Buffer }),
    open: url => send(url, {}),
  };
}

/** The token at the end of a step's address. */
export function tokenOf({ url }: { url: string }): string {
  return url.split('/').at(-1) ?? '';
}
