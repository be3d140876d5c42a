/** Kinds that belong to an order: where coins go, where people come back to, how its page looks. */
import { isAscii, type Kind, like, NASTY, never } from './kind.ts';

export const WALLETS = {
  bitcoin: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  ethereum: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  ripple: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
};

/** Its checksum finds every slip; capitals throughout are another spelling of the same. */
export const wallet: Kind = {
  name: 'bitcoin address',
  good: WALLETS.bitcoin,
  seeds: [
    ...[
      '',
      'x',
      'bc1',
      WALLETS.bitcoin.slice(0, -1),
      `${WALLETS.bitcoin}q`,
      `${WALLETS.bitcoin.slice(0, -1)}q`,
    ],
    ...[
      ` ${WALLETS.bitcoin}`,
      `${WALLETS.bitcoin}\n`,
      `\u202e${WALLETS.bitcoin}`,
      `${WALLETS.bitcoin}\u200b`,
    ],
    ...[
      'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
      WALLETS.ethereum,
      WALLETS.ripple,
      `bitcoin:${WALLETS.bitcoin}`,
    ],
    ...[
      'https://shop.example/',
      'javascript:alert(1)',
      '=1+1',
      '+1',
      '-1',
      '@sum',
      'vitalik.eth',
      'x'.repeat(257),
    ],
    ...['1'.repeat(5_000), 'bc1\uff51w508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ...NASTY,
  ],
  takes: text =>
    text === WALLETS.bitcoin || text === WALLETS.bitcoin.toUpperCase()
      ? 'an address of its chain, checksum and all'
      : undefined,
};

/** A destination tag of the XRP Ledger. */
export const tag: Kind = {
  name: 'destination tag',
  good: '12345',
  seeds: [
    '',
    ' 1',
    '-1',
    '1.5',
    '4294967296',
    'tag',
    '01',
    '1\n',
    '\u0661',
    '1e3',
    '0x1',
    '1'.repeat(300),
    ...NASTY,
  ],
  takes: text =>
    /^(0|[1-9][0-9]{0,9})$/.test(text) && Number(text) <= 0xffffffff
      ? 'a whole number of 32 bits'
      : undefined,
};

/** Bitcoin has none. */
export const noTag = never('memo where there are none', '1', ['', 'memo', 'x'.repeat(300)]);

export const colour: Kind = {
  name: 'colour',
  good: '#241d1c',
  seeds: [
    ...[
      '',
      '#',
      '#1',
      '#12',
      '#12345',
      '#1234567',
      '#123456789',
      '#ggg',
      '##123456',
      ' #123456',
      '#123456\n',
      '123456',
    ],
    ...[
      'red;background:url(//evil.example)',
      'url(//evil.example)',
      'expression(alert(1))',
      'rgb(1,2)',
      'rgb(1,2,3',
    ],
    ...[
      'rgb(1,2,3)}body{x:y',
      'var(--x)',
      'calc(1px)',
      '</style><script>',
      '\u202e#123456',
      '#\uff11\uff12\uff13',
      'red',
    ],
    ...['#'.padEnd(3_072, 'f'), `rgb(${' '.repeat(3_000)}1,2,3)`],
    ...NASTY,
  ],
  takes: text =>
    isAscii(text) && /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text) ? 'another colour' : undefined,
};

export const radius: Kind = {
  name: 'radius',
  good: '8px',
  seeds: [
    '',
    'px',
    '-1px',
    '8 px',
    '1e3px',
    '8px 8px',
    'url(x)',
    '9'.repeat(100),
    '8vw',
    '8px;x:y',
    '８px',
    ...NASTY,
  ],
  takes: () => undefined,
  isExact: false,
};

export const idempotencyKey = like('idempotency key', 'order 1', {
  pattern: /^[\x20-\x7e]{1,255}$/,
  seeds: ['', 'x'.repeat(256), 'x'.repeat(4_000), 'a\tb', '\u00e9', 'k\u00ff'],
});

/** In base58, where capitals are other digits. */
const OLD_BITCOIN = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';

/** The same where the one that is right would be an order. */
export const stepWallet: Kind = {
  ...wallet,
  name: 'bitcoin address in base58',
  good: OLD_BITCOIN,
  takes: text => (text === OLD_BITCOIN ? 'an address of its chain' : undefined),
};

const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Up to fifty, with commas. */
export function transactionIds(good: string): Kind {
  const many = (count: number) => Array<string>(count).fill(good).join();
  return {
    name: 'transaction ids',
    good,
    seeds: [
      '',
      ',',
      ',,,',
      `${good},`,
      `,${good}`,
      `${good}, ${good}`,
      many(51),
      many(200),
      'x',
      'x'.repeat(5_000),
      ...NASTY,
    ],
    takes(text) {
      const ids = text.split(',');
      return ids.length <= 50 && ids.every(id => ULID.test(id))
        ? 'ids that are nobody’s find nothing'
        : undefined;
    },
  };
}

export const ID_SEEDS = [
  '0',
  'x',
  'nope',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '01ARZ3NDEKTSV4RRFFQ69G5FA',
  '0'.repeat(26),
  'x'.repeat(300),
  'x'.repeat(5_000),
  '..',
  '%00',
];
