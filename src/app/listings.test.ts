/** Listings: their words into our ids, and nothing we cannot place for certain. */
import { describe, expect, it } from 'vitest';
import { decimal } from '../domain/money.ts';
import type { MethodId, NetworkId, ProviderId } from '../domain/words.ts';
import { currencies } from '../main.ts';
import type { Manifest, TheirListing } from '../providers/contract.ts';
import { translate } from './listings.ts';

const manifest: Manifest = {
  ...{
    id: 'acme' as ProviderId,
    name: 'Acme',
    hosts: {},
    sides: ['buy'],
    pricesDestination: [],
    settings: [],
    duration: { '*': 600 },
    kyc: [],
  },
  methods: {
    card: ['creditcard', 'debitcard'] as MethodId[],
    other_card: ['creditcard'] as MethodId[],
    odd: ['nosuchmethod'] as MethodId[],
  },
  networks: { ETH: 'ethereum' as NetworkId, XX: 'nosuchnetwork' as NetworkId },
  limits: { perSecond: 1, burst: 1, connections: 1 },
  checkout: { makes: 'link', opens: 'iframe', pages: { buy: 'api', sell: 'api' }, permissions: [] },
  statuses: {},
};
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

function translated(theirs: Partial<TheirListing>) {
  return translate({ side: 'buy', assets: [], fiats: [], ...theirs }, manifest, currencies);
}

describe('translate', () => {
  it('keeps the states that an asset is not sold in, and no other parts of countries', () => {
    const { assets } = translated({
      assets: [
        {
          ...{ code: 'usdc_eth', symbol: 'USDC', network: 'ETH', contract: USDC },
          notIn: ['US-NY', 'us-hi', 'FR', 'CA-QC', 'US-NYC', 'US-', 'NY'],
        },
      ],
    });
    const [listed] = assets.values();
    expect([...(listed?.notIn ?? [])].sort()).toEqual(['FR', 'US-HI', 'US-NY']);
  });

  it('keeps their words beside our ids, and their limits', () => {
    const { assets, fiats, side } = translated({
      assets: [
        { code: 'usdc_eth', symbol: 'USDC', network: 'ETH', contract: USDC, min: decimal(5), notIn: ['us'] },
      ],
      fiats: [
        {
          code: 'eur',
          methods: [{ code: 'card', max: decimal(500), onlyIn: ['DE', 'fr', 'zz', 'germany'] }],
        },
      ],
    });
    expect(side).toBe('buy');
    expect([...assets]).toEqual([
      [
        'usdc_ethereum',
        { native: 'usdc_eth', network: 'ETH', min: decimal(5), max: undefined, notIn: new Set(['US']) },
      ],
    ]);
    const method = { native: 'card', min: undefined, max: decimal(500), onlyIn: new Set(['DE', 'FR']) };
    expect([...fiats]).toEqual([
      [
        'eur',
        {
          native: 'eur',
          methods: new Map([
            ['creditcard', method],
            ['debitcard', method],
          ]),
        },
      ],
    ]);
  });

  it.each([
    ['a network the manifest does not name', { network: 'BTC', symbol: 'BTC' }],
    ['a network that is not ours', { network: 'XX', symbol: 'XX' }],
    ['a name of the prototype as network', { network: 'constructor', symbol: 'ETH' }],
    ['a contract we do not know', { network: 'ETH', symbol: 'USDC', contract: `0x${'11'.repeat(20)}` }],
    ['a token without a contract', { network: 'ETH', symbol: 'USDC' }],
  ])('leaves out an asset with %s', (_what, asset) => {
    expect(translated({ assets: [{ code: 'x', ...asset }] }).assets.size).toBe(0);
  });

  it('leaves out fiats and methods that are not ours, and a fiat that has no method left', () => {
    const { fiats } = translated({
      fiats: [
        {
          code: 'EUR',
          methods: [{ code: 'card' }, { code: 'odd' }, { code: 'unheard' }, { code: 'toString' }],
        },
        { code: 'USD', methods: [{ code: 'odd' }] },
        { code: 'XXX', methods: [{ code: 'card' }] },
      ],
    });
    expect([...fiats].map(([id, { methods }]) => [id, ...methods.keys()])).toEqual([
      ['eur', 'creditcard', 'debitcard'],
    ]);
  });

  it('asks with their first word for a method of ours', () => {
    const { fiats } = translated({
      fiats: [{ code: 'EUR', methods: [{ code: 'other_card' }, { code: 'card' }] }],
    });
    const [[, eur] = []] = fiats;
    expect([...(eur?.methods ?? [])].map(([id, { native }]) => [id, native])).toEqual([
      ['creditcard', 'other_card'],
      ['debitcard', 'card'],
    ]);
  });

  it('restricts countries only where they do, and to none where none is ours', () => {
    expect(translated({}).countries).toBeUndefined();
    expect(translated({ countries: ['de', 'ZZ', 'DEU'] }).countries).toEqual(new Set(['DE']));
    expect(translated({ countries: ['ZZ'] }).countries).toEqual(new Set());
  });
});
