/** Headers of a response: the few that mean something to us, found in one walk over a head that is well-formed. */

import { remembered } from '../domain/remembered.ts';

/** What was sent under each name; all of it where that was more than once. */
export interface Headers {
  connection: string | undefined;
  'content-encoding': string | undefined;
  'content-length': string | undefined;
  'keep-alive': string | undefined;
  'retry-after': string | undefined;
  'transfer-encoding': string | undefined;
}

export const NO_HEADERS: Readonly<Headers> = {
  connection: undefined,
  'content-encoding': undefined,
  'content-length': undefined,
  'keep-alive': undefined,
  'retry-after': undefined,
  'transfer-encoding': undefined,
};

const WANTED = Object.keys(NO_HEADERS) as (keyof Headers)[];
/** By how long they are: most headers are passed over without being read. */
const BY_LENGTH = Array.from({ length: Math.max(...WANTED.map(name => name.length)) + 1 }, (_, length) =>
  WANTED.filter(name => name.length === length),
);

/** `head` is all that came before the body: each header stands behind the end of a line. */
export function headersIn(head: string): Headers {
  const headers = { ...NO_HEADERS };
  for (let at = head.indexOf('\n'); at >= 0; ) {
    const start = at + 1;
    const colon = head.indexOf(':', start);
    at = head.indexOf('\n', colon);
    const name = wanted(head, start, colon);
    if (name === undefined) continue;
    const value = trimmed(head, colon + 1, at < 0 ? head.length : at - 1);
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

/** The header that is named there, if it is one of ours. */
function wanted(head: string, start: number, end: number): keyof Headers | undefined {
  const names = BY_LENGTH[end - start];
  if (names === undefined || names.length === 0) return undefined;
  const name = lowerCased(head.slice(start, end));
  for (const known of names) {
    if (known === name) return known;
  }
  return undefined;
}

/** Servers know few names, and spell them the same every time. */
const lowerCased = remembered(name => name.toLowerCase());

function trimmed(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (start < end && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(char: number): boolean {
  return char === 32 || char === 9;
}
