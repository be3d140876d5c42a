/** Links to providers' pages: query strings that stay as they are on the way, so that they can be signed. */

/**
 * The query string from `?` on, every value encoded and those that are undefined left out. The apostrophe is encoded
 * too: a browser does so when it opens the link, and would break the signature.
 */
export function writeSearch(parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value).replaceAll("'", '%27')}`],
  );
  return `?${pairs.join('&')}`;
}
