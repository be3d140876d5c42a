/** Transak's access token and widget sessions imitated: one token lives at a time, and a session opens one page. */
import { writeJson } from '../../domain/json.ts';
import type { Instant } from '../../domain/words.ts';
import { uuid } from '../standin-kit.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { refused, SETTINGS } from './standin-answers.ts';

const TOKEN_MS = 7 * 24 * 3_600_000;
const SESSION_MS = 5 * 60_000;

/** "Refresh Access Token": the one before it is worth nothing from now on. */
export function refreshToken({ headers, body }: StandinRequest, world: World): StandinAnswer {
  if (headers['api-secret'] !== SETTINGS.apiSecret) return refused(401, 'Invalid API secret');
  if (textOf(body, 'apiKey') !== SETTINGS.apiKey) return refused(400, 'Invalid API key');
  const until = seconds(world.now + TOKEN_MS);
  // Two tokens of one second must differ as well.
  const claims = { API_KEY: SETTINGS.apiKey, iat: seconds(world.now), exp: until, jti: world.id() };
  const accessToken = jwtOf(writeJson(claims), SETTINGS.apiSecret, world);
  world.notes.put('token', accessToken);
  world.notes.put('token until', writeJson(until));
  return { status: 200, body: { data: { accessToken, expiresAt: until } } };
}

/** The token of the moment; empty when none was ever asked for. */
export function currentToken({ notes }: World): string {
  return notes.get('token') ?? '';
}

export function isCurrent(token: string | undefined, world: World): boolean {
  const until = world.notes.get('token until');
  return !!token && token === currentToken(world) && !!until && seconds(world.now) < JSON.parse(until);
}

/** "Create Widget URL". */
export function makeSession({ headers, body }: StandinRequest, world: World): StandinAnswer {
  if (!isCurrent(headers['access-token'], world)) return refused(401, 'Invalid access token');
  const given = memberOf(body, 'widgetParams');
  if (textOf(given, 'apiKey') !== SETTINGS.apiKey) return refused(401, 'Invalid API key');
  if (textOf(given, 'referrerDomain') !== SETTINGS.referrerDomain) {
    return refused(400, 'referrerDomain is not whitelisted');
  }
  const until = world.now + SESSION_MS;
  const claims = { sessionId: uuid(world.id(), world), exp: seconds(until) };
  const id = jwtOf(writeJson(claims), SETTINGS.apiSecret, world);
  world.notes.put(`session ${id}`, writeJson({ params: given, until }));
  const search = new URLSearchParams({ apiKey: SETTINGS.apiKey, sessionId: id });
  return { status: 200, body: { data: { widgetUrl: `${world.base('widget')}?${search}` } } };
}

interface Session {
  params: Readonly<Record<string, string | undefined>>;
  until: Instant;
}

/** What a page was asked for; the wallet of the coin stands with the others, whichever way it was given. */
export function findSession(id: string, { notes }: World): Session | undefined {
  const note = notes.get(`session ${id}`);
  if (note === undefined) return undefined;
  const { params, until } = JSON.parse(note) as { params: Record<string, unknown>; until: Instant };
  const texts = Object.entries(params).filter(([, value]) => typeof value === 'string');
  const ofCoin = memberOf(memberOf(params.walletAddressesData, 'coins'), String(params.cryptoCurrencyCode));
  const address = textOf(ofCoin, 'address');
  const memo = textOf(ofCoin, 'addressAdditionalData');
  return {
    params: {
      ...(Object.fromEntries(texts) as Record<string, string>),
      ...(address && { walletAddress: address }),
      ...(memo && { walletAddressTag: memo }),
    },
    until,
  };
}

/** A compact JWT, HS256. */
export function jwtOf(claims: string, key: string, world: World): string {
  const signed = `${base64url('{"alg":"HS256"}')}.${base64url(claims)}`;
  return `${signed}.${world.sign('hmac-sha256-base64url', key, signed)}`;
}

function base64url(text: string): string {
  const binary = Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function seconds(at: Instant): number {
  return Math.floor(at / 1000);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function textOf(value: unknown, name: string): string | undefined {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : undefined;
}
