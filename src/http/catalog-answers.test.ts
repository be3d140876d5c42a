/** Catalog answers: made once for what a route reads, and told from what it does not. */
import fastify from 'fastify';
import { Type } from 'typebox';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepCatalogAnswers } from './catalog-answers.ts';
import { createMemory } from './memory.ts';

let made: string[] = [];
let country = 'DE';
const memory = createMemory();
const app = fastify();
keepCatalogAnswers(app, { memory, countryOf: () => country });
const schema = { querystring: Type.Object({ type: Type.Optional(Type.String()) }) };
app.get<{ Querystring: { type?: string } }>(
  '/coins',
  { schema, config: { catalog: true } },
  async ({ query: { type = 'buy' } }) => {
    made.push(`${type} in ${country}`);
    return { message: type };
  },
);

beforeEach(() => {
  made = [];
  country = 'DE';
});
afterEach(memory.forget);

const get = (url: string, headers = {}) => app.inject({ url, headers });

it('is made once, whatever else stands in the URL and in which order', async () => {
  const answers = [];
  for (const url of ['/coins', '/coins?x=1', '/coins?x=2&_=3', '/coins?type=sell', '/coins?x=1&type=sell'])
    answers.push((await get(url)).json().message);
  expect(answers).toEqual(['buy', 'buy', 'buy', 'sell', 'sell']);
  expect(made).toEqual(['buy in DE', 'sell in DE']);
});

it('is found under the very URL afterwards, without a route', async () => {
  const { body, headers } = await get('/coins?x=1');
  const kept = memory.get('/coins?x=1', undefined, 'DE');
  expect([kept?.body.toString(), kept?.etag]).toEqual([body, headers.etag]);
});

it('is that of a key and a country', async () => {
  await get('/coins?x=1');
  await get('/coins?x=2', { authorization: 'pk_test_1' });
  country = 'FR';
  await get('/coins?x=3');
  expect(made).toEqual(['buy in DE', 'buy in DE', 'buy in FR']);
});

it('304 with the tag that the answer has under any URL', async () => {
  const { headers } = await get('/coins');
  const again = await get('/coins?x=1', { 'if-none-match': headers.etag });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});
