/** The stand-in contract: how a provider's API is imitated for the sandbox, and what the imitation can see. */
import type { Asset, Currencies } from '../domain/currency.ts';
import type { Amount } from '../domain/money.ts';
import type { Instant } from '../domain/words.ts';
import type { SignatureKind } from './contract.ts';

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
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON with numbers as text; undefined without a body. */
  body: unknown;
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
  sign(how: SignatureKind, key: string, text: string): string;
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
