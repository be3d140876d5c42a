/** The checkout route without a service behind it: the core is told what was understood, and does what a test says. */
import type { AddressInfo } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Account } from '../src/app/accounts.ts';
import type { Intent, Wish } from '../src/app/checkout.ts';
import type { SentSignature, SignedFields } from '../src/app/signed-checkout.ts';
import { Fault } from '../src/domain/fault.ts';
import { writeJson } from '../src/domain/json.ts';
import type { AccountId } from '../src/domain/words.ts';
import { checkoutRoutes } from '../src/http/current/checkout.ts';
import { describeProblem } from '../src/http/problem.ts';
import { currencies } from '../src/main.ts';
import { bytesOf, type Case, REDIRECT_HOSTS } from './contract/checkout-letters.ts';
import { send } from './contract/wire.ts';

const ACCOUNT: Account = {
  id: 'a1' as AccountId,
  name: 'shop',
  publicKey: 'pk_test_1',
  environment: 'test',
  providers: undefined,
  preferred: {},
  origins: [],
  redirectHosts: REDIRECT_HOSTS,
  signedCheckouts: false,
  retentionDays: undefined,
  signers: [],
  secretDigests: [],
  createdAt: new Date(0),
  revokedAt: undefined,
};
const INTENT: Intent = {
  sessionId: 's1',
  transactionId: 't1',
  url: 'https://ramp.example/pay/token',
  opens: 'iframe',
  permissions: ['camera', 'payment'],
  expiresAt: 1_800_000_000_999,
};

interface Core {
  /** What it was told. */
  wishes: Wish[];
  signatures: { fields: SignedFields; sent: SentSignature }[];
  /** What it does about it. */
  intend(wish: Wish): Intent;
  located: string | undefined;
  url: string;
}

export const core = {} as Core;

/** Serves the route for the tests of a file; each begins with a core that was told nothing. */
export function setCheckout(): void {
  let app: FastifyInstance;
  beforeEach(() => {
    Object.assign(core, { wishes: [], signatures: [], intend: () => INTENT, located: 'DE' });
  });
  beforeAll(async () => {
    app = await serveCheckout();
    core.url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  });
  afterAll(() => app.close());
}

async function serveCheckout(): Promise<FastifyInstance> {
  const app = fastify().withTypeProvider<TypeBoxTypeProvider>();
  app.setSerializerCompiler(() => writeJson);
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = describeProblem(error, request.id);
    reply.code(status).header('content-type', 'application/json');
    return reply.send(writeJson(body));
  });
  app.decorateRequest('account');
  app.addHook('onRequest', async request => {
    request.account = ACCOUNT;
  });
  await app.register(
    checkoutRoutes({
      currencies,
      checkout: {
        async intend(wish, write) {
          core.wishes.push(wish);
          return write(core.intend(wish));
        },
      },
      signed: {
        check(_account, fields, sent) {
          core.signatures.push({ fields, sent });
          if (sent.signature === 'bad')
            throw new Fault('forbidden', 'The checkout must be signed', 'signature');
          return sent.signature === undefined ? undefined : { nonce: 'n1' };
        },
      },
      isProvider: id => ['moonpay', 'transak'].includes(id),
      locate: () => core.located,
      clientIp: () => '198.51.100.7',
      publicUrl: () => 'https://ramp.example',
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app as unknown as FastifyInstance;
}

export async function post(body: object | string, more: Partial<Case> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await send(core.url, bytesOf({ query: '', ...more, body: text }));
  return { ...answer, body: answer.body as Record<string, unknown> };
}

/** What the core was told of a body that must be understood. */
export async function understood(body: object | string, more: Partial<Case> = {}): Promise<Wish> {
  const { status, text } = await post(body, more);
  expect([status, text]).toEqual([200, text]);
  const [wish] = core.wishes.splice(0);
  return wish as Wish;
}
