/** Surfaces: which of the two a request is for. They differ in how errors look, and in what pages may send along. */

/** Tells whether a URL, as it stands in the request line, belongs to the earlier surface. */
export type IsEarlier = (url: string) => boolean;

/** Where the earlier surface lives on this listener: a path such as `/legacy`, or empty for the root. */
export function earlierBelow(path: string): IsEarlier {
  // Side by side at the root, the first word of the path tells them apart.
  if (path === '') return url => EARLIER_WORDS.test(url);
  return url => url.startsWith(path) && /^([/?]|$)/.test(url.slice(path.length));
}

const EARLIER_WORDS = /^\/(gateways|rate|routing|sell|transaction)([/?]|$)/;
