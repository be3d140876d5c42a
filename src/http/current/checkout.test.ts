/** The checkout route without a service behind it: what is understood, and what is answered. */
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { UUID } from '../../../test/bad-input/words.ts';
import { core, post, setCheckout, understood } from '../../../test/checkout-route.ts';
import { ADDRESSES, BUY, SELL, withValue } from '../../../test/contract/checkout-letters.ts';
import { DeclinedFault } from '../../domain/fault.ts';
import { decimal } from '../../domain/money.ts';
import { checkoutSchemas } from './checkout-schema.ts';

setCheckout();

describe('a checkout', () => {
  it('is understood as it is meant', async () => {
    const wish = await understood({ ...BUY, metaData: { quoteId: 'q1' } });
    expect(wish).toMatchObject({
      account: { id: 'a1' },
      provider: 'moonpay',
      side: 'buy',
      fiat: { id: 'eur' },
      asset: { id: 'btc_bitcoin' },
      method: 'creditcard',
      country: 'DE',
      source: 'eur',
      target: 'btc',
      wallet: { address: ADDRESSES.bitcoin },
      quoteId: 'q1',
      partnerContext: 'order-1',
      uuid: UUID,
      originatingHost: 'shop.example',
      theme: { isDark: false, themeName: 'light-theme', primaryColor: '#241d1c', borderRadius: undefined },
      returnTo: 'https://shop.example/thanks',
      signNonce: undefined,
      idempotency: undefined,
      clientIp: '198.51.100.7',
    });
    expect(wish.amount.toString()).toBe('100');
  });

  it('is answered in the shape clients know', async () => {
    const { status, headers, body } = await post(BUY);
    expect([status, headers['cache-control'], headers['content-type']]).toEqual([
      200,
      'no-store',
      'application/json; charset=utf-8',
    ]);
    expect(body).toEqual({
      message: {
        validationInformation: true,
        status: 'in_progress',
        sessionInformation: {
          onramp: 'moonpay',
          source: 'eur',
          destination: 'btc',
          amount: 100,
          type: 'buy',
          paymentMethod: 'creditcard',
          network: 'bitcoin',
          uuid: UUID,
          originatingHost: 'shop.example',
          wallet: BUY.wallet,
          supportedParams: { theme: BUY.supportedParams.theme },
          country: 'DE',
          expiringTime: 1_800_000_000,
          sessionId: 's1',
        },
        transactionInformation: {
          transactionId: 't1',
          url: 'https://ramp.example/pay/token',
          type: 'iframe',
          params: { permissions: 'camera; payment' },
        },
      },
    });
  });

  it('needs little', async () => {
    const { body } = await post({
      onramp: 'MoonPay',
      source: 'EUR',
      destination: 'USDC_Polygon',
      amount: 25.5,
      wallet: { address: ADDRESSES.ethereum },
    });
    const { sessionInformation } = body.message as Record<string, object>;
    expect(sessionInformation).toEqual({
      onramp: 'moonpay',
      source: 'EUR',
      destination: 'USDC_Polygon',
      amount: 25.5,
      type: 'buy',
      paymentMethod: 'creditcard',
      network: 'polygon',
      wallet: { address: ADDRESSES.ethereum },
      supportedParams: { theme: {} },
      country: 'DE',
      expiringTime: 1_800_000_000,
      sessionId: 's1',
    });
    expect(core.wishes[0]).toMatchObject({ source: 'eur', target: 'usdc_polygon', partnerContext: '' });
  });

  it('may sell, with or without an address for coins to come back to', async () => {
    expect(await understood(SELL)).toMatchObject({
      side: 'sell',
      fiat: { id: 'eur' },
      asset: { id: 'btc_bitcoin' },
      method: 'sepabanktransfer',
      wallet: undefined,
    });
    const { body } = await post(SELL);
    expect(body).toMatchObject({ message: { sessionInformation: { wallet: {} } } });
    core.wishes = [];
    const address = ADDRESSES.bitcoin;
    expect((await understood({ ...SELL, wallet: { address } })).wallet).toEqual({ address });
  });

  it('keeps every digit of the amount', async () => {
    const text = JSON.stringify({ ...SELL, source: 'eth', amount: '@' });
    const wish = await understood(text.replace('"@"', '123456789.123456789012345678'));
    expect(wish.amount.toString()).toBe('123456789.123456789012345678');
    expect((await understood(text.replace('"@"', '1.50'))).amount.toString()).toBe('1.5');
  });

  it('takes null for absent wherever something may be absent', async () => {
    const nothing = Object.fromEntries(
      ['type', 'paymentMethod', 'network', 'uuid', 'partnerContext', 'originatingHost', 'metaData'].map(
        name => [name, null],
      ),
    );
    const empty = await understood({ ...BUY, ...nothing, supportedParams: null });
    expect(empty).toMatchObject({
      method: 'creditcard',
      uuid: undefined,
      quoteId: undefined,
      returnTo: undefined,
    });
    expect(empty.theme).toEqual({ isDark: false });
    for (const path of [
      'supportedParams.theme',
      'supportedParams.partnerData',
      'supportedParams.partnerData.redirectUrl',
      'supportedParams.partnerData.redirectUrl.success',
      'supportedParams.theme.isDark',
      'supportedParams.theme.primaryColor',
      'metaData.quoteId',
      'wallet.memo',
    ]) {
      await understood(withValue(path, null));
    }
  });

  it('ignores what is the service’s to say, and what nobody knows', async () => {
    const { body } = await post({
      ...BUY,
      status: 'completed',
      country: 'KP',
      transactionId: 'x',
      sessionId: 'x',
      apiKey: 'pk_prod_x',
      expiringTime: 1,
      validationInformation: false,
      toString: 1,
      nobody: { knows: [1, 'x', null] },
    });
    expect(body).toMatchObject({
      message: {
        status: 'in_progress',
        validationInformation: true,
        sessionInformation: { country: 'DE', sessionId: 's1', expiringTime: 1_800_000_000 },
        transactionInformation: { transactionId: 't1' },
      },
    });
  });

  it('goes by the country sent, else by that of the address', async () => {
    expect((await understood(BUY, { query: '?country=fr&colour=green' })).country).toBe('FR');
    core.located = undefined;
    const refused = await post(BUY);
    expect([refused.status, refused.body.field]).toEqual([400, 'country']);
    expect(core.wishes).toEqual([]);
  });

  it('needs no network where a coin says it, and finds a bare code on the network it names', async () => {
    for (const [destination, network, id] of [
      ['btc', undefined, 'btc_bitcoin'],
      ['BTC', 'Bitcoin', 'btc_bitcoin'],
      ['USDC', 'POLYGON', 'usdc_polygon'],
      ['usdc_base', 'base', 'usdc_base'],
    ] as const) {
      const address = id === 'btc_bitcoin' ? ADDRESSES.bitcoin : ADDRESSES.ethereum;
      const wish = await understood({ ...BUY, destination, network, wallet: { address } });
      expect(wish.asset.id).toBe(id);
    }
  });

  it('passes a memo on where the chain has them', async () => {
    const wallet = { address: ADDRESSES.ripple, memo: '12345' };
    const wish = await understood({ ...BUY, destination: 'xrp', network: undefined, wallet });
    expect(wish.wallet).toEqual(wallet);
  });

  it('may say a theme in every form', async () => {
    for (const [member, value, text] of [
      ['primaryColor', '#abc', '#abc'],
      ['primaryColor', '#aabbccdd', '#aabbccdd'],
      ['cardColor', 'rgb(1, 2, 3)', 'rgb(1, 2, 3)'],
      ['cardColor', 'rgba(1,2,3,0.5)', 'rgba(1,2,3,0.5)'],
      ['cardColor', 'hsl(120, 50%, 50%)', 'hsl(120, 50%, 50%)'],
      ['borderRadius', 8, '8'],
      ['borderRadius', 0.5, '0.5'],
      ['borderRadius', '8px', '8px'],
      ['borderRadius', '0.5rem', '0.5rem'],
      ['isDark', true, true],
    ] as const) {
      const body = withValue(`supportedParams.theme.${member}`, value);
      const { body: answer } = await post(body);
      expect(answer).toMatchObject({
        message: { sessionInformation: { supportedParams: { theme: { [member]: value } } } },
      });
      expect([member, core.wishes.pop()?.theme[member]]).toEqual([member, text]);
    }
    await understood(withValue('supportedParams.theme', { unknown: { x: 1 } }));
  });

  it('may come with any form of its content type', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json;charset="UTF-8"',
    ]) {
      await understood(BUY, { headers: [`Content-Type: ${type}`, 'Content-Encoding: identity'] });
    }
  });
});

describe('the document', () => {
  const { body: request, response } = checkoutSchemas.intent;

  it('holds good requests and their answers', async () => {
    for (const body of [BUY, SELL, withValue('metaData.quoteId', 'q1'), { ...BUY, supportedParams: null }]) {
      expect([...Compile(request).Errors(body)]).toEqual([]);
      expect([...Compile(response[200]).Errors((await post(body)).body)]).toEqual([]);
    }
  });

  it('holds problems, those of a provider among them', async () => {
    expect([...Compile(response['4xx']).Errors((await post({})).body)]).toEqual([]);
    core.intend = () => {
      throw new DeclinedFault({ reason: 'limit', message: 'too much', limits: { max: decimal('0.5') } });
    };
    const { body } = await post(BUY);
    expect([...Compile(response[422]).Errors(body)]).toEqual([]);
    expect(response[422]).toHaveProperty('properties.maxAmount');
  });
});
