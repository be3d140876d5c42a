/** Routes of the earlier surface that are read: where each URL goes. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../../app/accounts.ts';
import type { Caller } from '../../app/crowd.ts';
import type { Gateways, Where } from '../../app/gateways.ts';
import type { Rate, Rates } from '../../app/rates.ts';
import type { Supported } from '../../app/supported.ts';
import type { Currencies } from '../../domain/currency.ts';
import { Fault } from '../../domain/fault.ts';
import { prepared, writeJson } from '../../domain/json.ts';
import type { Decline, Offer } from '../../domain/offer.ts';
import type { CountryCode, MethodId } from '../../domain/words.ts';
import { type Pair, readAmount, readAsset, readFiat, readMethod } from '../current/read.ts';
import type { Memory } from '../memory.ts';
import { fiatOf, readGateway, readMinEuros, readWallet, readWhere } from './read.ts';
import { earlierSchemas } from './schema.ts';
import { createEarlierViews } from './view.ts';

export interface EarlierSurface {
  currencies: Currencies;
  supported: Supported;
  gateways: Gateways;
  rates: Rates;
  isProvider(id: string): boolean;
  /** Country of the caller's address. */
  locate(request: FastifyRequest): string | undefined;
  /** Whose share of the quotes under way a request takes from. */
  callerOf(request: FastifyRequest): Caller;
  publicUrl(): string;
  legacyUrl(): string;
  memory: Memory;
}

/** What is to be sold, where, and what stands in the path about it. */
interface Sale {
  pair: Pair;
  where: Where;
  paymentMethod: string;
  amount: string;
  includeIcons: string | undefined;
}

/** What public clients call being paid in coins. */
const BY_COINS = 'blockchain';

const CATALOG = { catalog: true, account: true };
const ASKED = { account: true };

export function earlierSurface(surface: EarlierSurface): FastifyPluginAsyncTypebox {
  const { currencies, supported, gateways, rates } = surface;
  const views = createEarlierViews(surface);

  const whereOf = (request: FastifyRequest, sent: Parameters<typeof readWhere>[1]): Where =>
    readWhere(currencies, sent, () => surface.locate(request));
  const locatedIn = (request: FastifyRequest): CountryCode | undefined =>
    currencies.findCountry(surface.locate(request) ?? '')?.code;

  /** What is true of the caller, or of the country they asked for. */
  function localize(request: FastifyRequest, where: Where) {
    const country = countryOf(request, where);
    // Which state somebody is in cannot be told from an address.
    const state = where.state ?? null;
    if (!country) return { country: 'all', state, currency: fiatOf(currencies, undefined).code };
    return { country: country.toLowerCase(), state, currency: gateways.currencyOf(request.account, country) };
  }

  /** One country to think of, even where all are meant. */
  function countryOf(request: FastifyRequest, { place }: Where): CountryCode | undefined {
    return place === 'all' ? locatedIn(request) : place;
  }

  /** What gateways sell in a place, and how it is written: kept, for it is long and the same for all who ask. */
  function gatewaysOf(account: Account, where: Where) {
    const key = `gateways|${account.id}|${where.place}|${where.state ?? ''}`;
    return surface.memory.derive(key, () => {
      const list = gateways.list(account, where);
      return { list, written: prepared(list.map(views.gateway)) };
    });
  }

  /** What entries of rates are shown with. */
  function contextOf({ account }: FastifyRequest, includeIcons: string | undefined) {
    const manifests = new Map(supported.providers(account).map(manifest => [manifest.id, manifest]));
    return { manifests, includeIcons: includeIcons === 'true' };
  }

  /** Public clients name the way coins come in, as they do money's on a purchase; how money goes out is then ours to choose. */
  function payoutOf(request: FastifyRequest, { pair, where, paymentMethod }: Sale): MethodId {
    if (paymentMethod.toLowerCase() !== BY_COINS) return readMethod(currencies, paymentMethod);
    const { side, fiat, asset } = pair;
    const scope = { account: request.account, side, fiat: fiat.id, asset: asset.id };
    const [usual] = supported.methods({ ...scope, country: countryOf(request, where) });
    return usual?.method ?? readMethod(currencies, 'bankTransfer');
  }

  async function sell(request: FastifyRequest, { pair, where, ...sent }: Sale): Promise<object> {
    const told = await rates.list({
      account: request.account,
      caller: surface.callerOf(request),
      ask: {
        ...pair,
        method: payoutOf(request, { pair, where, ...sent }),
        amount: readAmount(sent.amount, pair, 'source'),
        amountOf: 'source',
        state: where.state,
      },
      place: where.place,
      located: locatedIn(request),
      ...{ gateway: undefined, minEuros: undefined, wallet: undefined },
    });
    const [best] = told.sort((a, b) => hopeOf(a) - hopeOf(b));
    if (!best) throw new Fault('notFound', 'There is no gateway to sell through', 'path');
    return views.rate(best, contextOf(request, sent.includeIcons));
  }

  return async app => {
    app.get('/gateways', { schema: earlierSchemas.gateways, config: CATALOG }, async request => {
      const { includeIcons, includeDefaultAmounts } = request.query;
      const { account } = request;
      const where = whereOf(request, request.query);
      const { list, written } = gatewaysOf(account, where);
      return {
        gateways: written,
        localization: localize(request, where),
        icons: includeIcons === 'true' ? views.icons(list) : undefined,
        defaultAmounts:
          includeDefaultAmounts === 'true'
            ? Object.fromEntries(gateways.usualAmounts(account, where, list))
            : undefined,
      };
    });

    app.get(
      '/rate/:fromCurrency/:toCurrency/:paymentMethod/:amount',
      { schema: earlierSchemas.rate, config: ASKED },
      async (request, reply) => {
        const { params, query } = request;
        const pair: Pair = {
          side: 'buy',
          fiat: readFiat(currencies, 'fromCurrency', params.fromCurrency),
          asset: readAsset(currencies, 'toCurrency', params.toCurrency),
        };
        const where = whereOf(request, query);
        const amountOf = query.amountInCrypto === 'true' ? 'destination' : 'source';
        const told = await rates.list({
          account: request.account,
          caller: surface.callerOf(request),
          ask: {
            ...pair,
            method: readMethod(currencies, params.paymentMethod),
            amount: readAmount(params.amount, pair, amountOf),
            amountOf,
            state: where.state,
            walletAddress: query.address,
          },
          place: where.place,
          located: locatedIn(request),
          gateway: readGateway(surface.isProvider, query.gateway),
          minEuros: readMinEuros(query.minAmountEur),
          wallet: readWallet(currencies, pair.asset, query),
        });
        const context = contextOf(request, query.includeIcons);
        return send(
          reply,
          told.map(rate => views.rate(rate, context)),
        );
      },
    );

    app.get('/routing/:country', { schema: earlierSchemas.routing, config: CATALOG }, async request => {
      const country = countryOf(request, whereOf(request, request.params));
      const suggestion = country && supported.suggest({ account: request.account, side: 'buy', country });
      return { recommended: suggestion ? [views.route(suggestion)] : [] };
    });

    app.get(
      '/sell/:crypto/:fiat/:paymentMethod/:amount',
      { schema: earlierSchemas.sell, config: ASKED },
      async (request, reply) => {
        const { crypto, fiat, ...sent } = request.params;
        const pair: Pair = {
          side: 'sell',
          asset: readAsset(currencies, 'crypto', crypto),
          fiat: readFiat(currencies, 'fiat', fiat),
        };
        const where = whereOf(request, request.query);
        const { includeIcons } = request.query;
        return send(reply, await sell(request, { pair, where, includeIcons, ...sent }));
      },
    );

    app.get(
      '/sell/:crypto/:paymentMethod/:amount',
      { schema: earlierSchemas.sellAtHome, config: ASKED },
      async (request, reply) => {
        const { crypto, ...sent } = request.params;
        const where = whereOf(request, request.query);
        const pair: Pair = {
          side: 'sell',
          asset: readAsset(currencies, 'crypto', crypto),
          fiat: fiatOf(currencies, countryOf(request, where)),
        };
        const { includeIcons } = request.query;
        return send(reply, await sell(request, { pair, where, includeIcons, ...sent }));
      },
    );
  };
}

/** Prices are gone in a moment. */
function send(reply: FastifyReply, body: object) {
  reply.header('content-type', 'application/json; charset=utf-8').header('cache-control', 'no-store');
  return reply.send(writeJson(body));
}

/** Offers come as they are ranked; of refusals, one for the amount is easiest to mend, one of a silent gateway hardest. */
function hopeOf({ answer }: Rate): number {
  return HOPES[answer.kind === 'offer' ? 'offer' : answer.reason];
}

const HOPES: Record<Offer['kind'] | Decline['reason'], number> = {
  offer: 0,
  limit: 1,
  method: 2,
  country: 3,
  pair: 4,
  refused: 5,
  unavailable: 6,
};
