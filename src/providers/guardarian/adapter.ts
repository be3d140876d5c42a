/** Guardarian: what it supports, and one estimate for both directions; orders stand beside. */
import { type Amount, ratio, ZERO } from '../../domain/money.ts';
import { type Decline, decline as declineWith, type Price } from '../../domain/offer.ts';
import type { ProviderId, Side } from '../../domain/words.ts';
import { readBounds } from '../bounds.ts';
import type {
  Adapter,
  Manifest,
  NativeAsk,
  Refused,
  TheirAsset,
  TheirFiat,
  TheirListing,
} from '../contract.ts';
import {
  amount,
  BadAnswer,
  type Context,
  exchange,
  type HttpAnswer,
  isSameWord,
  type Work,
} from '../exchange.ts';
import { inSeries } from '../series.ts';
import { checkout, headersOf, status, webhook } from './orders.ts';
import * as wire from './wire.ts';
import * as words from './words.ts';

const PHOTO_ID = ['passport', 'driverLicense', 'nationalIdentityCard'] as const;

const manifest: Manifest = {
  id: 'guardarian' as ProviderId,
  name: 'Guardarian',
  hosts: {
    api: {
      live: 'https://api-payments.guardarian.com',
      test: 'https://api-payments-staging.guardarian.com',
    },
    // Where the pages of their staging are was not found: expected beside its API, and no other is opened.
    pages: { live: 'https://payments.guardarian.com', test: 'https://payments-staging.guardarian.com' },
  },
  sides: ['buy', 'sell'],
  // `type=reverse` exists, but which figure its answer leaves for what is to be paid was not seen.
  pricesDestination: [],
  methods: words.METHODS,
  networks: words.NETWORKS,
  settings: [
    { name: 'apiKey', label: 'Partner API key', secret: true, required: true },
    // "Signing requests": demanded of newer partners; older ones have no key.
    {
      name: 'privateKey',
      label: 'Our RSA private key (signs transactions), if one was agreed on',
      secret: true,
      required: false,
    },
  ],
  // Thresholds are not published: promise no less than the full one.
  kyc: [{ asks: ['email', 'phone', 'identity', 'address', PHOTO_ID, 'selfie'] }],
  // Not found; what is usual for each kind of payment.
  duration: { wire: 259_200, banktransfer: 86_400, sepabanktransfer: 86_400, '*': 900 },
  checkout: {
    makes: 'order',
    // Nothing says that the page may be framed.
    opens: 'redirect',
    pages: { buy: 'pages', sell: 'pages' },
    permissions: [],
    // About one transaction a minute for each address, which is the person's.
    throttlesPeople: true,
  },
  statuses: words.STATUSES,
  // Making a transaction is throttled hard, by the person's address; nothing is published for the rest.
  limits: { perSecond: 5, burst: 20, connections: 8 },
};

export const guardarian: Adapter = { manifest, catalog, quote, decline, checkout, status, webhook };

/** Limits exist per pair only (`/market-info/min-max-range`), one call each: too many, so that an estimate has to refuse. */
function catalog(context: Context): Work<TheirListing[]> {
  const about = { method: 'GET', host: 'api', headers: headersOf(context) } as const;
  const requests = [
    { ...about, path: '/v1/currencies', query: { available: 'true' } },
    { ...about, path: '/v1/countries' },
  ];
  return inSeries(requests, ([listed, served]) => {
    const { fiat_currencies, crypto_currencies } = wire.read.currencies(listed);
    const fiats = wire.listOf(fiat_currencies, wire.read.fiat).filter(isOn);
    const coins = wire.listOf(crypto_currencies, wire.read.coin).filter(isOn);
    const countries = wire
      .listOf(wire.read.countries(served), wire.read.country)
      .filter(({ supported }) => supported)
      .map(country => country.code_iso_alpha_2);
    return (['buy', 'sell'] as const).map(side => ({
      side,
      countries,
      assets: coins.flatMap(coin => assetsOf(side, coin)),
      fiats: fiats.flatMap(fiat => fiatsOf(side, fiat)),
    }));
  });
}

function isOn({ enabled, is_available }: wire.Fiat | wire.Coin): boolean {
  return enabled !== false && is_available !== false;
}

/** Fiat comes in on a buy and goes out on a sell, coins the other way round. */
function isOpen(direction: 'in' | 'out', method: wire.Method): boolean {
  return (direction === 'in' ? method.deposit_enabled : method.withdrawal_enabled) === true;
}

function assetsOf(side: Side, { ticker, networks }: wire.Coin): TheirAsset[] {
  return networks.flatMap(({ network, token_contract, payment_methods }) =>
    network && payment_methods?.some(method => isOpen(side === 'buy' ? 'out' : 'in', method))
      ? [{ code: ticker, symbol: ticker, network, contract: token_contract || undefined }]
      : [],
  );
}

/** Several channels of a category are one. */
function fiatsOf(side: Side, { ticker, payment_methods }: wire.Fiat): TheirFiat[] {
  const open = (payment_methods ?? []).filter(method => isOpen(side === 'buy' ? 'in' : 'out', method));
  const categories = new Set(open.flatMap(({ payment_category }) => payment_category || []));
  categories.delete('CRYPTO');
  return categories.size ? [{ code: ticker, methods: [...categories].map(code => ({ code })) }] : [];
}

/** How a payout is named in the question for a sell is not certain, so it is left out there. */
function quote(ask: NativeAsk, context: Context): Work<Price | Decline> {
  const { fiat, asset, network, method } = ask.native;
  const isBuy = ask.side === 'buy';
  return exchange<Price | Decline>(
    {
      method: 'GET',
      host: 'api',
      path: '/v1/estimate',
      query: {
        from_currency: isBuy ? fiat : asset,
        to_currency: isBuy ? asset : fiat,
        [isBuy ? 'to_network' : 'from_network']: network,
        from_amount: ask.amount.toString(),
        type: 'direct',
        deposit_category: isBuy ? method : undefined,
        customer_country: ask.country,
        platform: 'web',
      },
      headers: headersOf(context),
    },
    ({ body }) => {
      const estimate = wire.read.estimate(body);
      checkPair(ask, estimate);
      return isBuy ? boughtAt(ask, estimate) : soldAt(ask, estimate);
    },
  );
}

function checkPair({ side, native }: NativeAsk, estimate: wire.Estimate): void {
  const [from, to] = side === 'buy' ? [native.fiat, native.asset] : [native.asset, native.fiat];
  const network = side === 'buy' ? estimate.to_network : estimate.from_network;
  const same =
    isSameWord(estimate.from_currency, from) &&
    isSameWord(estimate.to_currency, to) &&
    (!network || isSameWord(network, native.network));
  if (!same) throw new BadAnswer('an estimate for another pair or network');
}

/**
 * What is converted is what is paid less the service fees. The network's fee is in coins, and is turned into money at the
 * price before it. `value` is taken for all that is received: whether the network's fee still goes off it is not said.
 */
function boughtAt(
  { native }: NativeAsk,
  { value, service_fees, converted_amount, network_fee }: wire.Estimate,
): Price {
  const providerFee = service_fees.reduce((sum, fee) => sum.plus(sumIn(native.fiat, fee)), ZERO);
  const converted = sumIn(native.fiat, converted_amount);
  const gets = amount(value);
  const coins = network_fee ? sumIn(native.asset, network_fee) : ZERO;
  const price = priceFor(converted, gets.plus(coins));
  return { pays: converted.plus(providerFee), gets, networkFee: coins.times(price), providerFee };
}

/** Fees may be in either currency. Whoever sends the coins pays the network for it, unless it is charged in money. */
function soldAt(ask: NativeAsk, { value, service_fees, network_fee }: wire.Estimate): Price {
  const { native, amount: pays } = ask;
  const gets = amount(value);
  const inCoins = service_fees.filter(({ currency }) => isSameWord(currency, native.asset));
  const inMoney = service_fees.filter(fee => !inCoins.includes(fee));
  const money = inMoney.reduce((sum, fee) => sum.plus(sumIn(native.fiat, fee)), ZERO);
  const coins = inCoins.reduce((sum, fee) => sum.plus(amount(fee.amount)), ZERO);
  const price = priceFor(gets.plus(money), pays.minus(coins));
  const isMoney = network_fee && isSameWord(network_fee.currency, native.fiat);
  const networkFee = isMoney ? amount(network_fee.amount) : ZERO;
  return { pays, gets, networkFee, providerFee: money.plus(coins.times(price)) };
}

function sumIn(currency: string, money: wire.Money): Amount {
  if (!isSameWord(money.currency, currency)) throw new BadAnswer(`an amount that is not in ${currency}`);
  return amount(money.amount);
}

function priceFor(money: Amount, coins: Amount): Amount {
  if (!coins.gt(ZERO)) throw new BadAnswer('nothing is exchanged');
  return ratio(money, coins);
}

function decline({ body }: HttpAnswer, refused: Refused): Decline | undefined {
  const text = wire.errorText(body);
  if (!text || words.ABOUT_US.test(text)) return undefined;
  const reason = words.REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'refused';
  const bounds = reason === 'limit' ? readBounds(text, refused) : undefined;
  return bounds ?? declineWith(reason, text.replace(/[\w-]{32,}/g, '…').slice(0, 200));
}
