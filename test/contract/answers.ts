/** Answers held against the OpenAPI document the service serves, and against what no answer may hold. */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { currencies } from '../../src/main.ts';
import type { Reply } from '../service.ts';
import type { Get } from './world.ts';

export interface Operation {
  summary?: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema: Schema }> }>;
}

export interface Document {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

type Schema = Record<string, unknown>;

export interface Answers {
  document: Document;
  /** What is wrong with an answer of the documented path, to a GET by default; nothing when it is as documented. */
  flaws(path: string, reply: Reply, method?: string): string[];
}

export async function readAnswers(get: Get): Promise<Answers> {
  const document = (await get('/openapi.json')).body as Document;
  const compiled = new Map<string, ReturnType<typeof Compile>>();

  function validator(path: string, status: number, method: string) {
    const key = `${method} ${path} ${status}`;
    const known = compiled.get(key);
    if (known) return known;
    const responses = document.paths[path]?.[method]?.responses ?? {};
    const response = responses[status] ?? responses[`${Math.trunc(status / 100)}XX`];
    const schema = response?.content?.['application/json']?.schema;
    if (!schema) throw new Error(`${key} is not documented`);
    const made = Compile(closed(schema) as TSchema);
    compiled.set(key, made);
    return made;
  }

  return {
    document,
    flaws(path, { status, body, text }, method = 'get') {
      const check = validator(path, status, method);
      const wrong = check.Check(body)
        ? []
        : check.Errors(body).map(({ instancePath, message }) => `${instancePath} ${message}`);
      return [...wrong, ...noisyNumbers(text)];
    },
  };
}

/** The schema with every object that lists its fields closed to others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'properties' ? closedMembers(value) : closed(value),
    ]),
  );
  if (copy.properties && copy.additionalProperties === undefined) copy.additionalProperties = false;
  return copy;
}

function closedMembers(members: object): object {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, closed(member)]));
}

/** As many as the finest of all coins has. */
const MOST_PLACES = Math.max(...[...currencies.assets.values()].map(({ decimals }) => decimals));
const TOO_FINE = new RegExp(`\\.\\d{${MOST_PLACES + 1},}$`);

/** Numbers no exact decimal would be written as: exponents, more places than any coin has, a float's noise. */
export function noisyNumbers(json: string): string[] {
  const numbers = json.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.filter(
    number => /e/i.test(number) || TOO_FINE.test(number) || /\.\d*(0{10,}|9{10,})[0-9]{1,2}$/.test(number),
  );
}

/** The members of every entry, sorted; more than one means the entries differ. */
export function shapesOf(entries: readonly object[]): string[] {
  return [...new Set(entries.map(entry => Object.keys(entry).sort().join(' ')))];
}

/** Field names in the order `shapesOf` gives them. */
export function shape(fields: string): string {
  return fields.split(/\s+/).sort().join(' ');
}
