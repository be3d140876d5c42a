/** Kinds of figures: amounts, limits, moments. */
import type { Kind } from './kind.ts';
import { NASTY } from './kind.ts';

const NO_NUMBERS = [
  ...[
    '',
    'NaN',
    'Infinity',
    '-Infinity',
    'null',
    'true',
    '0x10',
    '0b11',
    '0o7',
    '1e3',
    '1E3',
    '1e309',
    '1e-30',
    '.5',
    '5.',
  ],
  ...[
    '+5',
    '1_000',
    ' 5',
    '5 ',
    '5\n',
    '\t5',
    '100abc',
    '1,5',
    '1.5.5',
    '--5',
    '5n',
    '$5',
    '5€',
    '-0',
    '-1',
    '００',
    '１００',
  ],
  ...[
    '١٠٠',
    '१००',
    '1\u200b00',
    '\ufeff100',
    '\u2212100',
    '100\u0000',
    '100\r\nX: 1',
    '[100]',
    '{"a":1}',
    '1/3',
    '1%',
    '²',
  ],
];

const AMOUNTS = [
  ...NO_NUMBERS,
  ...[
    '0',
    '0.0',
    '00',
    '01',
    '0100',
    `1.${'0'.repeat(29)}1`,
    '9007199254740993',
    '1'.repeat(16),
    '9'.repeat(400),
  ],
  ...['1'.repeat(6_000), '0.0000000000000000001', '100.', '100.0.0'],
];

/** Decimal text above zero, with so many places. */
export function amount(places: number, good = '100'): Kind {
  return {
    name: `amount of ${places} places`,
    good,
    seeds: [...AMOUNTS.filter(text => !isAmount(text, places)), ...NASTY],
    takes: text => (isAmount(text, places) ? 'another amount, spelled as amounts are' : undefined),
  };
}

/** The same where none at all is a figure too. */
export function amountOrZero(places: number): Kind {
  const { seeds } = amount(places);
  const isZero = (text: string) => /^0(\.0{1,18})?$/.test(text);
  return {
    name: 'amount or zero',
    good: '50',
    seeds: seeds.filter(text => !isZero(text)),
    takes: text => (isZero(text) ? 'zero is no minimum' : amount(places).takes(text)),
  };
}

function isAmount(text: string, places: number): boolean {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '' || whole.length > 15 || (whole.length > 1 && whole.startsWith('0'))) return false;
  // Noughts at the end say nothing.
  const told = fraction.replace(/0+$/, '');
  return text.length <= 32 && fraction.length <= 18 && told.length <= places && /[1-9]/.test(text);
}

export const limit: Kind = {
  name: 'limit',
  good: '50',
  seeds: [...NO_NUMBERS, '0', '00', '5.5', '9'.repeat(17), '9'.repeat(400), ...NASTY],
  takes: text =>
    /^[0-9]{1,16}$/.test(text) && /[1-9]/.test(text)
      ? 'above 50 it is held to 50, in the answer too'
      : undefined,
};

/** Of deliveries: nine digits are more than there are. */
export const shortLimit: Kind = {
  ...limit,
  name: 'short limit',
  seeds: [...limit.seeds, '1'.repeat(10)],
  takes: text => (/^0*[1-9][0-9]{0,8}$/.test(text) ? limit.takes(text) : undefined),
};

const MOMENT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|([+ -])(\d\d):(\d\d))$/;

export const moment: Kind = {
  name: 'moment',
  good: '2026-01-31T12:00:00Z',
  seeds: [
    ...[
      '',
      '1767268800',
      '1767268800000',
      '-1',
      '2026-01-31',
      '2026-01-31T12:00:00',
      '2026-02-30T12:00:00Z',
      '2026-13-01T00:00:00Z',
    ],
    ...[
      '2026-01-31T25:00:00Z',
      '2026-01-31T24:00:00Z',
      '2026-01-31T12:60:00Z',
      '2026-01-31T12:00:61Z',
      '2026-01-31T12:00:60Z',
    ],
    ...[
      '2026-01-31T12:00:00+99:99',
      '2026-01-31T12:00:00+15:00',
      '+275760-09-13T00:00:00Z',
      '-000001-01-01T00:00:00Z',
    ],
    ...[
      '2026-01-31T12:00:00Zx',
      '2026-01-31T12:00:00z',
      '2026-01-31t12:00:00Z',
      '2026-01-31 12:00:00Z',
      '31.01.2026',
      'now',
    ],
    ...[
      '2026-01-31T12:00:00.Z',
      '2026-01-31T12:00:00.1234567890Z',
      '0000-12-31T23:59:59Z',
      '0001-01-01T00:00:00+00:01',
    ],
    ...[
      'Sat, 31 Jan 2026 12:00:00 GMT',
      '1'.repeat(2_048),
      '２０２６-01-31T12:00:00Z',
      '2026-01-31T12:00:00Z\n',
      '2026-W05-6',
    ],
    ...NASTY,
  ],
  takes: text => (isMoment(text) ? 'a moment with its zone' : undefined),
};

function isMoment(text: string): boolean {
  const found = MOMENT.exec(text);
  if (!found || text.length > 40) return false;
  const [, year, month, day, hour, minute, second = '0', sign, zoneHour = '0', zoneMinute = '0'] = found;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as Six;
  // The same day four hundred years on: the calendar begins anew, and no year has two digits.
  const days = new Date(Date.UTC(2000 + (y % 400), mo, 0)).getUTCDate();
  if (mo < 1 || mo > 12 || d < 1 || d > days || h > 23 || mi > 59 || s > 59) return false;
  if (Number(zoneHour) > 14 || Number(zoneMinute) > 59 || y < 1) return false;
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60_000 * (sign === '-' ? -1 : 1);
  // Four hundred years on again: as many days, whichever they are.
  const [at, first] = [Date.UTC(y + 400, mo - 1, d, h, mi, s) - offset, Date.UTC(401, 0, 1)];
  return at >= first && at < Date.UTC(10_400, 0, 1);
}

type Six = [number, number, number, number, number, number];
