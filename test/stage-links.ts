/** Links to MoonPay's and Transak's pages and what they say, as their documents have it, without any of our own code. */
import { expect } from 'vitest';
import { LIFE_MS } from '../src/providers/hosted-moves.ts';
import { BACK, EVM, hmac, type Loose, post, stage, WALLET } from './stage.ts';

export function moonpayLink(host: 'buy' | 'sell', parameters: Record<string, string> = {}): string {
  const usual: Record<string, string> =
    host === 'buy'
      ? {
          currencyCode: 'btc',
          baseCurrencyCode: 'eur',
          baseCurrencyAmount: '150',
          areFeesIncluded: 'true',
          walletAddress: WALLET,
        }
      : {
          baseCurrencyCode: 'eth',
          quoteCurrencyCode: 'eur',
          baseCurrencyAmount: '0.1',
          refundWalletAddress: EVM,
        };
  const all = {
    apiKey: 'pk_test_cloverleaf',
    ...usual,
    externalTransactionId: 'ord-1',
    redirectURL: BACK,
    ...parameters,
  };
  const search = `?${new URLSearchParams(all)}`;
  const signature = hmac('sk_test_cloverleaf', search, 'base64');
  return `${stage.sandbox.url}/moonpay/${host}${search}&signature=${encodeURIComponent(signature)}`;
}

/** What MoonPay said, with every signature checked as its document says. */
export function moonpaySaid(): Loose[] {
  return stage.hooks.map(({ path, headers, text }) => {
    const [, t = '', s = ''] =
      /^t=(\d+),s=([0-9a-f]{64})$/.exec(String(headers['moonpay-signature-v2'])) ?? [];
    expect(path).toBe('/hooks/moonpay');
    expect(s).toBe(hmac('wk_test_cloverleaf', `${t}.${text}`, 'hex'));
    expect(headers['moonpay-signature']).toBeDefined();
    expect(Math.abs(Number(t) * 1000 - stage.now)).toBeLessThan(LIFE_MS + 60_000);
    return JSON.parse(text);
  });
}

export const TRANSAK_KEY = '00000000-0000-4000-8000-7472616e7361';

export async function transakToken(): Promise<string> {
  const path = '/transak/api/partners/api/v2/refresh-token';
  const { body } = await post(path, { 'api-secret': 'transak-sandbox-secret' }, { apiKey: TRANSAK_KEY });
  return body.data.accessToken ?? '';
}

export function transakSession(token: string, parameters: Record<string, unknown> = {}) {
  const widgetParams = {
    ...{
      apiKey: TRANSAK_KEY,
      referrerDomain: 'sandbox.example',
      productsAvailed: 'BUY',
      fiatCurrency: 'EUR',
    },
    ...(parameters.productsAvailed === 'SELL'
      ? { cryptoAmount: 0.1 }
      : { fiatAmount: 150, walletAddress: EVM }),
    ...{ cryptoCurrencyCode: 'ETH', network: 'ethereum', paymentMethod: 'credit_debit_card' },
    ...{ partnerOrderId: 'ord-1', redirectURL: BACK, ...parameters },
  };
  return post('/transak/gateway/api/v2/auth/session', { 'access-token': token }, { widgetParams });
}
