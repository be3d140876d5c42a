/** Reading requests of the earlier surface: its own words; everything both surfaces have is read as on the current one. */
import type { Where } from '../../app/gateways.ts';
import type { RateWish } from '../../app/rates.ts';
import { checkAddress, checkMemo } from '../../domain/address.ts';
import type { Asset, Currencies, Fiat } from '../../domain/currency.ts';
import { badInput } from '../../domain/fault.ts';
import { type Amount, parseAmount } from '../../domain/money.ts';
import { type CountryCode, type FiatId, type ProviderId, plainWord } from '../../domain/words.ts';
import { readPlace, readState } from '../current/read.ts';

/** The country sent, all of them, or that of the caller's address; with the state, where one alone is meant. */
export function readWhere(
  currencies: Currencies,
  sent: { country?: string | undefined; state?: string | undefined },
  located: () => string | undefined,
): Where {
  if (sent.country?.toLowerCase() === 'all') return { place: 'all', state: undefined };
  const place = readPlace(currencies, sent.country, located);
  return { place, state: readState(sent.state, place) };
}

/** Where coins are to go, checked by the chain's own rules and never altered. */
export function readWallet(
  currencies: Currencies,
  asset: Asset,
  { address, addressTag }: { address?: string | undefined; addressTag?: string | undefined },
): RateWish['wallet'] {
  if (address === undefined) {
    // Dropped in silence it would be missing where coins are sent by it.
    if (addressTag !== undefined) throw badInput('addressTag', 'addressTag needs an address to belong to');
    return undefined;
  }
  const network = currencies.networks.get(asset.network);
  if (!network) throw badInput('address', 'address cannot be checked');
  const wrong = checkAddress(network, address, currencies.networks.values());
  if (wrong) throw badInput('address', wrong.message);
  const wrongTag = checkMemo(network, addressTag, address);
  if (wrongTag) throw badInput('addressTag', wrongTag.message);
  return { address, memo: addressTag };
}

export function readGateway(
  isProvider: (id: string) => boolean,
  word: string | undefined,
): ProviderId | undefined {
  if (word === undefined) return undefined;
  const id = plainWord(word);
  if (id === undefined || !isProvider(id)) throw badInput('gateway', 'gateway is not a gateway we know');
  return id as ProviderId;
}

/** Zero is no minimum. */
export function readMinEuros(text: string | undefined): Amount | undefined {
  const amount = text === undefined ? 'zero' : parseAmount(text, EURO_PLACES);
  if (typeof amount !== 'string') return amount;
  if (amount === 'zero') return undefined;
  throw badInput('minAmountEur', 'minAmountEur must be a decimal number such as 50 or 49.99');
}

const EURO_PLACES = 2;
const EURO = 'eur' as FiatId;

/** What is paid out in a country whose fiat nobody named. */
export function fiatOf(currencies: Currencies, country: CountryCode | undefined): Fiat {
  const code = country && currencies.countries.get(country)?.currency;
  const fiat = (code && currencies.findFiat(code)) || currencies.fiats.get(EURO);
  if (!fiat) throw new Error('the catalog has no euro');
  return fiat;
}
