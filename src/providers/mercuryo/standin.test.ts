/** Mercuryo's stand-in, driven over HTTP as a browser and a partner would. */
import { describe, expect, it } from 'vitest';
import { BACK, EVM, hmac, type Loose, setStage, sha512 } from '../../../test/stage.ts';
import { STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, press, reload, signIn, stage } = setStage();

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
  return `${stage.sandbox.url}/mercuryo/widget/?${new URLSearchParams(all)}`;
}

function mercuryoSaid(): Loose[] {
  return stage.hooks.map(({ path, headers, text }) => {
    expect(path).toBe('/hooks/mercuryo');
    expect(headers['x-signature']).toBe(hmac('standin-mercuryo-sign-key', text, 'hex'));
    return JSON.parse(text).data;
  });
}

const operations = () => mercuryoSaid().map(({ type, status }) => `${type}.${status}`);

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
    stage.answers = [204, 500];
    await press(await open(mercuryoLink()), 'cancel');
    await heard(1);
    await pass(1_000);
    await heard(2);
    await pass(4_000);
    await heard(3);
    expect(new Set(stage.hooks.map(({ text }) => text)).size).toBe(1);
    await pass(100_000);
    await heard(3);
  });
});
