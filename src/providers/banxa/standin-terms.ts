/** Banxa's terms as the stand-in has them: what is listed, which methods each fiat has and what they cost, and where. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import { type Amount, decimal, raise, ZERO } from '../../domain/money.ts';
import { forCurrencies, isNative, roundly, theirNetworks, words } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { NETWORKS } from './words.ts';

const ONE = decimal(1);
const PLACES = 8;
/** How much of what moving the asset costs is charged on. */
const NETWORK_SHARE = decimal('1.1');

/** The margin on the price, from so many euros on: who buys more pays less. */
const MARGINS: readonly (readonly [from: Amount, margin: Amount])[] = [
  [ZERO, decimal('0.021')],
  [decimal(150), decimal('0.012')],
  [decimal(1000), decimal('0.006')],
];
export const STEPS = MARGINS.map(([from]) => from);
/** Stablecoins are nearly free of it. */
const STABLE = words('USDC USDT DAI EURC PYUSD USDS');
const STABLE_SHARE = decimal('0.3');

/** What a payment method costs, and its bounds; amounts are in euros. */
export interface Method {
  name: string;
  share: string;
  least: string;
  min: string;
  max: string;
  means: 'card' | 'bank' | 'wallet';
}

const CARD = { share: '0.0199', least: '1.5', min: '20', max: '15000', means: 'card' } as const;
const WALLET = { ...CARD, means: 'wallet' } as const;
const BANK = { share: '0.002', least: '0', min: '45', max: '30000', means: 'bank' } as const;
const INSTANT = { ...BANK, share: '0.005', min: '20', max: '20000' } as const;

export const METHODS: Readonly<Record<string, Method>> = {
  'debit-credit-card': { ...CARD, name: 'Debit credit card' },
  'apple-pay': { ...WALLET, name: 'Apple Pay' },
  'google-pay': { ...WALLET, name: 'Google Pay', max: '5000' },
  'sepa-bank-transfer': { ...BANK, name: 'Sepa bank transfer' },
  'ach-bank-transfer': { ...BANK, name: 'Ach bank transfer', share: '0.01' },
  'payid-bank-transfer': { ...INSTANT, name: 'Payid bank transfer' },
  'faster-payments-bank-transfer': { ...INSTANT, name: 'Faster payments bank transfer' },
  ideal: { ...INSTANT, name: 'Ideal', share: '0.01' },
  'interac-e-transfer': { ...INSTANT, name: 'Interac e-transfer', share: '0.015' },
  pix: { ...INSTANT, name: 'Pix' },
  'manual-bank-transfer': { ...BANK, name: 'Bank transfer' },
};

const CARDS = ['debit-credit-card', 'apple-pay', 'google-pay'];
const BANKED = [...CARDS, 'manual-bank-transfer'];

/** The methods of each fiat. */
const FIATS: Readonly<Record<string, readonly string[]>> = {
  EUR: [...CARDS, 'sepa-bank-transfer', 'ideal'],
  GBP: [...CARDS, 'faster-payments-bank-transfer'],
  USD: [...CARDS, 'ach-bank-transfer'],
  AUD: [...CARDS, 'payid-bank-transfer'],
  CAD: [...CARDS, 'interac-e-transfer'],
  BRL: [...CARDS, 'pix'],
  TRY: BANKED,
  ZAR: BANKED,
  ...Object.fromEntries(
    [...words('NZD CHF SEK NOK DKK PLN CZK HKD SGD JPY AED MXN PHP IDR INR')].map(code => [code, CARDS]),
  ),
};

const TOKENS = words(
  `USDC USDT DAI EURC PYUSD USDS WBTC LINK UNI AAVE SHIB PEPE MKR LDO CRV GRT ARB OP IMX APE SAND MANA AXS CHZ BAT COMP
  SNX 1INCH ENS FET ENA ONDO GALA BONK WIF JUP PYTH CAKE WLD ZK`,
);
const NOT_SERVED = words('AF BY CN CU IR IQ KP LB LY MM RU SD SO SS SY YE ZW NG VE');

/** As in their documents: a country, and those of its states that are meant; none means all of them. */
export const CLOSED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  USDT: { US: ['NY'] },
  TON: { US: ['NY', 'HI'], CA: [] },
  SHIB: { CA: [] },
  PEPE: { GB: [] },
};

const THEIR_NETWORKS = theirNetworks(NETWORKS);

/** What is listed, by the words it is asked for; the same for as long as the world's currencies are. */
export const coinsOf = forCurrencies((currencies): ReadonlyMap<string, Asset> => {
  const coins = new Map<string, Asset>();
  for (const asset of currencies.assets.values()) {
    const isListed = isNative(asset) || TOKENS.has(asset.code);
    if (isListed && blockchainOf(asset)) coins.set(`${asset.code} ${blockchainOf(asset)}`, asset);
  }
  return coins;
});

export function blockchainOf({ network }: Asset): string | undefined {
  return THEIR_NETWORKS.get(network);
}

/** The fiats with their methods. */
export function fiatsOf({ currencies }: World): [Fiat, readonly string[]][] {
  return Object.entries(FIATS).flatMap(([code, methods]) => {
    const fiat = currencies.findFiat(code);
    return fiat ? [[fiat, methods] as [Fiat, readonly string[]]] : [];
  });
}

export function isServed(country: string): boolean {
  return !NOT_SERVED.has(country);
}

export function placesOf(asset: Asset): number {
  return Math.min(asset.decimals, PLACES);
}

/** In the fiat: what is paid. */
export function boundsOf(method: Method, perEuro: Amount): { min: Amount; max: Amount } {
  return { min: roundly(perEuro.times(method.min)), max: roundly(perEuro.times(method.max)) };
}

/** What the market's price is multiplied by. */
export function withMargin(asset: Asset, euros: Amount): Amount {
  const margin = MARGINS.findLast(([from]) => euros.gte(from))?.[1] ?? ZERO;
  return ONE.plus(STABLE.has(asset.code) ? margin.times(STABLE_SHARE) : margin);
}

export function networkFeeOf(asset: Asset, fiat: Fiat, { market }: World): Amount | undefined {
  const fee = market.networkFee(asset, fiat.code);
  return fee && raise(fee.times(NETWORK_SHARE), fiat.decimals);
}
