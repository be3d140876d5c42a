/** A ramp that speaks openramp, added by the operator while the service runs: quotes, both kinds of checkout, every step. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSeal } from '../../src/app/seal.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { putSetting } from '../../src/store/providers.ts';
import { eventually } from './patience.ts';
import { runProvider } from './provider-command.ts';
import { type AnyStep, type StepClient, stepClient } from './steps-client.ts';
import { MASTER_KEY, startWorld, type World } from './world.ts';
import { bodyOf, openPage, order, reaches, rowOf, statusesOf, WALLET } from './world-orders.ts';
import { introduce, press, visit } from './world-person.ts';

const ACME = 'acme' as ProviderId;
const OPENRAMP = 'openramp' as ProviderId;
const KEY = 'openramp-sandbox-key';
const SECRET = 'whsec_b3BlbnJhbXAtc2FuZGJveC13ZWJob29rLXNlY3JldA==';

let world: World;
let client: StepClient;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: '10000' }, { byHand: true });
  client = stepClient(world.url, world.key);
  await runProvider(world, 'add', 'openramp', '--id', 'acme', '--name', 'Acme Ramp', ...urls());
  await runProvider(world, 'set', 'acme', 'apiKey', KEY);
  await runProvider(world, 'set', 'acme', 'webhookSecret', SECRET);
  await eventually(async () => (await listed()).includes('acme'), 'acme is listed');
});
afterAll(() => world?.close());

const urls = () => [
  ...['--url', `${world.gate.url}/openramp/api`],
  ...['--pages-url', `${world.gate.url}/openramp/pages/`],
];

async function listed(key = world.key): Promise<string[]> {
  const { body } = await world.get('/supported/onramps/all', { authorization: key });
  return body.message.map(({ id }: { id: string }) => id);
}

/** Lets everything happen at the ramp that happens by itself. */
function passWhile(): void {
  for (let seconds = 0; seconds < 8; seconds++) world.pass(1_000);
}

interface Quoted {
  ramp: string;
  payout?: number;
  errors?: unknown[];
}

async function quotes(amount: number): Promise<Quoted[]> {
  const path = `/quotes/eur/btc?amount=${amount}&country=de&paymentMethod=creditcard&errors=all`;
  return (await world.get(path, { authorization: world.key })).body;
}

describe('200', () => {
  it('lists it by its name, with an icon that stands for all that were added', async () => {
    const { body } = await world.get('/supported/onramps/all', { authorization: world.key });
    const entry = body.message.find(({ id }: { id: string }) => id === 'acme');
    expect(entry.displayName).toBe('Acme Ramp');
    for (const url of [entry.icon, ...Object.values(entry.icons.png as Record<string, string>)]) {
      const path = new URL(url).pathname;
      const { status, text } = await world.get(path);
      expect([status, text]).toEqual([200, (await world.get(path.replace('acme', 'openramp'))).text]);
    }
    expect((await world.get('/icons/onramp/nobody.svg')).status).toBe(404);
  });

  it('quotes it beside all others, and when it breaks it costs its own quote only', async () => {
    const all = await quotes(120);
    const payouts = (ramp: string) => all.filter(quote => quote.ramp === ramp).map(({ payout }) => payout);
    expect(payouts('acme')).toEqual(payouts('openramp'));
    expect(payouts('acme')[0]).toBeGreaterThan(0);
    world.gate.answer(OPENRAMP, { part: '/quotes', status: 200, body: '<html>' });
    const after = await quotes(121);
    world.gate.answer(OPENRAMP, undefined);
    const broken = after.filter(({ errors }) => errors).map(({ ramp }) => ramp);
    expect(broken.sort()).toEqual(['acme', 'openramp']);
    expect(after.filter(({ payout }) => payout).length).toBe(all.length - 2);
  });

  it('completes a checkout of the current surface through its hosted page, told by its own webhooks', async () => {
    const made = await order(world, bodyOf(ACME));
    let page = await introduce(await visit(await openPage(world, made)));
    expect(page.stage).toBe('card');
    page = await press(page, 'card', { number: '4242 4242 4242 4242' });
    expect((await press(page, 'approve')).stage).toBe('progress');
    await reaches(world, made.id, 'paid');
    passWhile();
    await reaches(world, made.id, 'completed');
    expect(await statusesOf(world, made.id)).toEqual(['new', 'pending', 'paid', 'completed']);
    const row = await rowOf(world, made.id);
    expect([row.provider, row.theirs, row.hash]).toEqual([
      'acme',
      expect.stringMatching(/^[\w-]{36}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
  });

  it('sells: the coins go where the ramp says', async () => {
    const made = await order(world, bodyOf(ACME, 'sell', { paymentMethod: 'sepabanktransfer' }));
    const page = await introduce(await visit(await openPage(world, made)));
    expect(page.stage).toBe('deposit');
    await eventually(async () => (await rowOf(world, made.id)).deposit !== null, 'the deposit is known');
    await press(page, 'deposit');
    passWhile();
    await reaches(world, made.id, 'completed');
  });
});

/** What a person has at hand, by the names of fields. */
const PERSON: Record<string, unknown> = {
  ...{ email: 'canary.person@example.com', cryptocurrencyAddress: WALLET },
  ...{ verifyEmailCode: '123456', verifyPhoneCode: '123456' },
  ...{ firstName: 'Canary', lastName: 'Person', dateOfBirth: { year: 1998, month: 1, day: 1 } },
  ...{ street: 'Canarystreet 1', town: 'Berlin', postCode: '10115', country: 'DE' },
  ...{ phoneCountryCode: 49, phoneNumber: 3012345, termsOfUse: true },
};
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** Goes on from a step, knowing nothing but what it says. */
async function goOn(step: AnyStep): Promise<AnyStep> {
  switch (step.type) {
    case 'form': {
      const names = step.data.map(({ name }: { name: string }) => name);
      const body = Object.fromEntries(names.map((name: string) => [name, PERSON[name]]));
      return (await client.post(step, body)).body;
    }
    case 'file':
      return (await client.put(step, PNG)).body;
    case 'pickOne':
      return step.options[1].nextStep;
    case 'iframe':
    case 'redirect':
      return throughPage(step);
    case 'wait':
      passWhile();
      return (await client.post(step, {})).body;
    default:
      throw new Error(`nothing leads on from ${JSON.stringify(step)}`);
  }
}

/** A page of the ramp's, which leads back to one of ours that tells of the next step. */
async function throughPage(step: AnyStep): Promise<AnyStep> {
  const led = await client.open(step.url);
  const page = await visit(led.headers.get('location') ?? '');
  const back = await press(page, page.stage === 'card' ? 'card' : 'approve');
  expect(new URL(back.url).origin).toBe(world.url);
  const [, told = ''] = /data-step="([^"]*)"/.exec(back.text) ?? [];
  return JSON.parse(told.replace(/&(quot|amp|lt|gt|#39);/g, (_, sign) => SIGNS[sign] ?? ''));
}

const SIGNS: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>', '#39': "'" };

/** From the rates to the last step; the types of all of them. */
async function walk(path: string): Promise<{ types: string[]; last: AnyStep; txId: string }> {
  let step = await client.firstStep('acme', path);
  const types: string[] = [step.type];
  let txId = '';
  while (step.type !== 'completed' && step.type !== 'requestBankTransaction') {
    step = await goOn(step);
    txId = step.txId ?? txId;
    if (types.at(-1) !== 'wait' || step.type !== 'wait') types.push(step.type);
    if (types.length > 20) throw new Error(`no end: ${types.join(', ')}`);
  }
  return { types, last: step, txId };
}

describe('200 by steps', () => {
  it('goes from the rates to a bank transfer, whose money arrives', async () => {
    const { types, last, txId } = await walk('/EUR/BTC/sepaBankTransfer/500');
    expect(types).toEqual(['form', 'form', 'form', 'form', 'requestBankTransaction']);
    expect(last.depositBankAccount.iban).toBe('DE89370400440532013000');
    expect(last.reference).toMatch(/^[0-9A-F]{10}$/);
    passWhile();
    await reaches(world, txId, 'completed');
  });

  it('goes with documents, a card in a frame and 3-D Secure in a window to the end', async () => {
    const { types, txId } = await walk('/EUR/BTC/creditCard/1500');
    expect(types).toEqual([
      ...['form', 'form', 'form', 'form', 'pickOne', 'file', 'file', 'file'],
      ...['iframe', 'redirect', 'wait', 'completed'],
    ]);
    await reaches(world, txId, 'completed');
  });

  it('asks less for less: an e-mail code and the card', async () => {
    const { types } = await walk('/EUR/BTC/creditCard/100');
    expect(types).toEqual(['form', 'form', 'iframe', 'redirect', 'wait', 'completed']);
  });

  it('goes on with what the ramp asks now, where another document came to it before and we did not hear so', async () => {
    let step = await client.firstStep('acme', '/EUR/BTC/creditCard/1500');
    while (step.type !== 'pickOne') step = await goOn(step);
    const { theirs } = await rowOf(world, step.txId);
    const sent = await fetch(`${world.gate.url}/openramp/api/orders/${theirs}/steps/passport`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${KEY}`, 'openramp-version': '1', 'content-type': 'image/png' },
      body: PNG,
    });
    const taken = (await sent.json()) as AnyStep;
    expect(await client.put(step.options[1].nextStep, PNG)).toMatchObject({
      status: 200,
      body: { type: taken.step.type, humanName: taken.step.humanName, txId: step.txId },
    });
  });

  it('lets no answer of the person into a URL or the log', () => {
    const shown = [client.urls.join('\n'), world.logged()].join('\n');
    expect(shown).not.toMatch(/canary/i);
  });
});

describe('400 by steps', () => {
  it('names the field that is wrong, and takes it again', async () => {
    const first = await client.firstStep('acme', '/EUR/BTC/creditCard/100');
    const code = await goOn(first);
    const { status, body } = await client.post(code, { verifyEmailCode: '000000' });
    expect([status, body]).toEqual([400, { message: 'The code is not right', field: 'verifyEmailCode' }]);
    expect((await goOn(code)).type).toBe('iframe');
  });

  it('is fatal when the ramp refuses the person, and says why', async () => {
    const identity = await goOn(await goOn(await client.firstStep('acme', '/EUR/BTC/creditCard/500')));
    const { body } = await client.post(identity, { ...PERSON, lastName: 'Deny' });
    expect(body).toMatchObject({ fatal: true, message: 'Identity verification was rejected' });
  });
});

describe('an operator', () => {
  it.each([
    [['openramp', '--id', 'Acme!', '--url', 'https://acme.example'], /id must be/],
    [['openramp', '--id', 'moonpay', '--url', 'https://acme.example'], /there is a provider named moonpay/],
    [['openramp', '--id', 'acme', '--url', 'https://acme.example'], /there is a provider named acme/],
    [['openramp', '--id', 'other', '--url', 'http://acme.example'], /must begin with https/],
    [['openramp', '--id', 'other', '--url', 'https://me:pw@acme.example'], /must hold no user/],
    [['openramp', '--id', 'other', '--url', 'https://acme.example/?a=b'], /must hold no user, query/],
    [['openramp', '--id', 'other', '--url', 'https://acme.invalid'], /cannot exist/],
    [['otherramp', '--id', 'other', '--url', 'https://acme.example'], /no protocol is named otherramp/],
  ])('cannot add %j', async (words, why) => {
    await expect(runProvider(world, 'add', ...words)).rejects.toThrow(why);
  });

  it('cannot send the built-in one anywhere, whatever is set', async () => {
    await expect(runProvider(world, 'set', 'openramp', 'apiKey', 'x', '--live')).rejects.toThrow(
      /in the sandbox only/,
    );
    const seal = createSeal(Buffer.from(MASTER_KEY, 'hex'), 'provider-settings');
    for (const environment of ['live', 'test'] as const)
      await putSetting(world.database, {
        ...{ provider: OPENRAMP, environment, name: 'apiKey' },
        sealed: seal.close(KEY, `openramp:${environment}:apiKey`),
      });
    const { publicKey } = await world.newAccount({ environment: 'live' });
    await eventually(async () => (await quotes(130)).some(({ ramp }) => ramp === 'openramp'), 'it is there');
    expect(await listed(publicKey)).not.toContain('openramp');
    expect((await quotes(131)).find(({ ramp }) => ramp === 'openramp')?.payout).toBeGreaterThan(0);
  });

  it('cannot take it away while people are at it, unless by force; what was recorded stays', async () => {
    const { id } = await order(world, bodyOf(ACME));
    await expect(runProvider(world, 'remove', 'acme')).rejects.toThrow(/unfinished transaction/);
    await expect(runProvider(world, 'remove', 'moonpay')).rejects.toThrow(/no provider that was added/);
    await runProvider(world, 'remove', 'acme', '--force');
    await eventually(async () => !(await listed()).includes('acme'), 'acme is gone');
    expect((await rowOf(world, id)).provider).toBe('acme');
    const { secret } = world.account;
    const headers = { authorization: world.key, 'x-service-secret': secret };
    expect((await world.get(`/transactions/${id}`, headers)).status).toBe(200);
    const left = await world.database
      .selectFrom('provider_settings')
      .selectAll()
      .where('provider', '=', 'acme')
      .execute();
    expect(left).toEqual([]);
    const { status } = await world.post('/checkout/intent', bodyOf(ACME), { authorization: world.key });
    expect(status).toBe(400);
    expect((await world.get('/icons/onramp/acme.svg')).status).toBe(404);
  });
});
