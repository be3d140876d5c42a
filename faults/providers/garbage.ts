/** Garbage: a hundred ways in which an answer is no answer, most of them made from a true one. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Chance } from '../bed/chance.ts';
import { FRAMINGS, writeAnswer } from './framings.ts';

export interface Garbage {
  name: string;
  /** All that goes over the wire; the connection ends after it. */
  make(body: string, chance: Chance): Buffer;
}

type Body = (body: string, chance: Chance) => string | Buffer;

const PAIR = /"(\w+)":(?:"[^"]*"|-?[\d.]+)/g;

/** Bodies in the place of the true one. */
const BODIES: Readonly<Record<string, Body>> = {
  'a page of HTML': () => '<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>',
  'a page that asks to wait': () =>
    '<html><head><meta http-equiv="refresh" content="5"></head><body>…</body></html>',
  nothing: () => '',
  blanks: () => ' \n\t ',
  'a null': () => 'null',
  'a boolean': () => 'true',
  'a zero': () => '0',
  'a text': () => '"ok"',
  'an empty list': () => '[]',
  'an empty object': () => '{}',
  'the answer in a list': body => `[${body}]`,
  'the answer as text': body => JSON.stringify(body),
  'the answer in another answer': body => `{"data":${body},"response":null}`,
  'a quarter of it': body => body.slice(0, body.length >> 2),
  'a half of it': body => body.slice(0, body.length >> 1),
  'all but the end': body => body.slice(0, -1),
  'all but the beginning': body => body.slice(1),
  'a piece left out': (body, chance) => without(body, chance),
  'a byte flipped': (body, chance) => flipped(body, chance),
  'bytes of chance': (_body, chance) => Buffer.from(chance.hex(1_024), 'hex'),
  'a NUL within': (body, chance) => inserted(body, '\0', chance),
  'NULs in front': body => `\0\0\0\0${body}`,
  'a mark of byte order in front': body => `\ufeff${body}`,
  'UTF-16': body => Buffer.from(body, 'utf16le'),
  'UTF-16 the other way round': body => Buffer.from(body, 'utf16le').swap16(),
  'no UTF-8': (body, chance) =>
    Buffer.concat([
      Buffer.from(body.slice(0, -2)),
      Buffer.from(chance.pick(['c328', 'ff', 'eda080']), 'hex'),
    ]),
  'a comma too many': body => body.replace(/\}$/, ',}'),
  'it twice': body => body + body,
  'a comment': body => `/* ok */${body}`,
  'single quotes': body => body.replaceAll('"', "'"),
  XML: () => '<?xml version="1.0"?><quote><amount>0.001</amount></quote>',
  'a script': body => `callback(${body});`,
  'a form': () => 'amount=100&payout=0.001',
  'lists in lists': () => '['.repeat(30_000) + ']'.repeat(30_000),
  'objects in objects': () => `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
  'a thousand keys': () => `{${Array.from({ length: 3_000 }, (_, at) => `"key${at}":${at}`).join()}}`,
  'a text of 60 kB': () => JSON.stringify('x'.repeat(60_000)),
  'half a surrogate': (body, chance) => inserted(body, '\\ud800', chance),
  'gzip that nobody mentions': body => gzipSync(body),
  '200 and an error': () => '{"error":{"code":500,"message":"Internal error"}}',
  '200 and no success': () => '{"success":false,"status":500,"returnCode":"9999","errors":["internal"]}',
  'numbers that are none': body => body.replace(/:-?\d[\d.]*/g, ':NaN'),
  'every key twice, then wrong': body => body.replace(PAIR, '$&,"$1":1000'),
  'every key twice, first wrong': body => body.replace(PAIR, '"$1":1000,$&'),
  'keys of the prototype': body => body.replace('{', '{"__proto__":{"rate":"1"},"constructor":null,'),
};

/** Values in the place of true figures, as they stand in JSON. */
const VALUES: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'true',
  'an empty list': '[]',
  'an empty object': '{}',
  'a figure in a list': '[100]',
  'an empty text': '""',
  NaN: '"NaN"',
  Infinity: '"Infinity"',
  'minus infinity': '"-Infinity"',
  words: '"about a hundred"',
  'a decimal comma': '"1,5"',
  hexadecimal: '"0x10"',
  'a blank in front': '" 5"',
  'a currency behind': '"5 EUR"',
  '1e309': '1e309',
  '400 digits': `1${'0'.repeat(400)}`,
  '-1': '-1',
  'full-width digits': '"１００"',
  'Arabic digits': '"١٠٠"',
  'a line end within': '"1\\n2"',
};

export const GARBAGE: readonly Garbage[] = [
  ...Object.entries(BODIES).map(([name, make]) => ({
    name,
    make: (body: string, chance: Chance) => writeAnswer({ body: make(body, chance) }),
  })),
  ...Object.entries(VALUES).flatMap(([name, value]) => [
    { name: `${name} for one figure`, make: (body: string, chance: Chance) => spoilOne(body, value, chance) },
    { name: `${name} for every figure`, make: (body: string) => spoilAll(body, value) },
  ]),
  compressed('gzip', gzipSync),
  compressed('deflate', deflateSync),
  compressed('br', brotliCompressSync),
  { name: 'a bomb of gzip', make: () => writeAnswer({ headers: ['content-encoding: gzip'], body: bomb() }) },
  ...FRAMINGS,
];

function compressed(coding: string, press: (body: string) => Buffer): Garbage {
  return {
    name: `${coding} though plain text was asked for`,
    make: body => writeAnswer({ headers: [`content-encoding: ${coding}`], body: press(body) }),
  };
}

let armed: Buffer | undefined;

/** Forty megabytes in forty kilobytes; made once, because that takes a while. */
function bomb(): Buffer {
  armed ??= gzipSync(Buffer.alloc(40 * 1024 * 1024));
  return armed;
}

/** A figure: a number, or a text that is one; not a key, and not a part of a word. */
const FIGURE = /(?<=[:[,])(?:"-?\d[\d.]*"|-?\d[\d.]*(?=[,}\]]))/g;

function spoilAll(body: string, value: string): Buffer {
  return writeAnswer({ body: body.replace(FIGURE, value) });
}

function spoilOne(body: string, value: string, chance: Chance): Buffer {
  const which = chance.whole(0, (body.match(FIGURE)?.length ?? 1) - 1);
  let at = 0;
  return writeAnswer({ body: body.replace(FIGURE, figure => (at++ === which ? value : figure)) });
}

function inserted(body: string, text: string, chance: Chance): string {
  const at = chance.whole(1, body.length - 1);
  return body.slice(0, at) + text + body.slice(at);
}

function without(body: string, chance: Chance): string {
  const at = chance.whole(1, body.length - 9);
  return body.slice(0, at) + body.slice(at + 8);
}

/** One bit of one byte; a figure that this turns into another figure is a lie, and no garbage. */
function flipped(body: string, chance: Chance): Buffer {
  const bytes = Buffer.from(body);
  let at = chance.whole(0, bytes.length - 1);
  while (/[\d.]/.test(String.fromCharCode(bytes[at] ?? 0))) at = (at + 1) % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.whole(0, 7));
  return bytes;
}
