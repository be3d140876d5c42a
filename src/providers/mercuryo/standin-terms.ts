/** Mercuryo's terms as the stand-in has them: what is listed, by which methods and where, and for what fees and limits. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import { type Amount, cut, decimal, largest, significant, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { roundly, theirNetworks, words } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { NETWORKS } from './words.ts';

const ONLY_CARDS = ['card'];
const WALLETS = ['card', 'google', 'apple'];
const REVOLUT = [...WALLETS, 'revolut_pay'];

/** Methods by fiat, as `fiat_payment_methods` has them. */
export const FIATS: Readonly<Record<string, readonly string[]>> = {
  AED: WALLETS,
  AUD: REVOLUT,
  BGN: REVOLUT,
  BRL: [...WALLETS, 'unlimint_pix_brl'],
  CAD: [...REVOLUT, 'interac_gk'],
  CHF: REVOLUT,
  COP: WALLETS,
  CZK: REVOLUT,
  DKK: REVOLUT,
  EUR: [...REVOLUT, 'volt_banktransfer_eur'],
  GBP: REVOLUT,
  HKD: REVOLUT,
  HUF: REVOLUT,
  IDR: [
    'card',
    'EightBWorld_mandiri',
    'EightBWorld_bni',
    'EightBWorld_bri',
    'EightBWorld_permata',
    'EightBWorld_qris',
    'EightBWorld_dana',
    'EightBWorld_ovo',
  ],
  ILS: WALLETS,
  INR: ONLY_CARDS,
  JPY: ['card', 'revolut_pay'],
  KRW: ['card', 'revolut_pay'],
  KZT: WALLETS,
  MXN: REVOLUT,
  NOK: REVOLUT,
  NZD: REVOLUT,
  PEN: WALLETS,
  PHP: ['card', 'revolut_pay', 'EightBWorld_instapay'],
  PLN: [...REVOLUT, 'blik_direct'],
  RON: REVOLUT,
  SEK: REVOLUT,
  SGD: REVOLUT,
  THB: ['card', 'revolut_pay'],
  TRY: ['card', 'revolut_pay'],
  TWD: WALLETS,
  USD: REVOLUT,
  VND: ONLY_CARDS,
  ZAR: ['card', 'revolut_pay'],
};

export const METHOD_NAMES: Readonly<Record<string, readonly string[]>> = {
  card: ['Visa', 'Mastercard'],
  google: ['Google Pay'],
  apple: ['Apple Pay'],
  revolut_pay: ['Revolut Pay'],
  volt_banktransfer_eur: ['Bank transfer'],
  unlimint_pix_brl: ['PIX'],
  interac_gk: ['Interac'],
  blik_direct: ['BLIK'],
  EightBWorld_mandiri: ['Mandiri'],
  EightBWorld_bni: ['BNI'],
  EightBWorld_bri: ['BRI'],
  EightBWorld_permata: ['Permata'],
  EightBWorld_qris: ['QRIS'],
  EightBWorld_dana: ['DANA'],
  EightBWorld_ovo: ['OVO'],
  EightBWorld_instapay: ['Instapay QRPh'],
};

/** What they sell, on every network of theirs where we know it. */
const BUY_CRYPTO = words(
  `BTC ETH USDT USDC SOL BNB LTC BCH ADA ALGO ARB AVAX BAT CRV DAI DOT DOGE DYDX FTM INJ KSM LINK TON TRX MANA POL MATIC
  NEAR NOT 1INCH OKB SAND SHIB SWEAT TIA UNI WEMIX XLM XTZ ATOM XRP PEPE TWT JUP DOGS HMSTR TRUMP USDE SUI KAS S MON OP
  AAVE LDO GRT BONK WIF WBTC EURC`,
);

/** What they buy back, and the fiats they pay out to cards. */
export const SELL_CRYPTO = words(
  'BTC ETH USDT USDC SOL BNB LTC BCH ADA ALGO AVAX DAI DOGE DOT TON TRX POL MATIC NEAR XLM XRP ATOM',
);
export const SELL_FIATS = words('EUR USD GBP PLN CZK SEK NOK DKK CHF RON HUF BGN AUD TRY MXN KZT');

/** Sanctioned, not licensed (the United States and their territories), or known to be left out. */
export const NOT_SERVED = words(
  'US PR GU VI AS MP UM CU IR KP SY RU BY AF MM SD SS YE LY SO CF CD ML VE IQ ZW HT NI LB BI ER GW',
);

/** What a token's network is called beside it. */
export const LABELS: Readonly<Record<string, string>> = {
  ethereum: 'ERC-20',
  tron: 'TRC-20',
  bsc: 'BEP-20',
  ton: 'TON',
};

export const THEIR_NETWORKS = theirNetworks(NETWORKS);

export function fiatsOf(world: World): Fiat[] {
  return Object.keys(FIATS).flatMap(code => {
    const fiat = world.currencies.findFiat(code);
    return fiat && world.market.perEuro(fiat.code) ? [fiat] : [];
  });
}

/** Only what can be priced: a list that promises more would be a lie. */
export function assetsOf(world: World): Asset[] {
  return [...world.currencies.assets.values()].filter(
    asset =>
      BUY_CRYPTO.has(asset.code) && THEIR_NETWORKS.has(asset.network) && world.market.price(asset, 'EUR'),
  );
}

export function mainAssets(world: World): Map<string, Asset> {
  const main = new Map<string, Asset>();
  for (const asset of assetsOf(world)) if (asset.main || !main.has(asset.code)) main.set(asset.code, asset);
  return main;
}

export function findFiat(code: string | undefined, side: Side, world: World): Fiat | undefined {
  if (!code || !FIATS[code] || (side === 'sell' && !SELL_FIATS.has(code))) return undefined;
  return world.market.perEuro(code) && world.currencies.findFiat(code);
}

interface Wanted {
  ticker: string | undefined;
  network: string | undefined;
  side: Side;
}

/** Without a network they take the ticker's default one. */
export function findAsset({ ticker, network, side }: Wanted, world: World): Asset | undefined {
  if (!ticker || !(side === 'buy' ? BUY_CRYPTO : SELL_CRYPTO).has(ticker)) return undefined;
  if (!network) return mainAssets(world).get(ticker);
  const id = NETWORKS[network];
  const found = id && world.currencies.findAsset(ticker, id);
  return found && 'asset' in found && found.asset.code === ticker ? found.asset : undefined;
}

const LEAST_EUROS = decimal('25');
const MOST_EUROS = decimal('5000');
const UNVERIFIED_EUROS = decimal('699');
const LEAST_FEE_EUROS = decimal('2.5');

export interface Bounds {
  min: Amount;
  max: Amount;
}

export function fiatLimits(fiat: Fiat, world: World): Bounds {
  return {
    min: roundly(inFiat(LEAST_EUROS, fiat, world)),
    max: roundly(inFiat(MOST_EUROS, fiat, world), 3),
  };
}

function inFiat(euros: Amount, fiat: Fiat, world: World): Amount {
  return euros.times(world.market.perEuro(fiat.code) ?? ZERO);
}

export function mustBeVerified(amount: Amount, fiat: Fiat, world: World): boolean {
  return amount.gt(inFiat(UNVERIFIED_EUROS, fiat, world));
}

const SPREAD = decimal('0.002');
const RATE_DIGITS = 10;

/** Two places as in the documents, more for what is worth little. */
export function spread(side: Side, price: Amount): Amount {
  const worse = price.times(side === 'buy' ? decimal('1').plus(SPREAD) : decimal('1').minus(SPREAD));
  return worse.gte(decimal('1000')) ? cut(worse, 2) : significant(worse, RATE_DIGITS);
}

const FEE = decimal('0.0395');
/** Where most people pay by a cheap local method; they price per pair, not per method. */
const LOWER_FEE = decimal('0.0295');
const LOWER_FEE_FIATS = new Set(['BRL', 'PLN']);

export function feeOn(total: Amount, fiat: Fiat, world: World): Amount {
  const share = total.times(LOWER_FEE_FIATS.has(fiat.code) ? LOWER_FEE : FEE);
  return largest(share, inFiat(LEAST_FEE_EUROS, fiat, world)) ?? share;
}
