/** BTC Direct imitated for the sandbox: its pairs, methods, quotes, checkout and orders, on its own paths. */
import type { Standin } from '../world.ts';
import { orderRoutes } from './standin-orders.ts';
import { methods, pairs, quote } from './standin-quotes.ts';
import { SETTINGS } from './standin-terms.ts';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [
    { method: 'GET', host: 'api', path: '/api/v1/system/currency-pairs', answer: pairs },
    { method: 'GET', host: 'api', path: '/api/v1/buy/payment-methods/all', answer: methods },
    { method: 'POST', host: 'api', path: '/api/v1/buy/quote', answer: quote },
    ...orderRoutes,
  ],
};
