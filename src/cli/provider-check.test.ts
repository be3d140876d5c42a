/** The trial of providers, each against its own stand-in, and the cases that come of it. */
import { describe, expect, it } from 'vitest';
import type { CountryCode } from '../domain/words.ts';
import { currencies } from '../main.ts';
import { registry } from '../providers/registry.ts';
import { caseOf, strike } from './provider-case.ts';
import { withStandin } from './provider-check.ts';
import { tryProvider } from './provider-trial.ts';

const now = () => Date.now();

describe.each(registry.map(one => [one.adapter.manifest.id, one] as const))('a trial of %s', (_id, one) => {
  it('finds that its stand-in matches in every operation', async () => {
    const { trials, quotes } = await withStandin(one, ({ line }) =>
      tryProvider({ line, currencies, country: undefined, now }),
    );
    const { manifest, token, status } = one.adapter;
    expect(trials.filter(({ verdict }) => verdict === 'failed' || verdict === 'refused')).toEqual([]);
    const verdicts = new Map(trials.map(({ operation, verdict }) => [operation, verdict]));
    expect([...verdicts.keys()]).toEqual([
      ...(token ? ['token'] : []),
      'catalog',
      ...manifest.sides.map(side => `${side} quote`),
      'checkout',
      'status',
    ]);
    expect(verdicts.get('checkout')).toBe(manifest.checkout.makes === 'order' ? 'left out' : 'matched');
    if (!status) expect(verdicts.get('status')).toBe('left out');
    expect(quotes).toHaveLength(manifest.sides.length);
  });

  it('gives a case that plays as it was written, with no setting in it', async () => {
    const { quotes } = await withStandin(one, ({ line }) =>
      tryProvider({ line, currencies, country: 'DE' as CountryCode, now }),
    );
    const [quote] = quotes;
    if (!quote) throw new Error('nothing was asked');
    const text = caseOf(one.adapter, quote, one.standin.settings);
    const example = JSON.parse(text);
    expect(example).toMatchObject({
      do: 'quote',
      input: { side: 'buy' },
      output: { pays: expect.any(String) },
    });
    expect(example.exchanges.length).toBeGreaterThan(0);
    const own = Object.values(one.standin.settings).filter(value => value.length >= 6);
    const published = one.adapter.manifest.settings.flatMap(({ fallback = {} }) =>
      typeof fallback === 'string' ? [fallback] : Object.values(fallback),
    );
    expect(own.filter(value => !published.includes(value) && text.includes(value))).toEqual([]);
  });
});

describe('what is struck out', () => {
  const settings = new Map([['apiKey', { from: 'pk_live_abcdef', to: 'demo-apiKey' }]]);

  it('is every setting, wherever it stands, and what may be anybody’s own', () => {
    expect(
      strike(
        {
          url: 'https://x.example/?apiKey=pk_live_abcdef',
          list: [{ email: 'a@b.example', note: 'write to a@b.example from 192.0.2.1' }],
          customerId: '7',
          signature: 'abc',
          accessToken: 'abc',
          firstName: 'A',
          ip: '192.0.2.1',
          session: { id: 'kept' },
        },
        settings,
      ),
    ).toEqual({
      url: 'https://x.example/?apiKey=demo-apiKey',
      list: [{ email: 'struck out', note: 'write to struck out from struck out' }],
      customerId: 'struck out',
      signature: 'struck out',
      accessToken: 'struck out',
      firstName: 'struck out',
      ip: 'struck out',
      session: { id: 'kept' },
    });
  });

  it('is nothing that a price is made of', () => {
    const price = {
      quoteCurrencyAmount: '0.00168',
      network: 'ethereum',
      tokenAddress: '0x1',
      contract_address: '0x2',
      currencyCode: 'eur',
      paymentMethod: 'credit_debit_card',
      name: 'Ether',
      description: 'up to 0.1 BTC',
      fees: [{ type: 'network', amount: '1.00' }],
      isActive: true,
      nothing: null,
    };
    expect(strike(price, settings)).toEqual(price);
  });
});
