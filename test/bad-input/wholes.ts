/** What is wrong with a request as a whole: its body, what the body is said to be, and who sends it. */
import { gzipSync } from 'node:zlib';
import type { Case } from './cases.ts';
import { JSON_TYPE, keysOf, lineOf, write } from './letter.ts';
import type { Live, Operation, Table } from './parameter.ts';

/** Every operation with a body, with bodies that are none or are said to be something else. */
export function bodyCases(table: Table, live: Live): Case[] {
  return Object.entries(table).flatMap(([at, operation]) => {
    const { sends, surface } = operation;
    if (sends === undefined) return [];
    const line = lineOf(at, operation, { path: pathOf(operation) });
    const good = JSON.stringify(sends);
    const of = (
      what: string,
      headers: readonly string[],
      body: string | Buffer,
      fields: readonly string[],
    ): Case => ({
      what: `${at}: ${what}`,
      surface,
      bytes: write({ line, headers: [...keysOf(live), ...headers], body }),
      fields,
      taken: undefined,
    });
    // Steps are read as JSON whatever they are called.
    const fields = ['body', ...Object.keys(operation.body ?? {}), 'k256', 'x', 'a', DEEP];
    const types = surface === 'earlier' ? [] : TYPES;
    return [
      ...bodiesOf(good).map(([what, body]) => of(`a body of ${what}`, [JSON_TYPE], body, fields)),
      ...types.map(type => of(`content type ${type}`, [`Content-Type: ${type}`], good, ['Content-Type'])),
      ...ENCODINGS.map(name =>
        of(`content encoding ${name}`, [JSON_TYPE, `Content-Encoding: ${name}`], gzipSync(good), [
          'Content-Encoding',
        ]),
      ),
    ];
  });
}

/** The path that a good body needs. */
function pathOf({ body = {} }: Operation): Readonly<Record<string, string>> | undefined {
  const [first] = Object.values(body);
  return first && 'kind' in first ? first.path : undefined;
}

const DEEP = '[0]'.repeat(16);
const keys = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',');

function bodiesOf(good: string): [string, string | Buffer][] {
  const open = good === '{}' ? '{"a":1' : good.slice(0, -1);
  const within = (bytes: readonly number[]) =>
    Buffer.concat([Buffer.from(`${open},"x":"`), Buffer.from(bytes), Buffer.from('"}')]);
  return [
    ...[
      '',
      '  \n',
      'hello',
      'a=1&b=2',
      '<xml/>',
      'null',
      'true',
      '1',
      '"x"',
      '[]',
      '[{}]',
      `[${good}]`,
      open,
    ].map((body): [string, string] => [JSON.stringify(body.slice(0, 40)), body]),
    ['a trailing comma', `${open},}`],
    ['two documents', good + good],
    ['two lines', `${good}\n${good}`],
    ['JSON and more', `${good}x`],
    ['a comment', `/* */${good}`],
    ['single quotes', `${open.replaceAll('"', "'")}}`],
    ['a NUL after', `${good}\u0000`],
    ['a byte order mark', `\ufeff${good}`],
    ['UTF-16', Buffer.from(good, 'utf16le')],
    ['bytes that are no UTF-8', within([0xff])],
    ['overlong UTF-8', within([0xc0, 0xaf])],
    ['half a character in UTF-8', within([0xed, 0xa0, 0x80])],
    ['30,000 levels', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['60,000 levels that never end', '['.repeat(60_000)],
    ['10,000 objects in objects', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`],
    ['17 levels', `${open},"x":${'['.repeat(17)}${']'.repeat(17)}}`],
    ['300 keys', `{${keys(300)}}`],
    ['a number of 60,000 digits', `${open},"x":${'1'.repeat(60_000)}`],
    ['a string of 5,000 characters', `${open},"x":"${'x'.repeat(5_000)}"}`],
    ['60,000 backslashes', `${open},"x":"${'\\'.repeat(60_000)}`],
    ['60,000 quotes', '"'.repeat(60_001)],
    ['60,000 blanks', `${' '.repeat(60_000)}x`],
    ['64 kB and a byte', good.padEnd(65_537)],
    ['20,000 keys', `{${keys(20_000)}}`],
    ['200,000 levels', '['.repeat(200_000)],
  ];
}

const TYPES = [
  ...[
    'text/plain',
    'text/plain; charset=utf-8',
    'text/json',
    'application/xml',
    'application/x-www-form-urlencoded',
  ],
  ...[
    'application/jsonp',
    'application/json5',
    'application/merge-patch+json',
    'application/octet-stream',
    '*/*',
    'x',
    '',
  ],
  ...[
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
  ],
];
const ENCODINGS = ['gzip', 'GZIP', 'br', 'deflate', 'gzip, gzip', 'identity, gzip', 'zstd', 'x'];

/** Operations that a key opens, or a key and a secret, with everything else in their place. */
export function keyCases(table: Table, needs: ReadonlyMap<string, readonly string[]>, live: Live): Case[] {
  const { key, secret } = live;
  const other = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
  const ways: [string, readonly string[]][] = [
    ['no key', [`x-service-secret: ${secret}`]],
    ...[
      '',
      ' ',
      'Bearer',
      'Bearer ',
      other,
      `Bearer ${other}`,
      secret,
      key.toLowerCase(),
      'public',
      `${key}, ${key}`,
    ].map(keyed),
    ...[
      '__proto__',
      'constructor',
      `${key}\u00e9`,
      'x'.repeat(7_000),
      `Digest ${key}`,
      `${key} ${key}`,
      `"${key}"`,
    ].map(keyed),
    ['two keys', [`Authorization: ${key}`, ...keysOf(live)]],
    ['8 kB', [`Authorization: ${'x'.repeat(8_192)}`]],
  ];
  const secrets: [string, readonly string[]][] = [
    ['no secret', [`Authorization: ${key}`]],
    ...[
      '',
      ' ',
      'x',
      key,
      secret.slice(0, -1),
      `${secret}x`,
      `${secret}, ${secret}`,
      `${secret}\u00e9`,
      '__proto__',
    ].map(secretly),
    ['two secrets', [...keysOf(live), `x-service-secret: ${secret}`]],
    ['two secrets by two names', [...keysOf(live), 'x-onramper-secret: x']],
  ];
  function keyed(text: string): [string, readonly string[]] {
    return [`the key ${text.slice(0, 20)}`, [`Authorization: ${text}`, `x-service-secret: ${secret}`]];
  }
  function secretly(text: string): [string, readonly string[]] {
    return [`the secret ${text.slice(0, 20)}`, [`Authorization: ${key}`, `x-service-secret: ${text}`]];
  }
  return Object.entries(table).flatMap(([at, operation]) => {
    const needed = needs.get(at) ?? [];
    const wrong = [...(needed.includes('key') ? ways : []), ...(needed.includes('secret') ? secrets : [])];
    return wrong.map(([what, headers]) => ({
      what: `${at}: ${what}`,
      surface: operation.surface,
      bytes: write({ line: lineOf(at, operation, {}), headers, body: bodyOf(operation) }),
      fields: ['Authorization', 'request'],
      taken: undefined,
    }));
  });
}

function bodyOf({ sends }: Operation): string | undefined {
  return sends && JSON.stringify(sends);
}
