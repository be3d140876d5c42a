/** The widget over HTTP: who may frame it, whom its orders' pages are framed by, and what it says to strangers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow } from '../../src/app/accounts.ts';
import { eventually } from './patience.ts';
import { MOONPAY, startWorld, type World } from './world.ts';

const SHOP = 'https://shop.example';
const WALLET = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

let world: World;
/** An account that has registered where its pages are. */
let registered: string;

beforeAll(async () => {
  world = await startWorld({}, { only: [MOONPAY] });
  registered = (await world.newAccount()).publicKey;
  await allow(world.database, registered, { origins: [SHOP], redirectHosts: ['shop.example'] });
  await eventually(
    async () => (await ancestorsOf(`/widget?apiKey=${registered}`)).includes(SHOP),
    'the origin is known',
  );
});
afterAll(() => world?.close());

async function ancestorsOf(path: string): Promise<string> {
  const { headers } = await world.get(path);
  return /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? '';
}

/** An order as the widget makes it, from its own page. */
async function order(key: string, headers: Record<string, string> = {}) {
  const body = {
    onramp: 'moonpay',
    source: 'eur',
    destination: 'btc',
    amount: 100,
    type: 'buy',
    paymentMethod: 'creditcard',
    wallet: { address: WALLET },
  };
  const own = { origin: world.url, 'sec-fetch-site': 'same-origin', authorization: key };
  return world.post('/checkout/intent', body, { ...own, ...headers });
}

async function framersOf(key: string, headers: Record<string, string>): Promise<string> {
  const { status, body } = await order(key, headers);
  expect(status).toBe(200);
  return ancestorsOf(new URL(body.message.transactionInformation.url).pathname);
}

describe('the page', () => {
  it('may stand anywhere while the account has registered no origin, else only there', async () => {
    expect(await ancestorsOf(`/widget?apiKey=${world.key}`)).toBe('*');
    expect(await ancestorsOf(`/widget?apiKey=${registered}`)).toBe(`'self' ${SHOP}`);
  });

  it('loads nothing but its own files, and runs no text as script', async () => {
    const { status, headers, text } = await world.get(`/widget?apiKey=${world.key}&fontFamily=%3C/style%3E`);
    const policy = headers.get('content-security-policy') ?? '';
    expect(status).toBe(200);
    expect(policy).toContain("default-src 'none'; script-src 'self'; ");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    expect(policy).not.toContain('unsafe');
    expect(text).not.toMatch(/<script(?![^>]* src=)|\son\w+=|style="/);
    expect(headers.get('referrer-policy')).toBe('origin');
  });

  it.each(['', '?apiKey=pk_test_nobody', '?apiKey='])(
    'tells whoever builds around %j that the key is of no use',
    async query => {
      const { status, text } = await world.get(`/widget${query}`, { 'accept-language': 'de' });
      expect(status).toBe(401);
      expect(text).toContain('Der apiKey dieses Widgets ist nicht bekannt');
      expect(text).not.toContain('<script');
      expect(await ancestorsOf(`/widget${query}`)).toBe('*');
    },
  );

  it('speaks the language that is asked for, in its direction', async () => {
    const { text } = await world.get(`/widget?apiKey=${world.key}&lang=ar`);
    expect(text).toContain('<html lang="ar" dir="rtl"');
    expect(text).toContain('تدفع');
  });

  it('shows what is about to be there before any script has come', async () => {
    const { text } = await world.get(
      `/widget?apiKey=${world.key}&defaultAmount=77&defaultCrypto=eth&country=DE`,
    );
    expect(text).toMatch(/<p class="amount">77 <b>EUR<\/b>/);
    expect(text).toContain('<b>ETH</b>');
  });

  it('says to whoever accepts JSON alone what its script begins with, as it says on the page', async () => {
    const partnerContext = 'a'.repeat(4_096);
    const path = `/widget?apiKey=${world.key}&country=DE&partnerContext=${partnerContext}`;
    const { headers, body } = await world.get(path, { accept: 'application/json' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({ country: 'DE', partnerContext, warnings: [] });
    expect(Object.keys(body.choices)).toEqual(['buy', 'sell']);
    for (const accept of ['text/html,application/json', '*/*'])
      expect((await world.get(path, { accept })).text).toContain(`&quot;${partnerContext}&quot;`);
    expect((await world.get('/widget', { accept: 'application/json' })).status).toBe(401);
  });
});

describe('the script for other pages', () => {
  it('may be loaded by them; the rest may not', async () => {
    const script = await world.get('/widget.js');
    expect(script.status).toBe(200);
    expect(script.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(script.headers.get('content-encoding')).toBe('gzip');
    const texts = await world.get('/widget/assets/widget-de.json');
    expect(texts.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(texts.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await world.get('/widget/assets/cloverleaf.js')).status).toBe(404);
  });
});

describe('orders', () => {
  it('can be made from our own page, whatever origins the account has registered', async () => {
    expect((await order(registered)).status).toBe(200);
    expect(
      (await order(registered, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).status,
    ).toBe(403);
  });

  it('have a page that stands where the widget stands', async () => {
    const around = { 'x-widget-referer': 'https://blog.example https://portal.example' };
    expect(await framersOf(world.key, around)).toBe("'self' https://blog.example https://portal.example");
    expect(await framersOf(world.key, {})).toBe("'self'");
  });

  it('believe nobody else about that, and no page that is not registered', async () => {
    const around = { 'x-widget-referer': 'https://evil.example' };
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect(await framersOf(world.key, { ...around, ...elsewhere })).toBe("'self'");
    expect(await framersOf(registered, around)).toBe(`'self' ${SHOP}`);
    expect(await framersOf(world.key, { 'x-widget-referer': "* 'none'; script-src https:" })).toBe("'self'");
  });
});
