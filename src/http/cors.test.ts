/** Cross-origin headers: only where a browser asks, and what it asks for. */
import { describe, expect, it } from 'vitest';
import { corsHeaders, isWelcome, preflightHeaders } from './cors.ts';

/** A flat list of names and values as a map. */
function read(flat: string[]): Record<string, string> {
  expect(flat.length % 2).toBe(0);
  return Object.fromEntries(
    flat.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), flat[at + 1] ?? '']] : [])),
  );
}

describe('corsHeaders', () => {
  it('are none when no browser asks', () => {
    expect(corsHeaders(undefined)).toEqual([]);
  });

  it.each(['https://shop.example', 'http://localhost:3000', 'null'])('echo the origin %s', origin => {
    expect(read(corsHeaders(origin))['access-control-allow-origin']).toBe(origin);
  });

  it('let pages send credentials on the earlier surface only', () => {
    const name = 'access-control-allow-credentials';
    expect(read(corsHeaders('https://shop.example', true))[name]).toBe('true');
    expect(read(corsHeaders('https://shop.example'))).not.toHaveProperty(name);
    expect(corsHeaders(undefined, true)).toEqual([]);
  });

  it('let a page read what a client needs', () => {
    const exposed = read(corsHeaders('https://shop.example'))['access-control-expose-headers'];
    expect(exposed?.split(', ')).toEqual([
      'ETag',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'X-Request-Id',
    ]);
  });
});

describe('isWelcome', () => {
  const registered = ['https://shop.example', 'http://localhost:3000'];

  it.each(['https://shop.example', 'http://localhost:3000', undefined])('lets %s in', origin => {
    expect(isWelcome(registered, origin)).toBe(true);
  });

  it.each([
    'https://shop.example.evil.example',
    'https://evil.example',
    'https://sub.shop.example',
    'http://shop.example',
    'https://shop.example:8443',
    'https://shop.example/',
    'HTTPS://SHOP.EXAMPLE',
    'https://shop.example, https://shop.example',
    'http://localhost',
    'null',
    '',
  ])('turns %s away', origin => {
    expect(isWelcome(registered, origin)).toBe(false);
  });

  it('lets every origin in while none is registered', () => {
    expect(['https://evil.example', 'null', undefined].filter(origin => !isWelcome([], origin))).toEqual([]);
  });
});

describe('preflightHeaders', () => {
  it('allow what the page wants to send', () => {
    const headers = read(
      preflightHeaders({
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      }),
    );
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-headers': 'authorization,content-type',
      'access-control-max-age': '86400',
    });
    expect(headers['access-control-allow-methods']?.split(', ')).toEqual(
      expect.arrayContaining(['GET', 'POST', 'PUT']),
    );
    expect(headers.vary).toContain('Origin');
  });

  it('allow credentials on the earlier surface', () => {
    const headers = { origin: 'https://shop.example', 'access-control-request-headers': 'authorization' };
    expect(read(preflightHeaders(headers, true))).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'authorization',
    });
  });

  it('allow anything when the page names nothing', () => {
    expect(read(preflightHeaders({ origin: 'null' }))['access-control-allow-headers']).toBe('*');
  });
});
