/** Instances: the whole service, composed as it always is, on a machine that may lose its power at any moment. */
import type { DestinationStream } from 'pino';
import type { CheckoutPoint } from '../src/app/checkout.ts';
import { readConfig } from '../src/config.ts';
import { type Service, startService } from '../src/main.ts';
import { plansOf } from './fleet.ts';
import type { Journal } from './journal.ts';
import { countSessions, loseSessions } from './machine/database.ts';
import { abandonServers } from './machine/http.ts';
import { countLinks, cutLinks } from './machine/network.ts';
import { after, type Owner, pause, pendingOf, ticks, WORLD } from './machine/time.ts';

export interface Instance {
  owner: Owner;
  place: string;
  state: 'starting' | 'serving' | 'stopping' | 'gone';
  service: Service | undefined;
  /** Since when it has been serving, in ticks. */
  since: number;
  /** Pulls the plug at the n-th arrival at a point of a checkout. */
  dieAt: { point: CheckoutPoint; nth: number } | undefined;
}

export const PUBLIC_URL = 'https://pay.example';
export const DEADLINE_MS = 2_000;

export interface InstanceOptions {
  number: number;
  skewMs: number;
  sandboxUrl: string;
  journal: Journal;
  /** Looks at every line that is logged. */
  onLine(line: string): void;
  /** It could not start: what it needs is not there. */
  onFailed?(instance: Instance): void;
}

let started = 0;

/** Starts an instance; it serves some time later, if nothing happens to it. */
export function startInstance({ number, skewMs, sandboxUrl, journal, ...told }: InstanceOptions): Instance {
  const host = `10.0.0.${number}`;
  const instance: Instance = {
    owner: { name: `instance ${number}.${started++}`, isAlive: true, skewMs },
    place: `${host}:8080`,
    state: 'starting',
    service: undefined,
    since: 0,
    dieAt: undefined,
  };
  let arrivals = 0;
  const config = readConfig({
    HOST: host,
    PORT: '8080',
    DATABASE_URL: 'postgres://simulated',
    MASTER_KEY: '5a'.repeat(32),
    DATA_DIR: '/nonexistent',
    PUBLIC_URL,
    QUOTE_DEADLINE_MS: String(DEADLINE_MS),
    LOG_LEVEL: 'info',
    // All shops call from few addresses, and the loop's own pace is not the simulated one.
    ...{ RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0', MOST_DELAY_MS: '0' },
  });
  const begin = () =>
    startService(config, {
      sandboxUrl,
      plans: plansOf(),
      logTo: { write: told.onLine } as DestinationStream,
      reach(point) {
        const { dieAt } = instance;
        if (point !== dieAt?.point || ++arrivals !== dieAt.nth) return;
        journal.reach(`killed in a checkout, ${point}`);
        crash(instance, journal);
      },
    }).then(
      service => {
        if (instance.state !== 'starting') return;
        instance.service = service;
        instance.state = 'serving';
        instance.since = ticks();
        journal.note(`${host} serves`);
      },
      error => {
        journal.note(`${host} does not start: ${(error as Error).message.slice(0, 60)}`);
        if (instance.state !== 'starting') return;
        instance.state = 'gone';
        forget(instance);
        told.onFailed?.(instance);
      },
    );
  journal.note(`${host} starts`);
  after(1, () => void begin(), instance.owner);
  return instance;
}

/** The power goes: nothing that it was about to do happens any more. */
export function crash(instance: Instance, journal: Journal): void {
  if (instance.state === 'gone') return;
  journal.note(`${instance.place} dies, ${instance.state}`);
  if (instance.state === 'starting') journal.reach('killed while it was starting');
  instance.state = 'gone';
  forget(instance);
}

/** Nobody hears of it any more. */
function forget({ owner }: Instance): void {
  owner.isAlive = false;
  cutLinks(owner);
  loseSessions(owner);
  abandonServers(owner);
}

const STOP_MS = 12_000;
const GRACE_MS = 2_500;

/** Ends it in order, as SIGTERM does; nothing of it may be left. */
export async function stop(instance: Instance, journal: Journal): Promise<void> {
  const { service, owner, place } = instance;
  if (!service || instance.state !== 'serving') return;
  instance.state = 'stopping';
  journal.note(`${place} stops`);
  const began = ticks();
  await new Promise<void>(resolve => {
    after(0, () => void service.close().then(() => after(0, resolve, WORLD)), owner);
    after(STOP_MS, resolve, WORLD);
  });
  const took = ticks() - began;
  // What was on its way to it arrives, and what it once waited for at its start is over.
  await pause(GRACE_MS);
  if ((instance.state as string) === 'gone') return;
  if (took >= STOP_MS) journal.violate('P10', `${place} has not stopped after ${STOP_MS} ms`);
  const left = { timers: pendingOf(owner), links: countLinks(owner), sessions: countSessions(owner) };
  journal.note(`${place} has stopped after ${took.toFixed(0)} ms, left ${JSON.stringify(left)}`);
  if (took < STOP_MS && left.timers + left.links + left.sessions > 0)
    journal.violate('P10', `${place} left behind ${JSON.stringify(left)}`);
  instance.state = 'gone';
  forget(instance);
}
