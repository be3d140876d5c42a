/** The purchase by steps at a provider that asks everything through us: every type of step, in order and once. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Credentials, createAccount } from '../../src/app/accounts.ts';
import type { Status } from '../../src/domain/transaction.ts';
import { makeDatabase, type Reply } from '../service.ts';
import { eventually } from './patience.ts';
import { type AnyStep, type StepClient, stepClient, tokenOf } from './steps-client.ts';
import { CODE, STEPPING, type StepProvider, startStepProvider } from './steps-provider.ts';
import { type Instance, startInstance } from './world.ts';
import { makeDue, reaches, rowOf, WALLET } from './world-orders.ts';

/** Texts that stand nowhere else: whoever finds one has found an answer. */
const CANARY = {
  email: 'canary.person@example.com',
  firstName: 'Canaryfirstname',
  year: '1984',
  phone: '4915550009911',
};
const FIRST = { email: CANARY.email, cryptocurrencyAddress: WALLET, partnerContext: { order: 17 } };
const IDENTITY = {
  firstName: CANARY.firstName,
  dateOfBirth: { year: 1984, month: 2, day: 29 },
  country: 'de',
  state: 'undefined',
  gender: 'Female',
  phoneNumber: CANARY.phone,
  termsOfUse: true,
};
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452ca4a27f1', 'hex');
const PDF = Buffer.from('%PDF-1.7 canary');

let provider: StepProvider;
let service: Instance;
let drop: () => Promise<void>;
let shop: Credentials;
let other: Credentials;
let client: StepClient;

beforeAll(async () => {
  provider = await startStepProvider();
  const made = await makeDatabase();
  drop = made.drop;
  service = await startInstance({
    databaseUrl: made.url,
    env: { SANDBOX: 'off', DEFAULT_COUNTRY: 'DE' },
    plans: [provider.plan],
  });
  [shop, other] = await Promise.all([newAccount('shop'), newAccount('other')]);
  client = stepClient(service.url, shop.publicKey);
});
afterAll(async () => {
  await service.close();
  await drop();
  await provider.close();
});

async function newAccount(name: string): Promise<Credentials> {
  const made = await createAccount(service.database, { name, environment: 'test' });
  await eventually(
    async () => (await service.get('/legacy/gateways', { authorization: made.publicKey })).status === 200,
    'the account is known',
  );
  return made;
}

/** The next step, which must come. */
async function next(reply: Promise<Reply>): Promise<AnyStep> {
  const { status, body, text } = await reply;
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body;
}

const begin = async (path?: string) =>
  next(client.post(await client.firstStep(STEPPING, path), FIRST)) as Promise<AnyStep>;

/** Goes through the story up to a step of this type. */
async function reachStep(type: string, path?: string): Promise<AnyStep> {
  let step = await begin(path);
  for (let turns = 0; turns < 12; turns++) {
    if (step.type === type) return step;
    step = await takeStep(step);
  }
  throw new Error(`no step is a ${type}`);
}

async function takeStep(step: AnyStep): Promise<AnyStep> {
  if (step.type === 'form')
    return next(
      client.post(step, { ...IDENTITY, verifyEmailCode: CODE }, { origin: 'https://shop.example' }),
    );
  if (step.type === 'pickOne') return next(client.put(step.options[0].nextStep, PNG));
  if (step.type === 'file') return next(client.put(step, PNG));
  provider.pass();
  if (step.type === 'wait') return waited(step);
  return comeBack(step);
}

async function waited(step: AnyStep): Promise<AnyStep> {
  let found = step;
  await eventually(async () => {
    found = await next(client.post(step, {}));
    return found.type !== 'wait';
  }, 'the wait is over');
  return found;
}

/** Comes back from a page: what the page that shows the steps is told. */
async function comeBack({ txId }: AnyStep): Promise<AnyStep> {
  const { text, status } = await client.open(returnUrlOf(txId));
  expect([status, text]).toEqual([200, expect.any(String)]);
  const told = / data-step="([^"]*)"/.exec(text)?.[1] ?? '';
  return JSON.parse(told.replaceAll('&quot;', '"').replaceAll('&#34;', '"').replaceAll('&amp;', '&'));
}

function returnUrlOf(txId: string): string {
  const begun = provider.received
    .filter(({ path }) => path === '/orders')
    .map(({ body }) => JSON.parse(body.toString()))
    .find(({ reference }) => reference === txId);
  return begun.returnUrl;
}

async function flowOf(txId: string) {
  return service.database
    .selectFrom('flows')
    .selectAll()
    .where('transaction_id', '=', txId)
    .executeTakeFirstOrThrow();
}

/** Has the provider tell what became of an order. */
async function end(txId: string, word: string, status: Status): Promise<void> {
  provider.say(txId, word);
  await makeDue(service, txId);
  await reaches(service, txId, status);
}

describe('200', () => {
  it('for a form of every kind of field, and what was said goes to the provider at once', async () => {
    const step = await begin();
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
    const pick = await reachStep('pickOne');
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
    const step = await reachStep('wait');
    const before = provider.received.length;
    const polls = await Promise.all(Array.from({ length: 20 }, () => next(client.post(step, {}))));
    expect(new Set(polls.map(({ url }) => url))).toEqual(new Set([step.url]));
    expect(provider.received.length - before).toBeLessThanOrEqual(1);
    provider.pass();
    expect(await waited(step)).toMatchObject({ type: 'iframe' });
  });

  it('for pages in a frame and in a window, back through our own page, to the end', async () => {
    const frame = await reachStep('iframe');
    expect(frame).toMatchObject({ fullscreen: true, neededFeatures: 'camera' });
    const led = await client.open(frame.url);
    expect([led.status, led.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(`^${provider.url}/pages/card/`),
    ]);
    expect(await comeBack(frame)).toMatchObject({ type: 'iframe', url: frame.url });
    provider.pass();
    let redirect = frame;
    await eventually(async () => {
      redirect = await comeBack(frame);
      return redirect.type !== 'iframe';
    }, 'the page is left behind');
    expect(redirect).toMatchObject({ type: 'redirect', hint: expect.stringContaining('Steps') });
    expect((await client.open(frame.url)).status).toBe(409);
    const done = await takeStep(redirect);
    expect(done).toEqual({
      type: 'completed',
      txId: frame.txId,
      trackingUrl: expect.stringMatching(`^${service.url}/pay/`),
    });
  });

  it('for a bank transfer, which is kept with the order', async () => {
    const bank = await reachStep('requestBankTransaction', '/EUR/BTC/sepaBankTransfer/100');
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
      const step = await begin();
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
    const step = await reachStep('wait');
    await end(step.txId, 'done', 'completed');
    expect(await next(client.post(step, {}))).toMatchObject({ type: 'completed', txId: step.txId });
  });

  it('after the provider did not answer the first time: the same answers go on', async () => {
    const first = await client.firstStep(STEPPING);
    provider.answerOnce(500, {});
    const trouble = await client.post(first, FIRST);
    expect([trouble.status, trouble.body]).toEqual([502, { message: expect.any(String) }]);
    expect((await client.post(first, { ...FIRST, email: 'other@example.com' })).status).toBe(409);
    expect(await next(client.post(first, FIRST))).toMatchObject({ type: 'form' });
    expect((await client.post(first, FIRST)).status).toBe(409);
  });

  it('after the provider did not answer to an answer: it may be sent again', async () => {
    const step = await begin();
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
    const step = await begin();
    const before = provider.received.length;
    const { status, body } = await client.post(step, { ...IDENTITY, [field]: value });
    expect([status, body]).toEqual([400, { message: expect.any(String), field }]);
    expect(provider.received.length).toBe(before);
  });

  it('names the field that the provider does not take, and the step stays', async () => {
    const code = await takeStep(await begin());
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
    const step = await begin();
    const stranger = stepClient(service.url, other.publicKey);
    expect((await stranger.post(step, IDENTITY)).status).toBe(404);
    const token = tokenOf(step);
    const altered = { url: step.url.replace(token, token.replace('-1-', '-2-')) };
    expect((await client.post(altered, IDENTITY)).status).toBe(404);
    expect((await client.post({ url: `${service.url}/legacy/transaction/x/form/abc` }, {})).status).toBe(404);
    const back = { url: step.url.replace(token, returnUrlOf(step.txId).split('/').at(-1) ?? '') };
    expect((await client.post(back, IDENTITY)).status).toBe(404);
    expect(await next(stepClient(service.url, undefined).post(step, IDENTITY))).toMatchObject({
      type: 'form',
    });
  });

  it('for a step that is taken in another way', async () => {
    const step = await begin();
    const asFile = { url: step.url.replace('/form/', '/file/') };
    expect((await client.put(asFile, PNG)).status).toBe(404);
    expect((await client.open(step.url.replace('/form/', '/pay/'))).status).toBe(404);
    expect((await client.open(step.url)).status).toBe(405);
  });
});

describe('409', () => {
  it('for a step that was answered before, or is being answered', async () => {
    const step = await begin();
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
    const step = await begin();
    await sql`update flows set expires_at = now() - interval '1 second'
      where transaction_id = ${step.txId}`.execute(service.database);
    const { status, body } = await client.post(step, IDENTITY);
    expect([status, body]).toEqual([410, { message: expect.any(String), fatal: true }]);
    await sql`update tasks set due_at = now() where kind = 'tidy'`.execute(service.database);
    await eventually(async () => (await flowOf(step.txId)).answers === null, 'the answers are erased');
    expect((await flowOf(step.txId)).step).toBeNull();
  });

  it('for an order that came to nothing, and all that was said is erased with it', async () => {
    const step = await begin();
    const flow = await flowOf(step.txId);
    expect([flow.answers, flow.step]).toEqual([expect.any(String), expect.any(String)]);
    await end(step.txId, 'lost', 'failed');
    expect(await flowOf(step.txId)).toMatchObject({ answers: null, step: null });
    const { status, body } = await client.post(step, IDENTITY);
    expect([status, body.fatal]).toEqual([410, true]);
  });
});

describe('413 and 415', () => {
  it('for files that are too large, of another type, or not what they are called', async () => {
    const pick = await reachStep('pickOne');
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
    const step = await begin();
    provider.answerOnce(400, { message: 'Too young' });
    const { status, body } = await client.post(step, IDENTITY);
    expect([status, body]).toEqual([422, { message: 'Too young', fatal: true }]);
    expect(await rowOf(service, step.txId)).toMatchObject({ status: 'failed', reason: 'Too young' });
    expect(await flowOf(step.txId)).toMatchObject({ answers: null, step: null });
  });
});

describe('502', () => {
  it('for a page that is not the provider’s own', async () => {
    const step = await begin();
    provider.answerOnce(200, { id: 'x', step: { type: 'iframe', key: 'x', url: 'https://evil.example/' } });
    expect((await client.post(step, IDENTITY)).status).toBe(502);
  });
});

describe('what a person says', () => {
  it('stands in no URL, no log line and no row', async () => {
    const done = await reachStep('completed');
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
