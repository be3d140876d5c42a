/** Raw HTTP: what no client library would send is refused by a 4xx with JSON, never by silence, and never lets anything through. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crlf, RAW } from '../bad-input/raw.ts';
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

for (const [name, bytes] of RAW) {
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
      crlf(`${method} /supported HTTP/1.1`, 'Host: a', 'Content-Length: 0', 'Connection: close'),
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
  const framing = RAW.filter(([name]) =>
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

test('200 first, then the refusal of what came in one piece with it', async () => {
  const asked = 'GET /quotes/eur/btc?amount=101&country=de HTTP/1.1\r\nHost: a\r\n\r\n';
  for (const [behind, refusal] of [
    ['NOT HTTP\r\n\r\n', '400'],
    ['CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', '405'],
  ] as const) {
    const text = await listen(service.url, asked + behind);
    expect([behind, text.match(/(?<=HTTP\/1\.1 )\d+/g)]).toEqual([behind, ['200', refusal]]);
    expect(text).toContain('"requestId"');
  }
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

test('401 before a body has come ends the connection, so that nobody else’s request follows what that may be', async () => {
  const post = (...more: string[]) =>
    send(service.url, crlf('POST /checkout/intent HTTP/1.1', 'Host: a', 'Authorization: none', ...more));
  for (const framing of ['Transfer-Encoding: chunked', 'Content-Length: 10']) {
    const early = await post('Content-Type: application/json', framing);
    expect([framing, early.status, early.headers.connection]).toEqual([framing, 401, 'close']);
  }
  const whole = await post('Content-Length: 0');
  expect([whole.status, whole.headers.connection]).toEqual([401, 'keep-alive']);
});
