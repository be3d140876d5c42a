/** Swapped's terms as the stand-in has them: coins by their codes, methods by country, and what each costs. */
import type { Asset, Country } from '../../domain/currency.ts';
import { type Amount, decimal } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { forCurrencies, words } from '../standin-kit.ts';
import { KNOWN_ASSETS } from './words.ts';

const MORE_ASSETS =
  'SOL=sol_solana DOGE=doge_dogecoin TRX=trx_tron BCH=bch_bitcoincash ADA=ada_cardano AVAX=avax_avaxc BNB=bnb_bsc ' +
  'POL=pol_polygon ETH_BASE=eth_base ETH_ARBITRUM=eth_arbitrum USDC_SOLANA=usdc_solana USDT_ETHEREUM=usdt_ethereum ' +
  'USDT_TRON=usdt_tron USDT_BSC=usdt_bsc';

export const SETTINGS = {
  publicKey: 'pk_test_cloverleaf',
  secretKey: 'sk_test_cloverleaf',
  assets: MORE_ASSETS,
  statusPolling: 'on',
};

/** A method; amounts are in euros. */
export interface Group {
  name: string;
  /** In percent, and of every order. */
  fee: Amount;
  base: Amount;
  min: Amount;
  max: Amount;
  currencies: readonly string[];
  /** Absent when it is everywhere its currencies are. */
  countries?: readonly string[];
  paysOut?: true;
}

type Figures = readonly [fee: string, base: string, min: number, max: number];

function group(name: string, figures: Figures, currencies: string, more: Partial<Group> = {}): Group {
  const [fee, base, min, max] = figures;
  return {
    ...{ name, fee: decimal(fee), base: decimal(base), min: decimal(min), max: decimal(max) },
    currencies: [...words(currencies)],
    ...more,
  };
}

const CARDS =
  'EUR USD GBP CHF DKK SEK NOK PLN CZK HUF RON CAD AUD NZD BRL MXN INR IDR PHP THB VND MYR ZAR KES';
const CARD: Figures = ['3.5', '0.25', 7, 15_000];
const LOCAL: Figures = ['2.2', '0.2', 7, 5_000];

export const GROUPS: Readonly<Record<string, Group>> = {
  creditcard: group('Credit Card', CARD, CARDS),
  'apple-pay': group('Apple Pay', CARD, CARDS),
  'google-pay': group('Google Pay', CARD, CARDS),
  'bank-transfer': group('Bank Transfer', ['0.9', '0.5', 25, 15_000], 'EUR DKK GBP', { paysOut: true }),
  sepa: group('SEPA', ['0.7', '0.5', 25, 15_000], 'EUR'),
  skrill: group('Skrill', ['2.9', '0.3', 10, 5_000], 'EUR DKK GBP', { paysOut: true }),
  blik: group('BLIK', LOCAL, 'PLN'),
  pix: group('Pix', ['1.2', '0', 7, 10_000], 'BRL', { paysOut: true }),
  spei: group('SPEI', ['1.4', '0', 7, 10_000], 'MXN'),
  astropay: group('AstroPay', LOCAL, 'BRL MXN'),
  upi: group('UPI', ['1.9', '0', 7, 1_000], 'INR'),
  interac: group('Interac', ['1.6', '0.4', 15, 3_000], 'CAD'),
  'interac-extra': group('Interac', ['1.6', '0.4', 15, 3_000], 'CAD', { paysOut: true }),
  'mobile-money': group('Mobile Money', LOCAL, 'KES'),
  gcash: group('GCash', LOCAL, 'PHP'),
  maya: group('Maya', LOCAL, 'PHP'),
  grabpay: group('GrabPay', LOCAL, 'PHP MYR'),
  touchngo: group('Touch ’n Go', LOCAL, 'MYR'),
  promptpay: group('PromptPay', LOCAL, 'THB'),
  gopay: group('GoPay', LOCAL, 'IDR'),
  dana: group('DANA', LOCAL, 'IDR'),
  ovo: group('OVO', LOCAL, 'IDR'),
  vietqr: group('VietQR', LOCAL, 'VND'),
  momo: group('MoMo', LOCAL, 'VND'),
  zalo: group('ZaloPay', LOCAL, 'VND'),
};

const NOT_SERVED = words('AF BY CD CF CN CU IQ IR KP LB LY ML MM NI RU SD SO SS SY VE YE ZW HK SG');
/** Euros are taken from everyone in Europe. */
const EUROPE = words('BG CH CZ DK GB HU IS LI NO PL RO SE');

export function isServed({ code }: Country): boolean {
  return !NOT_SERVED.has(code);
}

/** Where the local currency is not taken, people pay in dollars, if anything takes them. */
export function currenciesIn({ code, currency }: Country): readonly string[] {
  const own = currency && Object.values(GROUPS).some(({ currencies }) => currencies.includes(currency));
  return [own ? currency : 'USD', ...(EUROPE.has(code) ? ['EUR'] : [])];
}

/** Their own margin, a little wider outside Europe and for what is hard to get. */
export function priceOf(
  side: Side,
  price: Amount,
  { region, asset }: { region: string; asset: Asset },
): Amount {
  const far = EUROPE.has(region) || /^(AT|BE|DE|ES|FI|FR|IE|IT|NL|PT)$/.test(region) ? 0 : 25;
  const rare = /^(BTC|ETH|USDC|USDT)$/.test(asset.code) ? 0 : 30;
  const share = decimal(60 + far + rare).div(10_000);
  return price.times(side === 'buy' ? share.plus(1) : decimal(1).minus(share));
}

/** Their coins by code; the same for as long as the world's currencies are. */
export const coinsOf = forCurrencies((currencies): ReadonlyMap<string, Asset> => {
  const coins = new Map<string, Asset>();
  for (const entry of `${KNOWN_ASSETS} ${MORE_ASSETS}`.split(' ')) {
    const [code = '', id = ''] = entry.split('=');
    const found = currencies.findAsset(id);
    if (found && 'asset' in found) coins.set(code, found.asset);
  }
  return coins;
});
