/** Alchemy Pay's envelope imitated, and how it knows its merchants. */
import { readMilliseconds } from '../moments.ts';
import type { StandinAnswer, StandinRequest, World } from '../world.ts';
import { SETTINGS } from './standin-terms.ts';

const LIFE_MS = 5 * 60_000;

export function succeed(data: unknown, world: World): StandinAnswer {
  const traceId = world.id();
  return {
    status: 200,
    body: { success: true, returnCode: '0000', returnMsg: 'SUCCESS', extend: '', data, traceId },
  };
}

/** Failures come with a status of 200 as well. */
export function fail(returnCode: string, returnMsg: string, world: World): StandinAnswer {
  const traceId = world.id();
  return { status: 200, body: { success: false, returnCode, returnMsg, extend: '', data: null, traceId } };
}

/** Their refusal of a request that is not signed as theirs are; undefined when it is. */
export function unsigned(request: StandinRequest, path: string, world: World): StandinAnswer | undefined {
  const { headers, rawBody, query } = request;
  const method = rawBody ? 'POST' : 'GET';
  const text = `${headers.timestamp}${method}${path}${rawOf(query)}${rawBody}`;
  const isOurs = headers.appid === SETTINGS.appId && headers.sign === signatureOf(text, world);
  return isOurs && isFresh(headers.timestamp, world)
    ? undefined
    : fail('81003', 'Invalid merchant sign', world);
}

export function signatureOf(text: string, world: World): string {
  return world.sign('hmac-sha256-base64', SETTINGS.appSecret, text);
}

export function isFresh(timestamp: string | undefined, { now }: World): boolean {
  const at = readMilliseconds(timestamp);
  return at !== undefined && Math.abs(now - at) <= LIFE_MS;
}

/** Sorted by name, as they are before encoding. */
export function rawOf(query: Readonly<Record<string, string>>): string {
  const names = Object.keys(query).filter(name => query[name] !== '');
  return names.length
    ? `?${names
        .sort((a, b) => (a < b ? -1 : 1))
        .map(name => `${name}=${query[name]}`)
        .join('&')}`
    : '';
}
