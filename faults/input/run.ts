/** The run of bad input: every parameter of both surfaces with everything that is wrong for it, and more that chance finds. */
import { join } from 'node:path';
import { type Case, casesOf, growCase } from '../../test/bad-input/cases.ts';
import { currentTable } from '../../test/bad-input/current-table.ts';
import { earlierTable } from '../../test/bad-input/earlier-table.ts';
import { judge } from '../../test/bad-input/judge.ts';
import { type Line as Connection, openLine } from '../../test/bad-input/line.ts';
import { DEAF_HOST, makeLive } from '../../test/bad-input/live.ts';
import { type Live, type Spot, spotsOf, type Table } from '../../test/bad-input/parameter.ts';
import { bodyCases } from '../../test/bad-input/wholes.ts';
import { readDelays } from '../bed/loop.ts';
import { findPort } from '../bed/processes.ts';
import { openWorld, type World } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { tryPatterns } from './patterns.ts';
import { tryRaw } from './raw.ts';

const GROWN = 20_000;
const CONNECTIONS = 4;
const LONGEST_MS = 250;
const LONGEST_DELAY_MS = 50;
/** Until everything has been compiled that will be. */
const WARM_UP = 400;

export async function runInput(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'input', small, seed, accounts: 1 });
  try {
    const { lines, examples } = await tryEverything(world);
    return { run: 'input', seed, seconds: Math.round((performance.now() - began) / 1000), lines, examples };
  } finally {
    await world.close();
  }
}

async function tryEverything(world: World): Promise<Pick<Section, 'lines' | 'examples'>> {
  const { small, chance, accounts } = world;
  const port = await findPort();
  const loopFile = join(world.folder, 'loop.txt');
  // What is sent here is sent as fast as it is answered, and each answer is timed.
  const env = { RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0', MOST_DELAY_MS: '0' };
  if (!(await world.start({ port, allowedHost: DEAF_HOST, env, order: { loopFile } })))
    throw new Error('the instance does not start');
  const url = `http://127.0.0.1:${port}`;
  const connections = Array.from({ length: CONNECTIONS }, () => openLine(url));
  const live = await makeLive(connections[0] as Connection, accounts[0] as World['accounts'][number]);
  const spots = [...spotsOf(currentTable(live)), ...spotsOf(earlierTable(live))];
  const all = chance.shuffle(spots.flatMap(spot => casesOf(spot, live)));
  await tryCases('', all.slice(0, WARM_UP), connections);

  const since = Date.now();
  const corpus = small ? all.slice(0, all.length / 20) : all;
  const grown = growCases(spots, live, { world, count: small ? GROWN / 20 : GROWN });
  const tried = [
    await tryCases(`every parameter: ${spots.length} of them, seeds and mutations`, corpus, connections),
    await tryCases('every parameter: grown by chance', grown, connections),
    await tryCases('bodies as a whole', wholeBodies(live), connections),
    await tryRaw(url, world),
  ];
  const delays = readDelays(loopFile, since);
  for (const connection of connections) connection.close();
  say(`${corpus.length + grown.length} cases`);
  return {
    lines: [...tried.map(({ line }) => line), lineOfDelays(delays), tryPatterns()],
    examples: tried.flatMap(({ examples }) => examples.slice(0, 5)),
  };
}

function wholeBodies(live: Live): Case[] {
  return [currentTable, earlierTable].flatMap((tableOf: (live: Live) => Table) =>
    bodyCases(tableOf(live), live),
  );
}

interface Growth {
  world: World;
  count: number;
}

function growCases(spots: readonly Spot[], live: Live, { world, count }: Growth): Case[] {
  const grown: Case[] = [];
  while (grown.length < count) {
    const one = growCase(world.chance.pick(spots), live, world.chance);
    if (one) grown.push(one);
  }
  return grown;
}

/** A line of the report, and what broke it. */
interface Tried {
  line: Line;
  examples: string[];
}

async function tryCases(
  what: string,
  cases: readonly Case[],
  connections: readonly Connection[],
): Promise<Tried> {
  const examples: string[] = [];
  let [next, slowest, taken] = [0, 0, 0];
  await Promise.all(
    connections.map(async connection => {
      for (let one = cases[next++]; one !== undefined; one = cases[next++]) {
        const { flaw, ms } = await judge(one, connection);
        if (one.taken !== undefined) taken++;
        // What is right asks providers, who take their own time.
        else slowest = Math.max(slowest, ms);
        if (flaw !== undefined) examples.push(flaw);
        else if (one.taken === undefined && ms > LONGEST_MS)
          examples.push(`${one.what}: ${Math.round(ms)} ms`);
      }
    }),
  );
  const worst = `${slowest.toFixed(1)} ms; ${taken} were right after all, and taken`;
  return { line: { fault: 'F27', what, count: cases.length, violations: examples.length, worst }, examples };
}

function lineOfDelays(delays: readonly number[]): Line {
  const held = delays.filter(ms => ms > LONGEST_DELAY_MS).length;
  return {
    ...{ fault: 'F27', what: 'the loop meanwhile, held up by work, by tenths of seconds' },
    ...{ count: delays.length, violations: held, worst: `${Math.max(0, ...delays).toFixed(1)} ms` },
  };
}
