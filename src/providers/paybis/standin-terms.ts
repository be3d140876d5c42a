/** Paybis' terms as the stand-in has them: what is listed under which code, which methods each fiat has, and their fees. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import { type Amount, decimal, raise } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { Means } from '../hosted.ts';
import { forCurrencies, isNative, roundly, theirNetworks, words } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { CONTRACTS, NETWORKS } from './words.ts';

const ONE = decimal(1);
const PLACES = 8;
const NETWORK_SHARE = decimal('1.4');
/** The margin on the price by coin: they are sharp on what is traded most. */
const SHARP = words('BTC ETH USDT USDC SOL');
const SHARP_MARGIN = decimal('0.002');
const MARGIN = decimal('0.013');

/** What a method costs, and its bounds; amounts are in euros. */
export interface Method {
  title: string;
  share: string;
  least: string;
  min: string;
  max: string;
  means: Means;
  fiats: ReadonlySet<string>;
}

const ALL = words(
  `EUR GBP USD CAD AUD CHF SEK NOK DKK PLN CZK HUF RON BRL MXN COP PHP MYR KES JPY SGD HKD NZD ZAR TRY AED INR IDR THB
  KRW`,
);
const MOBILE = words('EUR GBP USD CAD AUD CHF SEK NOK DKK PLN CZK JPY SGD HKD NZD AED');
const CARD = { share: '0.0299', least: '1.9', min: '5', max: '20000' } as const;
const BANK = { share: '0.0099', least: '1', min: '50', max: '50000', means: 'bank' } as const;
const WALLET = { share: '0.024', least: '1.5', min: '10', max: '5000', means: 'wallet' } as const;

/** A card carries less of the fee where the person pays in the coin's own market. */
export const PAID_BY: Readonly<Record<string, Method>> = {
  'cloverleaf-credit-card': { ...CARD, title: 'Credit/Debit Card', means: 'card', fiats: ALL },
  'cloverleaf-apple-pay-credit-card': { ...CARD, title: 'Apple Pay', means: 'wallet', fiats: MOBILE },
  'cloverleaf-google-pay-credit-card': {
    ...{ ...CARD, title: 'Google Pay', means: 'wallet', fiats: MOBILE },
    share: '0.0349',
  },
  'cloverleaf-manual-bank-transfer': { ...BANK, title: 'SEPA Bank Transfer', fiats: words('EUR') },
  'cloverleaf-swift-bank-transfer': {
    ...{ ...BANK, title: 'SWIFT Bank Transfer', fiats: words('USD GBP') },
    ...{ share: '0.005', least: '18', min: '200' },
  },
  'cloverleaf-trustly': { ...BANK, title: 'Online Banking', fiats: words('USD') },
  cloverleaf_bridgerpay_revolutpay: { ...WALLET, title: 'Revolut Pay', fiats: words('EUR GBP') },
  cloverleaf_bridgerpay_directa24_pix: { ...WALLET, title: 'PIX', share: '0.012', fiats: words('BRL') },
  cloverleaf_bridgerpay_directa24_spei: { ...WALLET, title: 'SPEI', fiats: words('MXN') },
  cloverleaf_bridgerpay_directa24_pse: { ...WALLET, title: 'PSE', fiats: words('COP') },
  cloverleaf_bridgerpay_skrill: { ...WALLET, title: 'Skrill', share: '0.039', fiats: words('EUR USD GBP') },
  cloverleaf_bridgerpay_neteller: {
    ...WALLET,
    title: 'Neteller',
    share: '0.039',
    fiats: words('EUR USD GBP'),
  },
  cloverleaf_bridgerpay_astropay: { ...WALLET, title: 'AstroPay', fiats: words('BRL MXN COP') },
  cloverleaf_flutterwave_kenya: { ...WALLET, title: 'M-Pesa', fiats: words('KES') },
  cloverleaf_bridgerpay_gcash: { ...WALLET, title: 'GCash', fiats: words('PHP') },
  cloverleaf_bridgerpay_maya: { ...WALLET, title: 'Maya', fiats: words('PHP') },
  cloverleaf_bridgerpay_grabpay: { ...WALLET, title: 'GrabPay', fiats: words('PHP') },
  cloverleaf_bridgerpay_qrph_instant: { ...WALLET, title: 'QR Ph', fiats: words('PHP') },
  cloverleaf_bridgerpay_boost: { ...WALLET, title: 'Boost', fiats: words('MYR') },
  cloverleaf_bridgerpay_shopee: { ...WALLET, title: 'ShopeePay', fiats: words('MYR') },
  cloverleaf_bridgerpay_touch_and_go: { ...WALLET, title: 'Touch n Go', fiats: words('MYR') },
  // Ids that tell nothing, as some accounts have them.
  'method-id-31': { ...WALLET, title: 'FPX', means: 'bank', fiats: words('MYR') },
  'method-id-32': { ...WALLET, title: 'Giropay', means: 'bank', fiats: words('EUR') },
};

export const PAID_OUT_BY: Readonly<Record<string, Method>> = {
  'cloverleaf-credit-card-out': {
    ...{ ...CARD, title: 'Credit/Debit Card', means: 'card', share: '0.0149', min: '10' },
    fiats: words('EUR GBP CAD AUD CHF SEK NOK DKK PLN CZK HUF RON'),
  },
  'cloverleaf-mass-pay-out': {
    ...{ ...CARD, title: 'Debit Card', means: 'card', share: '0.0199', min: '10', fiats: words('USD') },
  },
  cloverleaf_directa24_colombia_payout: { ...BANK, title: 'Bank Account', min: '10', fiats: words('COP') },
  cloverleaf_directa24_mexico_payout: { ...BANK, title: 'SPEI', min: '10', fiats: words('MXN') },
  cloverleaf_directa24_pix_payout: { ...BANK, title: 'PIX', min: '10', fiats: words('BRL') },
};

export function methodsOf(side: Side): Readonly<Record<string, Method>> {
  return side === 'buy' ? PAID_BY : PAID_OUT_BY;
}

const THEIR_NETWORKS = theirNetworks(NETWORKS);
const NATIVE_CODES: Readonly<Record<string, string>> = { bsc: 'BNBSC', avaxc: 'AVAXC', base: 'ETH-BASE' };
/** Networks whose own coin is only a wrapper of somebody else's, and is not listed. */
const NO_NATIVE = words('arbitrum optimism');
const SUFFIXES: Readonly<Record<string, string>> = {
  base: '-BASE',
  polygon: '-POLYGON',
  solana: '-SOL',
  stellar: '-STELLAR',
  tron: '-TRC20',
};

/** What is listed by their code for it; the same for as long as the world's currencies are. */
export const coinsOf = forCurrencies((currencies): ReadonlyMap<string, Asset> => {
  const coins = new Map<string, Asset>();
  for (const asset of currencies.assets.values()) {
    const isListed = isNative(asset)
      ? THEIR_NETWORKS.has(asset.network) && !NO_NATIVE.has(asset.network)
      : Object.hasOwn(CONTRACTS, `${asset.network} ${asset.code}`);
    if (isListed) coins.set(codeOf(asset), asset);
  }
  return coins;
});

export function codeOf(asset: Asset): string {
  if (isNative(asset)) return NATIVE_CODES[asset.network] ?? asset.code;
  const ticker = asset.code === '1INCH' ? 'ONEINCH' : asset.code;
  return `${ticker}${SUFFIXES[asset.network] ?? ''}`;
}

export function blockchainOf({ network }: Asset): string | undefined {
  return THEIR_NETWORKS.get(network);
}

export function fiatOf(code: string | undefined, { currencies }: World): Fiat | undefined {
  return code && ALL.has(code) ? currencies.findFiat(code) : undefined;
}

export function placesOf(asset: Asset): number {
  return Math.min(asset.decimals, PLACES);
}

/** In the fiat. */
export function boundsOf({ min, max }: Method, perEuro: Amount): { min: Amount; max: Amount } {
  return { min: roundly(perEuro.times(min)), max: roundly(perEuro.times(max)) };
}

/** What the market's price is multiplied by. */
export function withMargin(side: Side, { code }: Asset): Amount {
  const margin = SHARP.has(code) ? SHARP_MARGIN : MARGIN;
  return side === 'buy' ? ONE.plus(margin) : ONE.minus(margin);
}

export function networkFeeOf(asset: Asset, fiat: Fiat, { market }: World): Amount | undefined {
  const fee = market.networkFee(asset, fiat.code);
  return fee && raise(fee.times(NETWORK_SHARE), fiat.decimals);
}
