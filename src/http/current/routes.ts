/** Routes of the current surface: where each URL goes. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Account } from '../../app/accounts.ts';
import type { Caller } from '../../app/crowd.ts';
import type { Quotes } from '../../app/quotes.ts';
import type { Scope, Supported } from '../../app/supported.ts';
import type { Asset, Currencies, Fiat } from '../../domain/currency.ts';
import { badInput } from '../../domain/fault.ts';
import { prepared, writeJson, writeJsonBytes } from '../../domain/json.ts';
import type { Ask } from '../../domain/offer.ts';
import type { CountryCode, StateCode } from '../../domain/words.ts';
import type { Memory } from '../memory.ts';
import { type EventStream, openStream, wantsStream } from '../stream.ts';
import {
  readAddress,
  readAmount,
  readAsset,
  readFiat,
  readMethod,
  readPair,
  readPlace,
  readState,
  readTrade,
} from './read.ts';
import { schemas } from './schema.ts';
import { createViews } from './view.ts';

export interface CurrentSurface {
  currencies: Currencies;
  supported: Supported;
  quotes: Quotes;
  /** Country of the caller's address. */
  locate(request: FastifyRequest): string | undefined;
  /** Whose share of the quotes under way a request takes from. */
  callerOf(request: FastifyRequest): Caller;
  publicUrl(): string;
  memory: Memory;
}

const CATALOG = { catalog: true, account: true };
const KEYED = { ...CATALOG, keyed: true };

export function currentSurface(surface: CurrentSurface): FastifyPluginAsyncTypebox {
  const { currencies, supported, quotes } = surface;
  const views = createViews(surface);

  /** Where the caller is, or says they are. */
  function placeOf(request: FastifyRequest, sent: { country?: string; state?: string }) {
    const country = readPlace(currencies, sent.country, () => surface.locate(request));
    return { country, state: readState(sent.state, country) };
  }

  return async app => {
    app.get('/supported', { schema: schemas.supported, config: CATALOG }, async request => {
      const scope = { account: request.account, side: request.query.type ?? 'buy' };
      return {
        message: {
          crypto: supported.assets(scope).map(views.asset),
          fiat: supported.fiats(scope).map(views.fiat),
        },
      };
    });

    app.get('/supported/payment-types', { schema: schemas.paymentTypes, config: CATALOG }, async request => {
      const { type: side = 'buy' } = request.query;
      const place = placeOf(request, request.query);
      const offers = supported.methods({ account: request.account, side, ...place });
      return {
        message: Object.fromEntries(offers.map(({ method }) => [method, views.paymentType(method)])),
      };
    });

    app.get(
      '/supported/payment-types/:fiat',
      { schema: schemas.paymentTypesOf, config: CATALOG },
      async request => {
        const { type: side = 'buy', destination } = request.query;
        const { fiat: word } = request.params;
        const names = readTrade(currencies, side, { word, destination });
        const scope = { account: request.account, side, ...placeOf(request, request.query), ...names };
        return { message: supported.methods(scope).map(views.paymentTypeWithLimits) };
      },
    );

    app.get('/supported/defaults/all', { schema: schemas.defaults, config: CATALOG }, async request => {
      const { type: side = 'buy' } = request.query;
      const account = request.account;
      const { country, state } = placeOf(request, request.query);
      const entry = (place: { country: CountryCode; state?: StateCode | undefined }) => {
        const suggestion = supported.suggest({ account, side, ...place });
        return suggestion && views.defaults(side, suggestion);
      };
      // The same for whoever asks from wherever: each costs more than all the rest of the answer.
      const defaults = surface.memory.derive(`defaults|${account.id}|${side}`, () => {
        const entries = supported.countries(account).flatMap(code => {
          const found = entry({ country: code });
          return found ? [[code.toLowerCase(), found] as const] : [];
        });
        return prepared(Object.fromEntries(entries));
      });
      const recommended = entry({ country, state });
      return {
        message: {
          recommended: recommended ? { ...recommended, country: country.toLowerCase() } : null,
          defaults,
        },
      };
    });

    app.get('/supported/assets', { schema: schemas.assets, config: KEYED }, async request => {
      const { source, type: side = 'buy' } = request.query;
      const { country, state } = placeOf(request, request.query);
      const scope = { account: request.account, side, country, state };
      const fiat =
        side === 'buy' && source !== undefined ? readFiat(currencies, 'source', source) : undefined;
      const asset =
        side === 'sell' && source !== undefined ? readAsset(currencies, 'source', source) : undefined;
      const key = [request.account.id, side, country, state ?? '', fiat?.id ?? asset?.id ?? ''].join('|');
      const assets = surface.memory.derive(`assets|${key}`, () =>
        prepared(side === 'buy' ? fiatEntries(scope, fiat) : assetEntries(scope, asset)),
      );
      return { message: { assets, country } };
    });

    app.get('/supported/onramps/all', { schema: schemas.providers, config: KEYED }, async request => {
      return { message: supported.providers(request.account).map(views.provider) };
    });

    app.get('/supported/onramps', { schema: schemas.availability, config: KEYED }, async request => {
      const { source, destination, recommendations } = request.query;
      const account = request.account;
      const { side, fiat, asset } = readPair(currencies, { source, destination });
      const { country, state } = placeOf(request, request.query);
      const names = { fiat: fiat.id, asset: asset.id };
      const entries = supported.availability({ account, side, country, state, ...names });
      return {
        message: entries.map(entry => views.availability(entry, country, recommendations === 'true')),
      };
    });

    app.get('/supported/countries', { schema: schemas.countries, config: CATALOG }, async request => {
      const codes = supported.countries(request.account);
      const named = codes.map(code => ({
        countryCode: code,
        countryName: currencies.countries.get(code)?.name ?? code,
      }));
      return { message: named.sort((a, b) => a.countryName.localeCompare(b.countryName, 'en')) };
    });

    app.get(
      '/quotes/:source/:destination',
      { schema: schemas.quotes, config: { account: true } },
      async (request, reply) => {
        const { query, params } = request;
        const account = request.account;
        const { source, destination } = params;
        const pair = readPair(currencies, { source, destination, network: query.network });
        const { side, fiat, asset } = pair;
        if (query.type !== undefined && query.type !== side) {
          throw badInput('type', `type must be ${side} for ${source}/${destination}`);
        }
        const amountOf = query.input ?? 'source';
        const method = readMethod(currencies, query.paymentMethod ?? 'creditcard');
        const { country, state } = placeOf(request, query);
        const amount = readAmount(query.amount, pair, amountOf);
        const walletAddress = readAddress(currencies, pair, query.walletAddress);
        const ask: Ask = { side, fiat, asset, method, country, state, amount, amountOf, walletAddress };
        const context = { ask, methods: paymentTypesOf(account, ask), allErrors: query.errors === 'all' };
        const wish = { account, caller: surface.callerOf(request), ask, clientName: query.clientName };
        if (wantsStream(request.headers.accept)) {
          // Opened when there is something to say: until then it may still be a refusal.
          let stream: EventStream | undefined;
          const opened = () => {
            stream ??= openStream(reply);
            return stream;
          };
          const board = await quotes.follow(wish, outcome =>
            opened().send('outcome', writeJson(views.outcome(outcome, ask))),
          );
          opened().send('done', writeJson(views.board(board, context)));
          return opened().end();
        }
        const board = await quotes.ask(wish);
        reply.header('content-type', 'application/json; charset=utf-8').header('cache-control', 'no-store');
        return reply.send(writeJsonBytes(views.board(board, context)));
      },
    );
  };

  /** What each fiat buys, and how; of one fiat, or of all there are. */
  function fiatEntries(scope: Scope, only: Fiat | undefined): object[] {
    const entries = (only ? [only] : supported.fiats(scope)).map(({ id }) => ({
      fiat: id,
      paymentMethods: supported.methods({ ...scope, fiat: id }).map(({ method }) => method),
      crypto: supported.assets({ ...scope, fiat: id }).map(asset => asset.id),
    }));
    return entries.filter(({ crypto }) => crypto.length > 0);
  }

  /** What each asset sells for, and how it is paid out; of one asset, or of all there are. */
  function assetEntries(scope: Scope, only: Asset | undefined): object[] {
    const entries = (only ? [only] : supported.assets(scope)).map(({ id }) => ({
      crypto: id,
      fiat: supported.fiats({ ...scope, asset: id }).map(fiat => fiat.id),
      paymentMethods: supported.methods({ ...scope, asset: id }).map(({ method }) => method),
    }));
    return entries.filter(({ fiat }) => fiat.length > 0);
  }

  /** The payment types of the pair, provider by provider, as they stand in each quote: written once per catalog. */
  function paymentTypesOf(account: Account, { side, fiat, asset, country, state }: Ask) {
    const key = `types|${account.id}|${side}|${fiat.id}|${asset.id}|${country}|${state ?? ''}`;
    return surface.memory.derive(key, () => {
      const offers = supported.methods({ account, side, country, state, fiat: fiat.id, asset: asset.id });
      const providers = new Set(offers.flatMap(offer => [...offer.limits.keys()]));
      return new Map(
        [...providers].map(provider => {
          const own = offers.filter(offer => offer.limits.has(provider));
          const types = own.map(({ limits, ...offer }) =>
            views.paymentTypeWithLimits({
              ...offer,
              limits: new Map([[provider, limits.get(provider) ?? {}]]),
            }),
          );
          return [provider, prepared(types)] as const;
        }),
      );
    });
  }
}
