/** Checkouts that must be refused: every way a body or a header can be wrong, with the field the answer has to name. */

export interface Case {
  what: string;
  body: string | Buffer;
  /** Header lines beside those of a good request; a name said here replaces the good one. */
  headers?: readonly string[];
  /** What follows the path. */
  query?: string;
  /** Any of these may be named. */
  fields: readonly string[];
  /** 400 where nothing else is said. */
  status?: number;
}

export const UUID = '6f9619ff-8b86-d011-b42d-00c04fc964ff';
/** Hosts the account must have registered for its people to be sent to. */
export const REDIRECT_HOSTS = ['shop.example', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000'];
export const ADDRESSES = {
  bitcoin: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  ethereum: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  tron: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  ripple: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
};

export const BUY = {
  onramp: 'moonpay',
  source: 'eur',
  destination: 'btc',
  amount: 100,
  type: 'buy',
  paymentMethod: 'creditcard',
  network: 'bitcoin',
  uuid: UUID,
  partnerContext: 'order-1',
  originatingHost: 'shop.example',
  wallet: { address: ADDRESSES.bitcoin },
  supportedParams: {
    theme: {
      isDark: false,
      themeName: 'light-theme',
      primaryColor: '#241d1c',
      secondaryColor: '#FFFFFF',
      primaryTextColor: '#141519',
      secondaryTextColor: '#6b6f80',
      cardColor: '#F6F7F9',
      borderRadius: null,
    },
    partnerData: { redirectUrl: { success: 'https%3A%2F%2Fshop.example%2Fthanks' } },
  },
};

export const SELL = {
  onramp: 'moonpay',
  source: 'btc',
  destination: 'eur',
  amount: 0.01,
  type: 'sell',
  paymentMethod: 'sepabanktransfer',
};

type Members = { [name: string]: unknown };

/** The good body with a value at a path; `undefined` takes it away. */
export function withValue(path: string, value: unknown, good: object = BUY): Members {
  const [first = '', ...rest] = path.split('.');
  const copy: Members = { ...good };
  if (rest.length > 0) copy[first] = withValue(rest.join('.'), value, (copy[first] ?? {}) as object);
  else if (value === undefined) delete copy[first];
  else copy[first] = value;
  return copy;
}

/** The same as text, with JSON, or what pretends to be some, at the path. */
function withJson(path: string, json: string): string {
  return JSON.stringify(withValue(path, '@@')).replace('"@@"', () => json);
}

const said = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}… (${text.length})` : text);

function jsonAt(path: string, texts: readonly string[], fields: readonly string[] = [path]): Case[] {
  return texts.map(json => ({ what: `${path}: ${said(json)}`, body: withJson(path, json), fields }));
}

/** Each value as a text of the field. */
function textsAt(path: string, texts: readonly string[], fields?: readonly string[]): Case[] {
  return jsonAt(
    path,
    texts.map(text => JSON.stringify(text)),
    fields,
  );
}

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
  ...STRINGS.flatMap(path =>
    jsonAt(path, ['1', '0', '1.5', 'true', 'false', '[]', '["x"]', '{}', '{"a":"x"}']),
  ),
  ...OBJECTS.flatMap(path => jsonAt(path, ['""', '"x"', '1', 'true', 'false', '[]', '[{}]'])),
  ...jsonAt(`${THEME}.isDark`, ['"true"', '"false"', '""', '1', '0', '[]', '{}']),
  ...jsonAt(`${THEME}.borderRadius`, ['true', '[]', '{}', '-1', '1e3', '99999', '"x"', '"8pt"', '"8px;x:y"']),
  ...jsonAt('amount', ['true', 'false', '[]', '[100]', '{}', '{"value":100}']),
];

const missing: Case[] = REQUIRED.flatMap(path => [
  { what: `${path} missing`, body: JSON.stringify(withValue(path, undefined)), fields: [path] },
  { what: `${path} null`, body: JSON.stringify(withValue(path, null)), fields: [path] },
]);

const AMOUNT_NUMBERS = [
  ...['0', '-0', '0.0', '0.00', '-1', '-100', '1e3', '1E3', '1e2', '1e309', '-1e309', '1e-30', '1.5e1'],
  ...['1e0', '100.001', '0.001', '1.000000000000000000000000000001', '9007199254740993'],
  ...['12345678901234567890.1', '9'.repeat(400), `0.${'0'.repeat(400)}1`, '1'.repeat(60_000)],
  ...['1000000000000000'],
];
const NO_NUMBERS = [
  ...['NaN', 'Infinity', '-Infinity', 'undefined', '0x10', '0b11', '0o7', '.5', '5.', '+5', '1_000', '01'],
  ...['00', '--5', '5n', '$5', '1,5', '1.5.5', '100abc', '1e', '\uff11\uff10\uff10', '\u0661', '\u2212100'],
  ...["'5'", ''],
];
const AMOUNT_TEXTS = [
  ...['', ' ', '100', '0', '-1', '1e3', '0x10', ' 5', '5\n', '1,5', 'NaN', 'null', '\ufeff100'],
  ...['1\u200b00', '\uff11\uff10\uff10', "1' OR '1'='1", '1; drop table accounts', '{{7*7}}'],
  ...['100\r\nX-Injected: 1', '100\u0000'],
];
const amounts: Case[] = [
  ...jsonAt('amount', AMOUNT_NUMBERS),
  ...jsonAt('amount', NO_NUMBERS, ['body', 'amount']),
  ...textsAt('amount', AMOUNT_TEXTS),
  ...jsonAt('amount', ['"\\ud800"', '"\\u0031\\u0030\\u0030"']),
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

/** Words that name nothing. */
const WORDS = [
  ...['', ' ', 'nope', 'x'.repeat(300), 'x'.repeat(4_000), 'btc\u0000', 'btc\n', ' eur', 'e ur'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '../eur', '..', '.', '%2e%2e', '%2f'],
  ...['eur/btc', 'eur\\btc', '"eur"', "eur'--", '<b>eur</b>', '\uff45\uff55\uff52', '\u0435ur'],
  ...['\u202eeur', 'eur\u200b', '*', 'eur,usd', '[eur]', '{}', 'null', 'btc_', '_bitcoin', 'btc_ethereum'],
  ...['btc-bitcoin', '%', '%zz'],
];
const pairOf = (what: string, change: object, fields: readonly string[]): Case => ({
  what,
  body: JSON.stringify({ ...BUY, network: undefined, ...change }),
  fields,
});
const words: Case[] = [
  ...['onramp', 'source', 'destination', 'paymentMethod', 'network'].flatMap(path =>
    textsAt(path, [...WORDS, 'x'.repeat(5_000)]),
  ),
  ...textsAt('onramp', ['moonpay ', 'moonpay,transak', 'all', 'MOON PAY']),
  ...textsAt('type', [
    '',
    ' ',
    'BUY',
    'Buy',
    'SELL',
    '1',
    '0',
    'yes',
    'hold',
    'buy,sell',
    'buy ',
    '__proto__',
  ]),
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

const uuids = textsAt('uuid', [
  ...['', ' ', 'not-a-uuid', `{${UUID}}`, UUID.replaceAll('-', ''), UUID.slice(0, -1), `${UUID}0`],
  ...[`${UUID}\n`, `urn:uuid:${UUID}`, UUID.replace('6', 'g'), 'x'.repeat(10_240), '\u0000', '__proto__'],
  ...[`${UUID},${UUID}`],
]);

const contexts: Case[] = [
  ...textsAt('partnerContext', [
    ...['x'.repeat(1_025), 'x'.repeat(4_096), 'x'.repeat(5_000), 'a\u0000b', 'a\nb', 'a\r\nX-Injected: 1'],
    ...['\u001b[31m', '\u007f', '\u0085', '\t'],
  ]),
  ...jsonAt('partnerContext', ['"\\ud800"', '"\\udfff\\ud800"']),
];

const checksum = (address: string) => address.slice(0, -1) + (address.endsWith('q') ? 'p' : 'q');
const wallets: Case[] = [
  ...textsAt('wallet.address', [
    ...['', ' ', 'x', 'bc1', ADDRESSES.bitcoin.slice(0, -1), `${ADDRESSES.bitcoin}q`],
    ...[checksum(ADDRESSES.bitcoin), ` ${ADDRESSES.bitcoin}`, `${ADDRESSES.bitcoin}\n`],
    ...[`${ADDRESSES.bitcoin}\r\nX-Injected: 1`, `${ADDRESSES.bitcoin}\u0000`],
    ...[`\u202e${ADDRESSES.bitcoin}`, `${ADDRESSES.bitcoin}\u200b`],
    ...['tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', ADDRESSES.ethereum, ADDRESSES.tron, ADDRESSES.ripple],
    ...['bC1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', `bitcoin:${ADDRESSES.bitcoin}`],
    ...['https://shop.example/', 'javascript:alert(1)', '<script>alert(1)</script>', '=1+1', '+1', '-1'],
    ...['@sum', '__proto__', "' OR 1=1", 'x'.repeat(257), 'x'.repeat(4_096), '1'.repeat(9_000)],
    ...['bc1\uff51w508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'vitalik.eth'],
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
  ...textsAt('wallet.memo', ['', '1', 'memo', '\u0000', 'x'.repeat(300)]),
  ...['', ' 1', '-1', '1.5', '4294967296', 'tag', '01', '1\n', '\u0661'].map(memo => ({
    what: `wallet.memo for xrp: ${memo}`,
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
      ...['', ' ', '#', '#1', '#12', '#12345', '#1234567', '#123456789', '#ggg', '#gggggg', '123456'],
      ...['##123456', ' #123456', '#123456 ', '#123456\n', '#123456;'],
      ...['red;background:url(//evil.example)', 'url(//evil.example)', 'url(javascript:alert(1))'],
      ...['expression(alert(1))', 'rgb(1,2)', 'rgb(1,2,3', 'rgb(1,2,3)}body{x:y', 'rgb(a,b,c)'],
      ...['rgb(1,2,3,4,5)', 'rgba()', 'hsl(1,2,3);x', 'var(--x)', 'calc(1px)', '</style><script>'],
      ...['\u202e#123456', '#\uff11\uff12\uff13', 'x'.repeat(65), '#'.padEnd(3_072, 'f')],
      ...[`rgb(${' '.repeat(3_000)}1,2,3)`, '__proto__'],
    ]),
  ),
  ...textsAt(`${THEME}.themeName`, [
    '',
    'a\nb',
    '<b>',
    'x'.repeat(65),
    '\u202edark',
    'a"b',
    'a;b',
    'dunkel\u00e4',
  ]),
  ...textsAt(`${THEME}.borderRadius`, [
    '',
    'px',
    '-1px',
    '8 px',
    '1e3px',
    '8px 8px',
    'url(x)',
    '9'.repeat(100),
    '8vw',
  ]),
];

const hosts = textsAt('originatingHost', [
  ...['', ' ', '.', '..', 'shop.example/', 'shop.example/path', '/path', 'https://shop.example'],
  ...['//shop.example', 'shop.example:443', 'shop.example:', 'shop.example:99999', 'shop.example:x'],
  ...['shop.example:-1', '127.0.0.1', '127.1', '2130706433', '0x7f000001', '10.0.0.0x1', '[::1]', '::1'],
  ...['1.2.3.4.5', 'localhost', 'LOCALHOST', 'a.localhost', 'localhost:3000', 'shop..example'],
  ...['.shop.example', 'shop.example.', '-shop.example', 'shop-.example', 'shop_1.example'],
  ...[`${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}example`, 'a'.repeat(300), 'shop.example\n'],
  ...['shop.example\r\nX: 1', 'shop.example\u0000', 'sh\u00f6p.example', '\u202eshop.example'],
  ...['shop.example?x', 'shop.example#x', 'a@shop.example', 'shop example', '*.shop.example'],
  ...['shop.example,evil.example', 'shop\\example', '__proto__'],
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
  ...['', 'd', 'deu', '49', 'zz', 'xx', 'uk', 'eu', 'all', 'De', 'de%00', 'de%0a', '%20de', 'de,fr'],
  ...['__proto__', '*', '%f0%9f%87%a9%f0%9f%87%aa', '%ef%bd%84%ef%bd%85', 'x'.repeat(300), 'de&country=de'],
  ...['de&country=fr', '%', '%zz'],
].map(country => ({
  what: `country ${said(country)}`,
  body: good,
  query: `?country=${country}`,
  fields: ['country'],
}));

/** A case byte by byte; with no key when that is empty. */
export function bytesOf(
  { body, headers: own = [], query = '?country=de' }: Omit<Case, 'what' | 'fields'>,
  key = '',
) {
  const bytes = Buffer.from(body);
  const usual = [
    'Host: test',
    ...(key ? [`Authorization: ${key}`] : []),
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    'Connection: close',
  ];
  const names = own.map(nameOf);
  const lines = [...usual.filter(line => !names.includes(nameOf(line))), ...own];
  const head = `POST /checkout/intent${query} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

const nameOf = (line: string) => line.slice(0, line.indexOf(':')).toLowerCase();

/** By what is wrong. */
export const REFUSED: Readonly<Record<string, readonly Case[]>> = {
  'wrong types': wrongTypes,
  'missing fields': missing,
  amounts,
  words,
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
