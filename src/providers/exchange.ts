/** What passes between an adapter and the engine: requests and how their answers are read, and what an adapter may know. */
import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Amount, readDecimal, ZERO } from '../domain/money.ts';
import type { Instant } from '../domain/words.ts';

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
  /** At most one of these: JSON, the fields of a form, or a file. */
  body?: unknown;
  form?: Readonly<Record<string, string | undefined>>;
  file?: { type: string; bytes: Uint8Array };
}

export interface HttpAnswer {
  status: number;
  /** How long to leave the provider alone, in its own words. */
  retryAfter?: string | undefined;
  /** Parsed JSON, every number as its own text; undefined when the body is not JSON. */
  body: unknown;
}

/**
 * Kinds from `ed25519` on have a private key to sign with and a public one to prove with; `digest` says that not the
 * text itself is signed but its SHA-512 in lower-case hexadecimal.
 */
export type SignatureKind =
  | 'hmac-sha256-hex'
  | 'hmac-sha256-base64'
  | 'hmac-sha256-base64url'
  | 'sha512-hex'
  | 'standard-webhooks'
  | 'ed25519-base64'
  | 'ed25519-base64url'
  | 'es256-base64url'
  | 'secp256k1-base64'
  | 'rsa-sha256-base64'
  | 'rsa-pss-sha512-base64'
  | 'rsa-pss-sha512-digest-base64';

/** What an adapter may know of the world. */
export interface Context {
  now: Instant;
  /** Unique to this piece of work. */
  id: string;
  /** Settings that are not secret. */
  settings: Readonly<Record<string, string>>;
  /** A placeholder that the engine swaps for the secret when it sends; the adapter never sees one. */
  secret(name: string): string;
  /** Whether a secret is set at all. */
  has(name: string): boolean;
  sign(how: SignatureKind, secretName: string, text: string): string;
  /** Base URL of a host in the manifest, for building links to its pages. */
  base(host: string): string;
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

/** Thrown by an adapter that reads in an answer, whatever its status, that our credentials are refused. */
export class Unauthorized extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unauthorized';
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

/** Reads entries one by one, so that an odd one costs only itself. */
export function readable<E, T>(entries: readonly E[], readEntry: (entry: E) => T): T[] {
  return entries.flatMap(entry => {
    try {
      return [readEntry(entry)];
    } catch (error) {
      if (error instanceof BadAnswer) return [];
      throw error;
    }
  });
}

const readList = wire(Type.Array(Type.Unknown()));

/** The entries of a list, which may be empty; one of which nothing can be read is no list. */
export function readEntries<T>(list: unknown, readEntry: (entry: unknown) => T): T[] {
  const all = readList(list);
  const entries = readable(all, readEntry);
  if (all.length > 0 && entries.length === 0) throw new BadAnswer('no entry is as documented');
  return entries;
}

/** The entries of a list that cannot be empty. */
export function readSome<T>(list: unknown, readEntry: (entry: unknown) => T): T[] {
  const entries = readEntries(list, readEntry);
  if (entries.length === 0) throw new BadAnswer('there is no entry');
  return entries;
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

/** Reads a fee of theirs, which may be missing where there is none; what is there must be one. */
export function feeIfAny(text: string | null | undefined): Amount {
  return text === null || text === undefined ? ZERO : amount(text);
}

/** Reads a number of theirs that may be missing. */
export function amountIfAny(text: string | null | undefined): Amount | undefined {
  return text === null || text === undefined || text === '' ? undefined : amount(text);
}
