/** Endpoints: where an account wants to hear of changes, the secrets it knows us by, and hearing of them once more. */
import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { badInput, Fault } from '../domain/fault.ts';
import type { AccountId } from '../domain/words.ts';
import type { Courier, Receipt } from '../engine/courier.ts';
import type { Guard } from '../engine/guard.ts';
import type { Database } from '../store/database.ts';
import {
  type Delivery,
  type DeliveryFilter,
  type DeliveryState,
  listDeliveries,
  type ReplayWish,
  replayDeliveries,
} from '../store/deliveries.ts';
import {
  type Endpoint,
  enableEndpoint,
  findEndpoint,
  forgetPreviousSecret,
  insertEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateEndpointSecret,
} from '../store/endpoints.ts';
import type { Seal } from './seal.ts';

export type { Delivery, DeliveryState, Endpoint, Receipt, ReplayWish };

/** An endpoint with its secret, which is shown this once. */
export interface NewlySecret {
  endpoint: Endpoint;
  secret: string;
}

/** All but the first two take the account too: to it, another account's endpoint is one that does not exist. */
export interface Endpoints {
  /** The account an endpoint belongs to; for operators, who act for all of them. */
  ownerOf(id: string): Promise<AccountId>;
  list(account: AccountId): Promise<Endpoint[]>;
  add(account: AccountId, url: string): Promise<NewlySecret>;
  remove(account: AccountId, id: string): Promise<void>;
  /** Makes a new secret; events are signed with the one before it as well, until `endRotation` or the next one. */
  rotate(account: AccountId, id: string): Promise<NewlySecret>;
  endRotation(account: AccountId, id: string): Promise<void>;
  /** Lets events be sent again; those it has missed only come when they are asked for. */
  enable(account: AccountId, id: string): Promise<Endpoint>;
  /** Sends an event that tells of nothing, now, and says what came of it. */
  test(account: AccountId, id: string): Promise<Receipt>;
  deliveries(account: AccountId, id: string, wish: DeliveryWish): Promise<Delivery[]>;
  /** Makes events due again; gives how many. */
  replay(account: AccountId, id: string, wish: ReplayWish): Promise<number>;
}

export type DeliveryWish = Pick<DeliveryFilter, 'state' | 'limit'>;

export interface EndpointsOptions {
  database: Database;
  /** For `endpoint-secrets`. */
  seal: Seal;
  guard: Guard;
  courier: Courier;
  now(): number;
  /** Told when something is due that was not. */
  onDue?(): void;
}

const MOST_REPLAYED = 10_000;

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { database, seal, guard, courier, now, onDue } = options;
  const inTest = new Set<string>();

  async function find(id: string): Promise<Endpoint> {
    const endpoint = /^[0-9A-Z]{26}$/.test(id) ? await findEndpoint(database, id) : undefined;
    if (!endpoint) throw unknownEndpoint();
    return endpoint;
  }

  async function findOwn(account: AccountId, id: string): Promise<Endpoint> {
    const endpoint = await find(id);
    if (endpoint.accountId !== account) throw unknownEndpoint();
    return endpoint;
  }

  return {
    ownerOf: async id => (await find(id)).accountId,
    list: account => listEndpoints(database, account),

    async add(accountId, text) {
      const url = guard.read(text);
      if ('refused' in url) throw badInput('url', `url ${url.refused}`);
      const [id, secret, createdAt] = [ulid(now()), newSecret(), new Date(now())];
      const made = { id, accountId, url: url.href, secret: seal.close(secret, id), createdAt };
      await insertEndpoint(database, made);
      return { endpoint: await find(id), secret };
    },

    async remove(account, id) {
      await findOwn(account, id);
      await removeEndpoint(database, id);
    },

    async rotate(account, id) {
      await findOwn(account, id);
      const secret = newSecret();
      await rotateEndpointSecret(database, id, seal.close(secret, id));
      return { endpoint: await find(id), secret };
    },

    async endRotation(account, id) {
      await findOwn(account, id);
      await forgetPreviousSecret(database, id);
    },

    async enable(account, id) {
      await findOwn(account, id);
      await enableEndpoint(database, id);
      onDue?.();
      return find(id);
    },

    async test(account, id) {
      const endpoint = await findOwn(account, id);
      const secrets = openSecrets(seal, endpoint);
      if (!secrets) throw new Fault('unavailable', 'The secret of this endpoint cannot be read: rotate it');
      if (inTest.has(id)) throw new Fault('conflict', 'This endpoint is being tested already', 'id');
      inTest.add(id);
      try {
        return await courier.send({ url: endpoint.url, id: `msg_test_${ulid(now())}`, body: TEST, secrets });
      } finally {
        inTest.delete(id);
      }
    },

    async deliveries(account, id, wish) {
      await findOwn(account, id);
      return listDeliveries(database, { accountId: account, endpointId: id, ...wish });
    },

    async replay(account, id, wish) {
      const endpoint = await findOwn(account, id);
      if (endpoint.disabledAt)
        throw new Fault('conflict', 'This endpoint is disabled: enable it first', 'id');
      const replayed = await replayDeliveries(database, endpoint, { wish, most: MOST_REPLAYED });
      if (replayed > 0) onDue?.();
      return replayed;
    },
  };
}

/** The id of an event, by that or by the `webhook-id` that receivers know it by. */
export function eventIdOf(word: string): string {
  return word.replace(/^msg_/, '');
}

/** What events to an endpoint are signed with: its secret, then the one before it; undefined when it is not ours. */
export function openSecrets(
  seal: Seal,
  endpoint: { id: string; secret: string; previousSecret?: string | null | undefined },
): [string, ...string[]] | undefined {
  const secret = seal.open(endpoint.secret, endpoint.id);
  const previous = endpoint.previousSecret && seal.open(endpoint.previousSecret, endpoint.id);
  return secret === undefined ? undefined : [secret, ...(previous ? [previous] : [])];
}

const TEST = JSON.stringify({
  type: 'test',
  message: 'A test event from Cloverleaf: it is signed like any other and tells of no transaction.',
});

/** As Standard Webhooks has it: 32 random bytes in base64 after a prefix. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function unknownEndpoint(): Fault {
  return new Fault('notFound', 'There is no such webhook endpoint', 'id');
}
