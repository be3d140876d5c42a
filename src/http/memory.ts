/** Memory of catalog answers: written once, sent many times, forgotten when the catalog changes. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

export interface Kept {
  body: Buffer;
  etag: string;
  /** The headers of a 200, and of a 304, as a flat list. */
  head: readonly string[];
  unchangedHead: readonly string[];
}

export interface Memory {
  get(key: string): Kept | undefined;
  keep(key: string, text: string): Kept;
  /** A value derived from the catalog, made again only after it changed. */
  derive<T extends object>(key: string, make: () => T): T;
  forget(): void;
}

const CATALOG_CACHE = 'private, max-age=60';
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_DERIVED = 10_000;

export function createMemory(): Memory {
  const answers = new LRUCache<string, Kept>({
    maxSize: MOST_BYTES,
    sizeCalculation: (kept, key) => kept.body.length + key.length,
  });
  const derived = new LRUCache<string, object>({ max: MOST_DERIVED });
  return {
    get: key => answers.get(key),
    keep(key, text) {
      const body = Buffer.from(text);
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      const unchangedHead = ['etag', etag, 'cache-control', CATALOG_CACHE, 'vary', 'Origin, Authorization'];
      const content = [
        'content-type',
        'application/json; charset=utf-8',
        'content-length',
        String(body.length),
      ];
      const kept = { body, etag, head: [...unchangedHead, ...content], unchangedHead };
      answers.set(key, kept);
      return kept;
    },
    derive<T extends object>(key: string, make: () => T): T {
      const known = derived.get(key);
      if (known) return known as T;
      const value = make();
      derived.set(key, value);
      return value;
    },
    forget() {
      answers.clear();
      derived.clear();
    },
  };
}
