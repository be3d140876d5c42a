/** Silence: providers that take every question and answer none (F2). */
import { percentile } from '../../bench/figures.ts';
import { DEADLINE_MS } from '../../bench/wire.ts';
import { say } from '../report.ts';
import { CLONES } from './cast.ts';
import { type Findings, judge, together } from './findings.ts';
import { fateOf, type HouseReport, NOBODY, type Tally, wingOf } from './orders.ts';
import {
  arrive,
  hasQuote,
  inWing,
  readOutcomes,
  type Sample,
  type Scene,
  type Site,
  settle,
} from './scene.ts';

const PER_SECOND = 30;
const PACE = { median: 80, sigma: 0.5 };
/** Answers are looked at in pieces, so that a recovery is seen when it happens. */
const PIECE_MS = 500;
const LONGEST_RECOVERY_MS = 90_000;
const MOST_PAID = 5;
const MOST_RATIO = 1.1;

export async function trySilence(scene: Scene): Promise<Findings> {
  const found: Findings[] = [];
  for (const hung of scene.small ? [6] : [1, 6]) found.push(assess(hung, await hang(scene, hung)));
  return together(found);
}

/** What was seen of so many that hang. */
interface Seen {
  samples: readonly Sample[];
  /** Of an instance for which they are well, at the same time. */
  healthy: readonly Sample[];
  /** When the first was sent, in milliseconds since 1970. */
  began: number;
  /** How often each was waited for in vain until the deadline, probes among them. */
  waits: readonly number[];
  /** What the house counted while they hung, and until they were well again. */
  hanging: readonly Tally[];
  after: readonly Tally[];
  /** How long it took until each was quoted again. */
  recovered: readonly number[];
  isGone: boolean;
}

async function hang(scene: Scene, hung: number): Promise<Seen> {
  say(`F2: ${hung} of ${CLONES.length} hang`);
  const silent = CLONES.slice(0, hung);
  await scene.order({ pace: { median: 5, sigma: 0 }, fates: {} });
  const well = await scene.well();
  const site = await scene.start({ who: 'clones', elsewhere: inWing(scene, silent) });
  await settle(site);
  await scene.order({ pace: PACE, fates: fateOf(silent.map(wingOf), { kind: 'hang' }), recount: true });
  const began = Date.now();
  // Until a probe was made and left without an answer, where there is time for it.
  const load = { perSecond: PER_SECOND, requests: PER_SECOND * (scene.small ? 4 : 14) };
  const [samples, healthy] = await Promise.all([arrive(site.url, load), arrive(well.url, load)]);
  const outcomes = await readOutcomes(site.url);
  const talliesOf = ({ tallies }: HouseReport) => silent.map(name => tallies[wingOf(name)] ?? NOBODY);
  const hanging = talliesOf(await scene.order({ fates: {} }));
  const recovered = await recover(site, silent);
  const after = talliesOf(await scene.order({ recount: true }));
  const isGone = site.isGone();
  await site.end();
  const waits = silent.map(name => outcomes(name, 'late'));
  return { samples, healthy, began, waits, hanging, after, recovered, isGone };
}

function assess(hung: number, seen: Seen): Findings {
  const { samples, healthy, began, hanging, after, recovered } = seen;
  const openAfter = Math.max(...hanging.map(({ spans }) => openedAt(spans))) - began;
  const opened = (all: readonly Sample[]) => all.filter(({ intended }) => intended > openAfter);
  const ratio = middleOf(opened(samples)) / middleOf(opened(healthy));
  const probes = hanging.map(({ spans }) => probesOf(spans).length);
  const paid = Math.max(...seen.waits.map((late, at) => late - (probes[at] ?? 0)));
  const slowest = Math.max(...recovered.map((ms, at) => ms / intervalOf(after[at]?.spans ?? [])));
  // Where the machine holds everything up, the instance that is well lacks some too.
  const lacking = (all: readonly Sample[]) =>
    all.filter(({ reply }) => !CLONES.slice(hung).every(name => hasQuote(reply, name))).length;
  return judge(
    {
      fault: 'F2',
      what: `${hung} of ${CLONES.length} take questions and never answer: calls left hanging`,
      count: hanging.reduce((sum, { struck }) => sum + struck, 0),
      worst: `p50 ${ratio.toFixed(2)} x healthy; ${paid} requests paid the deadline for one; ${Math.max(...probes)} probes; back after ${slowest.toFixed(1)} probe intervals`,
    },
    [
      ['requests beyond five paid the whole deadline for one provider', Math.max(0, paid - MOST_PAID)],
      [
        `the middle answer took ${ratio.toFixed(2)} times as long as when all are well`,
        ratio > MOST_RATIO ? 1 : 0,
      ],
      [
        'probes were made while another was under way',
        after.reduce((sum, { spans }) => sum + overlapsOf(spans), 0),
      ],
      [`a recovery took ${slowest.toFixed(1)} probe intervals`, slowest <= 2 ? 0 : 1],
      ['answers lack a healthy quote', Math.max(0, lacking(samples) - lacking(healthy))],
      ['the instance ended', seen.isGone ? 1 : 0],
    ],
  );
}

function middleOf(samples: readonly Sample[]): number {
  return percentile(
    samples.map(({ ms }) => ms),
    50,
  );
}

/** After how many milliseconds the quotes of each were there again. */
async function recover({ url }: Site, silent: readonly string[]): Promise<number[]> {
  const began = performance.now();
  const recovered = new Map<string, number>();
  while (recovered.size < silent.length && performance.now() - began < LONGEST_RECOVERY_MS) {
    const samples = await arrive(url, { perSecond: PER_SECOND, requests: (PER_SECOND * PIECE_MS) / 1000 });
    for (const name of silent) {
      if (!recovered.has(name) && samples.some(({ reply }) => hasQuote(reply, name)))
        recovered.set(name, performance.now() - began);
    }
  }
  return silent.map(name => recovered.get(name) ?? Number.POSITIVE_INFINITY);
}

type Spans = Tally['spans'];

/** When the breaker had opened: with the fifth question that hung until the deadline. */
function openedAt(spans: Spans): number {
  const failed = spans.filter(({ from, to }) => to - from >= DEADLINE_MS * 0.9).map(({ to }) => to);
  return failed.sort((a, b) => a - b)[MOST_PAID - 1] ?? Date.now();
}

/** What was asked after the breaker had opened. */
function probesOf(spans: Spans): Spans {
  const opened = openedAt(spans);
  return spans.filter(({ from }) => from > opened).sort((a, b) => a.from - b.from);
}

/** Probes that were made while the one before them was under way. */
function overlapsOf(spans: Spans): number {
  const probes = probesOf(spans);
  return probes.filter(({ from }, at) => at > 0 && from < (probes[at - 1]?.to ?? 0)).length;
}

const FIRST_PAUSE_MS = 5_000;

/** How long it was left alone at the last: five seconds at first, twice as long after each probe that failed. */
function intervalOf(spans: Spans): number {
  return FIRST_PAUSE_MS * 2 ** probesOf(spans).length;
}
