/** Setups: what a widget begins with, from its parameters and from what works where the person is. */
import type { Account } from '../../app/accounts.ts';
import type { Supported } from '../../app/supported.ts';
import type { Currencies } from '../../domain/currency.ts';
import { decimal } from '../../domain/money.ts';
import type { AssetId, CountryCode, FiatId, MethodId, Side } from '../../domain/words.ts';
import { createViews } from '../current/view.ts';
import type { Language } from '../languages.ts';
import { WORDS } from '../pay/texts.ts';
import type { Parameters } from './parameters.ts';
import type { Choice, CryptoChoice, FiatChoice, Warning, WidgetSetup } from './shape.ts';

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

/** With somebody to tell of what only turns out to be wrong once the pair is known. */
interface Asked extends Caller {
  warn(warning: Warning): void;
}

export type Setups = (parameters: Parameters, caller: Caller) => WidgetSetup;

export function createSetups({ currencies, supported, publicUrl }: SetupsOptions): Setups {
  const views = createViews({ currencies, publicUrl });

  /** The wished pair, else the first that works where the person is; undefined where nothing that is allowed does. */
  function choose(side: Side, parameters: Parameters, { account, country, warn }: Asked): Choice | undefined {
    const { defaults, only } = parameters;
    const suggested = country && supported.suggest({ account, side, country });
    const fiatId = pick(defaults.fiat, suggested?.fiat.id, listOf(only.fiats));
    const assetId = pick(defaults.crypto, suggested?.asset.id, allowedAssets());
    const fiat = fiatId && currencies.fiats.get(fiatId);
    const asset = assetId && currencies.assets.get(assetId);
    if (!fiat || !asset) return undefined;
    const isSuggested = fiat.id === suggested?.fiat.id && asset.id === suggested.asset.id;
    const methods = [defaults.method, isSuggested ? suggested.method : undefined];
    const pair = { fiat: views.fiat(fiat) as FiatChoice, crypto: views.asset(asset) as CryptoChoice };
    return {
      ...pair,
      amount: givenAmount(side === 'buy' ? pair.fiat : pair.crypto) ?? amountOf(),
      method: methods.find(isAllowedMethod) ?? null,
    };

    /** In no smaller parts than its currency has: nobody could quote a price for it. */
    function givenAmount({ code, decimals }: FiatChoice): string | undefined {
      const { amount } = defaults;
      // What was given is money on a buy; as many coins may be a fortune.
      if (amount === undefined || side !== parameters.sides[0]) return undefined;
      if (decimal(amount).decimalPlaces() <= decimals) return amount;
      const parameter = 'defaultAmount';
      warn({ parameter, message: `${parameter} must have no more decimal places than ${code}: ${decimals}` });
      return undefined;
    }

    function amountOf(): string | null {
      if (isSuggested && suggested) return suggested.amount.toString();
      // How many coins depends on the method, which the widget chooses when it knows them.
      if (side === 'sell') return null;
      return supported.usualAmount({ account, side, country, fiat: fiatId as FiatId })?.toString() ?? '100';
    }

    /** Undefined where anything goes; empty where nothing that is allowed can be had. */
    function allowedAssets(): AssetId[] | undefined {
      const listed = listOf(only.cryptos);
      if (!listed && only.networks.length === 0) return undefined;
      const ids = listed ?? supported.assets({ account, side, country, fiat: fiatId }).map(({ id }) => id);
      return ids.filter(isOnAllowedNetwork);
    }

    /** One that is not allowed is left to the widget to replace, once it knows what the pair can be paid with. */
    function isAllowedMethod(id: MethodId | undefined): id is MethodId {
      return id !== undefined && (only.methods.length === 0 || only.methods.includes(id));
    }

    function isOnAllowedNetwork(id: AssetId): boolean {
      const network = currencies.assets.get(id)?.network;
      return only.networks.length === 0 || (network !== undefined && only.networks.includes(network));
    }
  }

  return (parameters, caller) => {
    const { account, key, country, language, addressScript } = caller;
    const warnings = [...parameters.warnings];
    const warn = (warning: Warning) => void warnings.push(warning);
    const choices = parameters.sides.flatMap(side => {
      const choice = choose(side, parameters, { ...caller, warn });
      return choice ? [[side, choice] as const] : [];
    });
    const { only, wallets, networkWallets, isAddressEditable, theme } = parameters;
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

/** Integrators who list nothing allow everything. */
function listOf<T>(given: readonly T[]): readonly T[] | undefined {
  return given.length > 0 ? given : undefined;
}

/** The wished one, else the suggested one, as far as the list allows; else the first of the list. Without a list anything goes. */
function pick<T>(
  wished: T | undefined,
  suggested: T | undefined,
  list: readonly T[] | undefined,
): T | undefined {
  const isAllowed = (one: T | undefined): one is T => one !== undefined && (!list || list.includes(one));
  return [wished, suggested].find(isAllowed) ?? list?.[0];
}
