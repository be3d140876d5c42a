/** The openramp protocol as JSON Schema: everything that is sent and answered; `docs/openramp.md` says what it means. */
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { FILE_TYPES } from '../../domain/step.ts';

/** The version that this is. */
export const VERSION = '1';

export const STATUSES = [
  'new',
  'pending',
  'paid',
  'completed',
  'failed',
  'canceled',
  'expired',
  'refunded',
] as const;

/** Every refusal has one of these codes; the status it comes with, and whose matter it is. */
export const CODES = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  unknown_order: 404,
  unknown_step: 404,
  conflict: 409,
  file_too_large: 413,
  file_type: 415,
  limit: 422,
  pair: 422,
  method: 422,
  country: 422,
  wallet: 422,
  refused: 422,
  too_many_requests: 429,
  unavailable: 503,
} as const;

export type Code = keyof typeof CODES;

const DOCUMENTS = [
  'email',
  'phone',
  'identity',
  'address',
  'selfie',
  'passport',
  'driverLicense',
  'nationalIdentityCard',
  'residenceCard',
  'proofOfAddress',
  'bankAccount',
] as const;

const Decimal = Type.String({
  pattern: '^(0|[1-9][0-9]{0,20})(\\.[0-9]{1,18})?$',
  description: 'A decimal number as text: digits and at most one dot',
});
const Moment = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$',
  description: 'A moment in UTC: 2026-01-31T12:00:00Z',
});
const Url = Type.String({ pattern: '^https?://[^\\s"<>]+$', maxLength: 2000 });
const Word = Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,100}$' });
const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' });
const Line = Type.String({ minLength: 1, maxLength: 200 });
const Paragraph = Type.String({ minLength: 1, maxLength: 1000 });
const FiatCode = Type.String({ pattern: '^[A-Z]{3}$' });
const Country = Type.String({ pattern: '^[A-Z]{2}$' });
const Region = Type.String({ pattern: '^[A-Z]{2}(-[A-Z0-9]{1,3})?$' });
const Side = Type.Enum(['buy', 'sell']);

const Document = Type.Enum([...DOCUMENTS]);
const Requirement = Type.Union([Document, Type.Array(Document, { minItems: 1, maxItems: 10 })]);
const Requirements = Type.Array(Requirement, { maxItems: 20 });

const Bounds = { min: Type.Optional(Decimal), max: Type.Optional(Decimal) };

const ListedAsset = open({
  asset: Word,
  ticker: Type.Optional(Word),
  network: Type.Optional(Word),
  contract: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  ...Bounds,
  notIn: Type.Optional(Type.Array(Region, { maxItems: 400 })),
});

const ListedMethod = open({
  method: Word,
  ...Bounds,
  onlyIn: Type.Optional(Type.Array(Country, { maxItems: 400 })),
});

const Listing = open({
  side: Side,
  countries: Type.Optional(Type.Array(Country, { maxItems: 400 })),
  assets: Type.Array(ListedAsset, { maxItems: 5000 }),
  fiats: Type.Array(open({ fiat: FiatCode, methods: Type.Array(ListedMethod, { maxItems: 100 }) }), {
    maxItems: 200,
  }),
});

const Tier = open({
  upTo: Type.Optional(Type.Record(FiatCode, Decimal)),
  asks: Requirements,
});

export const Catalog = open({
  openramp: Type.Literal(VERSION),
  name: Type.Optional(Line),
  listings: Type.Array(Listing, { maxItems: 200 }),
  asks: Type.Optional(Type.Array(Tier, { minItems: 1, maxItems: 10 })),
});

/** What a quote and an order are about. */
const TERMS = {
  side: Side,
  asset: Word,
  network: Word,
  fiat: FiatCode,
  method: Word,
  country: Country,
  amount: Decimal,
};

export const QuoteRequest = open(TERMS);

export const Quote = open({
  asset: Word,
  fiat: FiatCode,
  pays: Decimal,
  gets: Decimal,
  networkFee: Decimal,
  providerFee: Decimal,
  validUntil: Type.Optional(Moment),
  asks: Requirements,
});

const Wallet = open({
  address: Type.String({ minLength: 1, maxLength: 200 }),
  memo: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
});

export const OrderRequest = open({
  reference: Id,
  ...TERMS,
  wallet: Type.Optional(Wallet),
  email: Type.Optional(Line),
  returnUrl: Url,
  webhookUrl: Url,
  theme: open({ dark: Type.Boolean(), color: Type.Optional(Line) }),
  steps: Type.Boolean(),
});

const TOLD = {
  title: Type.Optional(Line),
  humanName: Type.Optional(Line),
  description: Type.Optional(Paragraph),
  progress: Type.Optional(
    Type.String({ pattern: '^(100|[1-9]?[0-9])$', description: 'How far the order has come, in percent' }),
  ),
};

const ASKED = {
  name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,59}$' }),
  humanName: Line,
  hint: Type.Optional(Paragraph),
  required: Type.Optional(Type.Boolean()),
};

const Field = Type.Union([
  open({ type: Type.Enum(['string', 'integer']), ...ASKED }),
  open({ type: Type.Literal('date'), ...ASKED }),
  open({
    type: Type.Literal('select'),
    ...ASKED,
    options: Type.Array(open({ value: Line, humanName: Line }), { minItems: 1, maxItems: 400 }),
  }),
  open({ type: Type.Literal('choice'), ...ASKED, options: Type.Array(Line, { minItems: 1, maxItems: 400 }) }),
  open({
    type: Type.Literal('boolean'),
    ...ASKED,
    terms: Type.Array(open({ url: Url, humanName: Line }), { maxItems: 10 }),
  }),
]);

const FormStep = open({
  type: Type.Literal('form'),
  key: Id,
  ...TOLD,
  data: Type.Array(Field, { minItems: 1, maxItems: 40 }),
});
const FileStep = open({
  type: Type.Literal('file'),
  key: Id,
  ...TOLD,
  humanName: Line,
  hint: Type.Optional(Paragraph),
  acceptedContentTypes: Type.Array(Type.Enum([...FILE_TYPES]), { minItems: 1, maxItems: 3 }),
});
const PageStep = open({ type: Type.Enum(['iframe', 'redirect']), key: Id, ...TOLD, url: Url });
const PickStep = open({
  type: Type.Literal('pickOne'),
  ...TOLD,
  options: Type.Array(
    open({
      title: Line,
      description: Type.Optional(Paragraph),
      nextStep: Type.Union([FormStep, FileStep, PageStep]),
    }),
    { minItems: 1, maxItems: 20 },
  ),
});
const WaitStep = open({ type: Type.Literal('wait'), ...TOLD, message: Paragraph });

const BankAccount = open({
  iban: Type.String({ pattern: '^[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}$' }),
  bic: Type.String({ pattern: '^[A-Z0-9]{8}([A-Z0-9]{3})?$' }),
  bankName: Line,
  bankAddress: Line,
  accountName: Line,
  accountAddress: Line,
});
const BANK = { depositBankAccount: BankAccount, reference: Line, hint: Paragraph };
const BankStep = open({ type: Type.Literal('requestBankTransaction'), ...TOLD, ...BANK });
const DoneStep = open({ type: Type.Literal('completed'), ...TOLD });

export const Step = Type.Union([FormStep, FileStep, PickStep, PageStep, WaitStep, BankStep, DoneStep]);

export const Order = open({
  id: Id,
  reference: Id,
  status: Type.Enum([...STATUSES]),
  at: Moment,
  reason: Type.Optional(Line),
  page: Url,
  paid: Type.Optional(Decimal),
  received: Type.Optional(Decimal),
  hash: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  deposit: Type.Optional(
    open({
      address: Type.String({ minLength: 1, maxLength: 200 }),
      memo: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      amount: Type.Optional(Decimal),
    }),
  ),
  bank: Type.Optional(open(BANK)),
  step: Type.Optional(Step),
  wrong: Type.Optional(open({ message: Paragraph, field: Type.Optional(ASKED.name) })),
});

export const StepAnswers = open({
  answers: Type.Record(ASKED.name, Type.Union([Type.String({ maxLength: 1000 }), Type.Literal(true)])),
});

export const Refusal = open({
  error: open({
    code: Type.Enum(Object.keys(CODES) as Code[]),
    message: Paragraph,
    field: Type.Optional(Line),
    ...Bounds,
  }),
});

export const Event = open({ type: Line, timestamp: Moment, data: Type.Unknown() });
const OrderEvent = open({ type: Type.Literal('order.updated'), timestamp: Moment, data: Order });

/** As it is written out to `docs/openramp.schema.json`: every part by its name. */
export function writeSchema(): string {
  const named = Object.entries(PARTS);
  const texts = new Map(named.map(([name, part]) => [JSON.stringify(part), name]));
  const refer = (value: unknown, isTop = false): unknown => {
    const name = isTop ? undefined : texts.get(JSON.stringify(value));
    if (name !== undefined) return { $ref: `#/$defs/${name}` };
    if (Array.isArray(value)) return value.map(one => refer(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, refer(one)]));
  };
  const $defs = Object.fromEntries(named.map(([name, part]) => [name, refer(part, true)]));
  const head = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `openramp, version ${VERSION}`,
  };
  return `${JSON.stringify({ ...head, $defs }, undefined, 2)}\n`;
}

const PARTS: Readonly<Record<string, TSchema>> = {
  ...{ Catalog, Listing, ListedAsset, ListedMethod, Tier, Requirements, Requirement, Document },
  ...{ QuoteRequest, Quote, OrderRequest, Order, StepAnswers, Refusal, OrderEvent },
  ...{ Step, FormStep, FileStep, PickStep, PageStep, WaitStep, BankStep, DoneStep, Field, BankAccount },
  ...{ Wallet, Decimal, Moment, Url, Word, Id, FiatCode, Country, Region },
};

/** What is not named may stand beside it, and is not read. */
function open<T extends TProperties>(properties: T): TObject<T> {
  return Type.Object(properties);
}
