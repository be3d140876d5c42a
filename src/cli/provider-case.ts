/** A JSON case from a quote that was really asked for, with nothing in it that is secret or anybody's own. */
import { isAmount } from '../domain/money.ts';
import type { Decline, Price } from '../domain/offer.ts';
import { hear } from '../engine/chain.ts';
import { Upstream } from '../engine/upstream.ts';
import type { Adapter } from '../providers/contract.ts';
import {
  BadAnswer,
  type Context,
  type Exchange,
  type HttpAnswer,
  type HttpRequest,
  type Work,
} from '../providers/exchange.ts';
import type { TriedQuote } from './provider-trial.ts';

/** The moment that cases are played at. */
const NOW = Date.parse('2026-01-01T00:00:00Z');

/**
 * The text of the case. The adapter is asked anew with made-up settings and given the answers it got, from which every
 * setting and whatever may be personal has been struck: what it sends then cannot hold any of it.
 */
export function caseOf(
  adapter: Adapter,
  { ask, answers }: TriedQuote,
  settings: Readonly<Record<string, string>>,
): string {
  const { manifest } = adapter;
  const invented = inventSettings(adapter, settings);
  const struck = answers.map(answer => ({ status: answer.status, body: strike(answer.body, invented) }));
  const open = Object.fromEntries(
    manifest.settings
      .filter(({ name, secret }) => !secret && invented.has(name))
      .map(({ name }) => [name, invented.get(name)?.to ?? '']),
  );
  const secrets = manifest.settings.filter(({ name, secret }) => secret && name in settings);
  const names = secrets.map(({ name }) => name);
  const { exchanges, end } = play(adapter, { ask, answers: struck }, contextOf(open, names));
  const { side, fiat, asset, method, country, state, amount, amountOf, native } = ask;
  const example = {
    why: `What ${manifest.name} answered when it was tried.`,
    do: 'quote',
    settings: open,
    secrets: names,
    input: {
      ...{ side, fiat: fiat.code, asset: asset.id, method, country, state },
      ...{ amount: amount.toString(), amountOf, native },
    },
    exchanges,
    ...end,
  };
  return layOut(textual(example));
}

/** JSON as the house has it: short lists of words stand on one line. */
export function layOut(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2);
  const folded = text.replace(
    /\[\n\s+("(?:[^"\\]|\\.)*"(?:,\n\s+"(?:[^"\\]|\\.)*")*)\n\s+\]/g,
    (whole, inside: string) => {
      const line = `[${inside.replace(/,\n\s+/g, ', ')}]`;
      return line.length <= LONGEST_LINE ? line : whole;
    },
  );
  return `${folded}\n`;
}

const LONGEST_LINE = 80;

/** What stands for a setting's value: short ones are words such as `v2` and say nothing of anybody. */
interface Invention {
  from: string;
  to: string;
}

const SHORTEST_OWN = 6;

function inventSettings(
  { manifest }: Adapter,
  settings: Readonly<Record<string, string>>,
): Map<string, Invention> {
  const inventions = new Map<string, Invention>();
  for (const { name, secret, fallback } of manifest.settings) {
    const published = typeof fallback === 'object' ? Object.values(fallback) : fallback ? [fallback] : [];
    const from = settings[name] ?? published[0];
    if (from === undefined) continue;
    const isPlain = !secret && (published.includes(from) || from.length < SHORTEST_OWN);
    inventions.set(name, { from, to: isPlain ? from : `demo-${name}` });
  }
  return inventions;
}

const STRUCK = 'struck out';
/** Names of members that hold what is somebody's own, or opens something. */
const OWN =
  /e-?mail|phone|(first|last|full|holder)_?name|birth|street|post_?code|zip|iban|(^|client_?|user_?)ip(_?address)?$|(customer|user|account|partner|merchant|correlation|trace|session)_?(user_?)?id$|api_?key|signature|secret|session|jwt|^token$|(access|refresh|one_?time|view|bootstrap)_?token/i;
const ADDRESSES = /(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+|\b\d{1,3}(?:\.\d{1,3}){3}\b/g;

/** The same value without settings, and without what may be anybody's own. */
export function strike(value: unknown, settings: ReadonlyMap<string, Invention>): unknown {
  if (typeof value === 'string') return strikeText(value, settings);
  if (Array.isArray(value)) return value.map(one => strike(one, settings));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      OWN.test(name) && typeof one === 'string' && one !== '' ? STRUCK : strike(one, settings),
    ]),
  );
}

function strikeText(text: string, settings: ReadonlyMap<string, Invention>): string {
  let left = text;
  for (const { from, to } of settings.values()) if (from !== to) left = left.replaceAll(from, to);
  return left.replace(ADDRESSES, STRUCK);
}

interface Played {
  exchanges: { request: HttpRequest; answer: { status: number; body?: unknown; text?: string } }[];
  end: { output: Price } | { declined: Omit<Decline, 'kind'> } | { fault: 'BadAnswer' | 'Upstream' };
}

function play(adapter: Adapter, { ask, answers }: TriedQuote, context: Context): Played {
  const exchanges: Played['exchanges'] = [];
  try {
    let work: Work<Price | Decline> = adapter.quote(ask, context);
    for (const answer of answers) {
      if (!isExchange(work)) break;
      exchanges.push({ request: work.request, answer: shown(answer) });
      work = hear(work, answer, { decline: refusal => adapter.decline?.(refusal, ask) });
    }
    if (isExchange(work)) throw new BadAnswer('the adapter asks for more than it was answered');
    if (!('kind' in work)) return { exchanges, end: { output: work } };
    const { kind: _, ...declined } = work;
    return { exchanges, end: { declined } };
  } catch (error) {
    if (error instanceof Upstream) return { exchanges, end: { fault: 'Upstream' } };
    if (error instanceof BadAnswer) return { exchanges, end: { fault: 'BadAnswer' } };
    throw error;
  }
}

function shown({ status, body }: HttpAnswer): Played['exchanges'][number]['answer'] {
  return body === undefined ? { status, text: '(not JSON)' } : { status, body };
}

function isExchange<T>(work: Work<T>): work is Exchange<T> {
  return typeof work === 'object' && work !== null && (work as Exchange<T>).kind === 'exchange';
}

/** As cases are played: secrets and signatures are spelled out by name. */
function contextOf(settings: Readonly<Record<string, string>>, secrets: readonly string[]): Context {
  return {
    now: NOW,
    id: 'case-1',
    settings,
    secret: name => `{secret:${name}}`,
    has: name => secrets.includes(name),
    sign: (how, secretName, text) => `${how}[${secretName}](${text})`,
    base: host => `https://${host}.example`,
  };
}

/** Amounts as text, the way cases have them. */
function textual(value: unknown): unknown {
  if (isAmount(value)) return value.toString();
  if (Array.isArray(value)) return value.map(textual);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, textual(one)]));
}
