/** A line to a provider of the test's own, and what that provider was sent. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect } from 'vitest';
import { createDeadline } from '../src/engine/deadline.ts';
import { type Line, type LineOptions, openLine, type RunOptions } from '../src/engine/line.ts';
import {
  type Context,
  exchange,
  type HttpAnswer,
  type HttpRequest,
  type Work,
} from '../src/providers/exchange.ts';
import { silentAdapter } from './silent-adapter.ts';

export const SECRET = 'sk_live_5f3a"\\$&é';
const closers: (() => unknown)[] = [];

/** Called once by each file: whatever was opened for a test is closed after it. */
export function setLines(): void {
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
}

interface Received {
  method: string | undefined;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

interface Site {
  line: Line;
  received: Received[];
}

export async function connect(
  handle: (response: ServerResponse, received: Received) => void,
  options: Partial<LineOptions> = {},
): Promise<Site> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url = '', headers } = request;
    const one = { method, url, headers, body };
    received.push(one);
    handle(response, one);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line = openLine({
    adapter,
    environment: 'test',
    bases: { api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` },
    settings: { apiKey: 'pk_test_1', signingKey: SECRET, headerKey: 'sk_plain' },
    now: () => 1_800_000_000_000,
    ...options,
  });
  closers.push(() => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  });
  closers.push(() => line.close());
  return { line, received };
}

export const adapter = silentAdapter({
  hosts: { api: { live: 'https://api.acme.example', test: 'https://test.acme.example' } },
  settings: [
    { name: 'apiKey', label: '', secret: false, required: true },
    { name: 'signingKey', label: '', secret: true, required: true },
    { name: 'headerKey', label: '', secret: true, required: true },
    { name: 'version', label: '', secret: false, required: false, fallback: 'v2' },
    { name: 'missing', label: '', secret: true, required: false },
  ],
});

export const ok = (response: ServerResponse) => void response.end('{"fine":true}');

export function run<T>(
  line: Line,
  work: (context: Context) => Work<T>,
  options: Partial<RunOptions<T>> = {},
): Promise<T> {
  const deadline = createDeadline(20_000);
  return line
    .run(work, { deadline, bodyLimit: 10_000, id: 'w1', ...options })
    .finally(() => deadline.clear());
}

export function ask(request: Partial<HttpRequest> = {}): Work<HttpAnswer> {
  return exchange({ method: 'GET', host: 'api', path: '/x', ...request }, answer => answer);
}

export async function errorOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) expect.fail('it should have failed');
  return error;
}
