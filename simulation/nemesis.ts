/** The nemesis: what goes wrong, and when, as the seed has it. */
import type { Chance } from '../faults/bed/chance.ts';
import { ANSWER_FAULTS } from './answers.ts';
import type { Fleet } from './fleet.ts';
import { crash, type Instance, stop } from './instance.ts';
import type { Journal } from './journal.ts';
import { loseSessions } from './machine/database.ts';
import { cutLinks, slowDown } from './machine/network.ts';
import { pause } from './machine/time.ts';
import { trouble } from './machine/trouble.ts';
import { SHOP_FAULTS, type Shops } from './shops.ts';
import { PROVIDERS } from './tales.ts';

export interface Stage {
  chance: Chance;
  journal: Journal;
  fleet: Fleet;
  shops: Shops;
  hosts: readonly string[];
  instances(): Instance[];
  /** Starts an instance in the place of one that is gone. */
  restart(instance: Instance): void;
  sendStrange(): Promise<void>;
}

type Deed = (stage: Stage) => Promise<void>;

const POINTS = ['understood', 'priced', 'written', 'asking', 'answered', 'committed'] as const;
const HOUR_MS = 3_600_000;

/** Does so many deeds, each at its time, and undoes them before the end. */
export async function rage(
  stage: Stage,
  { deeds, within }: { deeds: number; within: number },
): Promise<void> {
  const { chance } = stage;
  const chosen = Array.from({ length: deeds }, () => ({
    at: chance.whole(0, within),
    deed: chance.pick(DEEDS),
  }));
  await Promise.all(
    chosen.map(async ({ at, deed }) => {
      await pause(at);
      await deed(stage);
    }),
  );
}

/** Everything is well from now on. */
export function makePeace({ fleet, shops, hosts }: Pick<Stage, 'fleet' | 'shops' | 'hosts'>): void {
  for (const provider of PROVIDERS) fleet.fault(provider, undefined);
  for (const host of hosts) shops.fault(host, undefined);
  trouble.isAway = false;
  trouble.cancels = 0;
  trouble.isFull = false;
  slowDown();
}

const providerFault: Deed = async ({ chance, fleet }) => {
  const [provider, kind] = [chance.pick(PROVIDERS), chance.pick(ANSWER_FAULTS)];
  fleet.fault(provider, kind);
  await pause(chance.whole(2_000, 9_000));
  fleet.fault(provider, undefined);
};

/** Orders are made, and whoever wanted them does not hear of it. */
const orderAnswersLost: Deed = async ({ chance, fleet }) => {
  fleet.fault('guardarian', chance.pick(['cut', 'reset', 'cut'] as const));
  await pause(chance.whole(2_000, 8_000));
  fleet.fault('guardarian', undefined);
};

const allDown: Deed = async ({ chance, fleet, journal }) => {
  journal.reach('all providers down');
  for (const provider of PROVIDERS) fleet.fault(provider, chance.pick(['error', 'reset', 'hang'] as const));
  await pause(chance.whole(2_000, 6_000));
  for (const provider of PROVIDERS) fleet.fault(provider, undefined);
};

const shopFault: Deed = async ({ chance, shops, hosts }) => {
  const [host, kind] = [chance.pick(hosts), chance.pick(SHOP_FAULTS)];
  shops.fault(host, kind);
  await pause(chance.whole(3_000, 20_000));
  shops.fault(host, undefined);
};

/** Whoever is just starting may be hit as well. */
const killOne: Deed = async stage => {
  const victim = stage.instances().find(({ state }) => state === 'starting') ?? pickServing(stage);
  if (!victim) return;
  stage.journal.reach('an instance killed');
  crash(victim, stage.journal);
  await comeBack(stage, victim);
};

const killInCheckout: Deed = async stage => {
  const victim = pickServing(stage);
  if (!victim) return;
  victim.dieAt = { point: stage.chance.pick(POINTS), nth: stage.chance.whole(1, 3) };
  for (let waited = 0; waited < 40 && victim.state === 'serving'; waited++) await pause(500);
  victim.dieAt = undefined;
  if (victim.state === 'gone') await comeBack(stage, victim);
};

/** And one of them once more while it starts. */
const killBoth: Deed = async stage => {
  const victims = stage.instances().filter(({ state }) => state === 'serving');
  if (victims.length < 2) return;
  stage.journal.reach('both instances killed at once');
  for (const victim of victims) crash(victim, stage.journal);
  await Promise.all(victims.map(victim => comeBack(stage, victim)));
  await pause(stage.chance.whole(1, 40));
  const starting = stage.instances().find(({ state }) => state === 'starting');
  if (!starting) return;
  crash(starting, stage.journal);
  await comeBack(stage, starting);
};

const stopOne: Deed = async stage => {
  const victim = pickServing(stage);
  if (!victim) return;
  stage.journal.reach('an instance stopped in order');
  await stop(victim, stage.journal);
  await comeBack(stage, victim);
};

const databaseAway: Deed = async ({ chance, journal }) => {
  if (trouble.isAway) return;
  journal.reach('database away');
  journal.note('database away');
  trouble.isAway = true;
  loseSessions();
  await pause(chance.whole(500, 8_000));
  trouble.isAway = false;
  journal.note('database back');
};

const connectionsKilled: Deed = async ({ journal }) => {
  journal.reach('database connections killed');
  journal.note('connections killed');
  loseSessions();
};

const statementsCancelled: Deed = async ({ chance }) => {
  trouble.cancels = 0.1;
  await pause(chance.whole(500, 4_000));
  trouble.cancels = 0;
};

const diskFull: Deed = async ({ chance, journal }) => {
  journal.note('disk full');
  trouble.isFull = true;
  await pause(chance.whole(500, 5_000));
  trouble.isFull = false;
};

const clockJump: Deed = async stage => {
  const victim = pickServing(stage);
  if (!victim) return;
  stage.journal.reach('a clock an hour off');
  const jump = stage.chance.pick([-HOUR_MS, HOUR_MS]);
  stage.journal.note(`clock of ${victim.place} ${jump}`);
  victim.owner.skewMs += jump;
  await pause(stage.chance.whole(1_000, 8_000));
  victim.owner.skewMs -= jump;
};

const networkCut: Deed = async stage => {
  const victim = pickServing(stage);
  if (!victim) return;
  stage.journal.reach('every connection of an instance cut');
  stage.journal.note(`connections of ${victim.place} cut`);
  cutLinks(victim.owner);
};

const networkSlow: Deed = async ({ chance, journal }) => {
  journal.reach('a slow network');
  slowDown(chance.whole(20, 150));
  await pause(chance.whole(1_000, 8_000));
  slowDown();
};

const strangers: Deed = async ({ sendStrange }) => sendStrange();

const DEEDS: readonly Deed[] = [
  ...[providerFault, providerFault, providerFault, orderAnswersLost, allDown, shopFault, shopFault],
  ...[killOne, killInCheckout, killInCheckout, killBoth, stopOne],
  ...[databaseAway, connectionsKilled, statementsCancelled, diskFull],
  ...[clockJump, networkCut, networkSlow, strangers],
];

function pickServing({ chance, instances }: Stage): Instance | undefined {
  const serving = instances().filter(({ state }) => state === 'serving');
  return serving.length > 0 ? chance.pick(serving) : undefined;
}

async function comeBack(stage: Stage, victim: Instance): Promise<void> {
  await pause(stage.chance.whole(300, 6_000));
  stage.restart(victim);
}
