/** Refusals: providers that fail, want to be left alone, or refuse our credentials (F3). */
import { setTimeout as wait } from 'node:timers/promises';
import { say } from '../report.ts';
import { CLONES } from './cast.ts';
import { type Findings, judge, together } from './findings.ts';
import { type Fate, type HouseReport, NOBODY } from './orders.ts';
import { ask, type Gist, hasQuote, type Scene, type Site, settle } from './scene.ts';

const STATUSES = [500, 502, 503, 400, 404, 422];
const UNAUTHORIZED = [401, 403];
const LIMITED = 2;
const QUIET_SECONDS = 2;
/** A breaker has seen enough of a provider that only fails; and so many probes fit into the time. */
const MOST_FAILURES = 5;
const MOST_PROBES = 4;
const ALARM = 'the provider refuses our credentials';

/** Who does what. */
const FAILING = CLONES.slice(0, STATUSES.length);
const REFUSING = CLONES.slice(STATUSES.length, STATUSES.length + UNAUTHORIZED.length);
const BUSY = CLONES.slice(-LIMITED);

export async function tryRefusals(scene: Scene): Promise<Findings> {
  say('F3: providers refuse');
  await scene.order({ pace: { median: 5, sigma: 0 }, fates: {} });
  const site = await scene.start({ who: 'clones' });
  await settle(site);
  await scene.order({ fates: fatesOf(), recount: true });
  const samples = await askFor(site, scene.small ? 4_500 : 20_000);
  const { tallies } = await scene.order({ fates: {}, recount: true });
  const breakers = await (await fetch(`${site.url}/metrics`)).text();
  const log = site.log();
  await site.end();
  const isOpen = (name: string) => breakers.includes(`provider="${name}",environment="test",state="open"} 1`);
  const isTold = (name: string) =>
    log.split('\n').some(line => line.includes(`"${name}"`) && line.includes(ALARM));
  return together([
    assessFailing(tallies, samples),
    assessBusy(tallies, samples.length),
    assessRefusing(tallies, { open: REFUSING.filter(isOpen).length, told: REFUSING.filter(isTold).length }),
  ]);
}

function fatesOf(): Record<string, Fate> {
  const fates: Record<string, Fate> = {};
  for (const [at, status] of [...STATUSES, ...UNAUTHORIZED].entries())
    fates[CLONES[at] as string] = { kind: 'status', status };
  for (const [at, name] of BUSY.entries())
    fates[name] = { kind: 'limited', seconds: QUIET_SECONDS, asDate: at % 2 === 1 };
  return fates;
}

/** One after the other, so that nobody has asked already when a provider says that it wants to be left alone. */
async function askFor({ url }: Site, forMs: number): Promise<Gist[]> {
  const until = performance.now() + forMs;
  const replies: Gist[] = [];
  while (performance.now() < until) {
    replies.push(...(await ask(url, { requests: 1 })).map(({ reply }) => reply));
    await wait(10);
  }
  return replies;
}

type Tallies = HouseReport['tallies'];

function sum(
  tallies: Tallies,
  names: readonly string[],
  key: 'calls' | 'repeats' | 'limits' | 'inside',
): number {
  return names.reduce((total, name) => total + (tallies[name] ?? NOBODY)[key], 0);
}

function assessFailing(tallies: Tallies, replies: readonly Gist[]): Findings {
  // What is below 500 may be an answer to the question, and no failing.
  const broken = FAILING.filter((_, at) => (STATUSES[at] ?? 0) >= 500);
  const calls = sum(tallies, FAILING, 'calls');
  const repeats = sum(tallies, FAILING, 'repeats');
  const never = [...FAILING, ...REFUSING];
  return judge(
    {
      fault: 'F3',
      what: `${STATUSES.join(', ')}: calls, one for each question`,
      count: calls,
      worst: `${repeats} asked again; ${calls.toLocaleString('en')} calls in ${replies.length.toLocaleString('en')} requests`,
    },
    [
      ['questions were asked again', repeats],
      [
        'calls beyond what opens a breaker',
        broken.reduce(
          (total, name) => total + Math.max(0, sum(tallies, [name], 'calls') - MOST_FAILURES - MOST_PROBES),
          0,
        ),
      ],
      ['answers of ours are not 200', replies.filter(({ status }) => status !== 200).length],
      [
        'quotes of those who refused',
        replies.filter(reply => never.some(name => hasQuote(reply, name))).length,
      ],
    ],
  );
}

function assessBusy(tallies: Tallies, requests: number): Findings {
  const [said, inside] = [sum(tallies, BUSY, 'limits'), sum(tallies, BUSY, 'inside')];
  return judge(
    {
      fault: 'F3',
      what: '429 with Retry-After, as seconds and as a date: times it was said',
      count: said,
      worst: `${inside} calls inside, of ${requests.toLocaleString('en')} requests`,
    },
    [
      ['calls inside Retry-After', inside],
      ['providers that were not asked again later', said > LIMITED ? 0 : 1],
    ],
  );
}

function assessRefusing(tallies: Tallies, { open, told }: { open: number; told: number }): Findings {
  const calls = sum(tallies, REFUSING, 'calls');
  return judge(
    {
      fault: 'F3',
      what: '401 and 403: calls, one until the breaker is open',
      count: calls,
      worst: `${told} of ${REFUSING.length} told to the operator, ${open} breakers open`,
    },
    [
      ['calls after the refusal', calls - REFUSING.length],
      ['refusals that no operator was told of', REFUSING.length - told],
      ['breakers that are not open', REFUSING.length - open],
    ],
  );
}
