/** Transak's quotes imitated, with their own identities: one price for a quote and for the order that follows it. */
import type { Asset, Fiat } from '../../domain/currency.ts';
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
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { found, refused, SETTINGS } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

const ONE = decimal(1);
const PRICE_DIGITS = 20;

/** What a quote is asked about, once it is known that they do it. */
interface Terms {
  side: Side;
  asset: Asset;
  fiat: Fiat;
  method: string;
  option: terms.Option;
  /** Fiat for one unit of the asset, with their spread. */
  price: Amount;
  networkFee: Amount;
  perEuro: Amount;
}

interface Figures {
  conversionPrice: Amount;
  fiatAmount: Amount;
  cryptoAmount: Amount;
  transakFee: Amount;
}

export interface Priced extends Terms, Figures {
  totalFee: Amount;
}

export function answerQuote({ query }: StandinRequest, world: World): StandinAnswer {
  if (query.partnerApiKey !== SETTINGS.apiKey) return refused(401, 'Invalid API key');
  const priced = priceOf(query, world);
  return typeof priced === 'string' ? refused(400, priced) : found(quoteBody(priced, world));
}

/** What they offer for the words of a quote, or why they do not. */
export function priceOf(query: StandinRequest['query'], world: World): Priced | string {
  const asked = termsOf(query, world);
  if (typeof asked === 'string') return asked;
  const figures = figure(asked, query);
  if (!figures) {
    return `${asked.side === 'buy' ? 'fiatAmount or cryptoAmount' : 'cryptoAmount'} is required`;
  }
  const totalFee = figures.transakFee.plus(asked.networkFee);
  return flawOf(asked, figures) ?? { ...asked, ...figures, totalFee };
}

/** The same as everyone's deal. */
export function dealOf(priced: Priced): Deal {
  const { side, fiat, asset, method, networkFee, fiatAmount, cryptoAmount, totalFee } = priced;
  const isBuy = side === 'buy';
  return {
    ...{ side, fiat, asset, method, networkFee },
    pays: isBuy ? fiatAmount : cryptoAmount,
    gets: isBuy ? cryptoAmount : fiatAmount,
    value: isBuy ? fiatAmount.minus(totalFee) : fiatAmount.plus(totalFee),
    fee: priced.transakFee,
    rate: significant(ONE.div(priced.conversionPrice), PRICE_DIGITS),
  };
}

/** Finds everything the query names, or says what cannot be done. */
function termsOf(query: StandinRequest['query'], world: World): Terms | string {
  const { currencies, market } = world;
  const side = query.isBuyOrSell?.toLowerCase();
  if (side !== 'buy' && side !== 'sell') return 'isBuyOrSell must be BUY or SELL';

  const asset = terms.coinsOf(currencies).get(`${query.cryptoCurrency} ${query.network}`);
  const fiat = currencies.findFiat(query.fiatCurrency ?? '');
  const price = asset && fiat && market.price(asset, fiat.code);
  const networkFee = asset && fiat && market.networkFee(asset, fiat.code);
  const perEuro = fiat && market.perEuro(fiat.code);
  if (!asset || terms.SUSPENDED.has(asset.code) || (side === 'sell' && !terms.SOLD_TOO.has(asset.code))) {
    return `Crypto currency ${query.cryptoCurrency} on network ${query.network} is not supported`;
  }
  if (!fiat || !price || !networkFee || !perEuro || !terms.FIATS[fiat.code]) {
    return `Fiat currency ${query.fiatCurrency} is not supported`;
  }
  const method = query.paymentMethod ?? '';
  const option = terms.FIATS[fiat.code]?.includes(method) ? terms.OPTIONS[method] : undefined;
  if (!option || (side === 'sell' && !(option.out && terms.PAID_OUT.has(fiat.code)))) {
    return `Payment method ${method} is not supported for ${fiat.code}`;
  }
  const country = currencies.findCountry(query.quoteCountryCode ?? '');
  if (!country || !terms.isServed(country) || terms.BLOCKED[asset.code]?.includes(country.code)) {
    return `${asset.code} is not available in country ${query.quoteCountryCode}`;
  }
  if (!(option.countries?.includes(country.code) ?? terms.takes(fiat.code, country))) {
    return `Payment method ${method} is not available in country ${country.code}`;
  }

  return {
    ...{ side, asset, fiat, method, option, perEuro },
    price: price.times(withSpread(side)),
    networkFee: raise(networkFee.times(terms.NETWORK_SHARE), fiat.decimals),
  };
}

/** What the market's price is multiplied by. */
function withSpread(side: Side): Amount {
  return side === 'buy' ? ONE.plus(terms.SPREAD) : ONE.minus(terms.SPREAD);
}

/** Works out the quote from the amount given; undefined when none is. */
function figure(deal: Terms, query: StandinRequest['query']): Figures | undefined {
  const fiatAmount = readDecimal(query.fiatAmount);
  const cryptoAmount = readDecimal(query.cryptoAmount);
  if (deal.side === 'sell') return cryptoAmount?.gt(ZERO) ? sell(deal, cryptoAmount) : undefined;
  if (fiatAmount?.gt(ZERO)) return buyFor(deal, fiatAmount);
  return cryptoAmount?.gt(ZERO) ? buyExactly(deal, cryptoAmount) : undefined;
}

/** `cryptoAmount = (fiatAmount - totalFee) × conversionPrice` */
function buyFor(deal: Terms, fiatAmount: Amount): Figures {
  const conversionPrice = significant(ONE.div(deal.price), PRICE_DIGITS);
  const transakFee = feeOn(deal, fiatAmount);
  const value = fiatAmount.minus(transakFee).minus(deal.networkFee);
  const cryptoAmount = cut(value.times(conversionPrice), terms.placesOf(deal.asset));
  return { conversionPrice, fiatAmount, cryptoAmount, transakFee };
}

/** The other way round: everything in fiat is rounded up, and the price stated is the one that makes it exact. */
function buyExactly(deal: Terms, cryptoAmount: Amount): Figures {
  const { option, fiat, perEuro, networkFee } = deal;
  const value = raise(cryptoAmount.times(deal.price), fiat.decimals);
  const beforeFee = value.plus(networkFee);
  const share = beforeFee.times(option.share).div(ONE.minus(option.share));
  const transakFee = raise(largest(share, perEuro.times(option.least)) ?? share, fiat.decimals);
  const conversionPrice = significant(cryptoAmount.div(value), PRICE_DIGITS);
  return { conversionPrice, fiatAmount: beforeFee.plus(transakFee), cryptoAmount, transakFee };
}

/** `fiatAmount = cryptoAmount / conversionPrice - totalFee` */
function sell(deal: Terms, cryptoAmount: Amount): Figures {
  const conversionPrice = significant(ONE.div(deal.price), PRICE_DIGITS);
  const value = cryptoAmount.div(conversionPrice);
  const transakFee = feeOn(deal, value);
  const fiatAmount = cut(value.minus(transakFee).minus(deal.networkFee), deal.fiat.decimals);
  return { conversionPrice, fiatAmount, cryptoAmount, transakFee };
}

function feeOn({ option, fiat, perEuro }: Terms, amount: Amount): Amount {
  const share = amount.times(option.share);
  return raise(largest(share, perEuro.times(option.least)) ?? share, fiat.decimals);
}

/** Bounds are on the fiat: what is paid on a buy, what is paid out on a sell. */
function flawOf(deal: Terms, { fiatAmount, cryptoAmount }: Figures): string | undefined {
  const { side, fiat, method, option } = deal;
  const { min, max } = terms.bounds(side, option, deal.perEuro);
  const what = side === 'buy' ? 'buy amount' : 'sell payout';
  if (fiatAmount.lt(min)) return `Minimum ${what} with ${method} is ${min} ${fiat.code}`;
  if (fiatAmount.gt(max)) return `Maximum ${what} with ${method} is ${max} ${fiat.code}`;
  return cryptoAmount.gt(ZERO) ? undefined : 'Amount is less than the fees';
}

function quoteBody(priced: Priced, world: World): unknown {
  const { side, asset, fiat, method, networkFee, totalFee } = priced;
  const { conversionPrice, fiatAmount, cryptoAmount, transakFee } = priced;
  return {
    quoteId: world.id(),
    conversionPrice,
    marketConversionPrice: significant(conversionPrice.times(withSpread(side)), PRICE_DIGITS),
    slippage: terms.SPREAD.times('100'),
    fiatCurrency: fiat.code,
    cryptoCurrency: asset.code,
    paymentMethod: method,
    fiatAmount,
    cryptoAmount,
    isBuyOrSell: side.toUpperCase(),
    network: terms.networkName(asset),
    feeDecimal: significant(totalFee.div(fiatAmount), 4),
    totalFee,
    feeBreakdown: [
      fee('Transak fee', 'transak_fee', transakFee),
      fee('Partner fee', 'partner_fee', ZERO),
      fee('Network/Exchange fee', 'network_fee', networkFee),
    ],
    nonce: Math.floor(world.now / 1000),
    cryptoLiquidityProvider: 'transak',
    notes: [],
  };
}

function fee(name: string, id: string, value: Amount): unknown {
  return { name, value, id, ids: [id] };
}
