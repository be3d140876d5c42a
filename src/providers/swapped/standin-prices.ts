/** Swapped's lists and prices imitated: methods by country, and one price for a quote and for the order that follows it. */
import {
  type Amount,
  cut,
  decimal,
  leastOf,
  raise,
  readDecimal,
  significant,
  ZERO,
} from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { Deal } from '../hosted.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import * as terms from './standin-terms.ts';

export function fail(message: string): StandinAnswer {
  return { status: 400, body: { success: false, message } };
}

export function succeed(data: unknown): StandinAnswer {
  return { status: 200, body: { success: true, data } };
}

export const NO_KEY = 'Invalid API key';

/** Methods of every country, as they answer it. */
export function methods(side: Side, { query }: StandinRequest, world: World): StandinAnswer {
  const key = side === 'buy' ? query.apiKey : query.api_key;
  if (key !== terms.SETTINGS.publicKey) return fail(NO_KEY);
  const served = [...world.currencies.countries.values()].filter(terms.isServed);
  const byCountry = served.map(country => {
    const taken = terms.currenciesIn(country);
    const entries = Object.entries(terms.GROUPS).flatMap(([slug, group], at) => {
      const currency = group.currencies.filter(code => taken.includes(code));
      return currency.length && (side === 'buy' || group.paysOut)
        ? [describe(slug, group, { id: at + 1, currency, side })]
        : [];
    });
    return [country.code, entries] as const;
  });
  return succeed(Object.fromEntries(byCountry.filter(([, entries]) => entries.length)));
}

interface Row {
  id: number;
  currency: readonly string[];
  side: Side;
}

function describe(slug: string, group: terms.Group, { id, currency, side }: Row): object {
  const { min, max } = group;
  const common = { slug, currency, disabled: false, min_amount: min, max_amount: max };
  if (side === 'sell') return common;
  const base_fee = { base_fee: group.base };
  return { ...common, id, name: group.name, payment_group: slug, fee: group.fee, base_fee, img_url: '' };
}

export function price(side: Side, { body }: StandinRequest, world: World): StandinAnswer {
  const given = (body ?? {}) as Record<string, string | undefined>;
  if (given.api_key !== terms.SETTINGS.publicKey) return fail(NO_KEY);
  const { fiat_currency: fiat, crypto_currency: code, region, fiat_amount, crypto_amount } = given;
  const method = side === 'buy' ? given.payment_method : given.payout_method;
  const asked = termsOf({ side, fiat, code, method, region }, world);
  if (typeof asked === 'string') return fail(asked);
  const sum = readDecimal(fiat_amount);
  const coins = side === 'buy' ? readDecimal(crypto_amount) : undefined;
  if (!(sum ?? coins)?.gt(ZERO)) return fail('fiat_amount or crypto_amount is required');
  const deal =
    side === 'buy'
      ? buy(asked, sum ? { excluding: sum } : { coins: coins ?? ZERO })
      : sell(asked, sum ?? ZERO);
  return flawOf(deal, asked) ?? succeed(figuresOf(deal, asked));
}

/** What a price is asked for, in their words. */
export interface Wanted {
  side: Side;
  fiat: string | undefined;
  code: string | undefined;
  method: string | undefined;
  region: string | undefined;
}

/** What has been understood of it. */
export interface Terms extends Pick<Deal, 'side' | 'fiat' | 'asset' | 'method'> {
  code: string;
  group: terms.Group;
  price: Amount;
  networkFee: Amount;
  perEuro: Amount;
}

/** Everything that was named, or what cannot be done. */
export function termsOf({ side, code = '', method = '', ...wanted }: Wanted, world: World): Terms | string {
  const asset = terms.coinsOf(world.currencies).get(code);
  const fiat = world.currencies.findFiat(wanted.fiat ?? '');
  const market = asset && fiat && world.market.price(asset, fiat.code);
  const perEuro = fiat && world.market.perEuro(fiat.code);
  if (!asset) return 'Crypto currency is not supported';
  if (!fiat || !market || !perEuro) return 'Fiat currency is not supported';
  const group = terms.GROUPS[method];
  if (!group?.currencies.includes(fiat.code) || (side === 'sell' && !group.paysOut)) {
    return 'Payment method is not supported for this currency';
  }
  const country = side === 'buy' ? world.currencies.findCountry(wanted.region ?? '') : undefined;
  if (side === 'buy' && (!country || !terms.isServed(country))) return 'Region is not supported';
  const price = terms.priceOf(side, market, { region: country?.code ?? 'DE', asset });
  const networkFee = raise(world.market.networkFee(asset, fiat.code) ?? ZERO, fiat.decimals);
  return { side, fiat, asset, method, code, group, price, networkFee, perEuro };
}

const HUNDRED = decimal(100);

/** What is taken on so much, the network's part included. */
function feeOn({ group, perEuro, networkFee, fiat }: Terms, sum: Amount): Amount {
  return raise(sum.times(group.fee).div(HUNDRED).plus(group.base.times(perEuro)), fiat.decimals).plus(
    networkFee,
  );
}

/** The amount asked for buys coins, and the fees come on top. */
function buy(asked: Terms, wanted: { excluding: Amount } | { coins: Amount }): Deal {
  const { fiat, asset, price } = asked;
  const value = 'excluding' in wanted ? wanted.excluding : raise(wanted.coins.times(price), fiat.decimals);
  const gets = 'coins' in wanted ? wanted.coins : cut(value.div(price), Math.min(asset.decimals, 8));
  const fees = feeOn(asked, value);
  return dealOf(asked, { pays: value.plus(fees), gets, value, fees });
}

/** For a purchase on their page, where the amount is all that is paid. */
export function buyFor(asked: Terms, pays: Amount): Deal {
  const { fiat, asset, price, group, perEuro, networkFee } = asked;
  const rest = pays.minus(networkFee).minus(group.base.times(perEuro));
  const value = cut(rest.div(group.fee.div(HUNDRED).plus(1)), fiat.decimals);
  const gets = cut(value.div(price), Math.min(asset.decimals, 8));
  return dealOf(asked, { pays, gets, value, fees: pays.minus(value) });
}

/** The amount asked for is what the coins are worth, and the fees come off. */
function sell(asked: Terms, worth: Amount): Deal {
  const { asset, price } = asked;
  const fees = feeOn(asked, worth);
  const pays = raise(worth.div(price), Math.min(asset.decimals, 8));
  return dealOf(asked, { pays, gets: worth.minus(fees), value: worth, fees });
}

export function sellCoins(asked: Terms, coins: Amount): Deal {
  const worth = cut(coins.times(asked.price), asked.fiat.decimals);
  const fees = feeOn(asked, worth);
  return dealOf(asked, { pays: coins, gets: worth.minus(fees), value: worth, fees });
}

function dealOf(
  { side, fiat, asset, method, networkFee, price }: Terms,
  { pays, gets, value, fees }: { pays: Amount; gets: Amount; value: Amount; fees: Amount },
): Deal {
  return {
    ...{ side, fiat, asset, method, networkFee, pays, gets, value },
    fee: fees.minus(networkFee),
    rate: significant(price, 10),
  };
}

/** Bounds are in euros, whatever is paid in: the least has the fees in it, the most has not. The wording is ours. */
export function flawOf(deal: Deal, { group, perEuro }: Terms): StandinAnswer | undefined {
  const [including, excluding] = sumsOf(deal);
  // Not every total can be met: fees are rounded up.
  const most = including.plus(leastOf(deal.fiat.decimals));
  if (most.lt(group.min.times(perEuro)) || !deal.gets.gt(ZERO)) {
    return fail(`The minimum amount is ${group.min} EUR`);
  }
  return excluding.gt(group.max.times(perEuro)) ? fail(`The maximum amount is ${group.max} EUR`) : undefined;
}

/** With the fees and without them. */
function sumsOf({ side, pays, gets, value }: Deal): [including: Amount, excluding: Amount] {
  return side === 'buy' ? [pays, value] : [value, gets];
}

/** Those without `_local` are in euros. */
function figuresOf(deal: Deal, { code, perEuro }: Terms): object {
  const isBuy = deal.side === 'buy';
  const [including, excluding] = sumsOf(deal);
  const inEuros = (amount: Amount) => significant(amount.div(perEuro), 8);
  return {
    crypto_amount: isBuy ? deal.gets : deal.pays,
    crypto_currency: code,
    crypto_unit_price: inEuros(deal.rate),
    network_fee: inEuros(deal.networkFee),
    network_fee_local: deal.networkFee,
    fiat_amount_incl_fees: inEuros(including),
    fiat_amount_excl_fees: inEuros(excluding),
    fiat_amount_incl_fees_local: including,
    fiat_amount_excl_fees_local: excluding,
    fiat_currency: deal.fiat.code,
    markup_fiat_value: ZERO,
    processing_fee: inEuros(including.minus(excluding)),
    payment_method: deal.method,
    payment_group: deal.method,
  };
}
