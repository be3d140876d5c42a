/** The HTTP server: routes of every surface behind one front, documented by the schemas that validate them. */
import type { IncomingHttpHeaders } from 'node:http';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { ulid } from 'ulid';
import { type Account, type Callers, checkSecret, keyRequired } from '../app/accounts.ts';
import type { Checkout } from '../app/checkout.ts';
import type { Crowd } from '../app/crowd.ts';
import type { Endpoints } from '../app/endpoints.ts';
import type { Flows } from '../app/flows.ts';
import type { Gateways } from '../app/gateways.ts';
import type { Intake } from '../app/intake.ts';
import type { Pay } from '../app/pay.ts';
import type { Quotes } from '../app/quotes.ts';
import type { Rates } from '../app/rates.ts';
import type { SignedCheckouts } from '../app/signed-checkout.ts';
import type { Supported } from '../app/supported.ts';
import type { Transactions } from '../app/transactions.ts';
import type { Currencies } from '../domain/currency.ts';
import { Fault } from '../domain/fault.ts';
import { writeJson } from '../domain/json.ts';
import type { Metrics } from '../metrics.ts';
import { createAdmission, type RateLimits } from './admission.ts';
import { keepCatalogAnswers } from './catalog-answers.ts';
import { clientScript } from './client.ts';
import { mostConnections } from './connections.ts';
import { isWelcome } from './cors.ts';
import { checkoutRoutes } from './current/checkout.ts';
import { currentSurface } from './current/routes.ts';
import { transactionRoutes } from './current/transactions.ts';
import { webhookRoutes } from './current/webhooks.ts';
import { stepReturns } from './earlier/return.ts';
import { earlierSurface } from './earlier/routes.ts';
import { stepRoutes } from './earlier/steps.ts';
import { createFront } from './front.ts';
import { createHooks, hookRoutes, type Served } from './hooks.ts';
import type { Locator } from './locate.ts';
import { createManners, isTurnedAway } from './manners.ts';
import type { Memory } from './memory.ts';
import { type IconFiles, operations, pages } from './pages.ts';
import { payPages } from './pay/routes.ts';
import { createPulse } from './pulse.ts';
import { type SandboxSite, site } from './site/routes.ts';
import { earlierBelow } from './surface.ts';
import { createValidation } from './validation.ts';
import { widgetPages } from './widget/routes.ts';

export interface ServerOptions {
  log: FastifyBaseLogger;
  version: string;
  currencies: Currencies;
  supported: Supported;
  quotes: Quotes;
  gateways: Gateways;
  rates: Rates;
  checkout: Checkout;
  flows: Flows;
  signed: SignedCheckouts;
  /** Whether there is a provider of this id at all. */
  isProvider(id: string): boolean;
  pay: Pay;
  /** Path of a file of the pay page; undefined when there is none of that name. */
  payFiles(name: string): string | undefined;
  /** Path of the client as a script for pages. */
  clientFile: string;
  intake: Intake;
  endpoints: Endpoints;
  transactions: Transactions;
  callers: Callers;
  locator: Locator;
  memory: Memory;
  metrics: Metrics;
  crowd: Crowd;
  limits: RateLimits & { mostDelayMs: number };
  /** Told why somebody was refused. */
  onRefused(reason: string): void;
  icons: IconFiles;
  /** The folder that holds the documents and the site's own files. */
  root: string;
  /** Present where the service has a sandbox of its own. */
  sandbox: SandboxSite | undefined;
  publicUrl(): string;
  /** Where the earlier surface is found by the outside world, and where it is on this listener. */
  legacyUrl(): string;
  legacyPath: string;
  /** Why the service cannot serve just now; undefined when it can. */
  unready(): Promise<string | undefined>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer depends on the catalog, the key and the country only, and is kept until the catalog changes. */
    catalog?: boolean;
    /** The route acts for an account: that of the key, or `public` without one. */
    account?: boolean;
    /** The route cannot be used without a key. */
    keyed?: boolean;
    /** The route cannot be used without a key and its secret. */
    secret?: boolean;
    /** The route is for providers, whose proof is their own: an `Authorization` header of theirs is no key of ours. */
    hook?: boolean;
    /** Pages may use the route only from the origins the account has registered, if it has. */
    origins?: boolean;
  }
  interface FastifyRequest {
    account: Account;
  }
}

const JSON_BODY_LIMIT = 64 * 1024;

export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { log, memory, metrics, callers, locator } = options;
  const newRequestId = createRequestIds();
  const isEarlier = earlierBelow(options.legacyPath);
  /** Whether the page that asks may see the answer; who is not known yet is told so wherever they ask from. */
  function isReadable(request: FastifyRequest): boolean {
    const { config } = request.routeOptions;
    const { origin } = request.headers;
    const origins = (request.account as Account | undefined)?.origins ?? [];
    if (!config.origins || isWelcome(origins, origin)) return true;
    // Our own widget, which is framed nowhere but where the account allows.
    return origin === new URL(options.publicUrl()).origin;
  }
  const { addCommonHeaders, sendProblem } = createManners(isEarlier, isReadable);
  const note = (
    { requestId, method, route, status, ms, err, isRefused }: Served,
    level: 'info' | 'debug',
  ) => {
    metrics.requestServed(route, status, ms);
    if (isRefused) return;
    const line = { requestId, method, route, status, ms: Math.round(ms), err };
    if (status >= 500) log.error(line, 'request failed');
    else log[level](line, 'request');
  };

  const ticks = () => performance.now();
  const admission = createAdmission({
    limits: options.limits,
    mostAsking: mostConnections() / 2,
    callers,
    addressOf: locator.address,
    legacyPath: options.legacyPath,
    crowd: options.crowd,
    isLate: createPulse({ mostMs: options.limits.mostDelayMs, ticks }),
    ticks,
  });

  const app = fastify({
    loggerInstance: log,
    // Whoever logs names the request; a logger for each would cost more than most of them write.
    childLoggerFactory: logger => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    bodyLimit: JSON_BODY_LIMIT,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 8_192 },
    // The front answers those itself, each in its turn.
    clientErrorHandler() {},
    // While we stop, what still comes over a connection is served and ends it: the framework's refusal has no words of ours.
    return503OnClosing: false,
    serverFactory: handler =>
      createFront(handler, {
        memory,
        admission,
        onRefused: options.onRefused,
        onConnection: options.crowd.knock,
        isEarlier,
        catalogPaths: ['/supported', `${options.legacyPath}/gateways`, `${options.legacyPath}/routing`],
        countryOf: locator.country,
        newRequestId,
        onRemembered: metrics.catalogAnswered,
        // Providers' webhooks are counted by what became of them.
        take: createHooks({ ...options, newRequestId, onServed: served => note(served, 'debug') }),
      }),
    frameworkErrors: (error, request, reply) => void sendProblem(error, request, reply),
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(createValidation());
  app.setSerializerCompiler(() => writeJson);
  app.setErrorHandler(sendProblem);
  app.setNotFoundHandler((request, reply) => {
    const allowed = (['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const).filter(
      method => app.findRoute({ method, url: request.url.split('?')[0] ?? '' }) !== null,
    );
    if (allowed.length === 0)
      throw new Fault('notFound', `There is nothing at ${request.url.split('?')[0]}`, 'path');
    reply.header('allow', allowed.join(', '));
    throw new Fault('methodNotAllowed', `${request.method} is not allowed here`, 'method');
  });

  app.decorateRequest('account');
  // Hooks call back instead of returning promises: they run for every request.
  app.addHook('onRequest', (request, reply, done) => {
    // Who calls comes before what is asked for: a wrong key is a 401 whatever else is wrong.
    const { authorization } = request.headers;
    const { config } = request.routeOptions;
    if (authorization === undefined && (config.keyed || config.secret)) throw keyRequired();
    if ((authorization !== undefined && !config.hook) || config.account)
      request.account = callers.identify(authorization);
    if (config.secret) checkSecret(request.account, secretOf(request.headers));
    if (!isReadable(request)) throw new Fault('forbidden', 'This origin is not registered', 'Origin');
    addCommonHeaders(request, reply);
    done();
  });
  keepCatalogAnswers(app, { memory, countryOf: locator.country });
  app.addHook('onResponse', (request, reply, done) => {
    const served = {
      requestId: request.id,
      method: request.method,
      // The route, never the URL: a query may name a wallet.
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: reply.elapsedTime,
      ...(isTurnedAway(request) && { isRefused: true }),
    };
    note(served, 'info');
    done();
  });
  app.addHook('onRoute', route => {
    // What is not documented is not served.
    if (!route.schema?.summary)
      throw new Error(`${route.method} ${route.url} has no place in the OpenAPI document`);
  });

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Cloverleaf',
        version: options.version,
        description:
          'One API in front of every crypto ramp: what can be bought and sold where, and at what price.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: {
          key: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The account’s public key, bare or after `Bearer`.',
          },
          secret: {
            type: 'apiKey',
            in: 'header',
            name: 'x-service-secret',
            description: 'The account’s secret; for servers only, never for a page.',
          },
        },
      },
    },
  });

  const locate = (request: FastifyRequest) => locator.country(request.raw);
  const clientIp = (request: FastifyRequest) => locator.address(request.raw);
  const callerOf = (request: FastifyRequest) => admission.callerOf(request.account, request.raw);
  await app.register(currentSurface({ ...options, locate, callerOf }));
  await app.register(earlierSurface({ ...options, locate, callerOf }), { prefix: options.legacyPath });
  await app.register(stepRoutes({ ...options, isReadable, clientIp }), { prefix: options.legacyPath });
  await app.register(stepReturns(options), { prefix: options.legacyPath });
  await app.register(checkoutRoutes({ ...options, locate, clientIp }));
  await app.register(transactionRoutes(options));
  await app.register(webhookRoutes(options));
  await app.register(payPages({ ...options, files: options.payFiles, clientIp }));
  await app.register(widgetPages({ ...options, locate }));
  await app.register(hookRoutes);
  await app.register(clientScript(options));
  await app.register(operations(options));
  await app.register(pages(options));
  await app.register(site(options));
  await app.ready();
  return app;
}

/** The secret, under its name or that of the service we stand in for; two that differ are none. */
function secretOf(headers: IncomingHttpHeaders): string | undefined {
  const sent = [headers['x-service-secret'], headers['x-onramper-secret']].filter(one => one !== undefined);
  return new Set(sent).size === 1 ? String(sent[0]) : undefined;
}

/** Unique across processes by its random start, and cheap. */
function createRequestIds(): () => string {
  const start = ulid();
  let serial = 0;
  return () => `${start}-${(++serial).toString(36)}`;
}
