/** The template: a database in which a service has been set up, with accounts and endpoints; every seed begins with a copy. */
import pg from 'pg';
import { createChance } from '../faults/bed/chance.ts';
import { createAccount } from '../src/app/accounts.ts';
import { ask } from './client.ts';
import { openFleet } from './fleet.ts';
import { startInstance, stop } from './instance.ts';
import { openJournal } from './journal.ts';
import { beginChance } from './machine/chance.ts';
import { beginDatabase, endDatabase } from './machine/database.ts';
import { connectDatabase, look, script, settleTables } from './machine/execution.ts';
import { beginNetwork } from './machine/network.ts';
import { after, beginTime, passTime, pause, ticks, WORLD } from './machine/time.ts';
import { type Account, type Endpoint, openShops } from './shops.ts';

export interface Template {
  accounts: readonly Account[];
  endpoints: readonly Endpoint[];
  /** Makes the database what it was when everything had been set up. */
  restore(): void;
}

const ACCOUNTS = 3;
const HOSTS = ['shop0.example', 'shop1.example', 'shop2.example', 'shop3.example'];
/** What was thrown away is swept up now and then; nothing else does it here. */
const SWEEP_EVERY = 100;

export async function makeTemplate(cluster: string, name: string): Promise<Template> {
  await run(cluster, `create database ${name}`);
  await connectDatabase(at(cluster, name));
  script(`create schema simulation;
    create function simulation.now() returns timestamptz language sql stable
    as $$ select to_timestamp(current_setting('simulation.now')::float8) $$;
    create function simulation.statement_timestamp() returns timestamptz language sql stable
    as $$ select to_timestamp(current_setting('simulation.moment')::float8) $$`);
  const [accounts, endpoints] = await setUp();
  const restoring = save();
  settleTables();
  let restored = 0;
  return {
    accounts,
    endpoints,
    restore() {
      if (++restored % SWEEP_EVERY === 0) script('vacuum pg_catalog.pg_class');
      script(restoring);
    },
  };
}

/**
 * Keeps a copy of every table and number; says how they become what they are now. Tables are emptied and filled again, so
 * that their rows lie in the same order every time, and every plan is made anew.
 */
function save(): string {
  const tables = look<{ name: string; columns: string }>(`
    select table_name as name, string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
    from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER' group by table_name order by table_name`);
  const numbers = look<{ name: string; last: string | null; first: string }>(`
    select quote_literal(sequencename) as name, last_value as last, start_value as first
    from pg_sequences where schemaname = 'public'`);
  script('create schema saved');
  for (const { name } of tables) script(`create table saved.${name}_as_it_was as table public.${name}`);
  return [
    'set session_replication_role = replica',
    `truncate ${tables.map(({ name }) => `public.${name}`).join(', ')}`,
    ...tables.map(
      ({ name, columns }) =>
        `insert into public.${name} (${columns}) overriding system value select ${columns} from saved.${name}_as_it_was`,
    ),
    ...numbers.map(({ name, last, first }) => `select setval(${name}, ${last ?? first}, ${last !== null})`),
    'set session_replication_role = origin',
  ].join(';');
}

/** Everything before a seed begins happens in a world of its own, in which nothing goes wrong. */
async function setUp(): Promise<[Account[], Endpoint[]]> {
  const journal = openJournal();
  beginTime();
  beginNetwork();
  beginChance(0);
  beginDatabase();
  const chance = createChance(0);
  const fleet = openFleet({ seed: 0, chance, journal });
  const names = HOSTS.map(host => ({ id: '', account: '', host, secret: 'whsec_' }));
  openShops(names, { chance, journal });
  const instance = startInstance({ number: 1, skewMs: 0, sandboxUrl: fleet.url, journal, onLine() {} });
  await passTime(() => instance.state !== 'starting');
  const { service } = instance;
  if (!service) throw new Error('the service does not start in the simulated world');

  const accounts: Account[] = [];
  const endpoints: Endpoint[] = [];
  let isDone = false;
  const make = async () => {
    for (let number = 0; number < ACCOUNTS; number++)
      accounts.push({
        ...(await createAccount(service.database, { name: `shop ${number}`, environment: 'test' })),
        id: '',
      });
  };
  const register = async () => {
    await pause(3_000);
    for (const [number, host] of HOSTS.entries()) {
      const account = accounts[number % ACCOUNTS] as Account;
      const reply = await ask(instance.place, {
        method: 'POST',
        path: '/webhooks',
        headers: {
          'content-type': 'application/json',
          authorization: account.publicKey,
          'x-service-secret': account.secret,
        },
        body: JSON.stringify({ url: `https://${host}/hook` }),
      });
      if (reply.status !== 201) throw new Error(`no endpoint could be made: ${reply.text}`);
      const { id, secret } = JSON.parse(reply.text) as { id: string; secret: string };
      endpoints.push({ id, secret, host, account: account.publicKey });
    }
    await pause(5_000);
    await stop(instance, journal);
    isDone = true;
  };
  after(0, () => void make().then(() => after(0, () => void register(), WORLD)), instance.owner);
  await passTime(() => isDone || ticks() > 60_000);
  for (const account of accounts) {
    const [found] = look<{ id: string }>('select id from accounts where public_key = $1', [
      account.publicKey,
    ]);
    account.id = found?.id ?? '';
  }
  for (const endpoint of endpoints)
    endpoint.account = accounts.find(({ publicKey }) => publicKey === endpoint.account)?.id ?? '';
  endDatabase();
  if (!isDone) throw new Error('the simulated world could not be set up');
  return [accounts, endpoints];
}

function at(cluster: string, name: string): string {
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  return url.href;
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
