/** What the front does with those who send slowly, or much at once. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFront } from './front.ts';
import { createMemory } from './memory.ts';

let server: Server;
const memory = createMemory();
let made = 0;
const seen: string[] = [];

beforeAll(async () => {
  server = createFront(
    (request, response) => {
      seen.push(request.url ?? '');
      if (request.url === '/early') return void response.end('at once');
      if (request.url === '/catalog') {
        made++;
        return void Promise.resolve('all there is').then(text => {
          memory.keep('/catalog', { authorization: undefined, country: undefined }, text);
          response.end(text);
        });
      }
      request.resume();
      request.once('end', () => response.end('all of it'));
    },
    {
      memory,
      admission: { limit: () => undefined, shed: () => undefined },
      onRefused: () => {},
      onConnection: () => {},
      isEarlier: url => url.startsWith('/legacy'),
      catalogPaths: ['/catalog'],
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

/** Sends the head and half of the body, waits once they are there, and sends the rest; what comes back. */
async function sendSlowly(path: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => {});
  const begun = once(server, 'request');
  const headers = 'Host: x\r\nOrigin: https://shop.example\r\nContent-Length: 4\r\nConnection: close';
  socket.write(`POST ${path} HTTP/1.1\r\n${headers}\r\n\r\nab`);
  await begun;
  await wait(300);
  socket.write('cd');
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

describe('a body that takes long', () => {
  it('is not waited for', async () => {
    expect(await sendSlowly('/checkout/intent')).toMatch(/^HTTP\/1.1 408/);
  });

  it.each([
    ['/checkout/intent', ['errorCode', 'errorId', 'errorMessage', 'field', 'message', 'requestId']],
    ['/legacy/transaction/acme/form/t0ken', ['field', 'message']],
  ])('is told so in the words of its surface, and to pages of other sites: %s', async (path, members) => {
    const [head = '', body = ''] = (await sendSlowly(path)).split('\r\n\r\n');
    expect(head.toLowerCase()).toContain('access-control-allow-origin: https://shop.example');
    expect(Object.keys(JSON.parse(body)).sort()).toEqual(members);
  });

  it('is waited for where it is a file', async () => {
    expect(await sendSlowly('/legacy/transaction/acme/file/t0ken')).toMatch(/^HTTP\/1.1 200/);
  });
});

describe('a catalog that is asked for many times in one piece', () => {
  it('is made once', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
    const request = 'GET /catalog HTTP/1.1\r\nHost: x\r\n';
    socket.write(`${`${request}\r\n`.repeat(49)}${request}Connection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect([text.split('HTTP/1.1 200').length - 1, text.split('all there is').length - 1, made]).toEqual([
      50, 50, 1,
    ]);
  });
});

describe('a request that is refused behind others', () => {
  /** All that comes back for what is sent in one piece. */
  async function exchange(text: string): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
    socket.write(text);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    return answer;
  }
  const statuses = (text: string) => [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status);

  it.each([
    ['PATCH / HTTP/1.1\r\nHost: x\r\n\r\n', '405'],
    ['GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', '400'],
    ['GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', '400'],
  ])('is answered in its turn: %j', async (request, status) => {
    expect(statuses(await exchange(`GET /early HTTP/1.1\r\nHost: x\r\n\r\n${request}`))).toEqual([
      '200',
      status,
    ]);
  });

  it('is the last that is looked at', async () => {
    const before = seen.length;
    const two = 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n';
    const answer = await exchange(
      `POST /a HTTP/1.1\r\nHost: x\r\n${two}GET /early HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    expect([statuses(answer), seen.slice(before)]).toEqual([['400'], []]);
  });

  it('is one with two transfer encodings, in one line or in two', async () => {
    const two = 'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    expect(statuses(await exchange(`POST /a HTTP/1.1\r\nHost: x\r\n${two}`))).toEqual(['400']);
  });
});

describe('a caller that wants a tunnel', () => {
  it('gets none, and may break off as rudely as it likes', async () => {
    const { port } = server.address() as AddressInfo;
    for (let time = 0; time < 5; time++) {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'),
      );
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 405/);
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    // An error that nobody heard of would have ended the process by now.
    const answered = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' });
    expect(await answered.text()).toBe('all of it');
  });
});

describe('a request that breaks after it was answered', () => {
  /** All that comes back, once the connection has ended. */
  async function hear(text: string): Promise<string> {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1', () => socket.write(text)).setEncoding('latin1');
    socket.on('error', () => {});
    let heard = '';
    socket.on('data', chunk => {
      heard += chunk;
    });
    await once(socket, 'close');
    return heard;
  }
  const answersIn = (heard: string) => heard.match(/HTTP\/1\.1 \d+/g);

  it('is not answered once more, which somebody else might take for theirs', async () => {
    const head = 'POST /early HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(answersIn(await hear(`${head}0\r\nContent-Length: 5\r\n\r\n`))).toEqual(['HTTP/1.1 200']);
    expect(answersIn(await hear(`${head}zz\r\n`))).toEqual(['HTTP/1.1 200']);
  });

  it('nor when the rest of it never comes', async () => {
    const head = 'POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab';
    expect(answersIn(await hear(head))).toEqual(['HTTP/1.1 200']);
  });

  it('waits for its turn behind one that is still being answered', async () => {
    const first = 'POST /late HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab';
    expect(answersIn(await hear(`${first}rubbish\r\n\r\n`))).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});
