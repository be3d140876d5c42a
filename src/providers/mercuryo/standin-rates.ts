/** Mercuryo's rates imitated: one price per pair, for a quote and for the order that follows it. */
import { type Amount, cut, raise, readDecimal, significant, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { Deal } from '../hosted.ts';
import { filled } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { fail, SETTINGS, succeed } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

export function rate(side: Side, { query }: StandinRequest, world: World): StandinAnswer {
  if (query.widget_id !== SETTINGS.widgetId) return fail(401, 'Widget is not found');
  const [fiat, ticker] = side === 'buy' ? [query.from, query.to] : [query.to, query.from];
  const { network, amount } = query;
  const deal = priceOf({ side, fiat, ticker, network, amount, method: 'card' }, world);
  return typeof deal === 'string'
    ? fail(400, deal)
    : succeed({ [`${side}_token`]: world.id(), ...figuresOf(deal, world) });
}

/** What a price is asked for, in their words. */
export interface Wanted {
  side: Side;
  fiat: string | undefined;
  ticker: string | undefined;
  network: string | undefined;
  /** Of what is handed over. */
  amount: string | undefined;
  method: string;
}

/** The deal they offer, or why they do not. */
export function priceOf(wanted: Wanted, world: World): Deal | string {
  const { side, ticker, network, method } = wanted;
  const fiat = terms.findFiat(wanted.fiat, side, world);
  if (!fiat) return `Currency ${word(wanted.fiat)} is not supported`;
  const asset = terms.findAsset({ ticker, network, side }, world);
  if (!asset) return `Currency ${word(ticker)} is not supported in network ${word(network)}`;
  const price = world.market.price(asset, fiat.code);
  if (!price) return `Currency ${asset.code} is not supported with ${fiat.code}`;
  const amount = readDecimal(wanted.amount);
  if (!amount?.gt(ZERO)) return 'Parameter amount is invalid';

  const ask = { side, fiat, asset, method, amount, rate: terms.spread(side, price) };
  const { min, max } = limitsOf(ask, world);
  if (amount.lt(min) || amount.gt(max)) {
    return `Amount should be between ${min} and ${max} ${side === 'buy' ? fiat.code : asset.code}`;
  }
  const deal = side === 'buy' ? buy(ask, world) : sell(ask, world);
  return deal.gets.gt(ZERO) ? deal : 'Amount is too small to cover the fee';
}

/** What was asked for, short enough to be said again. */
function word(text: string | undefined): string {
  return (text ?? '').slice(0, 20);
}

interface PriceAsk extends Pick<Deal, 'side' | 'fiat' | 'asset' | 'method'> {
  amount: Amount;
  /** Fiat for one unit, their spread included. */
  rate: Amount;
}

/** In what is handed over. */
function limitsOf({ side, fiat, asset, rate }: PriceAsk, world: World): terms.Bounds {
  const { min, max } = terms.fiatLimits(fiat, world);
  if (side === 'buy') return { min, max };
  return {
    min: raise(significant(min.div(rate), 3), asset.decimals),
    max: cut(significant(max.div(rate), 3), asset.decimals),
  };
}

/** What moving the coins costs is part of the fee. */
function buy({ amount, ...ask }: PriceAsk, world: World): Deal {
  const { fiat, asset, rate } = ask;
  const pays = cut(amount, fiat.decimals);
  const network = world.market.networkFee(asset, fiat.code) ?? ZERO;
  const fee = raise(terms.feeOn(pays, fiat, world).plus(network), fiat.decimals);
  const value = pays.minus(fee);
  return { ...ask, pays, value, fee, networkFee: ZERO, gets: cut(value.div(rate), asset.decimals) };
}

function sell({ amount, ...ask }: PriceAsk, world: World): Deal {
  const { fiat, asset, rate } = ask;
  const pays = cut(amount, asset.decimals);
  const value = cut(pays.times(rate), fiat.decimals);
  const fee = raise(terms.feeOn(value, fiat, world), fiat.decimals);
  return { ...ask, pays, value, fee, networkFee: ZERO, gets: value.minus(fee) };
}

/**
 * All figures are strings. Always: total = subtotal + fee in both currencies, and on a buy what is received is subtotal
 * over rate. On a sell `fiat_amount` is what the crypto is worth, and `subtotal`, after the fee, what is paid out.
 */
function figuresOf({ side, fiat, asset, pays, gets, value, fee, rate }: Deal, world: World): object {
  const isBuy = side === 'buy';
  const feeInCrypto = raise(fee.div(rate), asset.decimals);
  const total = isBuy ? gets.plus(feeInCrypto) : pays;
  const inBoth = (crypto: Amount, money: Amount) => ({
    [asset.code]: filled(crypto, asset),
    [fiat.code]: filled(money, fiat),
  });
  return {
    currency: asset.code,
    amount: filled(isBuy ? gets : pays, asset),
    fiat_amount: filled(isBuy ? pays : value, fiat),
    fiat_currency: fiat.code,
    rate: filled(rate, TWO_PLACES),
    fee: inBoth(feeInCrypto, fee),
    subtotal: inBoth(total.minus(feeInCrypto), isBuy ? value : gets),
    total: inBoth(total, isBuy ? pays : value),
    ...(isBuy && { kyc_limit_exceeded: terms.mustBeVerified(pays, fiat, world) }),
  };
}

const TWO_PLACES = { decimals: 2 };
