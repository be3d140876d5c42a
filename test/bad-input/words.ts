/** Kinds of words: currencies, methods, places, and the small choices. What exists is read off the catalog itself. */
import { currencies } from '../../src/main.ts';
import { isAscii, type Kind, like, NASTY, oneOf, wordOf } from './kind.ts';

const { assets, fiats, methods, networks, countries } = currencies;

/** Look-alikes and slips that name no currency. */
const SLIPS = [
  ...[
    'x'.repeat(65),
    'x'.repeat(300),
    'x'.repeat(5_000),
    'btc_',
    '_bitcoin',
    'btc_ethereum',
    'btc-bitcoin',
    'e ur',
  ],
  ...[
    'ｅｕｒ',
    'еur',
    'eur\u200b',
    '\u202eeur',
    'eur,usd',
    '[eur]',
    '"eur"',
    "eur'--",
    '<b>eur</b>',
    'eur/btc',
    'eur\\btc',
  ],
];

export const fiat = wordOf('fiat', 'eur', {
  words: new Set([...fiats.values()].map(({ id }) => id)),
  seeds: [...SLIPS, 'btc', 'btc_bitcoin'],
});

/** Ids, and codes that mean one asset. */
export const crypto = wordOf('crypto', 'btc', {
  words: new Set(cryptoWords()),
  seeds: [...SLIPS, 'eur', 'usdc'],
});

function cryptoWords(): string[] {
  const all = [...assets.values()];
  const codes = all.filter(({ code, main }) => main || all.filter(other => other.code === code).length === 1);
  return [...all.map(({ id }) => id), ...codes.map(({ code }) => code.toLowerCase())];
}

export const method = wordOf('payment method', 'creditcard', {
  words: new Set([...methods.values()].flatMap(({ id, legacy }) => [id, legacy.toLowerCase()])),
  seeds: [...SLIPS, 'credit card', 'creditcard,ach', 'card'],
});

/** On a sale by the earlier surface clients name the way coins come in. */
export const payout = wordOf('payout method', 'sepabanktransfer', {
  words: new Set(
    [...methods.values()].flatMap(({ id, legacy }) => [id, legacy.toLowerCase()]).concat('blockchain'),
  ),
  seeds: [...SLIPS, 'block chain'],
});

export const provider = wordOf('provider', 'moonpay', {
  words: new Set(['moonpay', 'transak', 'mercuryo']),
  seeds: [...SLIPS, 'moon pay', 'moonpay,transak', 'all'],
});

/** Of a coin that lives on several. */
export const network = wordOf('network', 'polygon', {
  words: new Set([...assets.values()].filter(({ code }) => code === 'USDC').map(asset => asset.network)),
  seeds: [...SLIPS, 'bitcoin', 'mainnet'],
});

/** Of a coin that lives on one. */
export const onlyNetwork = wordOf('network of one', 'bitcoin', {
  words: new Set(['bitcoin']),
  seeds: [...SLIPS, 'ethereum', ...[...networks.keys()].filter(id => id !== 'bitcoin').slice(0, 5)],
});

const COUNTRY_SLIPS = [
  ...[
    'd',
    'deu',
    '49',
    'd1',
    'zz',
    'xx',
    'ZZ',
    'uk',
    'UK',
    'eu',
    'EU',
    'De',
    'dE',
    'de\n',
    ' de',
    'de\u0000',
    'de,fr',
  ],
  ...['de fr', 'ｄｅ', 'x'.repeat(300), 'x'.repeat(5_000), 'Germany'],
];

export const country: Kind = {
  name: 'country',
  good: 'de',
  seeds: ['', ...COUNTRY_SLIPS, 'all', 'ALL', ...NASTY],
  takes: text => (isCountry(text) ? 'a country that exists, in capitals or in small letters' : undefined),
};

export const countryOrAll: Kind = {
  name: 'country or all',
  good: 'de',
  seeds: ['', ...COUNTRY_SLIPS, 'al', 'all ', ...NASTY],
  takes: text => (/^all$/i.test(text) ? 'all is the union of all countries' : country.takes(text)),
};

function isCountry(text: string): boolean {
  return (/^[a-z]{2}$/.test(text) || /^[A-Z]{2}$/.test(text)) && has(countries, text.toUpperCase());
}

function has(map: ReadonlyMap<string, unknown>, key: string): boolean {
  return map.has(key);
}

const STATES =
  'AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS MT NC ND NE NH NJ NM NV NY OH ' +
  'OK OR PA PR RI SC SD TN TX UT VA VI VT WA WI WV WY';

export const state: Kind = {
  name: 'state',
  good: 'ny',
  seeds: [
    '',
    'n',
    'nyc',
    'Ny',
    '12',
    'zz',
    'XX',
    'n y',
    'New York',
    'us-ny',
    'ｎｙ',
    'x'.repeat(300),
    ...NASTY,
  ],
  takes: text =>
    (/^[a-z]{2}$/.test(text) || /^[A-Z]{2}$/.test(text)) && STATES.split(' ').includes(text.toUpperCase())
      ? 'a state that exists, in capitals or in small letters'
      : undefined,
};

const CHOICE_SLIPS = ['1', '0', 'yes', 'no', 'on', 'both', 'x'.repeat(300), 'x'.repeat(5_000)];

export const buy = oneOf(
  'side',
  ['buy'],
  [...CHOICE_SLIPS, 'BUY', 'Buy', 'buys', 'buy,sell', 'hold', 'true', 'sell'],
);
export const eitherSide = oneOf(
  'either side',
  ['buy', 'sell'],
  [...CHOICE_SLIPS, 'BUY', 'SELL', 'Sell', 'buy,sell', 'hold'],
);
export const onOff = oneOf(
  'switch',
  ['true', 'false'],
  [...CHOICE_SLIPS, 'TRUE', 'True', 'true,false', '[]', '{}', 'null'],
);
export const input = oneOf(
  'input',
  ['source', 'destination'],
  [...CHOICE_SLIPS, 'Source', 'SOURCE', 'target'],
);
export const errors = oneOf('errors', ['all'], [...CHOICE_SLIPS, 'ALL', 'All', 'none', 'true']);
export const deliveryState = oneOf(
  'delivery state',
  ['due', 'delivered', 'dead'],
  [...CHOICE_SLIPS, 'Dead', 'failed'],
);
export const dead = oneOf('dead', ['dead'], [...CHOICE_SLIPS, 'Dead', 'due', 'all']);

export const UUID = '6f9619ff-8b86-d011-b42d-00c04fc964ff';

export const uuid = like('uuid', UUID, {
  pattern: /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
  seeds: [
    ...['', 'not-a-uuid', `{${UUID}}`, UUID.replaceAll('-', ''), UUID.slice(1), `${UUID}\n`, `${UUID}0`],
    ...[
      `urn:uuid:${UUID}`,
      UUID.replace('6', 'g'),
      `${UUID},${UUID}`,
      'x'.repeat(5_000),
      UUID.replaceAll('-', '\u2010'),
    ],
  ],
});

export const clientName = like('client name', 'widget', {
  pattern: /^[^\p{C}%\uFFFD]{1,256}$/u,
  seeds: ['', 'a\u0000b', 'a\nb', 'a\r\nb', 'x'.repeat(257), 'x'.repeat(10_000), '\u202eevil', 'a\u200bb'],
});

export const themeName = like('theme name', 'light-theme', {
  pattern: /^[A-Za-z0-9 ._-]{1,64}$/,
  seeds: [
    ...['', 'a\u0000b', 'a\nb', 'a\r\nb', 'x'.repeat(65), 'x'.repeat(5_000)],
    ...['<b>', '\u202eevil', 'wídget', 'a/b', 'a"b'],
  ],
});

/** ASCII that a path or query can hold without meaning something else. */
export const context: Kind = {
  name: 'partner context',
  good: 'order-1',
  seeds: [
    'x'.repeat(4_097),
    'x'.repeat(8_192),
    'a\u0000b',
    'a\nb',
    'a\r\nX-Injected: 1',
    '\u001b[31m',
    '\u007f',
    '\u0085',
    '\t',
  ],
  takes: text =>
    text.length <= 4_096 && !/\p{Cc}/u.test(text) && !/\p{Surrogate}/u.test(text)
      ? 'any text up to 4,096 characters without control characters'
      : undefined,
};

export const host: Kind = {
  name: 'host',
  good: 'shop.example',
  seeds: [
    ...[
      '',
      '.',
      'shop.example/',
      '/path',
      'https://shop.example',
      'shop.example:443',
      'shop.example:',
      '127.0.0.1',
      '127.1',
    ],
    ...[
      '2130706433',
      '0x7f000001',
      '[::1]',
      '::1',
      'localhost',
      'LOCALHOST',
      'a.localhost',
      'shop..example',
      '.shop.example',
    ],
    ...[
      'shop.example.',
      '-shop.example',
      'shop-.example',
      'shop_1.example',
      `${'a'.repeat(64)}.example`,
      'a'.repeat(300),
    ],
    ...[
      'shop.example\n',
      'sh\u00f6p.example',
      '\u202eshop.example',
      'shop.example?x',
      'a@shop.example',
      '*.shop.example',
    ],
    ...['shop.example,evil.example', 'shop\\example', 'ｓhop.example', `${'a.'.repeat(127)}example`],
    ...NASTY,
  ].filter(text => !isHost(text)),
  takes: text => (isHost(text) ? 'a host name' : undefined),
};

function isHost(text: string): boolean {
  const labels = text.split('.');
  return (
    isAscii(text) &&
    text.length <= 253 &&
    labels.every(
      label => /^[a-z0-9-]{1,63}$/i.test(label) && !label.startsWith('-') && !label.endsWith('-'),
    ) &&
    !/^(\d+|0x[0-9a-f]*|localhost)$/i.test(labels.at(-1) ?? '')
  );
}
