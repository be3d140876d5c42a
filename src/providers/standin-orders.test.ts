/** The stand-ins' hosted pages, orders and webhooks, driven over HTTP as a browser and a partner would. */
import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
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
    expect(said[0].data.bankDepositInformation).toMatchObject({ iban: 'DE89370400440532013000' });
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

describe('an order with Banxa', () => {
  const KEY = { 'x-api-key': 'banxa-sandbox-key' };
  const make = async (side: 'buy' | 'sell', wish: object = {}, headers: Record<string, string> = KEY) => {
    const usual =
      side === 'buy'
        ? { fiatAmount: '150', paymentMethodId: 'debit-credit-card' }
        : { cryptoAmount: '0.1', paymentMethodId: 'sepa-bank-transfer' };
    const about = { crypto: 'ETH', blockchain: 'ETH', fiat: 'EUR', walletAddress: EVM, redirectUrl: BACK };
    const names = { externalCustomerId: 'ord-1', externalOrderId: 'ord-1' };
    const { status, body } = await post(`/banxa/api/cloverleaf/v2/${side}`, headers, {
      ...about,
      ...names,
      ...usual,
      ...wish,
    });
    return { status, body: body as Loose };
  };
  const said = (): Loose[] =>
    hooks.map(({ path, headers, text }) => {
      const [, signature, nonce] =
        /^Bearer banxa-sandbox-key:([0-9a-f]{64}):(\d+)$/.exec(String(headers.authorization)) ?? [];
      expect(path).toBe('/hooks/banxa');
      expect(signature).toBe(hmac('banxa-sandbox-webhook-secret', `POST\n${path}\n${nonce}\n${text}`, 'hex'));
      return JSON.parse(text);
    });

  it('is made for partners only, and with all that it needs', async () => {
    expect((await make('buy', {}, { 'x-api-key': 'x' })).status).toBe(401);
    expect((await make('buy', { walletAddress: '' })).body.errors[0].field).toBe('walletAddress');
    const { status, body } = await make('buy', { fiatAmount: '5' });
    expect([status, body.errors[0].message]).toEqual([422, 'The minimum amount is 20 EUR']);
    expect((await ask('/banxa/api/other/v2/countries', KEY)).status).toBe(403);
  });

  it('has a page that opens once, within a minute', async () => {
    const { checkoutUrl } = (await make('buy')).body;
    const page = await open(checkoutUrl);
    expect(page.stage).toBe('email');
    expect((await open(checkoutUrl)).text).toContain('already used');
    const cookie = (page.headers.get('cookie') ?? '').split(';')[0] ?? '';
    expect(await open(checkoutUrl, { headers: { cookie } })).toMatchObject({ status: 200, url: page.url });
    const late = (await make('buy')).body;
    now += 60_001;
    expect((await open(late.checkoutUrl)).text).toContain('has expired');
    expect((await open(`${late.checkoutUrl}x`)).text).toContain('not valid');
    const path = `/banxa/api/cloverleaf/v2/orders/${late.id}`;
    expect((await ask(path, KEY)).body.status).toBe('pendingPayment');
    await pass(LIFE_MS);
    expect((await ask(path, KEY)).body.status).toBe('expired');
  });

  it('is bought by card, told of at each change, and refunded', async () => {
    const { id, checkoutUrl } = (await make('buy')).body;
    let page = await press(await signIn(await open(checkoutUrl)), 'identity');
    page = await press(page, 'card', { number: '4111 1111 1111 1111' });
    await pass(STEP_MS * 2);
    page = await press(await reload(page), 'refund');
    await heard(5);
    const told = said();
    expect(told.map(({ status }) => status)).toEqual([
      'pendingPayment',
      'paymentReceived',
      'cryptoTransferred',
      'complete',
      'refunded',
    ]);
    expect(told[3]).toMatchObject({
      ...{ order_id: id, external_id: 'ord-1', order_type: 'BUY', fiat_amount: '150' },
      transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(told[0].transaction_hash).toBe('0');
    const found = await ask(`/banxa/api/cloverleaf/v2/orders/${id}`, KEY);
    expect(found.body).toMatchObject({ externalOrderId: 'ord-1', status: 'refunded', orderType: 'BUY' });
    expect((await ask(`/banxa/api/cloverleaf/v2/orders/${id}`, { 'x-api-key': 'x' })).status).toBe(401);
  });

  it('is sold: the person goes back with the address to send to', async () => {
    const { checkoutUrl } = (await make('sell')).body;
    const page = await press(await press(await signIn(await open(checkoutUrl)), 'identity'), 'payout');
    expect(page.text).toMatch(/href="[^"]*depositAddress=0x[0-9a-f]{40}/);
    await press(page, 'deposit');
    await pass(STEP_MS * 3);
    await heard(4);
    expect(said().map(({ status }) => status)).toEqual([
      'waitingPayment',
      'paymentReceived',
      'inProgress',
      'complete',
    ]);
  });
});

describe('an order with Ramp Network', () => {
  const KEYS = {
    link: 'MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f',
    hooks:
      'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEl6EQjy2GEPJjxz6X2K72HweQ2gQQu52VKkMeBQQvIAfi35xUgyLPMxO6ZIBcQn2uuTs8SCXaFRRjgnjiYKMgyg==',
  };
  const link = (parameters: Record<string, string> = {}) => {
    const isSell = parameters.defaultFlow === 'OFFRAMP';
    const hook = `https://shop.example/hooks/rampnetwork?order=ord-1`;
    const all: Record<string, string> = {
      ...{ hostApiKey: 'standin-ramp-host-api-key', userAddress: EVM, finalUrl: BACK },
      ...(isSell
        ? { inAsset: 'ETH_ETH', outAsset: 'EUR', inAssetValue: '0.1', offrampWebhookV3Url: hook }
        : { inAsset: 'EUR', outAsset: 'ETH_ETH', inAssetValue: '100', webhookStatusUrl: hook }),
      ...parameters,
      timestamp: `${now}`,
    };
    const text = Object.entries(all)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const key = createPrivateKey({ key: Buffer.from(KEYS.link, 'base64'), format: 'der', type: 'pkcs8' });
    const signature = signBytes(null, Buffer.from(text), key).toString('base64');
    return `${sandbox.url}/rampnetwork/app/?${text}&signature=${encodeURIComponent(signature)}`;
  };
  /** Keys in order, no blanks: as the document has it. */
  const stable = (value: Loose): string =>
    typeof value !== 'object' || value === null
      ? JSON.stringify(value)
      : `{${Object.keys(value)
          .sort()
          .map(key => `${JSON.stringify(key)}:${stable(value[key])}`)
          .join(',')}}`;
  const said = (): Loose[] =>
    hooks.map(({ path, headers, text }) => {
      expect(path).toBe('/hooks/rampnetwork?order=ord-1');
      const key = createPublicKey({ key: Buffer.from(KEYS.hooks, 'base64'), format: 'der', type: 'spki' });
      const signature = Buffer.from(String(headers['x-body-signature']), 'base64');
      expect(verifyBytes('sha256', Buffer.from(stable(JSON.parse(text))), key, signature)).toBe(true);
      return JSON.parse(text);
    });

  it('is bought by card, looked up with its token, and returned', async () => {
    let page = await press(await signIn(await open(link())), 'identity');
    page = await press(page, 'card', { number: '5555 5555 5555 4444' });
    await pass(STEP_MS * 2);
    page = await press(await reload(page), 'refund');
    await heard(3);
    const told = said();
    expect(told.map(({ type }) => type)).toEqual(['CREATED', 'RELEASED', 'RETURNED']);
    const { id, purchaseViewToken, appliedFee, baseRampFee, networkFee } = told[1].purchase;
    expect(appliedFee).toBeCloseTo(baseRampFee + networkFee, 6);
    expect(told[1].purchase).toMatchObject({ fiatValue: 100, receiverAddress: EVM, status: 'RELEASED' });
    expect(told[1].purchase.cryptoAmount).toMatch(/^\d{10,20}$/);
    const path = `/rampnetwork/api/host-api/purchase/${id}?secret=`;
    expect((await ask(`${path}${purchaseViewToken}`)).body).toMatchObject({ id, status: 'FIAT_RETURNED' });
    expect((await ask(`${path}x`)).status).toBe(404);
  });

  it('is released by hand, as in their demo', async () => {
    const page = await press(await signIn(await open(link({ paymentMethodType: 'SEPA' }))), 'identity');
    expect(page.stage).toBe('bank');
    await heard(1);
    const { id, purchaseViewToken, paymentMethodType } = said()[0].purchase;
    expect(paymentMethodType).toBe('MANUAL_BANK_TRANSFER');
    const path = `/rampnetwork/api/widget/testing/purchase/${id}/release?secret=`;
    expect((await ask(`${path}x`, {}, 'POST')).status).toBe(404);
    expect((await ask(`${path}${purchaseViewToken}`, {}, 'POST')).status).toBe(200);
    await heard(2);
    expect(said()[1].type).toBe('RELEASED');
  });

  it('is sold, or comes to nothing', async () => {
    const sell = { defaultFlow: 'OFFRAMP' };
    let page = await press(await press(await signIn(await open(link(sell))), 'identity'), 'document');
    page = await press(await press(page, 'payout'), 'deposit');
    await pass(STEP_MS * 3);
    await heard(2);
    expect(said().map(({ type, mode }) => `${mode} ${type}`)).toEqual([
      'OFFRAMP CREATED',
      'OFFRAMP RELEASED',
    ]);
    expect(said()[1].payload.fiat.amount).toMatch(/^\d+(\.\d+)?$/);
    now += 1;
    await press(await open(link(sell)), 'cancel');
    await heard(3);
    expect(said()[2].type).toBe('EXPIRED');
  });

  it('opens no link that was changed, is old or is nobody’s', async () => {
    expect((await open(link().replace('inAssetValue=100', 'inAssetValue=900'))).status).toBe(403);
    expect((await open(link().replace(/&signature=.*/, ''))).status).toBe(403);
    expect((await open(link({ hostApiKey: 'x' }))).status).toBe(401);
    expect((await open(link({ inAssetValue: '1' }))).status).toBe(400);
    const old = link();
    now += 2 * 3_600_000;
    expect((await open(old)).status).toBe(403);
  });
});

describe('an order with Coinbase', () => {
  const KEY = 'wGxFeceUiJFxjGDQ0YCXZyBai5LnX8Aj4vz4of9sXgfp2CrCAVgNJEjrHNAGfzgUXiZCPW0NkrE6jTW5BedteQ==';
  const ID = '00000000-0000-4000-8000-636f696e6261';
  /** A token as their document has it, for one request. */
  const bearer = (uri: string, claims: object = {}): Record<string, string> => {
    const seconds = Math.floor(now / 1000);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const header = { alg: 'EdDSA', kid: ID, typ: 'JWT', nonce: '0123456789abcdef' };
    const payload = { sub: ID, iss: 'cdp', uris: [uri], iat: seconds, nbf: seconds, exp: seconds + 120 };
    const text = `${part(header)}.${part({ ...payload, ...claims })}`;
    const seed = Buffer.concat([
      Buffer.from('302e020100300506032b657004220420', 'hex'),
      Buffer.from(KEY, 'base64').subarray(0, 32),
    ]);
    const key = createPrivateKey({ key: seed, format: 'der', type: 'pkcs8' });
    return {
      authorization: `Bearer ${text}.${signBytes(null, Buffer.from(text), key).toString('base64url')}`,
    };
  };
  const uriOf = (method: string, path: string) =>
    `${method} ${sandbox.url.replace('http://', '')}/coinbase/api/onramp/v1${path}`;
  const call = async (path: string, body: unknown, headers = bearer(uriOf('POST', path))): Promise<Loose> =>
    post(`/coinbase/api/onramp/v1${path}`, headers, body);
  const session = (body: object = {}) =>
    call('/token', {
      addresses: [{ address: EVM, blockchains: ['ethereum'] }],
      clientIp: '192.0.2.1',
      ...body,
    });
  const link = async (side: 'buy' | 'sell', parameters: Record<string, string> = {}): Promise<string> => {
    const usual =
      side === 'buy'
        ? { presetFiatAmount: '150', defaultPaymentMethod: 'CARD' }
        : { presetCryptoAmount: '0.1', defaultCashoutMethod: 'PAYPAL' };
    const all = { defaultAsset: 'ETH', defaultNetwork: 'ethereum', fiatCurrency: 'EUR', redirectUrl: BACK };
    const token = (await session()).body.token;
    const search = new URLSearchParams({
      sessionToken: token,
      partnerUserRef: 'ord-1',
      ...all,
      ...usual,
      ...parameters,
    });
    return `${sandbox.url}/coinbase/${side}?${search}`;
  };
  const look = async (side: string) => {
    const path = `/${side}/user/ord-1/transactions`;
    return (await ask(`/coinbase/api/onramp/v1${path}?pageSize=5`, bearer(uriOf('GET', path)))).body
      .transactions;
  };
  const said = (): Loose[] =>
    hooks.map(({ path, headers, text }) => {
      const [, t, v0, names = '', v1] =
        /^t=(\d+),v0=([0-9a-f]{64}),h=([a-z -]+),v1=([0-9a-f]{64})$/.exec(
          String(headers['x-hook0-signature']),
        ) ?? [];
      const values = names.split(' ').map(name => headers[name]);
      const secret = '11111111-2222-4333-8444-555555555555';
      expect(path).toBe('/hooks/coinbase');
      expect(v0).toBe(hmac(secret, `${t}.${text}`, 'hex'));
      expect(v1).toBe(hmac(secret, `${t}.${names}.${values.join('.')}.${text}`, 'hex'));
      return JSON.parse(text);
    });

  it('is asked for with a token for this request, and no other', async () => {
    const uri = uriOf('POST', '/token');
    const wrong = [
      {},
      bearer(uriOf('POST', '/buy/quote')),
      bearer(uri.replace('POST', 'GET')),
      bearer(uri, { exp: Math.floor(now / 1000) - 1 }),
      bearer(uri, { sub: 'x' }),
      { authorization: `${bearer(uri).authorization?.slice(0, -2)}AA` },
    ];
    for (const headers of wrong) expect((await call('/token', {}, headers)).status).toBe(401);
    expect((await session({ clientIp: '' })).status).toBe(400);
    expect((await session({ addresses: [] })).status).toBe(400);
    expect((await session()).status).toBe(200);
  });

  it('has a page that opens once, within five minutes', async () => {
    const url = await link('buy');
    expect((await open(url)).stage).toBe('email');
    expect((await open(url)).text).toContain('already used');
    const late = await link('buy');
    now += 5 * 60_000 + 1;
    expect((await open(late)).text).toContain('has expired');
    expect((await open(late.replace('sessionToken=', 'sessionToken=x'))).text).toContain('not valid');
    expect((await open(await link('sell', { redirectUrl: '' }))).status).toBe(400);
  });

  it('is bought by card and told of twice signed', async () => {
    const page = await signIn(await open(await link('buy')));
    expect(page.stage).toBe('card');
    await press(await press(page, 'card'), 'approve');
    await pass(STEP_MS * 2);
    await heard(4);
    const told = said();
    expect(told.map(({ eventType, status }) => `${eventType} ${status}`)).toEqual([
      'onramp.transaction.created ONRAMP_TRANSACTION_STATUS_CREATED',
      'onramp.transaction.updated ONRAMP_TRANSACTION_STATUS_AWAITING_AUTH',
      'onramp.transaction.updated ONRAMP_TRANSACTION_STATUS_IN_PROGRESS',
      'onramp.transaction.success ONRAMP_TRANSACTION_STATUS_SUCCESS',
    ]);
    expect(told[0]).toMatchObject({
      txHash: '0x',
      completedAt: '0001-01-01T00:00:00Z',
      partnerUserRef: 'ord-1',
    });
    expect(told[3].paymentTotal).toEqual({ value: '150.00', currency: 'EUR' });
    const [found] = await look('buy');
    expect(found).toMatchObject({ transaction_id: told[3].transactionId, tx_hash: told[3].txHash });
    expect(await look('sell')).toEqual([]);
  });

  it('is sold: the person goes back to send their coins', async () => {
    const page = await press(await signIn(await open(await link('sell'))), 'payout');
    expect(page.text).toContain('data-action="return"');
    const [waiting] = await look('sell');
    expect(waiting).toMatchObject({ status: 'TRANSACTION_STATUS_CREATED', sell_amount: { value: '0.1' } });
    expect(waiting.to_address).toMatch(/^0x[0-9a-f]{40}$/);
    await press(page, 'deposit');
    await pass(STEP_MS * 3);
    await heard(3);
    expect(said().map(({ status }) => status.replace('TRANSACTION_STATUS_', ''))).toEqual([
      'CREATED',
      'STARTED',
      'SUCCESS',
    ]);
  });
});

describe('an order with Paybis', () => {
  const { standin } = registry.find(
    ({ adapter }) => adapter.manifest.id === 'paybis',
  ) as (typeof registry)[0];
  const { privateKey = '', webhookKey = '', apiKey = '' } = standin.settings;
  /** "Signing request", without any of our own code: the digest of the body in hexadecimal is what is signed. */
  const signed = (text: string) =>
    createSign('sha512')
      .update(sha512(text))
      .sign(
        {
          key: createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' }),
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength: 64,
        },
        'base64',
      );
  const tell = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const signature = signed(JSON.stringify(body));
    const all = { authorization: apiKey, 'x-request-signature': signature, ...headers };
    const answer = await post(`/paybis/api${path}`, all, body);
    return { status: answer.status, body: answer.body as Loose };
  };
  const quoteFor = (side: 'buy' | 'sell', amount: string) => ({
    ...{ amount, directionChange: 'from' },
    ...(side === 'buy'
      ? { currencyCodeFrom: 'EUR', currencyCodeTo: 'ETH', paymentMethod: 'cloverleaf-credit-card' }
      : { currencyCodeFrom: 'ETH', currencyCodeTo: 'EUR', payoutMethod: 'cloverleaf-credit-card-out' }),
  });
  const request = async (side: 'buy' | 'sell', wish: object = {}) => {
    const { amount: _, ...asked } = quoteFor(side, '');
    const quote = await tell('/v2/quote', quoteFor(side, side === 'buy' ? '150' : '0.1'));
    return tell('/v3/request', {
      ...{ partnerUserId: 'u', userIp: '192.0.2.1', locale: 'en', partnerTransactionId: 'ord-1' },
      ...{ ...asked, flow: `${side}Crypto`, quoteId: quote.body.id },
      cryptoWalletAddress: { address: EVM, currencyCode: 'ETH' },
      ...wish,
    });
  };
  const linkTo = ({ body }: { body: Loose }, token = body.oneTimeToken) =>
    `${sandbox.url}/paybis/widget/?${new URLSearchParams({
      requestId: body.requestId,
      ...(token && { oneTimeToken: token }),
      successReturnURL: BACK,
    })}`;
  const said = (): Loose[] =>
    hooks.map(({ path, headers, text }) => {
      const key = createPublicKey({ key: Buffer.from(webhookKey, 'base64'), format: 'der', type: 'spki' });
      const options = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };
      const signature = String(headers['x-request-signature']);
      expect(path).toBe('/hooks/paybis');
      expect(createVerify('sha512').update(sha512(text)).verify(options, signature, 'base64')).toBe(true);
      return JSON.parse(text).data;
    });
  const list = (query: Record<string, string> = {}) => {
    const range = { from: '2026-01-01T00:00:00.000Z', to: new Date(now).toISOString(), ...query };
    return ask(`/paybis/api/v2/transactions?${new URLSearchParams(range)}`, { authorization: apiKey });
  };

  it('is for partners only, who sign what has a body', async () => {
    const body = quoteFor('buy', '150');
    expect((await tell('/v2/quote', body, { authorization: 'x' })).status).toBe(401);
    expect((await tell('/v2/quote', body, { 'x-request-signature': signed('else') })).status).toBe(403);
    expect((await tell('/v2/quote', body, { authorization: `Bearer ${apiKey}` })).status).toBe(200);
    expect((await request('buy', { userIp: '' })).body.message).toBe('userIp is required');
    expect((await list({ from: new Date(now).toISOString() })).status).toBe(400);
  });

  it('prices every method at once, and says why not', async () => {
    const { paymentMethod: _, ...all } = { paymentMethod: '', ...quoteFor('buy', '60') };
    const { body } = await tell('/v2/quote', { ...all, currencyCodeFrom: 'USD' });
    const ids = (rows: Loose[]) => rows.map(({ id, paymentMethod }) => id ?? paymentMethod);
    expect(ids(body.paymentMethods)).toContain('cloverleaf-trustly');
    expect(ids(body.paymentMethodErrors)).toContain('cloverleaf-swift-bank-transfer');
    const [{ amountFrom, amountToEquivalent, fees }] = body.paymentMethods;
    expect(Number(amountFrom.amount) - Number(fees.totalFee.amount)).toBeCloseTo(
      Number(amountToEquivalent.amount),
      6,
    );
  });

  it('has a token that lets in once, and a request that is gone on with', async () => {
    const made = await request('buy');
    const page = await open(linkTo(made));
    expect(page.stage).toBe('email');
    expect((await open(linkTo(made))).text).toContain('already used');
    expect(await open(linkTo(made, ''))).toMatchObject({ status: 200, url: page.url });
    expect((await open(linkTo(made, 'x'))).text).toContain('not valid');
    const late = await request('buy');
    now += 16 * 60_000;
    expect((await open(linkTo(late))).text).toContain('Quote is expired');
  });

  it('is bought by card, told of and listed', async () => {
    const made = await request('buy');
    let page = await press(await signIn(await open(linkTo(made))), 'identity');
    page = await press(await press(page, 'card'), 'approve');
    await pass(STEP_MS * 2);
    await heard(4);
    const told = said();
    expect(told.map(({ transaction }) => transaction.status)).toEqual([
      'started',
      'pending',
      'paid',
      'completed',
    ]);
    expect(told[3]).toMatchObject({
      ...{ requestId: made.body.requestId, partnerTransactionId: 'ord-1' },
      payout: { transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/), destinationWalletAddress: EVM },
      amountFrom: { amount: '150', currency: 'EUR' },
    });
    const { body } = await list();
    expect(body.data[0]).toMatchObject({
      status: 'completed',
      gateway: 'fiat_to_crypto',
      request: { id: made.body.requestId },
    });
    expect(body.meta.nextCursor).toBeNull();
    expect((await reload(page)).text).toContain(`href="${BACK}"`);
  });

  it('is sold, and tells where the coins go', async () => {
    const made = await request('sell');
    const path = `/paybis/api/v2/request/${made.body.requestId}/payment-details`;
    expect((await ask(path, { authorization: apiKey })).status).toBe(404);
    let page = await press(await signIn(await open(linkTo(made))), 'identity');
    page = await press(await press(page, 'document'), 'payout');
    expect((await ask(path, { authorization: apiKey })).body).toMatchObject({
      ...{ currencyCode: 'ETH', blockchain: 'ethereum', amount: '0.1' },
      depositAddress: expect.stringMatching(/^0x[0-9a-f]{40}$/),
    });
    await press(page, 'deposit-refund');
    await pass(STEP_MS * 3);
    await heard(4);
    expect(said().map(({ transaction }) => transaction.status)).toEqual([
      'started',
      'confirming',
      'paid',
      'rejected',
    ]);
  });
});

describe('an order with Topper', () => {
  const KEYS = {
    ours: 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDO+tS10uUBOccJKgXHtPPk6QE1Ibtuc9DVI5YRz01jOhRANCAARfE+iL2VPeqmLAh6vtiJRW/VishJMZqXhsHCtpqfuOzfvrutGZgUp8KAnGiSHmPteC3b1W8oV1johKSVm9cyGX',
    theirs: {
      kty: 'EC',
      crv: 'P-256',
      x: '4fDCoWWmSYh1r-d-rfkUnRNh3MOcki294i1QQhCTVdY',
      y: 'm4JMi7MeJtrizPbhoqgWp4KbuMZlDXCxlboszmlXfXM',
    },
  };
  const part = (text: string) => Buffer.from(text).toString('base64url');
  /** A bootstrap token as their document has it. */
  const token = (side: 'buy' | 'sell', claims: object = {}): string => {
    const sub = `00000000-0000-4000-8000-746f7070657${side === 'buy' ? 2 : 3}`;
    const usual =
      side === 'buy'
        ? {
            source: { amount: '150', asset: 'EUR', paymentMethod: { network: 'card' } },
            target: { address: EVM, asset: 'ETH', network: 'ethereum' },
          }
        : { source: { amount: '0.1', asset: 'ETH', network: 'ethereum' }, target: { asset: 'EUR' } };
    const about = { iat: Math.floor(now / 1000), jti: 'ord-1', sub, partner: { continueUrl: BACK } };
    const header = { typ: 'JWT', alg: 'ES256', kid: '00000000-0000-4000-8000-6b6579000001' };
    const text = `${part(JSON.stringify(header))}.${part(JSON.stringify({ ...about, ...usual, ...claims }))}`;
    const key = createPrivateKey({ key: Buffer.from(KEYS.ours, 'base64'), format: 'der', type: 'pkcs8' });
    const how = { key, dsaEncoding: 'ieee-p1363' as const };
    return `${text}.${signBytes('sha256', Buffer.from(text), how).toString('base64url')}`;
  };
  const link = (bt: string, more = '') => `${sandbox.url}/topper/app/?bt=${bt}${more}`;
  const simulate = async (bootstrapToken: string): Promise<Loose> =>
    post('/topper/api/simulations', {}, { bootstrapToken });
  const said = (): Loose[] =>
    hooks.map(({ path, headers, text }) => {
      const [, header, signature = ''] =
        /^([\w-]+)\.\.([\w-]+)$/.exec(String(headers['x-topper-jws-signature'])) ?? [];
      const key = createPublicKey({ key: KEYS.theirs, format: 'jwk' });
      const signed = Buffer.from(`${header}.${part(text)}`);
      expect(path).toBe('/hooks/topper');
      expect(
        verifyBytes(
          'sha256',
          signed,
          { key, dsaEncoding: 'ieee-p1363' },
          Buffer.from(signature, 'base64url'),
        ),
      ).toBe(true);
      return JSON.parse(text);
    });
  const events = () => said().map(({ name }) => name.replace('order:crypto-', ''));

  it('is simulated, dearer in another currency than one is billed in', async () => {
    const inGermany = (await simulate(token('buy', { simulation: { country: 'DE' } }))).body.simulation;
    const inChile = (await simulate(token('buy', { simulation: { country: 'CL' } }))).body.simulation;
    expect(inGermany.origin).toMatchObject({ amount: '150.00', asset: 'EUR' });
    const fees = inGermany.fees.reduce((sum: number, fee: Loose) => sum + Number(fee.amount), 0);
    expect((150 - fees) / Number(inGermany.origin.rate)).toBeCloseTo(Number(inGermany.destination.amount), 6);
    expect(Number(inChile.destination.amount)).toBeLessThan(Number(inGermany.destination.amount));
    expect((await simulate(`${token('buy').slice(0, -2)}AA`)).status).toBe(401);
    expect((await simulate(token('buy', { sub: 'x' }))).status).toBe(401);
    expect((await simulate(token('buy', { iat: Math.floor(now / 1000) - 181 }))).status).toBe(401);
    expect((await simulate(token('buy', { simulation: { country: 'KP' } }))).status).toBe(400);
  });

  it('has a page that a token opens once, within three minutes', async () => {
    const url = link(token('buy'));
    const page = await open(url);
    expect(page.stage).toBe('email');
    expect((await open(url)).text).toContain('already used');
    const cookie = (page.headers.get('cookie') ?? '').split(';')[0] ?? '';
    expect(await open(url, { headers: { cookie } })).toMatchObject({ status: 200, url: page.url });
    const late = link(token('buy', { jti: 'ord-2' }));
    now += 180_001;
    expect((await open(late)).status).toBe(401);
    const both = `${token('buy', { jti: 'ord-3' })};${token('sell', { jti: 'ord-4' })}`;
    expect((await open(link(both, '&active_flow=crypto_offramp'))).text).toContain('You sell');
  });

  it('is bought by card, told of at each change, and refunded', async () => {
    let page = await press(await signIn(await open(link(token('buy')))), 'identity');
    page = await press(page, 'card', { number: '4247 3188 5105 8116' });
    expect(page.stage).toBe('declined');
    page = await press(await press(page, 'retry'), 'card', { number: '5318 7730 1249 0080' });
    await pass(STEP_MS * 2);
    page = await press(await reload(page), 'refund');
    await heard(5);
    expect(events()).toEqual([
      'onramp:committed',
      'onramp:charged',
      'onramp:crypto-sent',
      'onramp:completed',
      'onramp:refund:completed',
    ]);
    const told = said();
    expect(told[3]).toMatchObject({ bootstrapTokenId: 'ord-1', data: { status: 'completed' } });
    expect(told[3].data.destination).toMatchObject({
      ...{ asset: 'ETH', network: 'ethereum', address: EVM },
      ledger: { txid: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
    expect(page.text).toContain(`href="${BACK}"`);
  });

  it.each([
    ['deposit', 'offramp:completed'],
    ['deposit-refund', 'offramp:refund:completed'],
  ])('is sold: %s', async (action, end) => {
    const page = await press(
      await press(await signIn(await open(link(token('sell')))), 'identity'),
      'payout',
    );
    await press(page, action);
    await pass(STEP_MS * 3);
    await heard(4);
    expect(events()).toEqual(['offramp:committed', 'offramp:funds-sent', 'offramp:funds-received', end]);
    expect(said()[0].data.origin.depositAddress.value).toMatch(/^0x[0-9a-f]{40}$/);
  });
});

/** What was said, as the provider's own documents have it proven. */
const texts = (path: string): string[] =>
  hooks.map(hook => {
    expect(hook.path).toBe(path);
    return hook.text;
  });

describe('an order with Stripe', () => {
  const AUTH = { authorization: `Basic ${btoa('sk_test_cloverleaf:')}` };
  const WISH = {
    ...{ source_currency: 'usd', source_amount: '100.00' },
    ...{ destination_currency: 'usdc', destination_network: 'base', lock_wallet_address: 'true' },
    ...{ 'wallet_addresses[base_network]': EVM, 'metadata[reference]': 'ord-1' },
  };
  const make = async (key: string, fields: Record<string, string>) => {
    const response = await fetch(`${sandbox.url}/stripe/api/v1/crypto/onramp_sessions`, {
      method: 'POST',
      headers: { ...AUTH, 'idempotency-key': key },
      body: new URLSearchParams(fields),
    });
    return { status: response.status, body: (await response.json()) as Loose };
  };

  it('is made once for a key, and never with other fields', async () => {
    const first = await make('k1', WISH);
    expect(first.status).toBe(200);
    expect((await make('k1', WISH)).body.id).toBe(first.body.id);
    expect((await make('k1', { ...WISH, source_amount: '101.00' })).body.error.type).toBe(
      'idempotency_error',
    );
    expect((await make('k2', { ...WISH, source_amount: '100.001' })).status).toBe(400);
    const listed = await ask('/stripe/api/v1/crypto/onramp_sessions?limit=100', AUTH);
    expect(listed.body.data.map(({ id }: Loose) => id)).toEqual([first.body.id]);
    expect((await ask(`/stripe/api/v1/crypto/onramp_sessions/${first.body.id}`)).status).toBe(401);
  });

  it('is paid on its page and told of by signed events, one for each change', async () => {
    const { body } = await make('k1', WISH);
    let page = await press(await signIn(await open(body.redirect_url)), 'identity');
    expect([page.stage, page.standing]).toEqual(['card', 'awaiting']);
    page = await press(await press(page, 'card'), 'approve');
    await pass(STEP_MS * 2);
    expect((await reload(page)).standing).toBe('completed');
    await heard(3);
    const said = hooks.map(({ path, headers, text }) => {
      const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['stripe-signature'])) ?? [];
      expect([path, v1]).toEqual(['/hooks/stripe', hmac('whsec_cloverleaf', `${t}.${text}`, 'hex')]);
      return JSON.parse(text).data.object;
    });
    expect(said.map(({ status }) => status)).toEqual([
      'requires_payment',
      'fulfillment_processing',
      'fulfillment_complete',
    ]);
    const details = said[2].transaction_details;
    expect(details.transaction_id).toMatch(/^0x[0-9a-f]{64}$/);
    const asked = new URLSearchParams({ source_amount: '100.00', 'destination_currencies[]': 'usdc' });
    const quoted = await ask(
      `/stripe/api/v1/crypto/onramp/quotes?${asked}&destination_networks[]=base`,
      AUTH,
    );
    const [line] = quoted.body.destination_network_quotes.base_network;
    expect(line.fees.transaction_fee_monetary).toBe(details.fees.transaction_fee_amount);
    expect(line.source_total_amount).toBe(
      (100 + Number(details.fees.network_fee_amount) + Number(details.fees.transaction_fee_amount)).toFixed(
        2,
      ),
    );
    expect((await open(body.redirect_url)).url).toBe(page.url);
  });

  it('that was left says nothing, and is where it was', async () => {
    const { body } = await make('k1', WISH);
    await press(await open(body.redirect_url), 'cancel');
    await heard(0);
    const found = await ask(`/stripe/api/v1/crypto/onramp_sessions/${body.id}`, AUTH);
    expect(found.body.status).toBe('initialized');
  });
});

describe('an order with Alchemy Pay', () => {
  const SECRET = 'standin-alchemypay-secret';
  const raw = (fields: Record<string, string>) =>
    Object.keys(fields)
      .sort()
      .filter(name => fields[name])
      .map(name => `${name}=${fields[name]}`)
      .join('&');
  const link = (parameters: Record<string, string> = {}, at = now) => {
    const all: Record<string, string> = {
      ...{ appId: 'cloverleafStandin', timestamp: String(at), merchantOrderNo: 'ord-1', redirectUrl: BACK },
      ...{ crypto: 'ETH', network: 'ETH', fiat: 'EUR', fiatAmount: '150', address: EVM, ...parameters },
    };
    const path = parameters.type === 'sell' ? '/index/rampPageSell' : '/index/rampPageBuy';
    const sign = hmac(SECRET, `${at}GET${path}?${raw(all)}`, 'base64');
    return `${sandbox.url}/alchemypay/page?${new URLSearchParams({ ...all, sign })}`;
  };
  const said = () =>
    hooks.map(({ path, headers, text }) => {
      const { signature: _old, newSignature, ...rest } = JSON.parse(text) as Record<string, string>;
      const sorted = Object.fromEntries(
        Object.keys(rest)
          .sort()
          .filter(name => rest[name])
          .map(name => [name, rest[name]]),
      );
      const signed = `${headers.timestamp}POST${path}${JSON.stringify(sorted)}`;
      expect([path, newSignature]).toEqual(['/hooks/alchemypay', hmac(SECRET, signed, 'base64')]);
      return rest;
    });
  const look = (side: string) => {
    const path = `/open/api/v4/merchant/query/trade?merchantOrderNo=ord-1&side=${side}`;
    const sign = hmac(SECRET, `${now}GET${path}`, 'base64');
    return ask(`/alchemypay/api${path}`, { appid: 'cloverleafStandin', timestamp: String(now), sign });
  };

  it('is bought, and told of when paid and when done', async () => {
    let page = await press(await signIn(await open(link())), 'identity');
    expect((await look('BUY')).body.data.status).toBe('PENDING');
    page = await press(page, 'card', { number: '5555 5555 5555 4444' });
    await pass(STEP_MS * 2);
    page = await reload(page);
    expect(page.standing).toBe('completed');
    await heard(2);
    expect(said().map(({ status }) => status)).toEqual(['PAY_SUCCESS', 'FINISHED']);
    expect(said()[1]).toMatchObject({ merchantOrderNo: 'ord-1', amount: '150.00', address: EVM });
    expect((await look('BUY')).body.data).toMatchObject({ status: 'FINISHED', txHash: said()[1]?.txHash });
    expect((await look('SELL')).body).toMatchObject({ success: false, returnCode: '10010' });
    await press(page, 'refund');
    expect((await look('BUY')).body.data.status).toBe('REFUNDED');
    await heard(2);
  });

  it('opens by links that are signed as they stand, for five minutes', async () => {
    for (const wrong of [
      link().replace('fiatAmount=150', 'fiatAmount=15'),
      link().replace('ord-1', 'ord-2'),
      `${link()}&memo=1`,
      link({}, now - 6 * 60_000),
    ]) {
      expect((await open(wrong)).status).toBe(403);
    }
    const page = await open(link());
    now += 1_000;
    expect((await open(link())).url).toBe(page.url);
  });

  it('is sold in numbers', async () => {
    const sell = { type: 'sell', cryptoAmount: '0.1', country: 'DE', fiatAmount: '', address: '' };
    let page = await press(await press(await signIn(await open(link(sell))), 'identity'), 'document');
    page = await press(await press(page, 'payout'), 'deposit');
    await pass(STEP_MS * 3);
    await heard(4);
    expect(said().map(({ status }) => status)).toEqual(['1', '2', '3', '4']);
    expect(said()[0]?.address).toMatch(/^0x[0-9a-f]{40}$/);
  });

  it('is refused without a signature, as a success that failed', async () => {
    const { status, body } = await ask('/alchemypay/api/open/api/v4/merchant/crypto/list');
    expect([status, body.success, body.returnCode]).toEqual([200, false, '81003']);
  });
});

describe('an order with Swapped', () => {
  const KEY = 'sk_test_cloverleaf';
  const link = (host: 'buy' | 'sell') => {
    const own: Record<string, string> =
      host === 'buy'
        ? { currencyCode: 'ETH', walletAddress: EVM, method: 'creditcard', baseCurrencyCode: 'EUR' }
        : {
            method: 'bank-transfer',
            userSendsFunds: 'true',
            cryptoCurrencyCode: 'ETH',
            fiatCurrencyCode: 'EUR',
          };
    const sum = host === 'buy' ? { baseCurrencyAmount: '150' } : { cryptoCurrencyAmount: '0.1' };
    const all = {
      apiKey: 'pk_test_cloverleaf',
      ...own,
      ...sum,
      externalCustomerId: 'ord-1',
      redirectUrl: BACK,
    };
    const search = `?${new URLSearchParams(all)}`;
    return `${sandbox.url}/swapped/${host}${search}&signature=${encodeURIComponent(hmac(KEY, search, 'base64'))}`;
  };
  const said = () =>
    hooks.map(({ path, headers, text }) => {
      expect([path, headers.signature]).toEqual(['/hooks/swapped', hmac(KEY, text, 'base64')]);
      return JSON.parse(text) as Loose;
    });
  const list = () => {
    const asked = {
      apiKey: 'pk_test_cloverleaf',
      timestamp: 'x',
      limit: 10,
      start_date: '2026-01-01T00:00:00Z',
    };
    const signature = hmac(KEY, JSON.stringify(asked), 'base64');
    return post('/swapped/api/api/v1/merchant/get_transactions', {}, { ...asked, signature });
  };

  it('is bought; the list has a hash where the webhook has a word', async () => {
    const page = await press(await signIn(await open(link('buy'))), 'identity');
    await press(page, 'card', { number: '5555 5555 5555 4444' });
    await pass(STEP_MS * 2);
    await heard(3);
    expect(said().map(order => order.order_status)).toEqual([
      'payment_pending',
      'order_completed',
      'order_broadcasted',
    ]);
    expect(said()[2]).toMatchObject({ external_customer_id: 'ord-1', order_amount_eur_plus_fees: '150' });
    const { body } = await list();
    expect((body.data as Loose).orders).toMatchObject([
      { order_status: 'order_completed', transaction_id: said()[2].transaction_id },
    ]);
  });

  it('opens by signed links only', async () => {
    expect((await open(link('buy').replace(EVM, EVM.replace('0x9', '0x8')))).status).toBe(403);
    expect((await open(link('buy').replace(/&signature=.*/, ''))).status).toBe(403);
  });

  it('is sold, and a repeated webhook may be answered by 409', async () => {
    answers = [409, 409, 409];
    let page = await press(await press(await signIn(await open(link('sell'))), 'identity'), 'document');
    page = await press(await press(page, 'payout'), 'deposit');
    await pass(STEP_MS * 3);
    await heard(3);
    expect(said().map(order => [order.order_type, order.order_status])).toEqual([
      ['sell', 'payment_pending'],
      ['sell', 'payout_pending'],
      ['sell', 'order_completed'],
    ]);
    await pass(100_000);
    await heard(3);
  });
});

describe('an order with BTC Direct', () => {
  const login = async () => {
    const body = { username: 'standin-partner', password: 'standin-btcdirect-password' };
    return String(((await post('/btcdirect/api/api/v1/authenticate', {}, body)).body as Loose).token);
  };
  const checkout = async (token: string) => {
    const wish = {
      ...{ baseCurrency: 'BTC', quoteCurrency: 'EUR', paymentMethod: 'iDeal', quoteCurrencyAmount: 150 },
      ...{ walletAddress: WALLET, returnUrl: BACK, partnerOrderIdentifier: 'ord-1' },
    };
    return post('/btcdirect/api/api/v2/buy/checkout', { authorization: `Bearer ${token}` }, wish);
  };

  it('is paid by bank and told of without anything that proves it', async () => {
    const token = await login();
    const { body } = await checkout(token);
    const page = await press(await signIn(await open((body as Loose).checkoutUrl)), 'identity');
    expect(page.stage).toBe('bank');
    await press(page, 'sent');
    await pass(STEP_MS * 3);
    await heard(4);
    expect(texts('/hooks/btcdirect').map(text => JSON.parse(text).event)).toEqual([
      'order_created',
      'order_paid',
      'order_sent',
      'order_completed',
    ]);
    const headers = { authorization: `Bearer ${token}` };
    const found = await ask('/btcdirect/api/api/v2/buy/orders/ord-1', headers);
    expect(found.body).toMatchObject({ status: 'completed', partnerOrderIdentifier: 'ord-1' });
    expect((await ask('/btcdirect/api/api/v2/buy/orders/other', headers)).status).toBe(404);
  });

  it('needs a token, which is good for an hour', async () => {
    expect((await checkout('other')).status).toBe(401);
    const token = await login();
    now += 3_600_000;
    const { status, body } = await checkout(token);
    expect([status, (body as Loose).errors.ER801.message]).toEqual([400, 'Authorization token has expired.']);
  });
});

describe('an order with Guardarian', () => {
  const { standin } = registry.find(
    ({ adapter }) => adapter.manifest.id === 'guardarian',
  ) as (typeof registry)[0];
  const { apiKey = '', privateKey = '' } = standin.settings;
  const KEY = { 'x-api-key': apiKey };
  const make = async (wish: object = {}, headers: Record<string, string> = {}) => {
    const body = {
      ...{
        from_amount: 150,
        from_currency: 'EUR',
        to_currency: 'ETH',
        from_network: 'EUR',
        to_network: 'ETH',
      },
      external_partner_link_id: 'ord-1',
      payout_info: { payout_address: EVM },
      deposit: { payment_category: 'VISA_MC' },
      redirects: { successful: BACK },
      customer_country: 'DE',
      ...wish,
    };
    const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
    const signature = createSign('sha256').update(JSON.stringify(body)).sign(key, 'base64');
    const all = { ...KEY, 'partner-signature': signature, ...headers };
    const answer = await post('/guardarian/api/v1/transaction', all, body);
    return { status: answer.status, body: answer.body as Loose };
  };
  const look = async (id: string) => (await ask(`/guardarian/api/v1/transaction/${id}`, KEY)).body;
  const said = (): Loose[] =>
    hooks.map(({ path, text }) => {
      expect(path).toBe('/hooks/guardarian');
      return JSON.parse(text).payload;
    });

  it('is made for partners only, who sign it', async () => {
    expect((await make({}, { 'x-api-key': 'x' })).body.code).toBe('INVALID_TOKEN');
    expect((await make({}, { 'partner-signature': 'x' })).body.code).toBe('FORBIDDEN');
    const { status, body } = await make({ from_amount: 5 });
    expect([status, body.message]).toEqual([400, 'Minimum amount is 20 EUR']);
    expect((await make({ customer_country: 'US' })).body.message).toContain('Country US');
    const range = await ask('/guardarian/api/v1/market-info/min-max-range/eur-eur_btc-btc');
    expect(range.body).toMatchObject({ min: '20', max: '15000' });
    expect((await ask('/guardarian/api/v1/transaction/1', KEY)).status).toBe(404);
  });

  it('is bought by card: the beginning and the end are told, the rest is looked up', async () => {
    const { id, redirect_url, status } = (await make()).body;
    expect(status).toBe('new');
    let page = await press(await signIn(await open(redirect_url)), 'identity');
    expect((await look(id)).status).toBe('waiting_for_deposit');
    page = await press(await press(page, 'card'), 'approve');
    expect(await look(id)).toMatchObject({ status: 'exchanging', from_amount: '150' });
    await pass(STEP_MS);
    expect((await look(id)).status).toBe('sending');
    await pass(STEP_MS);
    expect(await look(id)).toMatchObject({
      ...{ status: 'finished', external_partner_link_id: 'ord-1', payout: { address: EVM } },
      output_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    page = await press(await reload(page), 'refund');
    expect(page.standing).toBe('refunded');
    await heard(3);
    expect(said().map(one => one.status)).toEqual(['new', 'finished', 'refunded']);
    const again = await open(`${sandbox.url}/guardarian/pages/checkout?tid=${id}`);
    expect(again.url).toBe(page.url);
  });

  it('is sold, and fails when the payout does', async () => {
    const { id, redirect_url } = (
      await make({
        ...{ from_currency: 'ETH', from_network: 'ETH', to_currency: 'EUR', to_network: 'EUR' },
        ...{ from_amount: 0.1, deposit: undefined, payout_info: undefined },
      })
    ).body;
    const page = await press(await press(await signIn(await open(redirect_url)), 'identity'), 'payout');
    await press(page, 'deposit-refund');
    await pass(STEP_MS * 3);
    await heard(2);
    expect(said().map(one => one.status)).toEqual(['new', 'refunded']);
    expect((await look(id)).errors[0].reason).toBe('The payout was rejected by the bank');
  });

  it('expires when its page is never opened', async () => {
    const { id, redirect_url } = (await make()).body;
    await heard(1);
    await pass(LIFE_MS + 1);
    expect((await look(id)).status).toBe('expired');
    expect((await open(redirect_url)).text).toContain('has expired');
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
