/** Raw HTTP: what no client library would send is refused by a 4xx with JSON, never by silence, and never lets anything through. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { listen, send, target } from './wire.ts';
import { PROVIDERS } from './world.ts';

let service: TestService;
const pristine = Object.getOwnPropertyNames(Object.prototype).sort().join();

beforeAll(async () => {
  service = await startTestService({}, { only: PROVIDERS });
  // Remembered from here on: what is answered quickly must be refused all the same.
  await service.get('/supported');
});
afterAll(() => service?.close());

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const JSON_TYPE = 'Content-Type: application/json';
const gzipped = gzipSync('{"onramp":"moonpay"}');

const CASES: [string, string | Buffer][] = [
  [
    'both lengths',
    `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  ],
  [
    'two lengths',
    `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: 2', 'Content-Length: 3')}{}`,
  ],
  [
    'a list of lengths',
    `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: 2, 2')}{}`,
  ],
  [
    'a length with a sign',
    `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: +2')}{}`,
  ],
  ['a negative length', `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: -2')}{}`],
  [
    'a bad chunk size',
    `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a chunk size with a sign',
    `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Transfer-Encoding: chunked')}-2\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a huge chunk size',
    `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Transfer-Encoding: chunked')}fffffffffffffffff\r\n{}\r\n`,
  ],
  [
    'a bad chunk size on a GET',
    `${lines('GET /supported HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
  ],
  ['bare line feeds', 'GET /supported HTTP/1.1\nHost: a\n\n'],
  ['a folded header', lines('GET /supported HTTP/1.1', 'Host: a', 'X-Long: one', ' two')],
  ['a space before the colon', lines('GET /supported HTTP/1.1', 'Host : a')],
  ['no Host', lines('GET /supported HTTP/1.1')],
  ['two Hosts', lines('GET /supported HTTP/1.1', 'Host: a', 'Host: b')],
  ['TRACE', lines('TRACE /supported HTTP/1.1', 'Host: a')],
  ['CONNECT', lines('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443')],
  ['PATCH', lines('PATCH /supported HTTP/1.1', 'Host: a', 'Content-Length: 0')],
  ['PROPFIND', lines('PROPFIND /supported HTTP/1.1', 'Host: a')],
  ['a method nobody knows', lines('BREW /supported HTTP/1.1', 'Host: a')],
  ['a method in lower case', lines('get /supported HTTP/1.1', 'Host: a')],
  ['the absolute form', lines('GET http://example.com/supported HTTP/1.1', 'Host: example.com')],
  ['a target that is half an address', lines('GET http://[::1 HTTP/1.1', 'Host: a')],
  ['a target of two slashes and half an address', lines('GET //[::1 HTTP/1.1', 'Host: a')],
  ['an asterisk as target', lines('GET * HTTP/1.1', 'Host: a')],
  ['no target', lines('GET  HTTP/1.1', 'Host: a')],
  ['a header of 20 kB', lines('GET /supported HTTP/1.1', 'Host: a', `X-Long: ${'x'.repeat(20_000)}`)],
  ['a target of 20 kB', lines(`GET /supported?${'x'.repeat(20_000)} HTTP/1.1`, 'Host: a')],
  [
    '3,000 headers',
    lines('GET /supported HTTP/1.1', 'Host: a', ...Array.from({ length: 3_000 }, (_, at) => `X-${at}: 1`)),
  ],
  ['3,000 tiny headers', lines('GET /supported HTTP/1.1', 'Host: a', ...Array<string>(3_000).fill('a:b'))],
  ['NUL in the path', 'GET /supp\0orted HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['NUL in a header', 'GET /supported HTTP/1.1\r\nHost: a\r\nX-Nul: a\0b\r\n\r\n'],
  ['an encoded NUL in the path', target('/quotes/eur%00/btc?amount=100')],
  ['bytes above ASCII in the path', Buffer.from(target('/quotes/e\u00fcr/btc?amount=100'), 'latin1')],
  [
    'an unknown transfer encoding',
    lines('GET /supported HTTP/1.1', 'Host: a', 'Transfer-Encoding: xchunked'),
  ],
  [
    'an unknown transfer encoding with a body',
    `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Transfer-Encoding: xchunked')}2\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'two transfer encodings',
    `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
  ],
  [
    'a gzip body',
    Buffer.concat([
      Buffer.from(
        lines(
          'POST /supported HTTP/1.1',
          'Host: a',
          JSON_TYPE,
          'Content-Encoding: gzip',
          `Content-Length: ${gzipped.length}`,
        ),
      ),
      gzipped,
    ]),
  ],
  [
    'JSON as text/plain',
    `${lines('POST /supported HTTP/1.1', 'Host: a', 'Content-Type: text/plain', 'Content-Length: 2')}{}`,
  ],
  [
    'a body that is no JSON',
    `${lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: 1')}{`,
  ],
  [
    'a body announced as 3 MiB',
    lines('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: 3145728'),
  ],
  ['an expectation nobody knows', lines('GET /supported HTTP/1.1', 'Host: a', 'Expect: 200-maybe')],
  ['two Authorization headers', target('/supported', ['Authorization: a', 'Authorization: b'])],
  ['Authorization of 8 kB', target('/supported', [`Authorization: ${'x'.repeat(8_192)}`])],
  ['Authorization of 7 kB', target('/supported', [`Authorization: ${'x'.repeat(7_000)}`])],
  [
    'Authorization above ASCII',
    Buffer.from(target('/supported', ['Authorization: pk_test_\u00e9\u00ff']), 'latin1'),
  ],
  ['Authorization in UTF-8', Buffer.from(target('/supported', ['Authorization: pk_test_鍵']))],
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['TLS', Buffer.from('16030100a5010000a10303', 'hex')],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a version from the future', lines('GET /supported HTTP/9.9', 'Host: a')],
];

for (const [name, bytes] of CASES) {
  test(`4xx with JSON that names what is wrong: ${name}`, async () => {
    const answer = await send(service.url, bytes);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body).toMatchObject({
      message: expect.any(String),
      errorId: expect.any(Number),
      errorCode: answer.status,
      errorMessage: answer.body?.message,
      field: expect.any(String),
      requestId: expect.any(String),
    });
  });
}

test('401 for a blank Authorization, also where the answer without one is remembered', async () => {
  for (const path of ['/supported', '/supported/countries', '/quotes/eur/btc?amount=100&country=de']) {
    expect([path, (await service.get(path)).status]).toEqual([path, 200]);
    for (const blank of [
      'Authorization:',
      'Authorization: ',
      'Authorization: Bearer',
      'Authorization: Bearer ',
    ]) {
      const { status } = await send(service.url, target(path, [blank]));
      expect([path, blank, status]).toEqual([path, blank, 401]);
    }
  }
});

test('405 for a method the path does not have says which ones it has', async () => {
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const answer = await send(
      service.url,
      lines(`${method} /supported HTTP/1.1`, 'Host: a', 'Content-Length: 0', 'Connection: close'),
    );
    expect([method, answer.status, answer.headers.allow]).toEqual([
      method,
      405,
      expect.stringContaining('GET'),
    ]);
    expect(answer.headers.allow).not.toContain(method);
  }
});

test('one answer to one request: a refused one is answered once, and what follows it is not served', async () => {
  const smuggled = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';
  const framing = CASES.filter(([name]) =>
    /length|chunk size|Hosts|transfer encoding|folded|line feeds/.test(name),
  );
  expect(framing.length).toBeGreaterThan(10);
  const answered = await Promise.all(
    framing.map(async ([name, bytes]) => {
      const text = await listen(service.url, Buffer.concat([Buffer.from(bytes), Buffer.from(smuggled)]));
      return { name, answers: text.match(/HTTP\/1\.1 \d+/g), smuggled: text.includes('"live"') };
    }),
  );
  const wrong = answered.filter(({ answers, smuggled: served }) => served || answers?.length !== 1);
  expect(wrong).toEqual([]);
});

test('200 afterwards: the service answers and no prototype was touched', async () => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(pristine);
  expect((await send(service.url, target('/health/ready'))).status).toBe(200);
  expect((await service.get('/quotes/eur/btc?amount=100&country=de')).body.length).toBe(PROVIDERS.length);
});

test('no error of ours is logged for what clients did wrong', () => {
  const errors = service
    .logged()
    .split('\n')
    .filter(line => /"level":(50|60)/.test(line));
  expect(errors).toEqual([]);
});
