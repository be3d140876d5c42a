/** Guardarian's stand-in, driven over HTTP as a browser and a partner would. */
import { createPrivateKey, createSign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BACK, EVM, type Loose, setStage, settingsOf } from '../../../test/stage.ts';
import { LIFE_MS, STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, post, press, reload, signIn, stage } = setStage();

describe('an order with Guardarian', () => {
  const { apiKey = '', privateKey = '' } = settingsOf('guardarian');
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
    stage.hooks.map(({ path, text }) => {
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
    const again = await open(`${stage.sandbox.url}/guardarian/pages/checkout?tid=${id}`);
    expect(again.url).toBe(page.url);
  });

  const sell = async (fiat: string) =>
    (
      await make({
        ...{ from_currency: 'ETH', from_network: 'ETH', to_currency: fiat, to_network: fiat },
        ...{ from_amount: 0.1, deposit: undefined, payout_info: undefined },
      })
    ).body;

  it('is sold for money that goes to a bank, or to a card where there is no bank for it', async () => {
    for (const [fiat, asked] of [
      ['EUR', 'IBAN or account number'],
      ['AUD', 'Card number'],
    ] as const) {
      const { redirect_url } = await sell(fiat);
      const page = await press(await signIn(await open(redirect_url)), 'identity');
      expect([fiat, page.stage, page.text.includes(asked)]).toEqual([fiat, 'payout', true]);
    }
    await pass(LIFE_MS + 1);
  });

  it('is sold, and fails when the payout does', async () => {
    const { id, redirect_url } = await sell('EUR');
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
