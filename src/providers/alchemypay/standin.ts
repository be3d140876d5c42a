/** Alchemy Pay imitated for the sandbox: its lists, quotes, page and orders, on its own paths. */
import type { Standin, StandinRoute } from '../world.ts';
import { coins, fiats } from './standin-lists.ts';
import { orderRoutes } from './standin-orders.ts';
import { quote, quoteExactly } from './standin-quotes.ts';
import { SETTINGS } from './standin-terms.ts';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [
    route('GET', '/crypto/list', coins),
    route('GET', '/fiat/list', fiats),
    route('POST', '/order/quote', quote),
    route('POST', '/order/quoted/result', quoteExactly),
    ...orderRoutes,
  ],
};

function route(method: 'GET' | 'POST', path: string, answer: StandinRoute['answer']): StandinRoute {
  return { method, host: 'api', path: `/open/api/v4/merchant${path}`, answer };
}
