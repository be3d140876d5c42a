/** What the front does with those who send slowly. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFront } from './front.ts';
import { createMemory } from './memory.ts';

let server: Server;

beforeAll(async () => {
  server = createFront(
    (request, response) => {
      request.resume();
      request.once('end', () => response.end('all of it'));
    },
    {
      memory: createMemory(),
      isEarlier: url => url.startsWith('/legacy'),
      catalogPaths: [],
      countryOf: () => undefined,
      newRequestId: () => 'r1',
      onRemembered: () => {},
      take: () => false,
      patienceMs: 100,
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => server.close());

/** Sends the head and half of the body, waits, and sends the rest; the first line of what comes back. */
async function sendSlowly(path: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nab`);
  await wait(300);
  socket.on('error', () => {});
  socket.write('cd');
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text.split('\r\n')[0] ?? '';
}

describe('a body that takes long', () => {
  it('is not waited for', async () => {
    expect(await sendSlowly('/checkout/intent')).toMatch(/^HTTP\/1.1 408/);
  });

  it('is waited for where it is a file', async () => {
    expect(await sendSlowly('/legacy/transaction/acme/file/t0ken')).toMatch(/^HTTP\/1.1 200/);
  });
});
