/** Deliveries: which event is still to be told to which endpoint, claimed by one instance at a time under a lease. */
import { type RawBuilder, sql } from 'kysely';
import type { AccountId } from '../domain/words.ts';
import type { Database } from './database.ts';
import { MOST_AT_ONCE, wasLast } from './pieces.ts';

/** What an endpoint that was removed has for a URL until everything that was delivered to it is forgotten. */
export const REMOVED = '';

export type DeliveryState = 'due' | 'delivered' | 'dead';

/** A delivery that is ours to attempt, with all that it takes. */
export interface Claimed {
  eventId: string;
  endpointId: string;
  /** This one included. */
  attempts: number;
  sequence: number;
  body: string;
  createdAt: Date;
  url: string;
  /** Sealed. */
  secret: string;
  previousSecret: string | null;
}

export interface ClaimWish {
  most: number;
  leaseMs: number;
  /** How many to take of each endpoint; `otherwise` of those not named. */
  rooms: ReadonlyMap<string, number>;
  otherwise: number;
}

/** How far past those that wait for an earlier one it is looked; changes of one transaction are far fewer. */
const LOOK_AHEAD = 64;

/**
 * Takes due deliveries, those that have waited longest first, and of no endpoint more than there is room for. One whose
 * transaction has an earlier event for the same endpoint that is ahead of it and was never attempted, or is just being
 * attempted, waits for that; one that failed and will be tried again holds up nobody. Whatever is ahead is looked at
 * too, so that something always moves: of what is due at one moment, lower sequence numbers come first.
 */
export async function claimDeliveries(
  database: Database,
  { most, leaseMs, rooms, otherwise }: ClaimWish,
): Promise<Claimed[]> {
  const { rows } = await sql<Claimed>`
    /* claim deliveries */
    with chosen as (
      select d.event_id, d.endpoint_id, d.sequence, d.body, d.created_at, p.url, p.secret, p.previous_secret
      from endpoints p
      left join unnest(${[...rooms.keys()]}::text[], ${[...rooms.values()]}::int[]) as r (id, room) on r.id = p.id
      cross join lateral (
        select d.event_id, d.endpoint_id, d.due_at, e.sequence, e.body, e.created_at
        from (
          select event_id, endpoint_id, due_at from deliveries
          where endpoint_id = p.id and state = 'due' and due_at <= now() and (leased_until is null or leased_until < now())
          order by due_at, length(event_id), event_id limit ${LOOK_AHEAD}
        ) d
        join events e on e.id = d.event_id
        where not coalesce((
          select b.state = 'due' and (b.leased_until > now() or (b.attempts = 0 and b.due_at <= d.due_at))
          from deliveries b
          where b.event_id = e.transaction_id || '-' || (e.sequence - 1) and b.endpoint_id = d.endpoint_id
        ), false)
        order by d.due_at limit coalesce(r.room, ${otherwise}::int)
      ) d
      where p.disabled_at is null and coalesce(r.room, ${otherwise}::int) > 0
      order by d.due_at limit ${most}
    ), locked as (
      select d.event_id, d.endpoint_id from deliveries d join chosen c using (event_id, endpoint_id)
      where d.state = 'due' and d.due_at <= now() and (d.leased_until is null or d.leased_until < now())
      for update of d skip locked
    )
    update deliveries d set
      leased_until = now() + ${`${leaseMs} milliseconds`}::interval,
      attempts = d.attempts + 1
    from locked l join chosen c using (event_id, endpoint_id)
    where d.event_id = l.event_id and d.endpoint_id = l.endpoint_id
    returning d.event_id as "eventId", d.endpoint_id as "endpointId", d.attempts, c.sequence, c.body,
      c.created_at as "createdAt", c.url, c.secret, c.previous_secret as "previousSecret"`.execute(database);
  return rows;
}

type DeliveryKey = Pick<Claimed, 'eventId' | 'endpointId' | 'attempts'>;

/** It has arrived; whatever else has been made of the delivery meanwhile, that is so. */
export async function settleDelivered(database: Database, key: DeliveryKey, status: number): Promise<void> {
  await sql`
    /* settle delivered */
    update deliveries
    set state = 'delivered', done_at = now(), leased_until = null, last_status = ${status}, last_error = ''
    where event_id = ${key.eventId} and endpoint_id = ${key.endpointId}`.execute(database);
}

export interface Failure {
  status: number | undefined;
  error: string;
  /** When to try again; never, when absent. */
  againInMs: number | undefined;
  /** Whether we broke it off ourselves: that is no attempt of the few there are. */
  isOurs?: boolean;
}

/** It has not arrived; nothing is written when the delivery is no longer ours. */
export async function settleFailed(
  database: Database,
  { eventId, endpointId, attempts }: DeliveryKey,
  { status, error, againInMs, isOurs = false }: Failure,
): Promise<void> {
  const isDead = againInMs === undefined;
  await sql`
    update deliveries set
      state = ${isDead ? 'dead' : 'due'},
      due_at = now() + ${`${againInMs ?? 0} milliseconds`}::interval,
      done_at = ${isDead ? sql`now()` : null},
      attempts = attempts - ${isOurs ? 1 : 0},
      leased_until = null, last_status = ${status ?? null}, last_error = ${error}
    where event_id = ${eventId} and endpoint_id = ${endpointId} and state = 'due' and attempts = ${attempts}`.execute(
    database,
  );
}

/** Gives up a piece of what an endpoint was still to be sent. False when there may be more. */
export async function buryDeliveries(trx: Database, endpointId: string, reason: string): Promise<boolean> {
  const eventIds = await lockPiece(trx, sql`endpoint_id = ${endpointId} and state = 'due'`);
  const buried = await sql`
    update deliveries set ${dead(reason)}
    where event_id = any(${eventIds}::text[]) and endpoint_id = ${endpointId}`.execute(trx);
  return wasLast(buried);
}

/** Forgets a piece of what an endpoint was sent or was still to be. False when there may be more. */
export async function deleteDeliveries(trx: Database, endpointId: string): Promise<boolean> {
  const eventIds = await lockPiece(trx, sql`endpoint_id = ${endpointId}`);
  const deleted = await sql`
    delete from deliveries
    where event_id = any(${eventIds}::text[]) and endpoint_id = ${endpointId}`.execute(trx);
  return wasLast(deleted);
}

/** The events of some deliveries. A statement of its own: joined to another, it is begun anew for every row at worst. */
async function lockPiece(trx: Database, which: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ eventId: string }>`
    select event_id as "eventId" from deliveries where ${which} limit ${MOST_AT_ONCE} for update`.execute(
    trx,
  );
  return rows.map(({ eventId }) => eventId);
}

/** When the attempts at a delivery are due, counted from the first, and how long all of them take at most. */
export interface AttemptPlan {
  dueMs: readonly number[];
  longestMs: number;
}

/** Of all that is due those are looked at that have waited longest; far fewer come in while one attempt is made. */
const MOST_LATE = 1_000;

/**
 * Gives up what an endpoint could not be sent in time: what is due though its event is older than all its attempts take.
 * Whatever was asked for again after that has as long once more; when it was is told by the attempts made since.
 */
export async function buryLate(
  database: Database,
  endpointId: string,
  { plan, reason }: { plan: AttemptPlan; reason: string },
): Promise<void> {
  const longest = sql`${plan.longestMs}::float8 * interval '1 millisecond'`;
  const planned = sql`coalesce((${plan.dueMs}::float8[])[d.attempts + 1], ${plan.longestMs}) * interval '1 millisecond'`;
  await sql`
    with waiting as (
      select event_id, endpoint_id from deliveries
      where endpoint_id = ${endpointId} and state = 'due' and due_at <= now()
      order by due_at limit ${MOST_LATE}
    ), late as (
      select d.event_id, d.endpoint_id
      from waiting join deliveries d using (event_id, endpoint_id) join events e on e.id = d.event_id
      where d.state = 'due' and d.due_at <= now() and (d.leased_until is null or d.leased_until < now())
        and e.created_at < now() - ${longest}
        and d.due_at - ${planned} < greatest(now() - ${longest}, e.created_at + ${longest})
      for update of d skip locked
    )
    update deliveries d set ${dead(reason)}
    from late l where d.event_id = l.event_id and d.endpoint_id = l.endpoint_id`.execute(database);
}

function dead(reason: string) {
  return sql`state = 'dead', done_at = now(), leased_until = null, last_error = ${reason}`;
}

/** A delivery as it stands. */
export interface Delivery {
  eventId: string;
  endpointId: string;
  url: string;
  transactionId: string;
  sequence: number;
  state: DeliveryState;
  attempts: number;
  lastStatus: number | null;
  lastError: string;
  createdAt: Date;
  dueAt: Date;
  doneAt: Date | null;
}

export interface DeliveryFilter {
  endpointId?: string | undefined;
  accountId?: AccountId | undefined;
  state?: DeliveryState | undefined;
  limit: number;
}

/** The newest first; none of an endpoint that was removed. */
export async function listDeliveries(
  database: Database,
  { endpointId, accountId, state, limit }: DeliveryFilter,
): Promise<Delivery[]> {
  let query = database
    .selectFrom('deliveries as d')
    .innerJoin('events as e', 'e.id', 'd.event_id')
    .innerJoin('endpoints as p', 'p.id', 'd.endpoint_id')
    .select(['d.event_id as eventId', 'd.endpoint_id as endpointId', 'p.url', 'd.state', 'd.attempts'])
    .select(['e.transaction_id as transactionId', 'e.sequence', 'e.created_at as createdAt'])
    .select(['d.last_status as lastStatus', 'd.last_error as lastError'])
    .select(['d.due_at as dueAt', 'd.done_at as doneAt'])
    .where('p.url', '<>', REMOVED);
  if (endpointId !== undefined) query = query.where('d.endpoint_id', '=', endpointId);
  // Of the event as well: its account's events are in order already.
  if (accountId !== undefined)
    query = query.where('p.account_id', '=', accountId).where('e.account_id', '=', accountId);
  if (state !== undefined) query = query.where('d.state', '=', state);
  const rows = await query.orderBy('e.created_at', 'desc').orderBy('e.id', 'desc').limit(limit).execute();
  return rows as Delivery[];
}

/** Which events to tell an endpoint of once more. */
export type ReplayWish = { state: 'dead' } | { eventIds: readonly string[] } | { since: Date };

/**
 * Makes deliveries due again as if they had never been attempted, the oldest first and at most `most`; gives how many,
 * which is none while the endpoint is disabled. Events that were never to be told to it, because it was made or enabled
 * later, are told as well.
 */
export async function replayDeliveries(
  database: Database,
  endpoint: { id: string; accountId: AccountId },
  { wish, most }: { wish: ReplayWish; most: number },
): Promise<number> {
  // The events stay while they are made due: whoever erases some of them waits, and finds that.
  // Every transaction has a moment of its own: what is due at one moment is put in order whenever some of it is claimed.
  const { numAffectedRows } = await sql`
    insert into deliveries (event_id, endpoint_id, due_at)
    select id, endpoint_id,
      now() + (dense_rank() over (order by transaction_id) - ${most}::int) * interval '1 microsecond'
    from (
      select e.id, e.transaction_id, p.id as endpoint_id
      from events e
      cross join (
        select id from endpoints where id = ${endpoint.id} and disabled_at is null for share
      ) p
      where e.account_id = ${endpoint.accountId} and ${isWished(endpoint.id, wish)}
      order by e.created_at, e.id limit ${most}
      for key share of e
    ) wished
    order by transaction_id, id
    on conflict (event_id, endpoint_id) do update
    set state = 'due', due_at = excluded.due_at, attempts = 0, done_at = null`.execute(database);
  return Number(numAffectedRows ?? 0n);
}

function isWished(endpointId: string, wish: ReplayWish) {
  if ('since' in wish) return sql`e.created_at >= ${wish.since}`;
  if ('eventIds' in wish) return sql`e.id = any(${wish.eventIds}::text[])`;
  return sql`
    e.id in (select event_id from deliveries where endpoint_id = ${endpointId} and state = ${wish.state})`;
}
