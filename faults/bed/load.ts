/** A load of everything at once: quotes, catalog, checkouts, transactions and webhooks, and what became of each. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Credentials } from '../../src/app/accounts.ts';
import { type Client, checkoutLetter, type Reply, readIntent } from './client.ts';
import { signLetter, writeLetter } from './wire.ts';
import type { World } from './world.ts';

export type Errand = 'quotes' | 'catalog' | 'checkout' | 'transactions' | 'webhook';

/** One answer, or that there was none. */
export interface Answer {
  errand: Errand;
  /** 0 when there was no answer, -1 when it was 200 and yet not what was asked for. */
  status: number;
  retryAfter: boolean;
  /** By the clock that only goes forward. */
  began: number;
  ms: number;
}

export interface Made {
  transactionId: string;
  sessionId: string;
  provider: string;
}

export interface Load {
  answers: readonly Answer[];
  /** Checkouts that were acknowledged, by their key. */
  made: ReadonlyMap<string, Made>;
  /** Transactions whose end was told by a webhook that was acknowledged. */
  told: ReadonlySet<string>;
  /** Does so many of one kind at once, besides; resolves when all are answered. */
  burst(errand: Errand, count: number): Promise<void>;
  stop(): Promise<void>;
}

export interface LoadOptions {
  world: World;
  /** Whom to ask this time. */
  client(): Client;
  /** How long each worker rests between two errands. */
  restMs: number;
  /** Where to check out; the ends of MoonPay's orders are told by webhooks. */
  providers?: readonly string[];
}

const PATIENCE_MS = 120_000;
/** So many amounts, all of which every provider takes: where one has nothing to say, the others have. */
const AMOUNTS = 900;

export function startLoad(options: LoadOptions): Load {
  const { world, client, restMs, providers = ['moonpay', 'transak'] } = options;
  const account = world.accounts[0] as Credentials;
  const answers: Answer[] = [];
  const made = new Map<string, Made>();
  const told = new Set<string>();
  const untold: string[] = [];
  let serial = 0;
  let isWanted = true;

  async function timed(errand: Errand, ask: () => Promise<Reply>, isRight = (_: Reply) => true) {
    const began = performance.now();
    const reply = await ask();
    const ms = performance.now() - began;
    const status = reply.status === 200 && !isRight(reply) ? -1 : reply.status;
    answers.push({ errand, status, retryAfter: reply.headers['retry-after'] !== undefined, began, ms });
    return reply;
  }

  const errands: Record<Errand, () => Promise<unknown>> = {
    quotes: () =>
      timed('quotes', () => client().get(`/quotes/eur/btc?amount=${100 + (++serial % AMOUNTS)}`), hasPrice),
    catalog: () => timed('catalog', () => client().get(`/supported?type=buy&spare=${++serial % 50}`)),
    async checkout() {
      const key = `load-${++serial}`;
      const provider = providers[serial % providers.length] as string;
      const letter = checkoutLetter(account, { provider, partnerContext: key, key });
      const reply = await until(200, () =>
        timed('checkout', () => client().post('/checkout/intent', letter)),
      );
      if (reply.status !== 200) return;
      const intent = { ...readIntent(reply.text), provider };
      made.set(key, intent);
      if (provider === 'moonpay') untold.push(intent.transactionId);
    },
    transactions: () => {
      const [last] = [...made.values()].slice(-1);
      const path = ++serial % 2 && last ? `/transactions/${last.transactionId}` : '/transactions?limit=5';
      return timed('transactions', () => client().get(path, keysOf(account)));
    },
    async webhook() {
      const reference = untold.shift();
      if (reference === undefined) return;
      const reply = await until(200, () => timed('webhook', () => tell(world, client(), reference)));
      if (reply.status === 200) told.add(reference);
    },
  };

  /** As clients do it: under the same key, after a while. */
  async function until(status: number, ask: () => Promise<Reply>): Promise<Reply> {
    const patience = performance.now() + PATIENCE_MS;
    for (;;) {
      const reply = await ask();
      if (reply.status === status || !isWanted || performance.now() > patience) return reply;
      await wait(restMs);
    }
  }

  async function work(errand: Errand): Promise<void> {
    while (isWanted) {
      await errands[errand]();
      await wait(restMs);
    }
  }

  const workers: Errand[] = [
    'quotes',
    'quotes',
    'catalog',
    'checkout',
    'checkout',
    'transactions',
    'webhook',
  ];
  const working = workers.map(work);
  return {
    answers,
    made,
    told,
    async burst(errand, count) {
      await Promise.all(Array.from({ length: count }, () => errands[errand]()));
    },
    async stop() {
      isWanted = false;
      await Promise.all(working);
    },
  };
}

/** Tells that an order of MoonPay's has come to a good end. */
export function tell(world: World, client: Client, reference: string): Promise<Reply> {
  const at = Math.floor(Date.now() / 1000);
  const letter = writeLetter('moonpay', {
    ...{ reference, theirs: `theirs-${reference}`, word: 'completed', at: at * 1000 },
    ...{ reason: null, hash: `0x${reference}`, cents: 10_000, coins: '0.001', serial: reference },
  });
  return client.post('/hooks/moonpay', signLetter(letter, world.keys(), at));
}

export function keysOf({ publicKey, secret }: Credentials): Record<string, string> {
  return { authorization: publicKey, 'x-service-secret': secret };
}

/** Whether any provider has named a price. */
function hasPrice({ text }: Reply): boolean {
  return (JSON.parse(text) as { errors?: unknown }[]).some(({ errors }) => !errors);
}

/** What was acknowledged and is not there, or is there twice; in words. */
async function findLost(world: World, { made, told }: Pick<Load, 'made' | 'told'>) {
  const rows = await world.query<{ id: string; session_id: string; partner_context: string; status: string }>(
    'select id, session_id, partner_context, status from transactions',
  );
  const byKey = new Map<string, typeof rows>();
  for (const row of rows) {
    const others = byKey.get(row.partner_context);
    if (others) others.push(row);
    else byKey.set(row.partner_context, [row]);
  }
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  const checkouts = [...made].flatMap(([key, { transactionId, sessionId }]) => {
    const [row, ...more] = byKey.get(key) ?? [];
    if (row?.id !== transactionId || row.session_id !== sessionId) return [`${key}: acknowledged and lost`];
    return more.length > 0 ? [`${key}: ${more.length + 1} transactions`] : [];
  });
  const webhooks = [...told].flatMap(id =>
    statuses.get(id) === 'completed' ? [] : [`${id}: told of its end, and is ${statuses.get(id)}`],
  );
  return { checkouts, webhooks };
}

const SETTLE_MS = 120_000;

/** Waits until every webhook that was acknowledged has had its effect; then says what is missing. */
export async function settleWebhooks(
  world: World,
  load: Pick<Load, 'made' | 'told'>,
): ReturnType<typeof findLost> {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    const lost = await findLost(world, load);
    if (lost.webhooks.length === 0 || performance.now() > until) return lost;
    await wait(200);
  }
}

/** Waits until all of it has been dealt with and told as well; then says what is missing. */
export async function settleAll(world: World, load: Pick<Load, 'made' | 'told'>) {
  const lost = await settleWebhooks(world, load);
  const until = performance.now() + SETTLE_MS / 2;
  for (;;) {
    const untold = await world.query<{ event_id: string }>(
      `select event_id from deliveries where state <> 'delivered'`,
    );
    if (untold.length === 0 || performance.now() > until)
      return { ...lost, events: untold.map(({ event_id }) => `${event_id}: not told`) };
    await wait(200);
  }
}
