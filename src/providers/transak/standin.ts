/** Transak imitated for the sandbox: its lists and its quotes, on its own paths and with its own identities. */
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
import { isNative, roundly } from '../standin-kit.ts';
import type { Standin, StandinAnswer, StandinRequest, StandinRoute, World } from '../world.ts';
import * as terms from './standin-terms.ts';

const API_KEY = '00000000-0000-4000-8000-7472616e7361';

export const standin: Standin = {
  settings: { apiKey: API_KEY, apiSecret: 'transak-sandbox-secret', referrerDomain: 'sandbox.example' },
  routes: [
    get('/cryptocoverage/api/v1/public/crypto-currencies', (_request, world) => found(listCoins(world))),
    get('/fiat/public/v1/currencies/fiat-currencies', ({ query }, world) =>
      query.apiKey === API_KEY ? found(listFiats(world)) : refused(401, 'Invalid API key'),
    ),
    get('/api/v2/countries', (_request, world) => found(listCountries(world))),
    get('/api/v1/pricing/public/quotes', answerQuote),
  ],
};

const ONE = decimal(1);
const PRICE_DIGITS = 20;

function get(path: string, answer: StandinRoute['answer']): StandinRoute {
  return { method: 'GET', host: 'api', path, answer };
}

function found(response: unknown): StandinAnswer {
  return { status: 200, body: { response } };
}

/** Their error body; the wording is ours, as theirs is not documented. */
function refused(status: number, message: string): StandinAnswer {
  return { status, body: { error: { statusCode: status, message } } };
}

function listCoins(world: World): unknown[] {
  return [...terms.coinsOf(world.currencies).values()]
    .filter(asset => world.market.price(asset, 'EUR'))
    .map(asset => {
      const network = terms.networkName(asset);
      return {
        coinId: terms.coinId(asset),
        uniqueId: `${asset.code}${network}`,
        symbol: asset.code,
        name: asset.name,
        network: { name: network, fiatCurrenciesNotSupported: [] },
        address: isNative(asset) ? null : asset.address,
        decimals: asset.decimals,
        roundOff: terms.placesOf(asset),
        isAllowed: true,
        isSuspended: terms.SUSPENDED.has(asset.code),
        isPayInAllowed: terms.SOLD_TOO.has(asset.code),
        kycCountriesNotSupported: terms.BLOCKED[asset.code] ?? [],
      };
    });
}

function listFiats(world: World): unknown[] {
  return Object.keys(terms.FIATS).flatMap(code => {
    const fiat = world.currencies.findFiat(code);
    const perEuro = world.market.perEuro(code);
    if (!fiat || !perEuro) return [];
    const countries = terms.countriesOf(code, world.currencies);
    return [
      {
        symbol: code,
        name: fiat.name,
        supportingCountries: countries,
        logoSymbol: code.slice(0, 2),
        isPopular: ['EUR', 'GBP', 'USD'].includes(code),
        isAllowed: true,
        roundOff: fiat.decimals,
        isPayOutAllowed: terms.PAID_OUT.has(code),
        paymentOptions: (terms.FIATS[code] ?? []).flatMap(id => listOption({ id, code, perEuro, countries })),
      },
    ];
  });
}

interface OptionOf {
  id: string;
  code: string;
  perEuro: Amount;
  countries: readonly string[];
}

function listOption({ id, code, perEuro, countries }: OptionOf): unknown[] {
  const option = terms.OPTIONS[id];
  if (!option) return [];
  const buy = terms.bounds('buy', option, perEuro);
  const sell = terms.bounds('sell', option, perEuro);
  const isPayOutAllowed = terms.PAID_OUT.has(code) && option.out === true;
  const card = id === 'credit_debit_card' && isPayOutAllowed;
  return [
    {
      name: option.name,
      id,
      isActive: true,
      processingTime: option.time,
      limitCurrency: code,
      minAmount: buy.min,
      maxAmount: buy.max,
      defaultAmount: roundly(perEuro.times('300')),
      isPayOutAllowed,
      minAmountForPayOut: sell.min,
      maxAmountForPayOut: sell.max,
      defaultAmountForPayOut: roundly(perEuro.times('500')),
      supportedCountryCode: option.countries,
      visaPayoutCountries: card ? countries : undefined,
      mastercardPayoutCountries: card ? countries : undefined,
    },
  ];
}

function listCountries({ currencies }: World): unknown[] {
  return [...currencies.countries.values()].map(country => ({
    alpha2: country.code,
    name: country.name,
    isAllowed: terms.isServed(country),
    isLightKycAllowed: false,
    supportedDocuments: ['passport', 'driving_licence', 'national_identity_card'],
    currencyCode: terms.currencyOf(country),
    partners: [{ name: 'Transak', isCardPayment: true, currencyCode: terms.currencyOf(country) }],
  }));
}

/** What a quote is asked about, once it is known that they do it. */
interface Deal {
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

function answerQuote({ query }: StandinRequest, world: World): StandinAnswer {
  if (query.partnerApiKey !== API_KEY) return refused(401, 'Invalid API key');
  const deal = dealOf(query, world);
  if (typeof deal === 'string') return refused(400, deal);
  const figures = figure(deal, query);
  if (!figures) {
    return refused(400, `${deal.side === 'buy' ? 'fiatAmount or cryptoAmount' : 'cryptoAmount'} is required`);
  }
  const flaw = flawOf(deal, figures);
  return flaw ? refused(400, flaw) : found(quoteBody(deal, figures, world));
}

/** Finds everything the query names, or says what cannot be done. */
function dealOf(query: StandinRequest['query'], world: World): Deal | string {
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
function figure(deal: Deal, query: StandinRequest['query']): Figures | undefined {
  const fiatAmount = readDecimal(query.fiatAmount);
  const cryptoAmount = readDecimal(query.cryptoAmount);
  if (deal.side === 'sell') return cryptoAmount?.gt(ZERO) ? sell(deal, cryptoAmount) : undefined;
  if (fiatAmount?.gt(ZERO)) return buyFor(deal, fiatAmount);
  return cryptoAmount?.gt(ZERO) ? buyExactly(deal, cryptoAmount) : undefined;
}

/** `cryptoAmount = (fiatAmount - totalFee) × conversionPrice` */
function buyFor(deal: Deal, fiatAmount: Amount): Figures {
  const conversionPrice = significant(ONE.div(deal.price), PRICE_DIGITS);
  const transakFee = feeOn(deal, fiatAmount);
  const value = fiatAmount.minus(transakFee).minus(deal.networkFee);
  const cryptoAmount = cut(value.times(conversionPrice), terms.placesOf(deal.asset));
  return { conversionPrice, fiatAmount, cryptoAmount, transakFee };
}

/** The other way round: everything in fiat is rounded up, and the price stated is the one that makes it exact. */
function buyExactly(deal: Deal, cryptoAmount: Amount): Figures {
  const { option, fiat, perEuro, networkFee } = deal;
  const value = raise(cryptoAmount.times(deal.price), fiat.decimals);
  const beforeFee = value.plus(networkFee);
  const share = beforeFee.times(option.share).div(ONE.minus(option.share));
  const transakFee = raise(largest(share, perEuro.times(option.least)) ?? share, fiat.decimals);
  const conversionPrice = significant(cryptoAmount.div(value), PRICE_DIGITS);
  return { conversionPrice, fiatAmount: beforeFee.plus(transakFee), cryptoAmount, transakFee };
}

/** `fiatAmount = cryptoAmount / conversionPrice - totalFee` */
function sell(deal: Deal, cryptoAmount: Amount): Figures {
  const conversionPrice = significant(ONE.div(deal.price), PRICE_DIGITS);
  const value = cryptoAmount.div(conversionPrice);
  const transakFee = feeOn(deal, value);
  const fiatAmount = cut(value.minus(transakFee).minus(deal.networkFee), deal.fiat.decimals);
  return { conversionPrice, fiatAmount, cryptoAmount, transakFee };
}

function feeOn({ option, fiat, perEuro }: Deal, amount: Amount): Amount {
  const share = amount.times(option.share);
  return raise(largest(share, perEuro.times(option.least)) ?? share, fiat.decimals);
}

/** Bounds are on the fiat: what is paid on a buy, what is paid out on a sell. */
function flawOf(deal: Deal, { fiatAmount, cryptoAmount }: Figures): string | undefined {
  const { side, fiat, method, option } = deal;
  const { min, max } = terms.bounds(side, option, deal.perEuro);
  const what = side === 'buy' ? 'buy amount' : 'sell payout';
  if (fiatAmount.lt(min)) return `Minimum ${what} with ${method} is ${min} ${fiat.code}`;
  if (fiatAmount.gt(max)) return `Maximum ${what} with ${method} is ${max} ${fiat.code}`;
  return cryptoAmount.gt(ZERO) ? undefined : 'Amount is less than the fees';
}

function quoteBody(deal: Deal, figures: Figures, world: World): unknown {
  const { side, asset, fiat, method, networkFee } = deal;
  const { conversionPrice, fiatAmount, cryptoAmount, transakFee } = figures;
  const totalFee = transakFee.plus(networkFee);
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
