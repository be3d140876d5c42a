/** Paybis' catalog in our ids: a payout that is for one country keeps it, and another one serves the rest. */
import { describe, expect, it } from 'vitest';
import { translate } from '../../app/listings.ts';
import { findListed, type Wanted } from '../../domain/listing.ts';
import { currencies } from '../../main.ts';
import type { TheirListing } from '../contract.ts';
import type { Context, Exchange, Work } from '../exchange.ts';
import { paybis } from './adapter.ts';

const META = {
  currencies: [
    { code: 'BTC', blockchainName: 'bitcoin' },
    { code: 'ETH', blockchainName: 'ethereum' },
  ],
};
const EVERYWHERE = 'demo-credit-card-out';
const THERE_ONLY = 'demo-mass-pay-out';

/** A payout method for one fiat, with its coins. */
function payout(name: string, coins: readonly string[]): object {
  return { name, displayName: '', pairs: coins.map(fromAssetId => ({ fromAssetId, to: ['USD'] })) };
}

/** What they list when these are their answers. */
function listed(sells: readonly object[]): TheirListing[] {
  const context = { settings: {}, secret: (name: string) => name } as unknown as Context;
  let work: Work<TheirListing[]> = paybis.catalog(context);
  for (const data of [[], sells])
    work = (work as Exchange<TheirListing[]>).read({ status: 200, body: { data, meta: META } });
  return work as TheirListing[];
}

/** The word that a sell of bitcoin is asked with there. */
function wordIn(country: string, sells: readonly object[]): string {
  const wanted = { side: 'sell', fiat: 'usd', asset: 'btc_bitcoin', method: 'debitcard', country } as Wanted;
  const found = findListed(translate(listed(sells), paybis.manifest, currencies), wanted);
  return typeof found === 'string' ? found : found.method.native;
}

const FIRST = [payout(EVERYWHERE, ['BTC']), payout(THERE_ONLY, ['BTC'])];

describe.each([
  ['the same coins', FIRST],
  ['the same coins, the other way round', [...FIRST].reverse()],
  ['other coins', [payout(EVERYWHERE, ['BTC', 'ETH']), payout(THERE_ONLY, ['BTC'])]],
])('two payouts to cards, with %s', (_, sells) => {
  it('each have their countries', () => {
    expect(wordIn('US', sells)).toBe(THERE_ONLY);
    expect(wordIn('DE', sells)).toBe(EVERYWHERE);
  });
});

it('a payout that is for one country alone is for no other', () => {
  const alone = [payout(THERE_ONLY, ['BTC'])];
  expect([wordIn('US', alone), wordIn('DE', alone)]).toEqual([THERE_ONLY, 'method']);
});
