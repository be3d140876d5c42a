/** Coinbase's catalog and our own pace: however many countries it names, asking for it never runs into our limits. */
import { expect, it } from 'vitest';
import { contextOf, makeWorld } from '../../../test/standins.ts';
import type { TheirListing } from '../contract.ts';
import type { Work } from '../exchange.ts';
import { coinbase } from './adapter.ts';
import { standin } from './standin.ts';

/** A catalog of twenty countries, no two with the same methods. */
const COUNTRIES = Array.from({ length: 20 }, (_, at) => ({
  id: `X${String.fromCharCode(65 + at)}`,
  payment_methods: [{ id: `METHOD_${at}` }],
}));
const BODY = {
  countries: COUNTRIES,
  ...{ payment_currencies: [], purchase_currencies: [], cashout_currencies: [], sell_currencies: [] },
};

function countRequests(work: Work<TheirListing[]>): number {
  if (Array.isArray(work)) return 0;
  return 1 + countRequests(work.read({ status: 200, headers: {}, body: BODY }));
}

it('is asked for with no more requests than may come at once, and ten quotes in any second are not passed', () => {
  const { perSecond, burst } = coinbase.manifest.limits;
  expect(countRequests(coinbase.catalog(contextOf(standin.settings, makeWorld())))).toBe(burst);
  expect(perSecond + burst).toBeLessThanOrEqual(10);
});
