/** Bench Biv: a page of an account's transactions, from a thousand records to ten million. */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type pg from 'pg';
import { median, percentile } from './figures.ts';
import { type History, idOf, writeHistory } from './history.ts';
import { openConnection, runClosedLoop } from './load.ts';
import { type Load, loadOf, measureSpans, type Spans, type Target } from './span.ts';
import { type Row, short } from './table.ts';
import { type Desk, type World, withClient } from './world.ts';

const PAGE = 50;
const SIZES = [1e3, 1e5, 1e7];
/** A record with its indexes, its part of a transaction, and what the log of it takes meanwhile. */
const BYTES_EACH = 1_500;
const WINDOW_MS = 600_000;
const BACK_MS = 30_000;
/** By then a history has more than two pages. */
const FIRST_PAGES_MS = 900_000;

const KINDS = ['first page', 'random cursor', 'time window', '50 ids'] as const;
type Kind = (typeof KINDS)[number];
type Name = `${number} ${Kind}`;

/** An account with so many records, and the service that tells of them. */
interface Written {
  size: number;
  desk: Desk;
  account: string;
  history: History;
}

/** The same once PostgreSQL has it in memory, as far as it keeps any. */
interface Archive extends Written {
  /** Paths of pages that begin anywhere. */
  cursorPaths: string[];
  /** Milliseconds that pages take by OFFSET, straight from PostgreSQL. */
  offsets: number[];
}

export async function benchPages(world: World): Promise<Row[]> {
  const written: Written[] = [];
  for (const size of sizesFor(world)) written.push(await writeArchive(world, size));
  await world.restartPostgres();
  const postgres = await world.spreadPostgres();
  const archives: Archive[] = [];
  for (const archive of written) archives.push(await openArchive(world, archive));
  const targets = archives.flatMap(archive =>
    KINDS.map(
      (kind): Target<Name> => ({
        name: `${archive.size} ${kind}`,
        pid: archive.desk.pid,
        run: ms => readPages(archive, () => pathOf(kind, archive), ms),
      }),
    ),
  );
  const spans = await measureSpans(targets, {
    pacing: world.pacing,
    postgres,
    helpers: [world.fleet.pid, ...archives.map(({ desk }) => desk.pid)],
    milliseconds: world.pacing.quick ? 500 : 1_500,
    warmUp: world.pacing.quick ? 50 : 500,
  });
  for (const { desk } of archives) await desk.stop();
  return [...KINDS.flatMap(kind => judge(kind, archives, spans)), ...judgeOffset(archives)];
}

/** Those that were asked for and that the disk has room for. */
function sizesFor({ pacing }: World): number[] {
  const { bavail, bsize } = statfsSync(tmpdir());
  const most = Math.min(pacing.rows, Math.floor((bavail * bsize) / 2 / BYTES_EACH));
  if (most < pacing.rows) console.error(`bench: Biv has room for ${most} records only`);
  return [...SIZES.filter(size => size < most), most];
}

async function writeArchive(world: World, size: number): Promise<Written> {
  const desk = await world.startDesk();
  const began = performance.now();
  return withClient(desk.databaseUrl, async client => {
    const { rows } = await client.query('select id from accounts where public_key = $1', [desk.key]);
    const [{ id: account }] = rows as [{ id: string }];
    const history = await writeHistory(client, account, size);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    console.error(`bench: Biv wrote ${size} records in ${seconds} s`);
    return { size, desk, account, history };
  });
}

async function openArchive({ pacing: { quick } }: World, written: Written): Promise<Archive> {
  const { desk, account, size } = written;
  const offsets = await withClient(desk.databaseUrl, async client => {
    await readIn(client);
    const times: number[] = [];
    for (let sample = 0; sample < (quick ? 3 : 7); sample++) {
      const sent = performance.now();
      await client.query(BY_OFFSET, [account, Math.floor(Math.random() * (size - PAGE))]);
      times.push(performance.now() - sent);
    }
    return times;
  });
  await foundAgain(desk);
  return { ...written, cursorPaths: await walk(written, quick ? 100 : 600), offsets };
}

/** What has been asked for over days is in memory; so is this, as far as there is room. */
async function readIn(client: pg.Client): Promise<void> {
  await client.query('create extension pg_prewarm');
  await client.query(`
    select pg_prewarm(oid) from pg_class where oid in (
      select indexrelid from pg_index where indrelid in ('transactions'::regclass, 'entries'::regclass)
      union all values ('transactions'::regclass), ('entries'::regclass)
    )`);
}

/** Waits until a service has its database back. */
async function foundAgain({ url }: Desk): Promise<void> {
  const until = Date.now() + BACK_MS;
  while ((await fetch(`${url}/health/ready`)).status !== 200) {
    if (Date.now() > until) throw new Error('the service does not find its database again');
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** At its best: the page is chosen before anything is joined to it. */
const BY_OFFSET = `
  select * from (
    select * from entries where account_id = $1
    order by at desc, transaction_id desc, sequence desc limit ${PAGE} offset $2
  ) e join transactions t on t.id = e.transaction_id
  order by e.at desc, e.transaction_id desc, e.sequence desc`;

function pathOf(kind: Kind, { history, cursorPaths }: Archive): string {
  if (kind === 'first page') return '/transactions';
  if (kind === 'random cursor') return cursorPaths[randomBelow(cursorPaths.length)] as string;
  if (kind === 'time window') {
    const until = momentOf(history);
    return `/transactions?startDateTime=${iso(until - WINDOW_MS)}&endDateTime=${iso(until)}`;
  }
  const chosen = new Set<number>();
  while (chosen.size < PAGE) chosen.add(1 + randomBelow(history.transactions));
  return `/transactions?transactionIds=${[...chosen].map(at => idOf(history, at)).join(',')}`;
}

/** Cursors are sealed: each comes from a page that ends somewhere, and leads on from there. */
async function walk(archive: Written, pages: number): Promise<string[]> {
  const paths: string[] = [];
  const connection = openConnection(archive.desk.url);
  try {
    while (paths.length < pages) {
      const path = `/transactions?endDateTime=${iso(momentOf(archive.history))}`;
      const { status, body } = await connection.get(path, headerOf(archive));
      const { cursor } = JSON.parse(body.toString()) as { cursor?: string };
      if (!cursor) throw new Error(`${path} was answered ${status} without a cursor`);
      paths.push(`${path}&cursor=${encodeURIComponent(cursor)}`);
    }
  } finally {
    connection.close();
  }
  return paths;
}

/** One page after the other: whatever PostgreSQL takes longer is seen undiminished. */
async function readPages(archive: Archive, nextPath: () => string, milliseconds: number): Promise<Load> {
  const header = headerOf(archive);
  const result = await runClosedLoop({
    url: archive.desk.url,
    connections: 1,
    milliseconds,
    ask: connection => connection.get(nextPath(), header),
    onReply({ status, body }) {
      const records = body.toString('latin1').split('"statusDate":').length - 1;
      if (status !== 200 || records !== PAGE)
        throw new Error(`a page was answered ${status} with ${records}`);
    },
  });
  return loadOf(result);
}

function headerOf({ desk }: Written): string {
  return `authorization: ${desk.key}\r\nx-service-secret: ${desk.secret}`;
}

function judge(kind: Kind, archives: readonly Archive[], { of, isDisturbed }: Spans<Name>): Row[] {
  const [least, ...larger] = archives.map(({ size }) => size);
  const largest = larger.at(-1);
  const row = (size: number, figure: 'p50' | 'p99', most: number): Row => {
    const [ours, base]: Name[] = [`${size} ${kind}`, `${least as number} ${kind}`];
    return {
      bench: 'Biv',
      what: `${kind}, ${figure} at ${countText(size)} records over that at ${countText(least as number)}`,
      ours: `${short(of(ours as Name, figure))} ms`,
      baseline: `${short(of(base as Name, figure))} ms`,
      figure: of(ours as Name, figure) / of(base as Name, figure),
      ...(size === largest && { goal: { id: 'G10', most } }),
      doubtful: isDisturbed(ours as Name, base as Name),
    };
  };
  return larger.flatMap(size => [row(size, 'p50', 1.3), row(size, 'p99', 2)]);
}

function judgeOffset(archives: readonly Archive[]): Row[] {
  const [least, ...larger] = archives;
  return larger.map(({ size, offsets }) => ({
    bench: 'Biv',
    what: `by OFFSET instead, p50 at ${countText(size)} records over that at ${countText(least?.size ?? 0)}`,
    ours: `OFFSET ${short(median(offsets))} ms`,
    baseline: `${short(median(least?.offsets ?? []))} ms`,
    figure: percentile(offsets, 50) / percentile(least?.offsets ?? [], 50),
  }));
}

function countText(size: number): string {
  return Number.isInteger(Math.log10(size)) ? size.toExponential().replace('+', '') : String(size);
}

function momentOf({ firstAt, lastAt }: History): number {
  return firstAt + FIRST_PAGES_MS + randomBelow(lastAt - firstAt - FIRST_PAGES_MS);
}

function iso(moment: number): string {
  return new Date(moment).toISOString();
}

function randomBelow(limit: number): number {
  return Math.floor(Math.random() * limit);
}
