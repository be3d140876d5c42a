/** The composition root: everything is made here, once, and handed what it needs. */
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type DestinationStream, pino } from 'pino';
import assets from '../catalog/assets.json' with { type: 'json' };
import countries from '../catalog/countries.json' with { type: 'json' };
import fiats from '../catalog/fiats.json' with { type: 'json' };
import networks from '../catalog/networks.json' with { type: 'json' };
import methods from '../catalog/payment-methods.json' with { type: 'json' };
import about from '../package.json' with { type: 'json' };
import { createCallers, ensurePublicAccount } from './app/accounts.ts';
import { startBeat } from './app/beat.ts';
import type { CheckoutPoint } from './app/checkout.ts';
import { createCursors } from './app/cursor.ts';
import { createDesk } from './app/desk.ts';
import { startDispatch } from './app/dispatch.ts';
import { createEndpoints } from './app/endpoints.ts';
import { createGateways } from './app/gateways.ts';
import { createLines, type Lines, type ProviderPlan } from './app/lines.ts';
import { createListings } from './app/listings.ts';
import { checkMasterKey, loadMasterKey } from './app/master-key.ts';
import { createQuoteIds } from './app/quote-ids.ts';
import { createQuotes } from './app/quotes.ts';
import { createRates } from './app/rates.ts';
import { createScores } from './app/scores.ts';
import { createSeal } from './app/seal.ts';
import { createSignedCheckouts } from './app/signed-checkout.ts';
import { createSupported } from './app/supported.ts';
import { startTasks } from './app/tasks.ts';
import { createTokenKeepers } from './app/tokens.ts';
import { createTransactions } from './app/transactions.ts';
import { createUpkeep } from './app/upkeep.ts';
import { startWatch, type Watch } from './app/watch.ts';
import { type Config, ConfigFault } from './config.ts';
import { type CatalogData, createCurrencies } from './domain/currency.ts';
import { ENVIRONMENTS } from './domain/words.ts';
import { createAuction } from './engine/auction.ts';
import { createCourier } from './engine/courier.ts';
import { createGuard } from './engine/guard.ts';
import { createFiles } from './http/files.ts';
import { closeSilent } from './http/front.ts';
import { createIconFiles } from './http/icons.ts';
import { createLocator } from './http/locate.ts';
import { createMemory } from './http/memory.ts';
import { createServer } from './http/server.ts';
import { createMetrics } from './metrics.ts';
import { protocols, registry } from './providers/registry.ts';
import { type Sandbox, startSandbox } from './sandbox/server.ts';
import { createSwitches } from './sandbox/switches.ts';
import { type Database, openDatabase, pingDatabase } from './store/database.ts';
import { type EmbeddedPostgres, startEmbedded } from './store/embedded.ts';

export const currencies = createCurrencies({
  assets,
  countries,
  fiats,
  networks,
  methods,
} as unknown as CatalogData);

export interface Service extends Pick<Watch, 'look'> {
  url: string;
  legacyUrl: string;
  sandbox: Sandbox | undefined;
  database: Database;
  /** When the address data was made. */
  geoBuiltAt: Date;
  /** Finishes what is under way, then lets go of everything. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** Where log lines go. */
  logTo?: DestinationStream;
  /** Other providers than the registry's, for benches. */
  plans?: readonly ProviderPlan[];
  /** A sandbox that runs elsewhere, for benches. */
  sandboxUrl?: string;
  /** The public key that the landing page shows; undefined before there is one. */
  demoKey?(): string | undefined;
  /** Told how far a checkout has come, for tests that end the process there. */
  reach?(point: CheckoutPoint): void;
}

/** Lines are written together, within a moment: one by one they would cost as much as what they tell of. */
const LOG = { fd: 2, sync: false, minLength: 8_192, periodicFlush: 100 };
const RECOUNT_MS = 60_000;
const FIRST_LISTINGS_MS = 2_000;
const ROOT = new URL('..', import.meta.url);

export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const now = () => Date.now();
  if (config.defaultCountry && !currencies.findCountry(config.defaultCountry)) {
    throw new ConfigFault(`DEFAULT_COUNTRY must be a country's code, not "${config.defaultCountry}"`);
  }
  const log = pino({ level: config.logLevel, base: null }, options.logTo ?? pino.destination(LOG));
  const trouble = (error: unknown) =>
    log.warn({ err: error }, 'the database does not answer; going on from memory');
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };

  try {
    const masterKey = await loadMasterKey(config.masterKey, config.dataDir);
    const { database, embedded } = await openStore(config, line => log.info(line));
    if (embedded) closers.push(() => embedded.stop());
    closers.push(() => database.destroy());
    await checkMasterKey(masterKey, database);
    await ensurePublicAccount(database);

    const sandbox =
      config.sandbox && !options.sandboxUrl
        ? await openSandbox(config, { now, onError: error => log.error({ err: error }, 'a stand-in broke') })
        : undefined;
    if (sandbox) closers.push(() => sandbox.close());

    const memory = createMemory();
    const urls = { public: config.publicUrl ?? '' };
    const publicUrl = () => urls.public;
    const legacyUrl = () => config.publicLegacyUrl ?? `${urls.public}${config.legacyPath}`;
    const callers = createCallers({
      database,
      anonymous: config.anonymous,
      publicEnvironment: config.sandbox ? 'test' : 'live',
    });
    const lines = createLines({
      plans:
        options.plans ??
        registry.map(({ adapter, standin }) => ({ adapter, standinSettings: standin.settings })),
      protocols,
      database,
      seal: createSeal(masterKey, 'provider-settings'),
      keeperOf: createTokenKeepers({ database, seal: createSeal(masterKey, 'provider-tokens') }),
      sandboxUrl: options.sandboxUrl ?? sandbox?.url,
      now,
      onUnauthorized: (provider, environment) =>
        log.error({ provider, environment }, 'the provider refuses our credentials: check its settings'),
    });
    closers.push(() => lines.close());
    const listings = createListings({ currencies, database, lines, now });
    const scores = createScores(database, now);
    const metrics = createMetrics(() => breakersOf(lines));
    const ids = createQuoteIds(masterKey);
    const auction = createAuction({
      now,
      ticks: () => performance.now(),
      deadlineMs: config.quoteDeadlineMs,
      observe: metrics.providerAnswered,
    });
    const quotes = createQuotes({ listings, auction, scores, ids, now });

    const upkeep = createUpkeep({ database, lines, listings, watch: () => watch, now });
    const forgetAfter = (reload: () => Promise<void>) => async () => {
      await reload();
      memory.forget();
    };
    const watch = await startWatch({
      database,
      reload: {
        accounts: forgetAfter(callers.reload),
        providers: forgetAfter(async () => {
          await lines.reload();
          await upkeep.plan();
        }),
        listings: forgetAfter(listings.reload),
      },
      onError: trouble,
    });
    closers.push(() => watch.stop());

    const guard = createGuard({ allowedHosts: config.webhookAllowedHosts });
    const courier = createCourier({ guard, now });
    closers.push(() => courier.close());
    const seal = createSeal(masterKey, 'endpoint-secrets');
    const dispatch = startDispatch({
      database,
      seal,
      courier,
      now,
      onFailure: trouble,
      onDelivered: ({ kind }) => metrics.eventDelivered(kind),
    });
    closers.push(() => dispatch.stop());
    const desk = createDesk({
      database,
      masterKey,
      currencies,
      callers,
      lines,
      listings,
      quotes,
      ids,
      publicUrl,
      legacyUrl,
      now,
      onEvents: () => void dispatch.wake(),
      observe: {
        statusReached: metrics.statusReached,
        webhook: metrics.webhookReceived,
        contradicted(provider, transactionId) {
          metrics.contradictionSeen(provider);
          log.error({ provider, transactionId }, 'the provider has told of ends that cannot both be true');
        },
        unknownWord: (provider, word) =>
          log.warn({ provider, word: word.slice(0, 60) }, 'a status word of the provider is not known'),
        trouble,
      },
      reach: options.reach ?? (() => {}),
    });
    closers.push(() => desk.stop());

    const tasks = startTasks({
      database,
      now,
      handlers: { ...upkeep.handlers, 'look-up': desk.lookups.look },
      onFailure: ({ kind, key }, error) =>
        log.warn({ kind, key, err: error }, 'a task failed; it will be tried again'),
    });
    closers.push(() => tasks.stop());

    await scores.recount();
    const recount = startBeat({
      everyMs: RECOUNT_MS,
      work: forgetAfter(scores.recount),
      onError: trouble,
    });
    closers.push(() => recount.stop());

    let stopping = false;
    const locator = createLocator(config);
    const supported = createSupported({ currencies, listings, scores });
    const server = await createServer({
      log,
      version: about.version,
      currencies,
      supported,
      quotes,
      gateways: createGateways({ currencies, listings, supported }),
      rates: createRates({ currencies, listings, quotes, flows: desk.flows }),
      flows: desk.flows,
      checkout: desk.checkout,
      signed: createSignedCheckouts({ seal: createSeal(masterKey, 'account-signers'), now }),
      isProvider: lines.knows,
      pay: desk.pay,
      intake: desk.intake,
      endpoints: createEndpoints({ database, seal, guard, courier, now, onDue: () => void dispatch.wake() }),
      transactions: createTransactions({
        database,
        cursors: createCursors(createSeal(masterKey, 'cursor')),
      }),
      callers,
      locator,
      memory,
      metrics,
      icons: createIconFiles(fileURLToPath(ROOT), lines.isAdded),
      payFiles: createFiles(fileURLToPath(new URL('web/pay', ROOT))),
      clientFile: fileURLToPath(new URL('dist/web/client.js', ROOT)),
      root: fileURLToPath(ROOT),
      sandbox: sandbox && { demoKey: () => options.demoKey?.(), switches: createSwitches(sandbox, registry) },
      publicUrl,
      legacyUrl,
      legacyPath: config.legacyPath,
      async unready() {
        if (stopping) return 'stopping';
        return (await pingDatabase(database)) ? undefined : 'the database does not answer';
      },
    });
    closers.push(() => drain(server));
    // Without any listings the first caller would find an empty shop.
    await Promise.race([tasks.wake(), wait(FIRST_LISTINGS_MS, undefined, { ref: false })]);
    await server.listen({ host: config.host, port: config.port });
    const listeningAt = `http://${hostInUrl(config.host)}:${(server.server.address() as AddressInfo).port}`;
    urls.public ||= listeningAt;
    sandbox?.deliverTo(listeningAt, urls.public);
    memory.forget();

    return {
      url: urls.public,
      legacyUrl: legacyUrl(),
      sandbox,
      database,
      geoBuiltAt: locator.builtAt,
      look: watch.look,
      close() {
        stopping = true;
        return close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function breakersOf(lines: Lines) {
  return ENVIRONMENTS.flatMap(environment =>
    lines.of(environment).map(({ adapter, health }) => ({
      provider: adapter.manifest.id,
      environment,
      state: health.state(),
    })),
  );
}

/** Opens the database of the configuration: the one it names, or the embedded one. */
export async function openStore(
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  logLine: (line: string) => void,
): Promise<{ database: Database; embedded: EmbeddedPostgres | undefined }> {
  const embedded = databaseUrl ? undefined : await startEmbedded({ dataDir, log: logLine });
  try {
    const database = await openDatabase({ url: databaseUrl ?? (embedded as EmbeddedPostgres).url });
    return { database, embedded };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

function openSandbox(
  config: Config,
  { now, onError }: { now: () => number; onError: (error: unknown) => void },
): Promise<Sandbox> {
  return startSandbox({
    standins: new Map(registry.map(({ adapter, standin }) => [adapter.manifest.id, standin])),
    currencies,
    host: config.host,
    port: config.port === 0 ? 0 : config.port + 1,
    now,
    onError,
  });
}

/** Lets requests finish; a kept-alive connection that falls idle meanwhile would hold the end up. */
async function drain(server: Awaited<ReturnType<typeof createServer>>): Promise<void> {
  const sweep = setInterval(() => {
    server.server.closeIdleConnections();
    closeSilent(server.server);
  }, 50);
  await server.close();
  clearInterval(sweep);
}

/** Where the service can be reached from this machine when it listens everywhere. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
