/** Treasure: what one account has and another would like to see, and names for it beside names that nobody has. */
import { ulid } from 'ulid';
import type { Chance } from '../bed/chance.ts';
import { proofOf } from './caller.ts';
import { type Bought, buy, type Scene } from './scene.ts';

export interface Treasure {
  bought: readonly Bought[];
  cursors: readonly { query: string; cursor: string }[];
  endpointId: string;
  eventIds: readonly string[];
  quoteIds: readonly string[];
  stepTokens: readonly string[];
  keys: readonly string[];
}

const PURCHASES = 30;
/** Stands in everything of the other account's, and nowhere else. */
export const MARK = 'belongs-to-the-first-account';

export async function makeTreasure({ world, caller, own, things }: Scene): Promise<Treasure> {
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

/** Names of another's things, each beside one that nobody has. */
export const NAMES = {
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

/** A letter of a text replaced by another, so that it is as long. */
function spoil(text: string, chance: Chance): string {
  const at = chance.whole(text.length - 20, text.length - 2);
  const other = chance.pick([...'abcdefgh23456'].filter(one => one !== text[at]));
  return text.slice(0, at) + other + text.slice(at + 1);
}
