/** Troubles of a database, each begun and ended, with how often it happened. */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type Cluster, urlOf } from '../bed/cluster.ts';
import type { Load } from '../bed/load.ts';
import type { Relay } from '../bed/relay.ts';
import type { World } from '../bed/world.ts';

export interface Trouble {
  what: string;
  /** So many times it is gone through. */
  times: number;
  /** Brings it about and ends it; how often it happened. Full service is to be had soon after. */
  undergo(): Promise<number>;
}

export interface Scene {
  world: World;
  cluster: Cluster;
  relay: Relay;
  /** The database of the world. */
  database: string;
}

export interface Bed extends Scene {
  load: Load;
}

/** More than there are connections for. */
const CROWD = 12;

const OURS = `application_name = 'instance'`;

export function troublesOf({ world, cluster, relay, database, load }: Bed): Trouble[] {
  const { small } = world;
  const times = small ? 1 : 5;
  const whileMs = small ? 2_000 : 10_000;

  async function restart(how: 'fast' | 'immediate', awayMs = 0): Promise<number> {
    await cluster.stop(how);
    await wait(awayMs);
    await cluster.start();
    return 1;
  }

  /** Does it again and again for a while; how often it happened. */
  async function repeat(everyMs: number, act: () => Promise<number>): Promise<number> {
    const until = performance.now() + whileMs;
    let count = 0;
    while (performance.now() < until) {
      count += await act();
      await wait(everyMs);
    }
    return count;
  }

  async function killConnections(): Promise<number> {
    const rows = await world.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${OURS}`);
    return rows.length;
  }

  /** Every table that a request needs is somebody else's: whoever asks for it keeps a connection and waits. */
  async function holdLocks(): Promise<number> {
    const client = new pg.Client(urlOf(cluster.port(), database));
    await client.connect();
    try {
      await client.query('begin; lock table transactions, idempotency_keys, entries, inbox');
      const until = performance.now() + whileMs;
      let most = 0;
      const crowds: Promise<void>[] = [];
      while (performance.now() < until) {
        crowds.push(load.burst('transactions', CROWD));
        await wait(50);
        const { rows } = await client.query(
          `select count(*) from pg_stat_activity where ${OURS} and wait_event_type = 'Lock'`,
        );
        most = Math.max(most, Number(rows[0].count));
        await wait(250);
      }
      await Promise.all(crowds);
      return most;
    } finally {
      await client.end();
    }
  }

  return [
    { what: 'restart, fast', times, undergo: () => restart('fast') },
    { what: 'restart, immediate', times, undergo: () => restart('immediate') },
    { what: 'away', times: 1, undergo: () => restart('fast', small ? 4_000 : 30_000) },
    {
      what: 'every connection killed',
      times: 1,
      undergo: () => repeat(200, killConnections),
    },
    { what: 'tables locked, pool exhausted', times: 1, undergo: holdLocks },
    {
      what: 'statements that run into statement_timeout',
      times: 1,
      undergo: () => spoilWrites({ world, load }, { whileMs, spoil: SLEEP }),
    },
    {
      what: 'serialization failures and deadlocks',
      times: 1,
      undergo: () => spoilWrites({ world, load }, { whileMs, spoil: CLASH }),
    },
    {
      what: 'failover to another address',
      times,
      async undergo() {
        relay.lead(undefined);
        await cluster.stop('immediate');
        await cluster.start(true);
        relay.lead(cluster.port());
        return 1;
      },
    },
    {
      what: 'silent: nothing is refused, nothing answered',
      times,
      async undergo() {
        relay.silence();
        await wait(small ? 2_500 : 5_000);
        relay.speak();
        return 1;
      },
    },
  ];
}

const SLEEP = 'perform pg_sleep(5);';
const CLASH = `raise exception 'met another' using errcode = case when random() < 0.5 then '40001' else '40P01' end;`;
const SPOILED = ['transactions', 'idempotency_keys', 'inbox', 'notices', 'tasks'];

/** Spoils every seventh write of a table that requests need, for a while; how many. */
async function spoilWrites(
  { world, load }: Pick<Bed, 'world' | 'load'>,
  { whileMs, spoil }: { whileMs: number; spoil: string },
): Promise<number> {
  // A sequence counts whatever becomes of the transaction.
  await world.query(`
    drop sequence if exists writes, spoiled;
    create sequence writes;
    create sequence spoiled;
    create or replace function spoil() returns trigger language plpgsql as $$
    begin
      if nextval('writes') % 7 = 0 then
        perform nextval('spoiled');
        ${spoil}
      end if;
      return new;
    end $$`);
  for (const table of SPOILED)
    await world.query(
      `create trigger spoil before insert or update on ${table} for each statement execute function spoil()`,
    );
  const crowd = load.burst('checkout', CROWD);
  await wait(whileMs);
  for (const table of SPOILED) await world.query(`drop trigger spoil on ${table}`);
  await crowd;
  const [row] = await world.query<{ last: string; called: boolean }>(
    'select last_value as last, is_called as called from spoiled',
  );
  return row?.called ? Number(row.last) : 0;
}
