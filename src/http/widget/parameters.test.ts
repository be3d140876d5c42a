/** Parameters: what integrations send is understood, and what is wrong is left aside, told, and harmless. */
import { describe, expect, it } from 'vitest';
import { currencies } from '../../../test/browser/pay-world.ts';
import { readParameters } from './parameters.ts';
import { widgetCss } from './style.ts';

const CONTEXT = { currencies, isProvider: (id: string) => id === 'moonpay', redirectHosts: ['shop.example'] };
const read = (query: Record<string, unknown>) => readParameters(query, CONTEXT);
const BITCOIN = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const ETHEREUM = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const RIPPLE = 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH';

describe('parameters', () => {
  it('are all optional', () => {
    expect(read({})).toMatchObject({ sides: ['buy', 'sell'], warnings: [], theme: { isDark: null } });
  });

  it('are understood as existing integrations send them', () => {
    const read1 = read({
      mode: 'sell,buy',
      defaultFiat: 'USD',
      defaultCrypto: 'eth',
      defaultAmount: '250.5',
      onlyCryptos: 'btc, eth,usdc_polygon',
      onlyFiats: 'eur,usd',
      onlyOnramps: 'MoonPay',
      onlyCryptoNetworks: 'bitcoin,ethereum',
      defaultPaymentMethod: 'creditCard',
      country: 'fr',
      language: 'pt-BR',
      partnerContext: 'order 1',
      redirectUrl: 'https://shop.example/done',
      uuid: '6f9619ff-8b86-d011-b42d-00c04fc964ff',
      embedder: 'https://shop.example',
      isAddressEditable: 'true',
    });
    expect(read1).toMatchObject({
      sides: ['sell', 'buy'],
      defaults: { fiat: 'usd', crypto: 'eth_ethereum', amount: '250.5', method: 'creditcard' },
      only: {
        cryptos: ['btc_bitcoin', 'eth_ethereum', 'usdc_polygon'],
        fiats: ['eur', 'usd'],
        onramps: ['moonpay'],
        networks: ['bitcoin', 'ethereum'],
      },
      country: 'FR',
      language: 'pt',
      partnerContext: 'order 1',
      redirectUrl: 'https://shop.example/done',
      embedder: 'https://shop.example',
      isAddressEditable: true,
      warnings: [],
    });
  });

  it('give wallets by coin and by network, with their memos', () => {
    const { wallets, networkWallets, warnings } = read({
      wallets: `BTC:${BITCOIN},XRP:${RIPPLE}`,
      walletAddressTags: 'XRP:42',
      networkWallets: `ETHEREUM:${ETHEREUM}`,
    });
    expect(wallets).toEqual({
      btc_bitcoin: { address: BITCOIN },
      xrp_ripple: { address: RIPPLE, memo: '42' },
    });
    expect(networkWallets).toEqual({ ethereum: { address: ETHEREUM } });
    expect(warnings).toEqual([]);
  });

  it.each([
    ['by the name of the network', { wallets: `XRP:${RIPPLE}`, walletAddressTags: 'ripple:42' }, 'wallets'],
    [
      'by coin, for a wallet by network',
      { networkWallets: `RIPPLE:${RIPPLE}`, walletAddressTags: 'XRP:42' },
      'wallets',
    ],
    [
      'by network, for one',
      { networkWallets: `RIPPLE:${RIPPLE}`, walletAddressTags: 'RIPPLE:42' },
      'networkWallets',
    ],
  ] as const)('take a tag %s', (_how, query, where) => {
    const { warnings, ...given } = read(query);
    expect(Object.values(given[where])).toEqual([{ address: RIPPLE, memo: '42' }]);
    expect(warnings).toEqual([]);
  });

  it.each([
    { wallets: `XRP:${RIPPLE}`, walletAddressTags: 'XRP:42a' },
    { networkWallets: `RIPPLE:${RIPPLE}`, walletAddressTags: 'XRP:42a' },
    { wallets: `XRP:${RIPPLE}`, networkWallets: `RIPPLE:${RIPPLE}`, walletAddressTags: 'ripple:42a' },
  ])('leave a wallet aside whose tag is none: the person is asked (%j)', query => {
    const { wallets, networkWallets, warnings } = read(query);
    expect([wallets, networkWallets]).toEqual([{}, {}]);
    expect(new Set(warnings.map(({ parameter }) => parameter))).toEqual(new Set(['walletAddressTags']));
  });

  it('tell of tags that have no wallet, and of those where there are none', () => {
    const { wallets, warnings } = read({
      wallets: `BTC:${BITCOIN}`,
      walletAddressTags: 'BTC:1,XRP:2,nobody:3',
    });
    expect(wallets).toEqual({ btc_bitcoin: { address: BITCOIN } });
    expect(warnings.map(({ message }) => message)).toEqual([
      'walletAddressTags: Bitcoin addresses take no memo',
      'walletAddressTags: there is no wallet for "XRP"',
      'walletAddressTags: there is no wallet for "nobody"',
    ]);
  });

  it('leave wallets aside that are none on their network', () => {
    const { wallets, networkWallets, warnings } = read({
      wallets: `BTC:${ETHEREUM}`,
      networkWallets: `BITCOIN:${ETHEREUM},NOWHERE:x`,
    });
    expect([wallets, networkWallets]).toEqual([{}, {}]);
    expect(warnings.map(({ parameter }) => parameter)).toEqual([
      'wallets',
      'networkWallets',
      'networkWallets',
    ]);
    expect(JSON.stringify(warnings)).not.toContain(ETHEREUM);
  });

  it.each([
    { mode: 'rent' },
    { defaultAmount: '-1' },
    { defaultAmount: '1e9' },
    { defaultCrypto: 'nope' },
    { onlyFiats: 'nope' },
    { onlyOnramps: 'nobody' },
    { themeName: 'pink' },
    { primaryColor: 'red;background:url(x)' },
    { borderRadius: '1000em' },
    { fontFamily: 'x;}body{display:none' },
    { fontFamily: '</style><script>' },
    { country: 'Germany' },
    { language: 'tlh' },
    { uuid: '1' },
    { redirectUrl: 'https://evil.example/' },
    { redirectUrl: 'javascript:alert(1)' },
    { redirectUrl: 'http://shop.example/' },
    { redirectUrl: 'https:///shop.example/' },
    { redirectUrl: 'https://@shop.example/' },
    { redirectUrl: 'https://shop.example\\@evil.example/' },
    { redirectUrl: 'https://shop.example/\r\nSet-Cookie: a=b' },
    { partnerContext: 'a\u0000b' },
    { partnerContext: 'a'.repeat(4_097) },
    { embedder: '*' },
    { isAddressEditable: 'yes' },
    { defaultFiat: 'x'.repeat(5_000) },
  ])('that are wrong are left aside and told: %j', query => {
    const { warnings, ...rest } = read(query);
    const { warnings: none, ...usual } = read({});
    expect(rest).toEqual(usual);
    expect(none).toEqual([]);
    expect(warnings.map(({ parameter }) => parameter)).toEqual(Object.keys(query));
  });

  it('hold a context as long as an order takes it', () => {
    const partnerContext = 'a'.repeat(4_096);
    expect(read({ partnerContext })).toMatchObject({ partnerContext, warnings: [] });
  });

  it('that are sent twice count once', () => {
    expect(read({ defaultFiat: ['usd', 'eur'] }).defaults.fiat).toBe('usd');
  });
});

describe('the style', () => {
  it('takes colours without their mark, radii and fonts, and nothing else of what was sent', () => {
    const css = widgetCss(
      read({
        themeName: 'dark',
        primaryColor: '7c5cff',
        containerColor: '#000',
        widgetBorderRadius: '24',
        fontFamily: "Inter, 'Open Sans', sans-serif",
      }),
    );
    expect(css).toContain('color-scheme:dark');
    expect(css).toContain('--primary:#7c5cff');
    expect(css).toContain('--background:#000000');
    expect(css).toContain('--widget-radius:24px');
    expect(css).toContain('--font:"Inter", "Open Sans", sans-serif');
    expect(css).not.toContain('prefers-color-scheme');
  });

  it('follows the device where nothing is said', () => {
    expect(widgetCss(read({}))).toMatch(
      /^:root\{color-scheme:light.*@media \(prefers-color-scheme:dark\)\{:root\{color-scheme:dark/,
    );
  });
});
