/** MoonPay's quotes imitated: one price for a quote and for the order that follows it. */
import type { Asset, Fiat } from '../../domain/currency.ts';
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
import type { Deal } from '../hosted.ts';
import { iso } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { badRequest, notFound, SETTINGS, unauthorized } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

const ACCOUNT = '00000000-0000-4000-8000-00000000000a';
const ONE = decimal(1);
const PRICE_DIGITS = 8;
const LIFETIME = 1800;

/** What a price is asked for, in the words of the quote endpoints. */
export interface Wanted {
  side: Side;
  code: string;
  method: string | undefined;
  query: StandinRequest['query'];
}

export function buyQuote({ params, query }: StandinRequest, world: World): StandinAnswer {
  const code = params.code ?? '';
  const deal = priceOf({ side: 'buy', code, method: query.paymentMethod, query }, world);
  if ('status' in deal) return deal;
  return {
    status: 200,
    body: {
      accountId: ACCOUNT,
      baseCurrencyCode: deal.fiat.code.toLowerCase(),
      baseCurrencyAmount: deal.value,
      quoteCurrencyCode: code,
      quoteCurrencyAmount: deal.gets,
      quoteCurrencyPrice: deal.rate,
      paymentMethod: deal.method,
      feeAmount: deal.fee,
      extraFeePercentage: ZERO,
      extraFeeAmount: ZERO,
      networkFeeAmount: deal.networkFee,
      networkFeeAmountNonRefundable: false,
      totalAmount: deal.pays,
      externalId: null,
      externalCustomerId: null,
      ...validity(world),
      baseCurrency: { type: 'fiat', code: deal.fiat.code.toLowerCase() },
      quoteCurrency: { type: 'crypto', code },
    },
  };
}

export function sellQuote({ params, query }: StandinRequest, world: World): StandinAnswer {
  const code = params.code ?? '';
  const deal = priceOf({ side: 'sell', code, method: query.payoutMethod, query }, world);
  if ('status' in deal) return deal;
  return {
    status: 200,
    body: {
      baseCurrencyCode: code,
      baseCurrencyAmount: deal.pays,
      baseCurrencyPrice: deal.rate,
      quoteCurrencyCode: deal.fiat.code.toLowerCase(),
      quoteCurrencyAmount: deal.gets,
      payoutMethod: deal.method,
      feeAmount: deal.fee,
      extraFeeAmount: ZERO,
      ...validity(world),
      baseCurrency: { type: 'crypto', code },
      quoteCurrency: { type: 'fiat', code: deal.fiat.code.toLowerCase() },
    },
  };
}

function validity(world: World): object {
  return { signature: world.id(), expiresIn: LIFETIME, expiresAt: iso(world.now + LIFETIME * 1000) };
}

/** The deal they offer, or their refusal. */
export function priceOf(wanted: Wanted, world: World): Deal | StandinAnswer {
  const ask = readAsk(wanted, world);
  if ('status' in ask) return ask;
  return wanted.side === 'buy' ? buy(ask, world) : sell(ask, world);
}

/** What is to be priced, once the request has been understood. */
interface PriceAsk {
  asset: Asset;
  fiat: Fiat;
  method: string;
  /** Fiat for one coin, their margin included. */
  price: Amount;
  networkFee: Amount;
  fee: terms.Fee;
  feesIncluded: boolean;
  /** What was sent of the two, whichever it was. */
  base: Amount | undefined;
  quote: Amount | undefined;
}

function buy(ask: PriceAsk, world: World): Deal | StandinAnswer {
  const { asset, fiat, fee, networkFee, method } = ask;
  const places = fiat.decimals;

  let base: Amount;
  let feeAmount: Amount;
  if (ask.base && !ask.quote && ask.feesIncluded) {
    const spent = ask.base.minus(networkFee);
    feeAmount = atLeast(fee.least, raise(spent.times(fee.rate).div(fee.rate.plus(ONE)), places));
    base = spent.minus(feeAmount);
  } else {
    base = ask.quote ? raise(ask.quote.times(ask.price), places) : (ask.base ?? ZERO);
    feeAmount = atLeast(fee.least, raise(base.times(fee.rate), places));
  }
  const total = base.plus(feeAmount).plus(networkFee);
  const refusal = outOfBounds(total, fiat.code, buyLimits(ask, world));
  if (refusal) return refusal;

  const gets = ask.quote ?? cut(base.div(ask.price), terms.precisionOf(asset));
  return {
    ...{ side: 'buy', fiat, asset, method, gets, networkFee },
    pays: total,
    value: base,
    fee: feeAmount,
    // As in the documented sample, the price is what the two amounts come to.
    rate: significant(base.div(gets), PRICE_DIGITS),
  };
}

/** Where the network is dear, their least amount is not enough: fees come first, and some coins must remain. */
function buyLimits({ fiat, fee, networkFee }: PriceAsk, world: World): Limits {
  const { min, max } = terms.fiatLimits(fiat, world) ?? {};
  const coins = world.market.perEuro(fiat.code) ?? ZERO;
  return { min: largest(min, raise(coins.plus(fee.least).plus(networkFee), 0)), max };
}

function sell(ask: PriceAsk, world: World): Deal | StandinAnswer {
  const { asset, fiat, fee, method } = ask;
  const places = fiat.decimals;

  let worth: Amount;
  let feeAmount: Amount;
  if (ask.quote) {
    feeAmount = atLeast(fee.least, raise(ask.quote.div(ONE.minus(fee.rate)), places).minus(ask.quote));
    worth = ask.quote.plus(feeAmount);
  } else {
    worth = cut((ask.base ?? ZERO).times(ask.price), places);
    feeAmount = atLeast(fee.least, raise(worth.times(fee.rate), places));
  }
  const pays = ask.quote ? raise(worth.div(ask.price), terms.precisionOf(asset)) : (ask.base ?? ZERO);
  const euros = world.market.price(asset, 'EUR');
  const refusal = euros && outOfBounds(pays, asset.code, terms.coinLimits(euros));
  if (refusal) return refusal;

  return {
    ...{ side: 'sell', fiat, asset, method, pays, networkFee: ZERO },
    gets: worth.minus(feeAmount),
    value: worth,
    fee: feeAmount,
    rate: significant(worth.div(pays), PRICE_DIGITS),
  };
}

/** Understands what is asked, or refuses it; of two amounts sent, the quote currency's counts. */
function readAsk({ side, code, method: word, query }: Wanted, world: World): PriceAsk | StandinAnswer {
  if (query.apiKey !== SETTINGS.apiKey) return unauthorized();
  const asset = terms.codesOf(world.currencies).get(code);
  if (!asset) return notFound(`Currency ${code} was not found`);
  const money = (side === 'buy' ? query.baseCurrencyCode : query.quoteCurrencyCode) ?? '';
  const fiat = world.currencies.findFiat(money);
  const priced = fiat && terms.takes(fiat, side) ? marketOf(asset, fiat, world) : undefined;
  if (!fiat || !priced) return badRequest(`Currency ${money} is not supported`);
  const method = word ?? 'credit_debit_card';
  if (!terms.serves(method, fiat, side))
    return badRequest(
      `${side === 'buy' ? 'Payment' : 'Payout'} method ${method} is not supported for ${money.toLowerCase()}`,
    );
  const base = readDecimal(query.baseCurrencyAmount);
  const quote = readDecimal(query.quoteCurrencyAmount);
  if (!(quote ?? base)?.gt(ZERO))
    return badRequest('baseCurrencyAmount or quoteCurrencyAmount must be a positive number');
  const [inFiat, inCoins] = side === 'buy' ? [base, quote] : [quote, base];
  if (isFiner(inFiat, fiat.decimals) || isFiner(inCoins, terms.precisionOf(asset)))
    return badRequest('The amount has too many decimal places');
  return {
    ...{ asset, fiat, method, base, quote },
    price: priced.price.times(side === 'buy' ? ONE.plus(terms.SPREAD) : ONE.minus(terms.SPREAD)),
    networkFee: priced.networkFee,
    fee: terms.feeOf(method, fiat, world),
    feesIncluded: query.areFeesIncluded === 'true',
  };
}

function marketOf(
  asset: Asset,
  fiat: Fiat,
  { market }: World,
): Pick<PriceAsk, 'price' | 'networkFee'> | undefined {
  const price = market.price(asset, fiat.code);
  const networkFee = market.networkFee(asset, fiat.code);
  return price && networkFee && { price, networkFee: raise(networkFee, fiat.decimals) };
}

function isFiner(sum: Amount | undefined, precision: number): boolean {
  return sum !== undefined && sum.decimalPlaces() > precision;
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
