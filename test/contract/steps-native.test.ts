/** The purchase by steps at a provider that asks everything through us: every type of step, in order and once. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './patience.ts';
import { type StepClient, stepClient, tokenOf } from './steps-client.ts';
import { CODE, STEPPING, type StepProvider } from './steps-provider.ts';
import { CANARY, FIRST, IDENTITY, next, PDF, PNG, type StepScene, startStepScene } from './steps-scene.ts';
import type { Instance } from './world.ts';
import { makeDue, reaches, rowOf, statusesOf, WALLET } from './world-orders.ts';

let scene: StepScene;
let provider: StepProvider;
let service: Instance;
let client: StepClient;

beforeAll(async () => {
  scene = await startStepScene();
  ({ provider, service, client } = scene);
});
afterAll(() => scene.close());

describe('200', () => {
  it('for a form of every kind of field, and what was said goes to the provider at once', async () => {
    const step = await scene.begin();
    expect(step).toMatchObject({
      type: 'form',
      title: 'Who you are',
      humanName: 'Identity',
      description: 'As in your passport.',
      txId: expect.any(String),
      data: [
        { type: 'string', name: 'firstName', humanName: 'First name' },
        {
          type: 'date',
          name: 'dateOfBirth',
          hint: 'Yours.',
          data: [{ name: 'day', type: 'integer' }, { name: 'month' }, { name: 'year' }],
        },
        { type: 'select', name: 'country', options: [{ value: 'de', humanName: 'Germany' }] },
        { type: 'string', name: 'state', required: false },
        { type: 'choice', name: 'gender', options: ['Female', 'Male'] },
        { type: 'integer', name: 'phoneNumber' },
        { type: 'boolean', name: 'termsOfUse', terms: [{ url: expect.any(String), humanName: 'Terms' }] },
      ],
    });
    expect(await next(client.post(step, { ...IDENTITY, spam: 1 }))).toMatchObject({ type: 'form' });
    const sent = JSON.parse(String(provider.received.at(-1)?.body));
    expect(sent).toEqual({
      key: 'identity',
      values: {
        firstName: CANARY.firstName,
        dateOfBirth: '1984-02-29',
        country: 'de',
        gender: 'Female',
        phoneNumber: CANARY.phone,
        termsOfUse: true,
      },
    });
  });

  it('for a choice of files, each with its own way, by PUT and as a data URL', async () => {
    const pick = await scene.reachStep('pickOne');
    expect(pick.options).toMatchObject([
      { type: 'file', title: 'Passport', description: 'Its first page.', nextStep: { type: 'file' } },
      { type: 'file', title: 'Licence', nextStep: { acceptedContentTypes: ['application/pdf'] } },
    ]);
    expect(new Set(pick.options.map(tokenOf)).size).toBe(2);
    expect(pick.options[0].url).toBe(pick.options[0].nextStep.url);
    const spelled = `data:application/pdf;base64,${PDF.toString('base64')}`;
    const selfie = await next(client.post(pick.options[1].nextStep, spelled));
    expect(provider.received.at(-1)).toMatchObject({ type: 'application/pdf', body: PDF });
    expect(selfie).toMatchObject({ type: 'file', humanName: 'Selfie', hint: 'Smile.' });
    expect(await next(client.put(selfie, PNG))).toMatchObject({ type: 'wait', message: 'We look at it.' });
    expect(provider.received.at(-1)).toMatchObject({ type: 'image/png', body: PNG });
    expect((await client.put(pick.options[0], PNG)).status).toBe(409);
  });

  it('for a wait, whose provider is asked once a second at most', async () => {
    const step = await scene.reachStep('wait');
    const before = provider.received.length;
    const began = performance.now();
    const polls = await Promise.all(Array.from({ length: 20 }, () => next(client.post(step, {}))));
    expect(new Set(polls.map(({ url }) => url))).toEqual(new Set([step.url]));
    const seconds = Math.floor((performance.now() - began) / 1_000);
    expect(provider.received.length - before).toBeLessThanOrEqual(1 + seconds);
    provider.pass();
    expect(await scene.waited(step)).toMatchObject({ type: 'iframe' });
  });

  it('for pages in a frame and in a window, back through our own page, to the end', async () => {
    const frame = await scene.reachStep('iframe');
    expect(frame).toMatchObject({ fullscreen: true, neededFeatures: 'camera' });
    const led = await client.open(frame.url);
    expect([led.status, led.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(`^${provider.url}/pages/card/`),
    ]);
    expect(await scene.comeBack(frame)).toMatchObject({ type: 'iframe', url: frame.url });
    provider.pass();
    let redirect = frame;
    await eventually(async () => {
      redirect = await scene.comeBack(frame);
      return redirect.type !== 'iframe';
    }, 'the page is left behind');
    expect(redirect).toMatchObject({ type: 'redirect', hint: expect.stringContaining('Steps') });
    expect((await client.open(frame.url)).status).toBe(409);
    const done = await scene.takeStep(redirect);
    expect(done).toEqual({
      type: 'completed',
      txId: frame.txId,
      trackingUrl: expect.stringMatching(`^${service.url}/pay/`),
    });
  });

  it('for a bank transfer, which is kept with the order', async () => {
    const bank = await scene.reachStep('requestBankTransaction', '/EUR/BTC/sepaBankTransfer/100');
    expect(bank).toMatchObject({
      depositBankAccount: { iban: 'DE89370400440532013000', accountName: 'Steps Ltd' },
      reference: expect.stringMatching(/^REF-/),
      hint: 'Write the reference.',
    });
    expect((await rowOf(service, bank.txId)).bank).toMatchObject({ reference: bank.reference });
  });

  it('for an order that is done on the provider’s page alone', async () => {
    provider.onlyPages = true;
    try {
      const step = await scene.begin();
      expect(step).toMatchObject({ type: 'iframe', neededFeatures: 'camera' });
      const led = await client.open(step.url);
      expect(led.headers.get('location')).toMatch(new RegExp(`^${service.url}/pay/`));
      const payPage = new URL(led.headers.get('location') ?? '').pathname;
      const opened = await service.post(`${payPage}/open`, undefined, { origin: service.url });
      expect(opened.body.url).toMatch(new RegExp(`^${provider.url}/pages/step-order-`));
    } finally {
      provider.onlyPages = false;
    }
  });

  it('with the terminal step for whoever waits when the order is complete', async () => {
    const step = await scene.reachStep('wait');
    await scene.end(step.txId, 'done', 'completed');
    expect(await next(client.post(step, {}))).toMatchObject({ type: 'completed', txId: step.txId });
  });

  it('after the provider did not answer the first time: the same answers go on', async () => {
    const first = await client.firstStep(STEPPING);
    provider.answerOnce(500, {});
    const trouble = await client.post(first, FIRST);
    expect([trouble.status, trouble.body]).toEqual([502, { message: expect.any(String) }]);
    for (const other of [
      { email: 'other@example.com' },
      { partnerContext: { order: 18 } },
      { partnerContext: '{"order":17}' },
      { partnerContext: undefined },
    ])
      expect((await client.post(first, { ...FIRST, ...other })).status).toBe(409);
    expect(await next(client.post(first, FIRST))).toMatchObject({ type: 'form' });
    expect((await client.post(first, FIRST)).status).toBe(409);
  });

  it('after the provider did not answer to an answer: it may be sent again', async () => {
    const step = await scene.begin();
    provider.answerOnce(503, {});
    expect((await client.post(step, IDENTITY)).body).toEqual({ message: expect.any(String) });
    expect(await next(client.post(step, IDENTITY))).toMatchObject({ type: 'form' });
  });
});

describe('400', () => {
  it.each<[field: string, value: unknown]>([
    ['firstName', undefined],
    ['firstName', 'x'.repeat(1_001)],
    ['firstName', { a: 1 }],
    ['dateOfBirth', { year: 2001, month: 2, day: 29 }],
    ['dateOfBirth', 'yesterday'],
    ['country', 'fr'],
    ['gender', 'Other'],
    ['phoneNumber', '+49 1'],
    ['termsOfUse', false],
  ])('names %s when it is wrong, and nobody is asked', async (field, value) => {
    const step = await scene.begin();
    const before = provider.received.length;
    const { status, body } = await client.post(step, { ...IDENTITY, [field]: value });
    expect([status, body]).toEqual([400, { message: expect.any(String), field }]);
    expect(provider.received.length).toBe(before);
  });

  it('names the field that the provider does not take, and the step stays', async () => {
    const code = await scene.takeStep(await scene.begin());
    const wrong = await client.post(code, { verifyEmailCode: '654321' });
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { message: 'It is not that.', field: 'verifyEmailCode' },
    ]);
    expect((await client.post(code, { verifyEmailCode: '12345' })).body.field).toBe('verifyEmailCode');
    expect(await next(client.post(code, { verifyEmailCode: CODE }))).toMatchObject({ type: 'pickOne' });
  });
});

describe('404', () => {
  it('for another account’s key, and for an altered or foreign token', async () => {
    const step = await scene.begin();
    const stranger = stepClient(service.url, scene.other.publicKey);
    expect((await stranger.post(step, IDENTITY)).status).toBe(404);
    const token = tokenOf(step);
    const altered = { url: step.url.replace(token, token.replace('-1-', '-2-')) };
    expect((await client.post(altered, IDENTITY)).status).toBe(404);
    expect((await client.post({ url: `${service.url}/legacy/transaction/x/form/abc` }, {})).status).toBe(404);
    const back = { url: step.url.replace(token, scene.returnUrlOf(step.txId).split('/').at(-1) ?? '') };
    expect((await client.post(back, IDENTITY)).status).toBe(404);
    expect(await next(stepClient(service.url, undefined).post(step, IDENTITY))).toMatchObject({
      type: 'form',
    });
  });

  it('for a step that is taken in another way', async () => {
    const step = await scene.begin();
    const asFile = { url: step.url.replace('/form/', '/file/') };
    expect((await client.put(asFile, PNG)).status).toBe(404);
    expect((await client.open(step.url.replace('/form/', '/pay/'))).status).toBe(404);
    expect((await client.open(step.url)).status).toBe(405);
  });
});

describe('409', () => {
  it('for a step that was answered before, or is being answered', async () => {
    const step = await scene.begin();
    const release = provider.hold();
    const posts = [client.post(step, IDENTITY), client.post(step, IDENTITY)];
    const fastest = await Promise.race(posts);
    expect([fastest.status, fastest.body]).toEqual([409, { message: expect.any(String) }]);
    release();
    expect((await Promise.all(posts)).map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await client.post(step, IDENTITY)).status).toBe(409);
  });
});

describe('410', () => {
  it('for a flow that is older than a day, whose answers are erased', async () => {
    const step = await scene.begin();
    await sql`update flows set expires_at = now() - interval '1 second'
      where transaction_id = ${step.txId}`.execute(service.database);
    const { status, body } = await client.post(step, IDENTITY);
    expect([status, body]).toEqual([410, { message: expect.any(String), fatal: true }]);
    await sql`update tasks set due_at = now() where kind = 'tidy'`.execute(service.database);
    await eventually(async () => (await scene.flowOf(step.txId)).answers === null, 'the answers are erased');
    expect((await scene.flowOf(step.txId)).step).toBeNull();
  });

  it('for an order that came to nothing, and all that was said is erased with it', async () => {
    const step = await scene.begin();
    const flow = await scene.flowOf(step.txId);
    expect([flow.answers, flow.step]).toEqual([expect.any(String), expect.any(String)]);
    await scene.end(step.txId, 'lost', 'failed');
    expect(await scene.flowOf(step.txId)).toMatchObject({ answers: null, step: null });
    const { status, body } = await client.post(step, IDENTITY);
    expect([status, body.fatal]).toEqual([410, true]);
  });
});

describe('413 and 415', () => {
  it('for files that are too large, of another type, or not what they are called', async () => {
    const pick = await scene.reachStep('pickOne');
    const [passport] = pick.options;
    const large = Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024)]);
    expect((await client.put(passport, large)).status).toBe(413);
    expect((await client.put(passport, Buffer.alloc(15 * 1024 * 1024))).status).toBe(413);
    expect((await client.put(passport, Buffer.from('<svg/>'))).status).toBe(415);
    expect((await client.put(passport, PDF)).status).toBe(415);
    const lied = `data:image/png;base64,${Buffer.from('GIF89a').toString('base64')}`;
    expect((await client.post(passport, lied)).status).toBe(415);
    expect((await client.put(passport, Buffer.alloc(0))).status).toBe(415);
    expect(await next(client.put(passport, PNG))).toMatchObject({ type: 'file' });
  });
});

describe('422', () => {
  it('for an order the provider refuses, which is written down', async () => {
    const first = await client.firstStep(STEPPING);
    provider.answerOnce(422, { message: 'Not in this town' });
    const { status, body } = await client.post(first, FIRST);
    expect([status, body]).toEqual([422, { message: 'Not in this town', fatal: true }]);
    expect((await client.post(first, FIRST)).status).toBe(410);
  });

  it('for an answer after which the provider refuses the order', async () => {
    const step = await scene.begin();
    provider.answerOnce(400, { message: 'Too young' });
    const { status, body } = await client.post(step, IDENTITY);
    expect([status, body]).toEqual([422, { message: 'Too young', fatal: true }]);
    expect(await rowOf(service, step.txId)).toMatchObject({ status: 'failed', reason: 'Too young' });
    expect(await scene.flowOf(step.txId)).toMatchObject({ answers: null, step: null });
  });
});

describe('422 that ends nothing by itself', () => {
  it('for an order that came to nothing before: its provider says how, and nobody else', async () => {
    const step = await scene.begin();
    provider.say(step.txId, 'off');
    provider.answerOnce(409, { message: 'The order is canceled', isOver: true });
    const { status, body } = await client.post(step, IDENTITY);
    expect([status, body]).toEqual([422, { message: 'The order is canceled', fatal: true }]);
    await reaches(service, step.txId, 'canceled');
    expect(await statusesOf(service, step.txId)).toEqual(['new', 'canceled']);
  });

  it('for an answer that is refused when the order is paid', async () => {
    const step = await scene.begin();
    provider.say(step.txId, 'taken');
    await makeDue(service, step.txId);
    await reaches(service, step.txId, 'paid');
    provider.answerOnce(400, { message: 'Too young' });
    expect((await client.post(step, IDENTITY)).status).toBe(422);
    expect((await rowOf(service, step.txId)).status).toBe('paid');
  });
});

describe('502', () => {
  it('for a page that is not the provider’s own', async () => {
    const step = await scene.begin();
    provider.answerOnce(200, { id: 'x', step: { type: 'iframe', key: 'x', url: 'https://evil.example/' } });
    expect((await client.post(step, IDENTITY)).status).toBe(502);
  });
});

describe('what a person says', () => {
  it('stands in no URL, no log line and no row', async () => {
    const done = await scene.reachStep('completed');
    expect(done.type).toBe('completed');
    const { rows } = await sql<{ row: string }>`
      select row_to_json(t)::text as row from transactions t
      union all select row_to_json(f)::text from flows f
      union all select row_to_json(e)::text from events e
      union all select row_to_json(n)::text from notices n
      union all select row_to_json(k)::text from tasks k`.execute(service.database);
    const stored = rows.map(({ row }) => row).join('\n');
    const places = { urls: client.urls.join('\n'), logs: service.logged(), rows: stored };
    const canaries = [CANARY.email, CANARY.firstName, CANARY.phone, '1984-02-29', CODE];
    for (const [place, text] of Object.entries(places)) {
      const found = canaries.filter(
        canary => text.includes(canary) || text.includes(encodeURIComponent(canary)),
      );
      expect([place, found]).toEqual([place, []]);
    }
    expect(places.urls).not.toContain(WALLET);
    expect(places.logs).not.toContain(WALLET);
  });
});
