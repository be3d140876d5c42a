/** Cuts: connections that are reset, ended, refused, not what they should be, or lead nowhere (F6). */
import { setTimeout as wait } from 'node:timers/promises';
import { findPort } from '../bed/processes.ts';
import { say } from '../report.ts';
import { CLONES } from './cast.ts';
import { type Findings, judge, type Problem, together } from './findings.ts';
import { type Fate, type HouseReport, isStruck, NOBODY } from './orders.ts';
import { arrive, hasQuote, milliseconds, readOutcomes, type Sample, type Scene, settle } from './scene.ts';

const PER_SECOND = 50;
const REQUESTS = 2_000;
const SHARE = 0.3;
/** Until the house has noticed every close. */
const NOTICE_MS = 300;
/** What is asked again may not be more than this over what had to be asked. */
const MOST_CALLS = 1.01;

/** Where a connection may be lost: before any byte the question may be asked again, once; after one it may not. */
const FATES: Readonly<Record<string, Fate>> = {
  p01: { kind: 'cut', when: 'before', how: 'reset', share: 0.01 },
  p02: { kind: 'cut', when: 'within', how: 'reset', share: SHARE },
  p03: { kind: 'cut', when: 'after', how: 'reset', share: SHARE },
  p04: { kind: 'cut', when: 'before', how: 'end', share: 0.01 },
  p05: { kind: 'cut', when: 'within', how: 'end', share: SHARE },
  p06: { kind: 'cut', when: 'after', how: 'end', share: SHARE },
};
const MAY_ASK_AGAIN = ['p01', 'p04'];

export async function tryCuts(scene: Scene): Promise<Findings> {
  say('F6: connections are lost');
  const elsewhere: Readonly<Record<string, string>> = {
    p09: `http://127.0.0.1:${await findPort()}`,
    p10: 'http://nobody.invalid',
    // It listens, and speaks no TLS; it does, and nobody has signed for it.
    p11: scene.house.url.replace('http:', 'https:'),
    p12: scene.house.secureUrl,
  };
  await scene.order({ pace: { median: 5, sigma: 0 }, fates: {} });
  const site = await scene.start({ who: 'clones', elsewhere });
  await settle(site, CLONES.length - Object.keys(elsewhere).length);
  await scene.order({ fates: FATES, recount: true });
  const requests = scene.small ? REQUESTS / 20 : REQUESTS;
  const samples = await arrive(site.url, { perSecond: PER_SECOND, requests });
  await wait(NOTICE_MS);
  const report = await scene.order({ fates: {}, recount: true });
  const outcomes = await readOutcomes(site.url);
  const unhandled = (site.log().match(/unhandled|uncaught/gi)?.length ?? 0) + (site.isGone() ? 1 : 0);
  await site.end();
  const unreachable = Object.keys(elsewhere).map(name => outcomes(name, 'unreachable'));
  const waits = Object.keys(FATES).reduce((sum, name) => sum + outcomes(name, 'late'), 0);
  const { tardy } = report;
  const wrong = samples.filter(sample => !tardy.includes(sample.cents) && !isRight(sample, elsewhere));
  return together([
    assess(report, samples, [
      ['answers are not as they should be', wrong.length],
      ['unhandled rejections', unhandled],
      ['calls that were cut were waited for', Math.max(0, waits - tardy.length)],
    ]),
    judge(
      {
        fault: 'F6',
        what: 'refused, no such name, no TLS, a certificate nobody signed: calls',
        count: unreachable.reduce((total, count) => total + count, 0),
        worst: `${unreachable.join(', ')} before the breaker opened and as probes`,
      },
      [['of these never happened', unreachable.filter(count => count === 0).length]],
    ),
  ]);
}

/** What the house saw of connections it cut. */
function assess({ tallies }: HouseReport, samples: readonly Sample[], others: readonly Problem[]): Findings {
  const of = (name: string) => tallies[name] ?? NOBODY;
  const sum = (names: readonly string[], key: 'calls' | 'repeats' | 'struck') =>
    names.reduce((total, name) => total + of(name)[key], 0);
  const names = Object.keys(tallies);
  const repeats = sum(names, 'repeats');
  const ratio = sum(names, 'calls') / (sum(names, 'calls') - repeats);
  const final = names.filter(name => !MAY_ASK_AGAIN.includes(name));
  // What was asked again is cut again.
  const twice = MAY_ASK_AGAIN.filter(name => of(name).repeats > of(name).struck / 2 + 1).length;
  const slowest = samples.reduce((most, { ms }) => Math.max(most, ms), 0);
  return judge(
    {
      fault: 'F6',
      what: 'connections reset or ended before, within and after the headers',
      count: sum(names, 'struck'),
      worst: `calls over questions ${ratio.toFixed(3)} (${repeats} asked again); slowest answer ${milliseconds(slowest)}`,
    },
    [
      ...others,
      ['questions were asked again after a byte had come', sum(final, 'repeats')],
      ['providers were asked again more than once', twice],
      [`calls over questions is ${ratio.toFixed(3)}`, ratio > MOST_CALLS ? 1 : 0],
    ],
  );
}

/** Everybody who was not cut has quoted, and nobody else; where a question may be asked again, both can be. */
function isRight({ reply, cents }: Sample, elsewhere: Readonly<Record<string, string>>): boolean {
  if (reply.status !== 200) return false;
  return CLONES.every(name => {
    const fate = FATES[name];
    if (name in elsewhere || (fate && isStruck(fate, cents))) return !hasQuote(reply, name);
    return hasQuote(reply, name);
  });
}
