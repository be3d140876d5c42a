/** Alchemy Pay's signatures: of requests, of links to its page and of its webhooks, all over the same kind of text. */
import { writeJson } from '../../domain/json.ts';
import type { Context, HttpRequest } from '../exchange.ts';
import { writeSearch } from '../links.ts';

type Members = Readonly<Record<string, unknown>>;
type Parameters = Readonly<Record<string, string | undefined>>;

/** "API Sign": the moment, the method, the path with its query as it is before encoding, and the sorted body. */
export function signedRequest(
  { path, query, body }: { path: string; query?: Parameters; body?: Members },
  context: Context,
): HttpRequest {
  const moment = String(context.now);
  const method = body ? 'POST' : 'GET';
  const sorted = body && sortedMembers(body);
  const text = `${moment}${method}${path}${query ? rawSearch(query) : ''}${sorted ? writeJson(sorted) : ''}`;
  const headers = {
    appid: context.settings.appId ?? '',
    timestamp: moment,
    sign: context.sign('hmac-sha256-base64', 'appSecret', text),
  };
  const what = { ...(query && { query: sortedParameters(query) }), ...(sorted && { body: sorted }) };
  return { method, host: 'api', path, headers, ...what };
}

/** "Ramp Signature Description": the query of a page, encoded, with its signature; the path is signed and no more. */
export function signedSearch(path: string, parameters: Parameters, context: Context): string {
  const text = `${context.now}GET${path}${rawSearch(parameters)}`;
  const sign = context.sign('hmac-sha256-base64', 'appSecret', text);
  return writeSearch({ ...sortedParameters(parameters), sign });
}

/** Empty values are left out, the others sorted by name. */
function sortedParameters(parameters: Parameters): Record<string, string> {
  return sortedMembers(parameters) as Record<string, string>;
}

function rawSearch(parameters: Parameters): string {
  const pairs = Object.entries(sortedParameters(parameters)).map(([name, value]) => `${name}=${value}`);
  return `?${pairs.join('&')}`;
}

/** "Webhook Signature": the body as they sign it, without its signatures. */
export function signedBody(body: Members): string {
  const { signature: _old, newSignature: _new, ...rest } = body;
  return writeJson(sortedMembers(rest));
}

/** Names in the order of their code units at every level, as the tree map of their sample has them; nothing empty. */
function sortedMembers(members: Members): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, isMembers(value) ? sortedMembers(value) : value]),
  );
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
