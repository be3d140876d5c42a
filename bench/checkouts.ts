/** Bench Biii: checkouts with an idempotency key, against one INSERT and against the same in six round trips. */
import { createAccount } from '../src/app/accounts.ts';
import { openDatabase } from '../src/store/database.ts';
import type { Child } from './child.ts';
import { runClosedLoop, writePost } from './load.ts';
import { findPgbench, runPgbench } from './pgbench.ts';
import { THEME, WALLET } from './plain.ts';
import { createPlainTables } from './plain-tables.ts';
import { type Load, loadOf, measureSpans, type Spans, type Target } from './span.ts';
import { type Row, short, spreadOf } from './table.ts';
import { type Desk, type World, withClient } from './world.ts';

const CLIENTS = 16;
const KEY_KNOWN_MS = 10_000;
const AMOUNT = 100;

type Name = 'ours' | 'heard' | 'naive' | 'raw' | 'pgbench';

/** An account, and the quote its checkouts name. */
interface Customer {
  key: string;
  quoteId: string;
}

export async function benchCheckouts(world: World): Promise<Row[]> {
  const postgres = await world.spreadPostgres();
  const sink = await world.startBaseline('sink');
  const desk = await world.startDesk({ WEBHOOK_ALLOWED_HOSTS: new URL(sink.url).host });
  const plainUrl = await createPlainTables(world);
  const raw = await world.startBaseline('rows', [plainUrl, 'orders']);
  const naive = await world.startBaseline('naive', [plainUrl]);
  const silent: Customer = { key: desk.key, quoteId: '' };
  const heard: Customer = { key: await addListener(desk, `${sink.url}/events`), quoteId: '' };

  const targets: Target<Name>[] = [
    { name: 'ours', pid: desk.pid, run: ms => checkOut(desk, silent, ms) },
    {
      name: 'heard',
      pid: desk.pid,
      run: ms => checkOut(desk, heard, ms),
      settle: () => forgetDeliveries(desk),
    },
    { name: 'naive', pid: naive.pid, run: ms => checkOut(naive, silent, ms) },
    { name: 'raw', pid: raw.pid, run: ms => insertRows(raw, ms, CLIENTS) },
  ];
  const pgbench = findPgbench();
  if (pgbench)
    targets.push({ name: 'pgbench', pid: process.pid, run: ms => runPgbench(pgbench, plainUrl, ms) });
  const spans = await measureSpans(targets, {
    pacing: world.pacing,
    postgres,
    helpers: [world.fleet.pid, sink.pid],
    milliseconds: world.pacing.quick ? 1_000 : 3_000,
    warmUp: world.pacing.quick ? 300 : 5_000,
    async prepare() {
      for (const customer of [silent, heard]) customer.quoteId = await askQuoteId(desk, customer.key);
    },
  });
  for (const child of [desk, naive, raw, sink]) await child.stop();
  return judge(spans, pgbench !== undefined);
}

function judge(spans: Spans<Name>, hasPgbench: boolean): Row[] {
  const { of, all, isDisturbed } = spans;
  const rate = (name: Name) => `${spreadOf(all(name, 'perSecond').map(Math.round))}/s`;
  const over = (what: string, ours: Name, baseline: Name): Row => ({
    bench: 'Biii',
    what,
    ours: `${ours === 'ours' || ours === 'heard' ? '' : `${ours} `}${rate(ours)}`,
    baseline: `${baseline} ${rate(baseline)}`,
    figure: of(ours, 'perSecond') / of(baseline, 'perSecond'),
    doubtful: isDisturbed(ours, baseline),
  });
  const compare = (
    what: string,
    figure: 'p50' | 'p99' | 'cpuMicros' | 'postgresMicros',
    baseline: Name,
  ): Row => {
    const unit = figure.endsWith('Micros') ? 'µs' : 'ms';
    return {
      bench: 'Biii',
      what,
      ours: `${short(of('ours', figure))} ${unit}`,
      baseline: `${baseline} ${short(of(baseline, figure))} ${unit}`,
      figure: of('ours', figure) / of(baseline, figure),
      doubtful: isDisturbed('ours', baseline),
    };
  };
  return [
    { ...over('checkouts a second over naive', 'ours', 'naive'), goal: { id: 'G9', least: 2.5 } },
    { ...over('checkouts a second over one INSERT', 'ours', 'raw'), goal: { id: 'G9', least: 0.35 } },
    { ...over('the same', 'ours', 'raw'), goal: { id: 'G9', least: 0.5, stretch: true } },
    { ...compare('p99 of a checkout over that of one INSERT', 'p99', 'raw'), goal: { id: 'G9', most: 3 } },
    compare('p50 of a checkout over that of one INSERT', 'p50', 'raw'),
    compare('p99 of a checkout over naive', 'p99', 'naive'),
    compare('CPU of the server per checkout over naive', 'cpuMicros', 'naive'),
    compare('CPU of PostgreSQL per checkout over naive', 'postgresMicros', 'naive'),
    compare('CPU of PostgreSQL per checkout over one INSERT', 'postgresMicros', 'raw'),
    over('with a webhook endpoint that hears of each, over naive', 'heard', 'naive'),
    over('with a webhook endpoint that hears of each, over one INSERT', 'heard', 'raw'),
    over('naive over one INSERT', 'naive', 'raw'),
    // What pgbench itself uses is not told from what others use.
    ...(hasPgbench
      ? [{ ...over('one INSERT, node pg over pgbench', 'raw', 'pgbench'), doubtful: false }]
      : []),
  ];
}

let keys = 0;

/** A closed loop of checkouts, each under a key of its own. */
async function checkOut(server: Child, { key, quoteId }: Customer, milliseconds: number): Promise<Load> {
  const body = JSON.stringify({ ...WISH, metaData: { quoteId } });
  const result = await runClosedLoop({
    url: server.url,
    connections: CLIENTS,
    milliseconds,
    ask: connection =>
      connection.send(
        writePost(
          '/checkout/intent?country=de',
          [`authorization: ${key}`, `idempotency-key: bench-${Date.now()}-${++keys}`],
          body,
        ),
      ),
    onReply({ status, body: answer }) {
      if (status !== 200) throw new Error(`a checkout was answered ${status} ${answer}`);
    },
  });
  return loadOf(result);
}

const WISH = {
  onramp: 'moonpay',
  source: 'eur',
  destination: 'btc',
  amount: AMOUNT,
  type: 'buy',
  paymentMethod: 'creditcard',
  network: 'bitcoin',
  uuid: '6f9619ff-8b86-d011-b42d-00c04fc964ff',
  partnerContext: 'order-1',
  originatingHost: 'shop.example',
  wallet: { address: WALLET },
  supportedParams: { theme: THEME },
};

/** One quote serves any number of checkouts. A new key is known to the service within a second or so. */
async function askQuoteId({ url }: Child, key: string): Promise<string> {
  for (const until = Date.now() + KEY_KNOWN_MS; ; ) {
    const path = `/quotes/eur/btc?amount=${AMOUNT}&paymentMethod=creditcard&country=de`;
    const answer = await fetch(url + path, { headers: { authorization: key } });
    const quotes = answer.ok ? ((await answer.json()) as { ramp: string; quoteId?: string }[]) : [];
    const found = quotes.find(({ ramp, quoteId }) => ramp === WISH.onramp && quoteId !== undefined);
    if (found?.quoteId !== undefined) return found.quoteId;
    if (Date.now() > until) throw new Error(`${path} answered ${answer.status} without ${WISH.onramp}`);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** Another account, which hears of its transactions; gives its key. */
async function addListener(desk: Desk, hearsAt: string): Promise<string> {
  const database = await openDatabase({ url: desk.databaseUrl });
  const { publicKey, secret } = await createAccount(database, { name: 'heard', environment: 'test' });
  await database.destroy();
  await askQuoteId(desk, publicKey);
  const answer = await fetch(`${desk.url}/webhooks`, {
    method: 'POST',
    headers: { authorization: publicKey, 'x-service-secret': secret, 'content-type': 'application/json' },
    body: JSON.stringify({ url: hearsAt }),
  });
  if (answer.status !== 201) throw new Error(`the endpoint was answered ${answer.status}`);
  return publicKey;
}

/** What was not delivered while it was measured must not disturb what is measured next. */
async function forgetDeliveries({ databaseUrl }: Desk): Promise<void> {
  await withClient(databaseUrl, client =>
    client.query(`update deliveries set state = 'delivered' where state = 'due'`),
  );
}

/** Rows of one INSERT each, as fast as node pg gets them in. */
export async function insertRows({ url }: Child, milliseconds: number, callers: number): Promise<Load> {
  const answer = await fetch(`${url}/?milliseconds=${milliseconds}&callers=${callers}`);
  return (await answer.json()) as Load;
}
