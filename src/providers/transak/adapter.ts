/** Transak: what it supports and what it charges, read from its public partner endpoints. */
import type { Limits } from '../../domain/listing.ts';
import { decimal, largest, significant, smallest, ZERO } from '../../domain/money.ts';
import type { Decline, Price } from '../../domain/offer.ts';
import type { MethodId, NetworkId, ProviderId, Side } from '../../domain/words.ts';
import {
  type Adapter,
  amount,
  amountIfAny,
  BadAnswer,
  type Exchange,
  exchange,
  type NativeAsk,
  type TheirAsset,
  type TheirFiat,
  type TheirListing,
  type TheirMethod,
  type Work,
} from '../contract.ts';
import * as their from './wire.ts';

const METHODS = {
  credit_debit_card: ['creditcard', 'debitcard'],
  apple_pay: ['applepay'],
  google_pay: ['googlepay'],
  sepa_bank_transfer: ['sepabanktransfer'],
  gbp_bank_transfer: ['fasterpaybank', 'banktransfer'],
  pm_open_banking: ['openbanking'],
  pm_wire: ['wire', 'banktransfer'],
  pm_jwire: ['wire', 'banktransfer'],
  inr_upi: ['upi'],
  upi: ['upi'],
  inr_bank_transfer: ['imps', 'banktransfer'],
  neft_bank_transfer: ['banktransfer'],
  pm_pix: ['pix'],
  pm_astropay: ['astropay'],
  // Accounts at one Philippine bank each, for which there is no narrower word.
  pm_bpi: ['banktransfer'],
  pm_ubp: ['banktransfer'],
  pm_cash_app: ['cashapp'],
  pm_gcash: ['gcash'],
  pm_grabpay: ['grabpay'],
  pm_paymaya: ['paymaya'],
  pm_shopeepay: ['shopeepay'],
  mobikwik_wallet: ['mobikwik'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Networks they call as we do. Their `hyperliquid` is left out: HyperCore is another ledger than HyperEVM. */
const NETWORKS =
  `ethereum polygon arbitrum optimism base bsc tron solana ton osmosis fantom injective sei linea
  zksync celo mantle opbnb unichain stellar algorand berachain hyperevm monad plasma aptos sui`.split(/\s+/);

/** Chains with one coin are all called `mainnet` and told apart by the coin, so we know them as `mainnet/<coinId>`. */
const SINGLE_COINS =
  `bitcoin litecoin ripple dogecoin tron cosmos near stellar algorand polkadot cardano`.split(' ');

export const transak: Adapter = {
  manifest: {
    id: 'transak' as ProviderId,
    name: 'Transak',
    hosts: {
      api: { live: 'https://api.transak.com', test: 'https://api-stg.transak.com' },
      gateway: { live: 'https://api-gateway.transak.com', test: 'https://api-gateway-stg.transak.com' },
    },
    sides: ['buy', 'sell'],
    // "Get Price": whether `fiatAmount` on a sell is before or after fees is not documented, so sells are asked by `cryptoAmount`.
    pricesDestination: ['buy'],
    methods: METHODS,
    networks: Object.fromEntries([
      ...NETWORKS.map(word => [word, word]),
      ['avaxcchain', 'avaxc'],
      ...SINGLE_COINS.map(coin => [`mainnet/${coin}`, coin]),
      ['mainnet/bitcoin-cash', 'bitcoincash'],
    ]) as Record<string, NetworkId>,
    settings: [
      { name: 'apiKey', label: 'API key', secret: false, required: true },
      { name: 'apiSecret', label: 'API secret', secret: true, required: false },
      { name: 'referrerDomain', label: 'Whitelisted referrer domain', secret: false, required: false },
    ],
    // A lighter level exists, but up to which amount is not published: promise no less than the full one.
    kyc: [
      {
        // biome-ignore format: one line reads best
        asks: ['email', 'phone', 'identity', 'address', ['passport', 'driverLicense', 'nationalIdentityCard'], 'selfie'],
      },
    ],
    // No figures are published.
    limits: { perSecond: 20, burst: 40, connections: 16 },
  },

  /**
   * Limits are those of the payment options. The finer list by asset, fiat and method (`pricing/public/limits`) is not
   * fetched: a listing pairs every asset with every fiat, and its amounts of crypto move with the price.
   */
  catalog: ({ settings: { apiKey } }) =>
    list({ path: '/cryptocoverage/api/v1/public/crypto-currencies', read: their.read.coin }, coins =>
      list(
        { path: '/fiat/public/v1/currencies/fiat-currencies', query: { apiKey }, read: their.read.fiat },
        fiats =>
          list({ path: '/api/v2/countries', read: their.read.country }, countries => [
            listing('buy', { coins, fiats, countries }),
            listing('sell', { coins, fiats, countries }),
          ]),
      ),
    ),

  quote: (ask, { settings }) => {
    const query = {
      partnerApiKey: settings.apiKey,
      fiatCurrency: ask.native.fiat,
      cryptoCurrency: ask.native.asset,
      network: networkOf(ask),
      isBuyOrSell: ask.side.toUpperCase(),
      [isFiat(ask) ? 'fiatAmount' : 'cryptoAmount']: ask.amount.toString(),
      paymentMethod: ask.native.method,
      quoteCountryCode: ask.country,
    };
    return exchange<Price | Decline>(
      { method: 'GET', host: 'api', path: '/api/v1/pricing/public/quotes', query },
      ({ body }) => their.refusal(body, ask.side) ?? priceOf(ask, their.read.quote(body).response),
    );
  },

  /** 401, 403, 429 and 5xx are trouble between Transak and us, not an answer to the ask. */
  decline: ({ status, body }) =>
    status >= 500 || [401, 403, 429].includes(status) ? undefined : their.refusal(body),
};

interface List<T> {
  path: string;
  query?: Record<string, string | undefined>;
  read(entry: unknown): T;
}

/** Asks for one of their lists and goes on with its entries. */
function list<T>(wanted: List<T>, next: (entries: T[]) => Work<TheirListing[]>): Exchange<TheirListing[]> {
  const { read: readEntry, ...request } = wanted;
  return exchange({ method: 'GET', host: 'api', ...request }, ({ body }) =>
    next(their.readEntries(body, readEntry)),
  );
}

function listing(
  side: Side,
  lists: { coins: their.Coin[]; fiats: their.Fiat[]; countries: their.Country[] },
): TheirListing {
  const served = lists.countries.filter(country => country.isAllowed);
  return {
    side,
    countries: [...new Set(served.map(country => country.alpha2))],
    assets: distinct(lists.coins.filter(coin => trades(side, coin)).map(asset)),
    fiats: fiatsOf(side, lists.fiats, served),
  };
}

/** `isAllowed` is about buying, `isPayInAllowed` about selling. A `mainnet` that names no coin cannot be placed. */
function trades(side: Side, coin: their.Coin): boolean {
  if (coin.network.name === 'mainnet' && !coin.coinId) return false;
  return !coin.isSuspended && (side === 'buy' ? coin.isAllowed : coin.isPayInAllowed === true);
}

function asset({ symbol, network, coinId, address, kycCountriesNotSupported }: their.Coin): TheirAsset {
  return {
    code: symbol,
    symbol,
    network: network.name === 'mainnet' ? `mainnet/${coinId}` : network.name,
    contract: address && !/^0x0+$/.test(address) ? address : undefined,
    notIn: kycCountriesNotSupported.length ? kycCountriesNotSupported : undefined,
  };
}

/** One asset per pair of words. Different contracts under the same words could not be told apart when asking. */
function distinct(assets: readonly TheirAsset[]): TheirAsset[] {
  const known = new Map<string, TheirAsset | 'ambiguous'>();
  for (const asset of assets) {
    const key = `${asset.network} ${asset.code}`;
    const twin = known.get(key) ?? asset;
    const same = twin !== 'ambiguous' && twin.contract?.toLowerCase() === asset.contract?.toLowerCase();
    known.set(key, same ? { ...twin, notIn: united(twin.notIn ?? [], asset.notIn ?? []) } : 'ambiguous');
  }
  return [...known.values()].filter(asset => asset !== 'ambiguous');
}

function fiatsOf(side: Side, fiats: readonly their.Fiat[], served: readonly their.Country[]): TheirFiat[] {
  const known = new Map<string, Map<string, TheirMethod>>();
  for (const fiat of fiats) {
    if (!fiat.isAllowed || (side === 'sell' && !fiat.isPayOutAllowed)) continue;
    const methods = known.get(fiat.symbol) ?? new Map<string, TheirMethod>();
    for (const method of methodsOf(side, fiat, served)) {
      methods.set(method.code, merged(methods.get(method.code) ?? method, method));
    }
    if (methods.size) known.set(fiat.symbol, methods);
  }
  return [...known].map(([code, methods]) => ({ code, methods: [...methods.values()] }));
}

/** A fiat is for the countries it names and for those that name it as theirs, unless an option names its own. */
function methodsOf(side: Side, fiat: their.Fiat, served: readonly their.Country[]): TheirMethod[] {
  const naming = served
    .filter(country => country.currencyCode === fiat.symbol)
    .map(country => country.alpha2);
  const options = their
    .readable(fiat.paymentOptions, their.read.option)
    .filter(option => option.isActive && (side === 'buy' || option.isPayOutAllowed));
  return their.readable(options, option => ({
    code: option.id,
    ...limitsOf(side, option, fiat),
    onlyIn: ownCountries(side, option) ?? united(fiat.supportingCountries, naming) ?? [],
  }));
}

/** Limits stated in another currency than the fiat cannot be used: Transak converts them at a rate we do not know. */
function limitsOf(side: Side, option: their.Option, fiat: their.Fiat): Limits {
  if (option.limitCurrency !== fiat.symbol) return {};
  const { minAmount, maxAmount, minAmountForPayOut, maxAmountForPayOut } = option;
  return side === 'buy'
    ? { min: amountIfAny(minAmount), max: amountIfAny(maxAmount) }
    : { min: amountIfAny(minAmountForPayOut), max: amountIfAny(maxAmountForPayOut) };
}

/** On a sell, cards are paid out to in the countries of either brand. */
function ownCountries(side: Side, option: their.Option): string[] | undefined {
  const cards = united(option.visaPayoutCountries ?? [], option.mastercardPayoutCountries ?? []);
  return (side === 'sell' ? cards : undefined) ?? united(option.supportedCountryCode ?? [], []);
}

/** The same option listed twice: in all its countries, within both its limits. */
function merged(a: TheirMethod, b: TheirMethod): TheirMethod {
  return {
    code: a.code,
    min: largest(a.min, b.min),
    max: smallest(a.max, b.max),
    onlyIn: united(a.onlyIn ?? [], b.onlyIn ?? []),
  };
}

/** Both lists as one without repetition; undefined when there is nothing in it. */
function united(a: readonly string[], b: readonly string[]): string[] | undefined {
  return a.length || b.length ? [...new Set([...a, ...b])] : undefined;
}

/** Whether the amount asked for is in fiat. */
function isFiat({ side, amountOf }: NativeAsk): boolean {
  return (side === 'buy') === (amountOf === 'source');
}

function networkOf({ native }: NativeAsk): string {
  return native.network.replace(/^mainnet\/.*/, 'mainnet');
}

/** `conversionPrice` is crypto for one unit of fiat, after fees; no expiry is stated. */
function priceOf(ask: NativeAsk, quote: their.Quote): Price {
  const asked = [ask.native.fiat, ask.native.asset, networkOf(ask), ask.side].join(' ');
  const told = [quote.fiatCurrency, quote.cryptoCurrency, quote.network, quote.isBuyOrSell].join(' ');
  if (told.toLowerCase() !== asked.toLowerCase()) throw new BadAnswer(`answered ${told.slice(0, 80)}`);

  const price = amount(quote.conversionPrice);
  if (!price.gt(ZERO)) throw new BadAnswer('conversionPrice is not above zero');
  const networkFee = quote.feeBreakdown
    .filter(fee => fee.id === 'network_fee' || fee.ids?.includes('network_fee'))
    .reduce((sum, fee) => sum.plus(amount(fee.value)), ZERO);
  const [fiat, crypto] = [amount(quote.fiatAmount), amount(quote.cryptoAmount)];
  return {
    pays: ask.side === 'buy' ? fiat : crypto,
    gets: ask.side === 'buy' ? crypto : fiat,
    networkFee,
    providerFee: amount(quote.totalFee).minus(networkFee),
    rate: significant(decimal(1).div(price), 12),
  };
}
