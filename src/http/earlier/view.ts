/** Views of the earlier surface: domain values in the shapes its clients know. */
import type { Gateway } from '../../app/gateways.ts';
import type { Rate } from '../../app/rates.ts';
import type { Suggestion } from '../../app/supported.ts';
import type { Asset, Currencies } from '../../domain/currency.ts';
import { prepared } from '../../domain/json.ts';
import type { Amount } from '../../domain/money.ts';
import type { Ask, Decline } from '../../domain/offer.ts';
import type { MethodId, ProviderId } from '../../domain/words.ts';
import type { Manifest } from '../../providers/contract.ts';
import { viewStep } from './step-view.ts';

export interface EarlierViews {
  gateway(gateway: Gateway): object;
  /** One map for all that the gateways name. */
  icons(gateways: readonly Gateway[]): Record<string, object>;
  rate(rate: Rate, context: RateContext): object;
  route(suggestion: Suggestion): object;
}

export interface RateContext {
  manifests: ReadonlyMap<ProviderId, Manifest>;
  includeIcons: boolean;
}

export interface EarlierViewsOptions {
  currencies: Currencies;
  publicUrl(): string;
  legacyUrl(): string;
}

export function createEarlierViews({ currencies, publicUrl, legacyUrl }: EarlierViewsOptions): EarlierViews {
  const icon = (kind: string, name: string) => `${publicUrl()}/icons/${kind}/${name}.svg`;
  const wordOf = (method: MethodId) => currencies.methods.get(method)?.legacy ?? method;

  function crypto(asset: Asset) {
    const network = currencies.networks.get(asset.network);
    return {
      id: idOf(asset),
      code: asset.code,
      precision: asset.decimals,
      network: asset.network,
      displayName: asset.main ? asset.name : `${asset.name} (${network?.name ?? asset.network})`,
      supportsAddressTag: network?.tag ? true : undefined,
    };
  }

  // Every gateway names hundreds of them, and each is the same wherever it is named.
  const cryptos = new Map([...currencies.assets].map(([id, asset]) => [id, prepared(crypto(asset))]));
  const fiatEntries = new Map(
    [...currencies.fiats].map(([id, { code, decimals }]) => [
      id,
      prepared({ id: code, code, precision: decimals }),
    ]),
  );

  return {
    gateway: ({ provider, methods, fiats, assets }) => ({
      identifier: provider,
      paymentMethods: methods.map(wordOf),
      fiatCurrencies: fiats.map(({ id }) => fiatEntries.get(id)),
      cryptoCurrencies: assets.map(({ id }) => cryptos.get(id)),
    }),
    icons(gateways) {
      const icons: Record<string, object> = {};
      // Two codes are those of a coin and of money alike; clients look up both by the code, and money is meant more often.
      for (const { code, name, symbol } of unique(gateways, 'assets').toReversed())
        icons[code] = { name, icon: icon('crypto', code.toLowerCase()), symbol };
      for (const { id, code, name, symbol } of unique(gateways, 'fiats'))
        icons[code] = { name, icon: icon('fiat', id), symbol };
      for (const method of unique(gateways, 'methods')) {
        const name = currencies.methods.get(method)?.name ?? method;
        icons[wordOf(method)] = { name, icon: icon('payment', method) };
      }
      return icons;
    },
    rate({ provider, ask, answer, turn }, { manifests, includeIcons }) {
      const entry = {
        identifier: provider,
        icon: includeIcons ? icon('onramp', provider) : undefined,
        duration: viewDuration(manifests.get(provider)?.duration, ask.method),
      };
      if (answer.kind === 'decline') return { ...entry, available: false, error: viewError(answer, ask) };
      return {
        ...entry,
        available: true,
        rate: answer.rate,
        fees: answer.networkFee.plus(answer.providerFee),
        requiredKYC: answer.asks,
        receivedCrypto: ask.amountOf === 'source' ? answer.gets : answer.pays,
        nextStep: turn && viewStep(turn, legacyUrl()),
      };
    },
    route: ({ asset, fiat, provider }) => ({ crypto: idOf(asset), fiat: fiat.code, gateway: provider }),
  };
}

/** A code alone means the main network. */
function idOf({ id, code, main }: Asset): string {
  return main ? code : id.toUpperCase();
}

function unique<P extends 'assets' | 'fiats' | 'methods'>(
  gateways: readonly Gateway[],
  part: P,
): Gateway[P][number][] {
  return [...new Set(gateways.flatMap((gateway): Gateway[P][number][] => gateway[part]))];
}

/** How long coins take once they are paid for; a provider that has left meanwhile says nothing of it. */
function viewDuration(duration: Manifest['duration'] | undefined, method: MethodId) {
  const seconds = duration?.[method] ?? duration?.['*'] ?? 0;
  return { seconds, message: saySeconds(seconds) };
}

const UNITS: readonly [string, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** In the largest unit that says it without a fraction worth mentioning, rounded up. */
function saySeconds(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? ['minute', 60];
  const count = Math.max(1, Math.ceil(seconds / length));
  return `About ${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Clients read the limit of every error, though it means something for an amount only. */
function viewError(decline: Decline, ask: Ask) {
  const { reason, message } = decline;
  if (reason === 'unavailable') return { type: 'UNREACHABLE', message, limit: 0 };
  const { min, max } = (ask.amountOf === 'source' ? decline.limits : decline.received) ?? {};
  if (reason === 'limit' && min && ask.amount.lt(min)) return outOfBounds('MIN', min, ask);
  if (reason === 'limit' && max && ask.amount.gt(max)) return outOfBounds('MAX', max, ask);
  return { type: 'OTHER', message, limit: 0 };
}

function outOfBounds(type: 'MIN' | 'MAX', limit: Amount, { side, amountOf, fiat, asset }: Ask) {
  const { code } = (side === 'buy') === (amountOf === 'source') ? fiat : asset;
  const word = type === 'MIN' ? 'minimum' : 'maximum';
  return { type, message: `The ${word} transaction accepted is ${limit} ${code}`, limit };
}
