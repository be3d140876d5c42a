/** Bodies: the good one with something else in one place, and every wrong way to write that down. */
import type { Parameter, Spot } from './parameter.ts';

export interface BodyText {
  what: string;
  json: string;
  taken: string | undefined;
  fields?: readonly string[];
}

type Members = { [name: string]: unknown };

const MARK = '@@';
const ABSENT = 'null counts as absent';

/** The body with JSON, or what pretends to be some, at a place. */
export function bodyWith({ operation, name, parameter }: Spot, json: string): string {
  return JSON.stringify(marked(operation.sends ?? {}, name, parameter)).replace(`"${MARK}"`, () => json);
}

function marked(sends: object, name: string, { body = {} }: Parameter): Members {
  let whole: Members = { ...sends };
  for (const [way, value] of Object.entries(body)) whole = withValue(whole, way, value);
  return withValue(whole, name, MARK);
}

function withValue(members: Members, way: string, value: unknown): Members {
  const [first = '', ...rest] = way.split('.');
  const inner =
    rest.length > 0 ? withValue({ ...(members[first] as Members) }, rest.join('.'), value) : value;
  return { ...members, [first]: inner };
}

/** JSON of every type but the one that is asked for, by that one. */
export const TYPES = {
  text: [
    '1',
    '0',
    '1.5',
    'true',
    'false',
    '[]',
    '["x"]',
    '{}',
    '{"a":"x"}',
    '[[]]',
    '[null]',
    '1e999',
    '-0',
    '"\\ud800"',
    '"\\udfff\\ud800"',
  ],
  object: ['""', '"x"', '1', 'true', 'false', '[]', '[{}]', '[[]]', '"{}"'],
  flag: ['"true"', '"false"', '""', '1', '0', '[]', '{}', '[true]'],
  'figure or text': ['true', 'false', '[]', '{}', '-1', '1e3', '99999', '["8px"]'],
  number: [
    ...[
      'true',
      'false',
      '[]',
      '[100]',
      '{}',
      '{"value":100}',
      '"100"',
      '""',
      '"1e2"',
      '0',
      '-0',
      '0.0',
      '-1',
      '1e3',
      '1E2',
      '1e0',
    ],
    ...[
      '1e309',
      '-1e309',
      '1e-30',
      '100.001',
      '9007199254740993',
      '12345678901234567890.1',
      '1000000000000000',
      '1.5e1',
    ],
    ...[
      `1${'0'.repeat(400)}`,
      `0.${'0'.repeat(400)}1`,
      '"\\u0031\\u0030\\u0030"',
      '[[100]]',
      '"NaN"',
      '"Infinity"',
    ],
  ],
  list: [
    '[]',
    '[""]',
    '[1]',
    '[null]',
    '[[]]',
    '[{}]',
    '{}',
    '"x"',
    '1',
    'true',
    '["a b"]',
    '["é"]',
    `["${'x'.repeat(129)}"]`,
    `[${Array(51).fill('"x"').join()}]`,
  ],
} satisfies Record<NonNullable<Parameter['json']>, readonly string[]>;

/** What is no JSON at all. */
export const NO_JSON = [
  'NaN',
  'Infinity',
  'undefined',
  '0x10',
  '.5',
  '5.',
  '+5',
  '01',
  "'x'",
  '1_000',
  '"\n"',
  '"\\x41"',
  '',
  '{',
  '[1,]',
  '１',
  '"a" "b"',
  '/**/1',
];

/** Wrong types, no type at all, and the key itself in every way that another reader may read differently. */
export function bodyTexts(spot: Spot): BodyText[] {
  const { name, parameter } = spot;
  const { json: kind = 'text', required, nullable, kind: about } = parameter;
  const at = (json: string) => bodyWith(spot, json);
  const good = GOOD[kind]?.(about.good) ?? JSON.stringify(about.good);
  const last = name.split('.').at(-1) ?? name;
  const keyed = (text: string) => at(good).replace(`${JSON.stringify(last)}:${good}`, () => text);
  const absent = required ? undefined : 'what is not asked for is ignored';
  const polluted = (key: string) => `${JSON.stringify(last)}:${good},${JSON.stringify(key)}:{"polluted":1}`;
  return [
    ...TYPES[kind].map(json => ({
      what: `as ${json.slice(0, 40)}`,
      json: at(json),
      taken: undefined,
    })),
    ...NO_JSON.map(json => ({
      what: `no JSON: ${JSON.stringify(json)}`,
      json: at(json),
      taken: undefined,
      fields: ['body'],
    })),
    { what: 'null', json: at('null'), taken: nullable && !required ? ABSENT : undefined },
    {
      what: 'there twice',
      json: keyed(`${JSON.stringify(last)}:${good},${JSON.stringify(last)}:${good}`),
      taken: undefined,
    },
    {
      ...{ what: 'there twice, in two spellings', taken: undefined },
      json: keyed(`${JSON.stringify(last)}:${good},${escaped(last)}:${good}`),
    },
    ...['__proto__', 'constructor', 'prototype'].map(key => ({
      ...{ what: `beside ${key}`, json: keyed(polluted(key)), taken: undefined },
      fields: [name.split('.').slice(0, -1).concat(key).join('.')],
    })),
    ...(required && kind !== 'object'
      ? [{ what: 'missing', json: keyed('"other":1'), taken: undefined }]
      : []),
    {
      what: 'its name in capitals',
      json: keyed(`${JSON.stringify(last.toUpperCase())}:${good}`),
      taken: absent,
    },
  ];
}

const GOOD: Readonly<Record<string, (text: string) => string>> = {
  number: text => text,
  flag: text => text,
  list: text => `["${text}"]`,
  object: () => '{}',
};

/** The key with its first letter written by its number. */
function escaped(key: string): string {
  return `"\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}"`;
}
