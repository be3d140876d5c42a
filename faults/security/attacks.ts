/** Attacks: requests framed so that two readers may disagree about where one ends, and headers that mean two things. */

export interface Attack {
  name: string;
  bytes: Buffer;
  /** Whether a strict reader, too, finds a second request in it. */
  isTwo: boolean;
}

/** What would be answered if a body were taken for a request. */
export const SMUGGLED = '/smuggled-request';

const smuggled = `GET ${SMUGGLED} HTTP/1.1\r\nHost: a\r\n\r\n`;
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const POST = 'POST /checkout/intent HTTP/1.1';
const GET = 'GET /supported HTTP/1.1';
const HEAD = ['Host: a', 'Content-Type: application/json'];
const CHUNKED = 'Transfer-Encoding: chunked';
const hidden = `0\r\n\r\n${smuggled}`;
const length = (text: string) => `Content-Length: ${Buffer.byteLength(text)}`;

/** Two lengths, or a length and chunks: one reader takes the one and another the other. */
const BOTH: [string, string][] = [
  ['length, then chunks', `${lines(POST, ...HEAD, length(hidden), CHUNKED)}${hidden}`],
  ['chunks, then length', `${lines(POST, ...HEAD, CHUNKED, length(hidden))}${hidden}`],
  [
    'chunks and a short length',
    `${lines(POST, ...HEAD, 'Content-Length: 4', CHUNKED)}5c\r\n${smuggled}0\r\n\r\n`,
  ],
  ['two lengths', `${lines(POST, ...HEAD, 'Content-Length: 0', length(smuggled))}${smuggled}`],
  ['two equal lengths', `${lines(POST, ...HEAD, length(smuggled), length(smuggled))}${smuggled}`],
  ['a list of lengths', `${lines(POST, ...HEAD, `Content-Length: 0, ${smuggled.length}`)}${smuggled}`],
  ...[
    '+0',
    '-1',
    '0x2a',
    '42 ',
    ' 42',
    '4_2',
    '042',
    '42.0',
    '1e1',
    '',
    '42,',
    '\t0',
    '99999999999999999999',
    '0;',
  ].map((value): [string, string] => [
    `length "${value.replace('\t', '\\t')}"`,
    `${lines(POST, ...HEAD, `Content-Length: ${value}`)}${smuggled}`,
  ]),
  [
    'length with a blank before the colon',
    `${lines(POST, ...HEAD, `Content-Length : ${smuggled.length}`)}${smuggled}`,
  ],
  [
    'length with an underscore',
    `${lines(POST, ...HEAD, 'Content-Length: 0', `Content_Length: ${smuggled.length}`)}${smuggled}`,
  ],
  [
    'length on a folded line',
    `${lines(POST, ...HEAD, 'X: y', ` Content-Length: ${smuggled.length}`)}${smuggled}`,
  ],
];

/** Names of the coding that some readers take for chunks and others for nothing. */
const CODINGS: [string, string][] = [
  ...[
    'xchunked',
    'chunked, identity',
    'identity, chunked',
    'chunked, chunked',
    'gzip, chunked',
    'chunked;q=1',
    '"chunked"',
  ],
  ...[
    'cHuNkEd',
    ' chunked',
    'chunked ',
    '\tchunked',
    'chunked\x0b',
    'chunked\x00',
    'x, chunked',
    'identity',
    '',
    'chunked,',
  ],
].map((value): [string, string] => [
  `coding "${value.replace(/[^ -~]/g, '?')}"`,
  `${lines(POST, ...HEAD, `Transfer-Encoding: ${value}`, length(hidden))}${hidden}`,
]);
const CODING_LINES: [string, string][] = [
  ...[
    'Transfer-Encoding : chunked',
    'Transfer_Encoding: chunked',
    ' Transfer-Encoding: chunked',
    'X: y\nTransfer-Encoding: chunked',
  ],
  ...[
    'X: y\rTransfer-Encoding: chunked',
    'Transfer-Encoding\n: chunked',
    'Transfer-Encoding:\r\n chunked',
    'Transfer-encoding: identity\r\nTransfer-Encoding: chunked',
  ],
  ...[
    'Transfer-Encoding: chunked\r\nTransfer-encoding: x',
    '\x00Transfer-Encoding: chunked',
    'Transfer-Encoding\x00: chunked',
  ],
].map((line, at): [string, string] => [
  `coding line ${at + 1}`,
  `${lines(POST, ...HEAD, line, length(hidden))}${hidden}`,
]);

/** Chunks whose sizes are read in more than one way. */
const CHUNKS: [string, string][] = [
  ...[
    'zz',
    '-1',
    '+5',
    '0x5',
    '5 ',
    ' 5',
    '5;',
    '5;a=b',
    '5;a="\r\n"',
    '00000000000000005',
    'fffffffffffffffff',
    '5\t',
    '',
    '5\x00',
    '5_0',
  ],
  ...['5;\nx', '5\n'],
].map((size): [string, string] => [
  `chunk size "${size.replace(/[^ -~]/g, '?')}"`,
  `${lines(POST, ...HEAD, CHUNKED)}${size}\r\n12345\r\n${hidden}`,
]);
const CHUNK_ENDS: [string, string][] = [
  ['chunk without its line end', `${lines(POST, ...HEAD, CHUNKED)}5\r\n12345XX${hidden}`],
  ['chunk that is longer than it says', `${lines(POST, ...HEAD, CHUNKED)}2\r\n12345\r\n${hidden}`],
  ['chunk ended by line feeds', `${lines(POST, ...HEAD, CHUNKED)}5\n12345\n0\n\n${smuggled}`],
  ['chunk ended by returns', `${lines(POST, ...HEAD, CHUNKED)}5\r12345\r0\r\r${smuggled}`],
  [
    'trailer with a length',
    `${lines(POST, ...HEAD, CHUNKED)}0\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
  ],
  [
    'trailer with a host',
    `${lines(POST, ...HEAD, CHUNKED)}0\r\nHost: b\r\nAuthorization: c\r\n\r\n${smuggled}`,
  ],
  ['trailer without an end', `${lines(POST, ...HEAD, CHUNKED)}0\r\nX: y\r\n${smuggled}`],
];

/** Bodies where there are none, and request lines that are not. */
const LINES: [string, string][] = [
  ['GET with a body', `${lines(GET, 'Host: a', length(smuggled))}${smuggled}`],
  ['GET with chunks', `${lines(GET, 'Host: a', CHUNKED)}${hidden}`],
  ['HEAD with a body', `${lines('HEAD /supported HTTP/1.1', 'Host: a', length(smuggled))}${smuggled}`],
  [
    'OPTIONS with a body',
    `${lines('OPTIONS /supported HTTP/1.1', 'Host: a', 'Origin: http://b', length(smuggled))}${smuggled}`,
  ],
  ['DELETE with a body', `${lines('DELETE /webhooks/x HTTP/1.1', 'Host: a', length(smuggled))}${smuggled}`],
  ['version 1.0 with chunks', `${lines('POST /checkout/intent HTTP/1.0', ...HEAD, CHUNKED)}${hidden}`],
  [
    'version 1.0 that is kept',
    `${lines('GET /supported HTTP/1.0', 'Host: a', 'Connection: keep-alive', length(smuggled))}${smuggled}`,
  ],
  ['version 0.9', `GET ${SMUGGLED}\r\n\r\n`],
  ['version 1.2', `${lines('GET /supported HTTP/1.2', 'Host: a')}`],
  ['version 2.0', `${lines('GET /supported HTTP/2.0', 'Host: a')}`],
  [
    'upgrade to h2c',
    `${lines(GET, 'Host: a', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA')}`,
  ],
  [
    'upgrade to a socket',
    `${lines(GET, 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==')}${smuggled}`,
  ],
  ['expectation with a body', `${lines(POST, ...HEAD, 'Expect: 100-continue', length(smuggled))}${smuggled}`],
  [
    'unknown expectation with a body',
    `${lines(POST, ...HEAD, 'Expect: 100-maybe', length(smuggled))}${smuggled}`,
  ],
  ['line feeds alone', `GET /supported HTTP/1.1\nHost: a\n\n${smuggled}`],
  ['returns alone', `GET /supported HTTP/1.1\rHost: a\r\r${smuggled}`],
  ['blank lines first', `\r\n\r\n${lines(GET, 'Host: a')}`],
  ['two blanks in the line', `${lines('GET  /supported  HTTP/1.1', 'Host: a')}`],
  ['a tab in the line', `${lines('GET\t/supported\tHTTP/1.1', 'Host: a')}`],
  [
    'a request in the target',
    `${lines(`GET /supported%20HTTP/1.1%0d%0aHost:%20a%0d%0a%0d%0aGET%20${SMUGGLED} HTTP/1.1`, 'Host: a')}`,
  ],
  ['the absolute form', `${lines(`GET http://b${SMUGGLED} HTTP/1.1`, 'Host: a')}`],
  ['an authority as target', `${lines('CONNECT a:443 HTTP/1.1', 'Host: a:443')}${smuggled}`],
  ['TRACE', `${lines('TRACE /supported HTTP/1.1', 'Host: a', 'X-Secret: b')}`],
  ['unknown method', `${lines('BREW /supported HTTP/1.1', 'Host: a', length(smuggled))}${smuggled}`],
  ['half an address', `${lines('GET http://[::1 HTTP/1.1', 'Host: a')}`],
  ['NUL in the path', 'GET /supp\0orted HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['cut short', `${lines(POST, ...HEAD, 'Content-Length: 1000')}{"onramp":`],
  ['more than it says', `${lines(POST, ...HEAD, 'Content-Length: 2')}{}{}{}`],
];

/** Headers that are told twice, or that tell the next reader something else. */
const HEADERS: [string, string][] = [
  ['two hosts', lines(GET, 'Host: a', 'Host: b')],
  ['no host', lines(GET)],
  ['a host in a host', lines(GET, 'Host: a\r\n Host: b')],
  ['a host with a path', lines(GET, `Host: a${SMUGGLED}`)],
  ['two keys', lines(GET, 'Host: a', 'Authorization: a', 'Authorization: b')],
  ['3,000 headers', lines(GET, 'Host: a', ...Array.from({ length: 3_000 }, (_, at) => `X-${at}: 1`))],
  ['a header of 20 kB', lines(GET, 'Host: a', `X: ${'x'.repeat(20_000)}`)],
  ['a name with a colon', lines(GET, 'Host: a', ': b')],
  ['a name with a blank', lines(GET, 'Host: a', 'X Y: b')],
  ['a value with a return', lines(GET, 'Host: a', 'X: a\rY: b')],
  ['a value with a NUL', lines(GET, 'Host: a', 'X: a\0b')],
  ['a folded line', lines(GET, 'Host: a', 'X: one', ' two')],
  ['no colon', lines(GET, 'Host: a', 'X')],
  [
    'connection names a header away',
    lines(GET, 'Host: a', 'Connection: host, authorization, content-length'),
  ],
  [
    'another method in a header',
    lines(GET, 'Host: a', 'X-HTTP-Method-Override: DELETE', 'X-Method-Override: PUT'),
  ],
  [
    'another target in a header',
    lines(GET, 'Host: a', `X-Original-URL: ${SMUGGLED}`, `X-Rewrite-URL: ${SMUGGLED}`),
  ],
  ['a range', lines(GET, 'Host: a', 'Range: bytes=0-0,1-1,2-2,3-3')],
  ['text as JSON', `${lines(POST, 'Host: a', 'Content-Type: text/plain', 'Content-Length: 2')}{}`],
  ['a packed body', `${lines(POST, ...HEAD, 'Content-Encoding: gzip', 'Content-Length: 4')}\x1f\x8b\x08\x00`],
  ['rubbish', 'hello\r\n\r\n'],
  ['TLS', Buffer.from('16030100a5010000a10303', 'hex').toString('latin1')],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
];

/** Odd, and within the rules: their bodies are empty or end where they say, and what follows is a request. */
const LAWFUL = new Set([
  ...['length "\\t0"', 'length with an underscore', 'chunk size "5;a=b"', 'chunk size "00000000000000005"'],
  ...['trailer with a host', 'a request in the target'],
]);

export const ATTACKS: readonly Attack[] = [
  ...[...BOTH, ...CODINGS, ...CODING_LINES, ...CHUNKS, ...CHUNK_ENDS, ...LINES, ...HEADERS],
].map(([name, text]) => ({ name, bytes: Buffer.from(text, 'latin1'), isTwo: LAWFUL.has(name) }));
