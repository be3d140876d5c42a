/** Coinbase's stand-in, driven over HTTP as a browser and a partner would. */
import { createPrivateKey, sign as signBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BACK, EVM, hmac, type Loose, setStage, spoilt } from '../../../test/stage.ts';
import { STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, post, press, signIn, stage } = setStage();

describe('an order with Coinbase', () => {
  const KEY = 'wGxFeceUiJFxjGDQ0YCXZyBai5LnX8Aj4vz4of9sXgfp2CrCAVgNJEjrHNAGfzgUXiZCPW0NkrE6jTW5BedteQ==';
  const ID = '00000000-0000-4000-8000-636f696e6261';
  /** A token as their document has it, for one request. */
  const bearer = (uri: string, claims: object = {}): Record<string, string> => {
    const seconds = Math.floor(stage.now / 1000);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const header = { alg: 'EdDSA', kid: ID, typ: 'JWT', nonce: '0123456789abcdef' };
    const payload = { sub: ID, iss: 'cdp', uris: [uri], iat: seconds, nbf: seconds, exp: seconds + 120 };
    const text = `${part(header)}.${part({ ...payload, ...claims })}`;
    const seed = Buffer.concat([
      Buffer.from('302e020100300506032b657004220420', 'hex'),
      Buffer.from(KEY, 'base64').subarray(0, 32),
    ]);
    const key = createPrivateKey({ key: seed, format: 'der', type: 'pkcs8' });
    return {
      authorization: `Bearer ${text}.${signBytes(null, Buffer.from(text), key).toString('base64url')}`,
    };
  };
  const uriOf = (method: string, path: string) =>
    `${method} ${stage.sandbox.url.replace('http://', '')}/coinbase/api/onramp/v1${path}`;
  const call = async (path: string, body: unknown, headers = bearer(uriOf('POST', path))): Promise<Loose> =>
    post(`/coinbase/api/onramp/v1${path}`, headers, body);
  const session = (body: object = {}) =>
    call('/token', {
      addresses: [{ address: EVM, blockchains: ['ethereum'] }],
      clientIp: '192.0.2.1',
      ...body,
    });
  const link = async (side: 'buy' | 'sell', parameters: Record<string, string> = {}): Promise<string> => {
    const usual =
      side === 'buy'
        ? { presetFiatAmount: '150', defaultPaymentMethod: 'CARD' }
        : { presetCryptoAmount: '0.1', defaultCashoutMethod: 'PAYPAL' };
    const all = { defaultAsset: 'ETH', defaultNetwork: 'ethereum', fiatCurrency: 'EUR', redirectUrl: BACK };
    const token = (await session()).body.token;
    const search = new URLSearchParams({
      sessionToken: token,
      partnerUserRef: 'ord-1',
      ...all,
      ...usual,
      ...parameters,
    });
    return `${stage.sandbox.url}/coinbase/${side}?${search}`;
  };
  const look = async (side: string) => {
    const path = `/${side}/user/ord-1/transactions`;
    return (await ask(`/coinbase/api/onramp/v1${path}?pageSize=5`, bearer(uriOf('GET', path)))).body
      .transactions;
  };
  const said = (): Loose[] =>
    stage.hooks.map(({ path, headers, text }) => {
      const [, t, v0, names = '', v1] =
        /^t=(\d+),v0=([0-9a-f]{64}),h=([a-z -]+),v1=([0-9a-f]{64})$/.exec(
          String(headers['x-hook0-signature']),
        ) ?? [];
      const values = names.split(' ').map(name => headers[name]);
      const secret = '11111111-2222-4333-8444-555555555555';
      expect(path).toBe('/hooks/coinbase');
      expect(v0).toBe(hmac(secret, `${t}.${text}`, 'hex'));
      expect(v1).toBe(hmac(secret, `${t}.${names}.${values.join('.')}.${text}`, 'hex'));
      return JSON.parse(text);
    });

  it('is asked for with a token for this request, and no other', async () => {
    const uri = uriOf('POST', '/token');
    const wrong = [
      {},
      bearer(uriOf('POST', '/buy/quote')),
      bearer(uri.replace('POST', 'GET')),
      bearer(uri, { exp: Math.floor(stage.now / 1000) - 1 }),
      bearer(uri, { sub: 'x' }),
      { authorization: spoilt(bearer(uri).authorization ?? '') },
    ];
    for (const headers of wrong) expect((await call('/token', {}, headers)).status).toBe(401);
    expect((await session({ clientIp: '' })).status).toBe(400);
    expect((await session({ addresses: [] })).status).toBe(400);
    expect((await session()).status).toBe(200);
  });

  it('has a page that opens once, within five minutes', async () => {
    const url = await link('buy');
    expect((await open(url)).stage).toBe('email');
    expect((await open(url)).text).toContain('already used');
    const late = await link('buy');
    stage.now += 5 * 60_000 + 1;
    expect((await open(late)).text).toContain('has expired');
    expect((await open(late.replace('sessionToken=', 'sessionToken=x'))).text).toContain('not valid');
    expect((await open(await link('sell', { redirectUrl: '' }))).status).toBe(400);
  });

  it('is bought by card and told of twice signed', async () => {
    const page = await signIn(await open(await link('buy')));
    expect(page.stage).toBe('card');
    await press(await press(page, 'card'), 'approve');
    await pass(STEP_MS * 2);
    await heard(4);
    const told = said();
    expect(told.map(({ eventType, status }) => `${eventType} ${status}`)).toEqual([
      'onramp.transaction.created ONRAMP_TRANSACTION_STATUS_CREATED',
      'onramp.transaction.updated ONRAMP_TRANSACTION_STATUS_AWAITING_AUTH',
      'onramp.transaction.updated ONRAMP_TRANSACTION_STATUS_IN_PROGRESS',
      'onramp.transaction.success ONRAMP_TRANSACTION_STATUS_SUCCESS',
    ]);
    expect(told[0]).toMatchObject({
      txHash: '0x',
      completedAt: '0001-01-01T00:00:00Z',
      partnerUserRef: 'ord-1',
    });
    expect(told[3].paymentTotal).toEqual({ value: '150.00', currency: 'EUR' });
    const [found] = await look('buy');
    expect(found).toMatchObject({ transaction_id: told[3].transactionId, tx_hash: told[3].txHash });
    expect(await look('sell')).toEqual([]);
  });

  it('is sold: the person goes back to send their coins', async () => {
    const page = await press(await signIn(await open(await link('sell'))), 'payout');
    expect(page.text).toContain('data-action="return"');
    const [waiting] = await look('sell');
    expect(waiting).toMatchObject({
      status: 'TRANSACTION_STATUS_STARTED',
      tx_hash: '',
      sell_amount: { value: '0.1' },
    });
    // From this moment on the half hour is counted in which the coins must land.
    expect(waiting.created_at).toBe(new Date(stage.now).toISOString());
    expect(waiting.to_address).toMatch(/^0x[0-9a-f]{40}$/);
    await press(page, 'deposit');
    await pass(STEP_MS * 3);
    await heard(3);
    expect(said().map(({ status }) => status.replace('TRANSACTION_STATUS_', ''))).toEqual([
      'STARTED',
      'STARTED',
      'SUCCESS',
    ]);
  });
});
