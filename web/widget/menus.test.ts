/** Menus: what works is offered, and found as people search. */
import { describe, expect, it } from 'vitest';
import { BTC, EUR, exampleSetup, exampleState, USD, XRP } from './example.ts';
import { coinsOf, fiatsOf, search } from './menus.ts';

const asset = { symbol: '', address: '', chainId: 0 };
const fiat = { symbol: '' };
const lists = {
  currencies: {
    buy: {
      crypto: [
        { ...BTC, ...asset },
        { ...XRP, ...asset },
      ],
      fiat: [
        { ...EUR, ...fiat },
        { ...USD, ...fiat },
      ],
    },
  },
  countries: undefined,
  partners: { 'buy eur DE': ['xrp_ripple'] },
  failed: [],
};
const ids = (list: { id: string }[] | undefined) => list?.map(({ id }) => id);

describe('what there is to choose from', () => {
  it('is unknown until it is loaded, then what goes with the fiat', () => {
    expect(coinsOf(exampleState())).toBeUndefined();
    expect(ids(coinsOf(exampleState({ lists })))).toEqual(['xrp_ripple']);
    expect(ids(coinsOf(exampleState({ lists: { ...lists, partners: {} } })))).toEqual([
      'btc_bitcoin',
      'xrp_ripple',
    ]);
  });

  it('is what the integrator allows', () => {
    const only = { ...exampleSetup().only, fiats: ['usd'], networks: ['bitcoin'] };
    const state = exampleState({ lists: { ...lists, partners: {} } }, { only });
    expect(ids(fiatsOf(state))).toEqual(['usd']);
    expect(ids(coinsOf(state))).toEqual(['btc_bitcoin']);
  });
});

describe('search', () => {
  const names = ['Ethereum Classic', 'Ethereum', 'São Tomé', 'Tether'];
  const found = (query: string) => search(names, query, name => [name]);

  it('finds by beginnings first, without accents or case', () => {
    expect(found('eth')).toEqual(['Ethereum Classic', 'Ethereum', 'Tether']);
    expect(found('ETHEREUM')).toEqual(['Ethereum', 'Ethereum Classic']);
    expect(found('sao')).toEqual(['São Tomé']);
    expect(found('')).toEqual(names);
    expect(found('zzz')).toEqual([]);
  });
});
