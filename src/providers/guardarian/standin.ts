/** Guardarian's API imitated: its lists, estimates, pages and transactions, with fees and limits of its own. */
import type { Standin, StandinRoute } from '../world.ts';
import { guarded, SETTINGS } from './standin-answers.ts';
import { estimate, range } from './standin-estimates.ts';
import { countries, currencies } from './standin-lists.ts';
import { orderRoutes } from './standin-orders.ts';

export const standin: Standin = {
  settings: SETTINGS,
  routes: [
    get('/currencies', (_request, world) => currencies(world)),
    get('/countries', (_request, world) => countries(world)),
    get('/market-info/min-max-range/:pair', range),
    guarded('GET', '/estimate', estimate),
    ...orderRoutes,
  ],
};

/** Open to everyone. */
function get(path: string, answer: StandinRoute['answer']): StandinRoute {
  return { method: 'GET', host: 'api', path: `/v1${path}`, answer };
}
