/** The stand-ins' hosted pages, orders and webhooks, driven over HTTP as a browser and a partner would. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkAddress } from '../domain/address.ts';
import type { ProviderId } from '../domain/words.ts';
import { currencies } from '../main.ts';
import type { FaultKind } from '../sandbox/faults.ts';
import { type Sandbox, startSandbox } from '../sandbox/server.ts';
import type { Flow } from './hosted.ts';
import { depositOf, hashOf } from './hosted-chain.ts';
import { LIFE_MS, STEP_MS } from './hosted-moves.ts';
import { registry } from './registry.ts';
import type { World } from './world.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const WALLET = 'bc1qmdswsavc80xlfz8gs7s40pg7g6znwragpkjufy';
const EVM = '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5';
const BACK = 'https://shop.example/back?id=1';

interface Hook {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

let now = NOON;
let due: { at: number; act: () => void }[] = [];
let hooks: Hook[] = [];
let answers: number[] = [];
let troubles: unknown[] = [];
let sandbox: Sandbox;
let receiver: Server;

beforeEach(async () => {
  [now, due, hooks, answers, troubles] = [NOON, [], [], [], []];
  receiver = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', () => {
      hooks.push({ path: request.url ?? '', headers: request.headers, text });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
  sandbox = await startSandbox({
    standins: new Map(registry.map(({ adapter, standin }) => [adapter.manifest.id, standin])),
    currencies,
    host: '127.0.0.1',
    port: 0,
    now: () => now,
    later(ms, act) {
      const entry = { at: now + ms, act };
      due.push(entry);
      return () => {
        due = due.filter(other => other !== entry);
      };
    },
    onError: error => troubles.push(error),
  });
  sandbox.deliverTo(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
});

afterEach(async () => {
  await sandbox.close();
  receiver.closeAllConnections();
  await new Promise(resolve => receiver.close(resolve));
  expect(troubles).toEqual([]);
  expect(due).toEqual([]);
});

/** Lets time pass; what falls due in it is done in its order. */
async function pass(ms: number): Promise<void> {
  const until = now + ms;
  for (;;) {
    const [next] = due.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
    if (!next) break;
    due = due.filter(entry => entry !== next);
    now = next.at;
    next.act();
    await breathe();
  }
  now = until;
}

/** What was sent arrives. */
function breathe(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 15));
}

/** Waits for so many webhooks and makes sure that there are no more. */
async function heard(count: number): Promise<Hook[]> {
  for (let tries = 0; hooks.length < count && tries < 100; tries++) await breathe();
  await breathe();
  expect(hooks.length).toBe(count);
  return hooks;
}

interface View {
  status: number;
  url: string;
  text: string;
  headers: Headers;
  stage: string;
  standing: string;
}

/** Opens a page as a browser does. */
async function open(url: string, options: RequestInit = {}): Promise<View> {
  const response = await fetch(url, { ...options, redirect: 'manual' });
  const text = await response.text();
  if (response.status === 303) {
    const cookie = response.headers.get('set-cookie');
    const view = await open(new URL(response.headers.get('location') ?? '', url).href);
    return {
      ...view,
      headers: cookie ? new Headers({ ...Object.fromEntries(view.headers), cookie }) : view.headers,
    };
  }
  return {
    ...{ status: response.status, url, text, headers: response.headers },
    stage: /data-stage="(\w+)"/.exec(text)?.[1] ?? '',
    standing: /data-standing="(\w+)"/.exec(text)?.[1] ?? '',
  };
}

/** Presses a button of the page; the fields of its form keep what stands in them unless told otherwise. */
async function press(page: View, action: string, fields: Record<string, string> = {}): Promise<View> {
  const form = [...page.text.matchAll(/<form[\s\S]*?<\/form>/g)].find(([one]) =>
    one.includes(`data-action="${action}"`),
  )?.[0];
  if (!form) throw new Error(`no button for ${action} on the page of ${page.stage}`);
  const target = new RegExp(`formaction="([^"]*)" data-action="${action}"`).exec(form)?.[1] ?? '';
  const filled = new Map<string, string>();
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1] ?? '';
    if (!/type="radio"/.test(input) || / checked/.test(input))
      filled.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  const chosen = /<select name="(\w+)"[\s\S]*?<option value="(\w+)" selected/.exec(form);
  if (chosen) filled.set(chosen[1] ?? '', chosen[2] ?? '');
  const body = new URLSearchParams([...filled, ...Object.entries(fields)]);
  const known = new Set([...filled.keys(), '']);
  expect(Object.keys(fields).filter(name => !known.has(name))).toEqual([]);
  return open(new URL(target, page.url).href, { method: 'POST', body });
}

const signIn = async (page: View): Promise<View> =>
  press(await press(page, 'email', { email: 'jane@example.com' }), 'code', { code: '123456' });
const reload = (page: View): Promise<View> => open(page.url);

/** Links and secrets as the providers' documents have them, without any of our own code. */
const hmac = (key: string, text: string, encoding: 'hex' | 'base64' | 'base64url') =>
  createHmac('sha256', key).update(text).digest(encoding);

function moonpayLink(host: 'buy' | 'sell', parameters: Record<string, string> = {}): string {
  const usual: Record<string, string> =
    host === 'buy'
      ? {
          currencyCode: 'btc',
          baseCurrencyCode: 'eur',
          baseCurrencyAmount: '150',
          areFeesIncluded: 'true',
          walletAddress: WALLET,
        }
      : {
          baseCurrencyCode: 'eth',
          quoteCurrencyCode: 'eur',
          baseCurrencyAmount: '0.1',
          refundWalletAddress: EVM,
        };
  const all = {
    apiKey: 'pk_test_cloverleaf',
    ...usual,
    externalTransactionId: 'ord-1',
    redirectURL: BACK,
    ...parameters,
  };
  const search = `?${new URLSearchParams(all)}`;
  const signature = hmac('sk_test_cloverleaf', search, 'base64');
  return `${sandbox.url}/moonpay/${host}${search}&signature=${encodeURIComponent(signature)}`;
}

function mercuryoLink(parameters: Record<string, string> = {}): string {
  const all: Record<string, string> = {
    widget_id: '7d1c5b4e-2f60-4c1a-9d3e-5a0b6c7d8e9f',
    type: 'buy',
    currency: 'ETH',
    network: 'ETHEREUM',
    fiat_currency: 'EUR',
    ...(parameters.type === 'sell'
      ? { amount: '0.1', refund_address: EVM }
      : { fiat_amount: '150', address: EVM, signature: sha512(`${EVM}standin-mercuryo-secret-key`) }),
    merchant_transaction_id: 'ord-1',
    return_url: BACK,
    ...parameters,
  };
  return `${sandbox.url}/mercuryo/widget/?${new URLSearchParams(all)}`;
}

function sha512(text: string): string {
  return createHash('sha512').update(text).digest('hex');
}

const TRANSAK_KEY = '00000000-0000-4000-8000-7472616e7361';

async function post(path: string, headers: Record<string, string>, body: unknown) {
  const response = await fetch(`${sandbox.url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { data: Record<string, string> } };
}

async function transakToken(): Promise<string> {
  const path = '/transak/api/partners/api/v2/refresh-token';
  const { body } = await post(path, { 'api-secret': 'transak-sandbox-secret' }, { apiKey: TRANSAK_KEY });
  return body.data.accessToken ?? '';
}

function transakSession(token: string, parameters: Record<string, unknown> = {}) {
  const widgetParams = {
    ...{
      apiKey: TRANSAK_KEY,
      referrerDomain: 'sandbox.example',
      productsAvailed: 'BUY',
      fiatCurrency: 'EUR',
    },
    ...(parameters.productsAvailed === 'SELL'
      ? { cryptoAmount: 0.1 }
      : { fiatAmount: 150, walletAddress: EVM }),
    ...{ cryptoCurrencyCode: 'ETH', network: 'ethereum', paymentMethod: 'credit_debit_card' },
    ...{ partnerOrderId: 'ord-1', redirectURL: BACK, ...parameters },
  };
  return post('/transak/gateway/api/v2/auth/session', { 'access-token': token }, { widgetParams });
}

async function transakLink(parameters: Record<string, unknown> = {}): Promise<string> {
  const { body } = await transakSession(await transakToken(), parameters);
  return body.data.widgetUrl ?? '';
}

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${sandbox.url}${path}`, { method, headers });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into payloads freely
type Loose = any;

/** What MoonPay said, with every signature checked as its document says. */
function moonpaySaid(): Loose[] {
  return hooks.map(({ path, headers, text }) => {
    const [, t = '', s = ''] =
      /^t=(\d+),s=([0-9a-f]{64})$/.exec(String(headers['moonpay-signature-v2'])) ?? [];
    expect(path).toBe('/hooks/moonpay');
    expect(s).toBe(hmac('wk_test_cloverleaf', `${t}.${text}`, 'hex'));
    expect(headers['moonpay-signature']).toBeDefined();
    expect(Math.abs(Number(t) * 1000 - now)).toBeLessThan(LIFE_MS + 60_000);
    return JSON.parse(text);
  });
}

function transakSaid(token: string): Loose[] {
  return hooks.map(({ path, text }) => {
    const [header = '', payload = '', signature] = (JSON.parse(text).data as string).split('.');
    expect(path).toBe('/hooks/transak');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256' });
    expect(signature).toBe(hmac(token, `${header}.${payload}`, 'base64url'));
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  });
}

function mercuryoSaid(): Loose[] {
  return hooks.map(({ path, headers, text }) => {
    expect(path).toBe('/hooks/mercuryo');
    expect(headers['x-signature']).toBe(hmac('standin-mercuryo-sign-key', text, 'hex'));
    return JSON.parse(text).data;
  });
}

const operations = () => mercuryoSaid().map(({ type, status }) => `${type}.${status}`);

describe('a buy by card with MoonPay', () => {
  it('goes through sign-in, identity, card and 3-D Secure to coins on their way', async () => {
    let page = await open(moonpayLink('buy'));
    expect([page.status, page.stage, page.standing]).toEqual([200, 'email', 'none']);
    expect(page.text).toContain('150.00 EUR');
    page = await press(page, 'email', { email: 'nobody' });
    expect([page.stage, page.text.includes('Enter an e-mail address')]).toEqual(['email', true]);
    page = await press(page, 'email', { email: 'jane@example.com' });
    page = await press(page, 'code', { code: '000000' });
    expect([page.stage, page.text.includes('The code is not right')]).toEqual(['code', true]);
    page = await press(page, 'code', { code: '123456' });
    expect(page.stage).toBe('identity');
    page = await press(page, 'identity');
    expect([page.stage, page.standing]).toEqual(['card', 'awaiting']);
    page = await press(page, 'card', { number: '4242 4242 4242 4241' });
    expect([page.stage, page.text.includes('The card number is not right')]).toEqual(['card', true]);
    await heard(0);
    page = await press(page, 'card');
    expect([page.stage, page.standing]).toEqual(['secure', 'authorizing']);
    page = await press(page, 'approve');
    expect([page.stage, page.headers.get('refresh')]).toEqual(['progress', '1']);
    expect((await reload(page)).stage).toBe('progress');
    await pass(STEP_MS * 2);
    page = await reload(page);
    expect([page.stage, page.standing]).toEqual(['end', 'completed']);

    await heard(4);
    const said = moonpaySaid();
    expect(said.map(({ type, data }) => `${type} ${data.status}`)).toEqual([
      'transaction_created waitingAuthorization',
      'transaction_updated pending',
      'transaction_updated pending',
      'transaction_updated completed',
    ]);
    const { data, externalCustomerId } = said[3];
    expect(externalCustomerId).toBeNull();
    expect(data).toMatchObject({
      externalTransactionId: 'ord-1',
      walletAddress: WALLET,
      paymentMethod: 'credit_debit_card',
      baseCurrency: { type: 'fiat', code: 'eur' },
      currency: { type: 'crypto', code: 'btc' },
      cryptoTransactionId: expect.stringMatching(/^[0-9a-f]{64}$/),
      failureReason: null,
    });
    expect(
      data.baseCurrencyAmount + data.feeAmount + data.extraFeeAmount + data.networkFeeAmount,
    ).toBeCloseTo(150, 9);
    expect(said[0].data.quoteCurrencyAmount).toBeNull();
    expect(data.stages.map(({ status }: Loose) => status)).toEqual([
      'success',
      'success',
      'success',
      'success',
    ]);
    expect(page.text).toContain(data.cryptoTransactionId);
    const back = new URL(
      (/href="([^"]*)" data-action="return"/.exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&'),
    );
    expect(Object.fromEntries(back.searchParams)).toEqual({
      id: '1',
      transactionId: data.id,
      transactionStatus: 'completed',
    });

    const key = '?apiKey=pk_test_cloverleaf';
    expect(await ask(`/moonpay/api/v1/transactions/${data.id}${key}`)).toEqual({ status: 200, body: data });
    expect(await ask(`/moonpay/api/v1/transactions/ext/ord-1${key}`)).toEqual({ status: 200, body: [data] });
    expect(await ask(`/moonpay/api/v1/transactions/ext/other${key}`)).toEqual({ status: 200, body: [] });
    expect((await ask(`/moonpay/api/v1/transactions/other${key}`)).status).toBe(404);
    expect((await ask(`/moonpay/api/v1/transactions/${data.id}?apiKey=pk_test_other`)).status).toBe(401);
    expect((await ask(`/moonpay/api/v3/sell_transactions/${data.id}${key}`)).status).toBe(404);
  });

  it('refuses a link that was altered, reordered or left unsigned', async () => {
    const link = moonpayLink('buy', { email: 'jane@example.com' });
    const bare = link.slice(0, link.indexOf('&signature='));
    const signature = link.slice(link.indexOf('&signature='));
    const altered = [
      link.replace(WALLET, WALLET.replace('bc1qm', 'bc1qn')),
      link.replace('baseCurrencyAmount=150', 'baseCurrencyAmount=15'),
      link.replace('ord-1', 'ord-2'),
      `${link}&theme=dark`,
      bare,
      `${bare}&signature=`,
      `${bare}&signature=%E0%A4%A`,
      bare.replace('?', `?${signature.slice(1)}&`),
    ];
    const views = await Promise.all(altered.map(url => open(url)));
    expect(views.map(({ status, stage }) => [status, stage])).toEqual(altered.map(() => [403, 'refused']));
    expect((await open(link)).stage).toBe('email');
    expect((await open(moonpayLink('buy', { apiKey: 'pk_test_other' }))).status).toBe(401);
  });

  it('opens an unsigned link that names no address, as the documents allow', async () => {
    const search = '?apiKey=pk_test_cloverleaf&currencyCode=btc&baseCurrencyCode=eur&baseCurrencyAmount=150';
    expect((await open(`${sandbox.url}/moonpay/buy/${search}`)).stage).toBe('email');
  });

  it('says on the page why it cannot sell', async () => {
    const page = await open(moonpayLink('buy', { baseCurrencyAmount: '2' }));
    expect([page.status, page.text.includes('The minimum amount is')]).toEqual([400, true]);
  });

  it('goes on where the person was when the same link is opened again, and begins anew after the end', async () => {
    const link = moonpayLink('buy');
    const first = await signIn(await open(link));
    expect(await open(link)).toMatchObject({ url: first.url, stage: 'identity' });
    await press(first, 'fail');
    const second = await open(link);
    expect([second.stage, second.url === first.url]).toEqual(['email', false]);
    await press(await press(await signIn(second), 'identity'), 'complete');
    const { body } = await ask('/moonpay/api/v1/transactions/ext/ord-1?apiKey=pk_test_cloverleaf');
    expect(body.map(({ status }: Loose) => status)).toEqual(['failed', 'completed']);
  });

  it('is declined, tried again with another card, and given up', async () => {
    const card = await press(await signIn(await open(moonpayLink('buy'))), 'identity');
    const declined = await press(card, 'card', { number: '4000 0000 0000 0002' });
    expect(declined.stage).toBe('declined');
    const secure = await press(await press(declined, 'retry'), 'card', { number: '5385 3083 6013 5181' });
    expect(secure.stage).toBe('secure');
    const refused = await press(secure, 'refuse');
    expect([refused.stage, refused.text.includes('3-D Secure authentication failed')]).toEqual([
      'declined',
      true,
    ]);
    const end = await press(refused, 'give-up');
    expect([end.stage, end.standing]).toEqual(['end', 'failed']);
    await heard(2);
    expect(moonpaySaid().map(({ type, data }) => [type, data.status, data.failureReason])).toEqual([
      ['transaction_created', 'waitingAuthorization', null],
      ['transaction_failed', 'failed', '3-D Secure authentication failed'],
    ]);
  });

  it('needs no approval with the frictionless card', async () => {
    const card = await press(await signIn(await open(moonpayLink('buy'))), 'identity');
    expect((await press(card, 'card', { number: '4485 0403 7153 6584' })).stage).toBe('progress');
  });

  it('fails where the identity is refused', async () => {
    const page = await press(await signIn(await open(moonpayLink('buy'))), 'identity', { last: 'deny' });
    expect([page.stage, page.standing]).toEqual(['end', 'failed']);
    await heard(1);
    expect(moonpaySaid()[0]).toMatchObject({ type: 'transaction_failed', data: { status: 'failed' } });
  });

  it('asks for a document for a high amount', async () => {
    const link = moonpayLink('buy', { baseCurrencyAmount: '1500' });
    const page = await press(await signIn(await open(link)), 'identity');
    expect(page.stage).toBe('document');
    expect((await press(page, 'document', { kind: 'passport' })).stage).toBe('card');
  });
});

describe('a buy by bank transfer with MoonPay', () => {
  const link = () => moonpayLink('buy', { paymentMethod: 'sepa_bank_transfer' });

  it('waits for the money, which comes a moment after it was sent', async () => {
    let page = await press(await signIn(await open(link())), 'identity');
    expect([page.stage, page.text.includes('DE89 3704')]).toEqual(['bank', true]);
    page = await press(page, 'sent');
    await pass(STEP_MS * 3);
    await heard(4);
    const said = moonpaySaid();
    expect(said.map(({ data }) => data.status)).toEqual([
      'waitingPayment',
      'pending',
      'pending',
      'completed',
    ]);
    expect(page.text).not.toContain('Cancel');
    expect(said[0].data.bankTransferReference).toMatch(/^[0-9A-F]{10}$/);
  });

  it('expires when nothing is sent, and says so once', async () => {
    const page = await press(await signIn(await open(link())), 'identity');
    await pass(LIFE_MS);
    expect((await reload(page)).standing).toBe('expired');
    await heard(2);
    expect(moonpaySaid()[1]).toMatchObject({
      type: 'transaction_failed',
      data: { status: 'failed', failureReason: 'Bank transfer timeout' },
    });
    await pass(LIFE_MS);
    await heard(2);
  });

  it('does not expire while money is on its way, nor once it has come', async () => {
    const page = await press(await signIn(await open(link())), 'identity');
    await pass(LIFE_MS - 10);
    await press(page, 'sent');
    await pass(LIFE_MS);
    expect((await reload(page)).standing).toBe('completed');
  });
});

describe('a page that nobody goes on with', () => {
  it('expires without a word, for nothing was ordered', async () => {
    const page = await open(moonpayLink('buy'));
    await pass(LIFE_MS);
    expect((await reload(page)).standing).toBe('expired');
    await heard(0);
  });

  it('does not exist on another host, or when it never did', async () => {
    const page = await open(moonpayLink('buy'));
    expect((await open(page.url.replace('/buy/', '/sell/'))).status).toBe(404);
    expect((await open(`${sandbox.url}/moonpay/buy/flow/nothing`)).status).toBe(404);
  });

  it('ignores moves that do not fit it', async () => {
    const page = await open(moonpayLink('buy'));
    for (const move of ['card', 'approve', 'deposit', 'refund', 'constructor', '__proto__', 'nothing']) {
      expect((await open(`${page.url}/${move}`, { method: 'POST', body: '' })).stage).toBe('email');
    }
    await heard(0);
  });

  it('shows what it was given as text, and frames nowhere are refused', async () => {
    const link = moonpayLink('buy', { walletAddress: '<script>"x"</script>' });
    const page = await open(link);
    expect(page.text).toContain('&lt;script&gt;&quot;x&quot;&lt;/script&gt;');
    expect(page.text).not.toContain('<script');
    expect(page.headers.get('x-frame-options')).toBeNull();
    expect(page.headers.get('content-security-policy')).not.toContain('frame-ancestors');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('offers no way back to an address that could run something', async () => {
    const page = await press(
      await open(moonpayLink('buy', { redirectURL: 'javascript:alert(1)' })),
      'cancel',
    );
    expect([page.standing, page.text.includes('data-action="return"')]).toEqual(['canceled', false]);
  });
});

describe('a sell with MoonPay', () => {
  const key = '?apiKey=pk_test_cloverleaf';
  const toDeposit = async (parameters: Record<string, string> = {}) =>
    press(await press(await signIn(await open(moonpayLink('sell', parameters))), 'identity'), 'payout');

  it('shows where to send, takes the deposit and pays out', async () => {
    const page = await toDeposit();
    expect(page.stage).toBe('deposit');
    await press(page, 'deposit');
    await pass(STEP_MS * 3);
    expect((await reload(page)).standing).toBe('completed');
    await heard(5);
    const said = moonpaySaid();
    expect(said.map(({ type, data }) => [type, data.status, data.depositHash !== null])).toEqual([
      ['sell_transaction_created', 'waitingForDeposit', false],
      ['sell_transaction_updated', 'pending', false],
      ['sell_transaction_updated', 'pending', true],
      ['sell_transaction_updated', 'pending', true],
      ['sell_transaction_updated', 'completed', true],
    ]);
    const { data } = said[4];
    expect(data).toMatchObject({
      baseCurrency: { type: 'crypto', code: 'eth' },
      quoteCurrency: { type: 'fiat', code: 'eur' },
      baseCurrencyAmount: 0.1,
      refundWalletAddress: EVM,
      refundHash: null,
      depositHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      depositWallet: { walletAddress: expect.stringMatching(/^0x[0-9a-f]{40}$/), walletAddressTag: null },
    });
    expect(page.text).toContain(data.depositWallet.walletAddress);
    expect(await ask(`/moonpay/api/v3/sell_transactions/${data.id}${key}`)).toEqual({
      status: 200,
      body: data,
    });
    expect((await ask(`/moonpay/api/v3/sell_transactions/ext/ord-1${key}`)).body).toEqual([data]);
  });

  it('goes back to the partner for the deposit with everything needed', async () => {
    const page = await toDeposit({
      baseCurrencyCode: 'xrp',
      baseCurrencyAmount: '100',
      refundWalletAddress: WALLET,
    });
    const back = new URL(
      (/href="([^"]*)" data-action="return"/.exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&'),
    );
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      baseCurrencyCode: 'xrp',
      baseCurrencyAmount: '100',
      depositWalletAddress: 'rHraC8ZgwWUsjSD9N3QBBgQ3yPhdAftm3C',
      depositWalletAddressTag: expect.stringMatching(/^\d{9}$/),
    });
  });

  it('gives the coins back when the payout fails', async () => {
    const page = await toDeposit();
    await press(page, 'deposit-refund');
    await pass(STEP_MS * 3);
    expect((await reload(page)).standing).toBe('refunded');
    await heard(5);
    expect(moonpaySaid()[4]).toMatchObject({
      type: 'sell_transaction_failed',
      data: { status: 'failed', refundHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
  });

  it('expires without a deposit', async () => {
    await toDeposit();
    await pass(LIFE_MS);
    await heard(2);
    expect(moonpaySaid()[1].data).toMatchObject({ status: 'failed', failureReason: 'Deposit timeout' });
  });

  it('is cancelled by the partner as long as nothing came, and only with the secret key', async () => {
    const page = await toDeposit();
    const path = '/moonpay/api/v3/sell_transactions/ext/ord-1';
    const secret = { authorization: 'Api-Key sk_test_cloverleaf' };
    expect((await ask(path, { authorization: 'Api-Key pk_test_cloverleaf' }, 'DELETE')).status).toBe(401);
    expect((await ask(path.replace('ord-1', 'ord-2'), secret, 'DELETE')).status).toBe(404);
    expect(await ask(path, secret, 'DELETE')).toEqual({ status: 204, body: undefined });
    expect((await ask(path, secret, 'DELETE')).status).toBe(409);
    expect((await reload(page)).standing).toBe('canceled');
    await heard(2);
    const { data } = moonpaySaid()[1];
    expect((await ask(`/moonpay/api/v3/sell_transactions/${data.id}`, secret, 'DELETE')).status).toBe(409);
  });

  it('is cancelled by the person', async () => {
    expect((await press(await toDeposit(), 'cancel')).standing).toBe('canceled');
    await heard(2);
    expect(moonpaySaid()[1]).toMatchObject({
      type: 'sell_transaction_failed',
      data: { status: 'failed', failureReason: 'Cancelled by the customer', refundHash: null },
    });
  });
});

describe('an order with Transak', () => {
  it('needs the token of the moment, which every refresh replaces', async () => {
    const first = await transakToken();
    expect((await transakSession(first)).status).toBe(200);
    const second = await transakToken();
    expect(second).not.toBe(first);
    expect((await transakSession(first)).status).toBe(401);
    expect((await transakSession(second)).status).toBe(200);
    now += 7 * 24 * 3_600_000;
    expect((await transakSession(second)).status).toBe(401);
  });

  it('refuses tokens and sessions to strangers', async () => {
    const path = '/transak/api/partners/api/v2/refresh-token';
    expect((await post(path, { 'api-secret': 'wrong' }, { apiKey: TRANSAK_KEY })).status).toBe(401);
    expect((await post(path, { 'api-secret': 'transak-sandbox-secret' }, { apiKey: 'x' })).status).toBe(400);
    const token = await transakToken();
    expect((await transakSession('', {})).status).toBe(401);
    expect((await transakSession(token, { apiKey: 'x' })).status).toBe(401);
    expect((await transakSession(token, { referrerDomain: 'other.example' })).status).toBe(400);
  });

  it('opens a session once, within five minutes, and lets the same browser come back', async () => {
    const link = await transakLink();
    const page = await open(link);
    expect(page.stage).toBe('email');
    const again = await open(link);
    expect([again.status, again.text.includes('already used')]).toEqual([403, true]);
    const cookie = (page.headers.get('cookie') ?? '').split(';')[0] ?? '';
    expect(await open(link, { headers: { cookie } })).toMatchObject({ status: 200, url: page.url });
    expect((await reload(page)).stage).toBe('email');

    const late = await transakLink();
    now += 5 * 60_000 + 1;
    expect((await open(late)).text).toContain('has expired');
    expect((await open(`${late}x`)).text).toContain('not valid');
  });

  it('is paid by card and delivered', async () => {
    const token = await transakToken();
    const { body } = await transakSession(token);
    let page = await press(await signIn(await open(body.data.widgetUrl ?? '')), 'identity');
    page = await press(await press(page, 'card'), 'approve');
    await pass(STEP_MS * 2);
    page = await reload(page);
    await heard(4);
    const said = transakSaid(token);
    expect(said.map(({ eventID, webhookData }) => `${eventID} ${webhookData.status}`)).toEqual([
      'ORDER_CREATED AWAITING_PAYMENT_FROM_USER',
      'ORDER_PROCESSING PROCESSING',
      'ORDER_PROCESSING PENDING_DELIVERY_FROM_TRANSAK',
      'ORDER_COMPLETED COMPLETED',
    ]);
    const order = said[3].webhookData;
    expect(order).toMatchObject({
      partnerOrderId: 'ord-1',
      isBuyOrSell: 'BUY',
      fiatCurrency: 'EUR',
      cryptoCurrency: 'ETH',
      network: 'ethereum',
      fiatAmount: 150,
      amountPaid: 150,
      walletAddress: EVM,
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect((order.fiatAmount - order.totalFeeInFiat) * order.conversionPrice).toBeCloseTo(
      order.cryptoAmount,
      6,
    );
    const path = `/transak/api/partners/api/v2/order/${order.id}`;
    const found = await ask(path, { 'access-token': token });
    expect(found).toMatchObject({ status: 200, body: { meta: { orderId: order.id }, data: order } });
    expect((await ask(path, { 'access-token': 'x' })).status).toBe(401);
    expect((await ask(`${path}x`, { 'access-token': token })).status).toBe(404);
    const back = new URL(
      (/href="([^"]*)" data-action="return"/.exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&'),
    );
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      id: '1',
      orderId: order.id,
      status: 'COMPLETED',
    });

    page = await press(page, 'refund');
    expect(page.standing).toBe('refunded');
    await heard(5);
    expect(transakSaid(token)[4].webhookData.status).toBe('REFUNDED');
  });

  it('says nothing of a card that was declined once another one has paid', async () => {
    const token = await transakToken();
    const { body } = await transakSession(token);
    let page = await press(await signIn(await open(body.data.widgetUrl ?? '')), 'identity');
    page = await press(page, 'card', { number: '4000 0000 0000 0002' });
    expect([page.stage, page.text.includes('declined by its bank')]).toEqual(['declined', true]);
    await press(await press(page, 'retry'), 'card', { number: '5555 5555 5555 4444' });
    await pass(STEP_MS * 2);
    await heard(4);
    const said = transakSaid(token).map(({ webhookData }) => webhookData);
    expect(said.map(({ status, statusReason }) => [status, statusReason])).toEqual([
      ['AWAITING_PAYMENT_FROM_USER', null],
      ['PROCESSING', null],
      ['PENDING_DELIVERY_FROM_TRANSAK', null],
      ['COMPLETED', null],
    ]);
  });

  it('is told of with the token that lives then', async () => {
    const page = await open(await transakLink());
    const token = await transakToken();
    await press(page, 'cancel');
    await heard(1);
    expect(transakSaid(token)[0]).toMatchObject({
      eventID: 'ORDER_FAILED',
      webhookData: { status: 'CANCELLED' },
    });
  });

  it.each([
    ['expire', 'EXPIRED'],
    ['fail', 'FAILED'],
  ])('can be made to %s', async (tool, status) => {
    const token = await transakToken();
    const { body } = await transakSession(token, { paymentMethod: 'sepa_bank_transfer' });
    const page = await press(await signIn(await open(body.data.widgetUrl ?? '')), 'identity');
    expect(page.stage).toBe('bank');
    await press(page, tool);
    await heard(2);
    expect(transakSaid(token)[1].webhookData.status).toBe(status);
  });

  it('is sold, by bank, with the words of a buy', async () => {
    const token = await transakToken();
    const wish = { productsAvailed: 'SELL', paymentMethod: 'sepa_bank_transfer', fiatAmount: undefined };
    const { body } = await transakSession(token, wish);
    const page = await press(
      await press(await signIn(await open(body.data.widgetUrl ?? '')), 'identity'),
      'document',
    );
    expect(page.stage).toBe('payout');
    await press(await press(page, 'payout'), 'deposit');
    await pass(STEP_MS * 3);
    await heard(5);
    expect(transakSaid(token).map(({ webhookData }) => webhookData.status)).toEqual([
      'AWAITING_PAYMENT_FROM_USER',
      'PAYMENT_DONE_MARKED_BY_USER',
      'PROCESSING',
      'PENDING_DELIVERY_FROM_TRANSAK',
      'COMPLETED',
    ]);
  });
});

describe('an order with Mercuryo', () => {
  const look = async () =>
    (
      await ask('/mercuryo/api/v1.6/sdk-partner/transactions?merchant_transaction_id=ord-1', {
        'sdk-partner-token': 'standin-mercuryo-partner-token',
      })
    ).body;

  it('is bought by card without any form below the threshold, in two operations', async () => {
    let page = await signIn(await open(mercuryoLink()));
    expect(page.stage).toBe('card');
    expect(await look()).toMatchObject({ status: 200, total: 1, data: [{ buy: { status: 'new' } }] });
    page = await press(page, 'card', { number: '5555 4444 3333 1111', cvc: '555' });
    expect(page.stage).toBe('declined');
    page = await press(await press(page, 'retry'), 'card', { number: '5555 4444 3333 1111' });
    await pass(STEP_MS * 2);
    await heard(5);
    expect(operations()).toEqual([
      'buy.new',
      'buy.paid',
      'withdraw.new',
      'withdraw.pending',
      'withdraw.completed',
    ]);
    const said = mercuryoSaid();
    expect(said[4]).toMatchObject({
      merchant_transaction_id: 'ord-1',
      fiat_amount: '150.00',
      fiat_currency: 'EUR',
      currency: 'ETH',
      network: 'ETHEREUM',
      tx: { id: expect.stringMatching(/^0x[0-9a-f]{64}$/), address: EVM },
      created_at: '2026-01-01 12:00:00',
    });
    const { total, data } = await look();
    expect([total, Object.keys(data[0])]).toEqual([1, ['buy', 'withdraw']]);
    expect(data[0].buy).toMatchObject({ id: said[1].id, status: 'paid' });
    expect(data[0].withdraw).toMatchObject({ status: 'completed', hash: said[4].tx.id, address: EVM });

    page = await press(await reload(page), 'refund');
    await heard(6);
    expect(operations()[5]).toBe('buy.refunded');
    expect(page.text).toContain(`href="${BACK}"`);
  });

  it('asks for a document above the threshold', async () => {
    const page = await signIn(await open(mercuryoLink({ fiat_amount: '700' })));
    expect((await press(page, 'identity')).stage).toBe('document');
  });

  it.each([
    ['none', ''],
    ['a wrong one', sha512('else')],
    ['one of another version', `v2:${sha512(`${EVM}standin-mercuryo-secret-key127.0.0.1other`)}`],
  ])('opens but takes no payment with %s for a signature', async (_what, signature) => {
    const page = await signIn(await open(mercuryoLink({ signature })));
    expect([page.stage, page.text.includes('Signature is invalid')]).toEqual(['blocked', true]);
    await heard(0);
  });

  it('takes a signature of the second version, which names address and order', async () => {
    const signature = `v2:${sha512(`${EVM}standin-mercuryo-secret-key127.0.0.1ord-1`)}`;
    expect((await signIn(await open(mercuryoLink({ signature })))).stage).toBe('card');
  });

  it('has one order for a reference, whatever is opened', async () => {
    const page = await press(await open(mercuryoLink()), 'cancel');
    await heard(1);
    expect(operations()).toEqual(['buy.cancelled']);
    expect(await open(mercuryoLink({ fiat_amount: '300' }))).toMatchObject({
      url: page.url,
      standing: 'canceled',
    });
    expect((await open(mercuryoLink({ widget_id: 'x' }))).status).toBe(401);
  });

  it.each([
    ['deposit', ['sell.pending', 'sell.succeeded']],
    ['deposit-refund', ['sell.pending', 'sell.failed']],
  ])('is sold: %s', async (action, ends) => {
    let page = await press(await signIn(await open(mercuryoLink({ type: 'sell' }))), 'identity');
    page = await press(await press(page, 'payout'), action);
    await pass(STEP_MS * 3);
    await heard(6);
    expect(operations()).toEqual([
      'deposit.new',
      'deposit.pending',
      'deposit.completed',
      'sell.new',
      ...ends,
    ]);
    const [row] = (await look()).data;
    expect(Object.keys(row)).toEqual(['deposit', 'sell']);
  });

  it('tells its orders to partners only', async () => {
    const answer = await ask('/mercuryo/api/v1.6/sdk-partner/transactions', { 'sdk-partner-token': 'x' });
    expect([answer.status, answer.body.message]).toEqual([401, 'Token is invalid']);
  });

  it('calls back until it hears exactly 200', async () => {
    answers = [204, 500];
    await press(await open(mercuryoLink()), 'cancel');
    await heard(1);
    await pass(1_000);
    await heard(2);
    await pass(4_000);
    await heard(3);
    expect(new Set(hooks.map(({ text }) => text)).size).toBe(1);
    await pass(100_000);
    await heard(3);
  });
});

describe('webhooks with a fault', () => {
  const MOONPAY = 'moonpay' as ProviderId;
  /** Five stages of a sell, said or not. */
  async function sellWith(kind: FaultKind, ms = 0): Promise<void> {
    sandbox.fault(MOONPAY, { kind, ms });
    const page = await press(
      await press(await signIn(await open(moonpayLink('sell'))), 'identity'),
      'payout',
    );
    await press(page, 'deposit');
    await pass(STEP_MS * 3);
    const { status, body } = await ask(
      '/moonpay/api/v3/sell_transactions/ext/ord-1?apiKey=pk_test_cloverleaf',
    );
    expect([status, body[0].status]).toEqual([200, 'completed']);
  }
  const seals = () => moonpaySaid().map(({ data }) => `${data.status} ${data.updatedAt}`);

  it('are lost', async () => {
    await sellWith('webhooks-lost');
    await pass(LIFE_MS);
    await heard(0);
  });

  it('come two to four times each', async () => {
    await sellWith('webhooks-twice');
    await breathe();
    const counts = new Map<string, number>();
    for (const seal of seals()) counts.set(seal, (counts.get(seal) ?? 0) + 1);
    expect(counts.size).toBe(5);
    for (const count of counts.values()) expect([2, 3, 4]).toContain(count);
  });

  it('come in another order, and all of them', async () => {
    await sellWith('webhooks-shuffled');
    await heard(0);
    await pass(4_000);
    await heard(5);
    const moments = seals();
    expect(new Set(moments).size).toBe(5);
    const inOrder = moonpaySaid()
      .map(({ data }) => data.updatedAt as string)
      .every((at, index, all) => index === 0 || (all[index - 1] ?? '') <= at);
    expect(inOrder).toBe(false);
  });

  it('come forged, by one bit, and only once', async () => {
    answers = [401, 401, 401, 401, 401];
    await sellWith('webhooks-forged');
    await heard(5);
    await pass(100_000);
    await heard(5);
    for (const { headers, text } of hooks) {
      const [, t = '', s = ''] =
        /^t=(\d+),s=([0-9a-f]{64})$/.exec(String(headers['moonpay-signature-v2'])) ?? [];
      const difference = BigInt(`0x${s}`) ^ BigInt(`0x${hmac('wk_test_cloverleaf', `${t}.${text}`, 'hex')}`);
      expect(difference.toString(2).replaceAll('0', '')).toBe('1');
    }
  });

  it('come late', async () => {
    await sellWith('webhooks-late', 30_000);
    await heard(0);
    await pass(30_000);
    await heard(5);
  });

  it('are forged inside the token of Transak as well', async () => {
    const token = await transakToken();
    sandbox.fault('transak' as ProviderId, { kind: 'webhooks-forged', ms: 0 });
    const { body } = await transakSession(token);
    await press(await open(body.data.widgetUrl ?? ''), 'cancel');
    await heard(1);
    const [header, payload, signature = ''] = (JSON.parse(hooks[0]?.text ?? '').data as string).split('.');
    const wanted = hmac(token, `${header}.${payload}`, 'base64url');
    const bits = (text: string) => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);
    expect((bits(signature) ^ bits(wanted)).toString(2).replaceAll('0', '')).toBe('1');
  });

  it('are tried five times when nobody takes them', async () => {
    answers = Array.from({ length: 9 }, () => 503);
    await press(await open(moonpayLink('buy')), 'cancel');
    await heard(1);
    await pass(LIFE_MS);
    await heard(5);
  });
});

describe('chains', () => {
  const world = {
    sign: (_how: string, _key: string, text: string) => sha512(text),
    currencies,
  } as unknown as World;
  const flowOf = (asset: unknown, id = 'f1') => ({ id, deal: { asset } }) as Flow;

  it('have well-formed addresses for everything that is sold', () => {
    const wrong = [...currencies.assets.values()].flatMap(asset => {
      const network = currencies.networks.get(asset.network);
      const { address } = depositOf(flowOf(asset), world);
      if (!network || address.startsWith('sandbox-')) return [];
      const flaw = checkAddress(network, address, currencies.networks.values());
      return flaw ? [`${network.id}: ${flaw.message}`] : [];
    });
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('have hashes in their own form, each transfer another', () => {
    const eth = [...currencies.assets.values()].find(({ id }) => id === 'eth_ethereum');
    const sol = [...currencies.assets.values()].find(({ id }) => id === 'sol_solana');
    expect(hashOf('delivery', flowOf(eth), world)).toMatch(/^0x[0-9a-f]{64}$/);
    expect(hashOf('delivery', flowOf(sol), world)).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
    expect(hashOf('refund', flowOf(eth), world)).not.toBe(hashOf('deposit', flowOf(eth), world));
  });
});
