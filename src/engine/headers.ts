/** Heads of responses: what stands before the body, and of its headers the few that mean something to us. */
import { remembered } from '../domain/remembered.ts';
import { Upstream } from './upstream.ts';

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

/** All that comes before a body. */
export interface Head {
  status: number;
  headers: Readonly<Headers>;
  /** Whether its connection can carry another request afterwards. */
  reusable: boolean;
}

const HEAD =
  /^HTTP\/1\.[01] (?!101)[1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*)*$/;
/** Where its version and its status stand. */
const VERSION_AT = 7;
const STATUS_AT = 9;

/** Throws Upstream when it is none. */
export function readHead(text: string): Head {
  if (!HEAD.test(text)) throw malformed('a response');
  const headers = headersIn(text);
  const connection = headers.connection ?? 'keep-alive';
  const isLasting = connection === 'keep-alive' || !/\bclose\b/i.test(connection);
  return {
    status: digitAt(text, STATUS_AT) * 100 + digitAt(text, STATUS_AT + 1) * 10 + digitAt(text, STATUS_AT + 2),
    headers,
    reusable: text[VERSION_AT] === '1' && isLasting,
  };
}

function digitAt(text: string, at: number): number {
  return text.charCodeAt(at) - 48;
}

export function malformed(what: string): Upstream {
  return new Upstream('garbage', `the answer is malformed: not ${what} of HTTP`);
}

/** Found in one walk over a head that is well-formed: each header stands behind the end of a line. */
function headersIn(head: string): Headers {
  const headers = { ...NO_HEADERS };
  for (let at = head.indexOf('\n'); at >= 0; ) {
    const start = at + 1;
    const colon = head.indexOf(':', start);
    at = head.indexOf('\n', colon);
    const name = wanted(head, start, colon);
    if (name === undefined) continue;
    const value = trimmed(head.slice(colon + 1, at < 0 ? head.length : at - 1));
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

/** The name of the header on a line of a head; undefined on the first line. */
export function nameAt(line: string, at: number): string | undefined {
  return at === 0 ? undefined : line.slice(0, line.indexOf(':')).toLowerCase();
}

/** What is said by all that stands behind the colon. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (start < end && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** As a text of its own: a part of a text keeps all of it, and behind a head there is what somebody ordered. */
export function apart(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

function isBlank(char: number): boolean {
  return char === 32 || char === 9;
}
