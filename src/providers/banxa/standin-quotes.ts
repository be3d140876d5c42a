/** Banxa's quotes imitated: one price for a quote and for the order that follows it. */
import { type Amount, decimal, raise, readDecimal, ZERO } from '../../domain/money.ts';
import type { Deal } from '../hosted.ts';
import { strike, type Tariff, type Wanted as Wish } from '../standin-deals.ts';
import { filled } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { refused } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

/** What a quote and an order name alike. */
export type Wanted = Readonly<Record<string, string | undefined>>;

export function answerQuote({ query }: StandinRequest, world: World): StandinAnswer {
  const deal = priceOf(query, world);
  return 'status' in deal ? deal : { status: 200, body: quoteOf(deal) };
}

/** Every figure is a text. */
function quoteOf(deal: Deal): object {
  const { fiatAmount, cryptoAmount } = amountsOf(deal);
  return {
    paymentMethodId: deal.method,
    cryptoAmount,
    fiatAmount,
    processingFee: filled(deal.fee, deal.fiat),
    networkFee: filled(deal.networkFee, deal.fiat),
  };
}

export function amountsOf({ pays, gets, asset }: Deal): { fiatAmount: string; cryptoAmount: string } {
  return {
    fiatAmount: pays.toString(),
    cryptoAmount: filled(gets, { decimals: terms.placesOf(asset) }),
  };
}

/** The deal they offer, or their refusal. Of two amounts sent, the one in crypto counts. */
export function priceOf(wanted: Wanted, world: World): Deal | StandinAnswer {
  const { market, currencies } = world;
  const asset = terms.coinsOf(currencies).get(`${wanted.crypto} ${wanted.blockchain}`);
  if (!asset) {
    return refused(422, `The crypto ${wanted.crypto} is not available on ${wanted.blockchain}`, 'crypto');
  }
  const [fiat, methods] = terms.fiatsOf(world).find(([{ code }]) => code === wanted.fiat) ?? [];
  const price = fiat && market.price(asset, fiat.code);
  const networkFee = fiat && terms.networkFeeOf(asset, fiat, world);
  const perEuro = fiat && market.perEuro(fiat.code);
  if (!fiat || !price || !networkFee || !perEuro) {
    return refused(422, `The fiat ${wanted.fiat} is not available`, 'fiat');
  }
  const id = wanted.paymentMethodId ?? '';
  const method = methods?.includes(id) ? terms.METHODS[id] : undefined;
  if (!method) return refused(422, `The payment method ${id} is not available`, 'paymentMethodId');

  const crypto = readDecimal(wanted.cryptoAmount);
  const sum = crypto ?? readDecimal(wanted.fiatAmount);
  if (!sum?.gt(ZERO)) return refused(400, 'An amount is required', 'cryptoAmount');
  const amountOf = crypto ? 'destination' : 'source';
  const tariffAt = (worth: Amount): Tariff => ({
    price: price.times(terms.withMargin(asset, worth.div(perEuro))),
    share: decimal(method.share),
    least: perEuro.times(method.least),
    networkFee,
    places: terms.placesOf(asset),
  });
  const wish: Wish = { side: 'buy', fiat, asset, method: id, amount: sum, amountOf };
  const deal = amountOf === 'source' ? strike(wish, tariffAt(sum)) : strikeExactly(wish, perEuro, tariffAt);
  return flawOf(deal, terms.boundsOf(method, perEuro), fiat.code) ?? (deal as Deal);
}

/** The margin goes by all that is paid: of its steps, the one that what is to be paid in the end lies in. */
function strikeExactly(wish: Wish, perEuro: Amount, tariffAt: (paid: Amount) => Tariff): Deal | undefined {
  const steps = terms.STEPS.map(euros => raise(euros.times(perEuro), wish.fiat.decimals));
  for (const [at, first] of steps.entries()) {
    const deal = strike(wish, tariffAt(first));
    const next = steps[at + 1];
    if (deal && next && deal.pays.gte(next)) continue;
    // Too dear at the margin before and too cheap at this one: the least that brings as much is where the step begins.
    return deal?.pays.lt(first)
      ? strike({ ...wish, amount: first, amountOf: 'source' }, tariffAt(first))
      : deal;
  }
  return undefined;
}

/** Bounds are on the fiat. */
function flawOf(
  deal: Deal | undefined,
  { min, max }: ReturnType<typeof terms.boundsOf>,
  code: string,
): StandinAnswer | undefined {
  if (!deal || deal.pays.lt(min)) return refused(422, `The minimum amount is ${min} ${code}`, 'fiatAmount');
  return deal.pays.gt(max) ? refused(422, `The maximum amount is ${max} ${code}`, 'fiatAmount') : undefined;
}
