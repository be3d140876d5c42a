/** Reading requests of the current surface: words and numbers a client sent, into domain values or clear faults. */
import { checkAddress } from '../../domain/address.ts';
import type { Asset, Currencies, Fiat } from '../../domain/currency.ts';
import { badInput } from '../../domain/fault.ts';
import { type AmountFlaw, parseAmount } from '../../domain/money.ts';
import { type Ask, placesOf } from '../../domain/offer.ts';
import { findState } from '../../domain/states.ts';
import type {
  AssetId,
  CountryCode,
  FiatId,
  MethodId,
  NetworkId,
  Side,
  StateCode,
} from '../../domain/words.ts';

export interface Pair {
  side: Side;
  fiat: Fiat;
  asset: Asset;
}

export function readFiat(currencies: Currencies, field: string, word: string): Fiat {
  const fiat = currencies.findFiat(word);
  if (!fiat) throw badInput(field, `${field} is not a fiat currency we know`);
  return fiat;
}

export function readAsset(currencies: Currencies, field: string, word: string, network?: NetworkId): Asset {
  const found = currencies.findAsset(word, network);
  if (!found)
    throw badInput(field, `${field} is not a crypto asset we know${network ? ` on ${network}` : ''}`);
  if ('ambiguous' in found) {
    throw badInput(field, `${field} lives on several networks: use one of ${found.ambiguous.join(', ')}`);
  }
  return found.asset;
}

export function readMethod(currencies: Currencies, word: string): MethodId {
  const method = currencies.findMethod(word);
  if (!method) throw badInput('paymentMethod', 'paymentMethod is not a payment method we know');
  return method.id;
}

/** Both lower or both upper case, as written everywhere; anything else is a slip. */
function readCountry(currencies: Currencies, word: string): CountryCode {
  const country = /^([a-z]{2}|[A-Z]{2})$/.test(word) ? currencies.findCountry(word) : undefined;
  if (!country) throw badInput('country', 'country must be an ISO 3166-1 alpha-2 code');
  return country.code;
}

/** The country sent, else that of the caller's address; never a guess. */
export function readPlace(
  currencies: Currencies,
  sent: string | undefined,
  located: () => string | undefined,
): CountryCode {
  if (sent !== undefined) return readCountry(currencies, sent);
  const country = currencies.findCountry(located() ?? '');
  if (!country) throw badInput('country', 'country cannot be told from your address: send it');
  return country.code;
}

/** The state sent, which only the United States have; unknown when none is. */
export function readState(sent: string | undefined, country: CountryCode): StateCode | undefined {
  if (sent === undefined) return undefined;
  const state = findState(sent);
  if (!state) throw badInput('state', 'state must be the two letters of a state of the United States');
  if (country !== 'US') throw badInput('state', 'state can only be sent with country US');
  return state;
}

/** Which of the two is the fiat decides the side. */
export function readPair(
  currencies: Currencies,
  words: { source: string; destination: string; network?: string | undefined },
): Pair {
  const { source, destination } = words;
  const network = words.network === undefined ? undefined : readNetwork(currencies, words.network);
  const bought = currencies.findFiat(source);
  const sold = currencies.findFiat(destination);
  const isCoin = (word: string) => currencies.findAsset(word) !== undefined;
  // A few codes are a fiat's and a coin's, such as RON: beside another fiat they mean the coin.
  const isBuy = bought && (isCoin(destination) || !isCoin(source));
  const coin = isBuy ? destination : source;
  if (network && isCoin(coin) && !currencies.findAsset(coin, network))
    throw badInput('network', `network must agree with ${coin}, which is not on ${network}`);
  if (isBuy) {
    if (sold && !isCoin(destination))
      throw badInput('destination', 'destination must be a crypto asset when source is a fiat currency');
    return { side: 'buy', fiat: bought, asset: readAsset(currencies, 'destination', destination, network) };
  }
  if (!sold && !isCoin(source)) throw badInput('source', 'source is not a currency we know');
  const asset = readAsset(currencies, 'source', source, network);
  if (!sold)
    throw badInput('destination', 'destination must be a fiat currency when source is a crypto asset');
  return { side: 'sell', fiat: sold, asset };
}

/** What payment types are asked for: by fiat, or on a sale by the coin; `destination` is then the other of the two. */
export function readTrade(
  currencies: Currencies,
  side: Side,
  { word, destination }: { word: string; destination: string | undefined },
): { fiat: FiatId | undefined; asset: AssetId | undefined } {
  const isByFiat = side === 'buy' || (!currencies.findAsset(word) && currencies.findFiat(word) !== undefined);
  const first = { field: 'fiat', word };
  const other = { field: 'destination', word: destination };
  const [fiat, asset] = isByFiat ? [first, other] : [other, first];
  return {
    fiat: fiat.word === undefined ? undefined : readFiat(currencies, fiat.field, fiat.word).id,
    asset: asset.word === undefined ? undefined : readAsset(currencies, asset.field, asset.word).id,
  };
}

function readNetwork(currencies: Currencies, word: string): NetworkId {
  const network = currencies.findNetwork(word);
  if (!network) throw badInput('network', 'network is not a network we know');
  return network.id;
}

/** Where coins are to go, or may come back to; never altered. */
export function readAddress(
  currencies: Currencies,
  { asset }: Pair,
  sent: string | undefined,
): string | undefined {
  const network = currencies.networks.get(asset.network);
  if (sent === undefined || !network) return sent;
  const flaw = checkAddress(network, sent, currencies.networks.values());
  if (flaw) throw badInput('walletAddress', `walletAddress: ${flaw.message}`);
  return sent;
}

const FLAWS: Record<AmountFlaw, string> = {
  malformed: 'amount must be a decimal number such as 100 or 0.5: digits and at most one dot',
  zero: 'amount must be greater than zero',
  tooPrecise: 'amount has more decimal places than the currency',
};

export function readAmount(
  text: string,
  { side, fiat, asset }: Pair,
  amountOf: Ask['amountOf'],
): Ask['amount'] {
  const inFiat = (side === 'buy') === (amountOf === 'source');
  const amount = parseAmount(text, placesOf(inFiat ? fiat : asset));
  if (typeof amount === 'string') throw badInput('amount', FLAWS[amount]);
  return amount;
}
