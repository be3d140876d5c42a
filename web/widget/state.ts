/** The widget's state: everything that is shown, as plain data. */
import type {
  CryptoAsset,
  DeclineType,
  ErrorKind,
  FiatCurrency,
  PaymentTypeWithLimits,
  Recommendation,
  Side,
  TransactionStatus,
} from '../../client/src/index.ts';
import type { Choice, CryptoChoice, FiatChoice, Wallet, WidgetSetup } from '../../src/http/widget/shape.ts';
import { readTyped, type Typed, typedAs } from './decimal.ts';
import type { Unit } from './figures.ts';
import { placeKey, placeQuery, type Spot, spotKey } from './spot.ts';

export interface State {
  setup: WidgetSetup;
  screen: 'trade' | 'wallet' | 'order';
  menu: Menu | undefined;
  side: Side;
  /** What each side begins with; one that nobody serves where the person is or was is missing. */
  choices: WidgetSetup['choices'];
  /** What each side had when the person came to it, or left it last. */
  trades: Partial<Record<Side, Trade>>;
  country: string | undefined;
  /** `NY`: the state within the United States; undefined until it is known. */
  region: string | undefined;
  pair: Pair | undefined;
  /** The amount as typed, and which of the two fields it was typed into. */
  typed: string;
  /** Whether a person did. What nobody typed gives way to what is usual where the currency becomes another. */
  isTyped: boolean;
  field: 'source' | 'destination';
  method: string | undefined;
  /** Payment methods of the pair; undefined until they are known. */
  methods: PaymentTypeWithLimits[] | undefined;
  /** Whether the method was chosen for this very pair. */
  isMethodSure: boolean;
  /** What works in the country, once the person's own wish does not; null where nothing does. */
  recommended: Recommended | null | undefined;
  lists: Lists;
  round: Round;
  /** The provider the person chose; the best one while they have not. */
  chosen: string | undefined;
  /** Whether all offers are shown, not only the first few. */
  isExpanded: boolean;
  /** The order of offers as it was when the person reached for them. */
  held: string[] | undefined;
  /** Providers that did not take the order, and why; for this ask only. */
  aside: Record<string, Decline>;
  wallet: WalletEntry;
  /** The offer the person saw when they went on. */
  agreed: Offer | undefined;
  isPaying: boolean;
  trouble: Trouble | undefined;
  order: Order | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

export type Menu = 'fiat' | 'crypto' | 'method' | 'country' | 'region';

/** What is said on one side: the pair, how much, how it is paid and where the coins go. */
export type Trade = Pick<State, 'pair' | 'typed' | 'isTyped' | 'field' | 'method' | 'wallet'>;

export interface Pair {
  fiat: FiatChoice;
  crypto: CryptoChoice;
}

export interface Recommended {
  pair: Pair;
  amount: string;
  method: string;
}

export interface Lists {
  currencies: Partial<Record<Side, { crypto: CryptoAsset[]; fiat: FiatCurrency[] }>>;
  countries: { code: string; name: string }[] | undefined;
  /** What the other currency may be, by the one that was chosen: `buy eur DE`. */
  partners: Record<string, string[]>;
  /** Lists that could not be had. */
  failed: Menu[];
}

/** A provider's price. */
export interface Offer {
  ramp: string;
  rate: string;
  networkFee: string;
  transactionFee: string;
  payout: string;
  /** What is handed over. */
  pays: string;
  /** Known once the round is complete. */
  quoteId: string | undefined;
  recommendations: Recommendation[];
}

export interface Refusal {
  ramp: string;
  type: DeclineType;
  message: string;
  min: string | undefined;
  max: string | undefined;
}

/** One round of asking everybody. */
export interface Round {
  serial: number;
  /** What was asked, as `keyOf` writes it. */
  key: string;
  phase: 'idle' | 'asking' | 'done' | 'failed';
  /** When its offers were complete last; when they were first asked for, until they are. */
  since: number;
  offers: Offer[];
  refusals: Refusal[];
  /** When the next one is due. */
  refreshAt: number;
}

export interface WalletEntry extends Wallet {
  /** Whether the person said that there is no memo. */
  hasNoMemo: boolean;
  flaw: WalletFlaw | undefined;
  /** Whether the address, exactly as it stands, was looked at and nothing was found. */
  isGood: boolean;
  memoFlaw: 'missing' | 'wrong' | undefined;
  /** Whether what is wrong is said: not before the person had a chance to get it right. */
  isChecked: boolean;
  /** Whether the address was found to hold its memo itself. */
  isMemoInside: boolean;
  /** Whether the page around us gave the address. */
  isGiven: boolean;
}

export interface WalletFlaw {
  kind: 'empty' | 'characters' | 'zero' | 'elsewhere' | 'testnet' | 'checksum' | 'unlike' | 'other';
  /** Networks it looks like an address of. */
  others?: string[] | undefined;
  message?: string | undefined;
}

/** What went wrong last, and where. */
export interface Trouble {
  at: 'quotes' | 'checkout';
  kind: ErrorKind | 'priceWorse' | 'offerGone';
  message: string;
  field?: string | undefined;
}

/** Why a provider did not take an order: by its own words, for the amount, or without being of any use at all. */
export type Decline =
  | { kind: 'words'; words: string }
  | { kind: 'min' | 'max'; amount: string }
  | { kind: 'silent' };

export interface Order {
  /** What the order's page is found by. */
  token: string;
  transactionId: string | undefined;
  status: TransactionStatus | undefined;
  provider: string | undefined;
}

/** What is asked of all providers. */
export interface Ask {
  side: Side;
  source: string;
  destination: string;
  amount: string;
  input: 'source' | 'destination';
  method: string;
  country: string;
  state?: string;
}

export const NO_WALLET: WalletEntry = {
  address: '',
  hasNoMemo: false,
  flaw: undefined,
  isGood: false,
  memoFlaw: undefined,
  isChecked: false,
  isMemoInside: false,
  isGiven: false,
};

export const NO_ROUND: Round = {
  serial: 0,
  key: '',
  phase: 'idle',
  since: 0,
  offers: [],
  refusals: [],
  refreshAt: Number.POSITIVE_INFINITY,
};

export function startState(setup: WidgetSetup, now: number): State {
  const { sides, choices } = setup;
  // Where the first side is not served, the other may well be.
  const side = sides.find(one => choices[one]) ?? sides[0] ?? 'buy';
  const choice = choices[side];
  return {
    setup,
    screen: 'trade',
    menu: setup.country === null ? 'country' : undefined,
    side,
    choices,
    trades: {},
    country: setup.country ?? undefined,
    region: undefined,
    ...firstTrade({ setup, side }, choice),
    methods: undefined,
    isMethodSure: choice?.method !== null && choice !== undefined,
    recommended: undefined,
    lists: { currencies: {}, countries: undefined, partners: {}, failed: [] },
    round: NO_ROUND,
    chosen: undefined,
    isExpanded: false,
    held: undefined,
    aside: {},
    agreed: undefined,
    isPaying: false,
    trouble: undefined,
    order: undefined,
    now,
  };
}

/** What a side begins with. */
export function firstTrade(
  { setup, side }: Pick<State, 'setup' | 'side'>,
  choice: Choice | undefined,
): Trade {
  const pair = choice && { fiat: choice.fiat, crypto: choice.crypto };
  return {
    pair,
    typed: typedFor({ setup, side, pair }, choice?.amount ?? null),
    isTyped: false,
    field: 'source',
    method: choice?.method ?? undefined,
    wallet: pair ? walletFor(setup, pair.crypto) : NO_WALLET,
  };
}

/** The address that the integrator gave for a coin, or none yet. */
export function walletFor(setup: WidgetSetup, crypto: CryptoChoice): WalletEntry {
  const given = setup.wallets[crypto.id] ?? setup.networkWallets[crypto.network];
  return given ? { ...NO_WALLET, ...given, isGiven: true, hasNoMemo: given.memo === undefined } : NO_WALLET;
}

/** The memo as it is meant: a pasted one brings blanks along. */
export function memoOf({ memo = '' }: Wallet): string {
  return memo.trim();
}

export function isSamePair(a: Pair, b: Pair): boolean {
  return a.fiat.id === b.fiat.id && a.crypto.id === b.crypto.id;
}

/** The currencies in the order of the trade: what is handed over, what is received. */
export function unitsOf({ side, pair }: Pick<State, 'side' | 'pair'>): [Unit, Unit] | undefined {
  if (!pair) return undefined;
  const fiat = { code: pair.fiat.code, decimals: pair.fiat.decimals, isFiat: true };
  const coin = { code: pair.crypto.code, decimals: pair.crypto.decimals, isFiat: false };
  return side === 'buy' ? [fiat, coin] : [coin, fiat];
}

/** An amount as it stands in the field of what is handed over; nothing while there is none. */
export function typedFor(
  { setup, side, pair }: Pick<State, 'setup' | 'side' | 'pair'>,
  amount: string | null,
): string {
  const [unit] = unitsOf({ side, pair }) ?? [];
  return unit && amount !== null ? typedAs(amount, unit, setup.language) : '';
}

const MOST_PLACES = 18;

export function readAmount(state: State): Typed {
  const [source, destination] = unitsOf(state) ?? [];
  const unit = state.field === 'source' ? source : destination;
  const places = Math.min(unit?.decimals ?? MOST_PLACES, MOST_PLACES);
  return readTyped(state.typed, { places, language: state.setup.language });
}

/** What is to be asked; undefined while something is missing. */
export function askOf(state: State): Ask | undefined {
  const { side, pair, method, country, region, field, isMethodSure } = state;
  const typed = readAmount(state);
  if (!pair || !country || method === undefined || !isMethodSure || !('amount' in typed)) return undefined;
  const [source, destination] =
    side === 'buy' ? [pair.fiat.id, pair.crypto.id] : [pair.crypto.id, pair.fiat.id];
  const place = placeQuery({ country, region });
  return { side, source, destination, amount: typed.amount, input: field, method, ...place };
}

export function keyOf(ask: Ask | undefined): string {
  return ask ? Object.values(ask).join(' ') : '';
}

/** Whether the person has come from where a side was not served, which it may be here. */
export function mayServeMore({ setup, choices, country }: State): boolean {
  return country !== setup.country && setup.sides.some(side => !(side in choices));
}

/** What the list of possible partners depends on. */
export function partnersKey(state: State): string {
  const spot = spotOf(state);
  if (!spot) return '';
  const { side, pair } = spot;
  return `${side} ${side === 'buy' ? pair.fiat.id : pair.crypto.id} ${placeKey(spot)}`;
}

/** What payment methods depend on. */
export function methodsKey(state: State): string {
  const spot = spotOf(state);
  return spot ? spotKey(spot) : '';
}

/** Where in the catalog the person is; undefined while it is not known. */
export function spotOf({ side, pair, country, region }: State): Spot | undefined {
  return pair && country ? { side, pair, country, region } : undefined;
}
