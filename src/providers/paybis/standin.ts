/** Paybis' widget API imitated: its pairs, quotes, requests, pages and transactions, with fees and limits of its own. */
import type { Standin } from '../world.ts';
import { guarded, open, SETTINGS } from './standin-answers.ts';
import { buyPairs, sellPairs } from './standin-lists.ts';
import { orderRoutes } from './standin-orders.ts';
import { answerQuote, keepQuote } from './standin-quotes.ts';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [
    guarded('GET', '/v2/currency/pairs/buy-crypto', (_request, world) => buyPairs(world)),
    guarded('GET', '/v2/currency/pairs/sell-crypto', (_request, world) => sellPairs(world)),
    guarded('POST', '/v2/quote', ({ body }, world) => keepQuote(body, world)),
    open('/v2/public/quote', ({ body }, world) => answerQuote(body, world)),
    ...orderRoutes,
  ],
};
