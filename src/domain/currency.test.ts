/** Names: what a word of a client's or a provider's means, and what means nothing. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CatalogData, createCurrencies, NATIVE_ADDRESS } from './currency.ts';
import { type NetworkId, plainWord } from './words.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../catalog/${name}.json`, import.meta.url), 'utf8'));
const data: CatalogData = {
  networks: read('networks'),
  assets: read('assets'),
  fiats: read('fiats'),
  methods: read('payment-methods'),
  countries: read('countries'),
};
const currencies = createCurrencies(data);
const ETHEREUM = 'ethereum' as NetworkId;
const SOLANA = 'solana' as NetworkId;

/** A word with each letter in either case. */
const anyCase = (word: string) =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map(upper =>
      [...word].map((char, at) => (upper[at] ? char.toUpperCase() : char.toLowerCase())).join(''),
    );

describe('finding by name', () => {
  it('finds every asset by its id in any case', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...data.assets).chain(asset => fc.tuple(fc.constant(asset), anyCase(asset.id))),
        ([asset, word]) => {
          const found = currencies.findAsset(word);
          return found !== undefined && 'asset' in found && found.asset === asset;
        },
      ),
    );
  });

  it('finds fiats, methods, networks and countries in any case', () => {
    const all = [
      ...data.fiats.map(entry => ({ entry, word: entry.code, find: currencies.findFiat })),
      ...data.methods.map(entry => ({ entry, word: entry.id, find: currencies.findMethod })),
      ...data.networks.map(entry => ({ entry, word: entry.id, find: currencies.findNetwork })),
      ...data.countries.map(entry => ({ entry, word: entry.code, find: currencies.findCountry })),
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...all).chain(one => fc.tuple(fc.constant(one), anyCase(one.word))),
        ([{ entry, find }, word]) => find(word) === entry,
      ),
    );
  });

  it('takes a bare code for its main network, and for its only one', () => {
    expect(currencies.findAsset('BTC')).toMatchObject({ asset: { id: 'btc_bitcoin' } });
    expect(currencies.findAsset('eth')).toMatchObject({ asset: { id: 'eth_ethereum' } });
    const codes = data.assets.map(({ code }) => code);
    const only = data.assets.find(({ code }) => codes.filter(other => other === code).length === 1);
    expect(currencies.findAsset(only?.code ?? '')).toEqual({ asset: only });
  });

  it('calls a code on several networks without a main one ambiguous and lists the ids', () => {
    const found = currencies.findAsset('USDC');
    const ids = data.assets.filter(({ code }) => code === 'USDC').map(({ id }) => id);
    expect(found).toEqual({ ambiguous: ids });
    expect(ids.length).toBeGreaterThan(10);
  });

  it('never takes the old code of a coin for another coin that has it on another network', () => {
    expect(currencies.findAsset('MATIC')).toEqual({ ambiguous: ['pol_polygon', 'matic_ethereum'] });
    const polygon = { asset: expect.objectContaining({ id: 'pol_polygon' }) };
    expect(currencies.findAsset('matic_polygon')).toEqual(polygon);
    expect(currencies.findAsset('matic', 'polygon' as NetworkId)).toEqual(polygon);
    expect(currencies.findAsset('matic_polygon', ETHEREUM)).toBeUndefined();
    expect(currencies.findAsset('matic', ETHEREUM)).toEqual({
      asset: expect.objectContaining({ id: 'matic_ethereum' }),
    });
    expect(currencies.findAsset('POL')).toEqual(polygon);
  });

  it('settles an ambiguous code by the network, and refuses a network that disagrees with the id', () => {
    expect(currencies.findAsset('usdc', SOLANA)).toMatchObject({ asset: { id: 'usdc_solana' } });
    expect(currencies.findAsset('usdc_solana', SOLANA)).toMatchObject({ asset: { id: 'usdc_solana' } });
    expect(currencies.findAsset('usdc_ethereum', SOLANA)).toBeUndefined();
    expect(currencies.findAsset('btc', SOLANA)).toBeUndefined();
  });

  it('never means two assets by one bare code: at most one of a code is main', () => {
    const main = data.assets.filter(asset => asset.main).map(({ code }) => code);
    expect(new Set(main).size).toBe(main.length);
  });

  it.each([
    ['the Kelvin sign', 'usd\u212a', 'okb'.replace('k', '\u212a')],
    ['full-width letters', '\uff45\uff55\uff52', '\uff22\uff34\uff23'],
    ['a long s', 'u\u017fd', 'u\u017fdc_solana'],
    ['a dotless i', 'd\u0131nar', 'l\u0131nk'],
    ['a zero-width space', 'eur\u200b', 'btc\u200b'],
    ['a right-to-left override', '\u202eeur', '\u202ebtc'],
    ['spaces', ' eur', 'btc '],
    ['a newline', 'eur\n', 'btc\n'],
    ['NUL', 'eur\0', 'btc\0'],
    ['a slash', 'eur/', 'btc/..'],
    ['names of the prototype', '__proto__', 'constructor'],
    ['more names of the prototype', 'toString', 'hasOwnProperty'],
    ['nothing', '', ''],
    ['a wildcard', '*', '%'],
    ['5,000 characters', 'e'.repeat(5_000), 'b'.repeat(5_000)],
  ])('finds nothing by %s', (_what, fiat, asset) => {
    expect(currencies.findFiat(fiat)).toBeUndefined();
    expect(currencies.findAsset(asset)).toBeUndefined();
    expect(currencies.findMethod(fiat)).toBeUndefined();
    expect(currencies.findNetwork(asset)).toBeUndefined();
    expect(currencies.findCountry(fiat)).toBeUndefined();
  });

  it.each([
    'uk',
    'eu',
    'zz',
    'xx',
    'd',
    'deu',
    '49',
    'all',
    'D\u212a',
    '\uff24\uff25',
    '🇩🇪',
    'de,fr',
    'de\n',
  ])('knows no country %j', word => {
    expect(currencies.findCountry(word)).toBeUndefined();
  });

  it('takes no word for another that only Unicode makes equal', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.oneof(
            fc.constantFrom(...'aZ09_.-', '\u212a', '\u017f', '\u0130', '\uff41'),
            fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
          ),
          maxLength: 6,
        }),
        text => {
          const plain = plainWord(text);
          return plain === undefined || (/^[a-z0-9_.-]+$/.test(plain) && plain.length === text.length);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('findListed', () => {
  it('finds every asset of the catalog by what names it on its network', () => {
    const missed = data.assets.filter(asset => {
      const contract = asset.address === NATIVE_ADDRESS ? undefined : asset.address;
      return currencies.findListed({ network: asset.network, contract, symbol: asset.code }) !== asset;
    });
    expect(missed.map(({ id }) => id)).toEqual([]);
  });

  it('compares hexadecimal contracts without regard to case, and the symbol not at all', () => {
    const usdc = data.assets.find(({ id }) => id === 'usdc_ethereum');
    const contract = `0x${usdc?.address.slice(2).toUpperCase()}`;
    expect(currencies.findListed({ network: ETHEREUM, contract, symbol: 'whatever' })).toBe(usdc);
  });

  it('compares all other contracts to the letter', () => {
    const usdc = data.assets.find(({ id }) => id === 'usdc_solana');
    const contract = usdc?.address ?? '';
    expect(currencies.findListed({ network: SOLANA, contract, symbol: 'USDC' })).toBe(usdc);
    expect(
      currencies.findListed({ network: SOLANA, contract: contract.toLowerCase(), symbol: 'USDC' }),
    ).toBeUndefined();
  });

  it('finds nothing by a contract of another network or by one that is not known', () => {
    const contract = data.assets.find(({ id }) => id === 'usdc_ethereum')?.address;
    expect(
      currencies.findListed({ network: 'polygon' as NetworkId, contract, symbol: 'USDC' }),
    ).toBeUndefined();
    const unknown = `0x${'ab'.repeat(20)}`;
    expect(currencies.findListed({ network: ETHEREUM, contract: unknown, symbol: 'USDC' })).toBeUndefined();
  });

  it('takes a token without a contract for nothing, unless it is the network’s own coin', () => {
    expect(currencies.findListed({ network: ETHEREUM, contract: undefined, symbol: 'USDC' })).toBeUndefined();
    expect(currencies.findListed({ network: ETHEREUM, contract: '', symbol: 'eth' })?.id).toBe(
      'eth_ethereum',
    );
  });

  it('does not take a token whose contract is the zero address for the network’s coin', () => {
    const listed = { network: ETHEREUM, contract: NATIVE_ADDRESS, symbol: 'USDC' };
    expect(currencies.findListed(listed)).toBeUndefined();
    expect(currencies.findListed({ ...listed, symbol: 'ETH' })?.id).toBe('eth_ethereum');
  });
});

describe('the catalog', () => {
  it('has every id once, in lower case, and no reference that leads nowhere', () => {
    for (const entries of [data.assets, data.fiats, data.methods, data.networks]) {
      const ids = entries.map(({ id }) => id as string);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter(id => plainWord(id) !== id)).toEqual([]);
    }
    expect(data.assets.filter(({ network }) => !currencies.networks.has(network))).toEqual([]);
    expect(data.networks.filter(({ native }) => !currencies.assets.has(native))).toEqual([]);
  });

  it('names an asset by its code and network', () => {
    expect(data.assets.filter(({ id, code, network }) => id !== `${code.toLowerCase()}_${network}`)).toEqual(
      [],
    );
  });

  it('has the ids that public clients have built in', () => {
    const usdc = 'ethereum optimism bsc gnosis polygon zksync base arbitrum celo avaxc linea solana'.split(
      ' ',
    );
    const others = ['ltc_litecoin', 'ar_arweave', 'stx_stacks', 'strk_starknet', 'btc', 'eth', 'sol'];
    const missing = [...usdc.map(network => `usdc_${network}`), ...others].filter(word => {
      const found = currencies.findAsset(word);
      return !found || !('asset' in found);
    });
    expect(missing).toEqual([]);
  });
});
