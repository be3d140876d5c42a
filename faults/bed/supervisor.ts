/** The supervisor: keeps two instances running on one database, and the killer that ends one of them again and again. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { findPort, type Spawned } from './processes.ts';
import type { World } from './world.ts';

export interface Supervisor {
  /** Where the two are reached, while they are up. */
  urls: readonly string[];
  /** Where one serves, chosen at random, as soon as one does: what a balancer knows. */
  find(): Promise<string>;
  /** Every 200 ms, ends one of the two, chosen at random, whether it serves already or is still starting. */
  startKilling(): void;
  /** Ends the killing; resolves when both are up. */
  stopKilling(): Promise<void>;
  counts: Readonly<Kills>;
  stop(): void;
}

export interface Kills {
  kills: number;
  /** Those of instances that served. */
  serving: number;
  /** Those that hit a worker in the middle of a database transaction. */
  inWorker: number;
  /** When the last one was. */
  lastAt: number;
}

interface Slot {
  port: number;
  name: string;
  spawned: Spawned | undefined;
  isUp: boolean;
}

/** Starting takes longer: most are ended before they serve. */
const EVERY_MS = 200;
const LONGEST_START_MS = 60_000;

export async function startSupervisor(world: World, allowedHost: string): Promise<Supervisor> {
  const slots: Slot[] = [
    { port: await findPort(), name: 'one', spawned: undefined, isUp: false },
    { port: await findPort(), name: 'two', spawned: undefined, isUp: false },
  ];
  const counts: Kills = { kills: 0, serving: 0, inWorker: 0, lastAt: 0 };
  const rises = new EventEmitter().setMaxListeners(0);
  let stopped = false;
  let killing: Promise<void> | undefined;
  let isKilling = false;

  async function keepUp(slot: Slot): Promise<void> {
    const { port, name } = slot;
    const onSpawned = (spawned: Spawned) => {
      slot.spawned = spawned;
    };
    while (!stopped) {
      const running = await world.start({ port, name, allowedHost, onSpawned });
      slot.isUp = running !== undefined;
      if (running) rises.emit('up');
      await running?.gone;
      slot.isUp = false;
    }
  }

  async function find(): Promise<string> {
    for (;;) {
      const up = slots.filter(({ isUp }) => isUp);
      if (up.length > 0) return urlOf(world.chance.pick(up));
      await once(rises, 'up');
    }
  }

  async function allUp(): Promise<void> {
    const until = Date.now() + LONGEST_START_MS;
    while (!slots.every(({ isUp }) => isUp)) {
      if (Date.now() > until) throw new Error('an instance does not start');
      await wait(20);
    }
  }

  /** Halted first, so that the database can be asked what it was in the middle of; nothing it does goes on. */
  async function kill(slot: Slot): Promise<void> {
    const { spawned, name, isUp } = slot;
    if (!spawned) return;
    slot.spawned = undefined;
    spawned.freeze();
    counts.kills++;
    if (isUp) counts.serving++;
    const [found] = await world.query<{ count: string }>(
      // A statement that began later than its transaction: one of several.
      `select count(*) from pg_stat_activity
      where application_name = $1 and state <> 'idle' and xact_start < query_start`,
      [name],
    );
    if (isUp && Number(found?.count) > 0) counts.inWorker++;
    spawned.kill();
    counts.lastAt = performance.now();
    await spawned.gone;
  }

  async function killOnAndOn(): Promise<void> {
    for (let due = performance.now() + EVERY_MS; isKilling; due += EVERY_MS) {
      await wait(Math.max(0, due - performance.now()));
      await kill(world.chance.pick(slots));
    }
  }

  for (const slot of slots) void keepUp(slot);
  await allUp();
  return {
    urls: slots.map(urlOf),
    find,
    startKilling() {
      isKilling = true;
      killing = killOnAndOn();
    },
    async stopKilling() {
      isKilling = false;
      await killing;
      await allUp();
    },
    counts,
    stop() {
      stopped = true;
    },
  };
}

function urlOf({ port }: Slot): string {
  return `http://127.0.0.1:${port}`;
}
