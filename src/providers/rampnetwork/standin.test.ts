/** Ramp Network's stand-in, driven over HTTP as a browser and a partner would. */
import { createPrivateKey, createPublicKey, sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BACK, EVM, type Loose, setStage } from '../../../test/stage.ts';
import { STEP_MS } from '../hosted-moves.ts';

const { ask, heard, open, pass, press, reload, signIn, stage } = setStage();

describe('an order with Ramp Network', () => {
  const KEYS = {
    link: 'MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f',
    hooks:
      'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEl6EQjy2GEPJjxz6X2K72HweQ2gQQu52VKkMeBQQvIAfi35xUgyLPMxO6ZIBcQn2uuTs8SCXaFRRjgnjiYKMgyg==',
  };
  const link = (parameters: Record<string, string> = {}) => {
    const isSell = parameters.defaultFlow === 'OFFRAMP';
    const hook = `https://shop.example/hooks/rampnetwork?order=ord-1`;
    const all: Record<string, string> = {
      ...{ hostApiKey: 'standin-ramp-host-api-key', userAddress: EVM, finalUrl: BACK },
      ...(isSell
        ? { inAsset: 'ETH_ETH', outAsset: 'EUR', inAssetValue: '0.1', offrampWebhookV3Url: hook }
        : { inAsset: 'EUR', outAsset: 'ETH_ETH', inAssetValue: '100', webhookStatusUrl: hook }),
      ...parameters,
      timestamp: `${stage.now}`,
    };
    const text = Object.entries(all)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const key = createPrivateKey({ key: Buffer.from(KEYS.link, 'base64'), format: 'der', type: 'pkcs8' });
    const signature = signBytes(null, Buffer.from(text), key).toString('base64');
    return `${stage.sandbox.url}/rampnetwork/app/?${text}&signature=${encodeURIComponent(signature)}`;
  };
  /** Keys in order, no blanks: as the document has it. */
  const stable = (value: Loose): string =>
    typeof value !== 'object' || value === null
      ? JSON.stringify(value)
      : `{${Object.keys(value)
          .sort()
          .map(key => `${JSON.stringify(key)}:${stable(value[key])}`)
          .join(',')}}`;
  const said = (): Loose[] =>
    stage.hooks.map(({ path, headers, text }) => {
      expect(path).toBe('/hooks/rampnetwork?order=ord-1');
      const key = createPublicKey({ key: Buffer.from(KEYS.hooks, 'base64'), format: 'der', type: 'spki' });
      const signature = Buffer.from(String(headers['x-body-signature']), 'base64');
      expect(verifyBytes('sha256', Buffer.from(stable(JSON.parse(text))), key, signature)).toBe(true);
      return JSON.parse(text);
    });

  it('is bought by card, looked up with its token, and returned', async () => {
    let page = await press(await signIn(await open(link())), 'identity');
    page = await press(page, 'card', { number: '5555 5555 5555 4444' });
    await pass(STEP_MS * 2);
    page = await press(await reload(page), 'refund');
    await heard(3);
    const told = said();
    expect(told.map(({ type }) => type)).toEqual(['CREATED', 'RELEASED', 'RETURNED']);
    const { id, purchaseViewToken, appliedFee, baseRampFee, networkFee } = told[1].purchase;
    expect(appliedFee).toBeCloseTo(baseRampFee + networkFee, 6);
    expect(told[1].purchase).toMatchObject({ fiatValue: 100, receiverAddress: EVM, status: 'RELEASED' });
    expect(told[1].purchase.cryptoAmount).toMatch(/^\d{10,20}$/);
    const path = `/rampnetwork/api/host-api/purchase/${id}?secret=`;
    expect((await ask(`${path}${purchaseViewToken}`)).body).toMatchObject({ id, status: 'FIAT_RETURNED' });
    expect((await ask(`${path}x`)).status).toBe(404);
  });

  it('is released by hand, as in their demo', async () => {
    const page = await press(await signIn(await open(link({ paymentMethodType: 'SEPA' }))), 'identity');
    expect(page.stage).toBe('bank');
    await heard(1);
    const { id, purchaseViewToken, paymentMethodType } = said()[0].purchase;
    expect(paymentMethodType).toBe('MANUAL_BANK_TRANSFER');
    const path = `/rampnetwork/api/widget/testing/purchase/${id}/release?secret=`;
    expect((await ask(`${path}x`, {}, 'POST')).status).toBe(404);
    expect((await ask(`${path}${purchaseViewToken}`, {}, 'POST')).status).toBe(200);
    await heard(2);
    expect(said()[1].type).toBe('RELEASED');
  });

  it('is sold, or comes to nothing', async () => {
    const sell = { defaultFlow: 'OFFRAMP' };
    let page = await press(await press(await signIn(await open(link(sell))), 'identity'), 'document');
    page = await press(await press(page, 'payout'), 'deposit');
    await pass(STEP_MS * 3);
    await heard(2);
    expect(said().map(({ type, mode }) => `${mode} ${type}`)).toEqual([
      'OFFRAMP CREATED',
      'OFFRAMP RELEASED',
    ]);
    expect(said()[1].payload.fiat.amount).toMatch(/^\d+(\.\d+)?$/);
    stage.now += 1;
    await press(await open(link(sell)), 'cancel');
    await heard(3);
    expect(said()[2].type).toBe('EXPIRED');
  });

  it('opens no link that was changed, is old or is nobody’s', async () => {
    expect((await open(link().replace('inAssetValue=100', 'inAssetValue=900'))).status).toBe(403);
    expect((await open(link().replace(/&signature=.*/, ''))).status).toBe(403);
    expect((await open(link({ hostApiKey: 'x' }))).status).toBe(401);
    expect((await open(link({ inAssetValue: '1' }))).status).toBe(400);
    const old = link();
    stage.now += 2 * 3_600_000;
    expect((await open(old)).status).toBe(403);
  });
});
