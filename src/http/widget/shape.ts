/** What the widget's script is told. Types alone, so that the script is checked against the very same ones. */
import type { Side } from '../../domain/words.ts';
import type { Language } from '../languages.ts';

export interface WidgetSetup {
  /** Where all our addresses begin: a path, which the script puts its own origin in front of. */
  url: string;
  /** Public key of the account. */
  key: string;
  /** The sides that are offered; the first is shown first. */
  sides: Side[];
  /** Upper case; null where the person's address tells none. */
  country: string | null;
  language: Language;
  /** What the widget begins with, by side; a side that nobody serves here is missing. */
  choices: Partial<Record<Side, Choice>>;
  /** Names of providers by id. */
  providers: Record<string, string>;
  /** What payment methods are called in the person's language, by their English names; brands are missing. */
  methods: Record<string, string>;
  /** What the integrator narrowed the choice to; empty where anything goes. */
  only: { cryptos: string[]; fiats: string[]; onramps: string[]; networks: string[]; methods: string[] };
  /** Where coins go, by asset id and by network id. */
  wallets: Record<string, Wallet>;
  networkWallets: Record<string, Wallet>;
  isAddressEditable: boolean;
  /** Networks whose addresses can have a memo beside them. */
  memoNetworks: string[];
  theme: WidgetTheme;
  partnerContext: string | null;
  redirectUrl: string | null;
  uuid: string | null;
  /** Origin of the page around us as that page says; the browser sees to it that nobody else hears us. */
  embedder: string | null;
  /** Address of the script that checks addresses. */
  addressScript: string;
  warnings: Warning[];
}

export interface Choice {
  fiat: FiatChoice;
  crypto: CryptoChoice;
  /** Of what is handed over; decimal text. Null where it follows from what payment methods take. */
  amount: string | null;
  method: string | null;
}

export interface FiatChoice {
  id: string;
  code: string;
  name: string;
  decimals: number;
  icon: string;
}

export interface CryptoChoice extends FiatChoice {
  network: string;
  networkDisplayName: string;
}

export interface Wallet {
  address: string;
  memo?: string;
}

/** As checkouts take it; `isDark` is null where the person's device decides. */
export interface WidgetTheme {
  isDark: boolean | null;
  themeName?: string;
  primaryColor?: string;
  secondaryColor?: string;
  primaryTextColor?: string;
  secondaryTextColor?: string;
  cardColor?: string;
  borderRadius?: string;
}

/** A parameter that was left aside, and why. */
export interface Warning {
  parameter: string;
  message: string;
}
