/** Checkouts that must be refused: every way a body or a header can be wrong, with the field the answer has to name. */
import { NO_JSON, TYPES } from '../bad-input/bodies.ts';
import * as figures from '../bad-input/figures.ts';
import * as orders from '../bad-input/orders.ts';
import * as words from '../bad-input/words.ts';
import {
  ADDRESSES,
  BUY,
  type Case,
  jsonAt,
  SELL,
  said,
  textsAt,
  withJson,
  withValue,
} from './checkout-letters.ts';

const THEME = 'supportedParams.theme';
const REDIRECT = 'supportedParams.partnerData.redirectUrl.success';
const COLORS = ['primaryColor', 'secondaryColor', 'primaryTextColor', 'secondaryTextColor', 'cardColor'];

const STRINGS = [
  ...['onramp', 'source', 'destination', 'type', 'paymentMethod', 'network', 'uuid', 'partnerContext'],
  ...['originatingHost', 'metaData.quoteId', 'wallet.address', 'wallet.memo', 'signContent', 'signature'],
  ...[`${THEME}.themeName`, ...COLORS.map(name => `${THEME}.${name}`), REDIRECT],
];
const OBJECTS = [
  ...['metaData', 'wallet', 'supportedParams', THEME, 'supportedParams.partnerData'],
  'supportedParams.partnerData.redirectUrl',
];
const REQUIRED = ['onramp', 'source', 'destination', 'amount', 'wallet.address'];

const wrongTypes: Case[] = [
  ...STRINGS.flatMap(path => jsonAt(path, TYPES.text)),
  ...OBJECTS.flatMap(path => jsonAt(path, TYPES.object)),
  ...jsonAt(`${THEME}.isDark`, TYPES.flag),
  ...jsonAt(`${THEME}.borderRadius`, TYPES['figure or text']),
];

const missing: Case[] = REQUIRED.flatMap(path => [
  { what: `${path} missing`, body: JSON.stringify(withValue(path, undefined)), fields: [path] },
  { what: `${path} null`, body: JSON.stringify(withValue(path, null)), fields: [path] },
]);

const AMOUNT_NUMBERS = [
  ...[
    '0.00',
    '-100',
    '1e2',
    '0.001',
    '1.000000000000000000000000000001',
    '9'.repeat(400),
    '1'.repeat(60_000),
  ],
  ...TYPES.number,
];
const NO_NUMBERS = [
  ...['-Infinity', '0b11', '0o7', '00', '--5', '5n', '$5', '1,5', '1.5.5', '100abc', '1e'],
  ...['\uff11\uff10\uff10', '\u0661', '\u2212100', ...NO_JSON],
];
const amounts: Case[] = [
  ...jsonAt('amount', AMOUNT_NUMBERS),
  ...jsonAt('amount', NO_NUMBERS, ['body', 'amount']),
  ...textsAt('amount', ['100', ...figures.amount(2).seeds]),
  ...jsonAt('amount', ['"\\ud800"']),
  {
    what: 'amount: 70,000 digits',
    body: withJson('amount', '1'.repeat(70_000)),
    fields: ['body'],
    status: 413,
  },
  ...['0.000000001', '1e-3', '0.123456789'].map(json => ({
    what: `amount of a sell: ${json}`,
    body: JSON.stringify({ ...SELL, amount: '@@' }).replace('"@@"', json),
    fields: ['amount'],
  })),
  {
    what: 'amount of yen: 1000.5',
    body: JSON.stringify({ ...BUY, source: 'jpy', amount: 1000.5 }),
    fields: ['amount'],
  },
];

/** Words that name nothing, beside those that do not in any request. */
const WORDS = [
  ...['x'.repeat(4_000), 'btc\u0000', 'btc\n', ' eur', '../eur', '..', '.', '%2f', 'null', '%', '%zz'],
];
/** Names of other things make a pair that cannot be. */
const ELSEWHERE = ['btc', 'btc_bitcoin', 'eur', 'usdc'];
const KINDS = {
  onramp: words.provider,
  source: words.fiat,
  destination: words.crypto,
  paymentMethod: words.method,
  network: words.onlyNetwork,
};
const pairOf = (what: string, change: object, fields: readonly string[]): Case => ({
  what,
  body: JSON.stringify({ ...BUY, network: undefined, ...change }),
  fields,
});
const names: Case[] = [
  ...Object.entries(KINDS).flatMap(([path, { seeds }]) =>
    textsAt(path, [...WORDS, ...seeds.filter(text => !ELSEWHERE.includes(text))]),
  ),
  ...textsAt('onramp', ['moonpay ', 'MOON PAY']),
  ...textsAt('type', ['buy ', ...words.buy.seeds]),
  pairOf('two fiats', { destination: 'usd' }, ['source', 'destination']),
  pairOf('the same fiat twice', { destination: 'eur' }, ['source', 'destination']),
  pairOf('two coins', { source: 'eth' }, ['source', 'destination']),
  pairOf('the same coin twice', { source: 'btc' }, ['source', 'destination']),
  pairOf('a coin on many networks', { destination: 'usdc' }, ['destination']),
  pairOf('a buy that is called a sell', { type: 'sell' }, ['type']),
  { what: 'a sell that is called a buy', body: JSON.stringify({ ...SELL, type: 'buy' }), fields: ['type'] },
  {
    what: 'a sell that is not called one',
    body: JSON.stringify({ ...SELL, type: undefined }),
    fields: ['type'],
  },
  pairOf('a network the coin is not on', { network: 'ethereum' }, ['network']),
  pairOf('another network than the id', { destination: 'usdc_base', network: 'polygon' }, ['network']),
  pairOf('another network than the id of a sell', { ...SELL, network: 'tron' }, ['network']),
];

const uuids = textsAt('uuid', [words.UUID.slice(0, -1), 'x'.repeat(10_240), ...words.uuid.seeds]);

const contexts: Case[] = [...textsAt('partnerContext', ['x'.repeat(5_000), ...words.context.seeds])];

const checksum = (address: string) => address.slice(0, -1) + (address.endsWith('q') ? 'p' : 'q');
const wallets: Case[] = [
  ...textsAt('wallet.address', [
    ...[checksum(ADDRESSES.bitcoin), `${ADDRESSES.bitcoin}\r\nX-Injected: 1`, `${ADDRESSES.bitcoin}\u0000`],
    ...[ADDRESSES.tron, 'bC1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'x'.repeat(4_096), '1'.repeat(9_000)],
    ...orders.wallet.seeds,
  ]),
  ...[
    ['eth', ADDRESSES.ethereum.replace('5aA', '5aa'), 'checksum'],
    ['eth', ADDRESSES.ethereum.slice(2), 'no prefix'],
    ['eth', `0X${ADDRESSES.ethereum.slice(2)}`, 'another prefix'],
    ['eth', `0x${'0'.repeat(40)}`, 'nobody’s'],
    ['eth', ADDRESSES.bitcoin, 'another chain’s'],
    ['usdt_tron', ADDRESSES.ethereum, 'another chain’s'],
    ['usdt_tron', checksum(ADDRESSES.tron), 'checksum'],
    ['xrp', checksum(ADDRESSES.ripple), 'checksum'],
  ].map(([destination, address, what]) => ({
    what: `wallet.address for ${destination}: ${what}`,
    body: JSON.stringify({ ...BUY, network: undefined, destination, wallet: { address } }),
    fields: ['wallet.address'],
  })),
  ...['', 'x', ADDRESSES.ethereum].map(address => ({
    what: `wallet.address of a sell: ${address}`,
    body: JSON.stringify({ ...SELL, wallet: { address } }),
    fields: ['wallet.address'],
  })),
  ...textsAt('wallet.memo', orders.noTag.seeds),
  ...orders.tag.seeds.map(memo => ({
    what: `wallet.memo for xrp: ${said(memo)}`,
    body: JSON.stringify({
      ...BUY,
      network: undefined,
      destination: 'xrp',
      wallet: { address: ADDRESSES.ripple, memo },
    }),
    fields: ['wallet.memo'],
  })),
  {
    what: 'wallet.memo without an address',
    body: JSON.stringify({ ...SELL, wallet: { memo: '1' } }),
    fields: ['wallet.memo'],
  },
];

const REDIRECTS = [
  ...['', ' ', '/', '/thanks', 'thanks', 'shop.example', 'shop.example/thanks', '//shop.example/'],
  ...['///shop.example/', 'javascript:alert(1)', 'JaVaScRiPt:alert(1)'],
  ...['javascript://shop.example/%0aalert(1)', 'data:text/html,x', 'data://shop.example/x'],
  ...['file:///etc/passwd', 'ftp://shop.example/', 'ws://shop.example/', 'blob:https://shop.example/x'],
  ...['http://shop.example/', 'https:shop.example', 'https:/shop.example', 'https:///shop.example'],
  ...['https://', 'https://?', 'https://evil.example/', 'https://shop.example.evil.example/'],
  ...['https://evilshop.example/', 'https://shop.example.', 'https://shop.examples/'],
  ...['https://sub.shop.example/', 'https://shop.example:8443/', 'https://shop.example:0/'],
  ...['https://shop.example@evil.example/', 'https://shop.example:x@evil.example/'],
  ...['https://a@shop.example/', 'https://a:b@shop.example/', 'https://@shop.example/'],
  ...['https://:@shop.example/', 'https://shop.example%40evil.example/'],
  ...['https://evil.example\\@shop.example/', 'https://shop.example\\.evil.example/'],
  ...['https:\\\\shop.example\\', 'https://shop.example/\\evil', 'https://evil.example#@shop.example/'],
  ...['https://evil.example?shop.example', 'https://evil.example/shop.example'],
  ...['https://shop.example/\r\nX-Injected: 1', 'https://shop.example/\n', 'ht\ntps://shop.example/'],
  ...[' https://shop.example/', 'https://shop.example/ ', 'https://shop.example/a b'],
  ...['https://shop.example\t/', 'https://shop.example/\u0000', 'https://shop.example/\u202e'],
  ...['https://sh\u00adop.example/', 'https://shop\u200b.example/', 'https://[::1'],
  ...['https://shop.example:99999/', 'https://127.0.0.1/', 'https://0x7f000001/', 'https://2130706433/'],
  ...['https://[::ffff:127.0.0.1]/', 'https://localhost/', 'http://localhost/', 'http://localhost:3001/'],
  ...['http://localhost.evil.example:3000/', 'http://127.0.0.1:3001/'],
  ...['https://shop.example/'.padEnd(2_049, 'x'), 'https://shop.example/'.padEnd(4_000, 'x')],
  ...['https://shop.example/'.padEnd(9_216, 'x'), `https://shop.example/${'é'.repeat(1_000)}`, '%', '%zz'],
  ...['https%3A%2F%2Fshop.example%2', 'https%3A%2F%2F%ff'],
  '__proto__',
];
const redirects: Case[] = [
  ...textsAt(REDIRECT, REDIRECTS),
  ...textsAt(
    REDIRECT,
    // What is bad plain is as bad encoded; what was encoded twice is no URL when it is decoded once.
    REDIRECTS.filter(text => text.length < 1_000 && !text.includes('%')).map(encodeURIComponent),
  ),
  ...textsAt(REDIRECT, [
    encodeURIComponent(encodeURIComponent('https://shop.example/')),
    encodeURIComponent(encodeURIComponent(encodeURIComponent('https://shop.example/'))),
    'https:%2F%2Fevil.example%2F',
    'https%3A%2F%2Fevil.example%2F%3Fx%3D://shop.example',
    'https%3A%2F%2Fshop.example%252F@evil.example',
    'https%3A%2F%2Fshop.example%5C@evil.example',
    'https%3A%2F%2Fshop.example%0d%0aX-Injected%3A1',
  ]),
];

const colors: Case[] = [
  ...COLORS.flatMap(name =>
    textsAt(`${THEME}.${name}`, [
      ...['#gggggg', '#123456 ', '#123456;', 'url(javascript:alert(1))', 'rgb(a,b,c)', 'rgb(1,2,3,4,5)'],
      ...['rgba()', 'hsl(1,2,3);x', 'x'.repeat(65)],
      ...orders.colour.seeds,
    ]),
  ),
  ...textsAt(`${THEME}.themeName`, ['\u202edark', 'a;b', 'dunkel\u00e4', ...words.themeName.seeds]),
  ...textsAt(`${THEME}.borderRadius`, ['x', '8pt', ...orders.radius.seeds]),
];

const hosts = textsAt('originatingHost', [
  ...['..', 'shop.example/path', '//shop.example', 'shop.example:99999', 'shop.example:x', 'shop.example:-1'],
  ...['10.0.0.0x1', '1.2.3.4.5', 'localhost:3000', 'shop.example\r\nX: 1', 'shop.example\u0000'],
  ...['shop.example#x', 'shop example', ...words.host.seeds],
]);

/** Those that are not even like a quote's id; forged ones need a service that knows its own. */
const quoteIds = textsAt('metaData.quoteId', [
  ...['', ' ', 'a b', 'x'.repeat(129), 'x'.repeat(4_096), 'x'.repeat(20_480), 'a\nb', 'a\u0000b', '\u00e9'],
  ...['\u202ex'],
]);

const big = JSON.stringify(withValue('note', 'x'.repeat(4_000)));
const keys = (count: number) => Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',');
const opened = JSON.stringify(BUY).slice(0, -1);
const raw = (what: string, body: string | Buffer, fields: readonly string[] = ['body']): Case => ({
  what: `a body of ${what}`,
  body,
  fields,
});
const bodies: Case[] = [
  raw('nothing', ''),
  raw('blanks', '  \n'),
  raw('words', 'hello'),
  raw('a form', 'onramp=moonpay&source=eur'),
  raw('XML', '<checkout/>'),
  ...['null', 'true', '1', '"x"', '[]', '[{}]', `[${JSON.stringify(BUY)}]`].map(json => raw(json, json)),
  raw('an object that does not end', opened),
  raw('a trailing comma', `${opened},}`),
  raw('two documents', JSON.stringify(BUY) + JSON.stringify(BUY)),
  raw('two lines of JSON', `${JSON.stringify(BUY)}\n${JSON.stringify(BUY)}`),
  raw('JSON and more', `${JSON.stringify(BUY)}x`),
  raw('a byte order mark', `\ufeff${JSON.stringify(BUY)}`),
  raw('UTF-16', Buffer.from(JSON.stringify(BUY), 'utf16le')),
  raw(
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from(`${opened},"x":"`), Buffer.from([0xff, 0x22, 0x7d])]),
  ),
  raw(
    'overlong UTF-8',
    Buffer.concat([Buffer.from(`${opened},"x":"`), Buffer.from([0xc0, 0xaf, 0x22, 0x7d])]),
  ),
  raw('a comment', `/* */${JSON.stringify(BUY)}`),
  raw('single quotes', JSON.stringify(BUY).replaceAll('"', "'")),
  raw('a NUL', `${JSON.stringify(BUY)}\u0000`),
  raw('30,000 levels', '['.repeat(30_000) + ']'.repeat(30_000), ['body', '[0]'.repeat(16)]),
  raw('30,000 levels that never end', '['.repeat(60_000)),
  raw('17 levels', `${opened},"x":${'['.repeat(17)}${']'.repeat(17)}}`, [`x${'[0]'.repeat(15)}`]),
  raw('300 keys', `{${keys(300)}}`, ['k256']),
  raw('a string of 5,000 characters', JSON.stringify(withValue('note', 'x'.repeat(5_000))), ['note']),
  ...['onramp', 'amount', 'wallet', 'supportedParams', 'note'].map(key =>
    raw(`${key} twice`, `${opened},"${key}":1,"${key}":1}`, [key]),
  ),
  raw('wallet.address twice', withJson('wallet', '{"address":"a","address":"b"}'), ['wallet.address']),
  raw(
    'wallet.address twice, spelled in two ways',
    withJson('wallet', '{"address":"a","\\u0061ddress":"b"}'),
    ['wallet.address'],
  ),
  ...['__proto__', 'constructor', 'prototype'].flatMap(key => [
    raw(key, `${opened},"${key}":{"polluted":1}}`, [key]),
    raw(`wallet.${key}`, withJson('wallet', `{"address":"a","${key}":{"polluted":1}}`), [`wallet.${key}`]),
    raw(`metaData.x.${key}`, withJson('metaData', `{"x":[{"${key}":{"polluted":1}}]}`), [
      `metaData.x[0].${key}`,
    ]),
  ]),
  raw('__proto__, escaped', `${opened},"\\u005f_proto__":{"polluted":1}}`, ['__proto__']),
];
const largeBodies: Case[] = [
  { ...raw('64 kB and a byte', big.padEnd(65_537)), status: 413 },
  { ...raw('20,000 keys', `${opened},${keys(20_000)}}`), status: 413 },
  { ...raw('200,000 levels', '['.repeat(200_000)), status: 413 },
  { ...raw('3 MiB', '['.repeat(3 * 1024 * 1024)), status: 413 },
];

const good = JSON.stringify(BUY);
const headed = (what: string, header: string, more: Partial<Case>): Case => ({
  what,
  body: good,
  headers: [header],
  fields: ['Content-Type'],
  status: 415,
  ...more,
});
const headers: Case[] = [
  ...[
    ...['text/plain', 'text/plain; charset=utf-8', 'text/json', 'application/xml'],
    ...['application/x-www-form-urlencoded', 'application/jsonp', 'application/json5'],
    ...['application/merge-patch+json', 'application/octet-stream', '*/*', 'x'],
    ...['multipart/form-data; boundary=x', 'application/json; charset=latin1'],
    ...['application/json; charset=utf-16', ''],
  ].map(type => headed(`content type ${type}`, `Content-Type: ${type}`, {})),
  ...['gzip', 'GZIP', 'br', 'deflate', 'gzip, gzip', 'zstd', 'x'].map(encoding =>
    headed(`content encoding ${encoding}`, `Content-Encoding: ${encoding}`, { fields: ['Content-Encoding'] }),
  ),
  ...['', ' ', 'x'.repeat(256), 'x'.repeat(4_000), 'a\tb', '\u00e9', 'k\u00ff'].map(key =>
    headed(`idempotency key ${said(key)}`, `Idempotency-Key: ${key}`, {
      fields: ['Idempotency-Key'],
      status: 400,
    }),
  ),
  {
    ...headed('two idempotency keys', 'Idempotency-Key: a', { fields: ['Idempotency-Key'], status: 400 }),
    headers: ['Idempotency-Key: a', 'Idempotency-Key: b'],
  },
  {
    ...headed('an idempotency key twice', 'Idempotency-Key: a', { fields: ['Idempotency-Key'], status: 400 }),
    headers: ['Idempotency-Key: a', 'idempotency-key: a'],
  },
];

const countries: Case[] = [
  ...words.country.seeds.map(encodeURIComponent),
  ...['de&country=de', 'de&country=fr', '%', '%zz'],
].map(country => ({
  what: `country ${said(country)}`,
  body: good,
  query: `?country=${country}`,
  fields: ['country'],
}));

/** By what is wrong. */
export const REFUSED: Readonly<Record<string, readonly Case[]>> = {
  'wrong types': wrongTypes,
  'missing fields': missing,
  amounts,
  names,
  uuids,
  'partner contexts': contexts,
  wallets,
  redirects,
  themes: colors,
  hosts,
  'quote ids': quoteIds,
  bodies,
  'large bodies': largeBodies,
  headers,
  countries,
};
