/** Search: the query of a request as it stands behind its path. */
import { remembered } from '../domain/remembered.ts';

declare const written: unique symbol;
/** Nothing is in it that needs looking for. */
export type Search = string & { readonly [written]: true };

/** Writes what is not undefined; `reveal` is asked for each value as it is to be sent. */
export function searchOf(
  query: Readonly<Record<string, string | undefined>> | undefined,
  reveal: (text: string) => string,
): Search {
  let search = '';
  let writeName = writeFirst;
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    search += writeName(name) + encode(reveal(value));
    writeName = writeNext;
  }
  return search as Search;
}

/** Adapters know a few names, which are the same every time. */
const writeFirst = remembered(name => `?${encode(name)}=`);
const writeNext = remembered(name => `&${encode(name)}=`);

/** Most words need no encoding, and finding that out costs less than doing it. */
function encode(word: string): string {
  return /^[\w.~-]*$/.test(word) ? word : encodeURIComponent(word);
}
