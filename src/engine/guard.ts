/** The guard: which addresses may be connected to when somebody else has chosen the URL. */
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Why a URL may not be called, in words that give nothing away about our own network. */
export interface Refusal {
  refused: string;
}

/** A URL, and the addresses its host has been found to have; no other may be connected to. */
export interface Place {
  url: URL;
  addresses: readonly LookupAddress[];
}

export interface Guard {
  /** Reads a URL as far as that goes without asking anybody. */
  read(text: string): URL | Refusal;
  /** Reads a URL and looks its host up. To be asked before every connection: names move. */
  locate(text: string): Promise<Place | Refusal>;
}

export interface GuardOptions {
  /** Hosts of the operator's own network, `host` or `host:port`, that may be private and without TLS. */
  allowedHosts: readonly string[];
  /** All addresses of a host name; throws when there are none. */
  resolve?(host: string): Promise<readonly LookupAddress[]>;
}

const LONGEST_URL = 2_048;
/** Where https is served; nothing else that listens may be spoken to. */
const PORTS: ReadonlySet<string> = new Set(['443', '8443']);
/** Those of an allowed host that is listed without a port. */
const ALLOWED_PORTS: ReadonlySet<string> = new Set(['80', '443', '8443']);
/** More addresses than this are not tried. */
const MOST_ADDRESSES = 4;
/** How long a name server is waited for, at first. */
const NAMING = { timeout: 2_000, tries: 2 };

export function createGuard({ allowedHosts, resolve }: GuardOptions): Guard {
  const allowed = new Set(allowedHosts);

  function isAllowed({ hostname, protocol, port }: URL): boolean {
    const known = port || (protocol === 'https:' ? '443' : '80');
    return allowed.has(`${hostname}:${known}`) || (allowed.has(hostname) && ALLOWED_PORTS.has(known));
  }

  function read(text: string): URL | Refusal {
    const url = parse(text);
    if (!url) return refuse('must be an absolute https URL of at most 2,048 plain characters');
    if (url.username || url.password || /^[^/]*\/\/[^/?]*@/.test(text))
      return refuse('must not hold a user or a password');
    if (text.includes('#')) return refuse('must not have a fragment');
    if (isAllowed(url)) return url;
    if (url.protocol !== 'https:') return refuse('must begin with https://');
    if (!PORTS.has(url.port || '443')) return refuse('must use port 443 or 8443');
    const literal = literalOf(url);
    if (literal ? !isPublic(literal) : !isQualified(url.hostname))
      return refuse('must name a host on the public internet');
    return url;
  }

  return {
    read,
    async locate(text) {
      const url = read(text);
      if ('refused' in url) return url;
      const addresses = await addressesOf(url, resolve ?? (isAllowed(url) ? lookUp : query));
      if (addresses.length === 0) return refuse('has a host that cannot be found');
      // One private address among public ones is reason enough: which of them is used is chance.
      if (!isAllowed(url) && !addresses.every(({ address }) => isPublic(address)))
        return refuse('has a host whose address is not on the public internet');
      return { url, addresses: addresses.slice(0, MOST_ADDRESSES) };
    },
  };
}

function refuse(reason: string): Refusal {
  return { refused: reason };
}

/** Parsers forgive blanks, backslashes and missing slashes, each in its own way; what needs forgiving is refused. */
function parse(text: string): URL | undefined {
  if (text.length > LONGEST_URL || !/^https?:\/\/[!-.0-[\]-~][!-[\]-~]*$/i.test(text)) return undefined;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** The address a host is written as; the URL parser has brought every notation into the usual one. */
function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) ? bare : undefined;
}

/** Last labels of names that mean something inside a network only, or nowhere (RFC 6761, 6762, 7686 and 8375, and ICANN's own). */
const INSIDE: ReadonlySet<string> = new Set(['localhost', 'local', 'internal', 'arpa', 'onion', 'invalid']);

/** Several names with dots between them; one alone, or a dot at the end, is for networks of one's own. */
function isQualified(hostname: string): boolean {
  const labels = hostname.split('.');
  return labels.length > 1 && !labels.includes('') && !INSIDE.has(labels.at(-1) ?? '');
}

async function addressesOf(
  url: URL,
  resolve: (host: string) => Promise<readonly LookupAddress[]>,
): Promise<readonly LookupAddress[]> {
  const literal = literalOf(url);
  if (literal) return [{ address: literal, family: isIP(literal) }];
  try {
    return await resolve(url.hostname);
  } catch {
    return [];
  }
}

/** As the machine itself finds hosts: the operator's own may have names that no name server knows. */
function lookUp(host: string): Promise<LookupAddress[]> {
  return dns.lookup(host, { all: true });
}

/**
 * Asks the name servers directly. The machine's own way holds one of few threads, which providers are looked up on as
 * well: a name whose server is dead would keep us from them. Made anew each time: the servers may be others by now.
 */
async function query(host: string): Promise<LookupAddress[]> {
  const resolver = new dns.Resolver(NAMING);
  const [four, six] = await Promise.all([
    resolver.resolve4(host).catch((): string[] => []),
    resolver.resolve6(host).catch((): string[] => []),
  ]);
  const both = Array.from({ length: Math.max(four.length, six.length) }, (_, at) => [four[at], six[at]]);
  return both.flat().flatMap(address => (address === undefined ? [] : [{ address, family: isIP(address) }]));
}

/** What every IPv6 host on the public internet has an address in (RFC 4291). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** Stands for IPv4 addresses where there is no IPv4 (RFC 6052). */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** Whether an address belongs to a host on the public internet: to no special range of any registry. */
export function isPublic(address: string): boolean {
  // Short, octal and hexadecimal spellings mean different things to different readers.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address).range() === 'unicast';
  if (!ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.match(NAT64)) return isPublic(parsed.toByteArray().slice(12).join('.'));
  return parsed.match(GLOBAL_UNICAST) && parsed.range() === 'unicast';
}
