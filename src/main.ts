/** The composition root: everything is made here, once, and handed what it needs. */
import './warmth.ts';
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
import { createCrowd } from './app/crowd.ts';
import { createCursors } from './app/cursor.ts';
import { createDesk } from './app/desk.ts';
import { startDispatch } from './app/dispatch.ts';
import { createEndpoints } from './app/endpoints.ts';
import { createGateways } from './app/gateways.ts';
import { breakersOf, createLines, type LinesOptions, type ProviderPlan } from './app/lines.ts';
import { createListings } from './app/listings.ts';
import { openMasterKey } from './app/master-key.ts';
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
import { type Config, ConfigFault, hostInUrl, listening } from './config.ts';
import { type CatalogData, createCurrencies } from './domain/currency.ts';
import { createAuction } from './engine/auction.ts';
import { createCourier } from './engine/courier.ts';
import { createGuard } from './engine/guard.ts';
import { createFiles } from './http/files.ts';
import { draining } from './http/front.ts';
import { createIconFiles } from './http/icons.ts';
import { createLocator } from './http/locate.ts';
import { createMemory } from './http/memory.ts';
import { createRefusals } from './http/refusals.ts';
import { createServer } from './http/server.ts';
import { openLog, showUnseen } from './log.ts';
import { createMetrics } from './metrics.ts';
import { protocols, registry } from './providers/registry.ts';
import { type Sandbox, startSandbox } from './sandbox/server.ts';
import { createSwitches } from './sandbox/switches.ts';
import { namingUrl } from './store/connection.ts';
import { type Database, openForRequests, pingDatabase } from './store/database.ts';
import { openStore } from './store/store.ts';

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
  /** Not ready from now on: everything is still served, and each connection closed after its answer. */
  retire(): void;
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

const STDERR = 2;
const RECOUNT_MS = 60_000;
/** Connections that wait to be taken: those of a rush come back seconds later when there is no room for them. */
const BACKLOG = 4_096;
const FIRST_LISTINGS_MS = 2_000;
const ROOT = new URL('..', import.meta.url);

export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const now = () => Date.now();
  if (config.defaultCountry && !currencies.findCountry(config.defaultCountry)) {
    throw new ConfigFault(`DEFAULT_COUNTRY must be a country's code, not "${config.defaultCountry}"`);
  }
  const output = options.logTo ? { stream: options.logTo, dropped: () => 0 } : openLog(STDERR);
  const log = pino({ level: config.logLevel, base: null, hooks: { streamWrite: showUnseen } }, output.stream);
  const trouble = (error: unknown) =>
    log.warn({ err: error }, 'the database does not answer; going on from memory');
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };

  try {
    const {
      database: background,
      embedded,
      url,
    } = await namingUrl(config.databaseUrl, () => openStore(config, line => log.info(line)));
    if (embedded) closers.push(() => embedded.stop());
    closers.push(() => background.destroy());
    const database = await openForRequests({ url, patienceMs: config.databasePatienceMs });
    closers.push(() => database.destroy());
    // Not before: opening may have put a restored key in its place.
    const masterKey = await openMasterKey(config, background);
    await ensurePublicAccount(background);

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
      database: background,
      anonymous: config.anonymous,
      publicEnvironment: config.sandbox ? 'test' : 'live',
    });
    const onTrouble: LinesOptions['onTrouble'] = (provider, environment, what) =>
      log.error({ provider, environment }, what);
    const lines = createLines({
      plans:
        options.plans ??
        registry.map(({ adapter, standin }) => ({ adapter, standinSettings: standin.settings })),
      protocols,
      database: background,
      seal: createSeal(masterKey, 'provider-settings'),
      keeperOf: createTokenKeepers({ database: background, seal: createSeal(masterKey, 'provider-tokens') }),
      sandboxUrl: options.sandboxUrl ?? sandbox?.url,
      now,
      onTrouble,
      onWithheld: (provider, environment) => metrics.requestWithheld(provider, environment),
    });
    closers.push(() => lines.close());
    const listings = createListings({ currencies, database: background, lines, now, onTrouble });
    const scores = createScores(background, now);
    const metrics = createMetrics({
      lines: () => breakersOf(lines),
      rounds: () => crowd.underWay(),
      dropped: output.dropped,
    });
    const ids = createQuoteIds(masterKey);
    const ticks = () => performance.now();
    const { quoteDeadlineMs: deadlineMs, quotesAtOnce } = config;
    const observe = metrics.providerAnswered;
    const auction = createAuction({ now, ticks, deadlineMs, observe });
    const onRefused = createRefusals({
      count: metrics.refused,
      report: counts => log.warn(counts, 'requests were refused for there being too many'),
      ticks,
    });
    const crowd = createCrowd({ most: quotesAtOnce, deadlineMs, ticks, onRefused });
    const quotes = createQuotes({ listings, auction, scores, ids, crowd, observe, now, ticks });

    const upkeep = createUpkeep({ database: background, lines, listings, watch: () => watch, now });
    /** Unless it says that nothing is new. */
    const forgetAfter = (reload: () => Promise<unknown>) => async () => {
      if ((await reload()) !== false) memory.forget();
    };
    const watch = await startWatch({
      database: background,
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
      database: background,
      seal,
      courier,
      now,
      onFailure: trouble,
      onDelivered: ({ kind }) => metrics.eventDelivered(kind),
    });
    closers.push(() => dispatch.stop());
    const desk = createDesk({
      database,
      background,
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
      database: background,
      handlers: { ...upkeep.handlers, 'look-up': desk.lookups.look },
      onFailure: ({ kind, key }, error) =>
        log.warn({ kind, key, err: error }, 'a task failed; it will be tried again'),
    });
    closers.push(() => tasks.stop());

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
      crowd,
      limits: config,
      onRefused,
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
    // Requests are finished, and no other work is begun meanwhile.
    closers.push(() =>
      Promise.all([draining(server.server, server.close()), recount.stop(), tasks.stop(), dispatch.stop()]),
    );
    // Without any listings the first caller would find an empty shop, and without scores another ranking.
    const first = Promise.all([tasks.wake(), recount.wake()]);
    await Promise.race([first, wait(FIRST_LISTINGS_MS, undefined, { ref: false })]);
    await listening(server.listen({ host: config.host, port: config.port, backlog: BACKLOG }));
    const listeningAt = `http://${hostInUrl(config.host)}:${(server.server.address() as AddressInfo).port}`;
    urls.public ||= listeningAt;
    sandbox?.deliverTo(listeningAt, urls.public);
    memory.forget();

    return {
      url: urls.public,
      legacyUrl: legacyUrl(),
      sandbox,
      database: background,
      geoBuiltAt: locator.builtAt,
      look: watch.look,
      retire() {
        stopping = true;
        server.server.prependListener('request', (_request, response) => {
          response.shouldKeepAlive = false;
        });
      },
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

function openSandbox(
  config: Config,
  { now, onError }: { now: () => number; onError: (error: unknown) => void },
): Promise<Sandbox> {
  return listening(
    startSandbox({
      standins: new Map(registry.map(({ adapter, standin }) => [adapter.manifest.id, standin])),
      currencies,
      host: config.host,
      reachedAs: hostInUrl(config.host),
      port: config.port === 0 ? 0 : config.port + 1,
      now,
      onError,
    }),
  );
}
