/** Ramp Network's terms as the stand-in has them: what is listed and where, and what each method costs. */
import type { Asset, Currencies, Fiat } from '../../domain/currency.ts';
import { type Amount, decimal, raise, significant } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { forCurrencies, isNative, roundly, theirNetworks, words } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { NETWORKS } from './words.ts';

/** In euros, as all amounts that follow. */
const LEAST = decimal(4);
const MOST = decimal(15_000);
export const LEAST_FEE = decimal('2.49');
export const LEAST_SHARE = '0.0099';
export const MOST_SHARE = '0.039';
/** The least worth of coins sent out: below it a purchase would be all fees. */
const LEAST_SENT = decimal('0.9');
/** From here on less is charged. */
const MUCH = decimal(1_000);
const LESS = decimal('0.85');

const EEA = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(
  ' ',
);
const ANYWHERE = [
  ...EEA,
  ...'AU BR CA CH CL CO GB HK ID IL JP KE KR MX MY NZ PE PH SG TH TR US UY ZA'.split(' '),
];
const MONEY = 'EUR USD GBP CHF PLN CZK DKK SEK NOK HUF RON BRL MXN COP ZAR NZD SGD HKD MYR'.split(' ');
const PAID_OUT = words('EUR USD GBP CHF PLN CZK SEK BRL MXN');

export interface Method {
  name: string;
  currencies: readonly string[];
  countries: readonly string[];
  share: Amount;
}

const CARD = { currencies: MONEY, countries: ANYWHERE, share: decimal(MOST_SHARE) };
const BANK = { countries: EEA, share: decimal(LEAST_SHARE) };

export const METHODS: Readonly<Record<Side, readonly Method[]>> = {
  buy: [
    { ...CARD, name: 'CARD_PAYMENT' },
    { ...CARD, name: 'APPLE_PAY', share: decimal('0.0345') },
    { ...CARD, name: 'GOOGLE_PAY', share: decimal('0.0345') },
    { ...BANK, name: 'MANUAL_BANK_TRANSFER', currencies: ['EUR'] },
    { ...BANK, name: 'AUTO_BANK_TRANSFER', currencies: ['EUR'], share: decimal('0.0149') },
    { ...BANK, name: 'OPEN_BANKING', currencies: ['GBP'], countries: ['GB'], share: decimal('0.0149') },
    { ...BANK, name: 'PIX', currencies: ['BRL'], countries: ['BR'], share: decimal('0.0129') },
  ],
  sell: [
    { ...BANK, name: 'SEPA', currencies: ['EUR'] },
    {
      ...CARD,
      name: 'CARD',
      currencies: [...PAID_OUT],
      countries: [...EEA, 'CH', 'GB'],
      share: decimal('0.025'),
    },
    { ...BANK, name: 'AMERICAN_BANK_TRANSFER', currencies: ['USD'], countries: ['US'] },
    { ...BANK, name: 'SPEI', currencies: ['MXN'], countries: ['MX'], share: decimal('0.0129') },
    { ...BANK, name: 'PIX', currencies: ['BRL'], countries: ['BR'], share: decimal('0.0129') },
  ],
};

const TOKENS = words(
  `USDC USDT DAI EURC WBTC WETH LINK AAVE UNI SHIB PEPE SAND MANA BAT ENS GRT LDO CRV ARB OP WLD CUSD CEUR
  BONK WIF JUP POL IMX`,
);
const STABLE = words('USDC USDT DAI EURC CUSD CEUR');
const LARGE = words('BTC ETH SOL XRP LTC WBTC WETH');
/** "WETH on Polygon is MATIC_ETH". */
const WRAPPED = new Map([['polygon', 'WETH']]);
const THEIR_NETWORKS = theirNetworks(NETWORKS);

/** What they list by `CHAIN_SYMBOL`; the same for as long as the world's currencies are. */
export const codesOf = forCurrencies((all): ReadonlyMap<string, Asset> => {
  const codes = new Map<string, Asset>();
  for (const asset of all.assets.values()) {
    const chain = THEIR_NETWORKS.get(asset.network);
    if (chain && (isNative(asset) || TOKENS.has(asset.code))) codes.set(`${chain}_${symbolOf(asset)}`, asset);
  }
  return codes;
});

export function chainOf({ network }: Asset): string {
  return THEIR_NETWORKS.get(network) ?? '';
}

export function symbolOf({ code, network }: Asset): string {
  return WRAPPED.get(network) === code ? code.slice(1) : code;
}

export function currenciesOf({ fiats }: Currencies): object[] {
  return [...fiats.values()]
    .filter(({ code }) => MONEY.includes(code))
    .map(({ code, name }) => ({
      fiatCurrency: code,
      name,
      onrampAvailable: true,
      offrampAvailable: PAID_OUT.has(code),
    }));
}

export function limitsIn({ code }: Fiat, { market }: World): { min: Amount; max: Amount } {
  const perEuro = market.perEuro(code) ?? decimal(1);
  return { min: roundly(LEAST.times(perEuro)), max: roundly(MOST.times(perEuro)) };
}

/** Where the chain is dear, the least of all is not enough: fees come first, and some coins must remain. */
export function ownLeast(asset: Asset, fiat: Fiat, world: World): Amount | undefined {
  const { market } = world;
  const perEuro = market.perEuro(fiat.code) ?? decimal(1);
  const fees = LEAST_FEE.plus(LEAST_SENT).times(perEuro);
  const needed = raise(fees.plus(market.networkFee(asset, fiat.code) ?? 0), 0);
  return needed.gt(limitsIn(fiat, world).min) ? needed : undefined;
}

/** The least in coins: what the least of all is in euros, whatever the money is. */
export function leastCoins(asset: Asset, euro: Fiat, world: World): Amount {
  const least = ownLeast(asset, euro, world) ?? limitsIn(euro, world).min;
  const price = world.market.price(asset, euro.code) ?? decimal(1);
  return raise(significant(least.times('1.05').div(price), 3), asset.decimals);
}

/** The share that is charged is smaller for much. */
export function reducedShare({ share }: Method, perEuro: Amount): { above: Amount; share: Amount } {
  return { above: MUCH.times(perEuro), share: share.times(LESS) };
}

/** The margin on the price, which is the coin's. */
export function spreadOf({ code }: Asset): Amount {
  return decimal(STABLE.has(code) ? '0.001' : LARGE.has(code) ? '0.004' : '0.014');
}
