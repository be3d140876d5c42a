/** X2, strangers: one account asks for everything that is another's, and must learn no more than of what does not exist. */
import type { Credentials } from '../../src/app/accounts.ts';
import { each } from '../bed/client.ts';
import type { Line } from '../report.ts';
import { type Caller, type Heard, JSON_BODY, proofOf } from './caller.ts';
import { buy, type Scene } from './scene.ts';
import { MARK, makeTreasure, type Treasure } from './treasure.ts';
import { type Way, waysOf } from './ways.ts';

const TRIES = 10_000;
const AT_ONCE = 8;
/** So much slower or quicker, in the middle of all tries, and more than so many milliseconds, would tell the two apart; of a few tries chance tells more. */
const TELLING = { tries: 300, share: 0.3, ms: 1 };

export async function tryStrangers(scene: Scene): Promise<{ lines: Line[]; examples: string[] }> {
  const { world, caller, own, other } = scene;
  const treasure = await makeTreasure(scene);
  const ways = waysOf(other, await endpointOf(caller, other, scene.things.hookUrl));
  const tries = Math.ceil((world.small ? TRIES / 20 : TRIES) / ways.length);
  const examples: string[] = [];
  const lines: Line[] = [];
  for (const way of ways) lines.push(await tryWay(scene, { way, treasure, tries, examples }));
  lines.push(await takeKeys(scene, treasure, examples));
  lines.push(await readOwnPages(caller, { reader: other, owner: own, examples }));
  return { lines, examples };
}

/** An endpoint of the account that asks. */
async function endpointOf(caller: Caller, account: Credentials, url: string): Promise<string> {
  const headers = [...proofOf(account), JSON_BODY];
  const body = JSON.stringify({ url });
  return (
    JSON.parse((await caller.call({ method: 'POST', path: '/webhooks', headers, body })).text) as {
      id: string;
    }
  ).id;
}

interface Trial {
  way: Way;
  treasure: Treasure;
  tries: number;
  examples: string[];
}

async function tryWay(
  { world: { chance }, caller }: Scene,
  { way, treasure, tries, examples }: Trial,
): Promise<Line> {
  const [theirs, unknown]: [number[], number[]] = [[], []];
  let violations = 0;
  await each(Array.from({ length: tries }), AT_ONCE, async () => {
    const asked = way.ask(treasure, chance);
    // Now one comes first and now the other: whoever does has to wait for whatever else is going on.
    const isFirst = chance.below(2) < 1;
    const early = await caller.call(isFirst ? asked.theirs : asked.unknown);
    const late = await caller.call(isFirst ? asked.unknown : asked.theirs);
    const [first, second] = isFirst ? [early, late] : [late, early];
    theirs.push(first.ms);
    unknown.push(second.ms);
    const flaw = flawOf(way, first, second);
    if (!flaw) return;
    violations++;
    examples.push(`${way.name}: ${flaw}`);
  });
  const [mine, nobodys] = [medianOf(theirs), medianOf(unknown)];
  const apart = Math.abs(mine - nobodys);
  const isTelling =
    tries >= TELLING.tries && apart > TELLING.ms && apart > TELLING.share * Math.min(mine, nobodys);
  if (isTelling)
    examples.push(`${way.name}: takes ${mine.toFixed(1)} ms, and ${nobodys.toFixed(1)} ms when unknown`);
  return {
    ...{ fault: 'X2', what: way.name, count: tries, violations: violations + (isTelling ? 1 : 0) },
    worst: `${mine.toFixed(1)} ms, unknown ${nobodys.toFixed(1)} ms`,
  };
}

function flawOf({ status }: Way, theirs: Heard, unknown: Heard): string | undefined {
  if (theirs.text.includes(MARK)) return 'a row was leaked';
  if (theirs.status !== status) return `answered ${theirs.status} ${theirs.text.slice(0, 200)}`;
  const [one, other] = [plainly(theirs), plainly(unknown)];
  return one === other ? undefined : `answered otherwise than what is unknown: ${one} and ${other}`;
}

/** An answer without what tells every two of them apart. */
function plainly({ status, headers, text }: Heard): string {
  // Its length grows with the number in a request's id.
  const { date: _date, 'content-length': _length, 'x-request-id': requestId = '', ...others } = headers;
  const { 'content-security-policy': policy = '', ...rest } = others;
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none';
  const plain = text.replaceAll(requestId, '').replaceAll(nonce, '');
  return JSON.stringify([status, rest, policy.replaceAll(nonce, ''), plain]);
}

function medianOf(list: readonly number[]): number {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
}

/** The other's idempotency keys with the other's bodies: they make an order of one's own and show none of the other's. */
async function takeKeys(
  { caller, other }: Scene,
  { keys, bought }: Treasure,
  examples: string[],
): Promise<Line> {
  let violations = 0;
  for (const key of keys) {
    const made = await buy(caller, other, { partnerContext: 'own' }, [['idempotency-key', key]]);
    if (!bought.some(({ transactionId }) => transactionId === made.transactionId)) continue;
    violations++;
    examples.push(`the idempotency key ${key} showed another account’s order`);
  }
  return { fault: 'X2', what: 'checkout by an idempotency key', count: keys.length, violations, worst: '' };
}

interface Reading {
  reader: Credentials;
  owner: Credentials;
  examples: string[];
}

const FILTERS = [
  '',
  'limit=50',
  'startDateTime=2000-01-01T00:00:00Z',
  'endDateTime=2099-01-01T00:00:00Z',
  'startDateTime=2000-01-01T00:00:00Z&endDateTime=2099-01-01T00:00:00Z&limit=7',
];

/** All pages of one's own, by every filter there is, and all endpoints: not a line of them is another's. */
async function readOwnPages(caller: Caller, { reader, owner, examples }: Reading): Promise<Line> {
  let [count, violations] = [0, 0];
  const look = async (path: string) => {
    const { text } = await caller.call({ path, headers: proofOf(reader) });
    count++;
    if (text.includes(MARK) || text.includes(owner.publicKey)) {
      violations++;
      examples.push(`${path} holds what is another account’s`);
    }
    return JSON.parse(text) as { cursor?: string };
  };
  await look('/webhooks');
  for (const filter of FILTERS) {
    let cursor: string | undefined;
    do ({ cursor } = await look(`/transactions?${filter}${cursor ? `&cursor=${cursor}` : ''}`));
    while (cursor);
  }
  return { fault: 'X2', what: 'pages of one’s own', count, violations, worst: '' };
}
