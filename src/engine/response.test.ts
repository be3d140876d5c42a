/** Reading responses: the same however the bytes are cut, and nothing that could be read in two ways. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_HEADERS } from './headers.ts';
import { type Arrival, awaitArrival, take, takeEnd } from './response.ts';
import { Upstream } from './upstream.ts';

const LIMIT = 1_000;

/** Takes the pieces one after the other; each lies where the one before it lay, as in life. */
function receive(pieces: readonly Buffer[], bodyLimit = LIMIT): { arrival: Arrival; isWhole: boolean } {
  const arrival = awaitArrival(bodyLimit);
  const memory = Buffer.alloc(Math.max(1, ...pieces.map(piece => piece.length)));
  let isWhole = false;
  for (const piece of pieces) {
    piece.copy(memory);
    isWhole = take(arrival, memory.subarray(0, piece.length));
    memory.fill('#');
  }
  return { arrival, isWhole };
}

function read(text: string, bodyLimit?: number) {
  const { arrival, isWhole } = receive([Buffer.from(text)], bodyLimit);
  return isWhole ? arrival : undefined;
}

function headersOf(arrival: Arrival | undefined, ...names: (keyof Arrival['headers'])[]) {
  return names.map(name => arrival?.headers[name]);
}

/** The kind of trouble that bytes lead to; undefined when they lead to none. */
function troubleWith(text: string, bodyLimit?: number): string | undefined {
  try {
    read(text, bodyLimit);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(Upstream);
    return (error as Upstream).kind;
  }
}

const head = (...headers: string[]) => ['HTTP/1.1 200 OK', ...headers, '', ''].join('\r\n');
const CHUNKED = head('transfer-encoding: chunked');

describe('a response', () => {
  it('has a status, headers by their lower-case names, and a body of the length it states', () => {
    const text = 'HTTP/1.1 404 Not here\r\nRetry-After:  1 \r\nContent-Length: 4\r\nRETRY-AFTER: 2\r\n\r\nżó';
    const arrival = read(text);
    expect(arrival).toMatchObject({ status: 404, text: 'żó', reusable: true });
    expect(headersOf(arrival, 'retry-after', 'content-length')).toEqual(['1, 2', '4']);
  });

  it('has the headers that mean something to us and no others, by whatever names', () => {
    const lines = [
      'constructor: 1',
      '__proto__: 2',
      'X: Keep-Alive: 1',
      'connections: x',
      'kontent-length: 9',
    ];
    const arrival = read(head(...lines, 'Content-length: 0', 'keep-alivf: x'));
    expect(arrival?.headers).toStrictEqual({ ...NO_HEADERS, 'content-length': '0' });
  });

  it('has its headers as they were sent, but for the blanks around them', () => {
    const arrival = read(
      head('Connection: \tB C \t', 'retry-after:', 'keep-alive: \xa0É', 'content-length: 0'),
    );
    expect(headersOf(arrival, 'connection', 'retry-after', 'keep-alive')).toEqual([
      'B C',
      '',
      '\xc2\xa0\xc3\x89',
    ]);
  });

  it('is read byte by byte in its head, and as UTF-8 behind it, whatever bytes there are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(127), (bytes, letter) => {
        const body = Buffer.from(bytes);
        const opening = Buffer.from(
          head(`keep-alive: \\${String.fromCharCode(128 + letter)}`, `content-length: ${body.length}`),
          'latin1',
        );
        for (const start of [opening, Buffer.from(head(`content-length: ${body.length}`))]) {
          const { arrival } = receive([Buffer.concat([start, body])]);
          expect(arrival.text).toBe(body.toString('utf8'));
          if (start === opening)
            expect(arrival.headers['keep-alive']).toBe(`\\${String.fromCharCode(128 + letter)}`);
        }
      }),
    );
  });

  it('has no body after 204 and 304, whatever length they state', () => {
    expect(read('HTTP/1.1 204 No Content\r\n\r\n')).toMatchObject({ text: '', reusable: true });
    expect(read('HTTP/1.1 304 Not Modified\r\ncontent-length: 50\r\n\r\n')).toMatchObject({ text: '' });
  });

  it('is read from chunks, without their extensions and what follows them', () => {
    expect(read(`${CHUNKED}3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nx-sum: 1\r\n\r\n`)).toMatchObject({
      text: 'abc0123456789',
      reusable: true,
    });
  });

  it('goes to the end of the connection when nothing tells its length', () => {
    const { arrival, isWhole } = receive([
      Buffer.from(head('x: y')),
      Buffer.from('to the '),
      Buffer.from('end'),
    ]);
    expect(isWhole).toBe(false);
    expect(takeEnd(arrival)).toBe(true);
    expect(arrival).toMatchObject({ text: 'to the end', reusable: false });
  });

  it('comes after those that only say that it will', () => {
    const text = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nretry-after: x\r\n\r\n${head('content-length: 2')}ok`;
    const arrival = read(text);
    expect(arrival).toMatchObject({ status: 200, text: 'ok' });
    expect(headersOf(arrival, 'content-length', 'retry-after')).toEqual(['2', undefined]);
  });

  it('that is cut short is not complete', () => {
    for (const text of [head('content-length: 5'), `${CHUNKED}5\r\nabcde\r\n`, 'HTTP/1.1 200 OK\r\n']) {
      const { arrival, isWhole } = receive([Buffer.from(text)]);
      expect([isWhole, takeEnd(arrival)]).toEqual([false, false]);
    }
  });

  it('reads the same however its bytes are cut', () => {
    const body = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
    const framed = fc.oneof(
      body.map(text => head('A: b', `Content-Length: ${Buffer.byteLength(text)}`) + text),
      fc.array(body).map(chunks => CHUNKED + chunks.map(writeChunk).join('') + writeChunk('')),
    );
    const cuts = fc.array(fc.nat(), { maxLength: 20 });
    fc.assert(
      fc.property(framed, cuts, (text, places) => {
        const bytes = Buffer.from(text);
        const { isWhole, arrival } = receive(cutAt(bytes, places), 10_000);
        const { status, text: whole, reusable } = receive([bytes], 10_000).arrival;
        expect(isWhole).toBe(true);
        expect(arrival).toMatchObject({ status, text: whole, reusable });
      }),
    );
  });
});

function writeChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = places.map(place => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...sorted].map((place, at) => bytes.subarray(place, sorted[at])).filter(({ length }) => length);
}

describe('a connection is used again', () => {
  it.each([
    [
      'but not when the server says it will close it',
      head('content-length: 0', 'Connection: Upgrade, Close'),
    ],
    ['but not by the earlier version of the protocol', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['but not when more was sent than was asked for', `${head('content-length: 0')}HTTP/1.1 200 OK\r\n`],
    ['but not when more follows the last chunk', `${CHUNKED}0\r\n\r\nx`],
  ])('%s', (_when, text) => {
    expect(read(text)).toMatchObject({ status: 200, reusable: false });
  });
});

describe('refused as garbage is', () => {
  it.each([
    ['what is no HTTP, at its first bytes', 'SSH-2.0'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
    ['a header on two lines', head('a: b', ' c')],
    ['a header without a name', head(': b')],
    ['a blank before the colon', head('content-length : 3')],
    ['a bare line feed in a header', head('a: b\nc: d')],
    ['a NUL in a header', head('a: \0')],
    ['two lengths', head('content-length: 3', 'content-length: 4')],
    ['a length with a sign', head('content-length: +3')],
    ['a length beside chunks', head('content-length: 3', 'transfer-encoding: chunked')],
    ['an encoding that is none of ours', head('transfer-encoding: gzip, chunked')],
    ['a chunk without a size', `${CHUNKED}\r\n`],
    ['a chunk with a size that is no number', `${CHUNKED}0x3\r\nabc\r\n`],
    ['a chunk longer than its size', `${CHUNKED}2\r\nabc\r\n`],
    ['a line of a chunk without end', `${CHUNKED}1;${'x'.repeat(2_000)}`],
    ['a head without end', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(4_000)}`],
  ])('%s', (_what, text) => {
    expect(troubleWith(text)).toBe('garbage');
  });
});

describe('a body that is too large is refused', () => {
  it('by its stated length, before any of it is read', () => {
    expect(troubleWith(head('content-length: 1001'))).toBe('tooLarge');
    expect(troubleWith(head('content-length: 1000'))).toBeUndefined();
  });

  it('when chunks come to more', () => {
    expect(troubleWith(CHUNKED + writeChunk('x'.repeat(1_000)))).toBeUndefined();
    expect(troubleWith(CHUNKED + writeChunk('x'.repeat(1_000)) + writeChunk('y'))).toBe('tooLarge');
  });

  it('when a connection brings more', () => {
    expect(troubleWith(head() + 'x'.repeat(1_001))).toBe('tooLarge');
  });
});
