/** Every provider's JSON cases: what is sent, what comes back, what we make of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseJson, writeJson } from '../domain/json.ts';
import { decimal } from '../domain/money.ts';
import type { CountryCode, MethodId } from '../domain/words.ts';
import { readRefusal } from '../engine/line.ts';
import { Upstream } from '../engine/upstream.ts';
import { currencies } from '../main.ts';
import {
  type Adapter,
  BadAnswer,
  type Context,
  type Exchange,
  type HttpAnswer,
  type NativeAsk,
} from './contract.ts';
import { registry } from './registry.ts';

interface Case {
  why: string;
  do: 'quote' | 'catalog';
  settings?: Record<string, string>;
  input?: Record<string, string> & { native: NativeAsk['native'] };
  exchanges: {
    request: Record<string, unknown>;
    answer: { status: number; body?: unknown; text?: string };
  }[];
  output?: unknown;
  declined?: unknown;
  fault?: 'BadAnswer' | 'Upstream';
}

const NOW = Date.parse('2026-01-01T00:00:00Z');

for (const { adapter } of registry) {
  const { id } = adapter.manifest;
  describe(id, () => {
    for (const folder of ['exemplary', 'supplemental']) {
      const path = join(import.meta.dirname, id, folder);
      for (const file of readdirSync(path)) {
        const text = readFileSync(join(path, file), 'utf8');
        const example = JSON.parse(text) as Case;
        it(`${folder}/${file}: ${example.why}`, () => check(adapter, example));
      }
    }
  });
}

function check(adapter: Adapter, example: Case): void {
  if (example.fault) {
    const expected = example.fault === 'BadAnswer' ? BadAnswer : Upstream;
    expect(() => play(adapter, example)).toThrow(expected);
    return;
  }
  const result = plain(play(adapter, example));
  expect(result).toEqual(
    example.declined ? { kind: 'decline', ...(example.declined as object) } : example.output,
  );
}

/** Follows the work through the exchanges of the case, comparing every request. */
function play(adapter: Adapter, example: Case): unknown {
  const context = contextOf(example.settings ?? {});
  const ask = example.do === 'quote' ? askOf(example) : undefined;
  const decline = ask && ((answer: HttpAnswer) => adapter.decline?.(answer, ask));
  let work: unknown = ask ? adapter.quote(ask, context) : adapter.catalog(context);
  for (const { request, answer } of example.exchanges) {
    if (!isExchange(work)) throw new Error('the adapter asked less than the case says');
    expect(plain(work.request)).toEqual(request);
    const received = receive(answer);
    if (received.status >= 400) return readRefusal<unknown>(received, decline);
    work = work.read(received);
  }
  if (isExchange(work)) throw new Error(`the adapter asked more than the case says: ${work.request.path}`);
  return work;
}

function receive(answer: Case['exchanges'][number]['answer']): HttpAnswer {
  let body: unknown;
  try {
    body = parseJson(answer.text ?? JSON.stringify(answer.body));
  } catch {
    // Not JSON: an adapter sees no body.
  }
  return { status: answer.status, headers: {}, body };
}

function contextOf(settings: Record<string, string>): Context {
  return {
    now: NOW,
    id: 'case-1',
    settings,
    secret: name => `{secret:${name}}`,
    sign: (how, secretName, text) => `${how}[${secretName}](${text})`,
  };
}

function askOf({ input }: Case): NativeAsk {
  if (!input) throw new Error('a quote case needs an input');
  const found = currencies.findAsset(input.asset ?? '');
  const fiat = currencies.findFiat(input.fiat ?? '');
  if (!found || !('asset' in found) || !fiat) throw new Error('the case names an unknown currency');
  return {
    side: input.side as NativeAsk['side'],
    fiat,
    asset: found.asset,
    method: input.method as MethodId,
    country: input.country as CountryCode,
    amount: decimal(input.amount ?? ''),
    amountOf: (input.amountOf ?? 'source') as NativeAsk['amountOf'],
    native: input.native,
  };
}

function isExchange(work: unknown): work is Exchange<unknown> {
  return typeof work === 'object' && work !== null && (work as Exchange<unknown>).kind === 'exchange';
}

/** Amounts as text, `undefined` left out: how cases are written. */
function plain(value: unknown): unknown {
  return JSON.parse(writeJson(textual(value)));
}

function textual(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(textual);
  if ('toDecimalPlaces' in value) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, textual(member)]));
}
