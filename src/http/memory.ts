/** Memory of catalog answers: written once, sent many times, forgotten when the catalog changes. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Head, headOf } from './head.ts';

export interface Kept {
  body: Buffer;
  etag: string;
  /** The head of a 200, and of a 304. */
  full: Head;
  unchanged: Head;
}

/** Whose answer it is: that of one key, in one country. */
export interface Reader {
  authorization: string | undefined;
  country: string | undefined;
}

export interface Memory {
  get(url: string, authorization: string | undefined, country: string | undefined): Kept | undefined;
  keep(url: string, reader: Reader, text: string): Kept;
  /** What is kept under one URL is found under another one as well. */
  link(url: string, reader: Reader, kept: Kept): void;
  /** A value derived from the catalog, made again only after it changed. */
  derive<T extends object>(key: string, make: () => T): T;
  forget(): void;
}

const CATALOG_CACHE = 'private, max-age=60';
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_DERIVED = 10_000;

export function createMemory(): Memory {
  // Few readers ask for one URL, so going through them is quicker than any key made of all three.
  const answers = new Map<string, (Reader & { kept: Kept })[]>();
  const derived = new LRUCache<string, object>({ max: MOST_DERIVED });
  let bytes = 0;

  function get(
    url: string,
    authorization: string | undefined,
    country: string | undefined,
  ): Kept | undefined {
    const known = answers.get(url);
    if (known === undefined) return undefined;
    for (const entry of known) {
      if (entry.authorization === authorization && entry.country === country) return entry.kept;
    }
    return undefined;
  }

  function add(url: string, reader: Reader, { kept, bodyBytes }: { kept: Kept; bodyBytes: number }): void {
    const size = bodyBytes + url.length + (reader.authorization?.length ?? 0) + OVERHEAD_BYTES;
    bytes += size;
    if (bytes > MOST_BYTES) {
      answers.clear();
      bytes = size;
    }
    const others = (answers.get(url) ?? []).filter(
      entry => entry.authorization !== reader.authorization || entry.country !== reader.country,
    );
    answers.set(url, [...others.slice(-MOST_READERS), { ...reader, kept }]);
  }

  return {
    get,
    keep(url, reader, text) {
      const kept = wrap(Buffer.from(text));
      add(url, reader, { kept, bodyBytes: kept.body.length });
      return kept;
    },
    link: (url, reader, kept) => add(url, reader, { kept, bodyBytes: 0 }),
    derive<T extends object>(key: string, make: () => T): T {
      const known = derived.get(key);
      if (known) return known as T;
      const value = make();
      derived.set(key, value);
      return value;
    },
    forget() {
      answers.clear();
      bytes = 0;
      derived.clear();
    },
  };
}

/** Readers of one URL that are remembered; going through more would cost more than answering anew. */
const MOST_READERS = 50;
const OVERHEAD_BYTES = 1_000;

function wrap(body: Buffer): Kept {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const common = ['etag', etag, 'cache-control', CATALOG_CACHE, 'vary', 'Origin, Authorization'];
  const content = ['content-type', 'application/json; charset=utf-8', 'content-length', String(body.length)];
  return { body, etag, full: headOf([...common, ...content]), unchanged: headOf(common) };
}
