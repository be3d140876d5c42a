/** Setups: a widget begins with nothing that its integrator does not allow, and with an amount that can be asked for. */
import { describe, expect, it } from 'vitest';
import { currencies } from '../../../test/browser/pay-world.ts';
import type { Account } from '../../app/accounts.ts';
import type { Listings } from '../../app/listings.ts';
import { createSupported } from '../../app/supported.ts';
import type { Listing } from '../../domain/listing.ts';
import type { CountryCode, Side } from '../../domain/words.ts';
import { readParameters } from './parameters.ts';
import { createSetups } from './setup.ts';

/** Somebody who trades three coins for two currencies, by two methods, everywhere. */
function listing(side: Side): Listing {
  const method = (native: string) => [native, { native }] as const;
  const methods = new Map([method('creditcard'), method('sepabanktransfer')]);
  const asset = (native: string) => [native, { native, network: '' }] as const;
  return {
    side,
    countries: undefined,
    assets: new Map([asset('btc_bitcoin'), asset('pol_polygon'), asset('usdc_polygon')]),
    fiats: new Map(['eur', 'jpy'].map(native => [native, { native, methods }])),
  } as unknown as Listing;
}

const line = { adapter: { manifest: { id: 'moonpay', name: 'MoonPay' } } };
const listings = { of: () => [{ line, listings: [listing('buy'), listing('sell')] }] };
const supported = createSupported({
  currencies,
  listings: listings as unknown as Listings,
  scores: { of: () => new Map(), recount: async () => {} },
});
const setups = createSetups({ currencies, supported, publicUrl: () => 'https://ramps.example' });

function begin(query: Record<string, string>, country = 'DE') {
  const context = { currencies, isProvider: () => true, redirectHosts: [] };
  const { choices, warnings } = setups(readParameters(query, context), {
    account: { environment: 'test', providers: undefined, preferred: {} } as unknown as Account,
    key: 'pk_test_1',
    country: country as CountryCode,
    language: 'en',
    addressScript: '/address.js',
  });
  return {
    choice: query.mode === 'sell' ? choices.sell : choices.buy,
    warned: warnings.map(({ parameter }) => parameter),
  };
}

const coinOf = (query: Record<string, string>) => begin(query).choice?.crypto.id;
const methodOf = (query: Record<string, string>) => begin(query).choice?.method;
const amountOf = (query: Record<string, string>, country?: string) => {
  const { choice, warned } = begin(query, country);
  return { amount: choice?.amount, warned };
};

describe('the coin', () => {
  it('is the usual one where anything goes, and the wished one where it is allowed', () => {
    expect(coinOf({})).toBe('btc_bitcoin');
    expect(coinOf({ defaultCrypto: 'usdc_polygon', onlyCryptos: 'btc,usdc' })).toBe('usdc_polygon');
    expect(coinOf({ onlyCryptos: 'pol,btc' })).toBe('btc_bitcoin');
  });

  it('is on an allowed network', () => {
    expect(coinOf({ onlyCryptoNetworks: 'polygon' })).toBe('pol_polygon');
    expect(coinOf({ onlyCryptoNetworks: 'polygon', defaultCrypto: 'btc' })).toBe('pol_polygon');
    expect(coinOf({ onlyCryptoNetworks: 'polygon', defaultCrypto: 'usdc_polygon' })).toBe('usdc_polygon');
    expect(coinOf({ onlyCryptoNetworks: 'polygon', onlyCryptos: 'btc,usdc' })).toBe('usdc_polygon');
  });

  it('is none where nothing that is allowed can be had', () => {
    expect(coinOf({ onlyCryptoNetworks: 'polygon', onlyCryptos: 'btc' })).toBeUndefined();
    expect(coinOf({ onlyCryptoNetworks: 'solana' })).toBeUndefined();
  });
});

describe('the payment method', () => {
  it('is one of those that are allowed, or none until they are known', () => {
    expect(methodOf({})).toBe('creditcard');
    expect(methodOf({ onlyPaymentMethods: 'sepabanktransfer' })).toBeNull();
    const wished = { defaultPaymentMethod: 'sepabanktransfer' };
    expect(methodOf(wished)).toBe('sepabanktransfer');
    expect(methodOf({ ...wished, onlyPaymentMethods: 'sepabanktransfer' })).toBe('sepabanktransfer');
    expect(methodOf({ ...wished, onlyPaymentMethods: 'creditcard' })).toBe('creditcard');
  });
});

describe('the amount', () => {
  it('is the given one where its currency has so many places', () => {
    expect(amountOf({ defaultAmount: '49.99' })).toEqual({ amount: '49.99', warned: [] });
    expect(amountOf({ defaultAmount: '49.00' }, 'JP')).toEqual({ amount: '49.00', warned: [] });
    const sale = { mode: 'sell', defaultAmount: '0.00000001' };
    expect(amountOf(sale)).toEqual({ amount: '0.00000001', warned: [] });
  });

  it('is the usual one, and that is told, where it has fewer', () => {
    const usual = { amount: '100', warned: ['defaultAmount'] };
    expect(amountOf({ defaultAmount: '100.555' })).toEqual(usual);
    expect(amountOf({ defaultAmount: '49.99' }, 'JP')).toEqual(usual);
    expect(amountOf({ mode: 'sell', defaultAmount: '0.000000001' })).toEqual({ ...usual, amount: '0.002' });
  });

  it('that was given is of the side shown first alone', () => {
    expect(amountOf({ mode: 'sell,buy', defaultAmount: '100.555' })).toEqual({ amount: '100', warned: [] });
  });
});
