/** Paybis' quotes imitated: all methods in one answer, each with its price or with why it has none. */
import { decimal, readDecimal, significant, ZERO } from '../../domain/money.ts';
import type { Ask } from '../../domain/offer.ts';
import { member } from '../../domain/words.ts';
import type { Deal } from '../hosted.ts';
import { strike } from '../standin-deals.ts';
import { filled, iso, uuid } from '../standin-kit.ts';
import type { StandinAnswer, World } from '../world.ts';
import { refused, textsOf } from './standin-answers.ts';
import * as terms from './standin-terms.ts';

const QUOTE_MS = 15 * 60_000;

/** What a quote is about, once its words are understood. */
interface Asked extends Pick<Ask, 'side' | 'fiat' | 'asset' | 'amount' | 'amountOf'> {
  /** The only method that is asked about; all of them without one. */
  method: string | undefined;
}

export function answerQuote(body: unknown, world: World): StandinAnswer {
  const asked = readAsked(body, world);
  if ('status' in asked) return asked;
  const id = uuid(`quote ${world.id()}`, world);
  return { status: 200, body: quoteOf(id, asked, world) };
}

/** As above, and can be made a request of while it is good. */
export function keepQuote(body: unknown, world: World): StandinAnswer {
  const answer = answerQuote(body, world);
  const { id } = answer.body as { id?: string };
  if (id) world.notes.put(`quote ${id}`, JSON.stringify({ body, until: world.now + QUOTE_MS }));
  return answer;
}

/** The deal of a quote that is still good, by the one method it was asked for. */
export function dealOf(quoteId: string, method: string, world: World): Deal | string {
  const note = world.notes.get(`quote ${quoteId}`);
  if (note === undefined) return 'Quote was not found';
  const { body, until } = JSON.parse(note) as { body: unknown; until: number };
  if (world.now > until) return 'Quote is expired';
  const asked = readAsked(body, world);
  return 'status' in asked ? 'Quote is not valid' : priceOf({ ...asked, method }, method, world);
}

function readAsked(body: unknown, world: World): Asked | StandinAnswer {
  const said = textsOf(body);
  const [from, to] = [said.currencyCodeFrom, said.currencyCodeTo];
  const side = terms.fiatOf(from, world) ? 'buy' : 'sell';
  const fiat = terms.fiatOf(side === 'buy' ? from : to, world);
  const asset = terms.coinsOf(world.currencies).get((side === 'buy' ? to : from) ?? '');
  if (!fiat || !asset) return refused(400, 'Currency pair is not supported');
  const amount = readDecimal(said.amount);
  if (!amount?.gt(ZERO)) return refused(400, 'Amount must be a positive number');
  const amountOf = said.directionChange === 'to' ? 'destination' : 'source';
  return { side, fiat, asset, amount, amountOf, method: said.paymentMethod ?? said.payoutMethod };
}

function quoteOf(id: string, asked: Asked, world: World): object {
  const { side, fiat, asset, amount, amountOf, method } = asked;
  const code = terms.codeOf(asset);
  const [from, to] = side === 'buy' ? [fiat.code, code] : [code, fiat.code];
  const ids = method ? [method] : Object.keys(terms.methodsOf(side));
  const outcomes = ids.map(one => ({ id: one, outcome: priceOf(asked, one, world) }));
  const price = world.market.price(asset, fiat.code)?.times(terms.withMargin(side, asset)) ?? ZERO;
  const [word, list] = side === 'buy' ? ['paymentMethod', 'payment'] : ['payoutMethod', 'payout'];
  return {
    id,
    currencyCodeFrom: from,
    currencyCodeTo: to,
    requestedAmount: { amount: amount.toString(), currencyCode: amountOf === 'source' ? from : to },
    requestedAmountType: amountOf === 'source' ? 'from' : 'to',
    [`${list}Methods`]: outcomes.flatMap(({ id: one, outcome }) =>
      typeof outcome === 'string' ? [] : [describe(one, outcome, world)],
    ),
    [`${list}MethodErrors`]: outcomes.flatMap(({ id: one, outcome }) =>
      typeof outcome === 'string' ? [{ [word as string]: one, error: { message: outcome } }] : [],
    ),
    exchangeRateCryptoToFiat: { from: asset.code, to: fiat.code, rate: significant(price, 12).toString() },
  };
}

/** `amountToEquivalent` is what the coins are worth. The pair is named by codes, and amounts of coins by their ticker. */
function describe(id: string, deal: Deal, world: World): object {
  const { side, fiat, asset, pays, gets, value, fee, networkFee } = deal;
  const money = (sum: Deal['value']) => ({ amount: filled(sum, fiat), currencyCode: fiat.code });
  const coins = (sum: Deal['value']) => ({
    amount: filled(sum, { decimals: terms.placesOf(asset) }),
    currencyCode: asset.code,
  });
  const until = iso(world.now + QUOTE_MS).replace('.000Z', '+00:00');
  return {
    id,
    name: member(terms.methodsOf(side), id)?.title,
    amountFrom: side === 'buy' ? money(pays) : coins(pays),
    amountTo: side === 'buy' ? coins(gets) : money(gets),
    amountToEquivalent: money(side === 'buy' ? value : gets),
    fees: { networkFee: money(networkFee), serviceFee: money(fee), totalFee: money(fee.plus(networkFee)) },
    expiration: until,
    expiresAt: until,
  };
}

/** What a method comes to, or why it comes to nothing, in the words that integrators have seen. */
function priceOf(asked: Asked, id: string, world: World): Deal | string {
  const { side, fiat, asset } = asked;
  const method = member(terms.methodsOf(side), id);
  const price = world.market.price(asset, fiat.code);
  const networkFee = terms.networkFeeOf(asset, fiat, world);
  const perEuro = world.market.perEuro(fiat.code);
  if (!method?.fiats.has(fiat.code) || !price || !networkFee || !perEuro) {
    return 'Payment method is not available for this currency';
  }
  const deal = strike(
    { ...asked, method: id },
    {
      price: price.times(terms.withMargin(side, asset)),
      share: decimal(method.share),
      least: perEuro.times(method.least),
      networkFee,
      places: terms.placesOf(asset),
    },
  );
  const { min, max } = terms.boundsOf(method, perEuro);
  const total = side === 'buy' ? deal?.pays : deal?.gets;
  if (!deal || !total || total.lt(min))
    return `You have to buy or sell at least ${min} ${fiat.code} per order`;
  return total.gt(max) ? `You can buy or sell up to ${max} ${fiat.code} per order` : deal;
}
