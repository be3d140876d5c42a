/** A ramp that serves openramp, for the sandbox: lists and prices, orders with every kind of step, pages and webhooks. */
import type { Standin } from '../world.ts';
import { known, SETTINGS } from './standin-answers.ts';
import { orderRoutes } from './standin-orders.ts';
import { pageRoutes } from './standin-pages.ts';
import { catalog, quote } from './standin-quotes.ts';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [
    { method: 'GET', host: 'api', path: '/catalog', answer: known(catalog) },
    { method: 'POST', host: 'api', path: '/quotes', answer: known(quote) },
    ...orderRoutes,
    ...pageRoutes,
  ],
};
