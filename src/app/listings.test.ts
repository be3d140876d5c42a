/** Listings: their words into our ids, and nothing we cannot place for certain. */
import { describe, expect, it } from 'vitest';
import { type Listing, usableIn } from '../domain/listing.ts';
import { decimal } from '../domain/money.ts';
import type { CountryCode, MethodId, NetworkId, ProviderId } from '../domain/words.ts';
import { currencies } from '../main.ts';
import type { Manifest, TheirFiat, TheirListing } from '../providers/contract.ts';
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

const blocksOf = (...theirs: Partial<TheirListing>[]) =>
  translate(
    theirs.map(block => ({ side: 'buy', assets: [], fiats: [], ...block })),
    manifest,
    currencies,
  );

function translated(theirs: Partial<TheirListing>) {
  const [first, ...more] = blocksOf(theirs);
  expect(more).toEqual([]);
  return first as Listing;
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

  it('asks with a further word for it where the first is not good, and only there', () => {
    const wordsIn = (country: string, methods: TheirFiat['methods']) =>
      blocksOf({ fiats: [{ code: 'EUR', methods }] }).flatMap(({ fiats }) =>
        [...fiats].flatMap(([, { methods: listed }]) => {
          const card = listed.get('creditcard' as MethodId);
          return card && usableIn(card, country as CountryCode) ? [card.native] : [];
        }),
      );
    const first = { code: 'card', onlyIn: ['DE', 'AT'] };
    for (const [country, words] of [
      ['DE', ['card']],
      ['AT', ['card']],
      ['FR', ['other_card']],
      ['ES', []],
    ] as const)
      expect(wordsIn(country, [first, { code: 'other_card', onlyIn: ['AT', 'FR'] }])).toEqual(words);
    const later = { fiats: [{ code: 'EUR', methods: [{ code: 'card', onlyIn: ['FR'] }] }] };
    const both = blocksOf({ fiats: [{ code: 'EUR', methods: [first, { code: 'other_card' }] }] }, later);
    const words = both.map(
      ({ fiats }) => [...fiats.values()][0]?.methods.get('creditcard' as MethodId)?.native,
    );
    expect(words).toEqual(['card', 'card', 'other_card']);
    expect(wordsIn('ES', [first, { code: 'other_card' }])).toEqual(['other_card']);
    expect(wordsIn('DE', [first, { code: 'other_card' }])).toEqual(['card']);
    expect(
      blocksOf({ fiats: [{ code: 'EUR', methods: [{ code: 'card' }, { code: 'other_card' }] }] }),
    ).toHaveLength(1);
  });

  it('restricts countries only where they do, and to none where none is ours', () => {
    expect(translated({}).countries).toBeUndefined();
    expect(translated({ countries: ['de', 'ZZ', 'DEU'] }).countries).toEqual(new Set(['DE']));
    expect(translated({ countries: ['ZZ'] }).countries).toEqual(new Set());
  });
});
