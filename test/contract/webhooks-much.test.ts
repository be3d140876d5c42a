/** Webhooks out where there is much of it: an endpoint goes at once, what it leaves goes bit by bit, and what comes too late is given up. */
import type { RawBuilder } from 'kysely';
import { ExplainNode, type KyselyPlugin, type RootOperationNode, type SelectQueryNode, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createEndpoints, type EndpointsOptions } from '../../src/app/endpoints.ts';
import { clearEndpoint, disableEndpoint, enableEndpoint, removeEndpoint } from '../../src/store/endpoints.ts';
import {
  database,
  dispatch,
  endpoints,
  hurry,
  idsOf,
  listen,
  newShop,
  rowsOf,
  type Shop,
  setOutbox,
  site,
  stateOf,
  tell,
} from './outbox.ts';
import { eventually } from './patience.ts';

setOutbox();

/** More than is cleared away at once. */
const MANY = 5_001;
const REASON = 'it answered 410: nothing more is wanted there';
const stop = () => ({ at: new Date(), reason: REASON });

/** Makes so many deliveries due to an endpoint, of transactions of their own. */
async function owe(account: Shop, { id, count }: { id: string; count: number }): Promise<void> {
  const name = sql`${id} || '-' || n`;
  await sql`insert into events (id, account_id, transaction_id, sequence, body, created_at)
    select ${name} || '-1', ${account.id}, ${name}, 1, '{}', now() - n * interval '1 second'
    from generate_series(1, ${count}::int) n`.execute(database);
  await sql`insert into deliveries (event_id, endpoint_id, due_at)
    select ${name} || '-1', ${id}, now() from generate_series(1, ${count}::int) n`.execute(database);
}

/** Stops an endpoint while somebody holds what it was to be sent. */
const STOPPING: [string, (account: Shop, id: string) => Promise<void>][] = [
  ['removing', (account, id) => endpoints.remove(account.id, id)],
  ['disabling', (_account, id) => disableEndpoint(database, id, stop())],
];

describe.each(STOPPING)('%s an endpoint', (_name, end) => {
  test('waits for none of its deliveries, and nobody’s change waits for them to be cleared away', async () => {
    const account = await newShop('ending');
    const { id } = await listen(site.open(), account);
    const { id: other } = await listen(site.open(), account);
    await tell(account);
    let clearing: Promise<boolean> | undefined;
    await database.transaction().execute(async trx => {
      await sql`select from deliveries where endpoint_id = ${id} for update`.execute(trx);
      await end(account, id);
      clearing = clearEndpoint(database, id);
      await tell(account);
      expect([(await rowsOf(id)).length, (await rowsOf(other)).length]).toEqual([1, 2]);
    });
    expect(await clearing).toBe(true);
  });

  test('plans that it is cleared away, whoever dies meanwhile', async () => {
    const account = await newShop('planned');
    const { id } = await listen(site.open(), account);
    await end(account, id);
    const { rows } = await sql`
      select due_at <= now() as due from tasks where kind = 'clear-endpoint' and key = ${id}`.execute(
      database,
    );
    expect(rows).toEqual([{ due: true }]);
  });
});

describe('what is left', () => {
  test('of a removed endpoint goes bit by bit, its row last, and it counts for nothing meanwhile', async () => {
    const account = await newShop('removed with much');
    const { url } = site.open();
    for (let count = 1; count < 20; count++) await endpoints.add(account.id, url);
    const { id } = await listen(site.open(), account);
    await owe(account, { id, count: MANY });
    await endpoints.remove(account.id, id);
    expect((await endpoints.list(account.id)).map(one => one.id)).not.toContain(id);
    await expect(endpoints.deliveries(account.id, id, { limit: 1 })).rejects.toThrow('no such webhook');
    // Whoever has found it just before cannot bring it back.
    await enableEndpoint(database, id);
    await endpoints.add(account.id, url);

    const row = database.selectFrom('endpoints').select(['url', 'secret']).where('id', '=', id);
    expect(await clearEndpoint(database, id)).toBe(false);
    expect([(await rowsOf(id)).length, await row.execute()]).toEqual([1, [{ url: '', secret: '' }]]);
    expect(await clearEndpoint(database, id)).toBe(true);
    expect([await rowsOf(id), await row.execute()]).toEqual([[], []]);
    expect(await clearEndpoint(database, id)).toBe(true);
  });

  test('of a disabled endpoint dies bit by bit, and no more of it once it is enabled', async () => {
    const account = await newShop('disabled with much');
    const { id } = await listen(site.open(), account);
    await owe(account, { id, count: MANY });
    await disableEndpoint(database, id, stop());
    expect(await clearEndpoint(database, id)).toBe(false);
    const dead = (await rowsOf(id)).filter(({ state }) => state === 'dead');
    expect([dead.length, new Set(dead.map(row => row.last_error))]).toEqual([5_000, new Set([REASON])]);
    await endpoints.enable(account.id, id);
    expect(await clearEndpoint(database, id)).toBe(true);
    expect((await rowsOf(id)).filter(({ state }) => state === 'due').length).toBe(1);
  });

  test('is never sent, though it was due', async () => {
    const account = await newShop('never again');
    const [removed, disabled] = [site.open(), site.open()];
    const [one, two] = [await listen(removed, account), await listen(disabled, account)];
    await tell(account);
    await removeEndpoint(database, one.id);
    await disableEndpoint(database, two.id, stop());
    await dispatch().wake();
    expect([removed.got, disabled.got]).toEqual([[], []]);
  });
});

describe('an endpoint that fails for longer than its events are to be tried', () => {
  /** Lets an endpoint's deliveries and their events be so many hours older. */
  async function age(id: string, hours: number, where: RawBuilder<unknown> = sql`true`): Promise<void> {
    const past = sql`${hours}::int * interval '1 hour'`;
    await sql`update events set created_at = created_at - ${past}
      where id in (select event_id from deliveries where endpoint_id = ${id} and ${where})`.execute(database);
    await sql`update deliveries set due_at = due_at - ${past} where endpoint_id = ${id} and ${where}`.execute(
      database,
    );
  }

  test('is not sent what had no turn in time, and what is younger still has all of its attempts', async () => {
    const account = await newShop('too slow');
    const receiver = site.open(500);
    const { id } = await listen(receiver, account);
    await owe(account, { id, count: 100 });
    await age(id, 84);
    const late = (await rowsOf(id)).map(({ event_id }) => event_id);
    const young = (await tell(account)).map(event => event.id);
    const loop = dispatch();
    await eventually(async () => {
      await loop.wake();
      return (await rowsOf(id)).every(({ attempts, state }) => attempts > 0 || state === 'dead');
    }, 'everything is attempted or given up');
    const rows = await rowsOf(id);
    const given = rows.filter(({ state, attempts }) => state === 'dead' && attempts === 0);
    expect(given.length).toBeGreaterThan(90);
    expect(new Set(given.map(row => row.last_error))).toEqual(
      new Set(['it was not its turn in time: the endpoint failed for too long']),
    );
    expect(given.every(({ event_id }) => late.includes(event_id))).toBe(true);
    expect(rows.find(({ event_id }) => young.includes(event_id))).toMatchObject({
      state: 'due',
      attempts: 1,
    });

    // Asked for again, all of it has its turn.
    expect(await endpoints.replay(account.id, id, { state: 'dead' })).toBe(given.length);
    receiver.got.splice(0);
    for (let round = 1; round <= 2; round++) {
      await hurry(id);
      await loop.wake();
      await eventually(async () => {
        await loop.wake();
        return (await rowsOf(id)).every(({ attempts }) => attempts >= round);
      }, 'each of them is attempted');
    }
    expect(await stateOf(id)).toBe('due');
    expect(new Set(idsOf(receiver.got)).size).toBe(101);
  });
});

test('the newest deliveries of one endpoint are found without looking at all of them', async () => {
  const account = await newShop('much to look at');
  const { id } = await listen(site.open(), account);
  await owe(account, { id, count: 20_000 });
  await sql`analyze events`.execute(database);
  await sql`analyze deliveries`.execute(database);
  let plan = '';
  const explaining: KyselyPlugin = {
    transformQuery: ({ node }) => (isOfDeliveries(node) ? explained(node) : node),
    async transformResult({ result }) {
      if (result.rows.some(row => 'QUERY PLAN' in row)) plan = JSON.stringify(result.rows);
      return result;
    },
  };
  const watched = { database: database.withPlugin(explaining) } as EndpointsOptions;
  await createEndpoints(watched).deliveries(account.id, id, { limit: 50 });
  const read = [...plan.matchAll(/"Actual Rows":(\d+)/g)].map(([, rows]) => Number(rows));
  expect(read.length).toBeGreaterThan(2);
  expect(Math.max(...read)).toBeLessThan(1_000);
});

function isOfDeliveries(node: RootOperationNode): node is SelectQueryNode {
  return node.kind === 'SelectQueryNode' && node.joins !== undefined;
}

function explained(node: SelectQueryNode): SelectQueryNode {
  return { ...node, explain: ExplainNode.create('json', sql`analyze`.toOperationNode()) };
}
