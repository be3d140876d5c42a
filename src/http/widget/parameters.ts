/** Parameters of the widget's address: read once, here; what is wrong is left aside and told, never a broken page. */
import type { Asset, Currencies } from '../../domain/currency.ts';
import {
  type AssetId,
  type CountryCode,
  type FiatId,
  isContext,
  LONGEST_CONTEXT,
  type MethodId,
  type NetworkId,
  type Side,
} from '../../domain/words.ts';
import { LANGUAGES, type Language, readLanguage } from '../languages.ts';
import { originsOf } from '../pay/headers.ts';
import { readRedirect } from '../redirect.ts';
import { readColor, readRadius } from '../theme.ts';
import type { Warning, WidgetTheme } from './shape.ts';
import { type GivenWallets, readWallets } from './wallets.ts';

export interface Parameters extends GivenWallets {
  sides: Side[];
  country: CountryCode | undefined;
  language: Language | undefined;
  defaults: {
    fiat: FiatId | undefined;
    crypto: AssetId | undefined;
    amount: string | undefined;
    method: MethodId | undefined;
  };
  only: {
    cryptos: AssetId[];
    fiats: FiatId[];
    onramps: string[];
    networks: NetworkId[];
    methods: MethodId[];
  };
  isAddressEditable: boolean;
  theme: WidgetTheme;
  /** Looks that the pay page does not share. */
  looks: Looks;
  partnerContext: string | undefined;
  redirectUrl: string | undefined;
  uuid: string | undefined;
  embedder: string | undefined;
  warnings: Warning[];
}

export interface Looks {
  containerColor: string | undefined;
  widgetBorderRadius: string | undefined;
  /** Quoted and ready for a style sheet. */
  fontFamily: string | undefined;
}

export interface ParametersContext {
  currencies: Currencies;
  isProvider(id: string): boolean;
  /** Hosts that the account's people may be sent back to. */
  redirectHosts: readonly string[];
}

type Query = Readonly<Record<string, unknown>>;

export function readParameters(query: Query, context: ParametersContext): Parameters {
  const { currencies } = context;
  const warnings: Warning[] = [];
  const warn = (parameter: string, message: string) => void warnings.push({ parameter, message });

  /** The text of a parameter, read by `read`; what that cannot read is told and left aside. */
  function take<T>(name: string, read: (text: string) => T | undefined, wish: string): T | undefined {
    const text = textOf(query, name);
    if (text === undefined || text === '') return undefined;
    const value = text.length <= (BOUNDS[name] ?? LONGEST) ? read(text) : undefined;
    if (value === undefined) warn(name, `${name} must be ${wish}`);
    return value;
  }

  /** Those of a list that can be read; each of the others is told. */
  function takeList<T>(name: string, read: (word: string) => T[], wish: string): T[] {
    const words = (textOf(query, name) ?? '').split(',').map(word => word.trim());
    const found = words
      .slice(0, MOST_WORDS)
      .filter(Boolean)
      .flatMap(word => {
        const values = read(word);
        if (values.length === 0) warn(name, `${name}: ${JSON.stringify(word.slice(0, 40))} is not ${wish}`);
        return values;
      });
    return [...new Set(found)];
  }

  const assetsOf = (word: string) => findAssets(currencies, word).map(({ id }) => id);
  const fiatOf = (word: string) => currencies.findFiat(word)?.id;
  const methodOf = (word: string) => currencies.findMethod(word)?.id;
  const colour = (name: string) =>
    take(name, readColour, 'a colour such as 1a2b3c, #1a2b3c or rgb(26, 43, 60)');
  const radius = (name: string) => take(name, readRadius, 'a length such as 12, 12px or 0.75rem');
  const themeName = take('themeName', readThemeName, 'light or dark');

  return {
    sides: take('mode', readSides, 'buy, sell, or both with a comma') ?? ['buy', 'sell'],
    country: take('country', word => currencies.findCountry(word)?.code, 'a two-letter country code'),
    language:
      take('language', readLanguage, `one of ${LANGUAGES.join(', ')}`) ??
      take('lang', readLanguage, `one of ${LANGUAGES.join(', ')}`),
    defaults: {
      fiat: take('defaultFiat', fiatOf, 'a fiat currency we know'),
      crypto: take('defaultCrypto', word => assetsOf(word)[0], 'a crypto asset we know'),
      amount: take('defaultAmount', readAmount, 'a decimal number greater than zero'),
      method: take('defaultPaymentMethod', methodOf, 'a payment method we know'),
    },
    only: {
      cryptos: takeList('onlyCryptos', assetsOf, 'a crypto asset we know'),
      fiats: takeList('onlyFiats', word => listed(fiatOf(word)), 'a fiat currency we know'),
      onramps: takeList(
        'onlyOnramps',
        word => (context.isProvider(word.toLowerCase()) ? [word.toLowerCase()] : []),
        'a provider we know',
      ),
      networks: takeList(
        'onlyCryptoNetworks',
        word => listed(currencies.findNetwork(word)?.id),
        'a network we know',
      ),
      methods: takeList('onlyPaymentMethods', word => listed(methodOf(word)), 'a payment method we know'),
    },
    ...readWallets({
      currencies,
      assetsOf: word => findAssets(currencies, word),
      textOf: name => textOf(query, name) ?? '',
      warn,
    }),
    isAddressEditable: take('isAddressEditable', readSwitch, 'true or false') ?? false,
    theme: withoutGaps({
      isDark: themeName === undefined ? null : themeName === 'dark',
      themeName,
      primaryColor: colour('primaryColor'),
      secondaryColor: colour('secondaryColor'),
      primaryTextColor: colour('primaryTextColor'),
      secondaryTextColor: colour('secondaryTextColor'),
      cardColor: colour('cardColor'),
      borderRadius: radius('borderRadius'),
    }),
    looks: {
      containerColor: colour('containerColor'),
      widgetBorderRadius: radius('widgetBorderRadius'),
      fontFamily: take('fontFamily', readFont, 'names of fonts: letters, digits, blanks and dashes'),
    },
    partnerContext: take(
      'partnerContext',
      readContext,
      `at most ${LONGEST_CONTEXT} characters, none of them a control character`,
    ),
    redirectUrl: take(
      'redirectUrl',
      text => readWayBack(text, context.redirectHosts),
      'an absolute https URL on a host that is registered for the account',
    ),
    uuid: take('uuid', text => (UUID.test(text) ? text : undefined), 'a UUID'),
    embedder: take('embedder', text => originsOf([text])[0], 'the origin of the page around the widget'),
    warnings,
  };
}

const LONGEST = 2_048;
/** What may be longer than the others. */
const BOUNDS: Readonly<Record<string, number>> = { partnerContext: LONGEST_CONTEXT };
const MOST_WORDS = 200;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Of one that is sent twice the first counts. */
function textOf(query: Query, name: string): string | undefined {
  const sent = query[name];
  const first = Array.isArray(sent) ? sent[0] : sent;
  return typeof first === 'string' ? first.trim() : undefined;
}

function listed<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}

/** A bare code means the coin on its main network; one that has none means all that it lives on. */
function findAssets(currencies: Currencies, word: string): Asset[] {
  const found = currencies.findAsset(word);
  if (!found) return [];
  const ids = 'asset' in found ? [found.asset.id] : found.ambiguous;
  return ids.flatMap(id => listed(currencies.assets.get(id)));
}

function readSides(text: string): Side[] | undefined {
  const words = text
    .toLowerCase()
    .split(',')
    .map(word => word.trim());
  const sides = words.filter(word => word === 'buy' || word === 'sell');
  return sides.length > 0 && sides.length === words.length ? [...new Set(sides)] : undefined;
}

function readAmount(text: string): string | undefined {
  return /^\d{1,15}(\.\d{1,18})?$/.test(text) && /[1-9]/.test(text) ? text : undefined;
}

function readSwitch(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

function readThemeName(text: string): 'light' | 'dark' | undefined {
  return text === 'light' || text === 'dark' ? text : undefined;
}

/** Existing integrations leave the `#` out, which means something else in an address. */
function readColour(text: string): string | undefined {
  const colour = /^([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text) ? `#${text}` : text;
  return readColor(colour) && colour;
}

const GENERIC = /^(serif|sans-serif|monospace|system-ui|ui-(serif|sans-serif|monospace|rounded))$/;

/** Names alone, each in quotes: nothing can end the declaration it stands in. */
function readFont(text: string): string | undefined {
  const names = text.split(',').map(name => name.trim().replace(/^(["'])(.*)\1$/, '$2'));
  if (names.length > 6 || !names.every(name => /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,39}$/u.test(name)))
    return undefined;
  return names.map(name => (GENERIC.test(name) ? name : `"${name}"`)).join(', ');
}

function readContext(text: string): string | undefined {
  return isContext(text) ? text : undefined;
}

/** Only what the checkout will take: a way back that it refuses would make every order fail. */
function readWayBack(text: string, hosts: readonly string[]): string | undefined {
  const read = readRedirect(text, hosts);
  return typeof read === 'string' ? read : undefined;
}

type Gapped<T> = { [K in keyof T]: T[K] | undefined };

function withoutGaps(theme: Gapped<WidgetTheme> & { isDark: boolean | null }): WidgetTheme {
  return Object.fromEntries(
    Object.entries(theme).filter(([, value]) => value !== undefined),
  ) as unknown as WidgetTheme;
}
