/** Mercuryo's Widget API 1.6 imitated for the sandbox: lists, rates, pages and orders on its own paths, at its own fees. */
import type { Standin, StandinRoute } from '../world.ts';
import { SETTINGS, succeed } from './standin-answers.ts';
import { cardCountries, currencies, tickers } from './standin-lists.ts';
import { hostedPages, listOrders } from './standin-orders.ts';
import { rate } from './standin-rates.ts';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [
    get('/lib/currencies', (_request, world) => succeed(currencies(world))),
    get('/public/currencies-buy', (_request, world) => succeed(tickers('buy', world))),
    get('/public/currencies-sell', (_request, world) => succeed(tickers('sell', world))),
    get('/public/card-countries', (request, world) => cardCountries(request, world)),
    get('/widget/buy/rate', (request, world) => rate('buy', request, world)),
    get('/widget/sell/rate', (request, world) => rate('sell', request, world)),
    get('/sdk-partner/transactions', listOrders),
    ...hostedPages,
  ],
};

function get(path: string, answer: StandinRoute['answer']): StandinRoute {
  return { method: 'GET', host: 'api', path: `/v1.6${path}`, answer };
}
