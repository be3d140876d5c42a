/** Transak imitated for the sandbox: its lists and its quotes, on its own paths and with its own identities. */
import {
  type Asset,
  type Country,
  type Currencies,
  type Fiat,
  NATIVE_ADDRESS,
} from '../../domain/currency.ts';
import { type Amount, cut, decimal, largest, raise, readDecimal, significant } from '../../domain/money.ts';
import type { Standin, StandinAnswer, StandinRequest, World } from '../world.ts';

const API_KEY = '00000000-0000-4000-8000-7472616e7361';

export const standin: Standin = {
  settings: { apiKey: API_KEY, apiSecret: 'transak-sandbox-secret', referrerDomain: 'sandbox.example' },
  routes: [
    {
      method: 'GET',
      host: 'api',
      path: '/cryptocoverage/api/v1/public/crypto-currencies',
      answer: (_request, world) => found(listCoins(world)),
    },
    {
      method: 'GET',
      host: 'api',
      path: '/fiat/public/v1/currencies/fiat-currencies',
      answer: ({ query }, world) =>
        query.apiKey === API_KEY ? found(listFiats(world)) : refused(401, 'Invalid API key'),
    },
    {
      method: 'GET',
      host: 'api',
      path: '/api/v2/countries',
      answer: (_request, world) => found(listCountries(world)),
    },
    { method: 'GET', host: 'api', path: '/api/v1/pricing/public/quotes', answer: answerQuote },
  ],
};

/** What the provider charges for a payment option, and its bounds; amounts are in euros. */
interface Terms {
  name: string;
  time: string;
  share: string;
  least: string;
  min: string;
  max: string;
  /** Can be paid out to. */
  out?: boolean;
  countries?: readonly string[];
}

const CARD = { time: '1-3 minutes', share: '0.035', least: '1', min: '5', max: '3000' };
const BANK = { time: '1-3 business days', share: '0.0099', least: '0', min: '20', max: '25000' };
const WALLET = { time: '1-5 minutes', share: '0.0075', least: '0', min: '8', max: '2000' };

const OPTIONS: Readonly<Record<string, Terms>> = {
  credit_debit_card: { ...CARD, name: 'Card Payment', out: true },
  apple_pay: { ...CARD, name: 'Apple Pay' },
  google_pay: { ...CARD, name: 'Google Pay', min: '30', max: '1500' },
  sepa_bank_transfer: { ...BANK, name: 'SEPA Bank Transfer', out: true },
  gbp_bank_transfer: { ...BANK, name: 'Faster Payments', time: '3-15 minutes', out: true },
  pm_open_banking: { ...BANK, name: 'Open Banking', time: '1-10 minutes', min: '10' },
  pm_wire: { ...BANK, name: 'Wire Transfer', min: '30', countries: ['US'] },
  pm_cash_app: { ...WALLET, name: 'Cash App', share: '0.0199', countries: ['US'] },
  inr_upi: { ...WALLET, name: 'UPI', share: '0.005', min: '5' },
  inr_bank_transfer: { ...BANK, name: 'IMPS Transfer', share: '0.005', min: '5', out: true },
  neft_bank_transfer: { ...BANK, name: 'NEFT Transfer', share: '0.005', min: '5' },
  mobikwik_wallet: { ...WALLET, name: 'MobiKwik' },
  pm_pix: { ...WALLET, name: 'Pix', share: '0.005', min: '5', max: '10000', out: true },
  pm_astropay: { ...WALLET, name: 'AstroPay', share: '0.015' },
  pm_gcash: { ...WALLET, name: 'GCash' },
  pm_grabpay: { ...WALLET, name: 'GrabPay' },
  pm_paymaya: { ...WALLET, name: 'Maya' },
  pm_shopeepay: { ...WALLET, name: 'ShopeePay' },
  pm_bpi: { ...WALLET, name: 'BPI Online', max: '5000' },
  pm_ubp: { ...WALLET, name: 'UnionBank Online', max: '5000' },
};

const CARDS = ['credit_debit_card', 'apple_pay', 'google_pay'];

/** The payment options of each fiat. */
const FIATS: Readonly<Record<string, readonly string[]>> = {
  EUR: [...CARDS, 'sepa_bank_transfer', 'pm_open_banking'],
  GBP: [...CARDS, 'gbp_bank_transfer', 'pm_open_banking'],
  USD: [...CARDS, 'pm_wire', 'pm_cash_app'],
  INR: ['credit_debit_card', 'inr_upi', 'inr_bank_transfer', 'neft_bank_transfer', 'mobikwik_wallet'],
  BRL: [...CARDS, 'pm_pix', 'pm_astropay'],
  PHP: [...CARDS, 'pm_gcash', 'pm_grabpay', 'pm_paymaya', 'pm_shopeepay', 'pm_bpi', 'pm_ubp'],
  MXN: [...CARDS, 'pm_astropay'],
  PEN: [...CARDS, 'pm_astropay'],
  CLP: [...CARDS, 'pm_astropay'],
  COP: [...CARDS, 'pm_astropay'],
  MYR: [...CARDS, 'pm_grabpay'],
  SGD: [...CARDS, 'pm_grabpay'],
  ...Object.fromEntries(
    // biome-ignore format: a list of codes
    ['AED', 'AUD', 'CAD', 'CHF', 'CZK', 'DKK', 'HKD', 'HUF', 'IDR', 'ILS', 'JPY', 'KES', 'KRW', 'NOK', 'NZD', 'PLN',
      'RON', 'SEK', 'THB', 'TRY', 'TWD', 'VND', 'ZAR'].map(code => [code, CARDS]),
  ),
};

/** Fiats that are paid out on a sell. */
const PAID_OUT = new Set([
  'EUR',
  'GBP',
  'USD',
  'INR',
  'BRL',
  'AUD',
  'CAD',
  'CHF',
  'PLN',
  'SEK',
  'NOK',
  'DKK',
]);

/** Countries that use another currency but are served in euros as well. */
const EUROPE = new Set(['BG', 'CH', 'CZ', 'DK', 'GB', 'HU', 'IS', 'LI', 'NO', 'PL', 'RO', 'SE']);

const NOT_SERVED = new Set(
  'AF BY CD CF CN CU DZ EH ER ET HT IQ IR KP LB LY ML MM NI PS RU SD SO SS SY TD VE YE ZW'.split(' '),
);

/** Our networks by their name for them; a `mainnet` has its own coin only. */
const NETWORKS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    `ethereum polygon arbitrum optimism base bsc tron solana ton osmosis fantom injective sei linea zksync celo mantle
    opbnb unichain stellar algorand berachain hyperevm monad plasma aptos sui`
      .split(/\s+/)
      .map(name => [name, name]),
  ),
  avaxc: 'avaxcchain',
  ...Object.fromEntries(
    'bitcoin litecoin ripple dogecoin cosmos near polkadot cardano bitcoincash'
      .split(' ')
      .map(id => [id, 'mainnet']),
  ),
};

/** Tokens listed; a network's own coin always is. */
const TOKENS = new Set(
  `USDC USDT DAI EURC PYUSD FDUSD TUSD USDE USDS WBTC CBBTC WETH STETH WSTETH LINK UNI AAVE SHIB PEPE MATIC POL MKR LDO
  CRV GRT ARB OP IMX APE SAND MANA AXS ENJ CHZ BAT COMP SNX YFI SUSHI 1INCH ENS FET RENDER FLOKI ENA ONDO STRK LRC DYDX
  GALA BONK WIF JUP PYTH TRUMP PENGU CAKE TWT GMX AERO BRETT DEGEN CUSD CEUR PAXG BTCB`.split(/\s+/),
);
const SOLD_TOO = new Set('BTC ETH SOL BNB POL AVAX LTC XRP DOGE TRX ADA USDC USDT DAI LINK EURC'.split(' '));
const SUSPENDED = new Set(['FTM', 'TUSD']);
const BLOCKED: Readonly<Record<string, readonly string[]>> = {
  SHIB: ['CA'],
  PEPE: ['CA', 'GB'],
  TRUMP: ['GB', 'US'],
  XRP: ['KR'],
  PAXG: ['SG'],
  DYDX: ['CA', 'US'],
};

const SPREAD = decimal('0.012');
const NETWORK_SHARE = decimal('0.6');
/** Digits of a price, and places of an amount of crypto. */
const PRICE_DIGITS = 20;
const CRYPTO_PLACES = 8;

function found(response: unknown): StandinAnswer {
  return { status: 200, body: { response } };
}

/** Their error body; the wording is ours, as theirs is not documented. */
function refused(status: number, message: string): StandinAnswer {
  return { status, body: { error: { statusCode: status, message } } };
}

function listCoins(world: World): unknown[] {
  return [...coinsOf(world.currencies).values()]
    .filter(asset => world.market.price(asset, 'EUR'))
    .map(asset => {
      const network = networkName(asset);
      return {
        coinId: coinId(asset),
        uniqueId: `${asset.code}${network}`,
        symbol: asset.code,
        name: asset.name,
        network: { name: network, fiatCurrenciesNotSupported: [] },
        address: isNative(asset) ? null : asset.address,
        decimals: asset.decimals,
        roundOff: placesOf(asset),
        isAllowed: true,
        isSuspended: SUSPENDED.has(asset.code),
        isPayInAllowed: SOLD_TOO.has(asset.code),
        kycCountriesNotSupported: BLOCKED[asset.code] ?? [],
      };
    });
}

/** What is listed, by the words it is asked for. Worked out once for a catalog, since every quote needs it. */
function coinsOf(currencies: Currencies): ReadonlyMap<string, Asset> {
  const known = listed.get(currencies);
  if (known) return known;
  const coins = new Map<string, Asset>();
  for (const asset of currencies.assets.values()) {
    if (isListed(asset)) coins.set(`${asset.code} ${networkName(asset)}`, asset);
  }
  listed.set(currencies, coins);
  return coins;
}

const listed = new WeakMap<Currencies, ReadonlyMap<string, Asset>>();

function isListed(asset: Asset): boolean {
  const network = networkName(asset);
  return network !== undefined && (isNative(asset) || (network !== 'mainnet' && TOKENS.has(asset.code)));
}

function networkName(asset: Asset): string | undefined {
  return NETWORKS[asset.network];
}

function isNative(asset: Asset): boolean {
  return asset.address === NATIVE_ADDRESS;
}

/** Coins of a `mainnet` are told apart by this id; for others it is only a name. */
function coinId(asset: Asset): string {
  if (asset.network === 'bitcoincash') return 'bitcoin-cash';
  return networkName(asset) === 'mainnet' ? asset.network : asset.name.toLowerCase().replaceAll(' ', '-');
}

function placesOf(asset: Asset): number {
  return Math.min(asset.decimals, CRYPTO_PLACES);
}

function listFiats(world: World): unknown[] {
  return Object.keys(FIATS).flatMap(code => {
    const fiat = world.currencies.findFiat(code);
    const perEuro = world.market.perEuro(code);
    if (!fiat || !perEuro) return [];
    const countries = countriesOf(code, world.currencies);
    return [
      {
        symbol: code,
        name: fiat.name,
        supportingCountries: countries,
        logoSymbol: code.slice(0, 2),
        isPopular: ['EUR', 'GBP', 'USD'].includes(code),
        isAllowed: true,
        roundOff: fiat.decimals,
        isPayOutAllowed: PAID_OUT.has(code),
        paymentOptions: (FIATS[code] ?? []).flatMap(id => listOption({ id, code, perEuro, countries })),
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
  const terms = OPTIONS[id];
  if (!terms) return [];
  const buy = bounds('BUY', terms, perEuro);
  const sell = bounds('SELL', terms, perEuro);
  const isPayOutAllowed = PAID_OUT.has(code) && terms.out === true;
  const card = id === 'credit_debit_card' && isPayOutAllowed;
  return [
    {
      name: terms.name,
      id,
      isActive: true,
      processingTime: terms.time,
      limitCurrency: code,
      minAmount: buy.min,
      maxAmount: buy.max,
      defaultAmount: round(perEuro.times('300')),
      isPayOutAllowed,
      minAmountForPayOut: sell.min,
      maxAmountForPayOut: sell.max,
      defaultAmountForPayOut: round(perEuro.times('500')),
      supportedCountryCode: terms.countries,
      visaPayoutCountries: card ? countries : undefined,
      mastercardPayoutCountries: card ? countries : undefined,
    },
  ];
}

/** Bounds in the fiat, in round numbers as a person would set them. */
function bounds(side: string, terms: Terms, perEuro: Amount): { min: Amount; max: Amount } {
  return {
    min: round(perEuro.times(side === 'BUY' ? terms.min : '10')),
    max: round(perEuro.times(terms.max)),
  };
}

function round(amount: Amount): Amount {
  return raise(significant(amount, 2), 0);
}

function listCountries({ currencies }: World): unknown[] {
  return [...currencies.countries.values()].map(country => ({
    alpha2: country.code,
    name: country.name,
    isAllowed: isServed(country),
    isLightKycAllowed: false,
    supportedDocuments: ['passport', 'driving_licence', 'national_identity_card'],
    currencyCode: currencyOf(country),
    partners: [{ name: 'Transak', isCardPayment: true, currencyCode: currencyOf(country) }],
  }));
}

function isServed(country: Country): boolean {
  return !NOT_SERVED.has(country.code);
}

/** Where the local currency is not taken, people pay in dollars. */
function currencyOf(country: Country): string {
  return country.currency && FIATS[country.currency] ? country.currency : 'USD';
}

function takes(code: string, country: Country): boolean {
  return currencyOf(country) === code || (code === 'EUR' && EUROPE.has(country.code));
}

function countriesOf(code: string, currencies: Currencies): string[] {
  const countries = [...currencies.countries.values()];
  return countries.filter(country => isServed(country) && takes(code, country)).map(country => country.code);
}

/** What a quote is asked about, once it is known that they do it. */
interface Deal {
  side: 'BUY' | 'SELL';
  asset: Asset;
  fiat: Fiat;
  method: string;
  terms: Terms;
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
    return refused(400, `${deal.side === 'BUY' ? 'fiatAmount or cryptoAmount' : 'cryptoAmount'} is required`);
  }
  const flaw = flawOf(deal, figures);
  return flaw ? refused(400, flaw) : found(quoteBody(deal, figures, world));
}

/** Finds everything the query names, or says what cannot be done. */
function dealOf(query: StandinRequest['query'], world: World): Deal | string {
  const { currencies, market } = world;
  const side = query.isBuyOrSell?.toUpperCase();
  if (side !== 'BUY' && side !== 'SELL') return 'isBuyOrSell must be BUY or SELL';

  const asset = coinsOf(currencies).get(`${query.cryptoCurrency} ${query.network}`);
  const fiat = currencies.findFiat(query.fiatCurrency ?? '');
  const price = asset && fiat && market.price(asset, fiat.code);
  const networkFee = asset && fiat && market.networkFee(asset, fiat.code);
  const perEuro = fiat && market.perEuro(fiat.code);
  if (!asset || SUSPENDED.has(asset.code) || (side === 'SELL' && !SOLD_TOO.has(asset.code))) {
    return `Crypto currency ${query.cryptoCurrency} on network ${query.network} is not supported`;
  }
  if (!fiat || !price || !networkFee || !perEuro || !FIATS[fiat.code]) {
    return `Fiat currency ${query.fiatCurrency} is not supported`;
  }
  const method = query.paymentMethod ?? '';
  const terms = FIATS[fiat.code]?.includes(method) ? OPTIONS[method] : undefined;
  if (!terms || (side === 'SELL' && !(terms.out && PAID_OUT.has(fiat.code)))) {
    return `Payment method ${method} is not supported for ${fiat.code}`;
  }
  const country = currencies.findCountry(query.quoteCountryCode ?? '');
  if (!country || !isServed(country) || BLOCKED[asset.code]?.includes(country.code)) {
    return `${asset.code} is not available in country ${query.quoteCountryCode}`;
  }
  if (!(terms.countries?.includes(country.code) ?? takes(fiat.code, country))) {
    return `Payment method ${method} is not available in country ${country.code}`;
  }

  const spread = side === 'BUY' ? SPREAD : SPREAD.neg();
  return {
    ...{ side, asset, fiat, method, terms, perEuro },
    price: price.times(spread.plus('1')),
    networkFee: raise(networkFee.times(NETWORK_SHARE), fiat.decimals),
  };
}

/** Works out the quote from the amount given; undefined when none is. */
function figure(deal: Deal, query: StandinRequest['query']): Figures | undefined {
  const fiatAmount = readDecimal(query.fiatAmount);
  const cryptoAmount = readDecimal(query.cryptoAmount);
  if (deal.side === 'SELL') return cryptoAmount?.gt('0') ? sell(deal, cryptoAmount) : undefined;
  if (fiatAmount?.gt('0')) return buyFor(deal, fiatAmount);
  return cryptoAmount?.gt('0') ? buyExactly(deal, cryptoAmount) : undefined;
}

/** `cryptoAmount = (fiatAmount - totalFee) × conversionPrice` */
function buyFor(deal: Deal, fiatAmount: Amount): Figures {
  const conversionPrice = significant(decimal(1).div(deal.price), PRICE_DIGITS);
  const transakFee = feeOn(deal, fiatAmount);
  const value = fiatAmount.minus(transakFee).minus(deal.networkFee);
  const cryptoAmount = cut(value.times(conversionPrice), placesOf(deal.asset));
  return { conversionPrice, fiatAmount, cryptoAmount, transakFee };
}

/** The other way round: everything in fiat is rounded up, and the price stated is the one that makes it exact. */
function buyExactly(deal: Deal, cryptoAmount: Amount): Figures {
  const { terms, fiat, perEuro, networkFee } = deal;
  const value = raise(cryptoAmount.times(deal.price), fiat.decimals);
  const beforeFee = value.plus(networkFee);
  const share = beforeFee.times(terms.share).div(decimal(1).minus(terms.share));
  const transakFee = raise(largest(share, perEuro.times(terms.least)) ?? share, fiat.decimals);
  const conversionPrice = significant(cryptoAmount.div(value), PRICE_DIGITS);
  return { conversionPrice, fiatAmount: beforeFee.plus(transakFee), cryptoAmount, transakFee };
}

/** `fiatAmount = cryptoAmount / conversionPrice - totalFee` */
function sell(deal: Deal, cryptoAmount: Amount): Figures {
  const conversionPrice = significant(decimal(1).div(deal.price), PRICE_DIGITS);
  const value = cryptoAmount.div(conversionPrice);
  const transakFee = feeOn(deal, value);
  const fiatAmount = cut(value.minus(transakFee).minus(deal.networkFee), deal.fiat.decimals);
  return { conversionPrice, fiatAmount, cryptoAmount, transakFee };
}

function feeOn({ terms, fiat, perEuro }: Deal, amount: Amount): Amount {
  const share = amount.times(terms.share);
  return raise(largest(share, perEuro.times(terms.least)) ?? share, fiat.decimals);
}

/** Bounds are on the fiat: what is paid on a buy, what is paid out on a sell. */
function flawOf(deal: Deal, { fiatAmount, cryptoAmount }: Figures): string | undefined {
  const { side, fiat, method, terms } = deal;
  const { min, max } = bounds(side, terms, deal.perEuro);
  const what = side === 'BUY' ? 'buy amount' : 'sell payout';
  if (fiatAmount.lt(min)) return `Minimum ${what} with ${method} is ${min} ${fiat.code}`;
  if (fiatAmount.gt(max)) return `Maximum ${what} with ${method} is ${max} ${fiat.code}`;
  return cryptoAmount.gt('0') ? undefined : 'Amount is less than the fees';
}

function quoteBody(deal: Deal, figures: Figures, world: World): unknown {
  const { side, asset, fiat, method, networkFee } = deal;
  const { conversionPrice, fiatAmount, cryptoAmount, transakFee } = figures;
  const totalFee = transakFee.plus(networkFee);
  const withoutSpread = side === 'BUY' ? SPREAD.plus('1') : decimal(1).minus(SPREAD);
  return {
    quoteId: world.id(),
    conversionPrice,
    marketConversionPrice: significant(conversionPrice.times(withoutSpread), PRICE_DIGITS),
    slippage: SPREAD.times('100'),
    fiatCurrency: fiat.code,
    cryptoCurrency: asset.code,
    paymentMethod: method,
    fiatAmount,
    cryptoAmount,
    isBuyOrSell: side,
    network: networkName(asset),
    feeDecimal: significant(totalFee.div(fiatAmount), 4),
    totalFee,
    feeBreakdown: [
      fee('Transak fee', 'transak_fee', transakFee),
      fee('Partner fee', 'partner_fee', decimal(0)),
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
