/** Amounts: what is taken, what is refused, and that no digit is ever lost. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cut,
  decimal,
  isAmount,
  largest,
  median,
  parseAmount,
  raise,
  readDecimal,
  significant,
  smallest,
} from './money.ts';

/** The grammar, told once more without a pattern: at most 15 digits, no leading zero, at most 18 places. */
function isGrammatical(text: string): boolean {
  const digits = (part: string) => part !== '' && [...part].every(char => char >= '0' && char <= '9');
  const [whole = '', places, ...more] = text.split('.');
  if (text.length > 32 || more.length > 0) return false;
  if (!digits(whole) || whole.length > 15 || (whole.length > 1 && whole.startsWith('0'))) return false;
  return places === undefined || (digits(places) && places.length <= 18);
}

const grammatical = fc
  .tuple(
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,14}$/)),
    fc.option(fc.stringMatching(/^[0-9]{1,18}$/)),
  )
  .map(([whole, places]) => (places === null ? whole : `${whole}.${places}`))
  .filter(text => text.length <= 32);

/** Text of the characters that numbers are made of in this or some other notation. */
const numberLike = fc.string({
  unit: fc.constantFrom(
    ...'0123456789.',
    ...'00112..',
    '-',
    '+',
    'e',
    ',',
    '_',
    'x',
    ' ',
    '\n',
    '٣',
    '３',
    '−',
  ),
  maxLength: 36,
});

const places = fc.integer({ min: 0, max: 18 });
const positive = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.integer({ min: 0, max: 30 }))
  .map(([digits, scale]) => decimal(`${digits}e-${scale}`));

describe('parseAmount', () => {
  it('accepts exactly the grammar of amounts', () => {
    fc.assert(
      fc.property(
        fc.oneof(grammatical, numberLike, fc.string()),
        text => (parseAmount(text, 18) !== 'malformed') === isGrammatical(text),
      ),
      { numRuns: 5_000 },
    );
  });

  it('keeps every digit of what it accepts', () => {
    fc.assert(
      fc.property(grammatical, text => {
        const amount = parseAmount(text, 18);
        if (amount === 'zero') return /^[0.]+$/.test(text);
        return String(amount) === (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
      }),
    );
  });

  it('refuses an amount with more places than the currency has', () => {
    fc.assert(
      fc.property(grammatical, places, (text, most) => {
        const amount = parseAmount(text, 18);
        if (!isAmount(amount)) return true;
        const written = (text.split('.')[1] ?? '').replace(/0+$/, '').length;
        return (parseAmount(text, most) === 'tooPrecise') === written > most;
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ...[
      '',
      ' ',
      'NaN',
      'Infinity',
      'null',
      'true',
      '0x10',
      '0b11',
      '1e3',
      '1e309',
      '1e-30',
      '.5',
      '5.',
      '+5',
    ],
    ...[
      '1_000',
      ' 5',
      '5\n',
      '\n5',
      '5\r\n',
      '100abc',
      '1,5',
      '1.5.5',
      '--5',
      '-0',
      '-1',
      '5n',
      '$5',
      '00',
      '01',
    ],
    ...['1٫5', '٣', '५', '５', '\u200b5', '\ufeff100', '\u22125', '%', '1;drop table', '<5>'],
    ...['9'.repeat(16), '9007199254740993', `0.${'1'.repeat(19)}`, `0.${'0'.repeat(30)}1`],
  ])('calls %j malformed', text => {
    expect(parseAmount(text, 18)).toBe('malformed');
  });

  it('calls 400 and 70,000 digits malformed', () => {
    expect([400, 70_000].map(length => parseAmount('9'.repeat(length), 18))).toEqual([
      'malformed',
      'malformed',
    ]);
  });

  it.each(['0', '0.0', '0.000000000000000000'])('calls %s zero', text => {
    expect(parseAmount(text, 18)).toBe('zero');
  });

  it('takes the digits of 2^53 + 1 without losing a unit', () => {
    expect(String(parseAmount('90071992547409.93', 2))).toBe('90071992547409.93');
  });
});

describe('readDecimal', () => {
  const written = fc
    .tuple(
      fc.boolean(),
      fc.stringMatching(/^[0-9]{1,40}$/),
      fc.option(fc.stringMatching(/^[0-9]{1,40}$/)),
      fc.option(fc.integer({ min: -99, max: 99 })),
    )
    .map(
      ([minus, whole, fraction, exponent]) =>
        `${minus ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
    );

  it('keeps the exact value of any number another program wrote', () => {
    fc.assert(
      fc.property(written, text => scaled(String(readDecimal(text))) === scaled(text)),
      { numRuns: 1_000 },
    );
  });

  it('is written without an exponent, however large or small', () => {
    fc.assert(fc.property(written, text => /^-?[0-9]+(\.[0-9]+)?$/.test(String(readDecimal(text)))));
    expect(String(readDecimal('1e99'))).toBe(`1${'0'.repeat(99)}`);
  });

  it.each([
    undefined,
    null,
    1,
    0n,
    '',
    ' 1',
    '1 ',
    '0x1',
    'NaN',
    'Infinity',
    '1e100',
    '.5',
    '5.',
    '1,0',
    '+1',
    '１',
  ])('refuses %s', value => {
    expect(readDecimal(value)).toBeUndefined();
  });

  it('throws on a constant that is no decimal', () => {
    expect(() => decimal('1,5')).toThrow('not a decimal: 1,5');
  });
});

/** A decimal as an integer of 10^-200, for exact comparison without the library under test. */
function scaled(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return BigInt(whole + fraction) * 10n ** BigInt(200 - fraction.length + Number(exponent));
}

describe('rounding', () => {
  it('cuts by less than one unit and never up', () => {
    fc.assert(
      fc.property(positive, places, (amount, most) => {
        const result = cut(amount, most);
        const close = result.lte(amount) && result.plus(decimal(`1e-${most}`)).gt(amount);
        return close && result.decimalPlaces() <= most;
      }),
    );
  });

  it('raises by less than one unit and never down', () => {
    fc.assert(
      fc.property(positive, places, (amount, most) => {
        const result = raise(amount, most);
        const close = result.gte(amount) && result.minus(decimal(`1e-${most}`)).lt(amount);
        return close && result.decimalPlaces() <= most;
      }),
    );
  });

  it('leaves alone what has no more places', () => {
    expect(String(cut(decimal('1.05'), 2))).toBe('1.05');
    expect(String(raise(decimal('1.05'), 2))).toBe('1.05');
  });

  it('holds what doubles cannot: ten dimes are one, and thirds keep fifty digits', () => {
    const dimes = Array.from({ length: 10 }, () => decimal('0.1')).reduce((sum, dime) => sum.plus(dime));
    expect(String(dimes)).toBe('1');
    expect(String(decimal('0.1').plus(decimal('0.2')))).toBe('0.3');
    expect(String(decimal(1).div(3))).toBe(`0.${'3'.repeat(50)}`);
  });

  it('keeps the wanted number of significant digits', () => {
    expect(String(significant(decimal('123456.789'), 4))).toBe('123500');
    expect(String(significant(decimal('0.000123456'), 2))).toBe('0.00012');
  });
});

describe('comparing', () => {
  it('finds the larger and the smaller, and takes what is there when one is missing', () => {
    const [one, two] = [decimal(1), decimal(2)];
    expect([largest(one, two), largest(two, one), largest(undefined, one), largest(one, undefined)]).toEqual([
      two,
      two,
      one,
      one,
    ]);
    expect([
      smallest(one, two),
      smallest(two, one),
      smallest(undefined, two),
      smallest(two, undefined),
    ]).toEqual([one, one, two, two]);
    expect([largest(undefined, undefined), smallest(undefined, undefined)]).toEqual([undefined, undefined]);
  });

  it('finds a middle that at most half lie below and at most half lie above', () => {
    fc.assert(
      fc.property(fc.array(positive, { minLength: 1, maxLength: 9 }), values => {
        const middle = median(values);
        const below = values.filter(value => middle && value.lt(middle)).length;
        const above = values.filter(value => middle && value.gt(middle)).length;
        return values.some(value => value === middle) && Math.max(below, above) <= values.length / 2;
      }),
    );
    expect(median([])).toBeUndefined();
  });
});
