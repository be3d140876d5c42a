/** Cases: whole requests with one parameter that is wrong, or, for a reason, is not. */
import type { Chance } from '../../faults/bed/chance.ts';
import { bodyTexts, bodyWith } from './bodies.ts';
import { JSON_TYPE, keysOf, lineOf, write } from './letter.ts';
import { encodeAll, MUTATIONS, mutate } from './mutations.ts';
import type { Live, Spot, Surface } from './parameter.ts';

export interface Case {
  /** The parameter, and what is wrong with it. */
  what: string;
  surface: Surface;
  bytes: Buffer;
  /** Any of these may be named. */
  fields: readonly string[];
  /** Why it is taken; undefined when it must be refused. */
  taken: string | undefined;
}

/** What replaces the good parts of a request. */
interface Change {
  what: string;
  taken: string | undefined;
  /** The part of the path, encoded. */
  path?: string;
  /** The text of the parameter in the query, name and all. */
  query?: string;
  /** Lines of the head. */
  headers?: readonly string[];
  body?: string;
  /** Names that may be given beside the parameter's own. */
  fields?: readonly string[];
}

/** Every case of one parameter: its seeds, its mutations, and every wrong way of sending it. */
export function casesOf(spot: Spot, live: Live): Case[] {
  const { kind } = spot.parameter;
  const isText = (spot.parameter.json ?? 'text') === 'text';
  const grown = kind.isExact === false ? [] : Object.entries(MUTATIONS);
  const texts: [string, string][] = [
    ...kind.seeds.map((seed): [string, string] => [said(seed), seed]),
    ...(isText ? grown.map(([name, change]): [string, string] => [name, change(kind.good)]) : []),
  ];
  const unique = [...new Map(texts.map(([name, text]) => [text, name]))].filter(
    ([text]) => text !== kind.good,
  );
  const changes = [...unique.flatMap(([text, name]) => changesOf(spot, name, text)), ...notationsOf(spot)];
  return changes.map(change => caseOf(spot, change, live));
}

/** A case that chance has made of one parameter; undefined where nobody could tell whether it is wrong. */
export function growCase(spot: Spot, live: Live, chance: Chance): Case | undefined {
  const { kind, json = 'text' } = spot.parameter;
  if (kind.isExact === false || json !== 'text') return undefined;
  const start = [...chance.pick([kind.good, kind.good, ...kind.seeds])].slice(0, LONGEST).join('');
  const text = mutate(start, chance);
  if (text.length > LONGEST * 5) return undefined;
  const [change] = changesOf(spot, said(text), text);
  return change && caseOf(spot, change, live);
}

/** Texts that chance works on, so that a case costs what a request costs. */
const LONGEST = 400;

/** The text where it belongs; nothing where it cannot stand. */
function changesOf(spot: Spot, what: string, text: string): Change[] {
  const { place, name, parameter } = spot;
  const taken = parameter.kind.takes(text);
  const encoded = encodeURIComponent(text);
  switch (place) {
    case 'path':
      // Nothing at all is another path.
      return text === '' ? [] : [{ what, taken, path: encoded }];
    case 'query':
      return [{ what, taken, query: `${name}=${encoded}` }];
    case 'header':
      return isHeadable(text)
        ? [
            {
              what,
              taken: parameter.kind.takes(text.replace(/^[ \t]+|[ \t]+$/g, '')),
              headers: [`${name}: ${text}`],
            },
          ]
        : [];
    default:
      return [{ what, taken, body: bodyWith(spot, JSON.stringify(text)) }];
  }
}

/** Lines of the head are bytes, and end where a line ends. */
function isHeadable(text: string): boolean {
  return [...text].every(
    letter => letter === '\t' || (letter >= ' ' && letter <= '\u00ff' && letter !== '\u007f'),
  );
}

/** Texts that are no encoding of anything. */
const UNDECODABLE = ['%', '%zz', '%c0%ae', '%ed%a0%80', '%ff', '%u0065'];
const IGNORED = 'unknown query parameters are ignored';

function notationsOf(spot: Spot): Change[] {
  const { place, name, parameter } = spot;
  const { kind, required } = parameter;
  const good = encodeURIComponent(kind.good);
  const isGood = kind.takes(kind.good);
  if (place === 'path') {
    const fields = ['path'];
    return [
      ...UNDECODABLE.map(path => ({ what: path, taken: undefined, path, fields })),
      { what: 'good and a lone percent', taken: undefined, path: `${good}%`, fields },
      { what: 'every byte encoded', taken: isGood, path: encodeAll(kind.good) },
    ];
  }
  if (place === 'header')
    return [
      { what: 'sent twice', taken: undefined, headers: [`${name}: ${kind.good}`, `${name}: ${kind.good}`] },
      {
        what: 'sent twice, in two spellings',
        taken: undefined,
        headers: [`${name}: a`, `${name.toUpperCase()}: b`],
      },
    ];
  if (place === 'body')
    return bodyTexts(spot).map(({ json, fields = [], ...text }) => ({ ...text, body: json, fields }));
  const absent = required ? undefined : IGNORED;
  const lax = kind.seeds.length === 0 ? isGood : undefined;
  return [
    ...UNDECODABLE.map(text => ({ what: text, taken: lax, query: `${name}=${text}` })),
    { what: 'good and a lone percent', taken: lax, query: `${name}=${good}%` },
    { what: 'sent twice', taken: undefined, query: `${name}=${good}&${name}=${good}` },
    { what: 'sent twice, once empty', taken: undefined, query: `${name}=${good}&${name}=` },
    {
      what: 'sent twice, in two encodings',
      taken: undefined,
      query: `${name}=${good}&${encodeAll(name)}=${good}`,
    },
    { what: 'sent three times', taken: undefined, query: `${name}=${good}&${name}=${good}&${name}=${good}` },
    { what: 'without a value', taken: kind.takes(''), query: name },
    { what: 'every byte encoded', taken: isGood, query: `${name}=${encodeAll(kind.good)}` },
    { what: 'its name encoded', taken: isGood, query: `${encodeAll(name)}=${good}` },
    ...[
      `${name}[]`,
      `${name}[0]`,
      `${name}[__proto__]`,
      `${name}.value`,
      `${name}%00`,
      `__proto__[${name}]`,
    ].map(other => ({
      ...{ what: `as ${other}`, taken: absent, query: `${other}=${good}` },
    })),
    { what: 'its name in capitals', taken: absent, query: `${name.toUpperCase()}=${good}` },
    ...(required ? [{ what: 'missing', taken: undefined, query: '' }] : []),
  ];
}

function caseOf(spot: Spot, change: Change, live: Live): Case {
  const { at, operation, place, name, parameter } = spot;
  const bytes = bytesOf(spot, change, live);
  const isLong = bytes.indexOf('\r\n\r\n') > LONGEST_HEAD;
  const alias = place === 'header' ? ['Idempotency-Key'] : [];
  return {
    what: `${at} ${place} ${name}: ${change.what}`,
    surface: operation.surface,
    bytes,
    fields: [
      name,
      ...(parameter.names ?? []),
      ...(change.fields ?? []),
      ...alias,
      ...(isLong ? ['request'] : []),
    ],
    taken: change.taken,
  };
}

/** A head that is longer may be refused unread. */
const LONGEST_HEAD = 7_900;

function bytesOf({ at, operation, place, name, parameter }: Spot, change: Change, live: Live): Buffer {
  const others = Object.entries({ ...operation.always, ...parameter.query });
  const line = lineOf(
    at,
    { ...operation, always: {} },
    {
      path: { ...encoded(parameter.path), ...(place === 'path' && { [name]: change.path ?? '' }) },
      query: Object.fromEntries(others.filter(([other]) => place !== 'query' || other !== name)),
      more: change.query,
    },
  );
  const body = operation.sends === undefined ? undefined : (change.body ?? JSON.stringify(operation.sends));
  const type = body === undefined ? [] : [JSON_TYPE];
  return write({ line, headers: [...keysOf(live), ...(change.headers ?? []), ...type], body });
}

function encoded(parts: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, encodeURIComponent(value)]));
}

function said(text: string): string {
  const shown = JSON.stringify(text);
  return shown.length > 40 ? `${shown.slice(0, 40)}… (${text.length})` : shown;
}
