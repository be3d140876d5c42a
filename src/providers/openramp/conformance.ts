/** Conformance: whether a ramp does what the openramp protocol says, asked over whatever line it is reached by. */
import { type Amount, readDecimal } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { BadAnswer } from '../exchange.ts';
import type { Code } from './schema.ts';
import { CODES } from './schema.ts';
import * as wire from './wire.ts';

/** A ramp that can be asked. */
export interface Ramp {
  send(asked: Asked): Promise<Answered>;
  /** A new reference, unlike any before. */
  reference(): string;
  /** Waits for a webhook about a reference; why there was none that can be believed. Absent when nobody listens. */
  hears?(reference: string): Promise<string | undefined>;
}

export interface Asked {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  body?: unknown;
  file?: { type: string; bytes: Uint8Array };
  /** The ramp's key unless another is told; none when it is empty. */
  key?: string;
  /** The present one unless told otherwise. */
  version?: string;
}

export interface Answered {
  status: number;
  /** Parsed JSON, every number as its own text; undefined when it is not. */
  body: unknown;
  milliseconds: number;
}

export interface Finding {
  what: string;
  /** Why it is not as it must be; absent when it is. */
  why?: string | undefined;
}

export interface ConformanceOptions {
  /** Where pages must live. */
  pagesUrl: string;
  /** Where webhooks go. */
  webhookUrl: string;
  /** Where coins would go, for the asset that is chosen; without it an address of ours is used. */
  wallet?: string | undefined;
  /** What to answer to forms, by the key of the step; a step whose answers are not told ends the walk. */
  answers: Readonly<Record<string, Readonly<Record<string, string | true>>>>;
}

/** What all checks see, and what earlier ones have found out for later ones. */
export interface Scene {
  ramp: Ramp;
  options: ConformanceOptions;
  /** What is bought in every check. */
  deal?: Deal;
  /** An order that was made, and what it was made with. */
  made?: { order: wire.Order; body: OrderBody };
}

export interface Deal {
  side: Side;
  asset: string;
  network: string;
  fiat: string;
  method: string;
  country: string;
  min: Amount | undefined;
  max: Amount | undefined;
  wallet: string;
}

export type OrderBody = Readonly<Record<string, unknown>> & { reference: string };

/** One thing that must be so; throws `Failure` when it is not. What it resolves with is said beside. */
export interface Check {
  what: string;
  look(scene: Scene): Promise<string | undefined>;
}

/** Thrown by a check: what is not as it must be. */
export class Failure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Failure';
  }
}

/** Makes every check in turn and tells of each; whether all of them hold. */
export async function checkRamp(
  checks: readonly Check[],
  scene: Scene,
  tell: (finding: Finding) => void,
): Promise<boolean> {
  let holds = true;
  for (const { what, look } of checks) {
    const finding = await find(what, () => look(scene));
    if (finding.why !== undefined) holds = false;
    tell(finding);
  }
  return holds;
}

async function find(what: string, look: () => Promise<string | undefined>): Promise<Finding> {
  try {
    const more = await look();
    return { what: more === undefined ? what : `${what} (${more})` };
  } catch (error) {
    return { what, why: (error as Error).message };
  }
}

/** Reads an answer that must be a good one. */
export function good<T>({ status, body }: Answered, read: (body: unknown) => T): T {
  if (status !== 200 && status !== 201) throw new Failure(`answered ${status}${saying(body)}`);
  try {
    return read(body ?? null);
  } catch (error) {
    if (error instanceof BadAnswer) throw new Failure(`the answer is not as documented: ${error.message}`);
    throw error;
  }
}

/** Reads a refusal that must have this code, and its status. */
export function refused(answered: Answered, code: Code): ReturnType<typeof wire.readRefusal>['error'] {
  const { status, body } = answered;
  if (status !== CODES[code])
    throw new Failure(`answered ${status}${saying(body)} instead of ${CODES[code]} ${code}`);
  const { error } = good({ ...answered, status: 200 }, wire.readRefusal);
  if (error.code !== code) throw new Failure(`the code is ${error.code} instead of ${code}`);
  return error;
}

function saying(body: unknown): string {
  const message = (body as { error?: { message?: unknown } } | undefined | null)?.error?.message;
  return typeof message === 'string' ? ` (${message.slice(0, 200)})` : '';
}

/** What an earlier check had to find. */
export function needed<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Failure(`cannot be checked without ${what}`);
  return value;
}

export function sumOf(text: string): Amount {
  const sum = readDecimal(text);
  if (!sum) throw new Failure(`not a number: ${text.slice(0, 40)}`);
  return sum;
}
