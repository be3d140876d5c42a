/** The adapter contract: what a provider's folder must export. An adapter is pure; the engine does all I/O. */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { KycTier } from '../domain/kyc.ts';
import { type Amount, readDecimal } from '../domain/money.ts';
import type { Ask, Decline, Price } from '../domain/offer.ts';
import type { Environment, Instant, MethodId, NetworkId, ProviderId, Side } from '../domain/words.ts';

/** What the engine knows of a provider before it asks it anything. */
export interface Manifest {
  id: ProviderId;
  name: string;
  /** Named hosts with their base URLs; requests name one, so an adapter cannot be talked into calling elsewhere. */
  hosts: Readonly<Record<string, Readonly<Record<Environment, string>>>>;
  sides: readonly Side[];
  /** Sides on which the provider prices an exact received amount; for the others the engine solves for it. */
  pricesDestination: readonly Side[];
  /** Their word for a payment method, and the methods of ours it covers. */
  methods: Readonly<Record<string, readonly MethodId[]>>;
  /** Their word for a network, and ours. */
  networks: Readonly<Record<string, NetworkId>>;
  /** What an operator fills in to use the provider for real. */
  settings: readonly Setting[];
  /** What is asked of the person by amount, lowest tier first. */
  kyc: readonly KycTier[];
  limits: {
    /** Requests a second we allow ourselves, and how many may come at once. */
    perSecond: number;
    burst: number;
    connections: number;
  };
}

export interface Setting {
  name: string;
  label: string;
  /** Sealed at rest, and known to the adapter by name only. */
  secret: boolean;
  required: boolean;
  fallback?: string;
}

export interface Adapter {
  manifest: Manifest;
  /** What the provider supports, in its own words; the app maps them to ours and drops what it cannot. */
  catalog(context: Context): Work<TheirListing[]>;
  quote(ask: NativeAsk, context: Context): Work<Price | Decline>;
  /**
   * Reads a 4xx answer to a quote; undefined when it says nothing about the ask. The engine deals with 401, 403 and 429,
   * which are about us.
   */
  decline?(answer: HttpAnswer, ask: NativeAsk): Decline | undefined;
}

/** An ask with the provider's own words for what it names. */
export interface NativeAsk extends Ask {
  native: { fiat: string; asset: string; network: string; method: string };
}

/** One block of a provider's catalog: every asset goes with every fiat and that fiat's methods. */
export interface TheirListing {
  side: Side;
  /** Alpha-2 codes served; absent when the provider does not restrict them. */
  countries?: readonly string[] | undefined;
  assets: readonly TheirAsset[];
  fiats: readonly TheirFiat[];
}

export interface TheirAsset {
  /** The word to use when asking for it. */
  code: string;
  /** The ticker, by which a network's own coin is recognised. */
  symbol: string;
  network: string;
  /** Token contract; absent for a network's own coin. */
  contract?: string | undefined;
  min?: Amount | undefined;
  max?: Amount | undefined;
  notIn?: readonly string[] | undefined;
}

export interface TheirFiat {
  code: string;
  methods: readonly TheirMethod[];
}

export interface TheirMethod {
  code: string;
  min?: Amount | undefined;
  max?: Amount | undefined;
  onlyIn?: readonly string[] | undefined;
}

/** A result, or the next thing to ask. */
export type Work<T> = T | Exchange<T>;

/** One request and how to read its answer. */
export interface Exchange<T> {
  kind: 'exchange';
  request: HttpRequest;
  /** Called for answers below 400 only. */
  read(answer: HttpAnswer): Work<T>;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT';
  /** A name in `manifest.hosts`. */
  host: string;
  path: string;
  query?: Readonly<Record<string, string | undefined>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Parsed JSON, every number as its own text; undefined when the body is not JSON. */
  body: unknown;
}

export type SignatureKind = 'hmac-sha256-hex' | 'hmac-sha256-base64' | 'sha512-hex';

/** What an adapter may know of the world. */
export interface Context {
  now: Instant;
  /** Unique to this piece of work. */
  id: string;
  /** Settings that are not secret. */
  settings: Readonly<Record<string, string>>;
  /** A placeholder that the engine swaps for the secret when it sends; the adapter never sees one. */
  secret(name: string): string;
  sign(how: SignatureKind, secretName: string, text: string): string;
}

export function exchange<T>(request: HttpRequest, read: (answer: HttpAnswer) => Work<T>): Exchange<T> {
  return { kind: 'exchange', request, read };
}

/** Thrown by an adapter that cannot make sense of an answer; costs the provider its quote and is counted. */
export class BadAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BadAnswer';
  }
}

/** Any JSON number or numeric string, which both arrive as text. */
export const Numeric = Type.String({ maxLength: 90 });

/** Describes JSON of theirs; the result reads a value or throws BadAnswer naming the place. Compiled on first use. */
export function wire<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  let compiled: ReturnType<typeof Compile<T>> | undefined;
  return value => {
    compiled ??= Compile(schema);
    if (compiled.Check(value)) return value as Static<T>;
    const [error] = compiled.Errors(value);
    throw new BadAnswer(`${error?.instancePath || '/'} ${error?.message ?? 'is not as documented'}`);
  };
}

/** Whether two words are the same but for their case. */
export function isSameWord(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase();
}

/** Reads a number of theirs. */
export function amount(text: unknown): Amount {
  const value = readDecimal(text);
  if (!value) throw new BadAnswer(`not a number: ${String(text).slice(0, 40)}`);
  return value;
}

/** Reads a number of theirs that may be missing. */
export function amountIfAny(text: string | null | undefined): Amount | undefined {
  return text === null || text === undefined || text === '' ? undefined : amount(text);
}
