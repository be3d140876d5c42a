/** Transak's terms as the stand-in has them: what is listed, which options each fiat has and what they cost, and where. */
import type { Asset, Country, Currencies } from '../../domain/currency.ts';
import { type Amount, decimal } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { forCurrencies, isNative, roundly, theirNetworks, words } from '../standin-kit.ts';
import { NETWORKS, networkWord } from './words.ts';

/** Part of every price. */
export const SPREAD = decimal('0.012');
/** How much of what moving the asset costs is charged on. */
export const NETWORK_SHARE = decimal('0.6');
const CRYPTO_PLACES = 8;

/** What the provider charges for a payment option, and its bounds; amounts are in euros. */
export interface Option {
  name: string;
  time: string;
  share: string;
  least: string;
  min: string;
  max: string;
  /** Can be paid out to. */
  out?: boolean;
  countries?: readonly string[];
}

const CARD = { time: '1-3 minutes', share: '0.035', least: '1', min: '5', max: '3000' };
const BANK = { time: '1-3 business days', share: '0.0099', least: '0', min: '20', max: '25000' };
const WALLET = { time: '1-5 minutes', share: '0.0075', least: '0', min: '8', max: '2000' };

export const OPTIONS: Readonly<Record<string, Option>> = {
  credit_debit_card: { ...CARD, name: 'Card Payment', out: true },
  apple_pay: { ...CARD, name: 'Apple Pay' },
  google_pay: { ...CARD, name: 'Google Pay', min: '30', max: '1500' },
  sepa_bank_transfer: { ...BANK, name: 'SEPA Bank Transfer', out: true },
  gbp_bank_transfer: { ...BANK, name: 'Faster Payments', time: '3-15 minutes', out: true },
  pm_open_banking: { ...BANK, name: 'Open Banking', time: '1-10 minutes', min: '10' },
  pm_wire: { ...BANK, name: 'Wire Transfer', min: '30', countries: ['US'] },
  pm_cash_app: { ...WALLET, name: 'Cash App', share: '0.0199', countries: ['US'] },
  inr_upi: { ...WALLET, name: 'UPI', share: '0.005', min: '5' },
  inr_bank_transfer: { ...BANK, name: 'IMPS Transfer', share: '0.005', min: '5', out: true },
  neft_bank_transfer: { ...BANK, name: 'NEFT Transfer', share: '0.005', min: '5' },
  mobikwik_wallet: { ...WALLET, name: 'MobiKwik' },
  pm_pix: { ...WALLET, name: 'Pix', share: '0.005', min: '5', max: '10000', out: true },
  pm_astropay: { ...WALLET, name: 'AstroPay', share: '0.015' },
  pm_gcash: { ...WALLET, name: 'GCash' },
  pm_grabpay: { ...WALLET, name: 'GrabPay' },
  pm_paymaya: { ...WALLET, name: 'Maya' },
  pm_shopeepay: { ...WALLET, name: 'ShopeePay' },
  pm_bpi: { ...WALLET, name: 'BPI Online', max: '5000' },
  pm_ubp: { ...WALLET, name: 'UnionBank Online', max: '5000' },
};

const CARDS = ['credit_debit_card', 'apple_pay', 'google_pay'];

const ONLY_CARDS = [
  ...words('AED AUD CAD CHF CZK DKK HKD HUF IDR ILS JPY KES KRW NOK NZD PLN RON SEK THB TRY TWD VND ZAR'),
];

/** The payment options of each fiat. */
export const FIATS: Readonly<Record<string, readonly string[]>> = {
  EUR: [...CARDS, 'sepa_bank_transfer', 'pm_open_banking'],
  GBP: [...CARDS, 'gbp_bank_transfer', 'pm_open_banking'],
  USD: [...CARDS, 'pm_wire', 'pm_cash_app'],
  INR: ['credit_debit_card', 'inr_upi', 'inr_bank_transfer', 'neft_bank_transfer', 'mobikwik_wallet'],
  BRL: [...CARDS, 'pm_pix', 'pm_astropay'],
  PHP: [...CARDS, 'pm_gcash', 'pm_grabpay', 'pm_paymaya', 'pm_shopeepay', 'pm_bpi', 'pm_ubp'],
  MXN: [...CARDS, 'pm_astropay'],
  PEN: [...CARDS, 'pm_astropay'],
  CLP: [...CARDS, 'pm_astropay'],
  COP: [...CARDS, 'pm_astropay'],
  MYR: [...CARDS, 'pm_grabpay'],
  SGD: [...CARDS, 'pm_grabpay'],
  ...Object.fromEntries(ONLY_CARDS.map(code => [code, CARDS])),
};

/** Fiats that are paid out on a sell. */
export const PAID_OUT = words('EUR GBP USD INR BRL AUD CAD CHF PLN SEK NOK DKK');

/** Countries that use another currency but are served in euros as well. */
const EUROPE = words('BG CH CZ DK GB HU IS LI NO PL RO SE');

const NOT_SERVED = words(
  'AF BY CD CF CN CU DZ EH ER ET HT IQ IR KP LB LY ML MM NI PS RU SD SO SS SY TD VE YE ZW',
);

/** Tokens listed; a network's own coin always is. */
const TOKENS = words(
  `USDC USDT DAI EURC PYUSD FDUSD TUSD USDE USDS WBTC CBBTC WETH STETH WSTETH LINK UNI AAVE SHIB PEPE MATIC POL MKR LDO
  CRV GRT ARB OP IMX APE SAND MANA AXS ENJ CHZ BAT COMP SNX YFI SUSHI 1INCH ENS FET RENDER FLOKI ENA ONDO STRK LRC DYDX
  GALA BONK WIF JUP PYTH TRUMP PENGU CAKE TWT GMX AERO BRETT DEGEN CUSD CEUR PAXG BTCB`,
);
export const SOLD_TOO = words('BTC ETH SOL BNB POL AVAX LTC XRP DOGE TRX ADA USDC USDT DAI LINK EURC');
export const SUSPENDED = words('FTM TUSD');
export const BLOCKED: Readonly<Record<string, readonly string[]>> = {
  SHIB: ['CA'],
  PEPE: ['CA', 'GB'],
  TRUMP: ['GB', 'US'],
  XRP: ['KR'],
  PAXG: ['SG'],
  DYDX: ['CA', 'US'],
};

const THEIR_NETWORKS = theirNetworks(NETWORKS);

/** What is listed, by the words it is asked for; the same for as long as the world's currencies are. */
export const coinsOf = forCurrencies((currencies): ReadonlyMap<string, Asset> => {
  const coins = new Map<string, Asset>();
  for (const asset of currencies.assets.values()) {
    if (isListed(asset)) coins.set(`${asset.code} ${networkName(asset)}`, asset);
  }
  return coins;
});

/** A `mainnet` has its own coin only. */
function isListed(asset: Asset): boolean {
  const network = networkName(asset);
  return network !== undefined && (isNative(asset) || (network !== 'mainnet' && TOKENS.has(asset.code)));
}

export function networkName(asset: Asset): string | undefined {
  const word = THEIR_NETWORKS.get(asset.network);
  return word && networkWord(word);
}

/** Coins of a `mainnet` are told apart by this id; for others it is only a name. */
export function coinId(asset: Asset): string {
  const [network, id] = (THEIR_NETWORKS.get(asset.network) ?? '').split('/');
  return network === 'mainnet' && id ? id : asset.name.toLowerCase().replaceAll(' ', '-');
}

export function placesOf(asset: Asset): number {
  return Math.min(asset.decimals, CRYPTO_PLACES);
}

/** On the fiat: what is paid on a buy, what is paid out on a sell. */
export function bounds(side: Side, option: Option, perEuro: Amount): { min: Amount; max: Amount } {
  return {
    min: roundly(perEuro.times(side === 'buy' ? option.min : '10')),
    max: roundly(perEuro.times(option.max)),
  };
}

export function isServed(country: Country): boolean {
  return !NOT_SERVED.has(country.code);
}

/** Where the local currency is not taken, people pay in dollars. */
export function currencyOf(country: Country): string {
  return country.currency && FIATS[country.currency] ? country.currency : 'USD';
}

export function takes(code: string, country: Country): boolean {
  return currencyOf(country) === code || (code === 'EUR' && EUROPE.has(country.code));
}

export function countriesOf(code: string, currencies: Currencies): string[] {
  const countries = [...currencies.countries.values()];
  return countries.filter(country => isServed(country) && takes(code, country)).map(country => country.code);
}
