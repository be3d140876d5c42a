/** Places: addresses of networks that are nobody's business, in all the ways they can be spelled. */
import { nameFor, PUBLIC_ADDRESS } from '../bed/network.ts';
import { LEADS } from './internet.ts';

/** Addresses that a name may have: loopback, private, of a provider's inside, and those that stand for such. */
export const PRIVATE: readonly string[] = [
  ...['127.0.0.1', '127.0.0.2', '127.255.255.254', '0.0.0.0', '0.1.2.3', '169.254.169.254', '169.254.0.1'],
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  ...[
    '100.64.0.1',
    '100.127.255.254',
    '192.0.0.1',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.19.255.255',
  ],
  ...[
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '192.88.99.1',
  ],
  ...[
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
  ],
  ...[
    'fc00::1',
    'fd00:ec2::254',
    'fdff:ffff::1',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
  ],
  ...[
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2002:a00:1::1',
  ],
  ...['2001:0:7f00:1::', '2001:10::1', '2001:20::1', '5f00::1', '3fff::1', '::a00:1'],
];

const HOSTS: readonly string[] = [
  ...[
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '0177.1',
    '017700000001',
  ],
  ...['127.0.0.1.', '0', '0x0', '00', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518'],
  ...[
    '0x0a000001',
    '10.1',
    '3232235521',
    '192.168.1',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
  ],
  ...[
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '[::127.0.0.1]',
    '[fe80::1]',
    '[fe80::1%25lo]',
    '[fc00::1]',
  ],
  ...[
    '[64:ff9b::7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
    '[::ffff:169.254.169.254]',
    'localhost',
  ],
  ...[
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'ip6-localhost',
    'loopback',
    'metadata',
    'metadata.google.internal',
  ],
  ...[
    '\u2460\u2461\u2466.0.0.1',
    '127\u30020\u30020\u30021',
    '\uff11\uff12\uff17.0.0.1',
    '127.0.0.1%00',
    '%31%32%37.0.0.1',
  ],
  ...[
    '%6c%6f%63%61%6c%68%6f%73%74',
    '\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3',
    '127.0.0.1\u00ad',
    '::1',
  ],
];

const good = nameFor([PUBLIC_ADDRESS]);

/** URLs that may not even be kept. */
export const REFUSED: readonly string[] = [
  ...PRIVATE.map(address => `https://${address.includes(':') ? `[${address}]` : address}/hook`),
  ...HOSTS.flatMap(host => [`https://${host}/hook`, `https://${host}:8443/`]),
  ...[22, 25, 53, 80, 5_432, 6_379, 8_080, 9_200, 0, 65_535, 65_536].map(port => `https://${good}:${port}/`),
  ...['http', 'ftp', 'gopher', 'file', 'unix', 'ws', 'data', 'dict', 'ldap'].map(
    scheme => `${scheme}://${good}/`,
  ),
  ...[
    `https://user@${good}/`,
    `https://user:word@${good}/`,
    `https://${good}@127.0.0.1/`,
    `https://@${good}/`,
  ],
  ...[
    `https://127.0.0.1\\@${good}/`,
    `https://${good}\\@127.0.0.1/`,
    `https:\\\\127.0.0.1\\`,
    `https:/127.0.0.1/`,
  ],
  ...[
    `https:127.0.0.1/`,
    `//127.0.0.1/`,
    ` https://127.0.0.1/`,
    `https://127.0.0.1 .${good}/`,
    `https://127.0.0.1\t/`,
  ],
  ...[
    `https://127.0.0.1#@${good}/`,
    `https://127.0.0.1?@${good}/`,
    `https://${good}#127.0.0.1`,
    `https://${good}./`,
  ],
  ...[
    `https://127.0.0.1\r\nHost: ${good}/`,
    `https://127.0.0.1\u0000.${good}/`,
    '',
    'https://',
    `https://${'a'.repeat(3_000)}.example/`,
  ],
];

/** URLs of names whose addresses must not be connected to, at least not the second time. */
export const WANDERING: readonly string[] = [
  ...PRIVATE.map(address => nameFor([address])),
  ...PRIVATE.map(address => nameFor([PUBLIC_ADDRESS, address])),
  ...PRIVATE.map(address => nameFor([address, PUBLIC_ADDRESS])),
  ...PRIVATE.map(address => nameFor([PUBLIC_ADDRESS], [address])),
  ...PRIVATE.slice(0, 12).map(address => nameFor([PUBLIC_ADDRESS], [PUBLIC_ADDRESS], [address])),
  ...PRIVATE.slice(0, 12).map(address => nameFor([PUBLIC_ADDRESS], [address], [PUBLIC_ADDRESS], [address])),
  nameFor([]),
  nameFor(['rubbish']),
  nameFor(['0177.0.0.1']),
  nameFor(['127.1']),
  'not-there.example',
].map(host => `https://${host}/hook`);

/** URLs of the public site that lead elsewhere. */
export const LEADING: readonly string[] = [301, 302, 303, 307, 308].flatMap(status =>
  [
    ...[
      'http://127.0.0.1/',
      'https://127.0.0.1/',
      'http://[::1]/',
      'http://169.254.169.254/latest/meta-data/',
    ],
    ...['https://10.0.0.1/', `https://${nameFor(['127.0.0.1'])}/`],
  ].map(to => `https://${good}${LEADS}${status}/${encodeURIComponent(to)}`),
);

/** A URL that may be called. */
export const GOOD = `https://${good}/hook`;
