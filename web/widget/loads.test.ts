/** Loads: what is recommended is found among what the place serves, whatever else has the same letters. */
import { describe, expect, it, vi } from 'vitest';
import type { AssetsQuery, Client } from '../../client/src/index.ts';
import { BTC, EUR, XRP } from './example.ts';
import { loadRecommended } from './loads.ts';

const coinOn = (network: string, code: string) => ({
  ...{ ...BTC, id: `${code.toLowerCase()}_${network}`, code, network },
});
const NOBLE = coinOn('noble', 'USDC');
const ETHEREUM = coinOn('ethereum', 'USDC');
const RONIN = coinOn('ronin', 'RON');
const LEU = { ...EUR, id: 'ron', code: 'RON' };

/** A service where one coin of two with the same code goes with the leu, and another coin has the leu's letters. */
function serving(side: 'buy' | 'sell') {
  const [source, target] = side === 'buy' ? ['RON', 'USDC'] : ['USDC', 'RON'];
  const entries = {
    buy: [{ fiat: 'ron', crypto: [RONIN.id, ETHEREUM.id] }],
    sell: [
      { crypto: RONIN.id, fiat: ['ron'] },
      { crypto: NOBLE.id, fiat: ['eur'] },
      { crypto: ETHEREUM.id, fiat: ['eur', 'ron'] },
    ],
  };
  const assets = vi.fn(async (_: AssetsQuery) => ({ assets: entries[side] }));
  const client = {
    defaults: async () => ({ recommended: { source, target, amount: '7', paymentMethod: 'creditcard' } }),
    supported: async () => ({ crypto: [RONIN, NOBLE, ETHEREUM], fiat: [EUR, LEU] }),
    assets,
  } as unknown as Client;
  return { client, assets };
}

describe('what is recommended', () => {
  it.each(['buy', 'sell'] as const)('is a coin that goes with the fiat there, on a %s', async side => {
    const { client, assets } = serving(side);
    const spot = { side, pair: { fiat: EUR, crypto: XRP }, country: 'RO' };
    expect(await loadRecommended(client, spot)).toEqual({
      type: 'recommendation',
      key: `${side} eur xrp_ripple RO`,
      recommended: { pair: { fiat: LEU, crypto: ETHEREUM }, amount: '7', method: 'creditcard' },
    });
    const source = side === 'buy' ? 'ron' : undefined;
    expect(assets.mock.calls).toEqual([[{ source, country: 'RO', type: side }]]);
  });

  it('is nothing where nobody serves the country', async () => {
    const { client, assets } = serving('buy');
    const nothing = { ...client, defaults: async () => ({ recommended: null }) } as unknown as Client;
    const spot = { side: 'buy' as const, pair: { fiat: EUR, crypto: XRP }, country: 'KP' };
    expect(await loadRecommended(nothing, spot)).toMatchObject({ recommended: null });
    expect(assets).not.toHaveBeenCalled();
  });
});
