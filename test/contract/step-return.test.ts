/** The page that a provider leads back to between two steps: whom it tells what, and what it lets be done with it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow } from '../../src/app/accounts.ts';
import { startTestService, type TestService } from '../service.ts';
import { eventually } from './patience.ts';
import { type AnyStep, type StepClient, stepClient } from './steps-client.ts';

const WALLET = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const EMBEDDER = 'https://widget.example';

let service: TestService;
let ours: StepClient;

beforeAll(async () => {
  service = await startTestService();
  ours = stepClient(service.url, service.account.publicKey);
});
afterAll(() => service.close());

/** Goes as far as the card's page, and gives the address it leads back to. */
async function comeToCard(
  headers: Record<string, string> = {},
  { move = 'card', by: client = ours }: { move?: 'card' | 'fail'; by?: StepClient } = {},
): Promise<{ back: string; step: AnyStep }> {
  const first = await client.firstStep('openramp');
  const answers = { cryptocurrencyAddress: WALLET, email: 'jane.doe@example.com' };
  const code = await client.post(first, answers, headers);
  expect([code.status, code.text]).toEqual([200, expect.any(String)]);
  const card = await client.post(code.body, { verifyEmailCode: '123456' }, headers);
  expect(card.body).toMatchObject({ type: 'iframe' });
  const page = await client.open(card.body.url);
  const way = await fetch(`${page.headers.get('location')}/${move}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ number: '4242 4242 4242 4242', expiry: '12/30', cvc: '123' }),
    redirect: 'manual',
  });
  const back = way.headers.get('location') ?? '';
  expect(back).toMatch(new RegExp(`^${service.url}/legacy/transaction/openramp/return/`));
  return { back, step: card.body };
}

const attribute = (text: string, name: string) =>
  (new RegExp(`data-${name}="([^"]*)"`).exec(text)?.[1] ?? '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'");

const policyOf = (headers: Headers) => headers.get('content-security-policy') ?? '';

describe('GET /legacy/transaction/{identifier}/return/{token}', () => {
  it('200 hands the next step to the page that shows them, by its exact origin', async () => {
    const { back, step } = await comeToCard({ origin: EMBEDDER });
    const { status, headers, text } = await ours.open(`${back}?status=whatever&txId=theirs`);
    expect(status).toBe(200);
    expect(attribute(text, 'listener')).toBe(EMBEDDER);
    expect(JSON.parse(attribute(text, 'step'))).toMatchObject({ type: 'redirect', txId: step.txId });
    expect(policyOf(headers)).toContain(`frame-ancestors ${EMBEDDER};`);
    expect(text).toContain('Back to widget.example');
    for (const secret of [WALLET, 'jane.doe']) expect(text).not.toContain(secret);
  });

  it('200 stands in whatever pages the account has registered too, and tells none of them', async () => {
    const { publicKey } = await service.newAccount();
    const shop = 'https://shop.example';
    await allow(service.database, publicKey, { origins: [EMBEDDER, shop], redirectHosts: [] });
    const by = stepClient(service.url, publicKey);
    const { back } = await comeToCard({ origin: EMBEDDER }, { by });
    let page = await by.open(back);
    await eventually(async () => {
      page = await by.open(back);
      return policyOf(page.headers).includes(shop);
    }, 'the origins are known');
    expect(policyOf(page.headers)).toContain(`frame-ancestors ${EMBEDDER} ${shop};`);
    expect(attribute(page.text, 'listener')).toBe(EMBEDDER);
  });

  it('200 names no page to hand it to when none is known: the browser tells the script who frames or opened it', async () => {
    const { back } = await comeToCard();
    const { headers, text } = await ours.open(back);
    expect(attribute(text, 'listener')).toBe('');
    expect(policyOf(headers)).toContain('frame-ancestors *;');
  });

  it('200 says the same again', async () => {
    const { back } = await comeToCard({ origin: EMBEDDER });
    const [first, second] = [await ours.open(back), await ours.open(back)];
    expect(JSON.parse(attribute(second.text, 'step'))).toEqual(JSON.parse(attribute(first.text, 'step')));
  });

  it('200 runs no script but ours, is not kept, and is nothing that other sites can read', async () => {
    const { back } = await comeToCard({ origin: EMBEDDER });
    const response = await fetch(back, { headers: { origin: EMBEDDER } });
    const text = await response.text();
    const policy = policyOf(response.headers);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('200 tells that the order cannot go on, and why the page that it was made on alone', async () => {
    const known = await ours.open((await comeToCard({ origin: EMBEDDER }, { move: 'fail' })).back);
    const unknown = await ours.open((await comeToCard({}, { move: 'fail' })).back);
    const why = JSON.parse(attribute(known.text, 'step'));
    expect(why).toEqual({ type: 'error', message: expect.any(String), fatal: true });
    expect(known.text).toContain(why.message);
    expect(JSON.parse(attribute(unknown.text, 'step'))).toEqual({
      type: 'error',
      message: 'The order cannot go on',
      fatal: true,
    });
    expect(why.message).not.toBe('The order cannot go on');
  });

  it('404 shows a page for a token that is not ours', async () => {
    const { back } = await comeToCard();
    for (const token of ['nothing', `${back.split('/').at(-1)}x`, 'A'.repeat(60)]) {
      const { status, headers, text } = await ours.open(
        `${service.url}/legacy/transaction/openramp/return/${token}`,
      );
      expect(status).toBe(404);
      expect(headers.get('content-type')).toContain('text/html');
      expect(text).toContain('This link does not work');
      expect(attribute(text, 'step')).toBe('');
    }
  });
});

describe('GET /legacy/transaction/assets/{file}', () => {
  it('200 gives the page’s own parts, and 304 when they are known', async () => {
    const { back } = await comeToCard();
    const { text } = await ours.open(back);
    const [script = ''] = /http[^"]*step-back\.js[^"]*/.exec(text) ?? [];
    const whole = await fetch(script);
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(whole.headers.get('cache-control')).toContain('immutable');
    const etag = whole.headers.get('etag') ?? '';
    expect((await fetch(script, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const other = await service.get('/legacy/transaction/assets/handover.js');
    expect([other.status, other.headers.get('cache-control')]).toEqual([200, 'public, no-cache']);
  });

  it.each(['pay.js', 'tsconfig.json', '..%2fpackage.json', 'constructor'])('404 for %s', async name => {
    expect((await service.get(`/legacy/transaction/assets/${name}`)).status).toBe(404);
  });
});
