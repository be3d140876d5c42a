/** Banxa's Hosted Checkout API imitated: its lists, quotes, pages and orders, with fees and limits of its own. */
import type { Standin } from '../world.ts';
import { route, SETTINGS } from './standin-answers.ts';
import { listCoins, listCountries, listFiats } from './standin-lists.ts';
import { orderRoutes } from './standin-orders.ts';
import { answerQuote } from './standin-quotes.ts';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [
    route('GET', '/countries', (_request, world) => ({ status: 200, body: listCountries(world) })),
    route('GET', '/crypto/buy', (_request, world) => ({ status: 200, body: listCoins(world) })),
    route('GET', '/fiats/buy', (_request, world) => ({ status: 200, body: listFiats(world) })),
    route('GET', '/quotes/buy', answerQuote),
    ...orderRoutes,
  ],
};
