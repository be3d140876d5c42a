/** The adapter contract: what a provider's folder must export. An adapter is pure; the engine does all I/O. */
import type { KycTier } from '../domain/kyc.ts';
import type { Limits } from '../domain/listing.ts';
import type { Amount } from '../domain/money.ts';
import type { Ask, Decline, Price } from '../domain/offer.ts';
import type { Answers, BankTransfer, FileType, Step } from '../domain/step.ts';
import type { Deposit, Status } from '../domain/transaction.ts';
import type { Environment, Instant, MethodId, NetworkId, ProviderId, Side } from '../domain/words.ts';
import type { Context, HttpAnswer, SignatureKind, Work } from './exchange.ts';

/** What the engine knows of a provider before it asks it anything. */
export interface Manifest {
  id: ProviderId;
  name: string;
  /**
   * Named hosts with their base URLs; requests name one, so an adapter cannot be talked into calling elsewhere. `{name}`
   * stands for the value of that required setting, where the partner is a part of the address.
   */
  hosts: Readonly<Record<string, Readonly<Record<Environment, string>>>>;
  /** Hosts that are one for test and live, because the key decides which of them it is. */
  keyDecides?: readonly string[];
  sides: readonly Side[];
  /** Sides on which the provider prices an exact received amount; for the others the engine solves for it. */
  pricesDestination: readonly Side[];
  /** Their word for a payment method, and the methods of ours it covers. */
  methods: Readonly<Record<string, readonly MethodId[]>>;
  /** Their word for a network, and ours. */
  networks: Readonly<Record<string, NetworkId>>;
  /** What an operator fills in to use the provider for real. */
  settings: readonly Setting[];
  /** Whether orders of its test environment move real money and coins all the same. */
  testMovesMoney?: boolean;
  /** What is asked of the person by amount, lowest tier first; a price that says so itself knows better. */
  kyc: readonly KycTier[];
  /** Seconds from payment to coins (or payout), by payment method; `*` for every other. */
  duration: Readonly<Record<string, number>> & { readonly '*': number };
  checkout: CheckoutTerms;
  /** Their words for where an order stands, as notices use them, and ours. */
  statuses: Readonly<Record<string, Status>>;
  limits: {
    /** Requests a second we allow ourselves, and how many may come at once. */
    perSecond: number;
    burst: number;
    connections: number;
  };
}

/** How a person gets to the provider's page. */
export interface CheckoutTerms {
  /**
   * What making a page leaves behind: `link` nothing (it is only signed, and no request is sent), `session` a page that
   * is made anew at each opening, `order` an order that must not be made twice.
   */
  makes: 'link' | 'session' | 'order';
  /** Whether the page may be framed, or must be a page of its own. */
  opens: 'iframe' | 'redirect';
  /** The name in `hosts` that pages live on, by side; an adapter cannot send a person elsewhere. */
  pages: Readonly<Record<Side, string>>;
  /** The fewest that the framed page needs. */
  permissions: readonly Permission[];
  /** Seconds after which an unpaid order is given up that was left alone, where the provider never ends one itself. */
  givenUpAfter?: number;
  /** Seconds between two look-ups of one order, at the least, where the provider wants to be asked less often than we would. */
  lookEvery?: number;
  /** Whether a 429 to a checkout is about the person's address, and says nothing of how the provider is. */
  throttlesPeople?: boolean;
}

export type Permission =
  | 'accelerometer'
  | 'autoplay'
  | 'camera'
  | 'clipboard-write'
  | 'encrypted-media'
  | 'fullscreen'
  | 'geolocation'
  | 'gyroscope'
  | 'microphone'
  | 'payment'
  | 'publickey-credentials-get';

export interface Setting {
  name: string;
  label: string;
  /** Sealed at rest, and known to the adapter by name only. */
  secret: boolean;
  required: boolean;
  /** What holds when nothing is set; by environment where the provider publishes one for each. */
  fallback?: string | Readonly<Record<Environment, string>>;
  /** How values of each environment begin, where they tell: one of the other environment's is refused. */
  begins?: Readonly<Record<Environment, readonly string[]>>;
}

/** Whether a value shows by how it begins that it is one of the other environment's. */
export function isMisplaced({ begins }: Setting, environment: Environment, value = ''): boolean {
  const others = begins?.[environment === 'live' ? 'test' : 'live'] ?? [];
  return others.some(word => value.trimStart().startsWith(word));
}

/** A provider that an operator adds, speaking a protocol that we know. */
export interface Instance {
  id: ProviderId;
  name: string;
  /** Base URLs, without a slash at the end: where it answers, and where its pages live. */
  apiUrl: string;
  pagesUrl: string;
}

/** Makes the adapter of an added provider. */
export type Protocol = (instance: Instance) => Adapter;

export interface Adapter {
  manifest: Manifest;
  /** What the provider supports, in its own words; the app maps them to ours and drops what it cannot. */
  catalog(context: Context): Work<TheirListing[]>;
  quote(ask: NativeAsk, context: Context): Work<Price | Decline>;
  /**
   * Reads a 4xx answer to a quote or a checkout; undefined when it says nothing about what was refused. The engine deals
   * with 401, 403 and 429, which are about us.
   */
  decline?(answer: HttpAnswer, refused: Refused): Decline | undefined;
  /** What it never takes, told without asking: nobody is to be led to a page that cannot be made. */
  refuses?(order: Wanted): Decline | undefined;
  /** The page where the person goes on. For `link` a plain result, never an exchange. */
  checkout(order: NativeOrder, context: Context): Work<Page | Decline>;
  /** What became of an order; undefined when it cannot be asked (yet: it may take their id), or the answer cannot tell. */
  status?(order: NativeOrder, context: Context): Work<Notice[] | undefined> | undefined;
  /** Reads a 4xx answer to that; undefined when it says nothing of the order. Without this a 404 says that there is none. */
  absence?(answer: HttpAnswer, order: NativeOrder): Absence | undefined;
  webhook?: Webhook;
  steps?: Steps;
  /** Gets the secret named `token.name`, without which checkout and status cannot be asked. */
  token?: { name: string; ask(context: Context): Work<Token> };
}

/** There is no such order, or the provider has no way to tell whether there is one. */
export type Absence = 'none' | 'untold';

/** What a 4xx answer to a look-up says. */
export function absenceIn(answer: HttpAnswer, { absence }: Adapter, order: NativeOrder): Absence | undefined {
  if (absence) return absence(answer, order);
  return answer.status === 404 ? 'none' : undefined;
}

/** For a provider that asks everything through us, step by step. Each may be asked again after its answer was lost. */
export interface Steps {
  /** Makes the order; a page when this provider has no steps for it. */
  begin(order: NativeOrder, context: Context): Work<Stage | Page | Decline>;
  answer(order: NativeOrder, answer: StepAnswer, context: Context): Work<Stage | Page | Wrong | Decline>;
  /** What comes next, for somebody who waited, came back or was too late; a page when the order goes on there. */
  next(order: NativeOrder, context: Context): Work<Stage | Page | Decline>;
}

/** What comes next. */
export interface Stage {
  kind: 'stage';
  step: Step;
  /** The provider's own id of the order. */
  theirs?: string | undefined;
}

/** An answer that the provider does not take, and which one. */
export interface Wrong {
  kind: 'wrong';
  message: string;
  field?: string | undefined;
}

/** The answer to a step, known by the step's key. */
export type StepAnswer =
  | { key: string; values: Answers }
  | { key: string; file: { type: FileType; bytes: Uint8Array } };

/** An order in the provider's words. */
export interface NativeOrder {
  /** Our id of the transaction, which the provider keeps as the partner's reference. */
  id: string;
  side: Side;
  fiat: Ask['fiat'];
  asset: Ask['asset'];
  method: MethodId;
  country: Ask['country'];
  /** What the customer hands over: fiat on a buy, the asset on a sell. */
  amount: Amount;
  native: NativeAsk['native'];
  /** Where coins go on a buy; where they come back to on a sell that fails, when known. */
  wallet: { address: string; memo?: string | undefined } | undefined;
  /** The person's e-mail address, where they were asked for it by us. For bodies alone: no link may hold it. */
  email: string | undefined;
  /** Where the provider sends the person when they are done. */
  returnUrl: string;
  /** Where the provider's webhooks go, for those that are told with each order. */
  hookUrl: string;
  theme: { isDark: boolean; primaryColor?: string | undefined };
  /** The provider's own id of the order, once it is known, and what opens it where the id alone does not. */
  theirs: string | undefined;
  access: string | undefined;
  createdAt: Instant;
  /** Address of the person's device; known while they are at the door only, and never stored. */
  clientIp: string | undefined;
}

/** An order as far as it says what is wanted. */
export type Wanted = Pick<NativeOrder, 'side' | 'fiat' | 'native' | 'amount' | 'wallet'>;

/** A provider's page to show to the person. */
export interface Page {
  kind: 'page';
  url: string;
  /** The provider's own id of the order, when making the page made one. */
  theirs?: string | undefined;
}

export interface Token {
  secret: string;
  until: Instant;
}

/** What a provider says of an order. */
export interface Notice {
  /** Our reference, theirs, or both. */
  reference?: string | undefined;
  theirs?: string | undefined;
  /** A key of the manifest's statuses; any other moves nothing and is counted. */
  word: string;
  /** When it was so, by their clock. */
  at?: Instant | undefined;
  reason?: string | undefined;
  hash?: string | undefined;
  paid?: Amount | undefined;
  received?: Amount | undefined;
  /** With what is to be sent, in their words, where the person may have chosen another coin: its address is not shown then. */
  deposit?: (Deposit & { asset?: string | undefined }) | undefined;
  /** The person has sent what they sell. */
  sent?: boolean | undefined;
  /** Where coins of a buy go, for providers that let the person say which order it is: what goes elsewhere is not ours. */
  wallet?: string | undefined;
  /** For the same providers what is traded, in their words: with another coin it is not ours, and sums in another fiat are not read. */
  asset?: string | undefined;
  fiat?: string | undefined;
  /** The bank transfer that the person is to make. */
  bank?: BankTransfer | undefined;
  /** What opens the order where its id alone does not; kept sealed. */
  access?: string | undefined;
  /** Coins of a sell go back to the wallet when there is one: then this failure is a refund. */
  returns?: boolean | undefined;
}

export interface Webhook {
  /**
   * What must be true for the delivery to be the provider's: one valid claim suffices, none never does. It finds the
   * signature and what it covers, and believes nothing; the engine does the cryptography in constant time and checks the
   * moment.
   */
  claims(delivery: Delivery): readonly Claim[];
  /** Called for proven deliveries only. */
  read(delivery: Delivery): Notice[];
  /** What of a proven delivery may be kept, as JSON that `read` understands, and no header; all of it without this. */
  kept?(delivery: Delivery): unknown;
  /** Orders that a delivery which no claim proves is about: nothing in it is believed, and they are looked up at once. */
  hints?(delivery: Delivery): readonly Hint[];
}

/** An order that something may have happened to: our reference, theirs, or both. */
export type Hint = Pick<Notice, 'reference' | 'theirs'>;

/** A webhook as it came. */
export interface Delivery {
  headers: Readonly<Record<string, string>>;
  /** The path it was sent to, as the sender knows it. */
  path: string;
  /** The query string, from `?`; empty without one. */
  search: string;
  raw: Uint8Array;
  /** The raw bytes as text, and as parsed JSON with every number as its own text; undefined when they are not. */
  text: string;
  body: unknown;
}

/** "These parts, one after the other, were signed so." */
export interface Claim {
  how: SignatureKind;
  /** Name of the secret or public key; a token's name means the current one or the one before it. */
  secret: string;
  signed: readonly (string | Uint8Array)[];
  signature: string;
  /** When it was signed, if that was signed too; too far from now and the claim is void. */
  at?: Instant | undefined;
}

/** An ask with the provider's own words for what it names. */
export interface NativeAsk extends Ask {
  native: { fiat: string; asset: string; network: string; method: string };
}

/** What was refused: an ask, or an order, whose amount is always what the customer hands over. */
export type Refused = Pick<NativeAsk, 'side' | 'fiat' | 'asset' | 'amount' | 'native'> &
  Partial<Pick<NativeAsk, 'amountOf'>>;

/** One block of a provider's catalog: every asset goes with every fiat and that fiat's methods. */
export interface TheirListing {
  side: Side;
  /** Alpha-2 codes served; absent when the provider does not restrict them. */
  countries?: readonly string[] | undefined;
  assets: readonly TheirAsset[];
  fiats: readonly TheirFiat[];
}

export interface TheirAsset extends Limits {
  /** The word to use when asking for it. */
  code: string;
  /** Our id of it, where their protocol speaks in our ids; then nothing else needs to be recognised. */
  id?: string | undefined;
  /** The ticker, by which a network's own coin is recognised. */
  symbol: string;
  network: string;
  /** Token contract; absent for a network's own coin. */
  contract?: string | undefined;
  /** With how many decimal places amounts of it are taken at most, where that is told. */
  places?: number | undefined;
  /** Alpha-2 codes, or those of states such as `US-NY`. */
  notIn?: readonly string[] | undefined;
}

export interface TheirFiat {
  code: string;
  places?: number | undefined;
  methods: readonly TheirMethod[];
}

export interface TheirMethod extends Limits {
  /** The word to use when asking for it. */
  code: string;
  /** The word in the manifest's methods, where the one above is the partner's own. */
  kind?: string | undefined;
  onlyIn?: readonly string[] | undefined;
}

/** Whether a notice is about this order: a look-up may find what is somebody else's. */
export function isAbout(order: NativeOrder): (notice: Notice) => boolean {
  return ({ reference, theirs }) =>
    reference === undefined ? theirs !== undefined && theirs === order.theirs : reference === order.id;
}

/** Whether a provider is nowhere but in the sandbox: names below `.invalid` never exist (RFC 2606). */
export function isMadeUp({ hosts }: Manifest): boolean {
  const bases = Object.values(hosts).flatMap(host => Object.values(host));
  return bases.some(base => /^https:\/\/[^/]*\.invalid(\/|$)/.test(base));
}
