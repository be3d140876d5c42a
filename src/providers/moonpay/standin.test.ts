/** MoonPay's stand-in, driven over HTTP as a browser and a partner would. */
import { describe, expect, it } from 'vitest';
import { EVM, type Loose, setStage, WALLET } from '../../../test/stage.ts';
import { moonpayLink, moonpaySaid } from '../../../test/stage-links.ts';
import { LIFE_MS, STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, press, reload, signIn, stage } = setStage();

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
    expect((await open(`${stage.sandbox.url}/moonpay/buy/${search}`)).stage).toBe('email');
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
    expect((await open(`${stage.sandbox.url}/moonpay/buy/flow/nothing`)).status).toBe(404);
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
