/** A purchase by steps at a provider that asks everything through us, and a person who takes them. */
import { expect } from 'vitest';
import { type Credentials, createAccount } from '../../src/app/accounts.ts';
import type { Status } from '../../src/domain/transaction.ts';
import { makeDatabase, type Reply } from '../service.ts';
import { eventually } from './patience.ts';
import { type AnyStep, type StepClient, stepClient } from './steps-client.ts';
import { CODE, STEPPING, type StepProvider, startStepProvider } from './steps-provider.ts';
import { type Instance, startInstance } from './world.ts';
import { makeDue, reaches, WALLET } from './world-orders.ts';

/** Texts that stand nowhere else: whoever finds one has found an answer. */
export const CANARY = {
  email: 'canary.person@example.com',
  firstName: 'Canaryfirstname',
  year: '1984',
  phone: '4915550009911',
};
export const FIRST = { email: CANARY.email, cryptocurrencyAddress: WALLET, partnerContext: { order: 17 } };
export const IDENTITY = {
  firstName: CANARY.firstName,
  dateOfBirth: { year: 1984, month: 2, day: 29 },
  country: 'de',
  state: 'undefined',
  gender: 'Female',
  phoneNumber: CANARY.phone,
  termsOfUse: true,
};
export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452ca4a27f1', 'hex');
export const PDF = Buffer.from('%PDF-1.7 canary');

export interface StepScene {
  provider: StepProvider;
  service: Instance;
  /** Whose key the client sends, and somebody else. */
  shop: Credentials;
  other: Credentials;
  client: StepClient;
  /** Answers the first step; the provider's own first one. */
  begin(path?: string): Promise<AnyStep>;
  /** Goes through the story up to a step of this type. */
  reachStep(type: string, path?: string): Promise<AnyStep>;
  takeStep(step: AnyStep): Promise<AnyStep>;
  /** Asks until a wait is over. */
  waited(step: AnyStep): Promise<AnyStep>;
  /** Comes back from a page: what the page that shows the steps is told. */
  comeBack(step: AnyStep): Promise<AnyStep>;
  returnUrlOf(txId: string): string;
  flowOf(txId: string): Promise<{ answers: string | null; step: string | null }>;
  /** Has the provider tell what became of an order. */
  end(txId: string, word: string, status: Status): Promise<void>;
  close(): Promise<void>;
}

/** The next step, which must come. */
export async function next(reply: Promise<Reply>): Promise<AnyStep> {
  const { status, body, text } = await reply;
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body;
}

export async function startStepScene(): Promise<StepScene> {
  const provider = await startStepProvider();
  const { url, drop } = await makeDatabase();
  const service = await startInstance({
    databaseUrl: url,
    env: { SANDBOX: 'off', DEFAULT_COUNTRY: 'DE' },
    plans: [provider.plan],
  });
  const [shop, other] = await Promise.all([newAccount('shop'), newAccount('other')]);
  const client = stepClient(service.url, shop.publicKey);

  async function newAccount(name: string): Promise<Credentials> {
    const made = await createAccount(service.database, { name, environment: 'test' });
    await eventually(
      async () => (await service.get('/legacy/gateways', { authorization: made.publicKey })).status === 200,
      'the account is known',
    );
    return made;
  }

  const begin = async (path?: string) =>
    next(client.post(await client.firstStep(STEPPING, path), FIRST)) as Promise<AnyStep>;

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

  return {
    ...{ provider, service, shop, other, client },
    ...{ begin, takeStep, waited, comeBack, returnUrlOf },
    async reachStep(type, path) {
      let step = await begin(path);
      for (let turns = 0; turns < 12; turns++) {
        if (step.type === type) return step;
        step = await takeStep(step);
      }
      throw new Error(`no step is a ${type}`);
    },
    flowOf: txId =>
      service.database
        .selectFrom('flows')
        .selectAll()
        .where('transaction_id', '=', txId)
        .executeTakeFirstOrThrow(),
    async end(txId, word, status) {
      provider.say(txId, word);
      await makeDue(service, txId);
      await reaches(service, txId, status);
    },
    async close() {
      await service.close();
      await drop();
      await provider.close();
    },
  };
}
