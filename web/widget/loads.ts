/** Loads: lists of the service, as actions that bring them. */
import type { Client, CryptoAsset, Side } from '../../client/src/index.ts';
import type { Action } from './actions.ts';
import { placeKey, placeQuery, type Spot, spotKey } from './spot.ts';

export async function loadMethods(client: Client, spot: Spot): Promise<Action> {
  const { side, pair } = spot;
  const [fiat, destination] =
    side === 'buy' ? [pair.fiat.id, pair.crypto.id] : [pair.crypto.id, pair.fiat.id];
  const types = await client.paymentTypes({ fiat, destination, ...placeQuery(spot), type: side });
  return { type: 'methods', key: spotKey(spot), methods: Object.values(types) };
}

/** What works in the country when the person's own wish does not. */
export async function loadRecommended(client: Client, spot: Spot): Promise<Action> {
  const { side } = spot;
  const key = spotKey(spot);
  const [{ recommended }, { crypto, fiat }] = await Promise.all([
    client.defaults({ ...placeQuery(spot), type: side }),
    client.supported({ type: side }),
  ]);
  const { source, target } = recommended ?? {};
  const [fiatCode, coinCode] = side === 'buy' ? [source, target] : [target, source];
  const money = fiat.find(({ code }) => code === fiatCode);
  const alike = crypto.filter(({ code }) => code === coinCode);
  const coin = money && (await findServed(client, spot, { fiat: money.id, coins: alike }));
  if (!recommended || !money || !coin) return { type: 'recommendation', key, recommended: null };
  const { amount, paymentMethod: method } = recommended;
  return {
    type: 'recommendation',
    key,
    recommended: { pair: { fiat: money, crypto: coin }, amount, method },
  };
}

/** The first of the coins that goes with the fiat where the person is: one code may stand for coins of many networks. */
async function findServed(
  client: Client,
  { side, ...place }: Spot,
  { fiat, coins }: { fiat: string; coins: CryptoAsset[] },
): Promise<CryptoAsset | undefined> {
  const source = side === 'buy' ? fiat : undefined;
  const { assets } = await client.assets({ source, ...placeQuery(place), type: side });
  const served = assets.filter(entry => [entry.fiat].flat().includes(fiat)).flatMap(entry => entry.crypto);
  return coins.find(({ id }) => served.includes(id));
}

export async function loadCurrencies(client: Client, side: Side): Promise<Action> {
  return { type: 'currencies', side, ...(await client.supported({ type: side })) };
}

/** Coins that go with the fiat, or fiats that go with the coin, where the person is. */
export async function loadPartners(client: Client, spot: Spot): Promise<Action> {
  const { side, pair } = spot;
  const source = side === 'buy' ? pair.fiat.id : pair.crypto.id;
  const { assets } = await client.assets({ source, ...placeQuery(spot), type: side });
  const ids = assets.flatMap(entry => (side === 'buy' ? entry.crypto : entry.fiat));
  return { type: 'partners', key: `${side} ${source} ${placeKey(spot)}`, ids };
}

/** Named and put in order as people of the language do. */
export async function loadCountries(client: Client, language: string): Promise<Action> {
  const names = new Intl.DisplayNames(language, { type: 'region' });
  const countries = (await client.countries()).map(({ countryCode, countryName }) => ({
    code: countryCode,
    name: names.of(countryCode) ?? countryName,
  }));
  const order = new Intl.Collator(language);
  return { type: 'countries', countries: countries.toSorted((a, b) => order.compare(a.name, b.name)) };
}
