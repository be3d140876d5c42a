/** Head forms: a reader that knows some beginnings reads what one that knows none would, whatever it is given. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeadReader } from './head-forms.ts';
import { readHead } from './headers.ts';
import { Upstream } from './upstream.ts';

function readBy(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text);
  } catch (error) {
    expect(error).toBeInstanceOf(Upstream);
    return 'refused';
  }
}

function expectSame(texts: readonly string[]): void {
  const read = createHeadReader();
  for (const text of texts) expect(readBy(read, text)).toEqual(readBy(readHead, text));
}

const headOf = (status: string, lines: readonly string[]) => [`HTTP/1.1 ${status}`, ...lines].join('\r\n');
const PLAIN = headOf('200 OK', [
  'Content-Type: application/json',
  'Content-Length: 604',
  'Date: Thu, 19 Nov 2026 20:02:44 GMT',
  'Connection: keep-alive',
  'Keep-Alive: timeout=72',
]);
const LATER = PLAIN.replace('604', '1203').replace('20:02:44', '20:02:45').replace('72', '71');

describe('a reader of heads', () => {
  it('reads what differs, and knows the rest', () => {
    const read = createHeadReader();
    const [, , third] = [PLAIN, LATER, PLAIN.replace('604', ' 7 ').replace('44 GMT', '46 GMT')].map(read);
    expect(third?.headers['content-length']).toBe('7');
    expect(third).toEqual(readHead(PLAIN.replace('604', '7')));
  });

  it('gives each answer headers of its own', () => {
    const read = createHeadReader();
    const heads = [PLAIN, LATER, PLAIN, LATER].map(read);
    expect(heads.map(({ headers }) => headers['content-length'])).toEqual(['604', '1203', '604', '1203']);
  });

  it('reads whatever comes as if it were the first', () => {
    const line = fc.constantFrom(
      ...[
        'Content-Length: 5',
        'content-length: 17',
        'Content-Length:5 ',
        'CONTENT-LENGTH: 5, 5',
        'Content-Length:',
      ],
      ...['Connection: close', 'Connection: keep-alive', 'connection: Keep-Alive, x', 'Retry-After: 3'],
      ...[
        'Transfer-Encoding: chunked',
        'Date: a',
        'Date: b',
        'X-Id: 1',
        'X-Id: 2',
        'x-id: 2',
        'constructor: 1',
      ],
      ...['Age: \u00e9', 'no header', ': 1', 'Odd name: 1', 'A: \u0000', 'Keep-Alive: timeout=5, max=99', ''],
    );
    const status = fc.constantFrom(
      '200 OK',
      '200 OK',
      '200 OK',
      '404 Not Found',
      '503',
      '101 Other',
      '99 No',
    );
    const heads = fc
      .tuple(status, fc.array(line, { maxLength: 4 }))
      .map(([first, lines]) => headOf(first, lines));
    fc.assert(fc.property(fc.array(heads, { minLength: 2, maxLength: 12 }), expectSame), { numRuns: 2_000 });
  });

  it('reads a head that is altered anywhere', () => {
    for (let at = 0; at <= PLAIN.length; at++) {
      for (const letter of ['', '1', ' ', ':', '\r\n', '\n', '\u0000', '\u00ff', 'x']) {
        expectSame([PLAIN, LATER, PLAIN.slice(0, at) + letter + PLAIN.slice(at + 1), LATER]);
        expectSame([PLAIN, LATER, PLAIN.slice(0, at) + letter + PLAIN.slice(at), PLAIN]);
      }
    }
  });

  it('reads on when no head is ever like one before it', () => {
    expectSame(
      Array.from({ length: 200 }, (_, at) => headOf('200 OK', [`X-${at}: 1`, `Content-Length: ${at}`])),
    );
  });
});
