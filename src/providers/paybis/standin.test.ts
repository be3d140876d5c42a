/** Paybis's stand-in, driven over HTTP as a browser and a partner would. */
import { constants, createPrivateKey, createPublicKey, createSign, createVerify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BACK, EVM, type Loose, setStage, settingsOf, sha512 } from '../../../test/stage.ts';
import { STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, post, press, reload, signIn, stage } = setStage();

describe('an order with Paybis', () => {
  const { privateKey = '', webhookKey = '', apiKey = '' } = settingsOf('paybis');
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
    `${stage.sandbox.url}/paybis/widget/?${new URLSearchParams({
      requestId: body.requestId,
      ...(token && { oneTimeToken: token }),
      successReturnURL: BACK,
    })}`;
  const said = (): Loose[] =>
    stage.hooks.map(({ path, headers, text }) => {
      const key = createPublicKey({ key: Buffer.from(webhookKey, 'base64'), format: 'der', type: 'spki' });
      const options = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };
      const signature = String(headers['x-request-signature']);
      expect(path).toBe('/hooks/paybis');
      expect(createVerify('sha512').update(sha512(text)).verify(options, signature, 'base64')).toBe(true);
      return JSON.parse(text).data;
    });
  const list = (query: Record<string, string> = {}) => {
    const range = { from: '2026-01-01T00:00:00.000Z', to: new Date(stage.now).toISOString(), ...query };
    return ask(`/paybis/api/v2/transactions?${new URLSearchParams(range)}`, { authorization: apiKey });
  };

  it('is for partners only, who sign what has a body', async () => {
    const body = quoteFor('buy', '150');
    expect((await tell('/v2/quote', body, { authorization: 'x' })).status).toBe(401);
    expect((await tell('/v2/quote', body, { 'x-request-signature': signed('else') })).status).toBe(403);
    expect((await tell('/v2/quote', body, { authorization: `Bearer ${apiKey}` })).status).toBe(200);
    expect((await request('buy', { userIp: '' })).body.message).toBe('userIp is required');
    expect((await list({ from: new Date(stage.now).toISOString() })).status).toBe(400);
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
    stage.now += 16 * 60_000;
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
