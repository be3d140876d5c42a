/** Topper's catalog in our ids: everybody has the limits of the currency that their country is billed in. */
import { expect, it } from 'vitest';
import { questionsTo } from '../../../test/standin-asks.ts';
import { findListed, sourceLimits, type Wanted } from '../../domain/listing.ts';
import { topper } from './adapter.ts';
import { standin } from './standin.ts';

const listings = questionsTo({ adapter: topper, standin }).listings();

it.each([
  ['eur', 'DE'],
  ['gbp', 'GB'],
  ['usd', 'US'],
  ['usd', 'BR'],
])('%s in %s, which is billed in it, have the limits of there and no others', (fiat, country) => {
  for (const method of ['creditcard', 'debitcard', 'applepay', 'googlepay']) {
    const found = findListed(listings, {
      side: 'buy',
      fiat,
      asset: 'eth_ethereum',
      method,
      country,
    } as Wanted);
    if (typeof found === 'string') expect.fail(found);
    const { min, max } = sourceLimits('buy', found);
    expect([`${min}`, `${max}`]).toEqual(['10', '2500']);
  }
});
