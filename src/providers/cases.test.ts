/** Every provider's JSON cases: what is sent, what comes back, what we make of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseJson, writeJson } from '../domain/json.ts';
import { decimal, isAmount } from '../domain/money.ts';
import type { Answers, FileType } from '../domain/step.ts';
import type { CountryCode, MethodId, StateCode } from '../domain/words.ts';
import { hear as hearAnswer } from '../engine/chain.ts';
import { Upstream } from '../engine/upstream.ts';
import { currencies } from '../main.ts';
import {
  type Absence,
  type Adapter,
  absenceIn,
  type Claim,
  type Delivery,
  type NativeAsk,
  type NativeOrder,
  type Refused,
  type StepAnswer,
} from './contract.ts';
import { BadAnswer, type Context, type Exchange, type HttpAnswer } from './exchange.ts';
import { registry } from './registry.ts';

interface Case {
  why: string;
  do: 'quote' | 'catalog' | 'checkout' | 'status' | 'token' | 'webhook' | 'begin' | 'answer' | 'next';
  settings?: Record<string, string>;
  /** Names of the secrets that are set; all of them unless told. */
  secrets?: string[];
  input?: Input;
  exchanges?: {
    request: Record<string, unknown>;
    answer: { status: number; body?: unknown; text?: string };
  }[];
  /** Of a webhook: what its signature claims, the signed parts as text. Without a claim it is never read. */
  claims?: unknown[];
  /** Of a webhook that claims nothing: the orders it hints at. */
  hints?: unknown[];
  /** Of a webhook that only hints: what would be read of it, could it be proven. */
  unproven?: unknown[];
  /** `null` where nothing can be asked. */
  output?: unknown;
  declined?: unknown;
  fault?: 'BadAnswer' | 'Upstream';
}

/** An ask, an order or a delivery. */
interface Input {
  side?: string;
  fiat?: string;
  asset?: string;
  method?: string;
  country?: string;
  state?: string;
  amount?: string;
  amountOf?: string;
  native?: NativeAsk['native'];
  id?: string;
  wallet?: NonNullable<NativeOrder['wallet']>;
  returnUrl?: string;
  theme?: NativeOrder['theme'];
  theirs?: string;
  access?: string;
  email?: string;
  clientIp?: string;
  createdAt?: string;
  headers?: Record<string, string>;
  path?: string;
  search?: string;
  body?: string;
  /** Of `answer`: what is answered to which step; a file as its text. */
  answer?: { key: string; values?: Answers; file?: { type: FileType; text: string } };
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
  const work = example.do === 'webhook' ? hear : play;
  if (example.fault) {
    const expected = example.fault === 'BadAnswer' ? BadAnswer : Upstream;
    expect(() => work(adapter, example)).toThrow(expected);
    return;
  }
  const result = plain(work(adapter, example));
  expect(result).toEqual(
    example.declined ? { kind: 'decline', ...(example.declined as object) } : (example.output ?? null),
  );
}

/** Follows the work through the exchanges of the case, comparing every request. */
function play(adapter: Adapter, example: Case): unknown {
  const { start, decline, absence } = begin(adapter, example);
  let work = start(contextOf(adapter, example));
  for (const { request, answer } of example.exchanges ?? []) {
    if (!isExchange(work)) throw new Error('the adapter asked less than the case says');
    expect(plain(work.request)).toEqual(request);
    const received = receive(answer);
    const lent = new Set(objectsIn(received.body));
    // As the engine has it: who looks up an order that is not there may have learnt that it is not.
    work = hearAnswer<unknown>(work, received, { decline: absence ?? decline });
    // The engine reads the next answer into the same objects.
    if (example.do === 'quote' && !isExchange(work))
      expect(objectsIn(work).some(kept => lent.has(kept))).toBe(false);
    if (received.status < 400) continue;
    if (absence) return work === 'none' ? [] : undefined;
    return work;
  }
  if (isExchange(work)) throw new Error(`the adapter asked more than the case says: ${work.request.path}`);
  return work;
}

/** All that can be reached from there. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

interface Beginning {
  start(context: Context): unknown;
  decline?: (answer: HttpAnswer) => unknown;
  absence?: (answer: HttpAnswer) => Absence | undefined;
}

function begin(adapter: Adapter, example: Case): Beginning {
  const declineTo = (refused: Refused) => (answer: HttpAnswer) => adapter.decline?.(answer, refused);
  if (example.do === 'catalog') return { start: context => adapter.catalog(context) };
  if (example.do === 'token') return { start: context => adapter.token?.ask(context) };
  const ask = askOf(example);
  if (example.do === 'quote')
    return { start: context => adapter.quote(ask, context), decline: declineTo(ask) };
  const order = orderOf(ask, example);
  if (example.do === 'status')
    return {
      start: context => adapter.status?.(order, context),
      absence: answer => absenceIn(answer, adapter, order),
    };
  const { steps } = adapter;
  if (example.do === 'begin')
    return { start: context => steps?.begin(order, context), decline: declineTo(order) };
  if (example.do === 'next') return { start: context => steps?.next(order, context) };
  if (example.do === 'answer')
    return {
      start: context => steps?.answer(order, answerOf(example), context),
      decline: declineTo(order),
    };
  return { start: context => adapter.checkout(order, context), decline: declineTo(order) };
}

function answerOf({ input }: Case): StepAnswer {
  const { key = '', values = {}, file } = input?.answer ?? {};
  if (!file) return { key, values };
  return { key, file: { type: file.type, bytes: new TextEncoder().encode(file.text) } };
}

/** Takes a webhook in, as far as its claims let it. */
function hear({ webhook }: Adapter, example: Case): unknown {
  const delivery = deliver(example);
  const claims = webhook?.claims(delivery) ?? [];
  expect(claims.map(spelled)).toEqual(example.claims);
  if (claims.length) return webhook?.read(delivery);
  if (webhook?.hints) expect(plain(webhook.hints(delivery))).toEqual(example.hints ?? []);
  if (example.unproven) expect(plain(webhook?.read(delivery))).toEqual(example.unproven);
  return undefined;
}

function spelled({ signed, ...claim }: Claim): unknown {
  return { ...claim, signed: signed.map(part => (typeof part === 'string' ? part : decoded(part))) };
}

function deliver({ input }: Case): Delivery {
  const text = input?.body ?? '';
  return {
    headers: input?.headers ?? {},
    path: input?.path ?? '/hooks/provider',
    search: input?.search ?? '',
    raw: new TextEncoder().encode(text),
    text,
    body: parsed(text),
  };
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function receive(answer: { status: number; body?: unknown; text?: string }): HttpAnswer {
  const body = parsed(answer.text ?? JSON.stringify(answer.body));
  return { status: answer.status, body };
}

/** Undefined when it is not JSON: an adapter sees no body then. */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function contextOf({ manifest, token }: Adapter, { settings = {}, secrets }: Case): Context {
  const all = [...manifest.settings.filter(({ secret }) => secret).map(({ name }) => name), token?.name];
  const has = (name: string) => (secrets ?? all).includes(name);
  return {
    now: NOW,
    id: 'case-1',
    settings,
    secret(name) {
      if (!has(name)) throw new Error(`no secret is named ${name}`);
      return `{secret:${name}}`;
    },
    has,
    sign: (how, secretName, text) => `${how}[${secretName}](${text})`,
    base(host) {
      if (!(host in manifest.hosts)) throw new Error(`no host is named ${host}`);
      return `https://${host}.example`;
    },
  };
}

function askOf({ input }: Case): NativeAsk {
  const found = currencies.findAsset(input?.asset ?? '');
  const fiat = currencies.findFiat(input?.fiat ?? '');
  if (!input?.native || !found || !('asset' in found) || !fiat)
    throw new Error('the case names an unknown currency');
  return {
    side: input.side as NativeAsk['side'],
    fiat,
    asset: found.asset,
    method: input.method as MethodId,
    country: input.country as CountryCode,
    state: input.state as StateCode | undefined,
    amount: decimal(input.amount ?? ''),
    amountOf: (input.amountOf ?? 'source') as NativeAsk['amountOf'],
    native: input.native,
  };
}

function orderOf({ amountOf: _, ...ask }: NativeAsk, { input }: Case): NativeOrder {
  return {
    ...ask,
    id: input?.id ?? '',
    wallet: input?.wallet,
    email: input?.email,
    returnUrl: input?.returnUrl ?? 'https://pay.example/back',
    hookUrl: 'https://pay.example/hooks/provider',
    theme: input?.theme ?? { isDark: false },
    theirs: input?.theirs,
    access: input?.access,
    createdAt: input?.createdAt ? Date.parse(input.createdAt) : NOW,
    clientIp: input?.clientIp,
  };
}

function isExchange(work: unknown): work is Exchange<unknown> {
  return typeof work === 'object' && work !== null && (work as Exchange<unknown>).kind === 'exchange';
}

/** Amounts as text, `undefined` left out: how cases are written. */
function plain(value: unknown): unknown {
  return JSON.parse(writeJson(textual(value ?? null)));
}

function textual(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(textual);
  if (isAmount(value)) return value.toString();
  if (value instanceof Uint8Array) return decoded(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, textual(member)]));
}
