/** `pg` as the service sees it: a pool of connections over the simulated network to the one database. */
import { EventEmitter } from 'node:events';
import { closeSession, openSession, runStatement, type Session } from './database.ts';
import type { Result } from './replies.ts';
import { after, cancel, currentOwner } from './time.ts';

interface PoolOptions {
  max?: number;
  connectionTimeoutMillis?: number;
  statement_timeout?: number;
}

interface Waiting {
  resolve(client: Client): void;
  reject(error: Error): void;
}

/** As much of the driver's pool as the service uses. */
class Pool extends EventEmitter {
  #max: number;
  #patienceMs: number;
  #statementMs: number;
  #idle: Client[] = [];
  #open = new Set<Client>();
  #opening = 0;
  #waiting: Waiting[] = [];
  #isEnding = false;

  constructor({ max = 10, connectionTimeoutMillis = 0, statement_timeout = 0 }: PoolOptions) {
    super();
    this.#max = max;
    this.#statementMs = statement_timeout;
    this.#patienceMs = connectionTimeoutMillis;
  }

  async connect(): Promise<Client> {
    if (this.#isEnding) throw new Error('Cannot use a pool after calling end on the pool');
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#open.size + this.#opening < this.#max) return this.#dial();
    return new Promise((resolve, reject) => {
      const waiting = { resolve, reject };
      const timer = after(this.#patienceMs, () => {
        this.#waiting = this.#waiting.filter(one => one !== waiting);
        reject(new Error('timeout exceeded when trying to connect'));
      });
      waiting.resolve = client => {
        cancel(timer);
        resolve(client);
      };
      this.#waiting.push(waiting);
    });
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    for (const client of [...this.#open]) this.#remove(client);
  }

  async #dial(): Promise<Client> {
    this.#opening++;
    try {
      let lose = () => {};
      const session = await openSession({
        owner: currentOwner(),
        statementMs: this.#statementMs,
        onLost: () => lose(),
      });
      // It may be gone again before anybody has it.
      if (!session.isOpen) throw new Error('Connection terminated unexpectedly');
      const client: Client = new Client(session, isBroken => this.#release(client, isBroken));
      lose = () => this.#lose(client);
      this.#open.add(client);
      this.emit('connect', client);
      return client;
    } finally {
      this.#opening--;
    }
  }

  #release(client: Client, isBroken: boolean): void {
    if (isBroken || client.isLost || this.#isEnding) return void this.#remove(client);
    const next = this.#waiting.shift();
    if (next) next.resolve(client);
    else this.#idle.push(client);
  }

  /** The server has ended the connection. */
  #lose(client: Client): void {
    client.isLost = true;
    const wasIdle = this.#idle.includes(client);
    if (!wasIdle) return;
    this.#remove(client);
    this.emit('error', new Error('Connection terminated unexpectedly'), client);
  }

  #remove(client: Client): void {
    this.#open.delete(client);
    this.#idle = this.#idle.filter(other => other !== client);
    closeSession(client.session);
    const next = this.#waiting.shift();
    if (next) this.#dial().then(next.resolve, next.reject);
  }
}

type Query = string | { name: string; text: string };

type Done = (error: Error | null, result?: Result) => void;

class Client {
  isLost = false;
  readonly session: Session;
  #onRelease: (isBroken: boolean) => void;

  constructor(session: Session, onRelease: (isBroken: boolean) => void) {
    this.session = session;
    this.#onRelease = onRelease;
  }

  /** Told by a call where there is one to make, and else by a promise. */
  query(query: Query, values: readonly unknown[] = [], done?: Done): Promise<Result> | undefined {
    const text = typeof query === 'string' ? query : query.text;
    const running = runStatement(this.session, { text, values });
    if (!done) return running;
    running.then(result => done(null, result), done);
    return undefined;
  }

  /** Whoever holds a connection that is lost learns it by what they send next. */
  on(): void {}

  /** Gives the connection up; it is not used again. */
  async end(): Promise<void> {
    this.isLost = true;
    closeSession(this.session);
  }

  release(isBroken?: boolean | Error): void {
    this.#onRelease(Boolean(isBroken));
  }
}

const driver = { Pool, Client };
// biome-ignore lint/style/noDefaultExport: that is how the driver is asked for
export default driver;
