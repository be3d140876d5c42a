/** Alchemy Pay's quotes imitated: one price for a quote and for the order that follows it. */
import { decimal, largest, raise, readDecimal, ZERO } from '../../domain/money.ts';
import type { Ask } from '../../domain/offer.ts';
import type { Side } from '../../domain/words.ts';
import type { Deal } from '../hosted.ts';
import { strike } from '../standin-deals.ts';
import { filled } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { fail, succeed, unsigned } from './standin-answers.ts';
import * as terms from './standin-terms.ts';
import { WHOLE } from './words.ts';

/** What a price is asked for, in their words. */
export interface Wanted {
  side: Side;
  fiat: string | undefined;
  crypto: string | undefined;
  network: string | undefined;
  amount: string | undefined;
  amountOf: Ask['amountOf'];
  /** Without one, the first that there is. */
  way?: string | undefined;
}

/** Why there is no deal: their code and text. */
export interface Refusal {
  code: string;
  text: string;
}

/** "Price Query". */
export function quote(request: StandinRequest, world: World): StandinAnswer {
  const refusal = unsigned(request, '/open/api/v4/merchant/order/quote', world);
  if (refusal) return refusal;
  const { side, fiat, crypto, network, amount, payWayCode } = textsOf(request.body);
  if (side !== 'BUY' && side !== 'SELL') return fail('10005', 'Invalid request parameters', world);
  const ours: Side = side === 'BUY' ? 'buy' : 'sell';
  const wanted = { side: ours, fiat, crypto, network, amount, way: payWayCode };
  const deal = dealOf({ ...wanted, amountOf: 'source' }, world);
  if ('code' in deal) return fail(deal.code, deal.text, world);
  const common = commonOf(deal, network);
  return succeed(
    ours === 'buy'
      ? { ...common, ...boughtIn(deal) }
      : { ...common, fiatQuantity: filled(deal.value, deal.fiat), cryptoQuantity: null },
    world,
  );
}

/** "Estimate Price Query", for buys of an exact number of coins. */
export function quoteExactly(request: StandinRequest, world: World): StandinAnswer {
  const refusal = unsigned(request, '/open/api/v4/merchant/order/quoted/result', world);
  if (refusal) return refusal;
  const { side, fiatCurrency: fiat, cryptoCurrency: crypto, network, ...given } = textsOf(request.body);
  if (side !== 'BUY' || !given.cryptoQuantity) return fail('10005', 'Invalid request parameters', world);
  const wanted = { side: 'buy', fiat, crypto, network, amount: given.cryptoQuantity } as const;
  const deal = dealOf({ ...wanted, amountOf: 'destination', way: given.payWayCode }, world);
  if ('code' in deal) return fail(deal.code, deal.text, world);
  const fiatAmount = filled(deal.pays, deal.fiat);
  return succeed({ ...commonOf(deal, network), ...boughtIn(deal), side, fiatAmount }, world);
}

function commonOf({ asset, fiat, rate, fee }: Deal, network: string | undefined): object {
  return {
    crypto: asset.code,
    network,
    fiat: fiat.code,
    cryptoPrice: rate.toString(),
    rampFee: filled(fee, fiat),
  };
}

function boughtIn({ networkFee, gets, fiat, method, rate }: Deal): object {
  return {
    networkFee: filled(networkFee, fiat),
    cryptoNetworkFee: networkFee.div(rate).toSignificantDigits(8).toString(),
    cryptoQuantity: gets.toString(),
    payWayCode: method,
  };
}

const HALF_MORE = decimal('1.5');

/** The deal they offer, or why they do not. */
export function dealOf(wanted: Wanted, world: World): Deal | Refusal {
  const { side, network, amountOf } = wanted;
  const asset = terms.coinsOf(world.currencies).get(`${wanted.crypto} ${network}`);
  const fiat = world.currencies.findFiat(wanted.fiat ?? '');
  const price = asset && fiat && world.market.price(asset, fiat.code);
  const perEuro = fiat && world.market.perEuro(fiat.code);
  if (!asset || !fiat || !price || !perEuro || !terms.trades(side, asset)) {
    return { code: '10010', text: 'The crypto, network or fiat is not supported' };
  }
  const way = terms.waysOf(side, fiat.code).find(({ code }) => code === (wanted.way ?? code));
  if (!way) return { code: '10010', text: 'The payWayCode is not supported for this fiat' };
  const amount = readDecimal(wanted.amount);
  if (!amount?.gt(ZERO)) return { code: '10005', text: 'Invalid request parameters' };
  if (side === 'buy' && amountOf === 'source' && WHOLE.has(fiat.code) && !amount.isInteger()) {
    return { code: '10005', text: 'The amount must be a whole number' };
  }

  const moving = side === 'buy' ? (world.market.networkFee(asset, fiat.code) ?? ZERO) : ZERO;
  const tariff = {
    price: terms.priceOf(side, asset, price),
    share: way.share,
    least: raise(way.fixed.times(perEuro), fiat.decimals),
    networkFee: raise(moving, fiat.decimals),
    places: terms.placesOf(asset),
  };
  const deal = strike({ side, fiat, asset, amount, amountOf, method: way.code }, tariff);
  const bounds =
    side === 'buy'
      ? terms.boundsOf(way, { fiat }, world)
      : (terms.coinBounds(asset, world) ?? { min: ZERO, max: ZERO });
  // Where the network is dear, their least amount would be all fees.
  const dear = side === 'buy' ? raise(tariff.networkFee.plus(tariff.least).times(HALF_MORE), 0) : ZERO;
  const min = largest(bounds.min, dear) ?? bounds.min;
  if (!deal || deal.pays.lt(min) || deal.pays.gt(bounds.max)) {
    const range = `The Min purchase amount is ${min}, The max purchase amount is ${bounds.max}`;
    return { code: '3102', text: `Quote amount is out of the range, ${range}` };
  }
  return deal;
}

function textsOf(body: unknown): Record<string, string | undefined> {
  const members = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return Object.fromEntries(members.filter(([, value]) => typeof value === 'string'));
}
