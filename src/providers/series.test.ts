/** Series: requests in their order, and their answers together. */
import { describe, expect, it } from 'vitest';
import type { Exchange, HttpRequest } from './exchange.ts';
import { inSeries } from './series.ts';

const get = (path: string): HttpRequest => ({ method: 'GET', host: 'api', path });

describe('a series', () => {
  it('asks one after the other and reads all answers in their order', () => {
    let work = inSeries([get('/a'), get('/b')], bodies => bodies.join(' and '));
    for (const path of ['/a', '/b']) {
      const { kind, request, read } = work as Exchange<string>;
      expect([kind, request.path]).toEqual(['exchange', path]);
      work = read({ status: 200, body: path });
    }
    expect(work).toBe('/a and /b');
  });

  it('of nothing asks nothing', () => {
    expect(inSeries([], bodies => bodies.length)).toBe(0);
  });
});
