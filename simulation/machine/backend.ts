/** A backend: one real connection to PostgreSQL, which is told the simulated time with every statement. */
import pg from 'pg';

export interface Result {
  command: string;
  rowCount: number | null;
  rows: unknown[];
}

export interface Statement {
  text: string;
  values: readonly unknown[];
  name?: string | undefined;
}

export interface Backend {
  number: number;
  pid: number;
  /** Runs a statement at a moment, in milliseconds since 1970. */
  run(statement: Statement, at: number): Promise<Result>;
  close(): Promise<void>;
}

/** Named as no statement of the service's is. */
const CLOCK = 'SIMULATED CLOCK';
/** Our `now()` comes before PostgreSQL's; and nothing waits for the disk. */
const OPTIONS = '-c search_path=public,simulation,pg_catalog -c synchronous_commit=off';
let opened = 0;

export async function openBackend(url: string): Promise<Backend> {
  const client = new pg.Client({ connectionString: url, options: OPTIONS });
  client.on('error', () => {});
  await client.connect();
  await client.query({ name: CLOCK, text: "select set_config('simulation.now', $1, false)", values: ['0'] });
  const { rows } = await client.query('select pg_backend_pid() as pid');
  return {
    number: opened++,
    pid: rows[0].pid,
    run: ({ text, values, name }, at) =>
      new Promise((resolve, reject) => {
        const query = new TimedQuery(
          {
            text,
            values: [...values],
            name,
            queryMode: values.length > 0 || /\bnow\(\)/.test(text) ? 'extended' : undefined,
          },
          String(at / 1000),
        );
        query.callback = (error, result) => (error ? reject(error) : resolve(lastOf(result)));
        client.query(query as unknown as pg.Submittable);
      }),
    close: () => client.end().catch(() => {}),
  };
}

/** `begin` goes out with the clock in front of it, and has two results. */
function lastOf(result: Result | Result[]): Result {
  return Array.isArray(result) ? (result.at(-1) as Result) : result;
}

interface Wire {
  query(text: string): void;
  bind(config: { portal: string; statement: string; values: string[] }): void;
  execute(config: { portal: string; rows?: number }): void;
}

interface QueryConfig {
  text: string;
  values: unknown[];
  name: string | undefined;
  queryMode: string | undefined;
}

/** As much of the driver's query as is added to here. */
interface DriverQuery {
  text: string;
  callback(error: Error | undefined, result: Result | Result[]): void;
  prepare(connection: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
}

const Query = pg.Query as unknown as new (config: QueryConfig) => DriverQuery;

/** A query that sets the clock first, in the same breath: `now()` is then what the simulation says. */
class TimedQuery extends Query {
  #seconds: string;
  #isSetting = false;

  constructor(config: QueryConfig, seconds: string) {
    const isBeginning = config.text === 'begin';
    super(isBeginning ? { ...config, text: `set simulation.now = '${seconds}'; begin` } : config);
    this.#seconds = seconds;
  }

  override prepare(connection: Wire): void {
    this.#isSetting = true;
    connection.bind({ portal: '', statement: CLOCK, values: [this.#seconds] });
    connection.execute({ portal: '' });
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (!this.#isSetting) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#isSetting) this.#isSetting = false;
    else super.handleCommandComplete(message, connection);
  }
}
