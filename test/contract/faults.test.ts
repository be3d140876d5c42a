/** Provider faults: each costs that provider its quote and nothing else. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import { startTestService, type TestService } from '../service.ts';
import { type Answers, readAnswers } from './answers.ts';
import { MERCURYO, MOONPAY, PROVIDERS, TRANSAK } from './world.ts';

/** Long enough for everyone who is well, on a machine that has other things to do. */
const DEADLINE_MS = 3_000;
/** For such a machine as well. */
const SLACK_MS = 2_500;

let service: TestService;
let answers: Answers;
let amount = 100;

beforeAll(async () => {
  service = await startTestService({ QUOTE_DEADLINE_MS: String(DEADLINE_MS) }, { only: PROVIDERS });
  answers = await readAnswers(service.get);
});
afterAll(() => service?.close());

/** A quote nobody asked for before, so that no earlier answer serves. */
async function ask() {
  const began = performance.now();
  const reply = await service.get(`/quotes/eur/btc?amount=${++amount}&country=de&errors=all`);
  expect(reply.status).toBe(200);
  expect(answers.flaws('/quotes/{source}/{destination}', reply)).toEqual([]);
  const elements: { ramp: string; errors?: { type: string; errorId: number }[] }[] = reply.body;
  return {
    ms: performance.now() - began,
    priced: elements
      .filter(({ errors }) => !errors)
      .map(({ ramp }) => ramp)
      .sort(),
    failed: elements.filter(({ errors }) => errors),
  };
}

/** How often a provider had an outcome. */
async function counted(provider: string, outcome: string): Promise<number> {
  const { text } = await service.get('/metrics');
  const line = text.match(
    new RegExp(
      `^cloverleaf_provider_outcomes_total\\{provider="${provider}",outcome="${outcome}"\\} (\\d+)$`,
      'm',
    ),
  );
  return Number(line?.[1] ?? 0);
}

const FAULTS: [FaultKind, string, typeof MOONPAY][] = [
  ['slow', 'late', MOONPAY],
  ['error', 'status', TRANSAK],
  ['garbage', 'garbage', MERCURYO],
  ['truncated', 'garbage', MOONPAY],
  ['huge', 'tooLarge', TRANSAK],
  ['drip', 'late', MERCURYO],
  ['reset', 'reset', MOONPAY],
  ['lie', 'absurd', TRANSAK],
  ['hang', 'late', MERCURYO],
  // These two keep the provider out for longer, so they come last.
  ['limited', 'limited', TRANSAK],
  ['unauthorized', 'unauthorized', MERCURYO],
];
const LASTING = new Set<FaultKind>(['limited', 'unauthorized']);

for (const [kind, outcome, provider] of FAULTS) {
  test(`200 with the quotes of the others when ${provider} has the fault ${kind}`, async () => {
    const healthy = LASTING.has(kind) ? (await ask()).priced : PROVIDERS;
    const before = await counted(provider, outcome);
    service.sandbox.fault(provider, { kind, ms: DEADLINE_MS * 3 });
    try {
      const { ms, priced, failed } = await ask();
      expect(priced).toEqual(healthy.filter(name => name !== provider));
      expect(failed.find(({ ramp }) => ramp === provider)?.errors).toEqual([
        { type: 'ProviderUnavailable', errorId: 6200, message: expect.any(String) },
      ]);
      expect(ms).toBeLessThan(DEADLINE_MS + SLACK_MS);
      expect(await counted(provider, outcome)).toBe(before + 1);
    } finally {
      service.sandbox.fault(provider, { kind: 'none', ms: 0 });
    }
    if (!LASTING.has(kind)) expect((await ask()).priced).toEqual(PROVIDERS);
  });
}
