/** The skeleton of a provider: it is written whole, nowhere else, over nothing, and fails until it is filled in. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Adapter } from '../providers/contract.ts';
import type { Context, Exchange } from '../providers/exchange.ts';
import { writeSkeleton } from './provider-new.ts';

const ROOT = resolve(import.meta.dirname, '../..');

let checkout: string;
let written: string[];

/** As much of a checkout as a provider's folder needs. */
beforeAll(() => {
  checkout = mkdtempSync(join(tmpdir(), 'cloverleaf-new-'));
  mkdirSync(join(checkout, 'src/providers'), { recursive: true });
  cpSync(join(ROOT, 'src/domain'), join(checkout, 'src/domain'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'src/providers')))
    if (name.endsWith('.ts') && !name.endsWith('.test.ts'))
      cpSync(join(ROOT, 'src/providers', name), join(checkout, 'src/providers', name));
  cpSync(join(ROOT, 'package.json'), join(checkout, 'package.json'));
  written = writeSkeleton(checkout, { id: 'newramp', name: 'New Ramp' });
});
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

interface Case {
  do: string;
  exchanges?: { request: object }[];
}

const cases = () =>
  written
    .filter(path => path.endsWith('.json'))
    .map(path => JSON.parse(readFileSync(join(checkout, path), 'utf8')) as Case);

describe('provider new', () => {
  it('writes every file of a provider’s folder', () => {
    const names = written.map(path => path.replace('src/providers/newramp/', ''));
    expect(names).toEqual(
      expect.arrayContaining([
        ...['adapter.ts', 'orders.ts', 'words.ts', 'wire.ts', 'standin.ts', 'standin-terms.ts'],
        ...['icon.svg', 'NOTES.md', 'exemplary/quote-buy.json', 'supplemental/garbage.json'],
      ]),
    );
    expect(written.every(path => existsSync(join(checkout, path)))).toBe(true);
    expect(new Set(written).size).toBe(written.length);
  });

  it('writes every kind of case that parity asks for', () => {
    const kinds = new Set(cases().map(one => one.do));
    expect([...kinds].sort()).toEqual(['catalog', 'checkout', 'quote', 'status', 'webhook']);
    expect(cases().length).toBeGreaterThanOrEqual(20);
  });

  it('writes cases that no request of its adapter fits', async () => {
    const { newramp } = (await import(join(checkout, 'src/providers/newramp/adapter.ts'))) as {
      newramp: Adapter;
    };
    expect(newramp.manifest).toMatchObject({ id: 'newramp', name: 'New Ramp' });
    const sent = (newramp.catalog({} as Context) as Exchange<unknown>).request;
    const requests = cases().flatMap(({ exchanges = [] }) => exchanges.map(({ request }) => request));
    expect(requests.length).toBeGreaterThan(10);
    for (const request of requests) expect(request).not.toEqual(sent);
  });

  it('writes text as the house has it', () => {
    const texts = written.map(path => readFileSync(join(checkout, path), 'utf8'));
    expect(texts.filter(text => !text.endsWith('\n') || text.includes('\r'))).toEqual([]);
    const sources = written.filter(path => path.endsWith('.ts'));
    expect(sources.filter(path => !/^\/\*\* /.test(readFileSync(join(checkout, path), 'utf8')))).toEqual([]);
  });

  it.each([
    ['a folder that is there', { id: 'newramp', name: 'X' }, /is there already/],
    ['a provider that is there', { id: 'moonpay', name: 'X' }, /is there already/],
    ['a path', { id: '../x', name: 'X' }, /lower-case/],
    ['capitals', { id: 'NewRamp', name: 'X' }, /lower-case/],
    ['an empty id', { id: '', name: 'X' }, /lower-case/],
    ['a name that would end a quote', { id: 'other', name: "O'Ramp" }, /plain characters/],
  ])('refuses %s', (_what, provider, message) => {
    expect(() => writeSkeleton(checkout, provider)).toThrow(message);
  });

  it('refuses a place that is no checkout', () => {
    expect(() => writeSkeleton(tmpdir(), { id: 'other', name: 'X' })).toThrow(/checkout of the source/);
  });
});
