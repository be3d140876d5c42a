/** Setups: what a widget begins with, from its parameters and from what works where the person is. */
import type { Account } from '../../app/accounts.ts';
import type { Supported } from '../../app/supported.ts';
import type { Currencies } from '../../domain/currency.ts';
import type { AssetId, CountryCode, FiatId, Side } from '../../domain/words.ts';
import { createViews } from '../current/view.ts';
import type { Language } from '../languages.ts';
import { WORDS } from '../pay/texts.ts';
import type { Parameters } from './parameters.ts';
import type { Choice, CryptoChoice, FiatChoice, WidgetSetup } from './shape.ts';

export interface SetupsOptions {
  currencies: Currencies;
  supported: Supported;
  publicUrl(): string;
}

export interface Caller {
  account: Account;
  key: string;
  country: CountryCode | undefined;
  language: Language;
  addressScript: string;
}

export type Setups = (parameters: Parameters, caller: Caller) => WidgetSetup;

export function createSetups({ currencies, supported, publicUrl }: SetupsOptions): Setups {
  const views = createViews({ currencies, publicUrl });

  /** The wished pair, else the first that works where the person is; undefined where nothing does. */
  function choose(side: Side, parameters: Parameters, { account, country }: Caller): Choice | undefined {
    const { defaults, only } = parameters;
    const suggested = country && supported.suggest({ account, side, country });
    const fiatId = pick(defaults.fiat, suggested?.fiat.id, only.fiats);
    const assetId = pick(defaults.crypto, suggested?.asset.id, only.cryptos.filter(isOnAllowedNetwork));
    const fiat = fiatId && currencies.fiats.get(fiatId);
    const asset = assetId && currencies.assets.get(assetId);
    if (!fiat || !asset) return undefined;
    const isSuggested = fiat.id === suggested?.fiat.id && asset.id === suggested.asset.id;
    return {
      fiat: views.fiat(fiat) as FiatChoice,
      crypto: views.asset(asset) as CryptoChoice,
      amount: amountOf(),
      method: defaults.method ?? (isSuggested ? suggested.method : null),
    };

    function amountOf(): string | null {
      // What was given is money on a buy; as many coins may be a fortune.
      if (defaults.amount !== undefined && side === parameters.sides[0]) return defaults.amount;
      if (isSuggested && suggested) return suggested.amount.toString();
      // How many coins depends on the method, which the widget chooses when it knows them.
      if (side === 'sell') return null;
      return supported.usualAmount({ account, side, country, fiat: fiatId as FiatId })?.toString() ?? '100';
    }

    function isOnAllowedNetwork(id: AssetId): boolean {
      const network = currencies.assets.get(id)?.network;
      return only.networks.length === 0 || (network !== undefined && only.networks.includes(network));
    }
  }

  return (parameters, caller) => {
    const { account, key, country, language, addressScript } = caller;
    const choices = parameters.sides.flatMap(side => {
      const choice = choose(side, parameters, caller);
      return choice ? [[side, choice] as const] : [];
    });
    const { only, wallets, networkWallets, isAddressEditable, theme, warnings } = parameters;
    return {
      url: new URL(publicUrl()).pathname.replace(/(?<!\/)\/+$/, ''),
      key,
      sides: parameters.sides,
      country: country ?? null,
      language,
      choices: Object.fromEntries(choices),
      providers: Object.fromEntries(supported.providers(account).map(({ id, name }) => [id, name])),
      methods: WORDS[language].methods,
      only,
      wallets,
      networkWallets,
      isAddressEditable,
      memoNetworks: [...currencies.networks.values()].filter(({ tag }) => tag).map(({ id }) => id),
      theme,
      partnerContext: parameters.partnerContext ?? null,
      redirectUrl: parameters.redirectUrl ?? null,
      uuid: parameters.uuid ?? null,
      embedder: parameters.embedder ?? null,
      addressScript,
      warnings,
    };
  };
}

/** The wished one, else the suggested one, as far as the list allows; else the first of the list. */
function pick<T>(wished: T | undefined, suggested: T | undefined, list: readonly T[]): T | undefined {
  const isAllowed = (one: T | undefined): one is T =>
    one !== undefined && (list.length === 0 || list.includes(one));
  return [wished, suggested].find(isAllowed) ?? list[0];
}
