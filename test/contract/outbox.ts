/** An outbox: accounts, their endpoints, receivers that behave as told, and the loop that tells them. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { ulid } from 'ulid';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type Credentials, createAccount, findAccount } from '../../src/app/accounts.ts';
import { type DeliveryOutcome, startDispatch } from '../../src/app/dispatch.ts';
import { createEndpoints, type Endpoints } from '../../src/app/endpoints.ts';
import type { Loop } from '../../src/app/loop.ts';
import { createSeal } from '../../src/app/seal.ts';
import type { AccountId } from '../../src/domain/words.ts';
import { type Courier, createCourier } from '../../src/engine/courier.ts';
import { createGuard } from '../../src/engine/guard.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { type NewEvent, writeEvents } from '../../src/store/events.ts';
import { makeDatabase } from '../service.ts';

export const MASTER_KEY = '6e'.repeat(32);
export const seal = createSeal(Buffer.from(MASTER_KEY, 'hex'), 'endpoint-secrets');
export const now = () => Date.now();

export let databaseUrl: string;
let drop: () => Promise<void>;
export let database: Database;
export let site: Receivers;
export let endpoints: Endpoints;
const loops: Loop[] = [];
const couriers: Courier[] = [];

/** Begins a file with a database and receivers of its own, and leaves nothing due from one test to the next. */
export function setOutbox(): void {
  beforeAll(async () => {
    ({ url: databaseUrl, drop } = await makeDatabase());
    database = await openDatabase({ url: databaseUrl });
    site = await startReceivers();
    endpoints = createEndpoints({ database, seal, guard: guard(), courier: newCourier(), now });
  });

  afterEach(async () => {
    await Promise.all(loops.splice(0).map(loop => loop.stop()));
    // What one test leaves due is none of the next one's business.
    await database.deleteFrom('deliveries').execute();
    await database.deleteFrom('endpoints').execute();
  });

  afterAll(async () => {
    await Promise.all(couriers.splice(0).map(one => one.close()));
    await site?.close();
    await database?.destroy();
    await drop?.();
  });
}

/** Looks at another database from here on, until what comes back is called. */
export function turnTo(other: Database): () => void {
  const own = { database, endpoints };
  database = other;
  endpoints = createEndpoints({ database, seal, guard: guard(), courier: newCourier(), now });
  return () => {
    ({ database, endpoints } = own);
  };
}

/** The receivers of these tests live on this machine, which an operator has to allow. */
function guard() {
  return createGuard({ allowedHosts: [`127.0.0.1:${site.port}`] });
}

export function newCourier(deadlineMs?: number): Courier {
  const made = createCourier({ guard: guard(), now, ...(deadlineMs && { deadlineMs }) });
  couriers.push(made);
  return made;
}

export interface Shop extends Credentials {
  id: AccountId;
}

export async function newShop(name: string): Promise<Shop> {
  const made = await createAccount(database, { name, environment: 'test' });
  return { ...made, id: (await findAccount(database, made.publicKey)).id };
}

export function dispatch(
  options: { courier?: Courier; onDelivered?(outcome: DeliveryOutcome): void } = {},
): Loop {
  const onFailure = (error: unknown) => expect.unreachable(String(error));
  const loop = startDispatch({ database, seal, courier: newCourier(), now, onFailure, ...options });
  loops.push(loop);
  return loop;
}

export interface Got {
  headers: Record<string, string>;
  body: string;
  at: number;
}

/** What a receiver answers: a status, or whatever it does instead of answering. */
export type Behaviour = number | ((response: ServerResponse, got: Got) => void);

interface Receiver {
  url: string;
  got: Got[];
  answer(behaviour: Behaviour): void;
}

interface Receivers {
  port: number;
  open(behaviour?: Behaviour): Receiver;
  close(): Promise<void>;
}

/** One server with a receiver behind every path. */
async function startReceivers(): Promise<Receivers> {
  const behaviours = new Map<string, { behaviour: Behaviour; got: Got[] }>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const receiver = behaviours.get(request.url ?? '');
    const body = Buffer.concat(chunks).toString();
    const got = { headers: request.headers as Got['headers'], body, at: Date.now() };
    receiver?.got.push(got);
    const behaviour = receiver?.behaviour ?? 404;
    if (typeof behaviour === 'function') behaviour(response, got);
    else response.writeHead(behaviour).end('seen');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    open(behaviour = 200) {
      const path = `/${randomBytes(6).toString('hex')}`;
      const receiver = { behaviour, got: [] as Got[] };
      behaviours.set(path, receiver);
      return {
        url: `http://127.0.0.1:${port}${path}`,
        got: receiver.got,
        answer(changed) {
          receiver.behaviour = changed;
        },
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** An endpoint of the account at a receiver. */
export async function listen(receiver: Receiver, account: Shop): Promise<{ id: string; secret: string }> {
  const { endpoint, secret } = await endpoints.add(account.id, receiver.url);
  return { id: endpoint.id, secret };
}

/** Events of one transaction, one after the other. */
export function eventsOf(account: Shop, count = 1, transactionId = ulid()): NewEvent[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `${transactionId}-${at + 1}`,
    accountId: account.id,
    transactionId,
    sequence: at + 1,
    body: JSON.stringify({ transactionId, status: 'paid', inAmount: 100.5, partnerContext: 'Grüße 🍀\n"\\' }),
    at: new Date(),
  }));
}

export async function tell(account: Shop, count = 1): Promise<NewEvent[]> {
  const events = eventsOf(account, count);
  await database.transaction().execute(trx => writeEvents(trx, events));
  return events;
}

export async function rowsOf(endpointId: string) {
  return database
    .selectFrom('deliveries')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .orderBy('event_id')
    .execute();
}

/** Lets the time pass until the next attempts are due. */
export async function hurry(endpointId: string): Promise<void> {
  await sql`update deliveries set due_at = now() where endpoint_id = ${endpointId} and state = 'due'`.execute(
    database,
  );
}

export async function stateOf(endpointId: string): Promise<string> {
  const states = (await rowsOf(endpointId)).map(({ state }) => state);
  return [...new Set(states)].join();
}

export const first = <T>(all: readonly T[]): T => all[0] as T;
export const idsOf = (got: readonly Got[]) => got.map(({ headers }) => headers['webhook-id']);
