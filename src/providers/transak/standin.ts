/** Transak imitated for the sandbox: its lists, quotes, pages and orders, on its own paths. */
import type { Standin, StandinRoute } from '../world.ts';
import { found, refused, SETTINGS } from './standin-answers.ts';
import { listCoins, listCountries, listFiats } from './standin-lists.ts';
import { orderRoutes } from './standin-orders.ts';
import { answerQuote } from './standin-quotes.ts';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [
    get('/cryptocoverage/api/v1/public/crypto-currencies', (_request, world) => found(listCoins(world))),
    get('/fiat/public/v1/currencies/fiat-currencies', ({ query }, world) =>
      query.apiKey === SETTINGS.apiKey ? found(listFiats(world)) : refused(401, 'Invalid API key'),
    ),
    get('/api/v2/countries', (_request, world) => found(listCountries(world))),
    get('/api/v1/pricing/public/quotes', answerQuote),
    ...orderRoutes,
  ],
};

function get(path: string, answer: StandinRoute['answer']): StandinRoute {
  return { method: 'GET', host: 'api', path, answer };
}
