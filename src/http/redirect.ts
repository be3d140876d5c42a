/** Redirects: the way back to a shop, by one rule wherever its address comes in. */
import { isLoopback } from '../app/accounts.ts';

/** What is wrong with an address, as the end of a sentence about it. */
export interface WrongRedirect {
  wrong: string;
}

const LONGEST_URL = 2_048;
/** Scheme, and what stands up to the path; a parser forgives fewer slashes, and blanks. */
const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;

/** As a URL parser writes it: encoded once or not at all, to one of the hosts, which the account has registered. */
export function readRedirect(sent: string, hosts: readonly string[]): string | WrongRedirect {
  const text = sent.includes('://') ? sent : decode(sent);
  const authority = text === undefined ? undefined : ABSOLUTE.exec(text)?.[1];
  if (text === undefined || authority === undefined || /[\s\\\p{C}]/u.test(text) || !URL.canParse(text))
    return { wrong: 'must be an absolute https URL, URL-encoded once or not at all' };
  const url = new URL(text);
  if (text.length > LONGEST_URL || url.href.length > LONGEST_URL)
    return { wrong: `is longer than ${LONGEST_URL} characters` };
  if (authority.includes('@')) return { wrong: 'must not hold a user name' };
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) return { wrong: 'must use https' };
  if (!hosts.includes(url.host)) return { wrong: 'leads to a host that is not registered for the account' };
  return url.href;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
