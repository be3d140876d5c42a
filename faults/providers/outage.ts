/** The outage: all providers are down at once (F10). */
import { setTimeout as wait } from 'node:timers/promises';
import { percentile } from '../../bench/figures.ts';
import { openConnection } from '../../bench/load.ts';
import { clientPath, DEADLINE_MS } from '../../bench/wire.ts';
import { nextCents, PROVIDERS } from '../../bench/world.ts';
import { checkoutLetter, openClient } from '../bed/client.ts';
import { findPort } from '../bed/processes.ts';
import { say } from '../report.ts';
import { CLONES } from './cast.ts';
import { type Findings, judge, together } from './findings.ts';
import { fateOf, wingOf } from './orders.ts';
import {
  arrive,
  ask,
  beside,
  excessOf,
  inWing,
  milliseconds,
  type Scene,
  type Site,
  settle,
  slackOf,
} from './scene.ts';

const PER_SECOND = 20;
const MOST_RATIO = 1.2;
const PASSES = 9;
const SMALL_PASSES = 3;
/** So many that the slowest hundredth is some hundred answers: of fewer, the p99 is chance. */
const SLICES = 64;
const SLICE = 200;
const CATALOGUE = '/supported';

export async function tryOutage(scene: Scene): Promise<Findings> {
  say('F10: all providers are down');
  const refusing = `http://127.0.0.1:${await findPort()}`;
  const third = (rest: number) => CLONES.filter((_, at) => at % 3 === rest);
  const [gone, broken, silent] = [third(0), third(1), third(2)];
  const fates = {
    ...fateOf(broken.map(wingOf), { kind: 'status', status: 500 }),
    ...fateOf(silent.map(wingOf), { kind: 'hang' }),
  };
  await scene.order({ pace: { median: 5, sigma: 0 }, fates: {} });
  const well = await scene.well();
  const down = await scene.start({
    who: 'clones',
    elsewhere: {
      ...Object.fromEntries(gone.map(name => [name, refusing])),
      ...inWing(scene, [...broken, ...silent]),
    },
  });
  await settle(down, broken.length + silent.length);
  await ask(down.url, { connections: 8, requests: scene.small ? 50 : 500 });
  const requests = PER_SECOND * (scene.small ? 3 : 20);
  const { result: samples, limit } = await beside(scene, { requests, fates }, () =>
    arrive(down.url, { perSecond: PER_SECOND, requests }),
  );
  const checkouts = await checkOutInVain(scene, down);
  const ratio = await compareCatalogues(scene, well, down);
  const isGone = well.isGone() || down.isGone();
  await down.end();
  await scene.order({ fates: {}, recount: true });

  const late = samples.filter(({ ms }) => ms > DEADLINE_MS + slackOf(limit));
  return together([
    judge(
      {
        fault: 'F10',
        what: 'all down: quotes, to be answered 200 with none',
        count: samples.length,
        worst: `${milliseconds(excessOf(samples))} after the deadline (limit ${milliseconds(excessOf(limit))})`,
      },
      [
        ['answers are not 200', samples.filter(({ reply }) => reply.status !== 200).length],
        ['answers have quotes', samples.filter(({ reply }) => reply.quoted.length > 0).length],
        ['answers are late', late.length],
        ['instances ended', isGone ? 1 : 0],
      ],
    ),
    judge(
      {
        fault: 'F10',
        what: 'all down: checkouts, to be answered 503 with Retry-After',
        count: checkouts.asked,
        worst: `slowest ${milliseconds(checkouts.slowest)}`,
      },
      checkouts.wrong.map(text => [text, 1]),
    ),
    judge(
      {
        fault: 'F10',
        what: 'all down: catalogue, p99 over that of an instance that is well',
        count: (scene.small ? SMALL_PASSES : PASSES) * SLICES * SLICE,
        worst: `${ratio.toFixed(2)} x`,
      },
      [[`the catalogue took ${ratio.toFixed(2)} times as long`, ratio > MOST_RATIO ? 1 : 0]],
    ),
  ]);
}

/** One checkout with each provider. */
async function checkOutInVain({ account }: Scene, { url }: Site) {
  const client = openClient(url, 4);
  const wrong: string[] = [];
  let slowest = 0;
  for (const provider of CLONES) {
    const began = performance.now();
    const letter = checkoutLetter(account, { provider, partnerContext: 'down' });
    const { status, headers, text } = await client.post('/checkout/intent', letter);
    slowest = Math.max(slowest, performance.now() - began);
    if (status !== 503 || !headers['retry-after'])
      wrong.push(`a checkout with ${provider} was answered ${status} ${text.slice(0, 120)}`);
  }
  await client.close();
  return { asked: CLONES.length, wrong, slowest };
}

/** The middle of several passes, which one hitch of the machine cannot decide; quotes are asked for all the while. */
async function compareCatalogues({ small }: Scene, well: Site, down: Site): Promise<number> {
  const asking = { now: true };
  const asked = [well, down].map(({ url }) => keepAsking(url, asking));
  const ratios: number[] = [];
  // One of the two has run for longer: a pass before they are compared makes them alike.
  await compareOnce(well, down);
  for (let pass = 0; pass < (small ? SMALL_PASSES : PASSES); pass++)
    ratios.push(await compareOnce(well, down));
  asking.now = false;
  await Promise.all(asked);
  return percentile(ratios, 50);
}

/** In slices that take turns, so that both see the same machine. */
async function compareOnce(well: Site, down: Site): Promise<number> {
  const times: Record<string, number[]> = { [well.url]: [], [down.url]: [] };
  for (let slice = 0; slice < SLICES; slice++) {
    for (const { url } of slice % 2 ? [well, down] : [down, well]) {
      const connection = openConnection(url);
      for (let at = 0; at < SLICE; at++) {
        const began = performance.now();
        const { status } = await connection.get(CATALOGUE);
        if (status !== 200) throw new Error(`the catalogue was answered ${status}`);
        times[url]?.push(performance.now() - began);
      }
      connection.close();
    }
  }
  return percentile(times[down.url] ?? [], 99) / percentile(times[well.url] ?? [], 99);
}

async function keepAsking(url: string, asking: { now: boolean }): Promise<void> {
  const connection = openConnection(url);
  while (asking.now) {
    await connection.get(clientPath(nextCents(), PROVIDERS));
    await wait(1_000 / PER_SECOND);
  }
  connection.close();
}
