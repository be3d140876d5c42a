/** Stripe's stand-in, driven over HTTP as a browser and a partner would. */
import { describe, expect, it } from 'vitest';
import { EVM, hmac, type Loose, setStage } from '../../../test/stage.ts';
import { decimal } from '../../domain/money.ts';
import { STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, press, reload, signIn, stage } = setStage();

describe('an order with Stripe', () => {
  const AUTH = { authorization: `Basic ${btoa('sk_test_cloverleaf:')}` };
  const WISH = {
    ...{ source_currency: 'usd', source_amount: '100.00' },
    ...{ destination_currency: 'usdc', destination_network: 'base', lock_wallet_address: 'true' },
    ...{ 'wallet_addresses[base_network]': EVM, 'metadata[reference]': 'ord-1' },
  };
  const make = async (key: string, fields: Record<string, string>) => {
    const response = await fetch(`${stage.sandbox.url}/stripe/api/v1/crypto/onramp_sessions`, {
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
    const said = stage.hooks.map(({ path, headers, text }) => {
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
    const { network_fee_amount: network, transaction_fee_amount: fee } = details.fees;
    expect(line.source_total_amount).toBe(decimal(100).plus(network).plus(fee).toString());
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
