/** Routes of the pay page: who gets what, and who does not. */
import { describe, expect, it } from 'vitest';
import { createPayWorld, exampleView } from '../../../test/browser/pay-world.ts';
import { get, type Headers, ORIGIN, OWN, PAGE, post, setPayRoute, world } from '../../../test/pay-route.ts';
import { Fault, type FaultKind } from '../../domain/fault.ts';

setPayRoute();

describe('GET /pay/:token', () => {
  it('is a page that nobody keeps and that says nothing of its address', async () => {
    const { statusCode, headers, body } = await get('/pay/t1', PAGE);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'origin',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    });
    expect(body).toContain('Continue with MoonPay');
    expect(body).toContain('action="/base/pay/t1/open"');
  });

  it('has one inline style, made ours by a nonce that is new each time', async () => {
    const nonces = new Set<string>();
    for (let at = 0; at < 3; at++) {
      const { headers, body } = await get('/pay/t1', PAGE);
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? [];
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
      expect(body.match(/<style/g)).toHaveLength(1);
      expect(body).toContain(`<style nonce="${nonce}">`);
      expect(body).not.toMatch(/ style="| on\w+="|<script(?! type="module" src="\/base\/pay\/assets\/)/);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  it('shows no other site anything', async () => {
    for (const path of ['/pay/t1', '/pay/t1/state', '/pay/t1/return', '/pay/nobody/state']) {
      const { headers } = await get(path, { origin: 'https://evil.example' });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it.each(['nobody', 'a'.repeat(5_000), '%3Cscript%3E', '..%2F..%2Fetc'])(
    'says kindly that %s is no order',
    async token => {
      const { statusCode, headers, body } = await get(`/pay/${token}`, PAGE);
      expect([400, 404, 414]).toContain(statusCode);
      expect(body).not.toContain('<script');
      if (statusCode !== 404) return;
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(body).toContain('This link does not work');
      expect(headers['content-security-policy']).toContain('frame-ancestors *;');
    },
  );

  it('says it in JSON to those who want no page', async () => {
    const { statusCode, json } = await get('/pay/nobody');
    expect(statusCode).toBe(404);
    expect(json()).toMatchObject({ errorCode: 404, field: 'token', requestId: expect.any(String) });
  });

  it('hides what went wrong on our side', async () => {
    const view = world.pay.view;
    world.pay.view = async () => {
      throw new Error('secret detail');
    };
    const { statusCode, body } = await get('/pay/t1', PAGE);
    world.pay.view = view;
    expect(statusCode).toBe(500);
    expect(body).toContain('Something is wrong on our side');
    expect(body).toContain('href="/base/pay/t1"');
    expect(body).not.toContain('secret detail');
  });
});

describe('POST /pay/:token/open', () => {
  it('gives the script the provider’s page, and how to show it', async () => {
    const { statusCode, headers, json } = await post('/pay/t1/open', { ...OWN, accept: 'application/json' });
    expect(statusCode).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(json()).toEqual({ url: world.pay.pageOf('t1'), opens: 'iframe' });
    expect(world.pay.openedFrom).toEqual(['127.0.0.1']);
  });

  it('leads a plain form there', async () => {
    const form = { ...OWN, ...PAGE, 'content-type': 'application/x-www-form-urlencoded' };
    const { statusCode, headers } = await post('/pay/t1/open', form, '');
    expect(statusCode).toBe(303);
    expect(headers.location).toBe(world.pay.pageOf('t1'));
    expect(headers['referrer-policy']).toBe('origin');
  });

  it('opens what is of our own origin in a window', async () => {
    world.pay.put('t1', exampleView({ pageOrigin: ORIGIN }));
    const { json } = await post('/pay/t1/open', OWN);
    expect(json().opens).toBe('redirect');
  });

  it.each<[string, Headers]>([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a neighbour', { 'sec-fetch-site': 'same-site', origin: 'https://other.ramp.example' }],
    ['an address bar', { 'sec-fetch-site': 'none' }],
    ['another origin in an old browser', { origin: 'https://evil.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['one that lies about its origin only', { 'sec-fetch-site': 'cross-site', origin: ORIGIN }],
    ['one that says nothing', {}],
  ])('is not for %s', async (_who, headers) => {
    for (const action of ['open', 'again']) {
      expect((await post(`/pay/t1/${action}`, headers)).statusCode).toBe(403);
    }
    expect(world.pay.openedFrom).toEqual([]);
  });

  it('is for our own page in an old browser', async () => {
    expect((await post('/pay/t1/open', { origin: ORIGIN })).statusCode).toBe(200);
  });

  it.each([
    'https://evil.example/x',
    'javascript:alert(1)',
    'https://pay.provider.example.evil.example/',
    'http://pay.provider.example/',
    'https://pay.provider.example:444/',
    '/relative',
    '',
  ])('sends nobody to %s', async url => {
    const { pageOf } = world.pay;
    world.pay.pageOf = () => url;
    const asked = await post('/pay/t1/open', OWN);
    const form = await post('/pay/t1/open', { ...OWN, ...PAGE });
    world.pay.pageOf = pageOf;
    expect(asked.statusCode).toBe(502);
    expect(form.statusCode).toBe(502);
    expect(form.headers.location).toBeUndefined();
  });

  it.each<[FaultKind, number]>([
    ['expired', 410],
    ['declined', 422],
    ['providerFailed', 502],
    ['unavailable', 503],
    ['providerLate', 504],
  ])('says why not when %s', async (kind, status) => {
    world.pay.fault = new Fault(kind, 'The provider <b>did not</b> answer');
    const asked = await post('/pay/t1/open', OWN);
    expect(asked.statusCode).toBe(status);
    expect(asked.json().message).toBe('The provider <b>did not</b> answer');
    const form = await post('/pay/t1/open', { ...OWN, ...PAGE });
    expect(form.statusCode).toBe(status);
    expect(form.body).toContain('<a class="button primary" href="/base/pay/t1">Try again</a>');
    expect(form.body).not.toContain('<b>');
  });

  it('refuses bodies', async () => {
    const big = 'x='.padEnd(5_000, 'x');
    const form = { ...OWN, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post('/pay/t1/open', form, big)).statusCode).toBe(413);
    expect((await post('/pay/t1/open', { ...OWN, 'content-type': 'text/xml' }, '<x/>')).statusCode).toBe(415);
  });

  it('is not there for an order that is not', async () => {
    expect((await post('/pay/nobody/open', OWN)).statusCode).toBe(404);
    expect((await post('/pay/nobody/again', OWN)).statusCode).toBe(404);
  });
});

describe('POST /pay/:token/again', () => {
  it('gives the script the new page, and leads a form there', async () => {
    world.pay.put('t1', exampleView({ status: 'failed' }));
    const url = `${ORIGIN}/base/pay/t1-again`;
    expect((await post('/pay/t1/again', OWN)).json()).toEqual({ url });
    const form = await post('/pay/t1/again', { ...OWN, ...PAGE });
    expect([form.statusCode, form.headers.location]).toEqual([303, url]);
  });
});

describe('GET /pay/:token/state', () => {
  it('is what the page shows, in words', async () => {
    const { statusCode, headers, json } = await get('/pay/t1/state');
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(json()).toMatchObject({
      status: 'new',
      finished: false,
      sequence: 1,
      hash: '',
      deposit: null,
      texts: { open: 'Continue with MoonPay' },
    });
  });

  it('holds nothing of who and where', async () => {
    const { body } = await get('/pay/t1/state');
    expect(body).not.toContain('bc1q');
    expect(body).not.toContain('provider.example');
  });
});

describe('GET /pay/:token/return', () => {
  it('takes no notice of what the provider appended', async () => {
    const plain = await get('/pay/t1/return', PAGE);
    const odd = await get('/pay/t1/return?status=completed&x=<script>&redirect=https://evil.example', PAGE);
    const bare = (body: string) => body.replace(/nonce="[^"]*"/g, '');
    expect(odd.statusCode).toBe(200);
    expect(bare(odd.body)).toBe(bare(plain.body));
    expect(plain.body).toContain('href="/base/pay/t1"');
  });
});

describe('GET /pay/assets/:file', () => {
  it.each([
    ['pay.js', 'text/javascript; charset=utf-8'],
    ['return.js', 'text/javascript; charset=utf-8'],
    ['pay.css', 'text/css; charset=utf-8'],
  ])('%s is kept for ever under its version, and asked for again without', async (file, type) => {
    const { body: page } = await get(file === 'return.js' ? '/pay/t1/return' : '/pay/t1', PAGE);
    const [, version = ''] = new RegExp(`/base/pay/assets/${file}\\?v=([\\w-]+)"`).exec(page) ?? [];
    const exact = await get(`/pay/assets/${file}?v=${version}`);
    expect(exact.headers).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      etag: `"${version}"`,
    });
    expect((await get(`/pay/assets/${file}?v=other`)).headers['cache-control']).toBe('public, no-cache');
    const known = await get(`/pay/assets/${file}`, { 'if-none-match': `"${version}"` });
    expect([known.statusCode, known.body]).toEqual([304, '']);
  });

  it.each(['tsconfig.json', '..%2f..%2fpackage.json', 'constructor', '__proto__', 'pay.ts'])(
    'serves no %s',
    async file => {
      expect((await get(`/pay/assets/${file}`)).statusCode).toBe(404);
    },
  );
});

describe('GET /pay/:token/events', () => {
  it('is a stream over a real connection, which ends when the service stops', async () => {
    const own = await createPayWorld();
    await own.listen();
    own.pay.put('t1', exampleView());
    const response = await fetch(`${own.url}/pay/t1/events`, { headers: { origin: 'https://evil.example' } });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const text = response.text();
    own.pay.change('t1', { status: 'pending' });
    await own.close();
    expect((await text).match(/"status":"\w+"/g)).toEqual(['"status":"new"', '"status":"pending"']);
    expect(own.pay.followers()).toBe(0);
  });

  it('is a 404 for an order that is not, and has no head', async () => {
    expect((await get('/pay/nobody/events')).statusCode).toBe(404);
    expect((await world.app.inject({ method: 'HEAD', url: '/pay/t1/events' })).statusCode).toBe(404);
  });
});

describe('what a browser gets', () => {
  it('is small', async () => {
    const sizes = await Promise.all(
      ['pay.js', 'pay.css'].map(async file => (await get(`/pay/assets/${file}`)).body.length),
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(24_500);
  });
});
