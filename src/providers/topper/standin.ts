/** Topper imitated for the sandbox: its lists, simulations, widget and events, on its own paths. */
import type { Standin } from '../world.ts';
import { SETTINGS } from './standin-answers.ts';
import { orderRoutes } from './standin-orders.ts';
import { quoteRoutes } from './standin-quotes.ts';

export const standin: Standin = { settings: SETTINGS, routes: [...quoteRoutes, ...orderRoutes] };
