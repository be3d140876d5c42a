/** Rates: what every gateway says to one wish on the earlier surface. Prices stand still, so they can be compared. */
import { afterAll, beforeAll, expect } from 'vitest';
import { parseJson } from '../../src/domain/json.ts';
import type { Reply } from '../service.ts';
import { type Answers, readAnswers } from './answers.ts';
import { PROVIDERS, startWorld, type World } from './world.ts';

const DEADLINE_MS = 2_000;
const RATE = '/legacy/rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}';
export const ADDRESS = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';

export let world: World;
export let answers: Answers;
/** Of an account with a few providers that have been here for long. */
export let key: string;

/** Begins a file with a world of all gateways. */
export function setRates(): void {
  beforeAll(async () => {
    world = await startWorld({ QUOTE_DEADLINE_MS: String(DEADLINE_MS) });
    answers = await readAnswers(world.get);
    key = (await world.newAccount({ providers: PROVIDERS })).publicKey;
  });
  afterAll(() => world?.close());
}

interface Entry {
  identifier: string;
  available: boolean;
  duration: { seconds: number; message: string };
  rate: number;
  fees: number;
  receivedCrypto: number;
  requiredKYC: (string | string[])[];
  nextStep: { type: string; url: string; data: { name: string }[] };
  error: { type: string; message: string; limit: number };
  icon?: string;
}

export async function ask(
  path: string,
  headers: Record<string, string> = { authorization: key },
): Promise<Reply> {
  const reply = await world.get(`/legacy/rate/${path}`, headers);
  expect([path, reply.status]).toEqual([path, 200]);
  expect([path, answers.flaws(RATE, reply)]).toEqual([path, []]);
  return reply;
}

export const entries = async (path: string): Promise<Entry[]> => (await ask(path)).body;
/** An entry with every number as it was written. */
export const exact = ({ text }: Reply) => parseJson(text) as Record<keyof Entry, string>[];
export const firstOf = async (path: string): Promise<Entry> => {
  const [entry] = await entries(path);
  if (!entry) expect.fail(`no entry for ${path}`);
  return entry;
};
export const names = (list: readonly { identifier: string }[]) =>
  list.map(({ identifier }) => identifier).sort();
