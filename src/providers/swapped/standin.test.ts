/** Swapped's stand-in, driven over HTTP as a browser and a partner would. */
import { describe, expect, it } from 'vitest';
import { BACK, EVM, hmac, type Loose, setStage } from '../../../test/stage.ts';
import { STEP_MS } from '../hosted-moves.ts';

const { heard, open, pass, post, press, signIn, stage } = setStage();

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
    return `${stage.sandbox.url}/swapped/${host}${search}&signature=${encodeURIComponent(hmac(KEY, search, 'base64'))}`;
  };
  const said = () =>
    stage.hooks.map(({ path, headers, text }) => {
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
    stage.answers = [409, 409, 409];
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
