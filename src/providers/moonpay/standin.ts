/** MoonPay's Widget API imitated: its currencies, countries and quotes, with fees and limits of its own. */
import { type Asset, type Currencies, type Fiat, NATIVE_ADDRESS } from '../../domain/currency.ts';
import type { Limits } from '../../domain/listing.ts';
import {
  type Amount,
  cut,
  decimal,
  largest,
  raise,
  readDecimal,
  significant,
  ZERO,
} from '../../domain/money.ts';
import type { Standin, StandinAnswer, StandinRequest, World } from '../world.ts';
import { METHODS, NETWORKS, REACH } from './wire.ts';

const API_KEY = 'pk_test_cloverleaf';

export const standin: Standin = {
  settings: { apiKey: API_KEY, secretKey: 'sk_test_cloverleaf', webhookKey: 'wk_test_cloverleaf' },
  routes: [
    { method: 'GET', host: 'api', path: '/v3/currencies', answer: currencies },
    { method: 'GET', host: 'api', path: '/v3/countries', answer: countries },
    { method: 'GET', host: 'api', path: '/v3/currencies/:code/buy_quote', answer: buyQuote },
    { method: 'GET', host: 'api', path: '/v3/currencies/:code/sell_quote', answer: sellQuote },
  ],
};

const ACCOUNT = '00000000-0000-4000-8000-00000000000a';
const ONE = decimal(1);
const SPREAD = decimal('0.005');
const CARD_RATE = decimal('0.045');
const BANK_RATE = decimal('0.01');
/** In euros, as all that follows. */
const LEAST_FEE = decimal('3.99');
const LEAST = decimal(20);
const MOST = decimal(30000);
/** The least worth of coins sent out: below it a purchase would be all fees. */
const LEAST_SENT = decimal('0.9');
const PRECISION = 8;
const PRICE_DIGITS = 8;
const LIFETIME = 1800;

const FIATS = words(
  'USD EUR GBP CAD AUD BRL CHF CZK DKK NOK SEK PLN HUF RON BGN JPY KRW HKD SGD NZD MXN TRY ZAR ILS THB AED COP CLP PEN EGP KES INR IDR',
);
const PAID_OUT = words('USD EUR GBP CAD AUD CHF CZK DKK NOK SEK PLN');
const TOKENS = words(
  'USDC USDT DAI EURC PYUSD RLUSD WBTC LINK AAVE UNI SHIB PEPE FLOKI SAND MANA AXS APE CHZ BAT COMP ENJ GALA MKR YFI 1INCH ENS FET ' +
    'GRT IMX LDO CRV SNX ONDO ENA WLD ARB OP INJ POL CBBTC BONK WIF JUP PYTH RAY TRUMP PENGU RENDER CAKE TWT JST SUN CUSD AERO BRETT ZK',
);
/** The network on which a coin found on many has the bare code; elsewhere the network is appended. */
const HOME: Readonly<Record<string, string>> = { ETH: 'ethereum', USDC: 'ethereum', USDT: 'ethereum' };
/** Their short word for a network at the end of a code, where it is not ours. */
const SUFFIX: Readonly<Record<string, string>> = {
  ethereum: 'eth',
  solana: 'sol',
  avaxc: 'cchain',
  tron: 'trx',
  stellar: 'xlm',
  ripple: 'xrp',
  algorand: 'algo',
  hedera: 'hbar',
};

const NOWHERE = words('AF BY CD CF CN CU IQ IR KP LB LY ML MM NI RU SD SO SS SY VE YE ZW');
const NOT_TO_SELL_FROM = words('IN JP KR TR');
const BLOCKED: Readonly<Record<string, readonly string[]>> = {
  SHIB: ['CA'],
  FLOKI: ['CA', 'GB'],
  PEPE: ['CA', 'GB'],
  TRUMP: ['GB', 'SG'],
  TON: ['CA'],
};
const NOT_IN_US = words('FLOKI PEPE TON JST SUN CUSD');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** "Get currencies" answers without a key as well. */
function currencies({ query }: StandinRequest, world: World): StandinAnswer {
  if (query.apiKey !== undefined && query.apiKey !== API_KEY) return unauthorized();
  const fiats = [...world.currencies.fiats.values()].flatMap(fiat => describeFiat(fiat, world));
  const coins = [...codesOf(world.currencies)].flatMap(([code, asset]) => describeCoin(code, asset, world));
  return { status: 200, body: [...coins, ...fiats] };
}

function describeFiat(fiat: Fiat, world: World): object[] {
  const limits = fiatLimits(fiat, world);
  if (!limits) return [];
  return [
    {
      type: 'fiat',
      name: fiat.name,
      code: fiat.code.toLowerCase(),
      precision: fiat.decimals,
      decimals: null,
      minAmount: limits.min,
      maxAmount: limits.max,
      minBuyAmount: limits.min,
      maxBuyAmount: limits.max,
      isSellSupported: PAID_OUT.has(fiat.code),
      isUtxoCompatible: false,
    },
  ];
}

function describeCoin(code: string, asset: Asset, world: World): object[] {
  const price = world.market.price(asset, 'EUR');
  if (!price) return [];
  const limits = coinLimits(price);
  return [
    {
      type: 'crypto',
      name: asset.name,
      code,
      precision: precisionOf(asset),
      decimals: asset.decimals,
      minAmount: null,
      maxAmount: null,
      minBuyAmount: significant(LEAST_SENT.div(price), 2),
      maxBuyAmount: null,
      minSellAmount: limits.min,
      maxSellAmount: limits.max,
      isSellSupported: true,
      isSuspended: false,
      isStableCoin: /^(USD|EUR|DAI|PYUSD|RLUSD|CUSD)/.test(asset.code),
      isBaseAsset: isNative(asset),
      isSupportedInUS: !NOT_IN_US.has(asset.code),
      notAllowedCountries: BLOCKED[asset.code] ?? [],
      notAllowedUSStates: ['VI'],
      supportsAddressTag: world.currencies.networks.get(asset.network)?.tag ?? false,
      supportsTestMode: true,
      supportsLiveMode: true,
      metadata: metadataOf(asset, world.currencies),
    },
  ];
}

function metadataOf(asset: Asset, { networks }: Currencies): object {
  const chainId = networks.get(asset.network)?.chainId;
  const nativeAddress = chainId ? NATIVE_ADDRESS : null;
  const contract = asset.network === 'ripple' ? `${asset.code}.${asset.address}` : asset.address;
  return {
    contractAddress: isNative(asset) ? nativeAddress : contract,
    coinType: null,
    chainId: chainId ? String(chainId) : null,
    networkCode: THEIR_NETWORK.get(asset.network),
  };
}

/** Where they have two words for a network, the one that stands first. */
const THEIR_NETWORK: ReadonlyMap<string, string> = new Map(
  Object.entries(NETWORKS)
    .reverse()
    .map(([theirs, ours]) => [ours, theirs]),
);

const known = new WeakMap<Currencies, ReadonlyMap<string, Asset>>();

/** What they list by their code for it; the same for as long as the world's currencies are. */
function codesOf(all: Currencies): ReadonlyMap<string, Asset> {
  const before = known.get(all);
  if (before) return before;
  const codes = new Map<string, Asset>();
  for (const asset of all.assets.values())
    if (THEIR_NETWORK.has(asset.network) && (isNative(asset) || TOKENS.has(asset.code)))
      codes.set(codeOf(asset), asset);
  known.set(all, codes);
  return codes;
}

function codeOf(asset: Asset): string {
  const home = HOME[asset.code] ?? (isNative(asset) ? asset.network : undefined);
  const ticker = asset.code.toLowerCase();
  return home === asset.network ? ticker : `${ticker}_${SUFFIX[asset.network] ?? asset.network}`;
}

function isNative(asset: Asset): boolean {
  return asset.address === NATIVE_ADDRESS;
}

function precisionOf(asset: Asset): number {
  return asset.decimals < PRECISION ? asset.decimals : PRECISION;
}

/** Whole amounts that a person would have chosen; undefined for a fiat they do not take. */
function fiatLimits({ code }: Fiat, world: World): { min: Amount; max: Amount } | undefined {
  const perEuro = FIATS.has(code) ? world.market.perEuro(code) : undefined;
  if (!perEuro) return undefined;
  return {
    min: raise(significant(LEAST.times(perEuro), 2), 0),
    max: cut(significant(MOST.times(perEuro), 2), 0),
  };
}

function coinLimits(euros: Amount): { min: Amount; max: Amount } {
  return { min: significant(LEAST.div(euros), 3), max: significant(MOST.div(euros), 3) };
}

/** "Get countries": their alpha-3 codes are left out, as nothing here knows them. */
function countries({ query }: StandinRequest, world: World): StandinAnswer {
  if (query.apiKey !== undefined && query.apiKey !== API_KEY) return unauthorized();
  const body = [...world.currencies.countries.values()].map(({ code, name }) => ({
    alpha2: code,
    name,
    ...allowance(!NOWHERE.has(code), !NOT_TO_SELL_FROM.has(code)),
    supportedDocuments: ['passport', 'national_identity_card', 'driving_licence'],
    ...(code === 'US' && { states: STATES }),
  }));
  return { status: 200, body };
}

const STATES = [
  { code: 'CA', name: 'California', ...allowance(true, true) },
  { code: 'NY', name: 'New York', ...allowance(true, false) },
  { code: 'VI', name: 'Virgin Islands', ...allowance(false, false) },
];

function allowance(allowed: boolean, sells: boolean): object {
  return { isAllowed: allowed, isBuyAllowed: allowed, isSellAllowed: allowed && sells };
}

/** What a quote is made of, once the request has been understood. */
interface Deal {
  code: string;
  asset: Asset;
  fiat: Fiat;
  method: string;
  /** Fiat for one coin, their margin included. */
  price: Amount;
  networkFee: Amount;
  fee: { rate: Amount; least: Amount };
  /** What was sent of the two, whichever it was. */
  base: Amount | undefined;
  quote: Amount | undefined;
}

function buyQuote(request: StandinRequest, world: World): StandinAnswer {
  const { query } = request;
  const deal = readDeal(request, world, 'buy');
  if ('status' in deal) return deal;
  const { asset, fiat, fee, networkFee } = deal;
  const places = fiat.decimals;

  let base: Amount;
  let feeAmount: Amount;
  if (deal.base && !deal.quote && query.areFeesIncluded === 'true') {
    const spent = deal.base.minus(networkFee);
    feeAmount = atLeast(fee.least, raise(spent.times(fee.rate).div(fee.rate.plus(ONE)), places));
    base = spent.minus(feeAmount);
  } else {
    base = deal.quote ? raise(deal.quote.times(deal.price), places) : (deal.base ?? ZERO);
    feeAmount = atLeast(fee.least, raise(base.times(fee.rate), places));
  }
  const total = base.plus(feeAmount).plus(networkFee);
  const refusal = outOfBounds(total, fiat.code, buyLimits(deal, world));
  if (refusal) return refusal;

  const coins = deal.quote
    ? raise(deal.quote, asset.decimals)
    : cut(base.div(deal.price), precisionOf(asset));
  return {
    status: 200,
    body: {
      accountId: ACCOUNT,
      baseCurrencyCode: fiat.code.toLowerCase(),
      baseCurrencyAmount: base,
      quoteCurrencyCode: deal.code,
      quoteCurrencyAmount: coins,
      // As in the documented sample, the price is what the two amounts come to.
      quoteCurrencyPrice: significant(base.div(coins), PRICE_DIGITS),
      paymentMethod: deal.method,
      feeAmount,
      extraFeePercentage: ZERO,
      extraFeeAmount: ZERO,
      networkFeeAmount: networkFee,
      networkFeeAmountNonRefundable: false,
      totalAmount: total,
      externalId: null,
      externalCustomerId: null,
      ...validity(world),
      baseCurrency: { type: 'fiat', code: fiat.code.toLowerCase() },
      quoteCurrency: { type: 'crypto', code: deal.code },
    },
  };
}

/** Where the network is dear, their least amount is not enough: fees come first, and some coins must remain. */
function buyLimits({ fiat, fee, networkFee }: Deal, world: World): Limits {
  const { min, max } = fiatLimits(fiat, world) ?? {};
  const coins = world.market.perEuro(fiat.code) ?? ZERO;
  return { min: largest(min, raise(coins.plus(fee.least).plus(networkFee), 0)), max };
}

function sellQuote(request: StandinRequest, world: World): StandinAnswer {
  const deal = readDeal(request, world, 'sell');
  if ('status' in deal) return deal;
  const { asset, fiat, fee } = deal;
  const places = fiat.decimals;

  let worth: Amount;
  let feeAmount: Amount;
  if (deal.quote) {
    feeAmount = atLeast(fee.least, raise(deal.quote.div(ONE.minus(fee.rate)), places).minus(deal.quote));
    worth = deal.quote.plus(feeAmount);
  } else {
    worth = cut((deal.base ?? ZERO).times(deal.price), places);
    feeAmount = atLeast(fee.least, raise(worth.times(fee.rate), places));
  }
  const coins = deal.quote ? raise(worth.div(deal.price), precisionOf(asset)) : (deal.base ?? ZERO);
  const euros = world.market.price(asset, 'EUR');
  const refusal = euros && outOfBounds(coins, asset.code, coinLimits(euros));
  if (refusal) return refusal;

  return {
    status: 200,
    body: {
      baseCurrencyCode: deal.code,
      baseCurrencyAmount: coins,
      baseCurrencyPrice: significant(worth.div(coins), PRICE_DIGITS),
      quoteCurrencyCode: fiat.code.toLowerCase(),
      quoteCurrencyAmount: worth.minus(feeAmount),
      payoutMethod: deal.method,
      feeAmount,
      extraFeeAmount: ZERO,
      ...validity(world),
      baseCurrency: { type: 'crypto', code: deal.code },
      quoteCurrency: { type: 'fiat', code: fiat.code.toLowerCase() },
    },
  };
}

function validity(world: World): object {
  return {
    signature: world.id(),
    expiresIn: LIFETIME,
    expiresAt: new Date(world.now + LIFETIME * 1000).toISOString(),
  };
}

/** Understands a request for a quote, or refuses it; of two amounts sent, the quote currency's counts. */
function readDeal(request: StandinRequest, world: World, side: 'buy' | 'sell'): Deal | StandinAnswer {
  const { query } = request;
  if (query.apiKey !== API_KEY) return unauthorized();
  const code = request.params.code ?? '';
  const asset = codesOf(world.currencies).get(code);
  if (!asset) return refuse(404, 'NotFoundError', `Currency ${code} was not found`);
  const money = (side === 'buy' ? query.baseCurrencyCode : query.quoteCurrencyCode) ?? '';
  const fiat = world.currencies.findFiat(money);
  const priced = fiat && takes(fiat, side) ? priceOf(asset, fiat, world) : undefined;
  if (!fiat || !priced) return badRequest(`Currency ${money} is not supported`);
  const method = (side === 'buy' ? query.paymentMethod : query.payoutMethod) ?? 'credit_debit_card';
  if (!serves(method, fiat, side))
    return badRequest(
      `${side === 'buy' ? 'Payment' : 'Payout'} method ${method} is not supported for ${money.toLowerCase()}`,
    );
  const base = readDecimal(query.baseCurrencyAmount);
  const quote = readDecimal(query.quoteCurrencyAmount);
  if (!(quote ?? base)?.gt(ZERO))
    return badRequest('baseCurrencyAmount or quoteCurrencyAmount must be a positive number');
  const price = priced.price.times(side === 'buy' ? ONE.plus(SPREAD) : ONE.minus(SPREAD));
  return { code, asset, fiat, method, ...priced, price, fee: feeOf(method, fiat, world), base, quote };
}

function takes({ code }: Fiat, side: 'buy' | 'sell'): boolean {
  return FIATS.has(code) && (side === 'buy' || PAID_OUT.has(code));
}

function priceOf(
  asset: Asset,
  fiat: Fiat,
  { market }: World,
): Pick<Deal, 'price' | 'networkFee'> | undefined {
  const price = market.price(asset, fiat.code);
  const networkFee = market.networkFee(asset, fiat.code);
  return price && networkFee && { price, networkFee: raise(networkFee, fiat.decimals) };
}

function serves(method: string, { code }: Fiat, side: 'buy' | 'sell'): boolean {
  if (!(method in METHODS)) return false;
  return REACH.some(
    reach =>
      reach.method === method &&
      (reach.fiat ?? code.toLowerCase()) === code.toLowerCase() &&
      (side === 'buy' || reach.paysOut),
  );
}

/** Banks are cheap, cards and whatever carries one are not. */
function feeOf(method: string, { code, decimals }: Fiat, world: World): Deal['fee'] {
  const rate = /bank|pix|interac|balance/.test(method) ? BANK_RATE : CARD_RATE;
  return { rate, least: raise(LEAST_FEE.times(world.market.perEuro(code) ?? ONE), decimals) };
}

function atLeast(least: Amount, value: Amount): Amount {
  return value.lt(least) ? least : value;
}

/** The wording is ours; theirs is not published. */
function outOfBounds(given: Amount, code: string, { min, max }: Limits): StandinAnswer | undefined {
  if (min && given.lt(min)) return badRequest(`The minimum amount is ${min} ${code}`);
  if (max && given.gt(max)) return badRequest(`The maximum amount is ${max} ${code}`);
  return undefined;
}

function badRequest(message: string): StandinAnswer {
  return refuse(400, 'BadRequestError', message);
}

function unauthorized(): StandinAnswer {
  return refuse(401, 'UnauthorizedError', 'Invalid API key');
}

function refuse(status: number, type: string, message: string): StandinAnswer {
  return { status, body: { message, type } };
}
