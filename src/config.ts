/** Configuration: read from the environment once, checked, and frozen. Nothing else reads the environment. */
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';

export interface Config {
  host: string;
  port: number;
  /** Absent: derived from the port the service listens on. */
  publicUrl: string | undefined;
  /** Where the earlier surface is found from outside. Absent: below the public URL, at `legacyPath`. */
  publicLegacyUrl: string | undefined;
  /** Where the earlier surface is on our own listener; empty for the root. */
  legacyPath: string;
  dataDir: string;
  /** Absent: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined;
  /** How long a request waits for the database before whoever sent it is told to come back. */
  databasePatienceMs: number;
  /** Absent: made once and kept in `dataDir`. */
  masterKey: Buffer | undefined;
  quoteDeadlineMs: number;
  /** Requests a second that one key may send, and one address without a key; 0 for as many as it likes. */
  rateLimitPerKey: number;
  rateLimitPerAddress: number;
  /** Quotes that may be under way at once, not counting those that share one; 0 for no bound but that of connections. */
  quotesAtOnce: number;
  /** How late everything may be before quotes and questions are refused, in milliseconds; 0 for however late. */
  mostDelayMs: number;
  /** How long everything is still served after a SIGTERM, while balancers notice that we are going. */
  stopNoticeMs: number;
  trustedProxies: readonly string[];
  /** Hosts of the operator's own network, `host` or `host:port`, that webhooks may go to and that may be without TLS. */
  webhookAllowedHosts: readonly string[];
  /** The country of callers whose address tells none: loopback and private networks. */
  defaultCountry: string | undefined;
  /** Whether the local stand-ins of the providers run; they listen on the next port. */
  sandbox: boolean;
  /** Whether calls without a key are served, as the built-in account `public`. */
  anonymous: boolean;
  logLevel: string;
}

/** One line that names the variable. */
export class ConfigFault extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

export function readConfig(env: Environment = process.env): Readonly<Config> {
  const sandbox = readSwitch(env, 'SANDBOX', true);
  const publicUrl = readUrl(env, 'PUBLIC_URL');
  const publicLegacyUrl = readUrl(env, 'PUBLIC_LEGACY_URL');
  return Object.freeze({
    host: env.HOST || '127.0.0.1',
    port: readInteger(env, 'PORT', { fallback: 8080, min: 0, max: 65_534 }),
    publicUrl,
    publicLegacyUrl,
    legacyPath: legacyPathOf(publicLegacyUrl, publicUrl),
    dataDir: resolve(env.DATA_DIR || 'data'),
    databaseUrl: readDatabaseUrl(env),
    databasePatienceMs: readInteger(env, 'DATABASE_PATIENCE_MS', { fallback: 600, min: 100, max: 30_000 }),
    masterKey: readKey(env, 'MASTER_KEY'),
    quoteDeadlineMs: readInteger(env, 'QUOTE_DEADLINE_MS', { fallback: 2_000, min: 50, max: 30_000 }),
    rateLimitPerKey: readInteger(env, 'RATE_LIMIT_PER_KEY', { fallback: 500, min: 0, max: 1_000_000 }),
    rateLimitPerAddress: readInteger(env, 'RATE_LIMIT_PER_ADDRESS', {
      ...{ fallback: 100, min: 0, max: 1_000_000 },
    }),
    quotesAtOnce: readInteger(env, 'QUOTES_AT_ONCE', { fallback: 1_000, min: 0, max: 100_000 }),
    mostDelayMs: readInteger(env, 'MOST_DELAY_MS', { fallback: 250, min: 0, max: 60_000 }),
    stopNoticeMs: readInteger(env, 'STOP_NOTICE_MS', { fallback: 1_000, min: 0, max: 60_000 }),
    trustedProxies: readRanges(env, 'TRUSTED_PROXIES'),
    webhookAllowedHosts: readHosts(env, 'WEBHOOK_ALLOWED_HOSTS'),
    defaultCountry: readCountry(env, 'DEFAULT_COUNTRY') ?? (sandbox ? 'DE' : undefined),
    sandbox,
    anonymous: readSwitch(env, 'ANONYMOUS', true),
    logLevel: readWord(env, 'LOG_LEVEL', {
      fallback: 'info',
      words: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    }),
  });
}

/** Where what listens on HOST is reached from this machine. */
export function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Names HOST or PORT where nothing can listen there. */
export async function listening<T>(begun: Promise<T>): Promise<T> {
  try {
    return await begun;
  } catch (error) {
    const { code, message, port, syscall } = error as NodeJS.ErrnoException & { port?: number };
    if (code === 'EADDRINUSE')
      throw new ConfigFault(
        `PORT ${port} is in use: set PORT to a free one (the sandbox takes the one after it)`,
      );
    if (code === 'EACCES') throw new ConfigFault(`PORT ${port} may not be used: set PORT to one above 1023`);
    if (syscall) throw new ConfigFault(`HOST must be an address of this machine (${message})`);
    throw error;
  }
}

function readInteger(
  env: Environment,
  name: string,
  bounds: { fallback: number; min: number; max: number },
): number {
  const text = env[name];
  if (!text) return bounds.fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= bounds.min && value <= bounds.max) return value;
  throw new ConfigFault(`${name} must be a whole number from ${bounds.min} to ${bounds.max}, not "${text}"`);
}

function readSwitch(env: Environment, name: string, fallback: boolean): boolean {
  const text = env[name]?.toLowerCase();
  if (!text) return fallback;
  if (['on', 'true', '1'].includes(text)) return true;
  if (['off', 'false', '0'].includes(text)) return false;
  throw new ConfigFault(`${name} must be on or off, not "${text}"`);
}

function readWord(env: Environment, name: string, choice: { fallback: string; words: string[] }): string {
  const text = env[name] || choice.fallback;
  if (choice.words.includes(text)) return text;
  throw new ConfigFault(`${name} must be one of ${choice.words.join(', ')}, not "${text}"`);
}

function readUrl(env: Environment, name: string): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) {
    return url.href.replace(/\/$/, '');
  }
  // The value is not repeated: it may hold a password.
  throw new ConfigFault(`${name} must be an absolute http or https URL without user, query or fragment`);
}

const LEGACY_PATH = '/legacy';

/** Whatever a proxy takes off the public URL it takes off here as well; the rest of the path is ours. */
function legacyPathOf(legacyUrl: string | undefined, publicUrl: string | undefined): string {
  if (legacyUrl === undefined) return LEGACY_PATH;
  const isBelow = publicUrl !== undefined && `${legacyUrl}/`.startsWith(`${publicUrl}/`);
  const path = isBelow ? legacyUrl.slice(publicUrl.length) : new URL(legacyUrl).pathname.replace(/\/$/, '');
  if (/^(\/[\w.~-]+)*$/.test(path)) return path;
  throw new ConfigFault('PUBLIC_LEGACY_URL must have a plain path: letters, digits, dots and dashes');
}

function readDatabaseUrl(env: Environment): string | undefined {
  const text = env.DATABASE_URL;
  if (!text) return undefined;
  if (!/^postgres(ql)?:\/\//.test(text)) throw new ConfigFault('DATABASE_URL must begin with postgres://');
  // Without a host where a socket is named behind it.
  if (!text.includes('#') && URL.canParse(text.replace('@/', '@localhost/'))) return text;
  // The value is not repeated: it may hold a password.
  throw new ConfigFault(
    'DATABASE_URL must be a URL such as postgres://user:password@host:5432/name (in a password, # is %23, / is %2F and ? is %3F)',
  );
}

function readKey(env: Environment, name: string): Buffer | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  throw new ConfigFault(`${name} must be 32 bytes, as 64 hexadecimal characters or in base64`);
}

function readRanges(env: Environment, name: string): string[] {
  const ranges = (env[name] ?? '').split(',').map(text => text.trim());
  return ranges.filter(Boolean).map(text => {
    const range = rangeOf(text);
    if (range !== undefined) return range;
    throw new ConfigFault(`${name} must list addresses or ranges such as 10.0.0.0/8, not "${text}"`);
  });
}

/** As callers are compared with it: an IPv4 address that is written as one of IPv6 is one of IPv4. */
function rangeOf(text: string): string | undefined {
  const [address = '', bits] = text.split('/');
  // Short, octal and hexadecimal spellings mean different things to different readers.
  const whole = ipaddr.IPv4.isValidFourPartDecimal(address)
    ? 32
    : ipaddr.IPv6.isValid(address)
      ? 128
      : undefined;
  const range = `${address}/${bits ?? whole}`;
  if (whole === undefined || !ipaddr.isValidCIDR(range)) return undefined;
  const [network, length] = ipaddr.parseCIDR(range);
  if (!(network instanceof ipaddr.IPv6) || !network.isIPv4MappedAddress()) return range;
  return length >= 96 ? `${network.toIPv4Address()}/${length - 96}` : undefined;
}

function readHosts(env: Environment, name: string): string[] {
  const hosts = (env[name] ?? '').split(',').map(text => text.trim().toLowerCase());
  return hosts.filter(Boolean).map(text => {
    const [, host = '', port] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/.exec(text) ?? [];
    const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
    const isPort = port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
    // As a URL has it: any other spelling would never match one.
    if (url?.hostname === host && !host.endsWith('.') && isPort)
      return port === undefined ? host : `${host}:${Number(port)}`;
    throw new ConfigFault(`${name} must list hosts such as hooks.internal or 10.0.0.7:3000, not "${text}"`);
  });
}

function readCountry(env: Environment, name: string): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase();
  throw new ConfigFault(`${name} must be a two-letter country code, not "${text}"`);
}
