/** The inspection: everything the database and the receiver hold after a run, held against the oracle. */

import type { Receiver } from '../bed/receiver.ts';
import type { World } from '../bed/world.ts';
import type { News, Told } from './history.ts';
import {
  countDistinct,
  isLeftBehind,
  judge,
  plain,
  type Saying,
  strengthOf,
  type Verdict,
} from './oracle.ts';

export interface Findings {
  wrongRecords: number;
  /** Records of two orders that are right but for the status, which is that of the order left behind. */
  dependent: number;
  lost: number;
  lostEarly: number;
  wrongEntries: number;
  wrongEvents: number;
  untold: number;
  wrongDeliveries: number;
  overwritten: number;
  unknownGone: number;
  unreadableGone: number;
  counts: Readonly<
    Record<
      'entries' | 'events' | 'contradicted' | 'leftBehind' | 'reattempted' | 'unknown' | 'unreadable',
      number
    >
  >;
  examples: string[];
}

export interface Scene {
  transactions: readonly Told[];
  news: readonly News[];
  receiver: Receiver;
}

interface TransactionRow extends Omit<Verdict, 'paid' | 'received'> {
  id: string;
  paid: string | null;
  received: string | null;
  sequence: number;
}

interface EntryRow {
  transaction_id: string;
  status: string;
}

interface EventRow {
  id: string;
  transaction_id: string;
  sequence: number;
  body: string;
}

export async function inspect(world: World, { transactions, news, receiver }: Scene): Promise<Findings> {
  const examples: string[] = [];
  const rows = await world.query<TransactionRow>('select * from transactions');
  const entries = groupBy(await world.query<EntryRow>('select * from entries order by sequence'));
  const events = await world.query<EventRow>('select * from events order by sequence');
  const notices = groupBy(
    await world.query<{ transaction_id: string; said: Saying }>('select transaction_id, said from notices'),
  );
  const byId = new Map(rows.map(row => [row.id, row]));
  const eventsOf = groupBy(events);
  const told = groupBy(
    news.flatMap(({ said, reference }) => (said ? { ...said, transaction_id: reference } : [])),
  );

  /** What providers said, and what our own clock said. */
  const sayingsOf = (id: string): Saying[] => [
    ...(told.get(id) ?? []).map(({ transaction_id, ...said }) => said),
    ...(notices.get(id) ?? []).filter(({ said }) => said.ours).map(({ said }) => said),
  ];
  const count = (test: (told: Told) => string | undefined, among = transactions) =>
    among.filter(one => {
      const flaw = test(one);
      if (flaw !== undefined) examples.push(`${one.provider} ${one.id}: ${flaw}`);
      return flaw !== undefined;
    }).length;

  const [torn, whole] = divide(transactions, ({ id }) => isLeftBehind(sayingsOf(id)));
  const wrongRecords =
    count(({ id }) => compareRecord(byId.get(id), judge(sayingsOf(id))), whole) +
    count(
      ({ id }) => compareRecord(byId.get(id), { ...judge(sayingsOf(id)), ...statusOf(byId.get(id)) }),
      torn,
    );
  const dependent = torn.filter(({ id }) => byId.get(id)?.status !== judge(sayingsOf(id)).status).length;
  const lost = count(({ id }) => compareNotices(notices.get(id)?.length ?? 0, sayingsOf(id)));
  const wrongEntries = count(({ id }) => compareEntries(entries.get(id) ?? [], sayingsOf(id), byId.get(id)));
  const wrongEvents = count(({ id }) => compareEvents(eventsOf.get(id) ?? [], byId.get(id)));
  const contradicting = transactions.filter(({ id }) => judge(sayingsOf(id)).contradicted);
  const overwritten = count(
    ({ id }) =>
      byId.get(id)?.contradicted
        ? compareNotices(notices.get(id)?.length ?? 0, sayingsOf(id))
        : 'not flagged',
    contradicting,
  );
  const early = transactions.slice(-transactions.length / 10);
  const known = new Map(events.map(event => [`msg_${event.id}`, event.body]));
  const strangers = [...receiver.delivered].filter(([id, { body }]) => known.get(id) !== body);
  for (const [id] of strangers) examples.push(`told ${id}, which is not among the events as it was told`);
  const [inbox] = await world.query<{ unknown: string; parked: string; reattempted: string }>(
    `select (select count(*) from inbox where state = 'due') as unknown,
      (select count(*) from inbox where state = 'parked') as parked,
      (select sum(attempts - 1) from deliveries) as reattempted`,
  );
  const unknown = news.filter(({ kind }) => kind === 'unknown order').length;
  const unreadable = news.filter(({ kind }) => kind === 'unreadable').length;
  return {
    wrongRecords,
    dependent,
    lost,
    lostEarly: count(({ id }) => compareNotices(notices.get(id)?.length ?? 0, sayingsOf(id)), early),
    wrongEntries,
    wrongEvents,
    untold: [...known.keys()].filter(id => !receiver.delivered.has(id)).length,
    wrongDeliveries: strangers.length + receiver.counts.altered + receiver.counts.unsigned,
    overwritten,
    unknownGone: Math.abs(Number(inbox?.unknown) - unknown),
    unreadableGone: Math.abs(Number(inbox?.parked) - unreadable),
    counts: {
      entries: [...entries.values()].flat().length,
      events: events.length,
      contradicted: contradicting.length,
      leftBehind: torn.length,
      reattempted: Number(inbox?.reattempted),
      unknown,
      unreadable,
    },
    examples,
  };
}

function compareRecord(row: TransactionRow | undefined, verdict: Verdict): string | undefined {
  if (!row) return 'is gone';
  const found: Verdict = { ...row, paid: plain(row.paid ?? ''), received: plain(row.received ?? '') };
  const wrong = (Object.keys(verdict) as (keyof Verdict)[]).filter(name => found[name] !== verdict[name]);
  if (wrong.length === 0) return undefined;
  return wrong.map(name => `${name} is ${found[name]}, not ${verdict[name]}`).join(', ');
}

function statusOf(row: TransactionRow | undefined): Partial<Verdict> {
  return row ? { status: row.status, reason: row.reason } : {};
}

function divide<T>(list: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [list.filter(isFirst), list.filter(one => !isFirst(one))];
}

function compareNotices(kept: number, sayings: readonly Saying[]): string | undefined {
  const distinct = countDistinct(sayings);
  return kept === distinct ? undefined : `${kept} notices of ${distinct} are kept`;
}

/**
 * Each status once, each stronger than the one before, none that nobody has named, and the present one last. With two
 * orders under one reference the second may begin after the first one's end, and what both came to stands where it was
 * reached last.
 */
function compareEntries(
  rows: readonly EntryRow[],
  sayings: readonly Saying[],
  row: TransactionRow | undefined,
): string | undefined {
  const entries = rows.map(({ status }) => status);
  const said = new Set(['new', ...sayings.map(({ status }) => status)]);
  const strengths = entries.map(strengthOf);
  const grows = strengths.every((strength, at) => at === 0 || strength > (strengths[at - 1] ?? 0));
  const hasSeveral = new Set(sayings.flatMap(({ theirs }) => theirs ?? [])).size > 1;
  const isOrderly = hasSeveral
    ? entries.includes('new') && new Set(entries).size === entries.length
    : entries[0] === 'new' && grows;
  const isLast = entries.at(-1) === row?.status;
  if (isOrderly && isLast && entries.every(status => said.has(status))) return undefined;
  return `its entries are ${entries.join(', ')}`;
}

/** Numbered from one without a gap, under ids made of them, and the last tells of the present. */
function compareEvents(events: readonly EventRow[], row: TransactionRow | undefined): string | undefined {
  const isCounted = events.every(
    ({ id, sequence, transaction_id }, at) => sequence === at + 1 && id === `${transaction_id}-${sequence}`,
  );
  const { status } = JSON.parse(events.at(-1)?.body ?? '{}') as { status?: string };
  if (isCounted && events.length === row?.sequence && status === row.status) return undefined;
  return `its events are ${events.map(({ id }) => id).join(', ')}, the last of ${status}`;
}

function groupBy<T extends { transaction_id: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.transaction_id);
    if (group) group.push(row);
    else groups.set(row.transaction_id, [row]);
  }
  return groups;
}
