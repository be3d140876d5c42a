/** Webhooks on their way from the stand-ins, and what goes wrong with them on request. */
import { describe, expect, it } from 'vitest';
import { hmac, setStage } from '../../test/stage.ts';
import { moonpayLink, moonpaySaid, transakSession, transakToken } from '../../test/stage-links.ts';
import type { ProviderId } from '../domain/words.ts';
import { LIFE_MS, STEP_MS } from '../providers/hosted-moves.ts';
import type { FaultKind } from './faults.ts';

const { ask, breathe, heard, open, pass, press, signIn, stage } = setStage();

describe('webhooks with a fault', () => {
  const MOONPAY = 'moonpay' as ProviderId;
  /** Five stages of a sell, said or not. */
  async function sellWith(kind: FaultKind, ms = 0): Promise<void> {
    stage.sandbox.fault(MOONPAY, { kind, ms });
    const page = await press(
      await press(await signIn(await open(moonpayLink('sell'))), 'identity'),
      'payout',
    );
    await press(page, 'deposit');
    await pass(STEP_MS * 3);
    const { status, body } = await ask(
      '/moonpay/api/v3/sell_transactions/ext/ord-1?apiKey=pk_test_cloverleaf',
    );
    expect([status, body[0].status]).toEqual([200, 'completed']);
  }
  const seals = () => moonpaySaid().map(({ data }) => `${data.status} ${data.updatedAt}`);

  it('are lost', async () => {
    await sellWith('webhooks-lost');
    await pass(LIFE_MS);
    await heard(0);
  });

  it('come two to four times each', async () => {
    await sellWith('webhooks-twice');
    await breathe();
    const counts = new Map<string, number>();
    for (const seal of seals()) counts.set(seal, (counts.get(seal) ?? 0) + 1);
    expect(counts.size).toBe(5);
    for (const count of counts.values()) expect([2, 3, 4]).toContain(count);
  });

  it('come in another order, and all of them', async () => {
    await sellWith('webhooks-shuffled');
    await heard(0);
    await pass(4_000);
    await heard(5);
    const moments = seals();
    expect(new Set(moments).size).toBe(5);
    const inOrder = moonpaySaid()
      .map(({ data }) => data.updatedAt as string)
      .every((at, index, all) => index === 0 || (all[index - 1] ?? '') <= at);
    expect(inOrder).toBe(false);
  });

  it('come forged, by one bit, and only once', async () => {
    stage.answers = [401, 401, 401, 401, 401];
    await sellWith('webhooks-forged');
    await heard(5);
    await pass(100_000);
    await heard(5);
    for (const { headers, text } of stage.hooks) {
      const [, t = '', s = ''] =
        /^t=(\d+),s=([0-9a-f]{64})$/.exec(String(headers['moonpay-signature-v2'])) ?? [];
      const difference = BigInt(`0x${s}`) ^ BigInt(`0x${hmac('wk_test_cloverleaf', `${t}.${text}`, 'hex')}`);
      expect(difference.toString(2).replaceAll('0', '')).toBe('1');
    }
  });

  it('come late', async () => {
    await sellWith('webhooks-late', 30_000);
    await heard(0);
    await pass(30_000);
    await heard(5);
  });

  it('are forged inside the token of Transak as well', async () => {
    const token = await transakToken();
    stage.sandbox.fault('transak' as ProviderId, { kind: 'webhooks-forged', ms: 0 });
    const { body } = await transakSession(token);
    await press(await open(body.data.widgetUrl ?? ''), 'cancel');
    await heard(1);
    const [header, payload, signature = ''] = (JSON.parse(stage.hooks[0]?.text ?? '').data as string).split(
      '.',
    );
    const wanted = hmac(token, `${header}.${payload}`, 'base64url');
    const bits = (text: string) => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);
    expect((bits(signature) ^ bits(wanted)).toString(2).replaceAll('0', '')).toBe('1');
  });

  it('are tried five times when nobody takes them', async () => {
    stage.answers = Array.from({ length: 9 }, () => 503);
    await press(await open(moonpayLink('buy')), 'cancel');
    await heard(1);
    await pass(LIFE_MS);
    await heard(5);
  });
});
