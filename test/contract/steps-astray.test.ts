/** Steps at a provider that goes another way than it said: to its page, past an answer, or in words that nothing can hold. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyStep, type StepClient, tokenOf } from './steps-client.ts';
import type { StepProvider } from './steps-provider.ts';
import { IDENTITY, next, PDF, type StepScene, startStepScene } from './steps-scene.ts';
import type { Instance } from './world.ts';
import { rowOf } from './world-orders.ts';

let scene: StepScene;
let provider: StepProvider;
let service: Instance;
let client: StepClient;

beforeAll(async () => {
  scene = await startStepScene();
  ({ provider, service, client } = scene);
});
afterAll(() => scene.close());

/** Has the provider's next answer about this order say this. */
async function sayOnce({ txId }: AnyStep, said: object): Promise<void> {
  const { theirs } = await rowOf(service, txId);
  provider.answerOnce(200, { id: theirs, ...said });
}

describe('200', () => {
  const TURNS: [after: string, type: string, take: (step: AnyStep) => Promise<AnyStep>][] = [
    ['an answer', 'form', step => next(client.post(step, IDENTITY))],
    ['a file', 'file', step => scene.takeStep(step)],
    ['a wait', 'wait', step => scene.waited(step)],
    ['a page of one step', 'redirect', step => scene.comeBack(step)],
  ];
  it.each(TURNS)(
    'with the provider’s own page, where it asks nothing more after %s',
    async (_after, type, take) => {
      const step = await scene.reachStep(type);
      const page = `${provider.url}/pages/rest/${step.txId}`;
      await sayOnce(step, { page });
      const rest = await take(step);
      expect(rest).toMatchObject({ type: 'iframe', txId: step.txId, neededFeatures: 'camera' });
      expect(tokenOf(rest)).not.toBe(tokenOf(step));
      const payPage = (await client.open(rest.url)).headers.get('location') ?? '';
      expect(payPage).toMatch(new RegExp(`^${service.url}/pay/`));
      const opened = await service.post(`${new URL(payPage).pathname}/open`, undefined, {
        origin: service.url,
      });
      expect(opened.body.url).toBe(page);
      expect(await scene.comeBack(rest)).toEqual(rest);
    },
  );

  it('with what is asked now, where the form that is answered is asked no more', async () => {
    const form = await scene.begin();
    provider.answerOnce(404, { error: { code: 'unknown_step' } });
    provider.pass();
    const code = await next(client.post(form, IDENTITY));
    expect(code).toMatchObject({ type: 'form', data: [{ name: 'verifyEmailCode' }] });
    expect((await client.post(form, IDENTITY)).status).toBe(409);
    expect(await scene.takeStep(code)).toMatchObject({ type: 'pickOne' });
  });

  it('with what is asked now, where another file of a choice was taken and we did not hear so', async () => {
    const pick = await scene.reachStep('pickOne');
    provider.answerOnce(409, { error: { code: 'conflict' } });
    provider.pass();
    expect(await next(client.put(pick.options[1].nextStep, PDF))).toMatchObject({ humanName: 'Selfie' });
  });

  it('for a bank transfer in words that no database can hold, which are kept as far as they can be', async () => {
    const form = await scene.begin();
    const account = {
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
      bankName: 'Bank\u0000',
      bankAddress: 'Street 1',
    };
    const bank = {
      account: { ...account, accountName: 'Steps \ud800', accountAddress: '2' },
      reference: 'R',
      hint: 'a\nb',
    };
    await sayOnce(form, { step: { type: 'requestBankTransaction', ...bank } });
    expect(await next(client.post(form, IDENTITY))).toMatchObject({ type: 'requestBankTransaction' });
    expect((await rowOf(service, form.txId)).bank).toMatchObject({
      account: { bankName: 'Bank ', accountName: 'Steps \ufffd' },
      hint: 'a b',
    });
  });

  it.each([
    ['in other letters', '日本?q=ü', '%E6%97%A5%E6%9C%AC?q=%C3%BC'],
    ['with what is no letter at all', 'a\u0001b', 'a%01b'],
    ['in plain ones, which may be signed, to the letter', "a/../b|{c}?s=%7e+'x", "a/../b|{c}?s=%7e+'x"],
  ])('for a page whose address is written %s', async (_how, written, led) => {
    const form = await scene.begin();
    await sayOnce(form, {
      step: { type: 'redirect', key: 'there', url: `${provider.url}/pages/${written}` },
    });
    const { status, headers } = await client.open((await next(client.post(form, IDENTITY))).url);
    expect([status, headers.get('location')]).toEqual([303, `${provider.url}/pages/${led}`]);
  });
});

describe('502', () => {
  it('for an answer that the provider cannot take though it still asks for it', async () => {
    const form = await scene.begin();
    provider.answerOnce(409, { error: { code: 'conflict' } });
    const { status, body } = await client.post(form, IDENTITY);
    expect([status, body]).toEqual([502, { message: expect.any(String) }]);
    expect(await scene.takeStep(form)).toMatchObject({ type: 'form' });
  });

  it('for a page that is not the provider’s own, instead of a step', async () => {
    const form = await scene.begin();
    await sayOnce(form, { page: 'https://evil.example/' });
    expect((await client.post(form, IDENTITY)).status).toBe(502);
  });
});
