/** A backend: one real connection to PostgreSQL, which is told the simulated time with every statement. */
import pg from 'pg';
import { joinCore } from './core.ts';
import { gatherFrames, type Value } from './frames.ts';
import { openPipe } from './pipe.ts';
import { createReplies, type Expected, type ReadRow, type Result } from './replies.ts';
import { isScript, type Statement } from './statements.ts';

/** What came of a statement. */
export type Answer = { result: Result; error: undefined } | { error: Error };

export interface Backend {
  number: number;
  pid: number;
  /**
   * Sends statements in one piece; the answer is that to the last one. From then on `now()` is the moment that is given,
   * in milliseconds since 1970.
   */
  send(statements: readonly Statement[], at: number | undefined): void;
  /** The answer to what was sent; undefined when it has not come after so many milliseconds. */
  answer(patienceMs?: number): Answer | undefined;
  /** Sends one and waits for its answer. */
  run(statement: Statement, at: number | undefined): Result;
}

/**
 * Our `now()` comes before PostgreSQL's, and nothing waits for the disk. A plan is made once, whatever the values:
 * so it does not depend on what a connection was used for before.
 */
const SETTINGS = {
  search_path: 'public,simulation,pg_catalog',
  plan_cache_mode: 'force_generic_plan',
  synchronous_commit: 'off',
};
const SET_CLOCK = "select set_config('simulation.now', $1, false)";
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): Value } }).utils;
let opened = 0;

export async function openBackend(url: string): Promise<Backend> {
  const { searchParams, username, pathname, port } = new URL(url);
  const pipe = await openPipe(`${searchParams.get('host')}/.s.PGSQL.${port}`);
  const replies = createReplies(pipe);
  const frames = gatherFrames();
  const known = new Map<string, Prepared>();
  /** Statements that were sent to be prepared, until they are. */
  let fresh: Prepared[] = [];
  let expected: Expected = { skip: 0, readRow: undefined, described };
  let names = 0;

  function described(readRow: ReadRow | undefined): void {
    const one = fresh.shift();
    if (one) known.set(one.text, { ...one, readRow });
  }

  function exchange(): void {
    pipe.write(frames.take());
    const reply = replies.read(expected);
    if (reply?.error) throw reply.error;
  }

  function prepare(text: string): Prepared {
    const one = { text, name: `s${names++}`, readRow: undefined };
    frames.parse(one.name, text);
    frames.describe(one.name);
    fresh.push(one);
    return one;
  }

  function add({ text, values }: Statement): Prepared {
    const one = known.get(text) ?? prepare(text);
    frames.bind(one.name, values.map(prepareValue));
    frames.execute();
    return one;
  }

  /** Prepared and in one piece; undefined when they cannot be, and go out as text after text. */
  function addAll(statements: readonly Statement[]): Prepared | undefined {
    if (statements.some(isScript)) {
      frames.query(statements.map(write).join(';'));
      return undefined;
    }
    const all = statements.map(add);
    frames.sync();
    return all.at(-1);
  }

  frames.startup({ user: username, database: pathname.slice(1), ...SETTINGS });
  exchange();
  joinCore(replies.pid());
  prepare(SET_CLOCK);
  frames.sync();
  exchange();

  const backend: Backend = {
    number: opened++,
    pid: replies.pid(),
    send(statements, at) {
      fresh = [];
      const clock = at === undefined ? [] : [{ text: SET_CLOCK, values: [String(at / 1000)] }];
      const sent = [...clock, ...statements];
      expected = { skip: sent.length - 1, readRow: addAll(sent)?.readRow, described };
      pipe.write(frames.take());
    },
    answer(patienceMs) {
      const reply = replies.read(expected, patienceMs);
      return reply && (reply.error ? { error: reply.error } : { result: reply.result, error: undefined });
    },
    run(statement, at) {
      backend.send([statement], at);
      const answer = backend.answer() as Answer;
      if (answer.error) throw answer.error;
      return answer.result;
    },
  };
  return backend;
}

/** A statement that PostgreSQL has read once, and knows by a name. */
interface Prepared {
  text: string;
  name: string;
  readRow: ReadRow | undefined;
}

function write({ text, values: [value] }: Statement): string {
  return value === undefined ? text : text.replace('$1', () => `'${value}'`);
}
