/** The supervisor: keeps two instances running on one database, and the killer that ends one of them again and again. */
import { setTimeout as wait } from 'node:timers/promises';
import { findPort, type Running } from './processes.ts';
import type { World } from './world.ts';

export interface Supervisor {
  /** Where the two are reached, while they are up. */
  urls: readonly string[];
  /** To be told of every answer one of them has given. */
  answered(url: string): void;
  /** Every 200 ms, ends one that has come so far as to answer, chosen at random. */
  startKilling(): void;
  /** Ends the killing; resolves when both are up. */
  stopKilling(): Promise<void>;
  /** So many kills, those of them that hit a worker in the middle of a database transaction, and when the last one was. */
  counts: Readonly<{ kills: number; inWorker: number; lastAt: number }>;
  stop(): void;
}

interface Slot {
  port: number;
  name: string;
  running: Running | undefined;
  answers: number;
}

const EVERY_MS = 200;
/** Starting takes longer than 200 ms: without a life in between nothing would be under way when it ends. */
const LEAST_ANSWERS = { small: 40, full: 100 };
const LONGEST_START_MS = 60_000;

export async function startSupervisor(world: World, allowedHost: string): Promise<Supervisor> {
  const slots: Slot[] = [
    { port: await findPort(), name: 'one', running: undefined, answers: 0 },
    { port: await findPort(), name: 'two', running: undefined, answers: 0 },
  ];
  const counts = { kills: 0, inWorker: 0, lastAt: 0 };
  const leastAnswers = world.small ? LEAST_ANSWERS.small : LEAST_ANSWERS.full;
  let stopped = false;
  let killing: Promise<void> | undefined;
  let isKilling = false;

  async function keepUp(slot: Slot): Promise<void> {
    while (!stopped) {
      const { port, name } = slot;
      slot.running = await world.start({ port, name, allowedHost });
      slot.answers = 0;
      await slot.running?.gone;
      slot.running = undefined;
    }
  }

  async function allUp(): Promise<void> {
    const until = Date.now() + LONGEST_START_MS;
    while (slots.some(({ running }) => !running)) {
      if (Date.now() > until) throw new Error('an instance does not start');
      await wait(20);
    }
  }

  /** Halted first, so that the database can be asked what it was in the middle of; nothing it does goes on. */
  async function kill(slot: Slot): Promise<void> {
    const { running, name } = slot;
    if (!running) return;
    running.freeze();
    counts.kills++;
    const [found] = await world.query<{ count: string }>(
      // A statement that began later than its transaction: one of several.
      `select count(*) from pg_stat_activity
      where application_name = $1 and state <> 'idle' and xact_start < query_start`,
      [name],
    );
    if (Number(found?.count) > 0) counts.inWorker++;
    running.kill();
    counts.lastAt = performance.now();
    await running.gone;
  }

  async function killOnAndOn(): Promise<void> {
    while (isKilling) {
      const up = slots.filter(({ running, answers }) => running && answers >= leastAnswers);
      if (up.length > 0) await kill(world.chance.pick(up));
      await wait(EVERY_MS);
    }
  }

  for (const slot of slots) void keepUp(slot);
  await allUp();
  return {
    urls: slots.map(({ port }) => `http://127.0.0.1:${port}`),
    answered(url) {
      const slot = slots.find(({ port }) => url.endsWith(`:${port}`));
      if (slot) slot.answers++;
    },
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
