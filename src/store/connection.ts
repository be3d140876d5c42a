/** Connections to the database: statements with names are planned once, and one that falls silent is given up. */
import pg from 'pg';
import { Fault } from '../domain/fault.ts';

/** How long somebody waits for the database before they are told that it does not answer. */
export interface Patience {
  /** For a connection, new or one that others have to let go of first. */
  connectMs: number;
  /** For a statement, as the server counts: it gives up and says so. */
  statementMs: number;
  /** For an answer, as we count from when the connection was asked for, or from the answer before. */
  silenceMs: number;
  /** How long a connection is kept that nobody needs. */
  idleMs: number;
}

const NAMED = /^\s*\/\* ([a-z ]+) \*\//;

type Done = (error: Error | null, result?: unknown) => void;
type Query = (text: unknown, values: unknown, done: Done) => void;

const CONNECT_MS = 10_000;
const FIRST_WORD_MS = 10_000;
/** A machine that is gone while a statement takes long is noticed by the kernel, which asks for it from then on. */
const WATCHED = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** A connection for work that takes as long as it takes; a server that never says a word is given up before it is begun. */
export async function withConnection<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, ...WATCHED });
  // Never given back: the pool is for this one connection, and goes with it.
  const client = (await pool.connect()) as pg.ClientBase as pg.Client;
  client.on('error', () => {}); // told by the statement that meets it
  try {
    // Whatever limit the role or the database has.
    const unlimited = `select set_config('statement_timeout', '0', false)`;
    await withinSilence(done => client.query(unlimited, [], done), { client, ms: FIRST_WORD_MS });
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Does something with the database; what is wrong with one that DATABASE_URL names is told in a line that says so. */
export async function namingUrl<T>(databaseUrl: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (databaseUrl === undefined || error instanceof Fault) throw error;
    // Never with the URL itself, which may hold a password.
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Fault('unavailable', `DATABASE_URL: the database cannot be used (${message || code})`);
  }
}

/** Sees to it that nobody waits for a connection of the pool, and then for an answer, longer than that. */
export function limitWaits(pool: pg.Pool, { connectMs, silenceMs }: Patience): void {
  const heard = new WeakMap<pg.PoolClient, number>();
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const lend = async () => {
    const asked = performance.now();
    const client = await borrow(connect(), connectMs);
    heard.set(client, asked);
    return client;
  };
  pool.connect = lend as typeof pool.connect;
  pool.on('connect', client => {
    const query = client.query.bind(client) as unknown as Query;
    // A connection may be lost while somebody holds it; what they send next tells them.
    client.on('error', () => {});
    const patient = async (text: unknown, values: unknown) => {
      const left = (heard.get(client) ?? 0) + silenceMs - performance.now();
      try {
        const send = (done: Done) => query(named(text), values, done);
        return await withinSilence(send, { client, ms: Math.max(left, LEAST_MS) });
      } catch (error) {
        // The server says that it will not hear us again: nobody else is to be given this connection.
        if ((error as { severity?: string }).severity === 'FATAL') end(client);
        throw error;
      } finally {
        heard.set(client, performance.now());
      }
    };
    client.query = patient as typeof client.query;
  });
}

/** The pool counts anew when a connection has to be made for whoever has waited for one: they do not wait twice. */
function borrow(connecting: Promise<pg.PoolClient>, ms: number): Promise<pg.PoolClient> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(silent());
    }, ms);
    connecting
      .then(client => (isLate ? client.release() : resolve(client)), reject)
      .finally(() => clearTimeout(timer));
  });
}

function silent(): Error {
  return Object.assign(new Error('The database has fallen silent'), { code: 'ETIMEDOUT' });
}

/** A statement that was sent is given a moment, however long the wait for the connection was. */
const LEAST_MS = 50;

/** A statement that opens with its name in a comment is planned once per connection, not at every use. */
function named(text: unknown): unknown {
  const name = typeof text === 'string' ? NAMED.exec(text)?.[1] : undefined;
  return name === undefined ? text : { name, text };
}

/**
 * Ends the connection when the answer does not come: whoever used it next would wait for the same answer. Told by a call:
 * where the driver makes the promise, every answer outlives the tidying of what is new (docs/speed.md).
 */
function withinSilence(
  send: (done: Done) => void,
  { client, ms }: { client: pg.ClientBase; ms: number },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(silent());
      end(client);
    }, ms);
    send((error, result) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result);
    });
  });
}

function end(client: pg.ClientBase): void {
  void (client as pg.Client).end().catch(() => {});
}
