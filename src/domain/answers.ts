/** Answers: what a person filled into a form, held against what the form asks; what is wrong is named, never repeated. */
import { badInput } from './fault.ts';
import { JsonNumber } from './json-strict.ts';
import type { Answers, DateField, Field } from './step.ts';

const LONGEST_TEXT = 1_000;

/**
 * Reads a body of strict JSON. Members that no field asks for are ignored; what is empty counts as absent. Throws
 * `badInput` that names the first field which is wrong.
 */
export function readAnswers(fields: readonly Field[], body: unknown): Answers {
  const answers: Record<string, string | true> = {};
  const members = membersOf(body);
  for (const field of fields) {
    const answer = readAnswer(field, members.get(field.name));
    if (answer !== undefined) answers[field.name] = answer;
  }
  return answers;
}

/** The members of a JSON object, by name; those that are null are not there. */
export function membersOf(body: unknown): ReadonlyMap<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof JsonNumber)
    throw badInput('body', 'body must be a JSON object');
  return new Map(Object.entries(body).filter(([, value]) => value !== null));
}

/** Whether a text has the form of an e-mail address. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && EMAIL.test(text);
}

/** Local part without blanks, quotes and brackets; then labels with a dot between them. */
const EMAIL =
  /^[^\s@"(),:;<>[\]\\\p{C}]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])$/u;

function readAnswer(field: Field, sent: unknown): string | true | undefined {
  if (isAbsent(field, sent)) {
    if (field.required === false) return undefined;
    throw wrong(field, field.type === 'boolean' ? 'must be agreed to' : 'is required');
  }
  switch (field.type) {
    case 'boolean':
      if (sent !== true) throw wrong(field, 'must be agreed to');
      return true;
    case 'date':
      return readDate(field, sent);
    case 'select':
      return readOption(
        field,
        sent,
        field.options.map(({ value }) => value),
      );
    case 'choice':
      return readOption(field, sent, field.options);
    default:
      return readText(field, sent);
  }
}

/** Clients that have no answer send an empty text, and for a state the name of what is missing. */
function isAbsent({ name, type, required }: Field, sent: unknown): boolean {
  if (sent === undefined || sent === '') return true;
  if (type === 'boolean') return sent === false && required === false;
  return name === 'state' && sent === 'undefined';
}

function readText(field: Field, sent: unknown): string {
  const text = textOf(sent);
  if (text === undefined) throw wrong(field, 'must be a text');
  if (text.length > LONGEST_TEXT) throw wrong(field, `is longer than ${LONGEST_TEXT} characters`);
  if (/\p{Cc}/u.test(text)) throw wrong(field, 'has characters that cannot be seen');
  if (field.type === 'integer' && !INTEGER.test(text)) throw wrong(field, 'must be a whole number');
  const form = FORMS.get(field.name);
  if (form && !form.allows(text)) throw wrong(field, form.otherwise);
  return text;
}

const INTEGER = /^\d{1,18}$/;

/** Names with a meaning, and the form that their answers have. */
const FORMS = new Map(
  Object.entries({
    email: { allows: isEmail, otherwise: 'is not an e-mail address' },
    verifyEmailCode: { allows: isCode, otherwise: 'must be the 6 digits that were sent' },
    verifyPhoneCode: { allows: isCode, otherwise: 'must be the 6 digits that were sent' },
  }),
);

function isCode(text: string): boolean {
  return /^\d{6}$/.test(text);
}

function readOption(field: Field, sent: unknown, options: readonly string[]): string {
  const text = textOf(sent);
  if (text === undefined || !options.includes(text)) throw wrong(field, 'must be one of the options');
  return text;
}

function readDate(field: DateField, sent: unknown): string {
  const parts = isParts(sent) ? [sent.year, sent.month, sent.day].map(textOf) : [];
  const [year = '', month = '', day = ''] = parts;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (!/^(19|20)\d\d-\d\d-\d\d$/.test(date) || !isReal(date))
    throw wrong(field, 'must be a date: year, month and day');
  return date;
}

function isParts(sent: unknown): sent is Record<'year' | 'month' | 'day', unknown> {
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent) && !(sent instanceof JsonNumber);
}

/** The thirtieth of February would become another day. */
function isReal(date: string): boolean {
  const at = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
}

/** Numbers as they were written. */
function textOf(sent: unknown): string | undefined {
  if (sent instanceof JsonNumber) return sent.text;
  return typeof sent === 'string' ? sent : undefined;
}

function wrong({ name, humanName }: Field, what: string) {
  return badInput(name, `${humanName} ${what}`);
}
