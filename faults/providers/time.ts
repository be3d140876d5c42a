/** Time: providers that are slow, or that let their answers drip (F1, F7). */
import { setTimeout as wait } from 'node:timers/promises';
import { DEADLINE_MS } from '../../bench/wire.ts';
import { say } from '../report.ts';
import { CLONES } from './cast.ts';
import { type Findings, judge, together } from './findings.ts';
import { type Fate, fateOf, isStruck, NOBODY, wingOf } from './orders.ts';
import { ask, excessOf, hasQuote, inWing, milliseconds, type Scene, settle, slackOf } from './scene.ts';

const CONNECTIONS = 32;
const REQUESTS = 10_000;
const DRIPPING_REQUESTS = 2_000;
/** The limit is asked less often: it is there to show what the machine allows. */
const LIMIT_SHARE = 0.25;
/** Rare enough that a breaker stays closed: what is tested here is the deadline. */
const SHARE = 0.3;
/** Until the house has noticed every close. */
const NOTICE_MS = 300;

interface Trial {
  fault: string;
  what: string;
  fate: Fate;
  providers: readonly string[];
  requests: number;
}

export async function tryTime(scene: Scene): Promise<Findings> {
  const scale = scene.small ? 0.02 : 1;
  const trials: Trial[] = [
    {
      fault: 'F1',
      what: 'a provider slower than the deadline',
      fate: { kind: 'slow', ms: DEADLINE_MS * 10, share: SHARE },
      providers: CLONES.slice(0, 1),
      requests: REQUESTS * scale,
    },
    {
      fault: 'F7',
      what: 'three that let a byte drip every 50 ms',
      fate: { kind: 'drip', share: SHARE },
      providers: CLONES.slice(0, 3),
      requests: DRIPPING_REQUESTS * scale,
    },
  ];
  await scene.order({ pace: { median: 5, sigma: 0.5 }, fates: {} });
  // In the wing they are counted apart from what the limit asks.
  const site = await scene.start({ who: 'clones', elsewhere: inWing(scene, CLONES.slice(0, 3)) });
  await settle(site);
  // What is compiled and connected only once is not what is measured.
  await ask(site.url, { connections: CONNECTIONS, requests: scene.small ? 150 : 1_000 });
  const found: Findings[] = [];
  for (const trial of trials) found.push(await tryOne(scene, site.url, trial));
  await site.end();
  return together(found);
}

async function tryOne(scene: Scene, url: string, trial: Trial): Promise<Findings> {
  const { fault, what, fate, providers, requests } = trial;
  say(`${fault}: ${what}`);
  const fates = fateOf([...providers, ...providers.map(wingOf)], fate);
  await scene.order({ fates, recount: true });
  // At the same time, so that both see the same machine.
  const [samples, limit] = await Promise.all([
    ask(url, { connections: CONNECTIONS, requests }),
    ask(scene.limitUrl, { connections: CONNECTIONS * LIMIT_SHARE, requests: requests * LIMIT_SHARE }),
  ]);
  await wait(NOTICE_MS);
  const { tallies, tardy } = await scene.order({ fates: {}, recount: true });

  const slack = slackOf(limit);
  const struck = samples.filter(({ cents }) => isStruck(fate, cents));
  const late = samples.filter(({ ms }) => ms > DEADLINE_MS + slack);
  const refused = samples.filter(({ reply }) => reply.status !== 200);
  const others = CLONES.filter(name => !providers.includes(name));
  const poor = samples.filter(
    ({ reply, cents }) => !tardy.includes(cents) && others.some(name => !hasQuote(reply, name)),
  );
  const shown = struck.filter(({ reply }) => providers.some(name => hasQuote(reply, name)));
  const of = (name: string) => tallies[wingOf(name)] ?? NOBODY;
  const calls = providers.reduce((sum, name) => sum + of(name).struck, 0);
  const cut = providers.reduce((sum, name) => sum + of(name).cut, 0);
  return judge(
    {
      fault,
      what: `${what}: ${requests.toLocaleString('en')} requests; slow calls, all to be cut`,
      count: calls,
      worst: `answered ${milliseconds(excessOf(samples))} after the deadline (limit ${milliseconds(excessOf(limit))}); ${cut.toLocaleString('en')} of ${calls.toLocaleString('en')} calls cut`,
    },
    [
      [`answers later than the deadline and ${slack.toFixed(0)} ms`, late.length],
      ['answers are not 200', refused.length],
      ['answers lack a quote of somebody who was quick', poor.length],
      ['answers have a quote of somebody who was slow', shown.length],
      ['slow calls were not cut', calls - cut],
    ],
  );
}
