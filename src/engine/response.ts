/** Responses: HTTP/1.1 read from bytes as they come. Whatever could be read in two ways is not read at all. */
import { append, type Bytes, giveBack, join } from './blocks.ts';
import { type Head, type Headers, malformed, NO_HEADERS, readHead } from './headers.ts';
import { Upstream } from './upstream.ts';

/** A response, as far as it has come. */
export interface Arrival {
  /** How its head is read; whoever knows the server knows most of that already. */
  readHead(text: string): Head;
  /** 0 until all headers are there. */
  status: number;
  headers: Readonly<Headers>;
  /** Complete once the response is. */
  text: string;
  /** Whether its connection can carry another request afterwards. */
  reusable: boolean;
  /** Most bytes of body that are taken. */
  bodyLimit: number;
  framing: 'length' | 'chunks' | 'close';
  /** Bytes of the body, or of its present chunk, that are still to come; -1 where a chunk's size is due. */
  left: number;
  /** Bytes that cannot be understood before more have come. */
  rest: Buffer | undefined;
  /** What has come of the body, where it comes in pieces. */
  body: Bytes | undefined;
}

const MOST_HEAD_BYTES = 16_384;
const MOST_LINE_BYTES = 1_024;
const LINE_END = Buffer.from('\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const OPENING = Buffer.from('HTTP/1.');

export function awaitArrival(bodyLimit: number, read = readHead): Arrival {
  return {
    readHead: read,
    status: 0,
    headers: NO_HEADERS,
    text: '',
    reusable: false,
    bodyLimit,
    framing: 'length',
    left: 0,
    rest: undefined,
    body: undefined,
  };
}

/** Takes more bytes, which are not kept; whether the response is complete now. Throws Upstream when it cannot be one. */
export function take(arrival: Arrival, bytes: Buffer): boolean {
  const data = arrival.rest ? behind(arrival.rest, bytes) : bytes;
  arrival.rest = undefined;
  const text = arrival.status === 0 ? plainTextOf(data) : undefined;
  const start = arrival.status === 0 ? takeHead(arrival, data, text) : 0;
  if (arrival.status === 0) return false;
  if (arrival.framing === 'chunks') return takeChunks(arrival, data, start);
  const end = start + arrival.left;
  if (arrival.framing === 'length' && data.length >= end) {
    // What follows was not asked for.
    if (data.length > end) arrival.reusable = false;
    if (text === undefined) return complete(arrival, data, start, end);
    arrival.text = text.slice(start, end);
    return true;
  }
  arrival.left -= data.length - start;
  keep(arrival, data.subarray(start));
  return false;
}

/** What is longer mostly comes in pieces, of which a text of its own is no use. */
const LONGEST_TEXT = 8_192;

/**
 * Bytes as text, where each is a letter: most answers come in one piece and hold no others, so that all of one is read at
 * once. A letter of several bytes makes the text shorter; a byte that is none is read as the letter that is looked for.
 */
function plainTextOf(data: Buffer): string | undefined {
  if (data.length > LONGEST_TEXT) return undefined;
  const text = data.toString();
  return text.length === data.length && !text.includes('\ufffd') ? text : undefined;
}

/** Where what was left over is put before what has come: nothing of it is looked at once that is dealt with. */
const JOINED = Buffer.allocUnsafeSlow(MOST_HEAD_BYTES + 65_536);

function behind(rest: Buffer, bytes: Buffer): Buffer {
  if (rest.length + bytes.length > JOINED.length) return Buffer.concat([rest, bytes]);
  rest.copy(JOINED);
  bytes.copy(JOINED, rest.length);
  return JOINED.subarray(0, rest.length + bytes.length);
}

/** Whether the response is complete now that its connection has ended. */
export function takeEnd(arrival: Arrival): boolean {
  return arrival.status !== 0 && arrival.framing === 'close' && complete(arrival, NOTHING);
}

/** Lets go of what has come of a response that is complete, or that nobody waits for any more. */
export function forget(arrival: Arrival): void {
  arrival.rest = undefined;
  if (arrival.body) giveBack(arrival.body);
}

const NOTHING = Buffer.alloc(0);

/** Where the body begins, once the head is there; heads that only say that more will come are passed over. */
function takeHead(arrival: Arrival, data: Buffer, text: string | undefined): number {
  for (let start = 0; ; ) {
    const end = text === undefined ? data.indexOf(HEAD_END, start) : text.indexOf('\r\n\r\n', start);
    const length = (end < 0 ? data.length : end) - start;
    if (length > MOST_HEAD_BYTES) throw malformed('a response');
    if (end < 0) {
      if (!isOpening(data, start)) throw malformed('a response');
      arrival.rest = Buffer.from(data.subarray(start));
      return 0;
    }
    const head = text === undefined ? data.toString('latin1', start, end) : text.slice(start, end);
    const { status, headers, reusable } = arrival.readHead(head);
    start = end + HEAD_END.length;
    if (status < 200) continue;
    arrival.status = status;
    arrival.headers = headers;
    arrival.reusable = reusable;
    frame(arrival);
    return start;
  }
}

/** Whether bytes are, as far as they go, those a response opens with. */
function isOpening(data: Buffer, start: number): boolean {
  const length = Math.min(OPENING.length, data.length - start);
  return OPENING.compare(data, start, start + length, 0, length) === 0;
}

/** How the end of the body is told. */
function frame(arrival: Arrival): void {
  const { headers, status, bodyLimit } = arrival;
  const encoding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (encoding !== undefined) {
    if (length !== undefined || encoding.toLowerCase() !== 'chunked') throw malformed('a transfer encoding');
    arrival.framing = 'chunks';
    arrival.left = -1;
  } else if (length !== undefined) {
    const bytes = countIn(length);
    if (bytes === undefined) throw malformed('a length');
    arrival.left = status === 304 ? 0 : bytes;
    if (arrival.left > bodyLimit) throw tooLarge(bodyLimit);
  } else if (status !== 204 && status !== 304) {
    arrival.framing = 'close';
    arrival.reusable = false;
  }
}

const MOST_DIGITS = 15;
const ZERO = 48;

/** The number that digits make; undefined where there is anything else. */
function countIn(text: string): number | undefined {
  if (text === '' || text.length > MOST_DIGITS) return undefined;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    count = count * 10 + digit;
  }
  return count;
}

const SIZE = /^([0-9a-f]{1,8})[\t ]*(?:;.*)?$/i;

/** Chunk after chunk; the last one has no bytes, and is followed by lines that say nothing to us. */
function takeChunks(arrival: Arrival, data: Buffer, start: number): boolean {
  let at = start;
  for (;;) {
    if (arrival.left > 0) {
      const end = Math.min(data.length, at + arrival.left);
      keep(arrival, data.subarray(at, end));
      arrival.left -= end - at;
      at = end;
      if (arrival.left > 0) return false;
    }
    const end = data.indexOf(LINE_END, at);
    if ((end < 0 ? data.length : end) - at > MOST_LINE_BYTES) throw malformed('a chunk');
    if (end < 0) {
      arrival.rest = Buffer.from(data.subarray(at));
      return false;
    }
    const line = data.toString('latin1', at, end);
    at = end + LINE_END.length;
    if (arrival.left === TRAILING) {
      if (line !== '') continue;
      if (at < data.length) arrival.reusable = false;
      return complete(arrival, NOTHING);
    }
    if (arrival.left === 0) {
      if (line !== '') throw malformed('the end of a chunk');
      arrival.left = -1;
      continue;
    }
    const [, size] = SIZE.exec(line) ?? [];
    if (size === undefined) throw malformed('a chunk');
    arrival.left = Number.parseInt(size, 16) || TRAILING;
  }
}

/** In the place of a number of bytes: the last chunk has been read. */
const TRAILING = -2;

/** As a copy: where the bytes are, the next ones will be. */
function keep(arrival: Arrival, bytes: Buffer): void {
  arrival.body ??= { blocks: [], size: 0 };
  if (arrival.body.size + bytes.length > arrival.bodyLimit) throw tooLarge(arrival.bodyLimit);
  append(arrival.body, bytes);
}

/** The last bytes of a body are those of `data` from `start` on. */
function complete(arrival: Arrival, data: Buffer, start = 0, end = data.length): true {
  const { body } = arrival;
  arrival.text = body
    ? join(body, data.subarray(start, end)).toString('utf8')
    : data.toString('utf8', start, end);
  return true;
}

function tooLarge(limit: number): Upstream {
  return new Upstream('tooLarge', `body is larger than ${limit} bytes`);
}
