/** The types of the client: written from the schemas that validate requests and describe answers. */
import { checkoutSchemas } from '../src/http/current/checkout-schema.ts';
import { schemas } from '../src/http/current/schema.ts';
import { transactionSchemas } from '../src/http/current/transactions-schema.ts';
import { webhookSchemas } from '../src/http/current/webhooks-schema.ts';

/** As much of a schema as is looked at. */
interface Schema {
  title?: string;
  description?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  patternProperties?: Record<string, Schema>;
}

/** Whether the client sends it or is sent it: money is read as text, and may be given as a number too. */
type Way = 'in' | 'out';

/** What has no title, or another name with us than in the document. */
const NAMES: Record<string, string> = {
  'Checkout intent request': 'CheckoutBody',
  'Checkout intent response': 'Checkout',
  'Asset availability entry': 'AssetAvailability',
  'Webhook endpoint with its secret': 'WebhookEndpointWithSecret',
  'Outcome of a test': 'WebhookTest',
};

/** What is another type and more. */
const BASES: Record<string, string> = {
  PaymentTypeWithLimits: 'PaymentType',
  WebhookEndpointWithSecret: 'WebhookEndpoint',
};

const WORDS: Record<string, readonly string[]> = {
  Side: ['buy', 'sell'],
  TransactionStatus: ['new', 'pending', 'paid', 'completed', 'failed', 'canceled', 'expired', 'refunded'],
  DeclineType: [
    'LimitMismatch',
    'QuoteParameterMismatch',
    'NoSupportedPaymentFound',
    'ProviderUnavailable',
    'ProviderValidation',
  ],
  Recommendation: ['BestPrice', 'SuccessRate', 'LowKyc', 'ClientPreferred'],
};

const message = (schema: unknown): Schema =>
  (schema as { response: { 200: Schema } }).response[200].properties?.message ?? {};
const answer = (schema: unknown): Schema => (schema as { response: { 200: Schema } }).response[200];

const ANSWERS: Record<string, Schema> = {
  Supported: message(schemas.supported),
  Defaults: message(schemas.defaults),
  Assets: message(schemas.assets),
  Country: message(schemas.countries).items ?? {},
};

/** Answers whose parts have names of their own. */
const NAMED: Schema[] = [
  message(schemas.paymentTypes),
  message(schemas.paymentTypesOf),
  message(schemas.providers),
  message(schemas.availability),
  answer(schemas.quotes),
  message(checkoutSchemas.intent),
  checkoutSchemas.intent.response[422] as Schema,
  answer(transactionSchemas.page),
  answer(webhookSchemas.list),
  answer(webhookSchemas.rotate),
  answer(webhookSchemas.test),
  answer(webhookSchemas.deliveries),
  answer(webhookSchemas.replay),
];

const SENT = {
  SupportedQuery: schemas.supported.querystring,
  PaymentTypesQuery: schemas.paymentTypesOf.querystring,
  DefaultsQuery: schemas.defaults.querystring,
  AssetsQuery: schemas.assets.querystring,
  OnrampsQuery: schemas.availability.querystring,
  QuotesQuery: schemas.quotes.querystring,
  CheckoutQuery: checkoutSchemas.intent.querystring,
  CheckoutBody: checkoutSchemas.intent.body,
  TransactionsQuery: transactionSchemas.page.querystring,
  DeliveriesQuery: webhookSchemas.deliveries.querystring,
  ReplayBody: webhookSchemas.replay.body,
} as unknown as Record<string, Schema>;

/** The whole text of the client's file of types. */
export function writeClientTypes(): string {
  const declared = new Map<string, string>();
  const known = new Map<string, Schema>();
  const integers = new Set<string>();
  const figures = new Set<string>();

  function declare(name: string, schema: Schema, way: Way): string {
    if (declared.has(name)) return name;
    declared.set(name, '');
    known.set(name, schema);
    const doc = schema.description && way === 'in' ? `${comment(schema.description)}\n` : '';
    const base = BASES[name];
    const kin = base ? ` extends ${base}` : '';
    const own = base ? without(schema, known.get(base)) : schema;
    declared.set(name, `${doc}export interface ${name}${kin} ${membersOf(own, way, '')}`);
    return name;
  }

  function membersOf({ properties = {}, required = [] }: Schema, way: Way, indent: string): string {
    const inner = `${indent}  `;
    const lines = Object.entries(properties).flatMap(([key, member]) => {
      note(key, member);
      const optional = !required.includes(key);
      const plain = typeOf(member, way, inner);
      const type = optional && way === 'in' && !plain.startsWith('{') ? `${plain} | undefined` : plain;
      const name = /^[A-Za-z_]\w*$/.test(key) ? key : `'${key}'`;
      const doc = describe(member);
      return [...(doc ? [`${inner}${comment(doc)}`] : []), `${inner}${name}${optional ? '?' : ''}: ${type};`];
    });
    return `{\n${lines.join('\n')}\n${indent}}`;
  }

  /** Whole numbers are numbers, all others are money: told apart by the member's name alone. */
  function note(key: string, schema: Schema): void {
    if (schema.type === 'integer') integers.add(key);
    if (schema.type === 'number') figures.add(key);
    for (const one of schema.anyOf ?? []) note(key, one);
  }

  function typeOf(schema: Schema, way: Way, indent: string): string {
    if (schema.title) {
      const name = NAMES[schema.title] ?? pascal(schema.title);
      return declare(way === 'in' ? `${name}Input` : name, schema, way);
    }
    if (schema.const !== undefined) return `'${schema.const}'`;
    if (schema.enum) return wordsOf(schema.enum as string[]);
    if (schema.anyOf) {
      // To send null is to send nothing, and to leave it out says so better.
      const sent = schema.anyOf.filter(one => way === 'out' || one.type !== 'null');
      return [...new Set(sent.map(one => typeOf(one, way, indent)))].join(' | ');
    }
    if (schema.patternProperties) return recordOf(schema.patternProperties, way, indent);
    if (schema.type === 'object') return membersOf(schema, way, indent);
    if (schema.type === 'array') return arrayOf(typeOf(schema.items ?? {}, way, indent));
    if (schema.type === 'number') return way === 'in' ? 'AmountInput' : 'Amount';
    const plain = { integer: 'number', string: 'string', boolean: 'boolean', null: 'null' };
    const type = plain[schema.type as keyof typeof plain];
    if (!type) throw new Error(`no type for ${JSON.stringify(schema)}`);
    return type;
  }

  function recordOf(patterns: Record<string, Schema>, way: Way, indent: string): string {
    const [value = {}] = Object.values(patterns);
    const inner = `${indent}  `;
    const type = typeOf(value, way, inner);
    return type.includes('\n')
      ? `Record<\n${inner}string,\n${inner}${type}\n${indent}>`
      : `Record<string, ${type}>`;
  }

  for (const [name, schema] of Object.entries(ANSWERS)) declare(name, schema, 'out');
  for (const schema of NAMED) typeOf(schema, 'out', '');
  for (const [name, schema] of Object.entries(SENT)) declare(name, schema, 'in');
  const both = [...integers].filter(key => figures.has(key));
  if (both.length > 0) throw new Error(`whole numbers in one place and money in another: ${both.join(', ')}`);

  const words = Object.entries(WORDS).map(([name, all]) => declareWords(name, all));
  const numbers = [...integers].sort().map(key => `  '${key}',\n`);
  return [
    HEAD,
    ...words,
    ...[...declared.keys()].sort().map(name => declared.get(name) ?? ''),
    `/** Members that are whole numbers and no money. */\nexport const INTEGERS: ReadonlySet<string> = new Set([\n${numbers.join('')}]);`,
  ]
    .join('\n\n')
    .concat('\n');
}

const HEAD = `/** What the service is asked and what it answers; written by \`node scripts/generate-client-types.mjs\` from its schemas. */

/** Money and rates: decimal text, exact to the last place, such as \`0.015\`; never a float. */
export type Amount = string;

/** An amount to send: decimal text, or a number for those who have one. */
export type AmountInput = string | number;`;

/** What a schema has beside another, all of which it must have. */
function without(schema: Schema, base: Schema = {}): Schema {
  const { properties = {} } = schema;
  const inherited = Object.keys(base.properties ?? {});
  const missing = inherited.filter(
    key => JSON.stringify(properties[key]) !== JSON.stringify(base.properties?.[key]),
  );
  if (missing.length > 0 || inherited.length === 0)
    throw new Error(`it is no ${base.title}: ${missing.join(', ')}`);
  const own = Object.entries(properties).filter(([key]) => !inherited.includes(key));
  return { ...schema, properties: Object.fromEntries(own) };
}

const WIDTH = 110;

function declareWords(name: string, all: readonly string[]): string {
  const quoted = all.map(word => `'${word}'`);
  const line = `export type ${name} = ${quoted.join(' | ')};`;
  if (line.length <= WIDTH) return line;
  return `export type ${name} =\n${quoted.map(word => `  | ${word}`).join('\n')};`;
}

/** The name of a set of words; yes and no are what they are. */
function wordsOf(all: readonly string[]): string {
  if (all.join() === 'true,false') return 'boolean';
  const named = Object.entries(WORDS).find(([, words]) => words.join() === all.join());
  return named?.[0] ?? all.map(word => `'${word}'`).join(' | ');
}

/** What a member is: its own words, or those of the part of it that has some. */
function describe({ description, anyOf, title }: Schema): string | undefined {
  if (title) return undefined;
  return description ?? anyOf?.map(one => one.description).find(Boolean);
}

function comment(text: string): string {
  return `/** ${text.replaceAll('*/', '* /')} */`;
}

function arrayOf(type: string): string {
  return / \| /.test(type) && !type.startsWith('{') ? `(${type})[]` : `${type}[]`;
}

function pascal(title: string): string {
  return title.replace(/(?:^|\s)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
