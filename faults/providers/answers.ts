/** Answers: garbage and lies through twelve real adapters, and honest ones that must not be taken for lies (F4, F8). */
import { each, openClient } from '../bed/client.ts';
import { say } from '../report.ts';
import { REAL } from './cast.ts';
import { type Figures, flawOf, isTrue, readBoard, type Shown } from './check.ts';
import { type Findings, judge, together } from './findings.ts';
import { GARBAGE } from './garbage.ts';
import { type Scene, type Site, settle } from './scene.ts';
import { ASKED_OFTEN, amountAt, partOf, type Script } from './script.ts';

const AMOUNTS = { full: 400, small: 60 };
const ROUNDS = { garbage: 5, lies: 8, spread: 21 };
/** The same question from elsewhere is another question: what was just answered does not serve it. */
const COUNTRIES = ['de', 'fr', 'es', 'it', 'nl', 'at', 'be', 'fi', 'ie', 'pt'];
/** How often each kind of garbage is said, at least. */
const LEAST_EACH = 100;
/** One request in so many is followed as its providers answer. */
const FOLLOWED_EVERY = 8;

/** What every provider truly offers at every amount. */
type Truth = ReadonlyMap<string, Figures>;

interface Tally {
  requests: number;
  shown: number;
  problems: Map<string, number>;
  examples: string[];
}

export async function tryAnswers(scene: Scene): Promise<Findings> {
  const { small } = scene;
  const site = await scene.start({ who: 'real' });
  await scene.order({ script: scriptOf(scene, 'honest', 0), recount: true });
  await settle(site);
  const truth = await learn(scene, site);
  say('F4: garbage');
  const garbage = await play(scene, site, {
    theme: 'garbage',
    from: 1,
    rounds: small ? 1 : ROUNDS.garbage,
    truth,
  });
  say('F8: lies');
  const lies = await play(scene, site, { theme: 'lies', from: 2, rounds: small ? 1 : ROUNDS.lies, truth });
  say('F8: honest answers');
  const spread = await play(scene, site, {
    theme: 'spread',
    from: 3,
    rounds: small ? 1 : ROUNDS.spread,
    truth,
  });
  const isGone = site.isGone();
  await site.end();

  const rare = GARBAGE.filter(({ name }) => (garbage.said[name] ?? 0) < (small ? 1 : LEAST_EACH)).length;
  return together([
    judge(
      {
        fault: 'F4',
        what: `garbage of ${Object.keys(garbage.said).length} kinds, ${Math.min(...Object.values(garbage.said))} times each at least`,
        count: total(garbage.said),
        worst: `${garbage.requests.toLocaleString('en')} answers of ours, ${garbage.shown.toLocaleString('en')} quotes in them`,
      },
      [...garbage.problems, ['kinds were said too rarely', rare], ['instances ended', isGone ? 1 : 0]],
    ),
    judge(
      {
        fault: 'F8',
        what: `lies of ${Object.keys(lies.said).length} kinds: lying answers`,
        count: total(lies.said),
        worst: `${lies.shown.toLocaleString('en')} quotes shown beside them`,
      },
      [...lies.problems],
    ),
    judge(
      {
        fault: 'F8',
        what: 'honest answers up to 3 % from the market either way',
        count: spread.shown,
        worst: `${spread.shown.toLocaleString('en')} shown`,
      },
      [...spread.problems],
    ),
    { lines: [], examples: [garbage, lies, spread].flatMap(({ examples }) => examples) },
  ]);
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function scriptOf({ small, seed }: Scene, theme: Script['theme'], round: number): Script {
  return { theme, round, seed, amounts: small ? AMOUNTS.small : AMOUNTS.full };
}

/** Asks once for everything while all are honest. */
async function learn(scene: Scene, { url }: Site): Promise<Truth> {
  const script = scriptOf(scene, 'honest', 0);
  const client = openClient(url, 4);
  const truth = new Map<string, Figures>();
  await each(placesOf(script), 4, async place => {
    const { text } = await client.get(pathAt(place));
    const board = readBoard(text);
    if (typeof board === 'string') throw new Error(`an honest answer cannot be read: ${board}`);
    for (const quote of board) truth.set(`${quote.ramp} ${place}`, quote);
  });
  await client.close();
  const missing = placesOf(script).flatMap(place => REAL.filter(name => !truth.has(`${name} ${place}`)));
  if (missing.length > 0) throw new Error(`no honest quote of ${[...new Set(missing)].join(', ')}`);
  return truth;
}

function placesOf({ amounts }: Script): number[] {
  return Array.from({ length: amounts }, (_, place) => place);
}

function pathAt(place: number, round = 0): string {
  const country = COUNTRIES[round % COUNTRIES.length];
  return `/quotes/eur/btc?amount=${amountAt(place)}&paymentMethod=creditcard&country=${country}`;
}

/** Goes through all amounts, round after round; one request at a time where providers fail, lest breakers open. */
async function play(
  scene: Scene,
  { url }: Site,
  { theme, from, rounds, truth }: { theme: Script['theme']; from: number; rounds: number; truth: Truth },
) {
  const tally: Tally = { requests: 0, shown: 0, problems: new Map(), examples: [] };
  const client = openClient(url, 4);
  await scene.order({ recount: true });
  for (let round = from; round < from + rounds; round++) {
    const script = scriptOf(scene, theme, round);
    await scene.order({ script });
    await each(placesOf(script), theme === 'spread' ? 4 : 1, async place => {
      const isFollowed = theme !== 'spread' && place % FOLLOWED_EVERY === 0;
      const { status, text } = await client.get(
        pathAt(place, round),
        isFollowed ? { accept: 'text/event-stream' } : {},
      );
      tally.requests++;
      check(tally, { script, place, truth }, { status, text: isFollowed ? doneOf(text) : text });
      if (isFollowed) checkEvents(tally, { script, place, truth }, text);
    });
  }
  await client.close();
  const { said } = await scene.order({ script: scriptOf(scene, 'honest', 0), recount: true });
  return { ...tally, said };
}

interface Moment {
  script: Script;
  place: number;
  truth: Truth;
}

function check(tally: Tally, moment: Moment, { status, text }: { status: number; text: string }): void {
  const { script, place, truth } = moment;
  const blame = (problem: string, detail: string) => {
    tally.problems.set(problem, (tally.problems.get(problem) ?? 0) + 1);
    if (tally.examples.length < 5)
      tally.examples.push(
        `${script.theme}, round ${script.round}, ${amountAt(place)}: ${problem}: ${detail}`,
      );
  };
  if (status !== 200) return void blame('answers of ours not 200', `${status} ${text.slice(0, 200)}`);
  const board = readBoard(text);
  if (typeof board === 'string') return void blame('boards out of order', board);
  tally.shown += board.length;
  for (const quote of board) {
    const flaw = flawOf(quote as Shown & Record<string, unknown>, Number(amountAt(place)));
    if (flaw) blame('malformed quotes', `${quote.ramp} ${flaw}`);
  }
  for (const name of REAL) {
    const part = partOf(script, name, place);
    const quote = board.find(({ ramp }) => ramp === name);
    const known = truth.get(`${name} ${place}`);
    // An amount that is asked for on the way to another may be one that is answered with garbage.
    const isHonest = part === undefined && !(script.theme === 'garbage' && ASKED_OFTEN.has(name));
    if (isHonest && !quote) blame('honest quotes withheld', name);
    if (quote && script.theme === 'lies' && part !== undefined)
      blame(quote === board[0] ? 'lies ranked first' : 'lies shown', `${name}, ${part}`);
    if (quote && script.theme === 'garbage' && known && !isTrue(quote, known))
      blame('quotes made of garbage', `${name}, ${part}: ${JSON.stringify(quote).slice(0, 160)}`);
  }
}

/** The board at the end of a stream. */
function doneOf(text: string): string {
  return /^event: done\ndata: (.*)$/m.exec(text)?.[1] ?? '';
}

/** Who follows the stream is told no lies on the way either. */
function checkEvents(tally: Tally, { script, place, truth }: Moment, text: string): void {
  if (script.theme !== 'lies') return;
  for (const [, data = '{}'] of text.matchAll(/^event: (?!done)\w+\ndata: (.*)$/gm)) {
    const outcome = JSON.parse(data) as Partial<Shown>;
    const name = REAL.find(real => real === outcome.ramp);
    if (!name || outcome.payout === undefined || partOf(script, name, place) === undefined) continue;
    const honest = truth.get(`${name} ${place}`);
    tally.problems.set('lies in a stream', (tally.problems.get('lies in a stream') ?? 0) + 1);
    if (tally.examples.length < 5)
      tally.examples.push(
        `lies, ${name}: ${partOf(script, name, place)} in a stream, ${outcome.payout} for ${honest?.payout}`,
      );
  }
}
