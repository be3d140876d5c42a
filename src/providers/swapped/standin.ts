/** Swapped imitated for the sandbox: its methods, prices, widget and orders, on its own paths. */
import type { Standin } from '../world.ts';
import { orderRoutes } from './standin-orders.ts';
import { methods, price } from './standin-prices.ts';
import { SETTINGS } from './standin-terms.ts';

const API = '/api/v1/merchant';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [
    {
      ...{ method: 'GET', host: 'api', path: `${API}/get_payment_methods` },
      answer: (request, world) => methods('buy', request, world),
    },
    {
      ...{ method: 'GET', host: 'api', path: `${API}/sell/get_payout_methods` },
      answer: (request, world) => methods('sell', request, world),
    },
    {
      ...{ method: 'POST', host: 'api', path: `${API}/pricing` },
      answer: (request, world) => price('buy', request, world),
    },
    {
      ...{ method: 'POST', host: 'api', path: `${API}/sell/pricing` },
      answer: (request, world) => price('sell', request, world),
    },
    ...orderRoutes,
  ],
};
