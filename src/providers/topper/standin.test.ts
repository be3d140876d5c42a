/** Topper's stand-in, driven over HTTP as a browser and a partner would. */
import { createPrivateKey, createPublicKey, sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BACK, EVM, type Loose, setStage, spoilt } from '../../../test/stage.ts';
import { STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, post, press, reload, signIn, stage } = setStage();

describe('an order with Topper', () => {
  const OURS = {
    buy: 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDO+tS10uUBOccJKgXHtPPk6QE1Ibtuc9DVI5YRz01jOhRANCAARfE+iL2VPeqmLAh6vtiJRW/VishJMZqXhsHCtpqfuOzfvrutGZgUp8KAnGiSHmPteC3b1W8oV1johKSVm9cyGX',
    sell: 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgR+1M9mZoEaEIwjDIjNma7+/XHVdth8DMNbcfxic1unGhRANCAATEM2jy49MWIfaeO8FPAVOEQ7OqgbxZ4a5pLs1rd64mYf2FlBqZXdY2YX7lD0yEijayf+AoJBmuOP3PxErBJ79+',
  };
  const CURVE = { kty: 'EC', crv: 'P-256' };
  const THEIRS = {
    onramp: {
      ...CURVE,
      x: '4fDCoWWmSYh1r-d-rfkUnRNh3MOcki294i1QQhCTVdY',
      y: 'm4JMi7MeJtrizPbhoqgWp4KbuMZlDXCxlboszmlXfXM',
    },
    offramp: {
      ...CURVE,
      x: 'eiXT88PYxtGBObXrDI62Lfj-KHAwqSfK3ZzC1fIY0Q4',
      y: 'vGUdhDRPvxlU7bahLMRn-UsiCq3aUMDZXaDGMNoHRrc',
    },
  };
  const part = (text: string) => Buffer.from(text).toString('base64url');
  /** A bootstrap token as their document has it, by the key of its widget unless told otherwise. */
  const token = (side: 'buy' | 'sell', claims: object = {}, by = side, named = by): string => {
    const sub = `00000000-0000-4000-8000-746f7070657${side === 'buy' ? 2 : 3}`;
    const usual =
      side === 'buy'
        ? {
            source: { amount: '150', asset: 'EUR', paymentMethod: { network: 'card' } },
            target: { address: EVM, asset: 'ETH', network: 'ethereum' },
          }
        : { source: { amount: '0.1', asset: 'ETH', network: 'ethereum' }, target: { asset: 'EUR' } };
    const about = { iat: Math.floor(stage.now / 1000), jti: 'ord-1', sub, partner: { continueUrl: BACK } };
    const header = {
      typ: 'JWT',
      alg: 'ES256',
      kid: `00000000-0000-4000-8000-6b657900000${named === 'buy' ? 1 : 2}`,
    };
    const text = `${part(JSON.stringify(header))}.${part(JSON.stringify({ ...about, ...usual, ...claims }))}`;
    const key = createPrivateKey({ key: Buffer.from(OURS[by], 'base64'), format: 'der', type: 'pkcs8' });
    const how = { key, dsaEncoding: 'ieee-p1363' as const };
    return `${text}.${signBytes('sha256', Buffer.from(text), how).toString('base64url')}`;
  };
  const link = (bt: string, more = '') => `${stage.sandbox.url}/topper/app/?bt=${bt}${more}`;
  const simulate = async (bootstrapToken: string): Promise<Loose> =>
    post('/topper/api/simulations', {}, { bootstrapToken });
  const said = (): Loose[] =>
    stage.hooks.map(({ path, headers, text }) => {
      const [, header, signature = ''] =
        /^([\w-]+)\.\.([\w-]+)$/.exec(String(headers['x-topper-jws-signature'])) ?? [];
      const widget = text.includes('"name":"order:crypto-offramp:') ? 'offramp' : 'onramp';
      const key = createPublicKey({ key: THEIRS[widget], format: 'jwk' });
      const signed = Buffer.from(`${header}.${part(text)}`);
      expect(path).toBe('/hooks/topper');
      expect(
        verifyBytes(
          'sha256',
          signed,
          { key, dsaEncoding: 'ieee-p1363' },
          Buffer.from(signature, 'base64url'),
        ),
      ).toBe(true);
      return JSON.parse(text);
    });
  const events = () => said().map(({ name }) => name.replace('order:crypto-', ''));

  it('is simulated, dearer in another currency than one is billed in', async () => {
    const inGermany = (await simulate(token('buy', { simulation: { country: 'DE' } }))).body.simulation;
    const inChile = (await simulate(token('buy', { simulation: { country: 'CL' } }))).body.simulation;
    expect(inGermany.origin).toMatchObject({ amount: '150.00', asset: 'EUR' });
    const fees = inGermany.fees.reduce((sum: number, fee: Loose) => sum + Number(fee.amount), 0);
    expect((150 - fees) / Number(inGermany.origin.rate)).toBeCloseTo(Number(inGermany.destination.amount), 6);
    expect(Number(inChile.destination.amount)).toBeLessThan(Number(inGermany.destination.amount));
    expect((await simulate(spoilt(token('buy')))).status).toBe(401);
    expect((await simulate(token('buy', { sub: 'x' }))).status).toBe(401);
    expect((await simulate(token('buy', { iat: Math.floor(stage.now / 1000) - 181 }))).status).toBe(401);
    expect((await simulate(token('buy', { simulation: { country: 'KP' } }))).status).toBe(400);
  });

  it('has limits in every currency, which go by the one that a country is billed in', async () => {
    const { paymentMethods } = (await ask('/topper/api/payment-methods/crypto-onramp')).body;
    const cards: Loose[] = paymentMethods.filter(({ type }: Loose) => type === 'credit-card');
    expect(cards.map(({ billingAsset }) => billingAsset)).toEqual(['EUR', 'GBP', 'USD']);
    for (const { billingAsset, limits } of cards)
      expect(limits).toContainEqual({ asset: billingAsset, minimum: '10.00', maximum: '2500.00' });
    const source = { amount: '2450', asset: 'EUR', paymentMethod: { network: 'card' } };
    const inCountry = async (country: string) =>
      (await simulate(token('buy', { source, simulation: { country } }))).status;
    expect([await inCountry('DE'), await inCountry('GB'), await inCountry('US')]).toEqual([200, 200, 400]);
  });

  it('takes no token that the key of the other widget signed or is named in', async () => {
    for (const [side, other] of [
      ['buy', 'sell'],
      ['sell', 'buy'],
    ] as const) {
      expect((await simulate(token(side))).status).toBe(200);
      for (const mixed of [
        token(side, {}, other),
        token(side, {}, other, side),
        token(side, {}, side, other),
      ])
        expect((await simulate(mixed)).status).toBe(401);
    }
  });

  it('has a page that a token opens once, within three minutes', async () => {
    const url = link(token('buy'));
    const page = await open(url);
    expect(page.stage).toBe('email');
    expect((await open(url)).text).toContain('already used');
    const cookie = (page.headers.get('cookie') ?? '').split(';')[0] ?? '';
    expect(await open(url, { headers: { cookie } })).toMatchObject({ status: 200, url: page.url });
    const late = link(token('buy', { jti: 'ord-2' }));
    stage.now += 180_001;
    expect((await open(late)).status).toBe(401);
    const both = `${token('buy', { jti: 'ord-3' })};${token('sell', { jti: 'ord-4' })}`;
    expect((await open(link(both, '&active_flow=crypto_offramp'))).text).toContain('You sell');
  });

  it('is bought by card, told of at each change, and refunded', async () => {
    let page = await press(await signIn(await open(link(token('buy')))), 'identity');
    page = await press(page, 'card', { number: '4247 3188 5105 8116' });
    expect(page.stage).toBe('declined');
    page = await press(await press(page, 'retry'), 'card', { number: '5318 7730 1249 0080' });
    await pass(STEP_MS * 2);
    page = await press(await reload(page), 'refund');
    await heard(5);
    expect(events()).toEqual([
      'onramp:committed',
      'onramp:charged',
      'onramp:crypto-sent',
      'onramp:completed',
      'onramp:refund:completed',
    ]);
    const told = said();
    expect(told[3]).toMatchObject({ bootstrapTokenId: 'ord-1', data: { status: 'completed' } });
    expect(told[3].data.destination).toMatchObject({
      ...{ asset: 'ETH', network: 'ethereum', address: EVM },
      ledger: { txid: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
    expect(page.text).toContain(`href="${BACK}"`);
  });

  it.each([
    ['deposit', 'offramp:completed'],
    ['deposit-refund', 'offramp:refund:completed'],
  ])('is sold: %s', async (action, end) => {
    const page = await press(
      await press(await signIn(await open(link(token('sell')))), 'identity'),
      'payout',
    );
    await press(page, action);
    await pass(STEP_MS * 3);
    await heard(4);
    expect(events()).toEqual(['offramp:committed', 'offramp:funds-sent', 'offramp:funds-received', end]);
    expect(said()[0].data.origin.depositAddress.value).toMatch(/^0x[0-9a-f]{40}$/);
  });
});
