/** Alchemy Pay's stand-in, driven over HTTP as a browser and a partner would. */
import { describe, expect, it } from 'vitest';
import { BACK, EVM, hmac, type Loose, setStage } from '../../../test/stage.ts';
import { STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, press, reload, signIn, stage } = setStage();

describe('an order with Alchemy Pay', () => {
  const SECRET = 'standin-alchemypay-secret';
  const raw = (fields: Record<string, string>) =>
    Object.keys(fields)
      .sort()
      .filter(name => fields[name])
      .map(name => `${name}=${fields[name]}`)
      .join('&');
  const link = (parameters: Record<string, string> = {}, at = stage.now) => {
    const all: Record<string, string> = {
      ...{ appId: 'cloverleafStandin', timestamp: String(at), merchantOrderNo: 'ord-1', redirectUrl: BACK },
      ...{ crypto: 'ETH', network: 'ETH', fiat: 'EUR', fiatAmount: '150', address: EVM, ...parameters },
    };
    const path = parameters.type === 'sell' ? '/index/rampPageSell' : '/index/rampPageBuy';
    const sign = hmac(SECRET, `${at}GET${path}?${raw(all)}`, 'base64');
    return `${stage.sandbox.url}/alchemypay/page?${new URLSearchParams({ ...all, sign })}`;
  };
  const said = () =>
    stage.hooks.map(({ path, headers, text }) => {
      const { signature: _old, newSignature, ...rest } = JSON.parse(text) as Record<string, string>;
      const sorted = Object.fromEntries(
        Object.keys(rest)
          .sort()
          .filter(name => rest[name])
          .map(name => [name, rest[name]]),
      );
      const signed = `${headers.timestamp}POST${path}${JSON.stringify(sorted)}`;
      expect([path, newSignature]).toEqual(['/hooks/alchemypay', hmac(SECRET, signed, 'base64')]);
      return rest;
    });
  const look = (side: string) => {
    const path = `/open/api/v4/merchant/query/trade?merchantOrderNo=ord-1&side=${side}`;
    const sign = hmac(SECRET, `${stage.now}GET${path}`, 'base64');
    return ask(`/alchemypay/api${path}`, { appid: 'cloverleafStandin', timestamp: String(stage.now), sign });
  };

  it('is bought, and told of when paid and when done', async () => {
    let page = await press(await signIn(await open(link())), 'identity');
    expect((await look('BUY')).body.data.status).toBe('PENDING');
    page = await press(page, 'card', { number: '5555 5555 5555 4444' });
    await pass(STEP_MS * 2);
    page = await reload(page);
    expect(page.standing).toBe('completed');
    await heard(2);
    expect(said().map(({ status }) => status)).toEqual(['PAY_SUCCESS', 'FINISHED']);
    expect(said()[1]).toMatchObject({ merchantOrderNo: 'ord-1', amount: '150.00', address: EVM });
    expect((await look('BUY')).body.data).toMatchObject({ status: 'FINISHED', txHash: said()[1]?.txHash });
    expect((await look('SELL')).body).toMatchObject({ success: false, returnCode: '10010' });
    await press(page, 'refund');
    expect((await look('BUY')).body.data.status).toBe('REFUNDED');
    await heard(2);
  });

  it('opens by links that are signed as they stand, for five minutes', async () => {
    for (const wrong of [
      link().replace('fiatAmount=150', 'fiatAmount=15'),
      link().replace('ord-1', 'ord-2'),
      `${link()}&memo=1`,
      link({}, stage.now - 6 * 60_000),
    ]) {
      expect((await open(wrong)).status).toBe(403);
    }
    const page = await open(link());
    stage.now += 1_000;
    expect((await open(link())).url).toBe(page.url);
  });

  it('is sold in numbers', async () => {
    const sell = { type: 'sell', cryptoAmount: '0.1', country: 'DE', fiatAmount: '', address: '' };
    let page = await press(await press(await signIn(await open(link(sell))), 'identity'), 'document');
    page = await press(await press(page, 'payout'), 'deposit');
    await pass(STEP_MS * 3);
    await heard(4);
    expect(said().map(({ status }) => status)).toEqual(['1', '2', '3', '4']);
    expect(said()[0]?.address).toMatch(/^0x[0-9a-f]{40}$/);
  });

  it('tells why it failed by webhook, and not when it is looked up', async () => {
    const page = await press(await signIn(await open(link())), 'identity');
    await press(await press(page, 'card', { number: '4000 0000 0000 0002' }), 'give-up');
    await heard(1);
    const returnMsg = 'The card was declined by its bank';
    expect(said()).toMatchObject([{ status: 'PAY_FAIL', message: '', returnMsg }]);
    expect(JSON.stringify(await look('BUY'))).not.toContain('declined');
  });

  it('has limits of their own for some countries of a currency', async () => {
    const path = '/open/api/v4/merchant/fiat/list?type=BUY';
    const sign = hmac(SECRET, `${stage.now}GET${path}`, 'base64');
    const headers = { appid: 'cloverleafStandin', timestamp: String(stage.now), sign };
    const rows: Loose[] = (await ask(`/alchemypay/api${path}`, headers)).body.data;
    const limits = rows
      .filter(({ currency, payWayCode }) => currency === 'EUR' && payWayCode === '10001')
      .map(({ payMin, payMax }) => `${payMin}-${payMax}`);
    expect(new Set(limits)).toEqual(new Set(['14-2000', '28-1000']));
  });

  it('is refused without a signature, as a success that failed', async () => {
    const { status, body } = await ask('/alchemypay/api/open/api/v4/merchant/crypto/list');
    expect([status, body.success, body.returnCode]).toEqual([200, false, '81003']);
  });
});
