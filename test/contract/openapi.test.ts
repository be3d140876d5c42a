/** The OpenAPI document: valid, and in step with what is served. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../service.ts';
import { type Document, type Operation, readAnswers } from './answers.ts';

const METHODS = ['get', 'post', 'put', 'delete'];

let service: TestService;
let document: Document;

beforeAll(async () => {
  service = await startTestService();
  document = (await readAnswers(service.get)).document;
});
afterAll(() => service?.close());

const operations = (): [string, string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, string, Operation] => [path, method, operation]),
  );

/** A real address for a documented path, with what it needs to be answered. */
const EXAMPLES: Record<string, string> = {
  '/supported/payment-types/{fiat}': '/supported/payment-types/eur',
  '/supported/onramps': '/supported/onramps?source=eur&destination=btc',
  '/quotes/{source}/{destination}': '/quotes/eur/btc?amount=100',
  '/docs/{file}': '/docs/start.js',
  '/icons/{kind}/{file}': '/icons/crypto/btc.svg',
};

test('200 is an OpenAPI 3.1 document with a title, a version and paths', async () => {
  const reply = await service.get('/openapi.json');
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  expect(Object.keys(document.paths).filter(path => !path.startsWith('/'))).toEqual([]);
});

test('200 declares every parameter of every path, and no other as one of the path', () => {
  for (const [path, method, { parameters = [] }] of operations()) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    const declared = parameters.filter(parameter => parameter.in === 'path');
    expect([path, method, declared.map(({ name }) => name).sort()]).toEqual([path, method, named]);
    expect(declared.filter(({ required }) => required !== true)).toEqual([]);
    const ids = parameters.map(parameter => `${parameter.in} ${parameter.name}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(parameters.filter(({ schema }) => !schema)).toEqual([]);
  }
});

test('200 gives every operation a summary and responses with valid statuses and descriptions', () => {
  for (const [path, method, { summary, responses }] of operations()) {
    expect([path, method, Boolean(summary), Object.keys(responses).length > 0]).toEqual([
      path,
      method,
      true,
      true,
    ]);
    for (const [status, response] of Object.entries(responses)) {
      expect([path, status]).toEqual([path, expect.stringMatching(/^([1-5]\d\d|[1-5]XX|default)$/)]);
      expect([path, status, response.description]).toEqual([path, status, expect.stringMatching(/\S/)]);
    }
  }
});

test('200 has no reference that leads nowhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, reference = '']) => reference,
  );
  const lost = references.filter(reference => {
    const steps = reference.replace(/^#\//, '').split('/');
    return (
      steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document) ===
      undefined
    );
  });
  expect(lost).toEqual([]);
});

test('200 documents the parameters of spec.md', () => {
  const queryOf = (path: string) =>
    document.paths[path]?.get?.parameters
      ?.filter(({ in: place }) => place === 'query')
      .map(({ name }) => name) ?? [];
  const wanted: Record<string, string> = {
    '/supported': 'type',
    '/supported/payment-types': 'country type',
    '/supported/payment-types/{fiat}': 'country type destination',
    '/supported/defaults/all': 'country type',
    '/supported/assets': 'source country type',
    '/supported/onramps': 'source destination country recommendations',
    '/quotes/{source}/{destination}':
      'amount paymentMethod uuid clientName type country network walletAddress input errors',
  };
  for (const [path, names] of Object.entries(wanted)) {
    expect([path, queryOf(path).sort()]).toEqual([path, names.split(' ').sort()]);
  }
});

test('0 differences between the routes in the source and the document', () => {
  const folder = fileURLToPath(new URL('../../src/http', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const registered = files.flatMap(name =>
    [
      ...readFileSync(join(folder, name), 'utf8').matchAll(
        /\bapp\.(get|post|put|delete|patch)\(\s*'(\/[^']*)'/g,
      ),
    ].map(([, method, path = '']) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
  );
  expect(registered.length).toBeGreaterThan(10);
  expect(registered.sort()).toEqual(
    operations()
      .map(([path, method]) => `${method} ${path}`)
      .sort(),
  );
});

test('every documented operation is served, and every other method of its path is 405 with what is allowed', async () => {
  for (const [path, item] of Object.entries(document.paths)) {
    const address = EXAMPLES[path] ?? path;
    expect(address).not.toContain('{');
    for (const method of METHODS) {
      const response = await fetch(service.url + address, {
        method: method.toUpperCase(),
        headers: { authorization: service.account.publicKey },
        redirect: 'manual',
      });
      await response.arrayBuffer();
      if (item[method]) {
        expect([path, method, response.status]).toEqual([path, method, path === '/' ? 302 : 200]);
      } else {
        expect([path, method, response.status]).toEqual([path, method, 405]);
        expect([path, response.headers.get('allow')?.toLowerCase()]).toEqual([
          path,
          expect.stringContaining('get'),
        ]);
      }
    }
  }
});

test('404 as a problem for what is not documented', async () => {
  for (const path of [
    '/nope',
    '/supported/nope',
    '/openapi.yaml',
    '/documentation/json',
    '/documentation',
    '/quotes',
    '/icons',
  ]) {
    const reply = await service.get(path);
    expect([path, reply.status]).toEqual([path, 404]);
    expect(reply.body).toEqual({
      message: expect.any(String),
      errorId: expect.any(Number),
      errorCode: 404,
      errorMessage: reply.body.message,
      field: 'path',
      requestId: expect.any(String),
    });
  }
});

test('errors are as documented on every documented path that has parameters', async () => {
  const { flaws } = await readAnswers(service.get);
  for (const [path, address] of [
    ['/supported', '/supported?type=x'],
    ['/supported/payment-types', '/supported/payment-types?country=zz'],
    ['/supported/payment-types/{fiat}', '/supported/payment-types/zzz'],
    ['/supported/defaults/all', '/supported/defaults/all?country=zz'],
    ['/supported/assets', '/supported/assets'],
    ['/supported/onramps/all', '/supported/onramps/all'],
    ['/supported/onramps', '/supported/onramps?source=eur'],
    ['/quotes/{source}/{destination}', '/quotes/eur/btc'],
  ] as const) {
    const reply = await service.get(address);
    expect([path, reply.status >= 400, flaws(path, reply)]).toEqual([path, true, []]);
  }
});
