/** A provider that asks everything through us: a small server with one story of every step, and the adapter to it. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderPlan } from '../../src/app/lines.ts';
import { decimal, ZERO } from '../../src/domain/money.ts';
import type { Step } from '../../src/domain/step.ts';
import type { MethodId, NetworkId, ProviderId } from '../../src/domain/words.ts';
import type { Adapter, Page, Stage, Wrong } from '../../src/providers/contract.ts';
import { exchange, type HttpAnswer } from '../../src/providers/exchange.ts';

export const STEPPING = 'mercuryo' as ProviderId;
export const CODE = '123456';

export interface StepProvider {
  url: string;
  plan: ProviderPlan;
  /** What it was sent, in order; not how often it was asked what became of an order, for that happens when it likes. */
  received: { path: string; body: Buffer; type: string | undefined }[];
  /** How the next call is answered instead, once; not a question what became of an order. */
  answerOnce(status: number, body: unknown): void;
  /** Holds answers back until it is called again. */
  hold(): () => void;
  /** Lets those who wait, or are at a page, go on. */
  pass(): void;
  /** Says what became of an order, when it is asked. */
  say(reference: string, word: string): void;
  /** Orders begun from now on are done on its page alone. */
  onlyPages: boolean;
  close(): Promise<void>;
}

interface TheirOrder {
  id: string;
  reference: string;
  returnUrl: string;
  isBank: boolean;
  at: number;
  word: string;
}

/** About what the stand-ins ask: a price far from the others is not believed. */
const PRICE = decimal(90_000);

export async function startStepProvider(): Promise<StepProvider> {
  const orders = new Map<string, TheirOrder>();
  const received: StepProvider['received'] = [];
  let instead: { status: number; body: unknown } | undefined;
  let held: Promise<void> = Promise.resolve();
  let mayPass = false;

  const answerOf = (order: TheirOrder) => ({ id: order.id, step: storyOf(order, address())[order.at] });

  function begin(body: Buffer): unknown {
    const { reference, returnUrl, method } = JSON.parse(body.toString());
    const known = [...orders.values()].find(order => order.reference === reference);
    const id = known?.id ?? `step-order-${orders.size + 1}`;
    const order = known ?? { id, reference, returnUrl, isBank: method === 'sepa', at: 0, word: 'open' };
    orders.set(id, order);
    return provider.onlyPages ? { id, page: `${address()}/pages/${id}` } : answerOf(order);
  }

  function answer(order: TheirOrder, body: Buffer): unknown {
    const { key, values } = JSON.parse(body.toString());
    if (key === 'code' && values.verifyEmailCode !== CODE) return { wrong: 'verifyEmailCode' };
    order.at += 1;
    return answerOf(order);
  }

  function next(order: TheirOrder): unknown {
    if (mayPass) order.at += 1;
    mayPass = false;
    return answerOf(order);
  }

  function serve(path: string, method: string | undefined, body: Buffer): unknown {
    const { pathname, searchParams } = new URL(path, 'http://steps');
    const [, , id = '', what] = pathname.split('/');
    if (searchParams.has('reference'))
      return [...orders.values()].filter(({ reference }) => reference === searchParams.get('reference'));
    if (!id) return begin(body);
    const order = orders.get(id);
    if (!order) return undefined;
    if (what === 'next') return next(order);
    if (method === 'POST') return answer(order, body);
    order.at += 1;
    return answerOf(order);
  }

  const server = createServer(async (request, response) => {
    const body = await bytesOf(request);
    const path = request.url ?? '';
    const isLookUp = path.includes('?reference=');
    if (!isLookUp) received.push({ path, body, type: request.headers['content-type'] });
    await held;
    const once = isLookUp ? undefined : instead;
    if (!isLookUp) instead = undefined;
    const found = once ? once.body : serve(path, request.method, body);
    response.writeHead(once?.status ?? (found === undefined ? 404 : 200), {
      'content-type': 'application/json',
    });
    response.end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const provider: StepProvider = {
    url: address(),
    plan: { adapter: adapterAt(address()), standinSettings: {} },
    received,
    onlyPages: false,
    answerOnce(status, body) {
      instead = { status, body };
    },
    hold() {
      let release = () => {};
      held = new Promise(resolve => {
        release = resolve;
      });
      return release;
    },
    pass() {
      mayPass = true;
    },
    say(reference, word) {
      for (const order of orders.values()) if (order.reference === reference) order.word = word;
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return provider;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat((await request.toArray()) as Buffer[]);
}

/** Every step there is, one after the other. */
function storyOf({ id, isBank }: TheirOrder, url: string): Step[] {
  const last: Step = isBank
    ? {
        type: 'requestBankTransaction',
        account: {
          iban: 'DE89370400440532013000',
          bic: 'COBADEFFXXX',
          bankName: 'Bank',
          bankAddress: 'Street 1',
          accountName: 'Steps Ltd',
          accountAddress: 'Street 2',
        },
        reference: `REF-${id}`,
        hint: 'Write the reference.',
      }
    : { type: 'completed' };
  return [
    {
      type: 'form',
      key: 'identity',
      title: 'Who you are',
      humanName: 'Identity',
      description: 'As in your passport.',
      fields: [
        { type: 'string', name: 'firstName', humanName: 'First name' },
        { type: 'date', name: 'dateOfBirth', humanName: 'Date of birth', hint: 'Yours.' },
        {
          type: 'select',
          name: 'country',
          humanName: 'Country',
          options: [{ value: 'de', humanName: 'Germany' }],
        },
        { type: 'string', name: 'state', humanName: 'State', required: false },
        { type: 'choice', name: 'gender', humanName: 'Gender', options: ['Female', 'Male'] },
        { type: 'integer', name: 'phoneNumber', humanName: 'Phone number' },
        {
          type: 'boolean',
          name: 'termsOfUse',
          humanName: 'Terms of use',
          terms: [{ url: `${url}/terms`, humanName: 'Terms' }],
        },
      ],
    },
    {
      type: 'form',
      key: 'code',
      fields: [{ type: 'string', name: 'verifyEmailCode', humanName: 'Code' }],
    },
    {
      type: 'pickOne',
      humanName: 'A document',
      options: [
        {
          title: 'Passport',
          description: 'Its first page.',
          step: {
            type: 'file',
            key: 'passport',
            humanName: 'Passport',
            accepts: ['image/jpeg', 'image/png'],
          },
        },
        {
          title: 'Licence',
          step: { type: 'file', key: 'licence', humanName: 'Licence', accepts: ['application/pdf'] },
        },
      ],
    },
    {
      type: 'file',
      key: 'selfie',
      humanName: 'Selfie',
      hint: 'Smile.',
      accepts: ['image/jpeg', 'image/png'],
    },
    { type: 'wait', message: 'We look at it.' },
    { type: 'iframe', key: 'card', url: `${url}/pages/card/${id}` },
    { type: 'redirect', key: 'bank', url: `${url}/pages/bank/${id}` },
    last,
  ];
}

interface TheirAnswer {
  id: string;
  step?: Step;
  page?: string;
  wrong?: string;
}

function readStage({ body }: HttpAnswer): Stage | Page {
  const { id, step, page } = body as Required<TheirAnswer>;
  return page === undefined ? { kind: 'stage', step, theirs: id } : { kind: 'page', url: page, theirs: id };
}

function readStageOrWrong(answer: HttpAnswer): Stage | Page | Wrong {
  const { wrong } = answer.body as TheirAnswer;
  return wrong === undefined
    ? readStage(answer)
    : { kind: 'wrong', message: 'It is not that.', field: wrong };
}

function adapterAt(url: string): Adapter {
  return {
    manifest: {
      id: STEPPING,
      name: 'Steps',
      hosts: { api: { live: url, test: url }, pages: { live: `${url}/pages`, test: `${url}/pages` } },
      sides: ['buy'],
      pricesDestination: [],
      methods: { card: ['creditcard' as MethodId], sepa: ['sepabanktransfer' as MethodId] },
      networks: { bitcoin: 'bitcoin' as NetworkId },
      settings: [],
      duration: { '*': 600 },
      kyc: [{ asks: ['email'] }],
      checkout: {
        makes: 'order',
        opens: 'iframe',
        pages: { buy: 'pages', sell: 'pages' },
        permissions: ['camera'],
      },
      statuses: { open: 'new', done: 'completed', lost: 'failed', off: 'canceled', taken: 'paid' },
      limits: { perSecond: 1e6, burst: 1e6, connections: 64 },
    },
    catalog: () => [
      {
        side: 'buy',
        assets: [{ code: 'BTC', symbol: 'BTC', network: 'bitcoin' }],
        fiats: [{ code: 'EUR', methods: [{ code: 'card' }, { code: 'sepa' }] }],
      },
    ],
    quote: ({ amount }) => ({ pays: amount, gets: amount.div(PRICE), networkFee: ZERO, providerFee: ZERO }),
    decline: ({ body }) => {
      const { message, isOver } = (body ?? {}) as { message?: string; isOver?: boolean };
      return message === undefined ? undefined : { kind: 'decline', reason: 'refused', message, isOver };
    },
    checkout: ({ theirs }) =>
      exchange({ method: 'GET', host: 'api', path: `/orders/${theirs}/next` }, () => ({
        kind: 'page',
        url: `${url}/pages/${theirs}`,
      })),
    status: ({ id }) =>
      exchange({ method: 'GET', host: 'api', path: '/orders', query: { reference: id } }, ({ body }) =>
        (body as TheirOrder[]).map(order => ({
          reference: order.reference,
          theirs: order.id,
          word: order.word,
        })),
      ),
    steps: {
      begin: ({ id, email, returnUrl, native }) =>
        exchange(
          {
            method: 'POST',
            host: 'api',
            path: '/orders',
            body: { reference: id, email, returnUrl, method: native.method },
          },
          readStage,
        ),
      answer: ({ theirs }, answer) =>
        exchange(
          'file' in answer
            ? { method: 'PUT', host: 'api', path: `/orders/${theirs}/files/${answer.key}`, file: answer.file }
            : { method: 'POST', host: 'api', path: `/orders/${theirs}/answers`, body: answer },
          readStageOrWrong,
        ),
      next: ({ theirs }) =>
        exchange({ method: 'GET', host: 'api', path: `/orders/${theirs}/next` }, readStage),
    },
  };
}
