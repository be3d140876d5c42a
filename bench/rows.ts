/** Rows: one INSERT after the other from as many callers as asked for, with nothing around it; what a database gives. */
import { createServer } from 'node:http';
import pg from 'pg';
import { announce } from './child.ts';
import { percentile } from './figures.ts';
import { CONNECTIONS, insertLetter, insertOrder, letterValues, orderValues } from './plain.ts';
import type { Load } from './span.ts';

const [databaseUrl, kind, letter = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
const { headers, body } = letter ? JSON.parse(letter) : { headers: '', body: '' };
const bytes = Buffer.from(body);
const text = kind === 'letters' ? insertLetter('plain.letters') : insertOrder('plain.rows');
const start = Date.now().toString(36).toUpperCase().padStart(13, '0');
let made = 0;

announce(
  createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://rows');
    const report = await insertFor(
      Number(searchParams.get('milliseconds')),
      Number(searchParams.get('callers')),
    );
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(report));
  }),
);

async function insertFor(milliseconds: number, callers: number): Promise<Load> {
  const times: number[] = [];
  const began = performance.now();
  const end = began + milliseconds;
  const call = async () => {
    for (let sent = performance.now(); sent < end; ) {
      await pool.query(text, nextValues());
      const now = performance.now();
      times.push(now - sent);
      sent = now;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - began) / 1000;
  return { requests: times.length, seconds, p50: percentile(times, 50), p99: percentile(times, 99) };
}

/** As long as ours, in rising order as ours are, and made at no cost. */
function nextValues(): unknown[] {
  const id = start + (++made).toString(36).toUpperCase().padStart(13, '0');
  if (kind === 'letters') return letterValues({ digest: Buffer.from(id.padEnd(32)), headers, body: bytes });
  return orderValues({ id, sessionId: id, at: new Date() });
}
