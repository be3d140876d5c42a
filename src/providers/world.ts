/** The stand-in contract: how a provider's API is imitated for the sandbox, and what the imitation can see. */
import type { Asset, Currencies } from '../domain/currency.ts';
import type { Amount } from '../domain/money.ts';
import type { Instant } from '../domain/words.ts';
import type { SignatureKind } from './exchange.ts';
import type { Flow } from './hosted.ts';

export interface Standin {
  /** Settings, secrets included, that the stand-in's adapter uses; the stand-in refuses others as the provider would. */
  settings: Readonly<Record<string, string>>;
  routes: readonly StandinRoute[];
}

export interface StandinRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The name in the manifest's hosts that this route imitates. */
  host: string;
  /** The provider's real path; `:name` segments are parameters. */
  path: string;
  answer(request: StandinRequest, world: World): StandinAnswer;
}

export interface StandinRequest {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  /** The query string as it came, from `?`; empty without one. */
  search: string;
  headers: Readonly<Record<string, string>>;
  /** The address it came from. */
  ip: string;
  /** Parsed JSON with numbers as text; undefined without a body. */
  body: unknown;
  /** The fields of a form that was sent; none for any other body. */
  form: Readonly<Record<string, string>>;
  rawBody: string;
}

/** Amounts in `body` are written as exact JSON numbers; a string body is sent as it stands. */
export interface StandinAnswer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: unknown;
}

export interface World {
  now: Instant;
  market: Market;
  currencies: Currencies;
  /** A new id, unique in this world. */
  id(): string;
  sign(how: SignatureKind, key: string, signed: string | readonly (string | Uint8Array)[]): string;
  /** Whether it is what the key signed; a private key stands for its public one. */
  isSigned(
    how: SignatureKind,
    key: string,
    signed: string | readonly (string | Uint8Array)[],
    signature: string,
  ): boolean;
  /** The URL that a host of this provider is mounted at. */
  base(host: string): string;
  /** The path of the address that this provider was given for its webhooks. */
  hookPath: string;
  /** What became of everyone who opened this provider's pages. */
  orders: Memory<Flow>;
  /** Whatever else this provider has to remember. */
  notes: Memory<string>;
  /** Sends a webhook to the service: at least once, in no particular order. */
  notify(webhook: OutgoingWebhook): void;
  /** Does something after a while, in the world as it is then. */
  later(ms: number, act: (world: World) => void): void;
}

/** What one provider remembers. It holds so much and no more: the oldest is forgotten first. */
export interface Memory<T> {
  get(key: string): T | undefined;
  put(key: string, value: T): void;
  /** Oldest first. */
  find(fits: (value: T) => boolean): T[];
}

export interface OutgoingWebhook {
  /** The provider that the address given with the order belongs to, where it is not the stand-in's own. */
  to?: string;
  /** The query string of the address the provider was given with the order, from `?`. */
  search?: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The signature as it stands in the headers or the body, for those who want to spoil it. */
  signature: string;
  /** The answers that count as received; any 2xx when nothing is said. */
  received?: readonly number[];
}

/** One synthetic market that feeds every stand-in, so that their prices differ by their own fees only. */
export interface Market {
  /** Fiat for one unit of the asset; undefined when the market does not know one of them. */
  price(asset: Asset, fiatCode: string): Amount | undefined;
  /** What moving the asset on its network costs, in the fiat. */
  networkFee(asset: Asset, fiatCode: string): Amount | undefined;
  /** How much of the fiat one euro is worth. */
  perEuro(fiatCode: string): Amount | undefined;
}
