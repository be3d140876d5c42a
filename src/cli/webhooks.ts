/** `cloverleaf webhook …`: where accounts hear of changes, and what became of telling them. */
import type { Command } from 'commander';
import { findAccount } from '../app/accounts.ts';
import {
  createEndpoints,
  type Delivery,
  type Endpoints,
  eventIdOf,
  type NewlySecret,
} from '../app/endpoints.ts';
import { createSeal } from '../app/seal.ts';
import type { Config } from '../config.ts';
import { badInput, Fault } from '../domain/fault.ts';
import { createCourier } from '../engine/courier.ts';
import { createGuard } from '../engine/guard.ts';
import { listDeliveries } from '../store/deliveries.ts';
import { readMomentOf } from './moment.ts';
import { type Access, withStore } from './store.ts';

const MOST_SHOWN = 50;

export function webhookCommands(program: Command, config: () => Config): void {
  const webhook = program.command('webhook').description('where accounts hear of changes');

  webhook
    .command('add')
    .argument('<account>', 'public key or name')
    .argument('<url>', 'https URL')
    .description('add an endpoint; its secret is shown once')
    .option('--json', 'print JSON')
    .action(async (word: string, url: string, { json }: Options) => {
      const made = await withEndpoints(config(), async ({ endpoints, database }) =>
        endpoints.add((await findAccount(database, word)).id, url),
      );
      printSecret(made, json);
    });

  webhook
    .command('list')
    .argument('<account>', 'public key or name')
    .description('the endpoints of an account')
    .option('--json', 'print JSON')
    .action(async (word: string, { json }: Options) => {
      const all = await withEndpoints(config(), async ({ endpoints, database }) =>
        endpoints.list((await findAccount(database, word)).id),
      );
      const shown = all.map(({ id, url, createdAt, disabledAt, disabledReason, previousSecret }) => ({
        id,
        url,
        created: createdAt.toISOString(),
        rotating: previousSecret !== undefined,
        disabled: disabledAt ? `${disabledAt.toISOString()}: ${disabledReason}` : '',
      }));
      print(shown, json);
    });

  webhook
    .command('test')
    .argument('<id>', 'id of the endpoint')
    .description('send a test event now')
    .action(async (id: string) => {
      const { accepted, status, error, milliseconds } = await withEndpoints(config(), async ({ endpoints }) =>
        endpoints.test(await endpoints.ownerOf(id), id),
      );
      console.log(accepted ? `accepted with ${status} after ${milliseconds} ms` : `not accepted: ${error}`);
      if (!accepted) process.exitCode = 1;
    });

  webhook
    .command('replay')
    .argument('<id>', 'id of the endpoint')
    .description('send dead events again, or those that are named')
    .option('--event <ids...>', 'these events')
    .option('--since <moment>', 'all events of this date, in UTC, or date and time, and later')
    .action(async (id: string, { event, since }: { event?: string[]; since?: string }) => {
      if (event && since !== undefined) throw badInput('since', 'send --event or --since, not both');
      // One by one where they are named, so that it can be said which was not there.
      const wishes = event
        ? [...new Set(event.map(eventIdOf))].map(one => ({ eventIds: [one] }))
        : [since !== undefined ? { since: readMomentOf('--since', since) } : { state: 'dead' as const }];
      const missing: string[] = [];
      const replayed = await withEndpoints(config(), async ({ endpoints }) => {
        const account = await endpoints.ownerOf(id);
        let count = 0;
        for (const wish of wishes) {
          const due = await endpoints.replay(account, id, wish);
          if (due === 0 && 'eventIds' in wish) missing.push(...wish.eventIds);
          count += due;
        }
        return count;
      });
      console.log(`${replayed} due again`);
      if (missing.length > 0) throw new Fault('notFound', `no event ${missing.join(', ')}`, 'event');
    });

  webhook
    .command('remove')
    .argument('<id>', 'id of the endpoint')
    .description('remove an endpoint and what was delivered to it')
    .action(async (id: string) => {
      await withEndpoints(config(), async ({ endpoints }) =>
        endpoints.remove(await endpoints.ownerOf(id), id),
      );
      console.log(`removed ${id}`);
    });

  webhook
    .command('rotate-secret')
    .argument('<id>', 'id of the endpoint')
    .description(
      'make a new secret; events are signed with the one before it too, until --end or the next one',
    )
    .option('--end', 'make none, and end the previous one')
    .option('--json', 'print JSON')
    .action(async (id: string, { end, json }: Options & { end?: boolean }) => {
      await withEndpoints(config(), async ({ endpoints }) => {
        const account = await endpoints.ownerOf(id);
        if (!end) return printSecret(await endpoints.rotate(account, id), json);
        await endpoints.endRotation(account, id);
        console.log(json ? JSON.stringify({ id }) : `${id} is signed with its current secret only`);
      });
    });

  webhook
    .command('enable')
    .argument('<id>', 'id of the endpoint')
    .description('send events to an endpoint again that was disabled')
    .action(async (id: string) => {
      await withEndpoints(config(), async ({ endpoints }) =>
        endpoints.enable(await endpoints.ownerOf(id), id),
      );
      console.log(`enabled ${id}`);
    });

  webhook
    .command('dead')
    .argument('[account]', 'public key or name; all accounts when absent')
    .description('the newest events that were given up')
    .option('--json', 'print JSON')
    .action(async (word: string | undefined, { json }: Options) => {
      const dead = await withStore(config(), async ({ database }) => {
        const accountId = word === undefined ? undefined : (await findAccount(database, word)).id;
        return listDeliveries(database, { accountId, state: 'dead', limit: MOST_SHOWN });
      });
      print(dead.map(describeDead), json);
    });
}

interface Options {
  json?: boolean;
}

async function withEndpoints<T>(
  config: Config,
  use: (access: Access & { endpoints: Endpoints }) => Promise<T>,
): Promise<T> {
  return withStore(config, async access => {
    const now = () => Date.now();
    const guard = createGuard({ allowedHosts: config.webhookAllowedHosts });
    const courier = createCourier({ guard, now });
    const seal = createSeal(access.masterKey, 'endpoint-secrets');
    try {
      const { database } = access;
      return await use({ ...access, endpoints: createEndpoints({ database, seal, guard, courier, now }) });
    } finally {
      await courier.close();
    }
  });
}

function describeDead({ eventId, endpointId, url, attempts, lastError, doneAt }: Delivery) {
  return {
    event: eventId,
    endpoint: endpointId,
    url,
    attempts,
    error: lastError,
    since: doneAt?.toISOString(),
  };
}

function print(rows: object[], json: boolean | undefined): void {
  if (json) console.log(JSON.stringify(rows, undefined, 2));
  else console.table(rows);
}

function printSecret({ endpoint: { id, url }, secret }: NewlySecret, json: boolean | undefined): void {
  const text = `endpoint  ${id}\nurl       ${url}\nsecret    ${secret}\n\nThe secret is shown this once: keep it now.`;
  console.log(json ? JSON.stringify({ id, url, secret }) : text);
}
