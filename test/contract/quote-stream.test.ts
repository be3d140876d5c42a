/** GET /quotes with Accept: text/event-stream: outcomes as they come, then the ranked array. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answers, noisyNumbers, readAnswers, shape, shapesOf } from './answers.ts';
import { MOONPAY, PROVIDERS, startWorld, TRANSAK, type World } from './world.ts';

const DEADLINE_MS = 1_500;

let world: World;
let answers: Answers;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: String(DEADLINE_MS) }, { only: PROVIDERS });
  answers = await readAnswers(world.get);
});
afterAll(() => world?.close());

interface Event {
  event: string;
  /** The text of the data line. */
  data: string;
  /** Milliseconds since the request. */
  after: number;
}

/** Reads a stream to its end. */
async function stream(path: string, headers: Record<string, string> = {}) {
  const began = performance.now();
  const response = await fetch(world.url + path, { headers: { accept: 'text/event-stream', ...headers } });
  const events: Event[] = [];
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      events.push({ event, data, after: performance.now() - began });
      text = text.slice(end + 2);
    }
  }
  expect(text).toBe('');
  return { response, events };
}

test('200 sends one outcome per provider, then done with what the plain answer holds', async () => {
  const { response, events } = await stream('/quotes/eur/btc?amount=100&country=de');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(response.headers.get('cache-control')).toContain('no-store');
  expect(response.headers.get('x-request-id')).toBeTruthy();
  expect(events.map(({ event }) => event)).toEqual(['outcome', 'outcome', 'outcome', 'done']);
  const outcomes = events.slice(0, -1).map(({ data }) => JSON.parse(data));
  expect(outcomes.map(({ ramp }) => ramp).sort()).toEqual(PROVIDERS);
  expect(events.flatMap(({ data }) => noisyNumbers(data))).toEqual([]);

  const plain = await world.get('/quotes/eur/btc?amount=100&country=de');
  const last = events.at(-1)?.data ?? '';
  const board = JSON.parse(last);
  expect(answers.flaws('/quotes/{source}/{destination}', { ...plain, text: last, body: board })).toEqual([]);
  expect(shapesOf(board)).toEqual(shapesOf(plain.body));
  const figures = (quotes: { ramp: string; payout: number }[]) =>
    quotes.map(({ ramp, payout }) => [ramp, payout]);
  expect(figures(board)).toEqual(figures(plain.body));
});

test('200 outcomes carry the figures or the errors', async () => {
  const { events } = await stream('/quotes/eur/btc?amount=22&country=de&errors=all');
  const outcomes = events.slice(0, -1).map(({ data }) => JSON.parse(data));
  expect(outcomes.find(({ ramp }) => ramp === 'mercuryo')).toEqual({
    ramp: 'mercuryo',
    paymentMethod: 'creditcard',
    errors: [expect.objectContaining({ type: 'LimitMismatch', errorId: 6101 })],
  });
  expect(shapesOf(outcomes.filter(({ errors }) => !errors))).toEqual([
    shape('ramp paymentMethod rate networkFee transactionFee payout'),
  ]);
  expect(JSON.parse(events.at(-1)?.data ?? '').length).toBe(3);
});

test('200 sends quick outcomes while a slow provider is still awaited', async () => {
  world.sandbox.fault(TRANSAK, { kind: 'hang', ms: 0 });
  try {
    const { events } = await stream('/quotes/eur/btc?amount=103&country=de');
    expect(events.map(({ event }) => event)).toEqual(['outcome', 'outcome', 'outcome', 'done']);
    expect(events[1]?.after).toBeLessThan(DEADLINE_MS - 200);
    expect(events[2]?.after).toBeGreaterThan(DEADLINE_MS - 200);
    expect(JSON.parse(events[2]?.data ?? '')).toMatchObject({
      ramp: 'transak',
      errors: [{ type: 'ProviderUnavailable', errorId: 6200 }],
    });
    expect(
      JSON.parse(events[3]?.data ?? '')
        .map(({ ramp }: { ramp: string }) => ramp)
        .sort(),
    ).toEqual(['mercuryo', 'moonpay']);
  } finally {
    world.sandbox.fault(TRANSAK, { kind: 'none', ms: 0 });
  }
});

test('200 never shows the offer of a provider that lies, not even as an outcome', async () => {
  const honest: { rate: number }[] = (await world.get('/quotes/eur/btc?amount=100&country=de')).body;
  world.sandbox.fault(MOONPAY, { kind: 'lie', ms: 0 });
  try {
    const { events } = await stream('/quotes/eur/btc?amount=104&country=de');
    const shown = events.flatMap(({ data }) => JSON.parse(data) as { rate?: number }[] | { rate?: number });
    const rates = shown.flatMap(({ rate }) => rate ?? []);
    expect(rates.length).toBeGreaterThanOrEqual(2);
    const usual = honest[0]?.rate ?? 0;
    expect(rates.filter(rate => rate < usual / 2 || rate > usual * 2)).toEqual([]);
  } finally {
    world.sandbox.fault(MOONPAY, { kind: 'none', ms: 0 });
  }
});

test('200 lets a browser read it', async () => {
  const { response } = await stream('/quotes/eur/btc?amount=100&country=de', {
    origin: 'https://shop.example',
  });
  expect(response.headers.get('access-control-allow-origin')).toBe('https://shop.example');
});

test('400 is a plain problem, not a stream', async () => {
  const reply = await world.get('/quotes/eur/btc?amount=0&country=de', { accept: 'text/event-stream' });
  expect([reply.status, reply.body.field]).toEqual([400, 'amount']);
});

test('200 as an array for whoever takes no events or likes JSON better, as a stream however it is spelled', async () => {
  const typeFor = async (accept: string) => {
    const reply = await world.get('/quotes/eur/btc?amount=100&country=de', { accept });
    return reply.headers.get('content-type')?.split(';')[0];
  };
  expect(await typeFor('text/event-stream;q=0, */*')).toBe('application/json');
  expect(await typeFor('application/json')).toBe('application/json');
  expect(await typeFor('text/event-stream;q=0.1, application/json')).toBe('application/json');
  expect(await typeFor('application/json;q=0.4, TEXT/Event-Stream; q=0.5')).toBe('text/event-stream');
  expect(await typeFor('text/event-stream, */*')).toBe('text/event-stream');
});
