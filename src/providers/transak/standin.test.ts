/** Transak's stand-in, driven over HTTP as a browser and a partner would. */
import { describe, expect, it } from 'vitest';
import { EVM, hmac, type Loose, setStage } from '../../../test/stage.ts';
import { TRANSAK_KEY, transakSession, transakToken } from '../../../test/stage-links.ts';
import { STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, post, press, reload, signIn, stage } = setStage();

async function transakLink(parameters: Record<string, unknown> = {}): Promise<string> {
  const { body } = await transakSession(await transakToken(), parameters);
  return body.data.widgetUrl ?? '';
}

function transakSaid(token: string): Loose[] {
  return stage.hooks.map(({ path, text }) => {
    const [header = '', payload = '', signature] = (JSON.parse(text).data as string).split('.');
    expect(path).toBe('/hooks/transak');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256' });
    expect(signature).toBe(hmac(token, `${header}.${payload}`, 'base64url'));
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  });
}

describe('an order with Transak', () => {
  it('needs the token of the moment, which every refresh replaces', async () => {
    const first = await transakToken();
    expect((await transakSession(first)).status).toBe(200);
    const second = await transakToken();
    expect(second).not.toBe(first);
    expect((await transakSession(first)).status).toBe(401);
    expect((await transakSession(second)).status).toBe(200);
    stage.now += 7 * 24 * 3_600_000;
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
    stage.now += 5 * 60_000 + 1;
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
