/** The oracle: from all that was said of a transaction, what its record must be. It shares no code with the service. */

export type Status =
  | 'new'
  | 'pending'
  | 'paid'
  | 'expired'
  | 'canceled'
  | 'failed'
  | 'completed'
  | 'refunded';

/** One thing said of an order. */
export interface Saying {
  status: Status;
  at: number;
  /** Said by the service's own clock, not by the provider. */
  ours?: boolean | undefined;
  theirs?: string | undefined;
  reason?: string | undefined;
  hash?: string | undefined;
  paid?: string | undefined;
  received?: string | undefined;
}

export interface Verdict {
  status: Status;
  theirs: string;
  reason: string;
  hash: string;
  paid: string;
  received: string;
  contradicted: boolean;
}

/** From the weakest word to the strongest: late money counts, and so does its return. */
const STRENGTH: readonly Status[] = [
  'new',
  'pending',
  'paid',
  'expired',
  'canceled',
  'failed',
  'completed',
  'refunded',
];

export function strengthOf(status: string): number {
  return STRENGTH.indexOf(status as Status);
}

/** Ends without delivery. */
const FRUITLESS: readonly Status[] = ['expired', 'canceled', 'failed'];

/**
 * Where there are several orders under one reference the record is that of one of them: of the one with the best hope, then of
 * the one with the best hope by what was said of it alone, then of the one that was heard of last. What names no order is
 * true of all.
 */
export function judge(sayings: readonly Saying[]): Verdict {
  const orders = [...new Set(sayings.flatMap(({ theirs }) => theirs ?? []))].sort();
  const tries = (orders.length > 0 ? orders : [undefined]).map(id => {
    const own = sayings.filter(({ theirs }) => theirs !== undefined && theirs === id);
    const record = recordOf([...sayings.filter(({ theirs }) => theirs === undefined), ...own]);
    const latest = Math.max(0, ...own.map(({ at }) => at));
    return { record, claim: [hopeOf(record.status), hopeOf(recordOf(own).status), latest] };
  });
  const best = tries.reduce((a, b) => (isGreater(b.claim, a.claim) ? b : a));
  return { ...best.record, contradicted: isContradicted(sayings.filter(({ ours }) => !ours)) };
}

/** What is under way or delivered before what came to nothing; what was given back before what nobody has gone on with. */
function hopeOf(status: Status): number {
  if (status === 'refunded') return 0.5;
  return strengthOf(status) - (FRUITLESS.includes(status) ? STRENGTH.length : 0);
}

function isGreater(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((one, index) => one !== b[index]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}

/** Whether an order came to nothing while another one is still under way: then it matters which was heard of first. */
export function isLeftBehind(sayings: readonly Saying[]): boolean {
  const { status } = judge(sayings);
  return sayings.some(
    saying => FRUITLESS.includes(saying.status) && strengthOf(saying.status) > strengthOf(status),
  );
}

type Record = Omit<Verdict, 'contradicted'>;

/** Each fact is the last one told, where a stronger word is later than a weaker one. */
function recordOf(sayings: readonly Saying[]): Record {
  const order = [...sayings].sort(
    (a, b) => strengthOf(a.status) - strengthOf(b.status) || Number(!a.ours) - Number(!b.ours) || a.at - b.at,
  );
  const last = (fact: 'theirs' | 'hash' | 'paid' | 'received') =>
    order.findLast(saying => saying[fact] !== undefined)?.[fact] ?? '';
  const status = order.at(-1)?.status ?? 'new';
  const ending = order.filter(saying => saying.status === status);
  return {
    status,
    theirs: last('theirs'),
    reason: correctionOf(order) ?? ending.findLast(({ reason }) => reason !== undefined)?.reason ?? '',
    hash: last('hash'),
    paid: plain(last('paid')),
    received: plain(last('received')),
  };
}

/** Why the service gave up does not hold against a provider that says it was paid, or goes on with it afterwards. */
function correctionOf(order: readonly Saying[]): string | undefined {
  const given = order.at(-1);
  if (!given?.ours || !FRUITLESS.includes(given.status)) return undefined;
  const theirs = order.filter(({ ours }) => !ours);
  if (theirs.some(({ status }) => status === 'paid')) return 'The provider has told of a payment since';
  const isGoingOn = theirs.some(({ status, at }) => status === 'pending' && at > given.at);
  return isGoingOn ? 'The provider has gone on with the order since' : undefined;
}

/** An order both delivered and not, or two orders delivered for one checkout. */
function isContradicted(sayings: readonly Saying[]): boolean {
  const withStatus = (...wanted: Status[]) =>
    sayings.filter(({ status }) => wanted.includes(status)).map(({ theirs = '' }) => theirs);
  const delivered = new Set(withStatus('completed'));
  return delivered.size > 1 || withStatus(...FRUITLESS).some(id => delivered.has(id));
}

/** How many different things were said. */
export function countDistinct(sayings: readonly Saying[]): number {
  return new Set(sayings.map(saying => JSON.stringify(Object.entries(saying).sort()))).size;
}

/** A number as text, without zeros that mean nothing. */
export function plain(number: string): string {
  return number.includes('.') ? number.replace(/\.?0+$/, '') : number;
}
