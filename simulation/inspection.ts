/** The inspection: everything the database, the shops and the providers hold in the end, held against the oracle. */
import { judge, plain, type Saying, strengthOf } from '../faults/webhooks/oracle.ts';
import type { Purchase } from './customers.ts';
import type { Fleet } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { Kind } from './kinds.ts';
import { look } from './machine/execution.ts';
import type { Senders, Told } from './senders.ts';
import type { Endpoint, Shops } from './shops.ts';

export interface Scene {
  journal: Journal;
  purchases: readonly Purchase[];
  senders: Senders;
  fleet: Fleet;
  shops: Shops;
  endpoints: readonly Endpoint[];
}

interface TransactionRow {
  id: string;
  account_id: string;
  origin: string;
  provider: string;
  side: string;
  wallet_address: string;
  amount: string;
  partner_context: string;
  status: string;
  theirs: string;
  reason: string;
  hash: string;
  paid: string | null;
  received: string | null;
  contradicted: boolean;
  sequence: number;
}

interface EventRow {
  id: string;
  transaction_id: string;
  account_id: string;
  sequence: number;
  body: string;
}

interface DeliveryRow {
  event_id: string;
  endpoint_id: string;
  state: string;
  attempts: number;
}

export interface Findings {
  transactions: number;
}

export function inspect(scene: Scene): Findings {
  const { journal, senders } = scene;
  const rows = look<TransactionRow>('select * from transactions order by id');
  const notices = groupBy(
    look<{ transaction_id: string; said: Saying }>('select transaction_id, said from notices'),
  );
  const entries = groupBy(
    look<{ transaction_id: string; status: string }>(
      'select transaction_id, status from entries order by transaction_id, sequence',
    ),
  );
  const events = groupBy(look<EventRow>('select * from events order by transaction_id, sequence'));
  checkPurchases(scene, rows);
  for (const row of rows) {
    const flaw = (property: string, what: string | undefined) => {
      if (what !== undefined) journal.violate(property, `${row.provider} ${row.id}: ${what}`);
    };
    const heard = (notices.get(row.id) ?? []).map(({ said }) => said);
    const told = senders.told.get(row.id) ?? [];
    flaw('P1', compareHeard(heard, told, scene.fleet.made.get(row.id) ?? []));
    flaw('oracle', compareRecord(row, heard));
    flaw(
      'P3',
      compareEntries(
        (entries.get(row.id) ?? []).map(({ status }) => status),
        row,
      ),
    );
    flaw('events', compareEvents(events.get(row.id) ?? [], row));
    flaw('liveness', compareEnd(row, heard, told));
    const made = scene.fleet.made.get(row.id)?.length ?? 0;
    if (made > 1) flaw('F9', `${made} orders were made for one`);
    if (row.contradicted) journal.reach('ends that contradict each other');
    journal.reach(`ended ${row.status}` as Kind);
  }
  checkDeliveries(scene, [...events.values()].flat());
  checkLeftovers(scene, rows);
  return { transactions: rows.length };
}

/** P1, P4, P5: what was acknowledged is there, once, as it was asked for, and its owner's. */
function checkPurchases({ purchases, journal }: Scene, rows: readonly TransactionRow[]): void {
  const byId = new Map(rows.map(row => [row.id, row]));
  const byContext = groupBy(rows.map(row => ({ ...row, transaction_id: row.partner_context })));
  for (const purchase of purchases) {
    const { acknowledged, account, context, wallet, provider, amount, key, side } = purchase;
    const made = byContext.get(context) ?? [];
    if (made.length > 1) journal.violate('P1', `${key} became ${made.length} transactions`);
    if (!acknowledged) continue;
    const row = byId.get(acknowledged.transactionId);
    if (!row) {
      journal.violate('P1', `${key} was acknowledged and is not there`);
      continue;
    }
    if (row.account_id !== account.id) journal.violate('P5', `${key} belongs to another account`);
    if (row.wallet_address !== wallet) journal.violate('P4', `${key} goes to another wallet`);
    const kept = [row.provider, row.side, plain(row.amount), row.partner_context];
    const wanted = [provider, side, plain(amount), context];
    if (kept.join() !== wanted.join()) journal.violate('P1', `${key} is kept as ${kept.join()}`);
    // By nothing else can it be asked what became of it.
    if (provider === 'guardarian' && row.theirs === '')
      journal.violate('P1', `${key} was acknowledged without the provider’s id`);
  }
}

/** All that was acknowledged was heard, and nothing was heard that nobody said. */
function compareHeard(
  heard: readonly Saying[],
  told: readonly Told[],
  made: readonly string[],
): string | undefined {
  const theirs = new Set(heard.filter(({ ours }) => !ours).map(keyOf));
  const said = new Set(told.map(one => keyOf(one.said)));
  for (const one of told) {
    // What proves nothing is not believed: it is asked about instead.
    if (one.acknowledged && one.letter.provider !== 'guardarian' && !theirs.has(keyOf(one.said)))
      return `${one.word} was acknowledged and is lost`;
  }
  for (const saying of heard) {
    const isMade = saying.status === 'new' && made.includes(saying.theirs ?? '');
    if (!saying.ours && !isMade && !said.has(keyOf(saying)))
      return `${JSON.stringify(saying)} was never said`;
  }
  return undefined;
}

function keyOf({ status, at, theirs, reason, hash, paid, received }: Saying): string {
  const money = [paid, received].map(sum => (sum === undefined ? '' : plain(sum)));
  // A completed order needs no reason.
  return [status, at, theirs, status === 'completed' ? '' : reason, hash, ...money].join('|');
}

function compareRecord(row: TransactionRow, heard: readonly Saying[]): string | undefined {
  const verdict = judge([{ status: 'new', at: 0, ours: true }, ...heard]);
  const kept = {
    status: row.status,
    theirs: row.theirs,
    reason: row.reason,
    hash: row.hash,
    paid: plain(row.paid ?? ''),
    received: plain(row.received ?? ''),
    contradicted: row.contradicted,
  };
  for (const [name, value] of Object.entries(kept)) {
    const due = verdict[name as keyof typeof verdict];
    if (value !== due) return `${name} is ${value}, and should be ${due}`;
  }
  return undefined;
}

/** P2, P3: each status once, each stronger than the one before. */
function compareEntries(statuses: readonly string[], row: TransactionRow): string | undefined {
  if (new Set(statuses).size !== statuses.length) return `an entry twice: ${statuses.join(', ')}`;
  if (statuses[0] !== 'new' || statuses.at(-1) !== row.status)
    return `entries ${statuses.join(', ')} of one that is ${row.status}`;
  const isRising = statuses.every(
    (status, at) => at === 0 || strengthOf(status) > strengthOf(statuses[at - 1] ?? ''),
  );
  return isRising ? undefined : `went back: ${statuses.join(', ')}`;
}

/** One event for each change, none left out, the last one as the record is. */
function compareEvents(events: readonly EventRow[], row: TransactionRow): string | undefined {
  const own = events.filter(({ id, sequence }) => id === `${row.id}-${sequence}`);
  const numbers = own.map(({ sequence }) => sequence);
  if (numbers.join() !== Array.from({ length: row.sequence }, (_, at) => at + 1).join())
    return `events ${numbers.join()} for ${row.sequence} changes`;
  const last = JSON.parse(own.at(-1)?.body ?? '{}') as { status?: string; transactionId?: string };
  if (last.status !== row.status || last.transactionId !== row.id)
    return `the last event tells of ${last.transactionId} ${last.status}`;
  return undefined;
}

/** Lost webhooks are made up for by asking, where it is possible to ask and as long as anybody does. */
function compareEnd(
  row: TransactionRow,
  heard: readonly Saying[],
  told: readonly Told[],
): string | undefined {
  if (told.length === 0) return undefined;
  const hasAll = told.every(({ isLost, acknowledged }) => !isLost && acknowledged);
  const canAsk = row.provider === 'moonpay' || row.provider === 'mercuryo' || row.theirs !== '';
  const isDone = heard.some(({ status }) => status === 'completed' || status === 'refunded');
  const last = told.at(-1) as Told;
  const hasLast = heard.some(saying => keyOf(saying) === keyOf(last.said));
  if (hasLast || (!hasAll && (isDone || !canAsk))) return undefined;
  if (row.provider === 'guardarian' && (isDone || !canAsk)) return undefined;
  return `is ${row.status}, and ${last.word} was never heard`;
}

function checkDeliveries({ journal, shops, endpoints }: Scene, events: readonly EventRow[]): void {
  const deliveries = look<DeliveryRow>('select * from deliveries');
  const states = new Map(deliveries.map(one => [`${one.event_id} ${one.endpoint_id}`, one]));
  for (const { id, account, host } of endpoints) {
    const taken = shops.taken.get(host);
    for (const event of events.filter(({ account_id }) => account_id === account)) {
      const delivery = states.get(`${event.id} ${id}`);
      if (delivery && delivery.attempts > 1) journal.reach('an event delivered by another attempt');
      if (shops.gone.has(id)) continue;
      const got = taken?.get(`msg_${event.id}`);
      if (!got)
        journal.violate(
          'events',
          `${host} was never told of ${event.id}: ${delivery?.state ?? 'not planned'}`,
        );
      else if (got.body !== event.body)
        journal.violate('events', `${host} was told something else of ${event.id}`);
      if (delivery && delivery.state !== 'delivered' && got)
        journal.violate('events', `${event.id} for ${host} is ${delivery.state}`);
    }
  }
  const disabled = look<{ id: string }>('select id from endpoints where disabled_at is not null');
  const off = new Set(disabled.map(({ id }) => id));
  journal.reach('an endpoint switched off', off.size);
  for (const id of off)
    if (!shops.gone.has(id)) journal.violate('F18', `endpoint ${id} was disabled for nothing`);
}

/** Nothing is forgotten: whatever is unfinished has its next look-up, and no webhook lies about. */
function checkLeftovers({ journal, senders }: Scene, rows: readonly TransactionRow[]): void {
  const tasks = look<{ key: string }>("select key from tasks where kind = 'look-up'");
  const planned = new Set(tasks.map(({ key }) => key));
  for (const { id, status, provider } of rows) {
    if (['new', 'pending', 'paid'].includes(status) && !planned.has(id))
      journal.violate('liveness', `${provider} ${id} is ${status}, and nobody will look at it again`);
  }
  const inbox = look<{ state: string; count: number }>(
    'select state, count(*)::int as count from inbox group by state',
  );
  const count = (state: string) => inbox.find(one => one.state === state)?.count ?? 0;
  if (count('due') > 0) journal.violate('F16', `${count('due')} webhooks are still due`);
  if (count('parked') !== senders.strange())
    journal.violate('F16', `${count('parked')} webhooks are parked in the place of ${senders.strange()}`);
}

function groupBy<Row extends { transaction_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.transaction_id);
    if (group) group.push(row);
    else groups.set(row.transaction_id, [row]);
  }
  return groups;
}
