/** Moments as providers write them, and what only looks like one. */
import { describe, expect, it } from 'vitest';
import { readMilliseconds, readSeconds, readUtc } from './moments.ts';

describe('seconds since 1970', () => {
  it.each([
    ['1700000000', 1_700_000_000_000],
    ['0', 0],
    ['999999999999', 999_999_999_999_000],
  ])('reads %s', (text, at) => {
    expect(readSeconds(text)).toBe(at);
  });

  it.each([
    undefined,
    null,
    '',
    ' ',
    '1700000000000',
    '-1700000000',
    '+1700000000',
    '1700000000.5',
    '1.7e9',
    '0x6553f100',
    '1700000000 ',
    '1700000000\n',
    '١٧٠٠٠٠٠٠٠٠',
    'NaN',
  ])('refuses %j', text => {
    expect(readSeconds(text)).toBeUndefined();
  });
});

describe('milliseconds since 1970', () => {
  it('reads thirteen digits', () => {
    expect(readMilliseconds('1760000000000')).toBe(1_760_000_000_000);
  });

  it.each([
    undefined,
    null,
    '',
    '1760000000',
    '17600000000000',
    '1760000000000 ',
    '+176000000000',
    '1.76e12',
  ])('refuses %j', text => {
    expect(readMilliseconds(text)).toBeUndefined();
  });
});

describe('dates in UTC', () => {
  it.each([
    ['2025-01-01T10:00:00Z', '2025-01-01T10:00:00.000Z'],
    ['2025-01-01T10:00:00.123Z', '2025-01-01T10:00:00.123Z'],
    ['2025-01-01T10:00:00.123456789Z', '2025-01-01T10:00:00.123Z'],
    ['2025-01-01T10:00:00+00:00', '2025-01-01T10:00:00.000Z'],
    ['2025-01-01T10:00:00.5+0000', '2025-01-01T10:00:00.500Z'],
    ['2025-01-01 10:00:00', '2025-01-01T10:00:00.000Z'],
  ])('reads %s', (text, iso) => {
    expect(readUtc(text)).toBe(Date.parse(iso));
  });

  it.each([
    undefined,
    null,
    '',
    '2025-01-01',
    '2025-01-01T10:00:00',
    '2025-01-01T10:00:00+02:00',
    '2025-01-01T10:00:00-00:00',
    '2025-01-01 10:00:00Z',
    '2025-13-01T10:00:00Z',
    '2025-01-01T25:00:00Z',
    'Wed, 01 Jan 2025 10:00:00 GMT',
    '1735725600',
  ])('refuses %j', text => {
    expect(readUtc(text)).toBeUndefined();
  });
});
