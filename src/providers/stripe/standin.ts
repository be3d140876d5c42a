/** Stripe's crypto onramp imitated: quotes, sessions and the page of each. */
import type { Standin } from '../world.ts';
import { orderRoutes } from './standin-orders.ts';
import { quotes } from './standin-quotes.ts';
import { SETTINGS } from './standin-terms.ts';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [{ method: 'GET', host: 'api', path: '/v1/crypto/onramp/quotes', answer: quotes }, ...orderRoutes],
};
