/** Kinds of addresses: ways back, where webhooks go, and e-mail. */
import { type Kind, NASTY, never } from './kind.ts';

/** The account has no host registered, so that no way back is taken. */
export const wayBack = never('way back', 'https://shop.example/', [
  ...[
    '',
    '/',
    '/thanks',
    'shop.example',
    '//shop.example/',
    '///shop.example/',
    'javascript:alert(1)',
    'data:text/html,x',
  ],
  ...[
    'javascript://shop.example/%0aalert(1)',
    'file:///etc/passwd',
    'http://shop.example/',
    'https:shop.example',
    'https://',
  ],
  ...[
    'https://shop.example@evil.example/',
    'https://a:b@shop.example/',
    'https://@shop.example/',
    'https://[::1',
  ],
  ...[
    'https://evil.example\\@shop.example/',
    'https:\\\\shop.example\\',
    'https://shop.example/\r\nX: 1',
    ' https://shop.example/',
  ],
  ...[
    'https%3A%2F%2Fshop.example%2F',
    'https%253A%252F%252Fshop.example',
    'https://shop.example:99999/',
    '%',
    '%zz',
    '%ff',
  ],
  ...[
    'https://sh\u00adop.example/',
    'https://shop.example/'.padEnd(4_000, 'x'),
    'https://localhost/',
    'https://0x7f000001/',
  ],
]);

/** Nowhere private, and nothing a parser would have to forgive. */
export const hookUrl: Kind = {
  name: 'webhook url',
  good: 'https://hooks.example/events',
  seeds: [
    ...[
      '',
      'x',
      '/',
      '//hooks.example/',
      'hooks.example',
      'http://hooks.example/',
      'ftp://hooks.example/',
      'javascript:alert(1)',
    ],
    ...[
      'https://',
      'https://localhost/',
      'https://127.0.0.1/',
      'https://127.1/',
      'https://2130706433/',
      'https://0x7f000001/',
    ],
    ...[
      'https://0177.0.0.1/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://0.0.0.0/',
      'https://169.254.169.254/',
    ],
    ...[
      'https://10.0.0.1/',
      'https://172.16.0.1/',
      'https://192.168.0.1/',
      'https://100.64.0.1/',
      'https://[fc00::1]/',
    ],
    ...[
      'https://[fe80::1]/',
      'https://[64:ff9b::7f00:1]/',
      'https://224.0.0.1/',
      'https://hooks.example:22/',
      'https://hooks/',
    ],
    ...[
      'https://a:b@hooks.example/',
      'https://@hooks.example/',
      'https://hooks.example/#x',
      'https://hooks.example\\x',
    ],
    ...[
      'https://hooks.example/a b',
      'https://hooks.example/\n',
      'https://hooks.example/\u0000',
      'https://hooks.example/\u202e',
    ],
    ...[
      'https:hooks.example',
      'https:///hooks.example',
      'https://hooks.example:99999/',
      'https://[::1',
      'https://hooks.example/'.padEnd(2_049, 'x'),
    ],
    ...['https://hööks.example/', 'https://hooks。example/', 'https://localhost./'],
    ...NASTY,
  ],
  takes: () => undefined,
  isExact: false,
};

export const email: Kind = {
  name: 'e-mail address',
  good: 'ada@example.com',
  seeds: [
    ...[
      'x',
      '@',
      'a@',
      '@example.com',
      'a@example',
      'a@@example.com',
      'a b@example.com',
      'a@example..com',
      'a@.com',
      'a@-example.com',
    ],
    ...[
      'a@example.com\n',
      'a@example.com\r\nBcc: x@example.com',
      'a\u0000@example.com',
      '"a"@example.com',
      'a@[127.0.0.1]',
    ],
    ...[
      'a,b@example.com',
      'a@example.com,b@example.com',
      '<a@example.com>',
      'mailto:a@example.com',
      'a@example.c',
      `${'a'.repeat(65)}@example.com`,
    ],
    ...[
      `a@${'b'.repeat(300)}.com`,
      '\u202ea@example.com',
      'a\u200b@example.com',
      ' ada@example.com',
      'x'.repeat(1_001),
      'x'.repeat(5_000),
    ],
    ...NASTY,
  ],
  takes: () => undefined,
  isExact: false,
};
