/** Openramp: its schema and words, and its stand-in gone through step by step, by hand. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { CODE, JANE, NOON, PHONE, pass, sandbox, setRamp } from '../../../test/openramp-alone.ts';
import { sign } from '../../engine/sign.ts';
import { currencies } from '../../main.ts';
import { STEP_MS } from '../hosted-moves.ts';
import { writeSchema } from './schema.ts';
import { SETTINGS } from './standin-answers.ts';
import { TRANSFER_MS } from './standin-steps.ts';
import { METHODS, NETWORKS } from './words.ts';

setRamp();

// biome-ignore lint/suspicious/noExplicitAny: tests look into payloads freely
type Loose = any;

async function call(method: string, path: string, sent?: object | Buffer, type = 'application/json') {
  const isFile = Buffer.isBuffer(sent);
  const response = await fetch(`${sandbox.url}/openramp/api${path}`, {
    method,
    headers: {
      authorization: `Bearer ${SETTINGS.apiKey}`,
      'openramp-version': '1',
      ...(sent && { 'content-type': type }),
    },
    ...(sent && { body: isFile ? (sent as Buffer) : JSON.stringify(sent) }),
  });
  return { status: response.status, body: (await response.json()) as Loose };
}

let serial = 0;

function orderOf(amount: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    reference: `ref-${++serial}`,
    ...{ side: 'buy', asset: 'btc_bitcoin', network: 'bitcoin', fiat: 'EUR', method: 'creditcard' },
    ...{ country: 'DE', amount, email: 'jane@example.com', steps: true, theme: { dark: false } },
    wallet: { address: 'bc1qmdswsavc80xlfz8gs7s40pg7g6znwragpkjufy' },
    returnUrl: 'https://shop.example/back/1',
    webhookUrl: 'https://shop.example/hooks/openramp',
    ...more,
  };
}

async function begin(amount: string, more: Record<string, unknown> = {}): Promise<Loose> {
  const { status, body } = await call('POST', '/orders', orderOf(amount, more));
  expect(status).toBe(201);
  return body;
}

async function answer({ id, step }: Loose, answers: Record<string, unknown>): Promise<Loose> {
  const { status, body } = await call('POST', `/orders/${id}/steps/${step.key}`, { answers });
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2, 3]);

async function upload(id: string, key: string, bytes = PNG, type = 'image/png') {
  return call('PUT', `/orders/${id}/steps/${key}`, bytes, type);
}

/** Presses a button on a page of a step, as a browser would; where it leads. */
async function press(url: string, move: string, fields: Record<string, string> = {}) {
  const response = await fetch(`${url}/${move}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });
  return response.headers.get('location') ?? '';
}

const card = (number: string) => ({ number, expiry: '12/30', cvc: '123' });

describe('the protocol', () => {
  it('is written out to the docs as it is: cloverleaf openramp schema > docs/openramp.schema.json', () => {
    const path = resolve(import.meta.dirname, '../../../docs/openramp.schema.json');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(writeSchema()));
  });

  it('has a word for every network and every method that is not a provider’s own', () => {
    expect([...currencies.networks.keys()].filter(id => !(id in NETWORKS))).toEqual([]);
    const left = [...currencies.methods.keys()].filter(id => !(id in METHODS));
    expect(left.filter(id => !/^\w+balance$/.test(id))).toEqual([]);
  });

  it('signs webhooks as the library of Standard Webhooks does', () => {
    const at = new Date(NOON);
    const body = '{"type":"order.updated"}';
    const theirs = new Webhook(SETTINGS.webhookSecret).sign('msg_1', at, body);
    const ours = sign('standard-webhooks', SETTINGS.webhookSecret, `msg_1.${NOON / 1000}.${body}`);
    expect(`v1,${ours}`).toBe(theirs);
  });
});

describe('a small amount by card', () => {
  it('asks for the code, the card in a frame and 3-D Secure in a window, and leads back after each', async () => {
    let order = await begin('100');
    expect(order.step).toMatchObject({ type: 'form', key: 'emailCode', progress: '10' });
    expect(order.step.data[0]).toMatchObject({
      name: 'verifyEmailCode',
      hint: expect.stringMatching(/123456/),
    });
    order = await answer(order, { verifyEmailCode: '000000' });
    expect([order.step.key, order.wrong.field]).toEqual(['emailCode', 'verifyEmailCode']);
    order = await answer(order, CODE);
    expect([order.status, order.step.type, order.step.key]).toEqual(['pending', 'iframe', 'card']);
    const { url } = order.step;
    expect(url.startsWith(`${sandbox.url}/openramp/pages/step/`)).toBe(true);
    expect(await (await fetch(url)).text()).toContain('data-stage="card"');
    expect(await press(url, 'card', card('4000000000000002'))).toMatch(/\/step\//);
    expect(await (await fetch(url)).text()).toContain('The card was declined by its bank');
    await press(url, 'retry');
    expect(await press(url, 'card', card('4242424242424242'))).toBe('https://shop.example/back/1');
    order = (await call('GET', `/orders/${order.id}`)).body;
    expect([order.step.type, order.step.key]).toEqual(['redirect', 'secure']);
    expect(await press(order.step.url, 'approve', { code: '1234' })).toBe('https://shop.example/back/1');
    order = (await call('GET', `/orders/${order.id}`)).body;
    expect([order.status, order.step.type]).toEqual(['paid', 'wait']);
    pass(STEP_MS * 2);
    order = (await call('GET', `/orders?reference=${order.reference}`)).body;
    expect([order.status, order.step.type, order.paid]).toEqual(['completed', 'completed', '100']);
    expect(order.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('takes a code again that was answered, and no step before its turn', async () => {
    const first = await begin('100');
    await answer(first, CODE);
    const again = await answer(first, { verifyEmailCode: 'nonsense' });
    expect([again.step.key, again.wrong]).toEqual(['card', undefined]);
    const other = await begin('200');
    expect(
      (await call('POST', `/orders/${other.id}/steps/identity`, { answers: JANE })).body.error.code,
    ).toBe('conflict');
    expect((await call('POST', `/orders/${other.id}/steps/dance`, { answers: {} })).body.error.code).toBe(
      'unknown_step',
    );
  });

  it('fails after five wrong codes, and expires when told so; both say why', async () => {
    let order = await begin('100');
    for (let tries = 0; tries < 4; tries++) order = await answer(order, { verifyEmailCode: '111111' });
    order = await answer(order, { verifyEmailCode: '111111' });
    expect([order.status, order.reason, order.step]).toEqual([
      'failed',
      'The code was wrong too often',
      undefined,
    ]);
    order = await answer(await begin('100'), { verifyEmailCode: '999999' });
    expect([order.status, order.reason]).toEqual(['expired', 'The code was not entered in time']);
  });

  it('asks for the e-mail address where none is known', async () => {
    let order = await begin('100', { email: undefined });
    expect(order.step.data[0].name).toBe('email');
    order = await answer(order, { email: 'nobody' });
    expect(order.wrong.field).toBe('email');
    order = await answer(order, { email: 'jane@example.com' });
    expect(order.step.key).toBe('emailCode');
  });
});

describe('a larger amount by bank', () => {
  const bank = { method: 'sepabanktransfer' };

  it('asks who the person is, checks every field, and gives an account with a right checksum', async () => {
    let order = await answer(await begin('500', bank), CODE);
    expect(order.step.data.map(({ name }: Loose) => name)).toEqual(Object.keys(JANE));
    for (const [field, value] of [
      ['firstName', ''],
      ['dateOfBirth', '2020-01-01'],
      ['country', 'XX'],
      ['phoneNumber', 'many'],
      ['termsOfUse', undefined],
    ] as const) {
      order = await answer(order, { ...JANE, [field]: value });
      expect([order.step.key, order.wrong.field]).toEqual(['identity', field]);
    }
    order = await answer(order, JANE);
    expect(order.step.key).toBe('phoneCode');
    order = await answer(order, PHONE);
    expect(order.step).toMatchObject({ type: 'requestBankTransaction', reference: expect.any(String) });
    expect(order.bank.depositBankAccount).toEqual(order.step.depositBankAccount);
    expect(isIban(order.step.depositBankAccount.iban)).toBe(true);
    pass(TRANSFER_MS + STEP_MS * 4);
    const done = (await call('GET', `/orders/${order.id}`)).body;
    expect([done.status, done.step.type, done.bank]).toEqual(['completed', 'completed', undefined]);
  });

  it('asks for the state of those who live in the United States', async () => {
    const first = await answer(await begin('500', bank), CODE);
    let order = await answer(first, { ...JANE, country: 'US' });
    expect(order.step.data[0].name).toBe('state');
    order = await answer(order, { state: 'XX' });
    expect(order.wrong.field).toBe('state');
    order = await answer(order, { state: 'CA' });
    expect(order.step.key).toBe('phoneCode');
    const american = await answer(await begin('500', { country: 'US', fiat: 'USD' }), CODE);
    expect(american.step.data.map(({ name }: Loose) => name)).toContain('state');
    expect((await answer(american, { ...JANE, country: 'US', state: 'NY' })).step.key).toBe('phoneCode');
  });

  it('refuses somebody, and says why', async () => {
    const order = await answer(await begin('500', bank), CODE);
    const { status, reason } = await answer(order, { ...JANE, lastName: 'Deny' });
    expect([status, reason]).toEqual(['failed', 'Identity verification was rejected']);
  });
});

describe('a large amount', () => {
  async function atDocuments(): Promise<Loose> {
    const order = await answer(await begin('1500'), CODE);
    return answer(await answer(order, JANE), PHONE);
  }

  it.each([
    ['Passport', ['passport', 'selfie']],
    ['Driving licence', ['licenceFront', 'licenceBack', 'selfie']],
    ['Identity card', ['cardFront', 'cardBack', 'selfie']],
  ])('takes a document and a selfie: %s', async (title, keys) => {
    const order = await atDocuments();
    expect(order.step.type).toBe('pickOne');
    const picked = order.step.options.find((option: Loose) => option.title === title).nextStep;
    expect([picked.type, picked.key]).toEqual(['file', keys[0]]);
    for (const [at, key] of keys.entries()) {
      const { status, body } = await upload(order.id, key);
      expect([status, body.step.key]).toEqual([200, keys[at + 1] ?? 'card']);
      const again = await upload(order.id, key);
      expect(again.body.step).toEqual(body.step);
    }
  });

  it('refuses a file of another type, one that is not what it says, and one that is not sharp', async () => {
    const { id } = await atDocuments();
    expect((await upload(id, 'passport', PNG, 'image/gif')).status).toBe(415);
    expect((await upload(id, 'passport', Buffer.from('hello'))).body.wrong.message).toMatch(
      /not what it says/,
    );
    const blurry = Buffer.concat([PNG, Buffer.from('blurry')]);
    expect((await upload(id, 'passport', blurry)).body).toMatchObject({
      step: { type: 'pickOne' },
      wrong: { message: expect.stringMatching(/not sharp enough/) },
    });
    expect((await upload(id, 'selfie')).body.error.code).toBe('conflict');
  });
});

describe('orders', () => {
  it('are the same for the same reference, and other terms are refused', async () => {
    const body = orderOf('100');
    const first = await call('POST', '/orders', body);
    const again = await call('POST', '/orders', { ...body, returnUrl: 'https://shop.example/other' });
    expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
    const other = await call('POST', '/orders', { ...body, amount: '101' });
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict']);
  });

  it('to sell have a page and no steps, and say where the coins go', async () => {
    const terms = { side: 'sell', method: 'sepabanktransfer', wallet: undefined };
    const order = await begin('0.01', terms);
    expect(order.step).toBeUndefined();
    const opened = await fetch(order.page, { redirect: 'manual' });
    const flow = new URL(opened.headers.get('location') ?? '', sandbox.url).href;
    await press(flow, 'email', { email: 'jane@example.com' });
    await press(flow, 'code', { code: '123456' });
    await press(flow, 'identity', {
      ...{ first: 'Jane', last: 'Doe', birthdate: '1998-01-01', street: 'x', city: 'x', postcode: 'x' },
      country: 'DE',
    });
    await press(flow, 'payout', { account: 'DE89370400440532013000' });
    const waiting = (await call('GET', `/orders/${order.id}`)).body;
    expect([waiting.status, waiting.deposit.amount]).toEqual(['pending', '0.01']);
    expect(waiting.deposit.address).toMatch(/^bc1q/);
  });

  it('ask for as much as their quotes say, tier by tier', async () => {
    const { body: catalog } = await call('GET', '/catalog');
    const [first, second] = catalog.asks;
    for (const [amount, asks] of [
      [first.upTo.EUR, ['email']],
      [`${first.upTo.EUR}.01`, second.asks],
      [`${second.upTo.EUR}.01`, catalog.asks[2].asks],
    ]) {
      const { reference: _, wallet: __, email: ___, steps: ____, ...terms } = orderOf(amount);
      expect((await call('POST', '/quotes', terms)).body.asks).toEqual(asks);
    }
  });
});

function isIban(text: string): boolean {
  const digits = [...(text.slice(4) + text.slice(0, 4))].map(sign => Number.parseInt(sign, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}
