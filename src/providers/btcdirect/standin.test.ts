/** BTC Direct's stand-in, driven over HTTP as a browser and a partner would. */
import { describe, expect, it } from 'vitest';
import { BACK, type Loose, setStage, WALLET } from '../../../test/stage.ts';
import { STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, post, press, signIn, stage, texts } = setStage();

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
    expect((await ask('/btcdirect/api/api/v2/buy/orders/other', headers)).status).toBe(400);
  });

  it('needs a token, which is good for an hour', async () => {
    expect((await checkout('other')).status).toBe(401);
    const token = await login();
    stage.now += 3_600_000;
    const { status, body } = await checkout(token);
    expect([status, (body as Loose).errors.ER801.message]).toEqual([400, 'Authorization token has expired.']);
  });
});
