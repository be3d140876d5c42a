/** Health of providers: who is left alone, for how long, and how they come back. The tests follow one another in one world. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderPlan } from '../../src/app/lines.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { registry } from '../../src/providers/registry.ts';
import { eventually } from './patience.ts';
import { MERCURYO, MOONPAY, PROVIDERS, startInstance, startWorld, TRANSAK, type World } from './world.ts';

/** Long enough for everyone who is well, on a machine that has other things to do. */
const DEADLINE_MS = 3_000;
/** Seldom enough for what the service allows itself to ask of each provider. */
const CALMLY = { longestMs: 20_000, everyMs: 400 };

let world: World;
let amount = 100;

beforeAll(async () => {
  world = await startWorld({ QUOTE_DEADLINE_MS: String(DEADLINE_MS) }, { only: PROVIDERS });
});
afterAll(() => world?.close());

interface Element {
  ramp: string;
  payout?: number;
  errors?: { type: string; errorId: number }[];
}

/** Who prices a buy nobody asked for before, and how long that took. */
async function ask(): Promise<{ ms: number; priced: string[]; elements: Element[] }> {
  const began = performance.now();
  const reply = await world.get(`/quotes/eur/btc?amount=${++amount}&country=de&errors=all`);
  expect(reply.status).toBe(200);
  const elements: Element[] = reply.body;
  const priced = elements.filter(({ errors }) => !errors).map(({ ramp }) => ramp);
  return { ms: performance.now() - began, priced: priced.sort(), elements };
}

async function breaker(provider: string, state: string): Promise<boolean> {
  const { text } = await world.get('/metrics');
  return text.includes(
    `cloverleaf_provider_breaker{provider="${provider}",environment="test",state="${state}"} 1`,
  );
}

test('200 without the provider that answered 429, which is asked again only when Retry-After has passed', async () => {
  const seconds = 4;
  world.gate.answer(MOONPAY, {
    part: '/buy_quote',
    status: 429,
    headers: { 'retry-after': String(seconds) },
    body: '{}',
  });
  expect((await ask()).priced).toEqual(['mercuryo', 'transak']);
  const limited = world.gate.calls(MOONPAY).at(-1);
  const calls = world.gate.calls(MOONPAY).length;
  world.gate.answer(MOONPAY, undefined);
  expect((await ask()).priced).toEqual(['mercuryo', 'transak']);
  expect(world.gate.calls(MOONPAY).length).toBe(calls);
  await eventually(async () => (await ask()).priced.includes('moonpay'), 'it is asked again', CALMLY);
  const next = world.gate.calls(MOONPAY)[calls];
  expect((next?.at ?? 0) - (limited?.at ?? 0)).toBeGreaterThanOrEqual(seconds * 1000 - 50);
});

test('200 makes no call at all to a provider inside its Retry-After of 30 s, not for its catalog either', async () => {
  world.sandbox.fault(TRANSAK, { kind: 'limited', ms: 0 });
  expect((await ask()).priced).toEqual(['mercuryo', 'moonpay']);
  const calls = world.gate.calls(TRANSAK).length;
  for (let time = 0; time < 3; time++) expect((await ask()).priced).not.toContain('transak');
  expect(world.gate.calls(TRANSAK).length).toBe(calls);

  const due = new Date();
  await sql`update tasks set due_at = ${due} where key = 'transak:test'`.execute(world.database);
  await eventually(async () => {
    const task = await world.database
      .selectFrom('tasks')
      .select('due_at')
      .where('key', '=', 'transak:test')
      .executeTakeFirstOrThrow();
    return task.due_at > due;
  }, 'the refresh was put off or done');
  expect(
    world.gate
      .calls(TRANSAK)
      .slice(calls)
      .map(({ path }) => path),
  ).toEqual([]);
});

test('200 without a provider that refuses our credentials; its breaker opens at once and the operator is told', async () => {
  world.sandbox.fault(MERCURYO, { kind: 'unauthorized', ms: 0 });
  expect((await ask()).priced).toEqual(['moonpay']);
  expect(await breaker('mercuryo', 'open')).toBe(true);
  const calls = world.gate.calls(MERCURYO).length;
  expect((await ask()).priced).toEqual(['moonpay']);
  expect(world.gate.calls(MERCURYO).length).toBe(calls);
  const alarm = world
    .logged()
    .split('\n')
    .find(line => line.includes('"provider":"mercuryo"') && line.includes('"level":50'));
  expect(alarm).toBeDefined();
});

test('200 at once after a provider hung five times, with one element per provider when none is left', async () => {
  expect(await breaker('moonpay', 'closed')).toBe(true);
  world.sandbox.fault(MOONPAY, { kind: 'hang', ms: 0 });
  const waited = await Promise.all(Array.from({ length: 5 }, ask));
  expect(Math.max(...waited.map(({ ms }) => ms))).toBeGreaterThan(DEADLINE_MS - 100);
  expect(await breaker('moonpay', 'open')).toBe(true);
  const answers = [await ask(), await ask(), await ask()];
  // Of three, not all can have been held up by a machine that is busy with something else.
  expect(Math.min(...answers.map(({ ms }) => ms))).toBeLessThan(DEADLINE_MS / 5);
  for (const { priced, elements } of answers) {
    expect(priced).toEqual([]);
    expect(elements.map(({ ramp }) => ramp).sort()).toEqual(PROVIDERS);
    expect(elements.map(({ errors }) => errors?.[0]?.errorId)).toEqual([6200, 6200, 6200]);
  }
});

test('200 has the provider back after it recovered, found by a probe nobody waits for', async () => {
  world.sandbox.fault(MOONPAY, { kind: 'none', ms: 0 });
  const quotesAsked = () =>
    world.gate.calls(MOONPAY).filter(({ path }) => path.includes('/buy_quote')).length;
  const before = quotesAsked();
  await eventually(async () => (await ask()).priced.includes('moonpay'), 'the breaker closes again', CALMLY);
  // One was the probe: whoever had waited for that would have been told a price after a single call.
  expect(quotesAsked() - before).toBeGreaterThan(1);
  expect(await breaker('moonpay', 'closed')).toBe(true);
});

/** MoonPay under another name, which allows so many requests and no more for hours. */
function meteredPlan(burst: number): ProviderPlan {
  const found = registry.find(({ adapter }) => adapter.manifest.id === MOONPAY);
  if (!found) throw new Error('MoonPay is gone');
  const { adapter, standin } = found;
  const { hosts, settings } = adapter.manifest;
  const manifest = {
    ...adapter.manifest,
    id: 'metered' as ProviderId,
    hosts: Object.fromEntries(
      Object.keys(hosts).map(name => [name, { live: '{no}', test: `${world.gate.url}/moonpay/${name}` }]),
    ),
    settings: settings.map(one => ({ ...one, required: false, fallback: standin.settings[one.name] ?? '' })),
    limits: { perSecond: 0.0001, burst, connections: 8 },
  };
  return { adapter: { ...adapter, manifest }, standinSettings: undefined };
}

test('200 without a provider that allows no more requests: it is not called, the reason is told, and it is counted', async () => {
  const { databaseUrl, gate } = world;
  const alone = await startInstance({ databaseUrl, sandboxUrl: gate.url, plans: [meteredPlan(12)] });
  try {
    const quote = async () => {
      const { body } = await alone.get(`/quotes/eur/btc?amount=${++amount}&country=de&errors=all`);
      return (body as Element[]).find(({ ramp }) => ramp === 'metered');
    };
    await eventually(async () => (await quote())?.payout !== undefined, 'its listing is there');
    await eventually(async () => (await quote())?.errors !== undefined, 'it allows no more');
    const calls = gate.calls(MOONPAY).length;
    expect(await quote()).toMatchObject({
      errors: [{ type: 'ProviderUnavailable', errorId: 6200, message: 'The provider is busy at the moment' }],
    });
    expect(gate.calls(MOONPAY).length).toBe(calls);
    const { text } = await alone.get('/metrics');
    expect(text).toMatch(
      /^cloverleaf_provider_withheld_total\{provider="metered",environment="test"\} [1-9]/m,
    );
    expect(text).toMatch(/^cloverleaf_provider_outcomes_total\{provider="metered",outcome="busy"\} [1-9]/m);
  } finally {
    await alone.close();
  }
});
