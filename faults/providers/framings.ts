/** Framings: answers that are no HTTP, or HTTP that could be read in two ways. */
import type { Chance } from '../bed/chance.ts';

interface Answer {
  status?: string;
  headers?: readonly string[];
  body: string | Buffer;
}

/** An answer byte for byte, with its true length. */
export function writeAnswer({ status = '200 OK', headers = [], body }: Answer): Buffer {
  const bytes = Buffer.from(body);
  return raw([`HTTP/1.1 ${status}`, JSON_TYPE, ...headers, `content-length: ${bytes.length}`], bytes);
}

const JSON_TYPE = 'content-type: application/json';

function raw(head: readonly string[], body: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

const OK = ['HTTP/1.1 200 OK', JSON_TYPE];

/** Each with the true body, so that only the framing keeps it from being believed. */
export const FRAMINGS: readonly { name: string; make(body: string, chance: Chance): Buffer }[] = [
  framing('a length too long', body => raw([...OK, `content-length: ${body.length + 10}`], body)),
  framing('a length too short', body => raw([...OK, `content-length: ${body.length - 10}`], body)),
  framing('two lengths', body =>
    raw([...OK, `content-length: ${body.length}`, `content-length: ${body.length - 1}`], body),
  ),
  framing('a length that is no number', body => raw([...OK, 'content-length: 0x20'], body)),
  framing('a length and chunks', body =>
    raw([...OK, `content-length: ${body.length}`, CHUNKED], chunked(body)),
  ),
  framing('a chunk without an end', body => raw([...OK, CHUNKED], chunked(body).slice(0, -7))),
  framing('a chunk of no size', body => raw([...OK, CHUNKED], `zz\r\n${body}\r\n0\r\n\r\n`)),
  framing('a chunk of all there is', body => raw([...OK, CHUNKED], `ffffffffffffffff\r\n${body}`)),
  framing('chunks of another kind', body => raw([...OK, 'transfer-encoding: xchunked'], chunked(body))),
  framing('no head', body => Buffer.from(body)),
  framing('another protocol', () => Buffer.from('SSH-2.0-OpenSSH_9.6\r\n')),
  framing('a status that is none', body => raw(['HTTP/1.1 2000 OK', JSON_TYPE], body)),
  framing('a change of protocol', body =>
    raw(['HTTP/1.1 101 Switching', 'upgrade: h2c', 'connection: upgrade'], body),
  ),
  framing('a header without a colon', body => raw([...OK, 'nonsense'], body)),
  framing('a header with a NUL', body => raw([...OK, 'x-odd: a\0b'], body)),
  framing('a header of 20 kB', body => raw([...OK, `x-long: ${'x'.repeat(20_000)}`], body)),
  framing('a head without an end', () => Buffer.from(OK.join('\r\n'))),
  framing('another place to look', body =>
    writeAnswer({ status: '302 Found', headers: ['location: http://127.0.0.1:1/'], body }),
  ),
  framing('nothing changed', () => raw(['HTTP/1.1 304 Not Modified'], '')),
  framing('no content', () => raw(['HTTP/1.1 204 No Content'], '')),
];

const CHUNKED = 'transfer-encoding: chunked';

function framing(name: string, make: (body: string) => Buffer) {
  return { name, make };
}

function chunked(body: string): string {
  return `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}
