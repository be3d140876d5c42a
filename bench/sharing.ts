/** Bench Bii-e: how many provider calls equal quotes cause, at once and one after another. */
import { runBurst, runOpenLoop } from './load.ts';
import { USUAL_PACE } from './quotes.ts';
import type { Row } from './table.ts';
import { clientPath, countQuotes } from './wire.ts';
import { nextCents, PROVIDERS, type World } from './world.ts';

const AT_ONCE = 1_000;
const PER_SECOND = 100;
const DISTINCT = 20;

export async function benchSharing(world: World): Promise<Row[]> {
  const service = await world.shared('ours');
  await world.order({ pace: USUAL_PACE, faults: {}, recount: true });
  const replies = await runBurst(service.url, clientPath(nextCents(), PROVIDERS), AT_ONCE);
  const atOnce = total(await world.order({ recount: true }));
  const complete = replies.filter(reply => countQuotes(reply) === PROVIDERS).length;

  // Whole reuse windows of two seconds, so that the first questions do not weigh more than they should.
  const seconds = world.pacing.quick ? 4 : 10;
  const kinds = Array.from({ length: DISTINCT }, () => clientPath(nextCents(), PROVIDERS));
  const samples = await runOpenLoop({
    url: service.url,
    perSecond: PER_SECOND,
    requests: PER_SECOND * seconds,
    ask: (connection, at) => connection.get(kinds[at % DISTINCT] as string),
  });
  const inTurn = total(await world.order({ recount: true })) / seconds;
  const whole = samples.filter(({ reply }) => countQuotes(reply) === PROVIDERS).length;
  return [
    {
      bench: 'Bii-e',
      what: `${AT_ONCE} equal requests at once, provider calls over N (${complete} complete)`,
      ours: `${atOnce} calls`,
      baseline: `${AT_ONCE * PROVIDERS} calls unshared`,
      figure: atOnce / PROVIDERS,
      goal: { id: 'G6', most: 1, least: 1 },
    },
    {
      bench: 'Bii-e',
      what: `${PER_SECOND}/s over ${DISTINCT} quotes, calls/s over N (${whole} of ${samples.length} complete)`,
      ours: `${inTurn.toFixed(1)} calls/s`,
      baseline: `${PER_SECOND * PROVIDERS} calls/s unshared`,
      figure: inTurn / PROVIDERS,
      goal: { id: 'G6', most: 10 },
    },
  ];
}

function total({ calls }: { calls: readonly number[] }): number {
  return calls.reduce((sum, count) => sum + count, 0);
}
