/** The run of deliveries: half of all endpoints are dead in every way there is, and the others notice nothing. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Credentials } from '../../src/app/accounts.ts';
import { type Client, checkOut, checkoutLetter, each, openClient, registerEndpoint } from '../bed/client.ts';
import { nameFor, PUBLIC_ADDRESS } from '../bed/network.ts';
import { findPort } from '../bed/processes.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Section, say } from '../report.ts';
import { judge, type Phase } from './judge.ts';
import { type Sites, startSites } from './sites.ts';

const ACCOUNTS = 20;
const EVENTS = 2_000;
const AT_ONCE = 4;
const REST_MS = 30;
/** The second try of what was refused is due by then, and the slow ones have been given up. */
const AFTERMATH_MS = 17_000;
const SETTLE_MS = 60_000;

/** What looks like a host of the internet when it is registered, and is somewhere else when it is called. */
const REBOUND = nameFor([PUBLIC_ADDRESS], ['127.0.0.2'], ['::ffff:127.0.0.2'], ['169.254.169.254']);
const INSIDE = nameFor(['10.0.0.7']);

export async function runDeliveries(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'deliveries', small, seed, accounts: ACCOUNTS });
  const sites = await startSites();
  try {
    const found = await tellEverybody(world, sites);
    return { run: 'deliveries', seed, seconds: Math.round((performance.now() - began) / 1000), ...found };
  } finally {
    await world.close();
    await sites.close();
  }
}

async function tellEverybody(world: World, sites: Sites): Promise<Pick<Section, 'lines' | 'examples'>> {
  const record = join(world.folder, 'connections');
  const port = await findPort();
  const instance = await world.start({
    port,
    allowedHost: sites.hosts.join(','),
    order: { network: { port: sites.strayPort, ownPorts: sites.ports, record } },
  });
  if (!instance) throw new Error('the instance does not start');
  const client = openClient(`http://127.0.0.1:${port}`, 32);
  const accounts = world.accounts;
  await checkOut(client, letterOf(accounts[0] as Credentials, 'first'));
  for (const [at, account] of accounts.entries())
    await registerEndpoint(client, account, sites.healthy(String(at)));
  const events = world.small ? EVENTS / 20 : EVENTS;

  const alone: Phase[] = [await tell(world, { client, sites, name: 'before', count: events / 2 })];
  await registerIll(world, client, sites);
  const among = await tell(world, { client, sites, name: 'among', count: events });
  say('all events made; waiting for second tries');
  await wait(AFTERMATH_MS);
  const ill = await world.query<{
    url: string;
    state: string;
    attempts: number;
    last_error: string;
    disabled: boolean;
  }>(
    `select url, state, attempts, last_error, disabled_at is not null as disabled
    from deliveries join endpoints on endpoints.id = endpoint_id where url not like '%/healthy/%'`,
  );
  await world.query(`delete from deliveries using endpoints
    where endpoint_id = endpoints.id and url not like '%/healthy/%'`);
  await world.query(`delete from endpoints where url not like '%/healthy/%'`);
  alone.push(await tell(world, { client, sites, name: 'after', count: events / 2 }));
  await client.close();
  const connections = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [];
  return judge({ sites, alone, among, ill, connections });
}

function letterOf(account: Credentials, partnerContext: string) {
  return checkoutLetter(account, { provider: 'moonpay', partnerContext });
}

/** Every account has one endpoint more, and none of these is any good. */
async function registerIll(world: World, client: Client, sites: Sites): Promise<void> {
  const { ill } = sites;
  const urls = world.accounts.map((_, at) => {
    const name = String(at);
    const kinds = [
      ...[ill('slow', name), ill('silent', name), ill('error', name), ill('redirect', name)],
      ...[ill('gone', name), ill('huge', name), sites.badlyCertified(name), sites.refused(name)],
      ...[`https://${REBOUND}:8443/${name}`, `https://${INSIDE}/${name}`],
    ];
    return kinds[at % kinds.length] as string;
  });
  for (const [at, account] of world.accounts.entries())
    await registerEndpoint(client, account, urls[at] as string);
}

interface Telling {
  client: Client;
  sites: Sites;
  name: string;
  count: number;
}

/** Makes so many events, one after the other, and waits until the healthy endpoints have heard of all of them. */
async function tell(world: World, { client, sites, name, count }: Telling): Promise<Phase> {
  const first = sites.heard.length;
  const numbers = Array.from({ length: count }, (_, at) => at);
  await each(numbers, AT_ONCE, async at => {
    const account = world.accounts[at % world.accounts.length] as Credentials;
    await checkOut(client, letterOf(account, `${name} ${at}`));
    await wait(REST_MS);
  });
  const made = await world.query<{ id: string; at: Date }>(
    `select events.id, due_at as at from events
    join transactions on transactions.id = transaction_id
    join deliveries on event_id = events.id join endpoints on endpoints.id = endpoint_id
    where partner_context like $1 and url like '%/healthy/%'`,
    [`${name} %`],
  );
  const until = Date.now() + SETTLE_MS;
  const heard = () => new Map(sites.heard.slice(first).map(({ id, at }) => [id, at]));
  while (made.some(({ id }) => !heard().has(`msg_${id}`)) && Date.now() < until) await wait(100);
  const arrived = heard();
  return {
    delays: made.flatMap(({ id, at }) => {
      const came = arrived.get(`msg_${id}`);
      return came === undefined ? [] : [came - at.getTime()];
    }),
    unheard: made.filter(({ id }) => !arrived.has(`msg_${id}`)).map(({ id }) => `${name}: ${id} never came`),
  };
}
