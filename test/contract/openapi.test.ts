/** The OpenAPI document: valid, and in step with what is served. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answers, type Document, type Operation, readAnswers } from './answers.ts';
import { stepClient } from './steps-client.ts';
import { MOONPAY, startWorld, type World } from './world.ts';
import { moonpayHook } from './world-hooks.ts';
import { bodyOf, makeDue, order, reaches, WALLET } from './world-orders.ts';

const METHODS = ['get', 'post', 'put', 'delete'];

let world: World;
let answers: Answers;
let document: Document;
/** Where the account hears of changes. */
let receiver: Server;

beforeAll(async () => {
  receiver = createServer((_request, response) => void response.writeHead(200).end());
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  world = await startWorld({ WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${portOf(receiver)}` });
  answers = await readAnswers(world.get);
  document = answers.document;
});
afterAll(async () => {
  await world?.close();
  receiver?.closeAllConnections();
  receiver?.close();
});

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

const operations = (): [string, string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, string, Operation] => [path, method, operation]),
  );

test('200 is an OpenAPI 3.1 document with a title, a version and paths', async () => {
  const reply = await world.get('/openapi.json');
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  expect(Object.keys(document.paths).filter(path => !path.startsWith('/'))).toEqual([]);
});

test('200 says where the paths begin, which is where we are reached', async () => {
  expect(document.servers).toEqual([{ url: '/' }]);
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

test('200 documents the parameters that clients send', () => {
  const queryOf = (path: string) =>
    document.paths[path]?.get?.parameters
      ?.filter(({ in: place }) => place === 'query')
      .map(({ name }) => name) ?? [];
  const wanted: Record<string, string> = {
    '/supported': 'type',
    '/supported/payment-types': 'country state type',
    '/supported/payment-types/{fiat}': 'country state type destination',
    '/supported/defaults/all': 'country state type',
    '/supported/assets': 'source country state type',
    '/supported/onramps': 'source destination country state recommendations',
    '/quotes/{source}/{destination}':
      'amount paymentMethod uuid clientName type country state network walletAddress input errors',
    '/transactions': 'startDateTime endDateTime limit transactionIds cursor',
    '/legacy/gateways': 'country state includeIcons includeDefaultAmounts',
    '/legacy/rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}':
      'country state includeIcons amountInCrypto address addressTag minAmountEur gateway',
  };
  for (const [path, names] of Object.entries(wanted)) {
    expect([path, queryOf(path).sort()]).toEqual([path, names.split(' ').sort()]);
  }
});

test('200 documents the body of a checkout as clients send it', () => {
  const { requestBody } = document.paths['/checkout/intent']?.post ?? {};
  const { properties = {}, required = [] } = (requestBody?.content['application/json']?.schema ?? {}) as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  const fields =
    'onramp source destination amount type paymentMethod network uuid partnerContext originatingHost metaData wallet supportedParams';
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(fields.split(' ')));
  expect(required.toSorted()).toEqual(['amount', 'destination', 'onramp', 'source']);
});

test('0 differences between the routes in the source and the document', () => {
  const folder = fileURLToPath(new URL('../../src/http', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const registered = files.flatMap(name => {
    const base = name.startsWith('earlier') ? '/legacy' : '';
    const routes = readFileSync(join(folder, name), 'utf8').matchAll(
      /\bapp\.(get|post|put|delete|patch)\(\s*'(\/[^']*)'/g,
    );
    return [...routes].map(([, method, path = '']) => `${method} ${base}${path.replace(/:(\w+)/g, '{$1}')}`);
  });
  expect(registered.length).toBeGreaterThan(10);
  expect(registered.sort()).toEqual(
    operations()
      .map(([path, method]) => `${method} ${path}`)
      .sort(),
  );
});

/** A request that a documented operation answers as it should. */
interface Example {
  /** A real address for the documented path. */
  address: string;
  /** 200 where nothing else is said. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Those of operations that need more than their path, by method and path, in the order they are tried in. */
async function examples(): Promise<Record<string, Example>> {
  const [made, lapsed] = [await order(world, bodyOf(MOONPAY)), await order(world, bodyOf(MOONPAY))];
  await sql`update transactions set expires_at = now() where id = ${lapsed.id}`.execute(world.database);
  await makeDue(world, lapsed.id);
  await reaches(world, lapsed.id, 'expired');
  const url = `http://127.0.0.1:${portOf(receiver)}/`;
  const keys = { authorization: world.key, 'x-service-secret': world.account.secret };
  const addWebhook = async () => (await world.post('/webhooks', { url }, keys)).body.id as string;
  const [kept, removed] = [await addWebhook(), await addWebhook()];
  const own = { origin: world.url };
  const hook = moonpayHook({ id: 'x', status: 'pending' }, 'customer_updated');
  const webhook = (part: string, more: Partial<Example> = {}): Example => ({
    address: `/webhooks/${kept}${part}`,
    ...more,
  });
  const client = stepClient(world.url, world.key);
  const pathOf = ({ url }: { url: string }) => new URL(url).pathname;
  const person = { cryptocurrencyAddress: WALLET, email: 'ada@example.com' };
  const { body: frame } = await client.post(await client.firstStep(MOONPAY), person);
  const step = (kind: string) => `/legacy/transaction/moonpay/${kind}/nobodys`;
  return {
    'post /legacy/transaction/{identifier}/form/{token}': {
      address: pathOf(await client.firstStep(MOONPAY)),
      body: person,
    },
    'get /legacy/transaction/{identifier}/pay/{token}': { address: pathOf(frame), status: 303 },
    'get /legacy/transaction/assets/{file}': { address: '/legacy/transaction/assets/step-back.js' },
    // These come up in the middle of a provider's own steps, and are gone through where those are.
    'post /legacy/transaction/{identifier}/wait/{token}': { address: step('wait'), status: 404 },
    'post /legacy/transaction/{identifier}/file/{token}': { address: step('file'), status: 404 },
    'put /legacy/transaction/{identifier}/file/{token}': { address: step('file'), status: 404 },
    'get /legacy/transaction/{identifier}/return/{token}': { address: step('return'), status: 404 },
    'get /': { address: '/', status: 302 },
    'get /supported/payment-types/{fiat}': { address: '/supported/payment-types/eur' },
    'get /supported/onramps': { address: '/supported/onramps?source=eur&destination=btc' },
    'get /quotes/{source}/{destination}': { address: '/quotes/eur/btc?amount=100' },
    'get /legacy/rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}': {
      address: '/legacy/rate/eur/btc/creditCard/100',
    },
    'get /legacy/routing/{country}': { address: '/legacy/routing/de' },
    'get /legacy/sell/{crypto}/{fiat}/{paymentMethod}/{amount}': {
      address: '/legacy/sell/btc/eur/creditCard/0.01',
    },
    'get /legacy/sell/{crypto}/{paymentMethod}/{amount}': { address: '/legacy/sell/btc/creditCard/0.01' },
    // There is no sandbox here but a stage for one.
    'get /sandbox/providers': { address: '/sandbox/providers', status: 404 },
    'put /sandbox/providers/{provider}': {
      ...{ address: '/sandbox/providers/moonpay', status: 404 },
      body: { kind: 'none' },
    },
    'get /widget': { address: `/widget?apiKey=${world.key}` },
    'get /widget/assets/{file}': { address: '/widget/assets/widget-app.js' },
    'get /docs/{page}': { address: '/docs/webhooks' },
    'get /docs/assets/{file}': { address: '/docs/assets/site.js' },
    'get /icons/{kind}/{file}': { address: '/icons/crypto/btc.svg' },
    'post /checkout/intent': { address: '/checkout/intent', body: bodyOf(MOONPAY) },
    'get /transactions/{transactionId}': { address: `/transactions/${made.id}` },
    'post /hooks/{provider}': { address: '/hooks/moonpay', headers: hook.headers, body: hook.body },
    'get /pay/{token}': { address: made.path },
    'get /pay/{token}/state': { address: `${made.path}/state` },
    'get /pay/{token}/events': { address: `${made.path}/events` },
    'get /pay/{token}/return': { address: `${made.path}/return` },
    'post /pay/{token}/open': { address: `${made.path}/open`, headers: own },
    'post /pay/{token}/again': { address: `${lapsed.path}/again`, headers: own },
    'get /pay/assets/{file}': { address: '/pay/assets/pay.js' },
    'post /webhooks': { address: '/webhooks', body: { url }, status: 201 },
    'delete /webhooks/{id}': { address: `/webhooks/${removed}`, status: 204 },
    'post /webhooks/{id}/secret': webhook('/secret'),
    'delete /webhooks/{id}/secret/previous': webhook('/secret/previous', { status: 204 }),
    'post /webhooks/{id}/enable': webhook('/enable'),
    'post /webhooks/{id}/test': webhook('/test'),
    'get /webhooks/{id}/deliveries': webhook('/deliveries'),
    'post /webhooks/{id}/replay': webhook('/replay', { body: { state: 'dead' } }),
  };
}

/** Asks, and goes away once there is an answer: some have no end. */
async function ask(method: string, { address, headers, body }: Example) {
  const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const asked = request(world.url + address, {
    method,
    agent: false,
    headers: {
      authorization: world.key,
      'x-service-secret': world.account.secret,
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  }).end(sent);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  asked.destroy();
  return { status: response.statusCode ?? 0, allow: response.headers.allow };
}

test('every documented operation is served as documented, and every other method of its path is 405 with what is allowed', async () => {
  const known = await examples();
  const addressOf = (path: string, item: Record<string, Operation>) =>
    Object.keys(item).map(method => known[`${method} ${path}`]?.address)[0] ?? path;
  const named = operations().map(([path, method]) => `${method} ${path}`);
  expect(Object.keys(known).filter(name => !named.includes(name))).toEqual([]);
  for (const [path, item] of Object.entries(document.paths)) {
    const allowed = METHODS.filter(method => item[method]).map(method => method.toUpperCase());
    for (const method of METHODS.filter(name => !item[name])) {
      const { status, allow } = await ask(method, { address: addressOf(path, item) });
      // What can be read can be asked for its head, which is not documented.
      const named = allow?.replace('GET, HEAD', 'GET');
      expect([path, method, status, named]).toEqual([path, method, 405, allowed.join(', ')]);
    }
    for (const [method, { responses }] of Object.entries(item)) {
      const example = known[`${method} ${path}`] ?? { address: path };
      expect(example.address).not.toContain('{');
      const { status } = await ask(method, example);
      expect([path, method, status]).toEqual([path, method, example.status ?? 200]);
      expect([path, method, Object.keys(responses)]).toEqual([
        path,
        method,
        expect.arrayContaining([status < 400 ? String(status) : '4XX']),
      ]);
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
    const reply = await world.get(path);
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
  const { flaws } = answers;
  for (const [path, address] of [
    ['/supported', '/supported?type=x'],
    ['/supported/payment-types', '/supported/payment-types?country=zz'],
    ['/supported/payment-types/{fiat}', '/supported/payment-types/zzz'],
    ['/supported/defaults/all', '/supported/defaults/all?country=zz'],
    ['/supported/assets', '/supported/assets'],
    ['/supported/onramps/all', '/supported/onramps/all'],
    ['/supported/onramps', '/supported/onramps?source=eur'],
    ['/quotes/{source}/{destination}', '/quotes/eur/btc'],
    ['/transactions', '/transactions'],
    ['/transactions/{transactionId}', '/transactions/x'],
    ['/webhooks', '/webhooks'],
    ['/webhooks/{id}/deliveries', '/webhooks/x/deliveries'],
    ['/legacy/gateways', '/legacy/gateways?country=zz'],
    [
      '/legacy/rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}',
      '/legacy/rate/eur/btc/creditCard/0',
    ],
    ['/legacy/routing/{country}', '/legacy/routing/zz'],
    ['/legacy/sell/{crypto}/{fiat}/{paymentMethod}/{amount}', '/legacy/sell/btc/zzz/creditCard/1'],
    ['/legacy/sell/{crypto}/{paymentMethod}/{amount}', '/legacy/sell/btc/nope/1'],
  ] as const) {
    const reply = await world.get(address);
    expect([path, reply.status >= 400, flaws(path, reply)]).toEqual([path, true, []]);
  }
  for (const [path, address] of [
    ['/checkout/intent', '/checkout/intent'],
    ['/webhooks', '/webhooks'],
    ['/webhooks/{id}/test', '/webhooks/x/test'],
    ['/webhooks/{id}/replay', '/webhooks/x/replay'],
  ] as const) {
    const reply = await world.post(address, {});
    expect([path, reply.status >= 400, flaws(path, reply, 'post')]).toEqual([path, true, []]);
  }
});

test('errors of hooks are as documented', async () => {
  const reply = await world.post('/hooks/moonpay', {});
  expect([reply.status, answers.flaws('/hooks/{provider}', reply, 'post')]).toEqual([401, []]);
});
