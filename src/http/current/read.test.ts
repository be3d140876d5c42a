/** What a client's words mean: currencies that share a code, and places that nobody has named. */
import { describe, expect, it } from 'vitest';
import { currencies } from '../../main.ts';
import { readPair, readPlace } from './read.ts';

function pair(source: string, destination: string, network?: string): string[] {
  const { side, fiat, asset } = readPair(currencies, { source, destination, network });
  return [side, fiat.id, asset.id];
}

describe('a pair', () => {
  it('is a purchase or a sale by which of the two is the fiat', () => {
    expect(pair('eur', 'btc')).toEqual(['buy', 'eur', 'btc_bitcoin']);
    expect(pair('BTC', 'EUR')).toEqual(['sell', 'eur', 'btc_bitcoin']);
  });

  it('is of the coin where a code beside another fiat is a coin’s as well', () => {
    expect(pair('eur', 'ron')).toEqual(['buy', 'eur', 'ron_ronin']);
    expect(pair('RON', 'EUR')).toEqual(['sell', 'eur', 'ron_ronin']);
    expect(pair('usd', 'MNT', 'mantle')).toEqual(['buy', 'usd', 'mnt_mantle']);
    expect(pair('ron', 'mnt')).toEqual(['buy', 'ron', 'mnt_mantle']);
  });

  it('is of the fiat where a code beside a coin is a fiat’s as well', () => {
    expect(pair('ron', 'btc')).toEqual(['buy', 'ron', 'btc_bitcoin']);
    expect(pair('btc', 'mnt')).toEqual(['sell', 'mnt', 'btc_bitcoin']);
  });

  it('of two fiats or two coins is none, and the one to blame is named', () => {
    const fault = (field: string) => expect.objectContaining({ field });
    expect(() => pair('eur', 'usd')).toThrow(fault('destination'));
    expect(() => pair('btc', 'eth')).toThrow(fault('destination'));
    expect(() => pair('nothing', 'usd')).toThrow(fault('source'));
    expect(() => pair('eur', 'ron', 'bitcoin')).toThrow(fault('network'));
  });
});

describe('a place', () => {
  it('is what is sent, or told by the address', () => {
    expect([readPlace(currencies, 'de', () => 'FR'), readPlace(currencies, undefined, () => 'FR')]).toEqual([
      ...['DE', 'FR'],
    ]);
  });

  it('that the address tells and nobody knows is asked for, and not called wrong', () => {
    for (const located of ['ZZ', undefined])
      expect(() => readPlace(currencies, undefined, () => located)).toThrow('send it');
    expect(() => readPlace(currencies, 'ZZ', () => 'FR')).toThrow('ISO 3166-1');
  });
});
