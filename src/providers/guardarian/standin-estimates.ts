/** Guardarian's estimates imitated: one price for an estimate and for the transaction that follows it. */
import { readDecimal, significant, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { Deal } from '../hosted.ts';
import { strike } from '../standin-deals.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { badRequest } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

/** What an estimate and a transaction name alike. */
export type Wanted = Readonly<Record<string, string | undefined>>;

export function estimate({ query }: StandinRequest, world: World): StandinAnswer {
  const deal = priceOf(query, world);
  if ('status' in deal) return deal;
  return { status: 200, body: estimateOf(deal) };
}

/** Every figure is a text; the network's fee is in coins, and the rate is all in and rounded. */
function estimateOf(deal: Deal): object {
  const { side, fiat, asset, pays, gets, value, fee, networkFee, rate } = deal;
  const network = terms.networkOf(asset) ?? null;
  const isBuy = side === 'buy';
  const converted = isBuy ? pays.minus(fee) : value;
  return {
    from_currency: isBuy ? fiat.code : asset.code,
    to_currency: isBuy ? asset.code : fiat.code,
    from_network: isBuy ? null : network,
    to_network: isBuy ? network : null,
    value: gets.toString(),
    service_fees: [{ name: 'Service fee', amount: fee.toString(), currency: fiat.code, percentage: null }],
    estimated_exchange_rate: significant(gets.div(pays), 4).toString(),
    converted_amount: { amount: converted.toString(), currency: fiat.code },
    network_fee: { amount: significant(networkFee.div(rate), 8).toString(), currency: asset.code },
  };
}

/** The range of a pair, such as `eur-eur_btc-btc`. */
export function range({ params }: StandinRequest, world: World): StandinAnswer {
  const [from = '', to = ''] = (params.pair ?? '').toUpperCase().split('_');
  const [side, money, coin] = terms.FIATS[from.replace(/-.*/, '')] ? ['buy', from, to] : ['sell', to, from];
  const fiat = world.currencies.findFiat((money ?? '').replace(/-.*/, ''));
  const asset = terms.coinsOf(world.currencies).get((coin ?? '').replace('-', ' '));
  const price = fiat && asset && world.market.price(asset, fiat.code);
  const perEuro = fiat && world.market.perEuro(fiat.code);
  if (!price || !perEuro) return badRequest('Currency pair is not supported');
  const { min, max } = terms.boundsOf(side as Side, price, perEuro);
  const body = { from, to, min: min.toString(), max: max.toString(), is_cn_range: false };
  return { status: 200, body };
}

/** The deal they offer, or their refusal. */
export function priceOf(wanted: Wanted, world: World): Deal | StandinAnswer {
  const { market, currencies } = world;
  const side: Side = terms.FIATS[wanted.from_currency ?? ''] ? 'buy' : 'sell';
  const [money, coin, network] =
    side === 'buy'
      ? [wanted.from_currency, wanted.to_currency, wanted.to_network]
      : [wanted.to_currency, wanted.from_currency, wanted.from_network];
  const asset = terms.coinsOf(currencies).get(`${coin} ${network}`);
  const fiat = money && terms.FIATS[money] ? currencies.findFiat(money) : undefined;
  const price = asset && fiat && market.price(asset, fiat.code);
  const networkFee = asset && fiat && terms.networkFeeOf(side, asset, fiat, world);
  const perEuro = fiat && market.perEuro(fiat.code);
  if (!fiat || !asset || !price || !networkFee || !perEuro || !terms.trades(side, asset)) {
    return badRequest('Currency pair is not supported');
  }
  const country = wanted.customer_country ?? 'DE';
  if (!terms.isServed(country)) return badRequest(`Country ${country} is not supported`);
  const method = wanted.deposit_category ?? terms.usual(side, fiat.code) ?? '';
  const category = terms.takes(side, fiat.code, method) ? terms.CATEGORIES[method] : undefined;
  if (!category) return badRequest(`Payment category ${method} is not available`);

  const amount = readDecimal(wanted.from_amount);
  if (!amount?.gt(ZERO)) return badRequest('from_amount must be a positive number');
  const { min, max } = terms.boundsOf(side, price, perEuro);
  const code = side === 'buy' ? fiat.code : asset.code;
  if (amount.lt(min)) return badRequest(`Minimum amount is ${min} ${code}`);
  if (amount.gt(max)) return badRequest(`Maximum amount is ${max} ${code}`);
  const euros = (side === 'buy' ? amount : amount.times(price)).div(perEuro);
  const deal = strike(
    { side, fiat, asset, method, amount, amountOf: 'source' },
    {
      ...terms.feeOf(category, { country, euros, perEuro }),
      price: price.times(terms.withMargin(side)),
      networkFee,
      places: terms.placesOf(asset),
    },
  );
  return deal ?? badRequest('Amount is too small');
}
