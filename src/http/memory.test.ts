/** Memory of catalog answers: bounded by all that is kept, not by the answers alone. */
import { describe, expect, it } from 'vitest';
import { createMemory } from './memory.ts';

const LONG = 'x'.repeat(33 * 1024 * 1024);

describe('the bound', () => {
  it.each([
    ['a long URL', { url: (name: string) => `/${name}?${LONG}`, authorization: undefined }],
    ['a long key', { url: (name: string) => `/${name}`, authorization: LONG }],
  ])('counts %s', (_what, { url, authorization }) => {
    const memory = createMemory();
    const known = (name: string) => memory.get(url(name), authorization, 'DE') !== undefined;
    memory.keep(url('one'), { authorization, country: 'DE' }, '{}');
    expect(known('one')).toBe(true);
    memory.keep(url('two'), { authorization, country: 'DE' }, '{}');
    expect([known('one'), known('two')]).toEqual([false, true]);
    // What is there after a clearing is counted as well.
    memory.keep(url('three'), { authorization, country: 'DE' }, '{}');
    expect([known('two'), known('three')]).toEqual([false, true]);
  });

  it('lets many short ones in', () => {
    const memory = createMemory();
    const reader = { authorization: 'pk_test_1', country: 'DE' };
    for (let at = 0; at < 1_000; at++) memory.keep(`/supported?at=${at}`, reader, '{}');
    expect(memory.get('/supported?at=0', 'pk_test_1', 'DE')?.body.toString()).toBe('{}');
  });
});
