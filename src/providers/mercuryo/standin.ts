/** Mercuryo's Widget API 1.6 imitated for the sandbox: lists and rates on its own paths, at its own fees. */
import type { Asset, Fiat } from '../../domain/currency.ts';
import { type Amount, cut, raise, readDecimal, significant, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { isNative } from '../standin-kit.ts';
import type { Standin, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import * as terms from './standin-terms.ts';

const settings = {
  widgetId: '7d1c5b4e-2f60-4c1a-9d3e-5a0b6c7d8e9f',
  secretKey: 'standin-mercuryo-secret-key',
  signatureVersion: 'v1',
  signKey: 'standin-mercuryo-sign-key',
  partnerToken: 'standin-mercuryo-partner-token',
};

export const standin: Standin = {
  settings,
  routes: [
    get('/lib/currencies', (_request, world) => succeed(currencies(world))),
    get('/public/currencies-buy', (_request, world) => succeed(tickers('buy', world))),
    get('/public/currencies-sell', (_request, world) => succeed(tickers('sell', world))),
    get('/public/card-countries', (request, world) => cardCountries(request, world)),
    get('/widget/buy/rate', (request, world) => rate('buy', request, world)),
    get('/widget/sell/rate', (request, world) => rate('sell', request, world)),
  ],
};

function get(path: string, answer: StandinRoute['answer']): StandinRoute {
  return { method: 'GET', host: 'api', path: `/v1.6${path}`, answer };
}

function succeed(data: unknown): StandinAnswer {
  return { status: 200, body: { status: 200, data } };
}

/** Their codes open with the HTTP status; which ones the rate calls use is not published, nor are the words. */
function fail(status: number, message: string): StandinAnswer {
  return { status, body: { status, code: status * 1000, message } };
}

function cardCountries({ query }: StandinRequest, world: World): StandinAnswer {
  // Without `type` they answer in alpha-3, which this world does not know.
  if (query.type !== 'alpha2') return fail(400, 'Parameter type is invalid');
  const served = [...world.currencies.countries.keys()].filter(code => !terms.NOT_SERVED.has(code));
  return succeed(served.map(code => code.toLowerCase()));
}

function tickers(side: Side, world: World): string[] {
  const fiats = terms.fiatsOf(world).filter(fiat => side === 'buy' || terms.SELL_FIATS.has(fiat.code));
  const crypto = [...terms.mainAssets(world).keys()].filter(
    code => side === 'buy' || terms.SELL_CRYPTO.has(code),
  );
  return [...fiats.map(fiat => fiat.code), ...crypto];
}

function currencies(world: World) {
  const fiats = terms.fiatsOf(world);
  const assets = terms.assetsOf(world);
  const main = [...terms.mainAssets(world)];
  const words = [...new Set(assets.map(asset => terms.THEIR_NETWORKS.get(asset.network) ?? ''))];
  return {
    fiat: fiats.map(fiat => fiat.code),
    crypto: main.map(([code]) => code),
    config: {
      base: Object.fromEntries(main.map(([code, asset]) => [code, baseOf(asset, world)])),
      has_withdrawal_fee: Object.fromEntries(main.map(([code]) => [code, code !== 'TON'])),
      display_options: Object.fromEntries(
        [...fiats, ...main.map(([, asset]) => asset)].map(({ code, name, decimals }) => [
          code,
          { fullname: name, total_digits: decimals, display_digits: decimals > 8 ? 5 : decimals },
        ]),
      ),
      networks: Object.fromEntries(words.map(word => [word, { name: word, icons: {} }])),
      crypto_currencies: assets.map(listed),
      default_networks: Object.fromEntries(
        main.map(([code, asset]) => [code, terms.THEIR_NETWORKS.get(asset.network)]),
      ),
    },
    fiat_payment_methods: Object.fromEntries(fiats.map(fiat => [fiat.code, paymentMethods(fiat, world)])),
  };
}

/** The coin that pays for moving the asset. */
function baseOf(asset: Asset, world: World): string {
  const native = world.currencies.networks.get(asset.network)?.native;
  return (native && world.currencies.assets.get(native)?.code) ?? asset.code;
}

function listed(asset: Asset) {
  const network = terms.THEIR_NETWORKS.get(asset.network);
  const contract = isNative(asset) ? '' : asset.address;
  return {
    currency: asset.code,
    network,
    show_network_icon: contract !== '',
    network_label: (contract && terms.LABELS[asset.network]) || network,
    contract,
  };
}

function paymentMethods(fiat: Fiat, world: World) {
  const { min, max } = terms.fiatLimits(fiat, world);
  return {
    payment_methods: (terms.FIATS[fiat.code] ?? []).flatMap(code =>
      (terms.METHOD_NAMES[code] ?? [code]).map(name => ({ code, name })),
    ),
    limits: { min: min.toString(), max: max.toString() },
  };
}

interface Order {
  side: Side;
  fiat: Fiat;
  asset: Asset;
  amount: Amount;
  /** Fiat for one unit, their spread included. */
  rate: Amount;
}

function rate(side: Side, { query }: StandinRequest, world: World): StandinAnswer {
  if (query.widget_id !== settings.widgetId) return fail(401, 'Widget is not found');
  const [fiatCode, ticker] = side === 'buy' ? [query.from, query.to] : [query.to, query.from];
  const fiat = terms.findFiat(fiatCode, side, world);
  if (!fiat) return fail(400, `Currency ${word(fiatCode)} is not supported`);
  const asset = terms.findAsset({ ticker, network: query.network, side }, world);
  if (!asset) return fail(400, `Currency ${word(ticker)} is not supported in network ${word(query.network)}`);
  const price = world.market.price(asset, fiat.code);
  if (!price) return fail(400, `Currency ${asset.code} is not supported with ${fiat.code}`);
  const amount = readDecimal(query.amount);
  if (!amount?.gt(ZERO)) return fail(400, 'Parameter amount is invalid');
  return answerOrder({ side, fiat, asset, amount, rate: terms.spread(side, price) }, world);
}

/** What was asked for, short enough to be said again. */
function word(text: string | undefined): string {
  return (text ?? '').slice(0, 20);
}

function answerOrder(order: Order, world: World): StandinAnswer {
  const { side, fiat, asset, amount } = order;
  const { min, max } = limitsOf(order, world);
  if (amount.lt(min) || amount.gt(max)) {
    const code = side === 'buy' ? fiat.code : asset.code;
    return fail(400, `Amount should be between ${min} and ${max} ${code}`);
  }
  const figures = side === 'buy' ? buyFigures(order, world) : sellFigures(order, world);
  if (!figures) return fail(400, 'Amount is too small to cover the fee');
  return succeed({ [`${side}_token`]: world.id(), ...figures });
}

/** In what is handed over. */
function limitsOf({ side, fiat, asset, rate }: Order, world: World): terms.Bounds {
  const { min, max } = terms.fiatLimits(fiat, world);
  if (side === 'buy') return { min, max };
  return {
    min: raise(significant(min.div(rate), 3), asset.decimals),
    max: cut(significant(max.div(rate), 3), asset.decimals),
  };
}

/** Always: total = subtotal + fee in both currencies, and what is received is subtotal over rate. */
function buyFigures(order: Order, world: World) {
  const { fiat, asset, amount, rate } = order;
  const total = cut(amount, fiat.decimals);
  const network = world.market.networkFee(asset, fiat.code) ?? ZERO;
  const fee = raise(terms.feeOn(total, fiat, world).plus(network), fiat.decimals);
  const subtotal = total.minus(fee);
  const gets = cut(subtotal.div(rate), asset.decimals);
  if (!gets.gt(ZERO)) return undefined;
  const feeInCrypto = raise(fee.div(rate), asset.decimals);
  return {
    currency: asset.code,
    amount: written(gets, asset),
    fiat_amount: written(total, fiat),
    fiat_currency: fiat.code,
    rate: written(rate, TWO_PLACES),
    fee: { [asset.code]: written(feeInCrypto, asset), [fiat.code]: written(fee, fiat) },
    subtotal: { [asset.code]: written(gets, asset), [fiat.code]: written(subtotal, fiat) },
    total: { [asset.code]: written(gets.plus(feeInCrypto), asset), [fiat.code]: written(total, fiat) },
    kyc_limit_exceeded: total.gt(terms.inFiat(terms.UNVERIFIED_EUROS, fiat, world)),
  };
}

/** `fiat_amount` is what the crypto is worth; `subtotal`, after the fee, is what is paid out. */
function sellFigures(order: Order, world: World) {
  const { fiat, asset, rate } = order;
  const amount = cut(order.amount, asset.decimals);
  const total = cut(amount.times(rate), fiat.decimals);
  const fee = raise(terms.feeOn(total, fiat, world), fiat.decimals);
  const subtotal = total.minus(fee);
  if (!subtotal.gt(ZERO)) return undefined;
  const feeInCrypto = raise(fee.div(rate), asset.decimals);
  return {
    currency: asset.code,
    amount: written(amount, asset),
    fiat_amount: written(total, fiat),
    fiat_currency: fiat.code,
    rate: written(rate, TWO_PLACES),
    fee: { [asset.code]: written(feeInCrypto, asset), [fiat.code]: written(fee, fiat) },
    subtotal: {
      [asset.code]: written(amount.minus(feeInCrypto), asset),
      [fiat.code]: written(subtotal, fiat),
    },
    total: { [asset.code]: written(amount, asset), [fiat.code]: written(total, fiat) },
  };
}

const TWO_PLACES = { decimals: 2 };
const MOST_ZEROS = 8;

/** All figures are strings, filled with zeros to the places of the currency (eight at most). */
function written(value: Amount, { decimals }: { decimals: number }): string {
  const [whole, places = ''] = value.toString().split('.');
  const filled = places.padEnd(Math.min(decimals, MOST_ZEROS), '0');
  return filled ? `${whole}.${filled}` : `${whole}`;
}
