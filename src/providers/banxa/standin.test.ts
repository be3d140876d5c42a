/** Banxa's stand-in, driven over HTTP as a browser and a partner would. */
import { describe, expect, it } from 'vitest';
import { BACK, EVM, hmac, type Loose, setStage } from '../../../test/stage.ts';
import { LIFE_MS, STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, post, press, reload, signIn, stage } = setStage();

describe('an order with Banxa', () => {
  const KEY = { 'x-api-key': 'banxa-sandbox-key' };
  const make = async (wish: object = {}, headers: Record<string, string> = KEY) => {
    const usual = { fiatAmount: '150', paymentMethodId: 'debit-credit-card' };
    const about = { crypto: 'ETH', blockchain: 'ETH', fiat: 'EUR', walletAddress: EVM, redirectUrl: BACK };
    const names = { externalCustomerId: 'ord-1', externalOrderId: 'ord-1' };
    const { status, body } = await post('/banxa/api/cloverleaf/v2/buy', headers, {
      ...about,
      ...names,
      ...usual,
      ...wish,
    });
    return { status, body: body as Loose };
  };
  const said = (): Loose[] =>
    stage.hooks.map(({ path, headers, text }) => {
      const [, signature, nonce] =
        /^Bearer banxa-sandbox-key:([0-9a-f]{64}):(\d+)$/.exec(String(headers.authorization)) ?? [];
      expect(path).toBe('/hooks/banxa');
      expect(signature).toBe(hmac('banxa-sandbox-webhook-secret', `POST\n${path}\n${nonce}\n${text}`, 'hex'));
      return JSON.parse(text);
    });

  it('is made for partners only, and with all that it needs', async () => {
    expect((await make({}, { 'x-api-key': 'x' })).status).toBe(401);
    expect((await make({ walletAddress: '' })).body.errors[0].field).toBe('walletAddress');
    const { status, body } = await make({ fiatAmount: '5' });
    expect([status, body.errors[0].message]).toEqual([422, 'The minimum amount is 20 EUR']);
    expect((await ask('/banxa/api/other/v2/countries', KEY)).status).toBe(403);
  });

  it('has a page that opens once, within a minute', async () => {
    const { checkoutUrl } = (await make()).body;
    const page = await open(checkoutUrl);
    expect(page.stage).toBe('email');
    expect((await open(checkoutUrl)).text).toContain('already used');
    const cookie = (page.headers.get('cookie') ?? '').split(';')[0] ?? '';
    expect(await open(checkoutUrl, { headers: { cookie } })).toMatchObject({ status: 200, url: page.url });
    const late = (await make()).body;
    stage.now += 60_001;
    expect((await open(late.checkoutUrl)).text).toContain('has expired');
    expect((await open(`${late.checkoutUrl}x`)).text).toContain('not valid');
    const path = `/banxa/api/cloverleaf/v2/orders/${late.id}`;
    expect((await ask(path, KEY)).body.status).toBe('pendingPayment');
    await pass(LIFE_MS);
    expect((await ask(path, KEY)).body.status).toBe('expired');
  });

  it('is bought by card, told of at each change, and refunded', async () => {
    const { id, checkoutUrl } = (await make()).body;
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
});
