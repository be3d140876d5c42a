/** Locating: whom a forwarded header is believed from, and how far. */
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { callerAddress, createLocator, type Locator } from './locate.ts';

const TRUSTED = ['10.0.0.0/8', '192.0.2.1/32', '2001:db8::/32', '::1/128'];
const ranges = TRUSTED.map(range => ipaddr.parseCIDR(range));
const caller = (peer: string, header: string) => callerAddress(peer, header, ranges);

describe('callerAddress', () => {
  it.each([
    ['a peer that is no proxy, whatever it says', '203.0.113.9', '8.8.8.8', '203.0.113.9'],
    ['the address a trusted proxy saw', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    [
      'the first address from the right that is no proxy',
      '10.0.0.1',
      '8.8.8.8, 203.0.113.9, 192.0.2.1',
      '203.0.113.9',
    ],
    ['never the left-most, which anyone can write', '10.0.0.1', '8.8.8.8, 203.0.113.9', '203.0.113.9'],
    [
      'the left-most when all others are proxies',
      '10.0.0.1',
      '203.0.113.9, 10.1.1.1, 10.2.2.2',
      '203.0.113.9',
    ],
    ['a proxy when there is nobody else', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
    ['an address of version 6', '::1', '8.8.8.8, 2606:4700::1111, 2001:db8::5', '2606:4700::1111'],
    ['a mapped peer as what it is', '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['a mapped peer that is no proxy', '::ffff:203.0.113.9', '8.8.8.8', '::ffff:203.0.113.9'],
    ['what is no address, as it stands', '10.0.0.1', '8.8.8.8, unknown', 'unknown'],
    ['an address without its port', '10.0.0.1', '8.8.8.8, 203.0.113.9:4711, 10.0.0.2:80', '203.0.113.9'],
    [
      'an address of version 6 without its port',
      '10.0.0.1',
      '8.8.8.8, [2606:4700::1111]:4711',
      '2606:4700::1111',
    ],
    [
      'an address of version 6 without its brackets',
      '10.0.0.1',
      '8.8.8.8, [2606:4700::1111]',
      '2606:4700::1111',
    ],
    ['what only resembles a port, as it stands', '10.0.0.1', '8.8.8.8, 203.0.113.9:http', '203.0.113.9:http'],
    ['an octal spelling, as it stands', '10.0.0.1', '8.8.8.8, 012.0.0.1', '012.0.0.1'],
    ['a decimal spelling, as it stands', '10.0.0.1', '8.8.8.8, 167772161', '167772161'],
    ['an empty header, as it stands', '10.0.0.1', '', ''],
    ['an empty hop, as it stands', '10.0.0.1', '8.8.8.8, , 10.0.0.2', ''],
  ])('takes %s', (_what, peer, header, expected) => {
    expect(caller(peer, header)).toBe(expected);
  });

  it('looks at a bounded number of hops', () => {
    const header = ['203.0.113.9', ...Array.from({ length: 100 }, () => '10.0.0.2')].join(', ');
    expect(caller('10.0.0.1', header)).toBe('10.0.0.2');
    expect(caller('10.0.0.1', `8.8.8.8${',10.0.0.2'.repeat(100_000)}`)).toBe('10.0.0.2');
  });

  it('never takes what stands left of an address that is no proxy', () => {
    const address = fc.ipV4();
    fc.assert(
      fc.property(
        fc.array(address, { maxLength: 5 }),
        fc.array(address, { maxLength: 5 }),
        (spoofed, proxies) => {
          const trusted = proxies.map(hop => `10.${hop.split('.').slice(1).join('.')}`);
          return caller('10.0.0.1', [...spoofed, '203.0.113.9', ...trusted].join(', ')) === '203.0.113.9';
        },
      ),
    );
  });
});

describe('a locator', () => {
  let open: Locator;
  let closed: Locator;
  beforeAll(() => {
    open = createLocator({ trustedProxies: TRUSTED, defaultCountry: 'DE' });
    closed = createLocator({ trustedProxies: [], defaultCountry: 'DE' });
  });
  const request = (remoteAddress: string, forwarded?: string) =>
    ({
      socket: { remoteAddress },
      headers: { ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
    }) as unknown as IncomingMessage;

  it('tells the country of an address, mapped or not', () => {
    expect(closed.country(request('8.8.8.8'))).toBe('US');
    expect(closed.country(request('::ffff:8.8.8.8'))).toBe('US');
    expect(closed.country(request('2001:4860:4860::8888'))).toMatch(/^[A-Z]{2}$/);
  });

  it.each([
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '192.168.0.1',
    '169.254.1.1',
    '100.64.0.1',
    'fd00::1',
    'fe80::1',
    '::ffff:127.0.0.1',
  ])('gives %s the default country', address => {
    expect(closed.country(request(address))).toBe('DE');
  });

  it('is not moved by a header from an untrusted peer', () => {
    expect(closed.country(request('8.8.8.8', '193.99.144.80'))).toBe('US');
    expect(open.country(request('8.8.8.8', '193.99.144.80'))).toBe('US');
  });

  it('believes a trusted proxy about others, and garbage about nobody', () => {
    expect(open.country(request('10.0.0.1', '8.8.8.8'))).toBe('US');
    for (const garbage of ['unknown', '', '8.8.8.8:http', '"8.8.8.8"', '8.8.8', 'x'.repeat(10_000)]) {
      expect(open.country(request('10.0.0.1', garbage))).toBeUndefined();
    }
  });

  it('knows how old its data is', () => {
    expect(closed.builtAt.getTime()).toBeGreaterThan(Date.parse('2025-01-01'));
  });
});
