/** Execution: statements carried out by PostgreSQL, one after another; whoever waits for a lock lets the others go on. */
import { type Answer, type Backend, openBackend } from './backend.ts';
import { rest } from './pipe.ts';
import { BEGIN, dated, ROLLBACK, type Statement, traitsOf, UNLOCK } from './statements.ts';
import { after, hold, WORLD, wallOf } from './time.ts';
import { counts } from './trouble.ts';

/** Somebody whose statements are carried out; they have a backend of their own only while they hold something. */
export interface Client {
  isOpen: boolean;
  /** How long a statement may take before it is given up, in milliseconds; 0 for as long as it likes. */
  statementMs: number;
  backend: Backend | undefined;
  inTransaction: boolean;
  /** When its transaction began, as long as nothing was done in it: PostgreSQL hears of it with the first statement. */
  begunAt: number | undefined;
  /** Whether it holds a lock that outlives transactions. */
  isLocking: boolean;
}

/** A statement that is under way. */
export interface Running {
  client: Client;
  statement: Statement;
  /** Tells whoever sent it what came of it. */
  conclude(answer: Answer): void;
}

let url = '';
let free: Backend[] = [];
let blocked: Running[] = [];
let monitor: Backend | undefined;
const holding = new Set<Client>();
/** Whether the tables are what they will be from now on. */
let isSettled = false;

/** From now on statements go to this database. */
export async function connectDatabase(at: string): Promise<void> {
  url = at;
  free = [];
  catalog.clear();
  isSettled = false;
  monitor = await openBackend(url);
}

/** No table is defined any more; connections to PostgreSQL, and all that it has planned, go on from one world to the next. */
export function settleTables(): void {
  isSettled = true;
}

/** What the database holds, asked for from outside the simulation. */
export function look<Row extends object>(text: string, values: readonly unknown[] = []): Row[] {
  return (monitor as Backend).run({ text, values }, wallOf(WORLD)).rows as Row[];
}

/** Does something to the database from outside the simulation. */
export function script(text: string): void {
  monitor?.run({ text, values: [] }, undefined);
}

export function execute(one: Running): void {
  const { client, statement } = one;
  const { isBeginning, isEnding, isCatalog } = traitsOf(statement);
  const remembered = isCatalog && !client.backend ? catalog.get(keyOf(statement)) : undefined;
  if (isBeginning) begin(one);
  else if (isEnding && client.begunAt !== undefined) finish(one, DONE);
  else if (remembered) finish(one, remembered);
  else if (client.backend || free.length > 0) carryOut(one);
  else hold(openAnother().then(() => carryOut(one)));
}

const DONE: Answer = { result: { command: '', rowCount: null, rows: [] }, error: undefined };

/** Nothing is locked and nothing is seen before the first statement: PostgreSQL is told with that one. */
function begin({ client, conclude }: Running): void {
  client.inTransaction = true;
  client.begunAt = wallOf(WORLD);
  conclude(DONE);
}

async function openAnother(): Promise<void> {
  free.push(await openBackend(url));
}

function carryOut(one: Running): void {
  const { client, statement } = one;
  const { isReading, isLocking } = traitsOf(statement);
  const backend = client.backend ?? (free.pop() as Backend);
  client.backend = backend;
  holding.add(client);
  client.isLocking ||= isLocking;
  send(backend, one);
  // Whoever is alone, or only reads, waits for nobody's lock.
  const answer = holding.size === 1 || isReading ? backend.answer() : whenDecided(backend);
  if (answer) finish(one, answer);
  else wait(one);
}

/** The time of a transaction is that of its beginning. */
function send(backend: Backend, { client, statement }: Running): void {
  const { begunAt, inTransaction } = client;
  client.begunAt = undefined;
  const at = wallOf(WORLD);
  const all = traitsOf(statement).isDated ? [dated(at), statement] : [statement];
  if (begunAt !== undefined) backend.send([BEGIN, ...all], begunAt);
  else backend.send(all, inTransaction ? undefined : at);
}

/**
 * What the database is made of does not change from one world to the next, whatever is written there. The question takes
 * long, and every start of an instance asks it twice.
 */
const catalog = new Map<string, Answer>();

function keyOf({ text, values }: Statement): string {
  return `${text} ${JSON.stringify(values)}`;
}

function finish({ client, statement, conclude }: Running, answer: Answer): void {
  const { isEnding, isUnlocking, isCatalog } = traitsOf(statement);
  if (isCatalog && isSettled) catalog.set(keyOf(statement), answer);
  if (isEnding) {
    client.inTransaction = false;
    client.begunAt = undefined;
  }
  if (isUnlocking) client.isLocking = false;
  const hasLetGo = !client.inTransaction && !client.isLocking && client.isOpen && client.backend;
  if (hasLetGo) giveBack(client);
  conclude(answer);
  if (hasLetGo) watchBlocked();
}

/** The lowest number first, so that the choice never depends on who was quicker. */
function giveBack(client: Client): void {
  if (client.backend) free.push(client.backend);
  free.sort((a, b) => b.number - a.number);
  client.backend = undefined;
  holding.delete(client);
}

/** Longer than PostgreSQL takes to see that somebody waits in a circle. */
const CIRCLE_MS = 40;

function wait(one: Running): void {
  const { statementMs } = one.client;
  counts.blocked++;
  blocked.push(one);
  if (statementMs > 0) after(statementMs, () => giveUp(one), WORLD);
  if (blocked.length < 2) return;
  rest(CIRCLE_MS);
  watchBlocked();
}

/** It has waited for as long as a statement may. */
function giveUp(one: Running): void {
  if (!blocked.includes(one)) return;
  counts.cancelled++;
  finish(one, cancelWaiting(one));
}

/**
 * Somebody has let go of what they held: goes on with those who waited for it. Answers are told in the order in which
 * they began to wait, whichever came first. At no other time can anybody have come further.
 */
function watchBlocked(): void {
  for (const waiting of [...blocked]) {
    if (!blocked.includes(waiting)) continue;
    const answer = whenDecided(waiting.client.backend as Backend);
    if (!answer) continue;
    blocked = blocked.filter(other => other !== waiting);
    finish(waiting, answer);
  }
}

const PATIENCE_MS = 1;

/** The answer; undefined when it waits for a lock that somebody else holds. */
function whenDecided(backend: Backend): Answer | undefined {
  for (;;) {
    const answer = backend.answer(PATIENCE_MS);
    if (answer || isWaiting(backend)) return answer;
  }
}

function isWaiting({ pid }: Backend): boolean {
  const [found] = look<{ waits: boolean }>('select cardinality(pg_blocking_pids($1)) > 0 as waits', [pid]);
  return found?.waits ?? false;
}

function cancelWaiting(one: Running): Answer {
  const backend = one.client.backend as Backend;
  look('select pg_cancel_backend($1)', [backend.pid]);
  blocked = blocked.filter(other => other !== one);
  return backend.answer() as Answer;
}

/** Ends whatever somebody was in the middle of. */
export function abandon(client: Client): void {
  const { backend } = client;
  if (!backend) return;
  const own = blocked.find(one => one.client === client);
  if (own) cancelWaiting(own);
  client.inTransaction = false;
  client.isLocking = false;
  for (const statement of [ROLLBACK, UNLOCK]) {
    backend.send([statement], undefined);
    backend.answer();
  }
  giveBack(client);
  watchBlocked();
}
