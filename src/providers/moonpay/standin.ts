/** MoonPay's Widget API imitated: its lists, quotes, pages and orders, with fees and limits of its own. */
import type { Standin } from '../world.ts';
import { SETTINGS } from './standin-answers.ts';
import { countries, currencies } from './standin-lists.ts';
import { orderRoutes } from './standin-orders.ts';
import { buyQuote, sellQuote } from './standin-quotes.ts';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [
    { method: 'GET', host: 'api', path: '/v3/currencies', answer: currencies },
    { method: 'GET', host: 'api', path: '/v3/countries', answer: countries },
    { method: 'GET', host: 'api', path: '/v3/currencies/:code/buy_quote', answer: buyQuote },
    { method: 'GET', host: 'api', path: '/v3/currencies/:code/sell_quote', answer: sellQuote },
    ...orderRoutes,
  ],
};
