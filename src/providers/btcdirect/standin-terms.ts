/** BTC Direct's terms as the stand-in has them: what is sold for euros, how it is paid for, and what that costs. */
import type { Asset } from '../../domain/currency.ts';
import { type Amount, decimal } from '../../domain/money.ts';
import { forCurrencies, isNative, theirNetworks, words } from '../standin-kit.ts';
import { NETWORKS } from './words.ts';

export const SETTINGS = {
  apiKey: 'standin-btcdirect-key',
  username: 'standin-partner',
  password: 'standin-btcdirect-password',
  checkoutHost: 'checkout-standin',
};

export const LEAST = decimal(30);
export const MOST = decimal(10_000);
/** Their own fee, in percent, and a margin in the price of what is hard to get. */
export const FEE = decimal('1.5');
const RARE = decimal('1.008');

export interface Method {
  label: string;
  fixed: Amount;
  percentage: Amount;
}

function method(label: string, fixed: string, percentage: string): Method {
  return { label, fixed: decimal(fixed), percentage: decimal(percentage) };
}

export const METHODS: Readonly<Record<string, Method>> = {
  creditCard: method('Credit card', '0.25', '2.9'),
  iDeal: method('iDEAL', '0.45', '0'),
  bancontact: method('Bancontact', '0.5', '0.9'),
  bankTransfer: method('Bank transfer', '0', '0'),
  applepay: method('Apple Pay', '0.25', '2.9'),
  googlepay: method('Google Pay', '0.25', '2.9'),
  paypal: method('PayPal', '0.35', '3.4'),
  eps: method('EPS', '0.4', '0.8'),
  giropay: method('giropay', '0.4', '0.8'),
  sofort: method('Sofort', '0.35', '1.2'),
};

export const COUNTRIES = [
  ...words('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK CH LI NO IS'),
];

const TOKENS = words('USDC USDT LINK UNI AAVE DAI EURC SHIB');
const COMMON = words('BTC ETH USDC USDT XRP SOL');
/** Registered coin types (SLIP-44) of the coins whose own number matters to no one here. */
const COIN_TYPES: Readonly<Record<string, number>> = {
  BTC: 0,
  LTC: 2,
  DOGE: 3,
  ETH: 60,
  XRP: 144,
  XLM: 148,
  BCH: 145,
  SOL: 501,
  POL: 966,
  BNB: 714,
  DOT: 354,
};

const THEIR_NETWORKS = theirNetworks(NETWORKS);
/** Their coins by code; a token on several chains has the chain in its code. */
export const coinsOf = forCurrencies((currencies): ReadonlyMap<string, Asset> => {
  const coins = new Map<string, Asset>();
  for (const asset of currencies.assets.values()) {
    if (!THEIR_NETWORKS.has(asset.network) || !(isNative(asset) || TOKENS.has(asset.code))) continue;
    const code = coins.has(asset.code) ? `${asset.code}${asset.network.toUpperCase()}` : asset.code;
    coins.set(code, asset);
  }
  return coins;
});

/** What the coin is called by everyone (CAIP-19). */
export function caip19(asset: Asset): string {
  const chain = THEIR_NETWORKS.get(asset.network) ?? '';
  if (isNative(asset)) return `${chain}/slip44:${COIN_TYPES[asset.code] ?? 1}`;
  return `${chain}/${chain.startsWith('eip155') ? 'erc20' : 'token'}:${asset.address}`;
}

export function priceOf(asset: Asset, price: Amount): Amount {
  return COMMON.has(asset.code) ? price : price.times(RARE);
}
