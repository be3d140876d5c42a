/** What is made of the run of deliveries: a line for each way to be ill, and one for those who are well. */
import { PUBLIC_ADDRESS } from '../bed/network.ts';
import type { Line, Section } from '../report.ts';
import type { Call, Sites } from './sites.ts';

/** A while in which events were told: how late each came to its healthy endpoint, and which did not. */
export interface Phase {
  delays: readonly number[];
  unheard: readonly string[];
}

/** A delivery to an endpoint that is not well, as it stands. */
export interface IllDelivery {
  url: string;
  state: string;
  attempts: number;
  last_error: string;
  disabled: boolean;
}

export interface Evidence {
  sites: Sites;
  alone: readonly Phase[];
  among: Phase;
  ill: readonly IllDelivery[];
  /** Every connection that was made to an address that is not the test bed's. */
  connections: readonly string[];
}

/** An attempt is given ten seconds, and a second for a machine that has other things to do. */
const ATTEMPT_MS = 11_000;
const SECOND_TRY_MS = 4_500;
/** 64 kB are read; what is on its way then has been sent in vain. */
const MOST_SENT = 320 * 1024;
const MOST_RATIO = 1.2;
/** A difference that nobody could tell from chance. */
const NOISE_MS = 20;
/** As many as may be under way at once when the first of them is told to go away. */
const MOST_AFTER_GONE = 4;

export function judge(evidence: Evidence): Pick<Section, 'lines' | 'examples'> {
  const { sites, ill, connections } = evidence;
  const { calls } = sites;
  const examples: string[] = [];
  const line = (what: string, { count, flaws, worst }: Finding): Line => {
    examples.push(...flaws.map(flaw => `${what}: ${flaw}`));
    return { fault: 'F18', what, count, violations: flaws.length, worst };
  };
  const of = (part: string) => ill.filter(({ url }) => url.includes(part));
  return {
    lines: [
      line('slow and silent endpoints: cut off after ten seconds', cutOff([...calls.slow, ...calls.silent])),
      line('500: tried again after five seconds, then later', onSchedule(calls.error)),
      line('302 to a private address: not followed', onSchedule(calls.redirect)),
      line('410: disabled, nothing more is sent', goneFor(calls.gone, of('/gone/'))),
      line('10 MB answers: no more than 64 kB read', bounded(calls.huge)),
      line('TLS that nobody vouches for: nothing is sent', {
        count: sites.tls.failed,
        flaws: sites.tls.requests > 0 ? [`${sites.tls.requests} requests were sent`] : [],
        worst: '',
      }),
      line('nobody listens: tried again later', pending(of('127.0.0.1').filter(isRefused))),
      line('names that move to a private address, or have one: refused', pending(of('.names.example'))),
      line('connections to blocked ranges', blocked(evidence, connections)),
      line('healthy endpoints with as many dead ones: as quick as without', undisturbed(evidence)),
    ],
    examples,
  };
}

interface Finding {
  count: number;
  flaws: string[];
  worst: string;
}

function cutOff(calls: readonly Call[]): Finding {
  const longest = Math.max(0, ...calls.map(({ heldMs }) => heldMs));
  const flaws = calls.filter(({ heldMs }) => heldMs > ATTEMPT_MS).map(({ heldMs }) => `held ${heldMs} ms`);
  return { count: calls.length, flaws, worst: `the longest ${(longest / 1000).toFixed(1)} s` };
}

/** Two tries of each event by now, five seconds apart. */
function onSchedule(calls: readonly Call[]): Finding {
  const byEvent = new Map<string, Call[]>();
  for (const call of calls) {
    const key = `${call.endpoint} ${call.id}`;
    byEvent.set(key, [...(byEvent.get(key) ?? []), call]);
  }
  let soonest = Number.POSITIVE_INFINITY;
  const flaws: string[] = [];
  for (const [id, [first, second, ...more]] of byEvent) {
    if (more.length > 0) flaws.push(`${id}: ${more.length + 2} tries`);
    if (!first || !second) continue;
    soonest = Math.min(soonest, second.at - first.at);
    if (second.at - first.at < SECOND_TRY_MS)
      flaws.push(`${id}: tried again after ${second.at - first.at} ms`);
  }
  return { count: calls.length, flaws, worst: `at the soonest ${(soonest / 1000).toFixed(1)} s later` };
}

function goneFor(calls: readonly Call[], deliveries: readonly IllDelivery[]): Finding {
  const byEndpoint = new Map<string, number>();
  for (const { endpoint } of calls) byEndpoint.set(endpoint, (byEndpoint.get(endpoint) ?? 0) + 1);
  const most = Math.max(0, ...byEndpoint.values());
  const open = deliveries.filter(({ disabled }) => !disabled);
  return {
    count: byEndpoint.size,
    flaws: [
      ...(most > MOST_AFTER_GONE ? [`one was called ${most} times`] : []),
      ...open.map(({ url }) => `${url} is not disabled`),
    ],
    worst: `at most ${most} calls before it was known`,
  };
}

function bounded(calls: readonly Call[]): Finding {
  const most = Math.max(0, ...calls.map(({ sent }) => sent));
  const flaws = calls.filter(({ sent }) => sent > MOST_SENT).map(({ sent }) => `${sent} bytes were sent`);
  return { count: calls.length, flaws, worst: `at most ${Math.round(most / 1024)} kB sent` };
}

function isRefused({ last_error }: IllDelivery): boolean {
  return last_error.includes('ECONNREFUSED');
}

/** Tried, and to be tried again. */
function pending(deliveries: readonly IllDelivery[]): Finding {
  const tried = deliveries.filter(({ attempts }) => attempts > 0);
  const flaws = tried.filter(({ state }) => state !== 'due').map(({ url, state }) => `${url} is ${state}`);
  return { count: tried.length, flaws, worst: '' };
}

/** What was tried to be led there, and every connection that was made. */
function blocked({ sites, ill }: Evidence, connections: readonly string[]): Finding {
  const away = connections.filter(text => text !== '' && !text.startsWith(`${PUBLIC_ADDRESS} `));
  const names = ill.filter(({ url, attempts }) => url.includes('.names.example') && attempts > 0);
  return {
    count: sites.calls.redirect.length + names.length,
    flaws: [...away, ...Array.from({ length: sites.strays.private }, () => 'somebody arrived')],
    worst: `${sites.strays.public} to the public address`,
  };
}

function undisturbed({ alone, among }: Evidence): Finding {
  const before = p99(alone.flatMap(({ delays }) => delays));
  const meanwhile = p99(among.delays);
  const ratio = meanwhile / before;
  const flaws = [...alone, among].flatMap(({ unheard }) => unheard);
  if (ratio > MOST_RATIO && meanwhile - before > NOISE_MS)
    flaws.push(`p99 ${ratio.toFixed(2)} times as late`);
  return {
    count: among.delays.length,
    flaws,
    worst: `p99 ${Math.round(before)} ms alone, ${Math.round(meanwhile)} ms among them: ${ratio.toFixed(2)}`,
  };
}

function p99(delays: readonly number[]): number {
  const sorted = [...delays].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY;
}
