/** Mercuryo's Widget API 1.6 imitated for the sandbox: lists and rates on its own paths, at its own fees. */
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
import type { NetworkId, Side } from '../../domain/words.ts';
import type { Standin, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import { networks } from './wire.ts';

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

const ONLY_CARDS = ['card'];
const WALLETS = ['card', 'google', 'apple'];
const REVOLUT = [...WALLETS, 'revolut_pay'];

/** Methods by fiat, as `fiat_payment_methods` has them. */
const FIATS: Readonly<Record<string, readonly string[]>> = {
  AED: WALLETS,
  AUD: REVOLUT,
  BGN: REVOLUT,
  BRL: [...WALLETS, 'unlimint_pix_brl'],
  CAD: [...REVOLUT, 'interac_gk'],
  CHF: REVOLUT,
  COP: WALLETS,
  CZK: REVOLUT,
  DKK: REVOLUT,
  EUR: [...REVOLUT, 'volt_banktransfer_eur'],
  GBP: REVOLUT,
  HKD: REVOLUT,
  HUF: REVOLUT,
  IDR: [
    'card',
    'EightBWorld_mandiri',
    'EightBWorld_bni',
    'EightBWorld_bri',
    'EightBWorld_permata',
    'EightBWorld_qris',
    'EightBWorld_dana',
    'EightBWorld_ovo',
  ],
  ILS: WALLETS,
  INR: ONLY_CARDS,
  JPY: ['card', 'revolut_pay'],
  KRW: ['card', 'revolut_pay'],
  KZT: WALLETS,
  MXN: REVOLUT,
  NOK: REVOLUT,
  NZD: REVOLUT,
  PEN: WALLETS,
  PHP: ['card', 'revolut_pay', 'EightBWorld_instapay'],
  PLN: [...REVOLUT, 'blik_direct'],
  RON: REVOLUT,
  SEK: REVOLUT,
  SGD: REVOLUT,
  THB: ['card', 'revolut_pay'],
  TRY: ['card', 'revolut_pay'],
  TWD: WALLETS,
  USD: REVOLUT,
  VND: ONLY_CARDS,
  ZAR: ['card', 'revolut_pay'],
};

const METHOD_NAMES: Readonly<Record<string, readonly string[]>> = {
  card: ['Visa', 'Mastercard'],
  google: ['Google Pay'],
  apple: ['Apple Pay'],
  revolut_pay: ['Revolut Pay'],
  volt_banktransfer_eur: ['Bank transfer'],
  unlimint_pix_brl: ['PIX'],
  interac_gk: ['Interac'],
  blik_direct: ['BLIK'],
  EightBWorld_mandiri: ['Mandiri'],
  EightBWorld_bni: ['BNI'],
  EightBWorld_bri: ['BRI'],
  EightBWorld_permata: ['Permata'],
  EightBWorld_qris: ['QRIS'],
  EightBWorld_dana: ['DANA'],
  EightBWorld_ovo: ['OVO'],
  EightBWorld_instapay: ['Instapay QRPh'],
};

/** What they sell, on every network of theirs where we know it. */
const BUY_CRYPTO = new Set(
  (
    'BTC ETH USDT USDC SOL BNB LTC BCH ADA ALGO ARB AVAX BAT CRV DAI DOT DOGE DYDX FTM INJ KSM LINK TON TRX MANA POL ' +
    'MATIC NEAR NOT 1INCH OKB SAND SHIB SWEAT TIA UNI WEMIX XLM XTZ ATOM XRP PEPE TWT JUP DOGS HMSTR TRUMP USDE SUI ' +
    'KAS S MON OP AAVE LDO GRT BONK WIF WBTC EURC'
  ).split(' '),
);

/** What they buy back, and the fiats they pay out to cards. */
const SELL_CRYPTO = new Set(
  'BTC ETH USDT USDC SOL BNB LTC BCH ADA ALGO AVAX DAI DOGE DOT TON TRX POL MATIC NEAR XLM XRP ATOM'.split(
    ' ',
  ),
);
const SELL_FIATS = new Set('EUR USD GBP PLN CZK SEK NOK DKK CHF RON HUF BGN AUD TRY MXN KZT'.split(' '));

/** Sanctioned, not licensed (the United States and their territories), or known to be left out. */
const NOT_SERVED = new Set(
  'US PR GU VI AS MP UM CU IR KP SY RU BY AF MM SD SS YE LY SO CF CD ML VE IQ ZW HT NI LB BI ER GW'.split(
    ' ',
  ),
);

const THEIR_NETWORKS = new Map<NetworkId, string>(Object.entries(networks).map(([word, id]) => [id, word]));

function cardCountries({ query }: StandinRequest, world: World): StandinAnswer {
  // Without `type` they answer in alpha-3, which this world does not know.
  if (query.type !== 'alpha2') return fail(400, 'Parameter type is invalid');
  const served = [...world.currencies.countries.keys()].filter(code => !NOT_SERVED.has(code));
  return succeed(served.map(code => code.toLowerCase()));
}

function tickers(side: Side, world: World): string[] {
  const fiats = fiatsOf(world).filter(fiat => side === 'buy' || SELL_FIATS.has(fiat.code));
  const crypto = [...mainAssets(world).keys()].filter(code => side === 'buy' || SELL_CRYPTO.has(code));
  return [...fiats.map(fiat => fiat.code), ...crypto];
}

function currencies(world: World) {
  const fiats = fiatsOf(world);
  const assets = assetsOf(world);
  const main = [...mainAssets(world)];
  const words = [...new Set(assets.map(asset => THEIR_NETWORKS.get(asset.network) ?? ''))];
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
        main.map(([code, asset]) => [code, THEIR_NETWORKS.get(asset.network)]),
      ),
    },
    fiat_payment_methods: Object.fromEntries(fiats.map(fiat => [fiat.code, paymentMethods(fiat, world)])),
  };
}

function fiatsOf(world: World): Fiat[] {
  return Object.keys(FIATS).flatMap(code => {
    const fiat = world.currencies.findFiat(code);
    return fiat && world.market.perEuro(fiat.code) ? [fiat] : [];
  });
}

/** Only what can be priced: a list that promises more would be a lie. */
function assetsOf(world: World): Asset[] {
  return [...world.currencies.assets.values()].filter(
    asset =>
      BUY_CRYPTO.has(asset.code) && THEIR_NETWORKS.has(asset.network) && world.market.price(asset, 'EUR'),
  );
}

function mainAssets(world: World): Map<string, Asset> {
  const main = new Map<string, Asset>();
  for (const asset of assetsOf(world)) if (asset.main || !main.has(asset.code)) main.set(asset.code, asset);
  return main;
}

/** The coin that pays for moving the asset. */
function baseOf(asset: Asset, world: World): string {
  const native = world.currencies.networks.get(asset.network)?.native;
  return (native && world.currencies.assets.get(native)?.code) ?? asset.code;
}

function listed(asset: Asset) {
  const network = THEIR_NETWORKS.get(asset.network);
  const contract = isNative(asset) ? '' : asset.address;
  return {
    currency: asset.code,
    network,
    show_network_icon: contract !== '',
    network_label: (contract && LABELS[asset.network]) || network,
    contract,
  };
}

const LABELS: Readonly<Record<string, string>> = {
  ethereum: 'ERC-20',
  tron: 'TRC-20',
  bsc: 'BEP-20',
  ton: 'TON',
};

function isNative(asset: Asset): boolean {
  return /^0x0+$/.test(asset.address);
}

function paymentMethods(fiat: Fiat, world: World) {
  const { min, max } = fiatLimits(fiat, world);
  return {
    payment_methods: (FIATS[fiat.code] ?? []).flatMap(code =>
      (METHOD_NAMES[code] ?? [code]).map(name => ({ code, name })),
    ),
    limits: { min: min.toString(), max: max.toString() },
  };
}

const LEAST_EUROS = decimal('25');
const MOST_EUROS = decimal('5000');
const UNVERIFIED_EUROS = decimal('699');
const LEAST_FEE_EUROS = decimal('2.5');

interface Bounds {
  min: Amount;
  max: Amount;
}

function fiatLimits(fiat: Fiat, world: World): Bounds {
  return {
    min: raise(significant(inFiat(LEAST_EUROS, fiat, world), 2), 0),
    max: cut(significant(inFiat(MOST_EUROS, fiat, world), 3), 0),
  };
}

function inFiat(euros: Amount, fiat: Fiat, world: World): Amount {
  return euros.times(world.market.perEuro(fiat.code) ?? ZERO);
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
  const fiat = findFiat(fiatCode, side, world);
  if (!fiat) return fail(400, `Currency ${word(fiatCode)} is not supported`);
  const asset = findAsset({ ticker, network: query.network, side }, world);
  if (!asset) return fail(400, `Currency ${word(ticker)} is not supported in network ${word(query.network)}`);
  const price = world.market.price(asset, fiat.code);
  if (!price) return fail(400, `Currency ${asset.code} is not supported with ${fiat.code}`);
  const amount = readDecimal(query.amount);
  if (!amount?.gt(ZERO)) return fail(400, 'Parameter amount is invalid');
  return answerOrder({ side, fiat, asset, amount, rate: spread(side, price) }, world);
}

function findFiat(code: string | undefined, side: Side, world: World): Fiat | undefined {
  if (!code || !FIATS[code] || (side === 'sell' && !SELL_FIATS.has(code))) return undefined;
  return world.market.perEuro(code) && world.currencies.findFiat(code);
}

interface Wanted {
  ticker: string | undefined;
  network: string | undefined;
  side: Side;
}

/** Without a network they take the ticker's default one. */
function findAsset({ ticker, network, side }: Wanted, world: World): Asset | undefined {
  if (!ticker || !(side === 'buy' ? BUY_CRYPTO : SELL_CRYPTO).has(ticker)) return undefined;
  if (!network) return mainAssets(world).get(ticker);
  const id = networks[network];
  const found = id && world.currencies.findAsset(ticker, id);
  return found && 'asset' in found && found.asset.code === ticker ? found.asset : undefined;
}

/** What was asked for, short enough to be said again. */
function word(text: string | undefined): string {
  return (text ?? '').slice(0, 20);
}

const SPREAD = decimal('0.002');
const RATE_DIGITS = 10;

/** Two places as in the documents, more for what is worth little. */
function spread(side: Side, price: Amount): Amount {
  const worse = price.times(side === 'buy' ? decimal('1').plus(SPREAD) : decimal('1').minus(SPREAD));
  return worse.gte(decimal('1000')) ? cut(worse, 2) : significant(worse, RATE_DIGITS);
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
function limitsOf({ side, fiat, asset, rate }: Order, world: World): Bounds {
  const { min, max } = fiatLimits(fiat, world);
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
  const fee = raise(feeOn(total, fiat, world).plus(network), fiat.decimals);
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
    kyc_limit_exceeded: total.gt(inFiat(UNVERIFIED_EUROS, fiat, world)),
  };
}

/** `fiat_amount` is what the crypto is worth; `subtotal`, after the fee, is what is paid out. */
function sellFigures(order: Order, world: World) {
  const { fiat, asset, rate } = order;
  const amount = cut(order.amount, asset.decimals);
  const total = cut(amount.times(rate), fiat.decimals);
  const fee = raise(feeOn(total, fiat, world), fiat.decimals);
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

const FEE = decimal('0.0395');
/** Where most people pay by a cheap local method; they price per pair, not per method. */
const LOWER_FEE = decimal('0.0295');
const LOWER_FEE_FIATS = new Set(['BRL', 'PLN']);

function feeOn(total: Amount, fiat: Fiat, world: World): Amount {
  const share = total.times(LOWER_FEE_FIATS.has(fiat.code) ? LOWER_FEE : FEE);
  return largest(share, inFiat(LEAST_FEE_EUROS, fiat, world)) ?? share;
}

const TWO_PLACES = { decimals: 2 };
const MOST_ZEROS = 8;

/** All figures are strings, filled with zeros to the places of the currency (eight at most). */
function written(value: Amount, { decimals }: { decimals: number }): string {
  const [whole, places = ''] = value.toString().split('.');
  const filled = places.padEnd(Math.min(decimals, MOST_ZEROS), '0');
  return filled ? `${whole}.${filled}` : `${whole}`;
}
