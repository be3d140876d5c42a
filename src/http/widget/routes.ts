/** Routes of the widget: its page, the script that puts it on other people's pages, and the files of both. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Account, Callers } from '../../app/accounts.ts';
import type { Supported } from '../../app/supported.ts';
import type { Currencies } from '../../domain/currency.ts';
import { Fault } from '../../domain/fault.ts';
import { writeJson } from '../../domain/json.ts';
import { type Assets, assetSchema, readAssets } from '../assets.ts';
import { createFiles } from '../files.ts';
import { acceptLanguage, LANGUAGES } from '../languages.ts';
import { widgetHeaders } from './headers.ts';
import { uselessPage, widgetPage } from './page.ts';
import { type Parameters, readParameters } from './parameters.ts';
import { createSetups } from './setup.ts';
import { widgetCss } from './style.ts';

export interface WidgetPages {
  callers: Pick<Callers, 'identify'>;
  currencies: Currencies;
  supported: Supported;
  isProvider(id: string): boolean;
  /** The folder that holds what was built. */
  root: string;
  /** The key of a widget that names none, where there is a sandbox to play in. */
  sandbox: { demoKey(): string | undefined } | undefined;
  /** Country of the caller's address. */
  locate(request: FastifyRequest): string | undefined;
  publicUrl(): string;
}

const tags = ['Widget'];
const JSON_TYPE = 'application/json';
const SCRIPT = 'widget.js';
const TEXTS = LANGUAGES.map(language => `widget-${language}.json`);
const ASSETS = ['widget-app.js', 'widget-app.css', 'widget-address.js', ...TEXTS];
const word = (description: string) => Type.Optional(Type.String({ description }));
const querystring = Type.Object({
  apiKey: word('Public key of the account.'),
  mode: word('`buy`, `sell`, or both with a comma; the first is shown first.'),
  defaultFiat: word('Currency to begin with.'),
  defaultCrypto: word('Coin to begin with.'),
  defaultAmount: word('Amount to begin with.'),
  onlyCryptos: word('Coins to choose from, with commas.'),
  onlyFiats: word('Currencies to choose from, with commas.'),
  onlyOnramps: word('Providers to choose from, with commas.'),
  wallets: word('`BTC:address,ETH:address`.'),
  networkWallets: word('`ETHEREUM:address`.'),
  themeName: word('`light` or `dark`; the person’s device decides when absent.'),
  language: word('The browser decides when absent.'),
});

export function widgetPages(options: WidgetPages): FastifyPluginAsyncTypebox {
  const { callers, currencies, isProvider, locate, publicUrl } = options;
  const setupOf = createSetups(options);
  const files = createFiles(join(options.root, 'dist', 'web'));

  return async app => {
    // Whoever runs from source may not have built it; everything else serves all the same.
    const built = [SCRIPT, ...ASSETS].every(name => files(name) !== undefined);
    const assets = built ? await readAssets(ASSETS, files) : undefined;
    const script = built ? await readAssets([SCRIPT], files, 'cross-origin') : undefined;
    const texts = new Map<string, Record<string, string>>();
    for (const name of assets ? TEXTS : []) texts.set(name, JSON.parse(assets?.textOf(name) ?? '{}'));

    function need(): Assets {
      if (!assets) throw notBuilt();
      return assets;
    }

    /** The account of the key; undefined for a key nobody has, and for none at all: orders need one. */
    function accountOf(key: string | undefined): Account | undefined {
      try {
        return key === undefined ? undefined : callers.identify(key);
      } catch (error) {
        if (error instanceof Fault) return undefined;
        throw error;
      }
    }

    function partsOf(request: FastifyRequest, parameters: Parameters) {
      const language = parameters.language ?? acceptLanguage(request.headers['accept-language']) ?? 'en';
      const { origin, pathname } = new URL(publicUrl());
      const base = pathname.replace(/(?<!\/)\/+$/, '');
      return {
        origin,
        language,
        texts: texts.get(`widget-${language}.json`) ?? {},
        style: widgetCss(parameters),
        isFramed: request.headers['sec-fetch-dest'] === 'iframe',
        nonce: randomBytes(16).toString('base64'),
        asset: (name: string) => `${base}/widget/assets/${need().nameOf(name)}`,
      };
    }

    app.get(
      '/widget',
      {
        schema: {
          tags,
          querystring,
          summary: 'The widget: a page where people buy and sell',
          description: 'By itself or in a frame. All parameters are in the guide; wrong ones are left aside.',
          response: {
            200: {
              description: 'The page; to whoever accepts JSON alone, only what its script begins with.',
              content: { 'text/html': { schema: {} }, [JSON_TYPE]: { schema: {} } },
            },
            401: { description: 'The key is not known.', content: { 'text/html': { schema: {} } } },
            403: {
              description: 'Orders of the account must be signed.',
              content: { 'text/html': { schema: {} } },
            },
          },
        },
        // Wrong parameters are told on the page's console.
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        need();
        const query = request.query as Record<string, unknown>;
        const named = typeof query.apiKey === 'string' && query.apiKey !== '' ? query.apiKey : undefined;
        const key = named ?? options.sandbox?.demoKey();
        const account = accountOf(key);
        const redirectHosts = account?.redirectHosts ?? [];
        const parameters = readParameters(query, { currencies, isProvider, redirectHosts });
        const parts = partsOf(request, parameters);
        reply.headers(widgetHeaders(account ?? { origins: [] }, parts));
        if (!account || key === undefined) return reply.code(401).send(uselessPage(parts, 'developerKey'));
        if (account.signedCheckouts) return reply.code(403).send(uselessPage(parts, 'developerSigned'));
        const { language } = parts;
        const country = parameters.country ?? currencies.findCountry(locate(request) ?? '')?.code;
        const addressScript = parts.asset('widget-address.js');
        const setup = setupOf(parameters, { account, key, country, language, addressScript });
        // Of a page that is open already, whose person has moved to another country.
        if (request.headers.accept === JSON_TYPE) return reply.type(JSON_TYPE).send(writeJson(setup));
        return reply.send(widgetPage({ ...parts, setup }));
      },
    );

    app.get(
      '/widget.js',
      {
        schema: {
          tags,
          summary: 'The script that defines <cloverleaf-widget>',
          querystring: assetSchema.querystring,
          response: assetSchema.response,
        },
      },
      async (request, reply) => {
        if (!script) throw notBuilt();
        return script.send(request, reply, SCRIPT);
      },
    );

    app.get(
      '/widget/assets/:file',
      { schema: { ...assetSchema, tags, summary: 'A part of the widget' } },
      async (request, reply) => need().send(request, reply),
    );
  };
}

function notBuilt(): Fault {
  return new Fault('unavailable', 'The widget is not built: run npm run build');
}
