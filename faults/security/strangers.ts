/** X2, strangers: one account asks for everything that is another's, and must learn no more than of what does not exist. */
import { ulid } from 'ulid';
import type { Credentials } from '../../src/app/accounts.ts';
import type { Chance } from '../bed/chance.ts';
import { each } from '../bed/client.ts';
import type { Line } from '../report.ts';
import { type Call, type Caller, type Heard, JSON_BODY, proofOf } from './caller.ts';
import { type Bought, buy, type Scene, WALLET } from './scene.ts';

/** What one account has and another would like to see. */
interface Treasure {
  bought: readonly Bought[];
  cursors: readonly { query: string; cursor: string }[];
  endpointId: string;
  eventIds: readonly string[];
  quoteIds: readonly string[];
  stepTokens: readonly string[];
  keys: readonly string[];
}

/** A way to ask for what is another's: once by its name, and once by a name that nobody has. */
interface Way {
  name: string;
  ask(treasure: Treasure, chance: Chance): { theirs: Call; unknown: Call };
  /** The answer to both; anything else has told something. */
  status: number;
}

const TRIES = 10_000;
const AT_ONCE = 8;
const PURCHASES = 30;
/** Stands in everything of the other account's, and nowhere else. */
const MARK = 'belongs-to-the-first-account';
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

async function makeTreasure({ world, caller, own, things }: Scene): Promise<Treasure> {
  const keys = Array.from({ length: world.small ? 6 : PURCHASES }, (_, at) => `${MARK}-${at}`);
  const bought: Bought[] = [];
  for (const key of keys)
    bought.push(await buy(caller, own, { partnerContext: key }, [['idempotency-key', key]]));
  const read = async (path: string) => (await caller.call({ path, headers: proofOf(own) })).text;
  const cursors = [];
  for (const query of ['limit=1', 'limit=2', 'limit=3&startDateTime=2020-01-01T00:00:00Z']) {
    const { cursor } = JSON.parse(await read(`/transactions?${query}`)) as { cursor: string };
    cursors.push({ query, cursor });
  }
  const events = await world.query<{ id: string }>(
    `select e.id from events e join transactions t on t.id = e.transaction_id
    join accounts a on a.id = t.account_id where a.public_key = $1 limit 100`,
    [own.publicKey],
  );
  const quotes = JSON.parse(await read('/quotes/eur/btc?amount=100')) as { quoteId: string; ramp: string }[];
  return {
    ...{ bought, cursors, keys, endpointId: things.endpointId },
    eventIds: events.map(({ id }) => id),
    quoteIds: quotes.filter(({ ramp }) => ramp === 'moonpay').map(({ quoteId }) => quoteId),
    stepTokens: [await things.newStep(), await things.newStep()],
  };
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

function waysOf(asking: Credentials, endpointId: string): Way[] {
  const proof = proofOf(asking);
  const sent = [...proof, JSON_BODY];
  const plain = (method: string, path: string): Call => ({ method, path, headers: proof });
  const posted = (path: string, body: object): Call => ({
    ...{ method: 'POST', path, headers: sent, body: JSON.stringify(body) },
  });
  /** The same question about what is another's and about what nobody has. */
  const about = (name: string, status: number, call: (id: string) => Call, of: keyof typeof NAMES): Way => ({
    ...{ name, status },
    ask: (treasure, chance) => {
      const [theirs, unknown] = NAMES[of](treasure, chance);
      return { theirs: call(theirs), unknown: call(unknown) };
    },
  });
  const order = (more: object) => ({
    ...{ onramp: 'moonpay', source: 'eur', destination: 'btc', amount: 100, wallet: { address: WALLET } },
    ...more,
  });
  const pages = ['', '/state', '/events', '/return'].map(page =>
    about(
      `pay page${page} by a token that is nearly right`,
      404,
      token => plain('GET', `/pay/${token}${page}`),
      'token',
    ),
  );
  const endpoints = (
    [
      ['POST', '/secret'],
      ['DELETE', '/secret/previous'],
      ['POST', '/enable'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['DELETE', ''],
    ] as const
  ).map(([method, path]) =>
    about(`${method} of an endpoint${path}`, 404, id => plain(method, `/webhooks/${id}${path}`), 'endpoint'),
  );
  return [
    about('transaction by its id', 404, id => plain('GET', `/transactions/${id}`), 'transaction'),
    about(
      'transactions by their ids',
      200,
      id => plain('GET', `/transactions?transactionIds=${id}`),
      'transaction',
    ),
    about('page by a cursor', 400, query => plain('GET', `/transactions?${query}`), 'cursor'),
    ...endpoints,
    about(
      'replay of an endpoint',
      404,
      id => posted(`/webhooks/${id}/replay`, { state: 'dead' }),
      'endpoint',
    ),
    about(
      'replay of an event',
      200,
      id => posted(`/webhooks/${endpointId}/replay`, { eventIds: [id] }),
      'event',
    ),
    ...pages,
    about(
      'checkout by a quote',
      400,
      quoteId => posted('/checkout/intent', order({ metaData: { quoteId } })),
      'quote',
    ),
    about(
      'step of an order by steps',
      404,
      token => posted(`/legacy/transaction/moonpay/form/${token}`, { email: 'jo@shop.example' }),
      'step',
    ),
  ];
}

/** A letter of a text replaced by another, so that it is as long. */
function spoil(text: string, chance: Chance): string {
  const at = chance.whole(text.length - 20, text.length - 2);
  const other = chance.pick([...'abcdefgh23456'].filter(one => one !== text[at]));
  return text.slice(0, at) + other + text.slice(at + 1);
}

/** Names of another's things, each beside one that nobody has. */
const NAMES = {
  transaction: ({ bought }, chance) => [chance.pick(bought).transactionId, ulid()],
  endpoint: ({ endpointId }) => [endpointId, ulid()],
  event: ({ eventIds }, chance) => {
    const id = chance.pick(eventIds);
    return [id, id.replace(/[0-9A-Z]{26}/, ulid())];
  },
  cursor: ({ cursors }, chance) => {
    const { query, cursor } = chance.pick(cursors);
    return [`${query}&cursor=${cursor}`, `${query}&cursor=${spoil(cursor, chance)}`];
  },
  quote: ({ quoteIds }, chance) => {
    const id = chance.pick(quoteIds);
    return [id, spoil(id, chance)];
  },
  step: ({ stepTokens }, chance) => {
    const token = chance.pick(stepTokens);
    return [token, spoil(token, chance)];
  },
  // A session's id is in what the shop was told; what makes it a token is not.
  token: ({ bought }, chance) => {
    const { payToken } = chance.pick(bought);
    return [spoil(payToken, chance), `${ulid()}${payToken.slice(26)}`];
  },
} satisfies Record<string, (treasure: Treasure, chance: Chance) => readonly [string, string]>;

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
