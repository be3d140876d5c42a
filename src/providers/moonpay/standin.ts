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
import type { Side } from '../../domain/words.ts';
import { isNative } from '../standin-kit.ts';
import type { Standin, StandinAnswer, StandinRequest, World } from '../world.ts';
import * as terms from './standin-terms.ts';

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
const PRICE_DIGITS = 8;
const LIFETIME = 1800;

/** "Get currencies" answers without a key as well. */
function currencies({ query }: StandinRequest, world: World): StandinAnswer {
  if (query.apiKey !== undefined && query.apiKey !== API_KEY) return unauthorized();
  const fiats = [...world.currencies.fiats.values()].flatMap(fiat => describeFiat(fiat, world));
  const coins = [...terms.codesOf(world.currencies)].flatMap(([code, asset]) =>
    describeCoin(code, asset, world),
  );
  return { status: 200, body: [...coins, ...fiats] };
}

function describeFiat(fiat: Fiat, world: World): object[] {
  const limits = terms.fiatLimits(fiat, world);
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
      isSellSupported: terms.takes(fiat, 'sell'),
      isUtxoCompatible: false,
    },
  ];
}

function describeCoin(code: string, asset: Asset, world: World): object[] {
  const price = world.market.price(asset, 'EUR');
  if (!price) return [];
  const limits = terms.coinLimits(price);
  return [
    {
      type: 'crypto',
      name: asset.name,
      code,
      precision: terms.precisionOf(asset),
      decimals: asset.decimals,
      minAmount: null,
      maxAmount: null,
      minBuyAmount: significant(terms.LEAST_SENT.div(price), 2),
      maxBuyAmount: null,
      minSellAmount: limits.min,
      maxSellAmount: limits.max,
      isSellSupported: true,
      isSuspended: false,
      isStableCoin: /^(USD|EUR|DAI|PYUSD|RLUSD|CUSD)/.test(asset.code),
      isBaseAsset: isNative(asset),
      isSupportedInUS: !terms.NOT_IN_US.has(asset.code),
      notAllowedCountries: terms.BLOCKED[asset.code] ?? [],
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
    networkCode: terms.THEIR_NETWORKS.get(asset.network),
  };
}

/** "Get countries": their alpha-3 codes are left out, as nothing here knows them. */
function countries({ query }: StandinRequest, world: World): StandinAnswer {
  if (query.apiKey !== undefined && query.apiKey !== API_KEY) return unauthorized();
  const body = [...world.currencies.countries.values()].map(({ code, name }) => ({
    alpha2: code,
    name,
    ...terms.allowanceIn(code),
    supportedDocuments: ['passport', 'national_identity_card', 'driving_licence'],
    ...(code === 'US' && { states: terms.STATES }),
  }));
  return { status: 200, body };
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
  fee: terms.Fee;
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
    : cut(base.div(deal.price), terms.precisionOf(asset));
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
  const { min, max } = terms.fiatLimits(fiat, world) ?? {};
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
  const coins = deal.quote ? raise(worth.div(deal.price), terms.precisionOf(asset)) : (deal.base ?? ZERO);
  const euros = world.market.price(asset, 'EUR');
  const refusal = euros && outOfBounds(coins, asset.code, terms.coinLimits(euros));
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
function readDeal(request: StandinRequest, world: World, side: Side): Deal | StandinAnswer {
  const { query } = request;
  if (query.apiKey !== API_KEY) return unauthorized();
  const code = request.params.code ?? '';
  const asset = terms.codesOf(world.currencies).get(code);
  if (!asset) return refuse(404, 'NotFoundError', `Currency ${code} was not found`);
  const money = (side === 'buy' ? query.baseCurrencyCode : query.quoteCurrencyCode) ?? '';
  const fiat = world.currencies.findFiat(money);
  const priced = fiat && terms.takes(fiat, side) ? priceOf(asset, fiat, world) : undefined;
  if (!fiat || !priced) return badRequest(`Currency ${money} is not supported`);
  const method = (side === 'buy' ? query.paymentMethod : query.payoutMethod) ?? 'credit_debit_card';
  if (!terms.serves(method, fiat, side))
    return badRequest(
      `${side === 'buy' ? 'Payment' : 'Payout'} method ${method} is not supported for ${money.toLowerCase()}`,
    );
  const base = readDecimal(query.baseCurrencyAmount);
  const quote = readDecimal(query.quoteCurrencyAmount);
  if (!(quote ?? base)?.gt(ZERO))
    return badRequest('baseCurrencyAmount or quoteCurrencyAmount must be a positive number');
  const price = priced.price.times(side === 'buy' ? ONE.plus(terms.SPREAD) : ONE.minus(terms.SPREAD));
  return { code, asset, fiat, method, ...priced, price, fee: terms.feeOf(method, fiat, world), base, quote };
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
