/** The run of rolling restarts: two instances go one after the other, again and again, and nobody notices. */
import { setTimeout as wait } from 'node:timers/promises';
import { checkOut, checkoutLetter, openClient, registerEndpoint } from '../bed/client.ts';
import { type Load, settleAll, startLoad } from '../bed/load.ts';
import { findPort, type Running } from '../bed/processes.ts';
import { type Receiver, startReceiver } from '../bed/receiver.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { followPages } from './pages.ts';

const RESTARTS = 50;
const PAGES = 8;
const REST_MS = 15;
/** Notice, what is under way, and a second. */
const LONGEST_STOP_MS = 5_000;

export async function runRolling(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'rolling', small, seed, accounts: 1 });
  const receiver = await startReceiver(world.chance);
  const ports = [await findPort(), await findPort()] as const;
  const balancer = await startBalancer(ports);
  try {
    const found = await rollOn({ world, receiver, balancer, ports });
    return { run: 'rolling', seed, seconds: Math.round((performance.now() - began) / 1000), ...found };
  } finally {
    await balancer.close();
    await world.close();
    await receiver.close();
  }
}

interface Scene {
  world: World;
  receiver: Receiver;
  balancer: Balancer;
  ports: readonly [number, number];
}

async function rollOn(scene: Scene): Promise<Pick<Section, 'lines' | 'examples'>> {
  const { world, receiver, balancer, ports } = scene;
  const running = [await start(scene, 0), await start(scene, 1)];
  const client = openClient(balancer.url, 64);
  const account = world.accounts[0] as World['accounts'][number];
  for (const provider of ['moonpay', 'transak', 'moonpay', 'transak'])
    await checkOut(client, checkoutLetter(account, { provider, partnerContext: 'first' }));
  receiver.learn(0, await registerEndpoint(client, account, receiver.urlOf(0)));
  const pages = await followPages({ world, client, count: PAGES });
  const load = startLoad({ world, client: () => client, restMs: REST_MS });
  const stops: { code: number | null; ms: number }[] = [];
  for (let round = 0; round < (world.small ? 4 : RESTARTS); round++) {
    const at = round % ports.length;
    await wait(300);
    stops.push(await (running[at] as Running).stop());
    running[at] = await start(scene, at);
    if (round % 10 === 9) say(`${round + 1} restarts, ${load.answers.length} answers`);
  }
  await load.stop();
  await pages.stop();
  const lost = await settleAll(world, load);
  await client.close();
  return judge(scene, { load, stops, lost, streams: pages.counts });
}

async function start({ world, receiver, balancer, ports }: Scene, at: number): Promise<Running> {
  const port = ports[at] as number;
  const running = await world.start({ port, name: `rolling-${at}`, allowedHost: receiver.host });
  if (!running) throw new Error('an instance does not start');
  await balancer.ready(port);
  return running;
}

interface Outcome {
  load: Load;
  stops: readonly { code: number | null; ms: number }[];
  lost: Awaited<ReturnType<typeof settleAll>>;
  streams: { opened: number; ended: number; failed: readonly string[] };
}

function judge({ receiver, balancer }: Scene, { load, stops, lost, streams }: Outcome) {
  const failed = load.answers.filter(({ status }) => status !== 200);
  const slowest = Math.max(...load.answers.map(({ ms }) => ms));
  const bad = stops.filter(({ code, ms }) => code !== 0 || ms > LONGEST_STOP_MS);
  const longest = Math.max(...stops.map(({ ms }) => ms));
  const repeated = receiver.counts.deliveries - receiver.delivered.size;
  const line = (what: string, [count, violations, worst = '']: [number, number, string?]): Line => ({
    ...{ fault: 'F21', what, count, violations, worst },
  });
  return {
    lines: [
      line('SIGTERM of one of two instances', [
        ...([stops.length, bad.length] as const),
        `longest shutdown ${(longest / 1000).toFixed(1)} s`,
      ]),
      line('requests through the balancer that failed', [
        ...([load.answers.length, failed.length + balancer.cuts()] as const),
        `slowest ${Math.round(slowest)} ms; ${balancer.cuts()} answers cut`,
      ]),
      line('pay pages followed live that were cut or refused', [
        ...([streams.opened, streams.failed.length] as const),
        `${streams.ended} ended in good order and opened again`,
      ]),
      line('checkouts acknowledged and lost, or made twice', [load.made.size, lost.checkouts.length]),
      line('webhooks acknowledged and lost', [load.told.size, lost.webhooks.length]),
      line('events not told', [
        ...([receiver.delivered.size, lost.events.length + receiver.counts.unsigned] as const),
        `${repeated} repeated by id (allowed)`,
      ]),
    ],
    examples: [
      ...failed.map(({ errand, status, ms }) => `${errand} answered ${status} after ${Math.round(ms)} ms`),
      ...bad.map(({ code, ms }) => `an instance ended with ${code} after ${Math.round(ms)} ms`),
      ...streams.failed,
      ...lost.checkouts,
      ...lost.webhooks,
      ...lost.events,
    ],
  };
}
