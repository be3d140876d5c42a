/** Raw HTTP that no client library would send: each is refused by a 4xx with JSON that names what is wrong. */
import { gzipSync } from 'node:zlib';
import { target } from '../contract/wire.ts';

/** Lines of a head. */
export const crlf = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const JSON_TYPE = 'Content-Type: application/json';
const gzipped = gzipSync('{"onramp":"moonpay"}');

export const RAW: readonly (readonly [what: string, bytes: string | Buffer])[] = [
  [
    'both lengths',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  ],
  [
    'two lengths',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: 2', 'Content-Length: 3')}{}`,
  ],
  [
    'a list of lengths',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: 2, 2')}{}`,
  ],
  [
    'a length with a sign',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: +2')}{}`,
  ],
  ['a negative length', `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: -2')}{}`],
  [
    'a bad chunk size',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a chunk size with a sign',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Transfer-Encoding: chunked')}-2\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'a huge chunk size',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Transfer-Encoding: chunked')}fffffffffffffffff\r\n{}\r\n`,
  ],
  [
    'a bad chunk size on a GET',
    `${crlf('GET /supported HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
  ],
  ['bare line feeds', 'GET /supported HTTP/1.1\nHost: a\n\n'],
  ['a folded header', crlf('GET /supported HTTP/1.1', 'Host: a', 'X-Long: one', ' two')],
  ['a space before the colon', crlf('GET /supported HTTP/1.1', 'Host : a')],
  ['no Host', crlf('GET /supported HTTP/1.1')],
  ['two Hosts', crlf('GET /supported HTTP/1.1', 'Host: a', 'Host: b')],
  ['TRACE', crlf('TRACE /supported HTTP/1.1', 'Host: a')],
  ['CONNECT', crlf('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443')],
  ['PATCH', crlf('PATCH /supported HTTP/1.1', 'Host: a', 'Content-Length: 0')],
  ['PROPFIND', crlf('PROPFIND /supported HTTP/1.1', 'Host: a')],
  ['a method nobody knows', crlf('BREW /supported HTTP/1.1', 'Host: a')],
  ['a method in lower case', crlf('get /supported HTTP/1.1', 'Host: a')],
  ['the absolute form', crlf('GET http://example.com/supported HTTP/1.1', 'Host: example.com')],
  ['a target that is half an address', crlf('GET http://[::1 HTTP/1.1', 'Host: a')],
  ['a target of two slashes and half an address', crlf('GET //[::1 HTTP/1.1', 'Host: a')],
  ['an asterisk as target', crlf('GET * HTTP/1.1', 'Host: a')],
  ['no target', crlf('GET  HTTP/1.1', 'Host: a')],
  ['a header of 20 kB', crlf('GET /supported HTTP/1.1', 'Host: a', `X-Long: ${'x'.repeat(20_000)}`)],
  ['a target of 20 kB', crlf(`GET /supported?${'x'.repeat(20_000)} HTTP/1.1`, 'Host: a')],
  [
    '3,000 headers',
    crlf('GET /supported HTTP/1.1', 'Host: a', ...Array.from({ length: 3_000 }, (_, at) => `X-${at}: 1`)),
  ],
  ['3,000 tiny headers', crlf('GET /supported HTTP/1.1', 'Host: a', ...Array<string>(3_000).fill('a:b'))],
  ['NUL in the path', 'GET /supp\0orted HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['NUL in a header', 'GET /supported HTTP/1.1\r\nHost: a\r\nX-Nul: a\0b\r\n\r\n'],
  ['an encoded NUL in the path', target('/quotes/eur%00/btc?amount=100')],
  ['bytes above ASCII in the path', Buffer.from(target('/quotes/e\u00fcr/btc?amount=100'), 'latin1')],
  ['an unknown transfer encoding', crlf('GET /supported HTTP/1.1', 'Host: a', 'Transfer-Encoding: xchunked')],
  [
    'an unknown transfer encoding with a body',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Transfer-Encoding: xchunked')}2\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'two transfer encodings',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
  ],
  [
    'a gzip body',
    Buffer.concat([
      Buffer.from(
        crlf(
          'POST /supported HTTP/1.1',
          'Host: a',
          JSON_TYPE,
          'Content-Encoding: gzip',
          `Content-Length: ${gzipped.length}`,
        ),
      ),
      gzipped,
    ]),
  ],
  [
    'JSON as text/plain',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', 'Content-Type: text/plain', 'Content-Length: 2')}{}`,
  ],
  [
    'a body that is no JSON',
    `${crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: 1')}{`,
  ],
  [
    'a body announced as 3 MiB',
    crlf('POST /supported HTTP/1.1', 'Host: a', JSON_TYPE, 'Content-Length: 3145728'),
  ],
  ['an expectation nobody knows', crlf('GET /supported HTTP/1.1', 'Host: a', 'Expect: 200-maybe')],
  ['two Authorization headers', target('/supported', ['Authorization: a', 'Authorization: b'])],
  ['Authorization of 8 kB', target('/supported', [`Authorization: ${'x'.repeat(8_192)}`])],
  ['Authorization of 7 kB', target('/supported', [`Authorization: ${'x'.repeat(7_000)}`])],
  [
    'Authorization above ASCII',
    Buffer.from(target('/supported', ['Authorization: pk_test_\u00e9\u00ff']), 'latin1'),
  ],
  ['Authorization in UTF-8', Buffer.from(target('/supported', ['Authorization: pk_test_鍵']))],
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['TLS', Buffer.from('16030100a5010000a10303', 'hex')],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a version from the future', crlf('GET /supported HTTP/9.9', 'Host: a')],
];
