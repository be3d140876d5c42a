/** Floods: answers that do not end (F5). */
import { setTimeout as wait } from 'node:timers/promises';
import { rssOf, watchRss } from '../../bench/cpu.ts';
import { say } from '../report.ts';
import { CLONES } from './cast.ts';
import { type Findings, judge, together } from './findings.ts';
import { type Fate, fateOf, isStruck, NOBODY } from './orders.ts';
import { arrive, ask, hasQuote, type Scene, type Site, settle } from './scene.ts';

const PER_SECOND = 30;
const MOST_GROWTH_MIB = 8;
const MOST_BYTES = 320_000;
/** Half of the amounts, one request after the other: no breaker opens, and every flood is counted by its sender. */
const COUNTED_SHARE = 0.5;

export async function tryFloods(scene: Scene): Promise<Findings> {
  say('F5: floods');
  await scene.order({ pace: { median: 5, sigma: 0 }, fates: {} });
  const found: Findings[] = [];
  for (const framing of ['length', 'chunks'] as const) {
    const { grown, flooded } = await drown(scene, { kind: 'flood', framing, paced: false });
    const counted = { kind: 'flood', framing, paced: true, share: COUNTED_SHARE } as const;
    const paced = await flood(scene, await scene.well(), counted);
    found.push(assess(framing, { grown, floods: [flooded, paced] }));
  }
  return together(found);
}

/** All providers flood an instance of its own, as fast as they can; how much its memory grew, in MiB. */
async function drown(scene: Scene, fate: Fate): Promise<{ grown: number; flooded: Flood }> {
  const site = await scene.start({ who: 'clones' });
  await settle(site);
  // The heap must have found its size before its growth means anything.
  await arrive(site.url, { perSecond: PER_SECOND * 3, requests: PER_SECOND * (scene.small ? 6 : 45) });
  const { peak: usual } = await peakOf(site, () => flood(scene, site));
  const { peak, result: flooded } = await peakOf(site, () => flood(scene, site, fate));
  await site.end();
  return { grown: Math.max(0, peak - usual), flooded };
}

type Flood = Awaited<ReturnType<typeof flood>>;

function assess(framing: string, { grown, floods }: { grown: number; floods: readonly Flood[] }): Findings {
  const sum = (key: keyof Flood) => floods.reduce((total, one) => total + one[key], 0);
  const largest = Math.max(...floods.map(one => one.largest));
  const what = framing === 'length' ? 'a gibibyte' : 'chunks without an end';
  return judge(
    {
      fault: 'F5',
      what: `${what} from all ${CLONES.length} at once: answers that were cut`,
      count: sum('cut'),
      worst: `${grown.toFixed(1)} MiB more than when all are well; ${(largest / 1000).toFixed(0)} kB taken of one answer (the sender's count, 8 kB every 5 ms)`,
    },
    [
      ['answers of ours are not 200, or have a quote', sum('wrong')],
      ['floods were not cut', sum('struck') - sum('cut')],
      [`grew by ${grown.toFixed(1)} MiB`, grown > MOST_GROWTH_MIB ? 1 : 0],
      [`took ${largest} bytes`, largest > MOST_BYTES ? 1 : 0],
    ],
  );
}

/** Requests while providers flood; what the house counted, and how many answers were not as they should be. */
async function flood(scene: Scene, site: Site, fate?: Fate) {
  await scene.order({ fates: fate ? fateOf(CLONES, fate) : {}, recount: true });
  const samples = await ask(site.url, { requests: scene.small ? 20 : 150 });
  await wait(300);
  const { tallies } = await scene.order({ fates: {}, recount: true });
  const all = CLONES.map(name => tallies[name] ?? NOBODY);
  const wrong = samples.filter(
    ({ reply, cents }) =>
      reply.status !== 200 || (fate && isStruck(fate, cents) && CLONES.some(name => hasQuote(reply, name))),
  );
  return {
    wrong: wrong.length,
    struck: all.reduce((sum, { struck }) => sum + struck, 0),
    cut: all.reduce((sum, { cut }) => sum + cut, 0),
    largest: Math.max(...all.map(({ largest }) => largest)),
  };
}

/** The most memory a process had, in MiB, while something was done to it. */
async function peakOf<T>({ pid }: Site, act: () => Promise<T>): Promise<{ peak: number; result: T }> {
  const highest = watchRss(pid);
  const result = await act();
  return { peak: Math.max(highest(), rssOf(pid)), result };
}
