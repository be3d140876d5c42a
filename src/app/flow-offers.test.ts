/** Flow offers: what travels in the link, and what the person is asked first. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Asset, Fiat } from '../domain/currency.ts';
import { readStrictJson } from '../domain/json-strict.ts';
import { decimal } from '../domain/money.ts';
import type { AccountId, AssetId, CountryCode, FiatId, MethodId, ProviderId } from '../domain/words.ts';
import { currencies } from '../main.ts';
import type { Account } from './accounts.ts';
import { createFlowOffers } from './flow-offers.ts';
import type { FlowTerms } from './flows.ts';
import { createSeal } from './seal.ts';

const NOW = 1_800_000_000_000;
const seal = createSeal(Buffer.alloc(32, 7), 'flow-offers');
const offers = createFlowOffers({ seal, currencies, now: () => NOW });

const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const XRP = 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY';
const asset = (id: string) => currencies.assets.get(id as AssetId) as Asset;
const TERMS: FlowTerms = {
  account: { id: '01J9ZQ6V6C2N9Y0R3M8T5K7W4X' as AccountId } as Account,
  provider: 'moonpay' as ProviderId,
  side: 'buy',
  fiat: currencies.fiats.get('eur' as FiatId) as Fiat,
  asset: asset('btc_bitcoin'),
  method: 'creditcard' as MethodId,
  country: 'DE' as CountryCode,
  amount: decimal('100.5'),
  price: { gets: decimal('0.00107707'), networkFee: decimal('1.2'), providerFee: decimal('0') },
  wallet: undefined,
};

const read = (text: string) => readStrictJson(text);
const fieldsOf = (terms: FlowTerms) => offers.firstStep(terms).fields.map(({ name }) => name);

describe('an offer', () => {
  it('gives back its terms, to us alone', () => {
    const token = offers.issue({ ...TERMS, wallet: { address: BTC } });
    const { account, ...terms } = TERMS;
    expect(offers.read(token)).toEqual({
      ...terms,
      accountId: account.id,
      wallet: { address: BTC, memo: undefined },
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      until: NOW + 600_000,
    });
    expect(token).toMatch(/^[\w-]+$/);
    expect(token.length).toBeLessThan(1_000);
    const clear = Buffer.from(token, 'base64url').toString('latin1');
    for (const word of [BTC, 'moonpay', 'creditcard', '100.5']) expect(clear).not.toContain(word);
  });

  it('has an id of its own each time', () => {
    const ids = Array.from({ length: 100 }, () => offers.read(offers.issue(TERMS))?.id);
    expect(new Set(ids).size).toBe(100);
  });

  it('is worth nothing once a character of it was altered, or sealed for something else', () => {
    const token = offers.issue(TERMS);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'AZaz09-_'), (at, character) => {
        const altered = token.slice(0, at) + character + token.slice(at + 1);
        if (altered !== token) expect(offers.read(altered)).toBeUndefined();
      }),
    );
    const text = seal.open(token) ?? '';
    expect(offers.read(createSeal(Buffer.alloc(32, 7), 'flow-steps').close(text))).toBeUndefined();
  });

  it('stays short with the longest address and memo', () => {
    const wallet = { address: XRP, memo: '4294967295' };
    expect(offers.issue({ ...TERMS, asset: asset('xrp_ripple'), wallet }).length).toBeLessThan(1_000);
  });
});

describe('the first step', () => {
  it('asks for an address and an e-mail address on a buy, and for the latter alone on a sell', () => {
    expect(fieldsOf(TERMS)).toEqual(['cryptocurrencyAddress', 'email']);
    expect(fieldsOf({ ...TERMS, side: 'sell' })).toEqual(['email']);
  });

  it('asks for a tag where addresses can carry one and none came with the ask, and never demands it', () => {
    const terms = { ...TERMS, asset: asset('xrp_ripple') };
    expect(fieldsOf(terms)).toEqual(['cryptocurrencyAddress', 'cryptocurrencyAddressTag', 'email']);
    expect(offers.firstStep(terms).fields[1]?.required).toBe(false);
    expect(fieldsOf({ ...terms, wallet: { address: XRP } })).toEqual(['cryptocurrencyAddressTag', 'email']);
    expect(fieldsOf({ ...terms, wallet: { address: XRP, memo: '1234' } })).toEqual(['email']);
  });

  it('does not ask for a wallet that came with the ask, unless it is wrong', () => {
    expect(fieldsOf({ ...TERMS, wallet: { address: BTC } })).toEqual(['email']);
    const wrong = { ...TERMS, wallet: { address: XRP } };
    expect(fieldsOf(wrong)).toEqual(['cryptocurrencyAddress', 'email']);
    expect(offers.read(offers.issue(wrong))?.wallet).toBeUndefined();
  });
});

describe('the first answers', () => {
  const readFirst = (terms: FlowTerms, text: string) => offers.readFirst(terms, read(text));
  const withEmail = (more: string) => `{"email":"jane@example.com"${more}}`;

  it('are read, and the address never altered', () => {
    expect(readFirst(TERMS, withEmail(`,"cryptocurrencyAddress":"${BTC}"`))).toEqual({
      email: 'jane@example.com',
      wallet: { address: BTC, memo: undefined },
      partnerContext: '',
      contextIsObject: false,
    });
    const xrp = { ...TERMS, asset: asset('xrp_ripple'), wallet: { address: XRP, memo: '7' } };
    expect(readFirst(xrp, withEmail('')).wallet).toEqual({ address: XRP, memo: '7' });
    expect(readFirst(xrp, withEmail(',"cryptocurrencyAddressTag":"12"')).wallet?.memo).toBe('7');
    const untagged = { ...xrp, wallet: { address: XRP } };
    expect(readFirst(untagged, withEmail(',"cryptocurrencyAddressTag":"12"')).wallet?.memo).toBe('12');
  });

  it('carry the partner’s context: a text as it is, an object as one text for all ways to write it', () => {
    const context = (value: string) => {
      const terms = { ...TERMS, wallet: { address: BTC } };
      const { partnerContext, contextIsObject } = readFirst(terms, withEmail(`,"partnerContext":${value}`));
      return [partnerContext, contextIsObject];
    };
    expect(context('"order 17"')).toEqual(['order 17', false]);
    expect(context('null')).toEqual(['', false]);
    expect(context('{ "b": 1.50, "a": {} }')).toEqual(['{"a":{},"b":1.50}', true]);
    for (const wrong of ['17', '[]', 'true', `{"a":"${'x'.repeat(4_092)}"}`])
      expect(() => context(wrong)).toThrow(expect.objectContaining({ field: 'partnerContext' }));
  });

  it.each([
    ['cryptocurrencyAddress', ''],
    ['cryptocurrencyAddress', `,"cryptocurrencyAddress":"${BTC.slice(0, -1)}q"`],
    ['cryptocurrencyAddress', `,"cryptocurrencyAddress":"${XRP}"`],
  ])('name %s when it is wrong, and do not repeat it', (field, more) => {
    const wrong = () => readFirst(TERMS, withEmail(more));
    expect(wrong).toThrow(expect.objectContaining({ kind: 'badInput', field }));
    expect(wrong).not.toThrow(expect.objectContaining({ message: expect.stringContaining(XRP) }));
  });

  it('name the tag when it is wrong', () => {
    const terms = { ...TERMS, asset: asset('xrp_ripple'), wallet: { address: XRP } };
    expect(() => readFirst(terms, withEmail(',"cryptocurrencyAddressTag":"no tag"'))).toThrow(
      expect.objectContaining({ field: 'cryptocurrencyAddressTag' }),
    );
  });
});
