/** The pay page’s routes without a service behind them: asked for what stands in an order, and told what a test says. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createPayWorld, exampleView, type PayWorld } from './browser/pay-world.ts';

export const ORIGIN = 'https://ramp.example';
/** How a browser asks for a page, and how our own page asks for anything. */
export const PAGE = { accept: 'text/html,application/xhtml+xml' };
export const OWN = { 'sec-fetch-site': 'same-origin', origin: ORIGIN };

export let world: PayWorld;

/** Begins a file with routes below a path of their own, and each of its tests with one order, `t1`. */
export function setPayRoute(): void {
  beforeAll(async () => {
    world = await createPayWorld(`${ORIGIN}/base`);
  });
  beforeEach(() => {
    world.pay.fault = undefined;
    world.pay.openedFrom.length = 0;
    world.pay.put('t1', exampleView());
  });
  afterAll(() => world.close());
}

export type Headers = Record<string, string>;

export const get = (url: string, headers: Headers = {}) => world.app.inject({ url, headers });
export const post = (url: string, headers: Headers = {}, payload?: string) =>
  world.app.inject({ method: 'POST', url, headers, ...(payload !== undefined && { payload }) });
