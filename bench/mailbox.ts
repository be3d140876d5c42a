/** A mailbox: webhooks proven, kept and acknowledged behind node:http, by one INSERT each or all that wait in one. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { announce } from './child.ts';
import { CONNECTIONS, insertLetter, letterValues, type PlainLetter } from './plain.ts';

const [databaseUrl, manner, secret = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
const INSERT = insertLetter('plain.inbox');
const INSERT_ALL = `
  insert into plain.inbox (provider, environment, digest, headers, body)
  select 'moonpay', 'test', * from unnest($1::bytea[], $2::text[], $3::bytea[])
  on conflict do nothing`;
const ANSWER = '{"received":true}';
const HEADERS = { 'content-type': 'application/json', 'content-length': ANSWER.length };

const keep = manner === 'batched' ? createBatches() : keepOne;

announce(
  createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (!isProven(request, body)) return void response.writeHead(401, { 'content-length': 0 }).end();
      const digest = createHash('sha256').update(body).digest();
      keep({ digest, headers: JSON.stringify(request.headers), body }).then(
        () => response.writeHead(200, HEADERS).end(ANSWER),
        () => response.writeHead(500, { 'content-length': 0 }).end(),
      );
    });
  }),
);

function isProven({ headers }: IncomingMessage, body: Buffer): boolean {
  const [, moment, signature = ''] =
    /^t=(\d+),s=([0-9a-f]{64})$/.exec(String(headers['moonpay-signature-v2'])) ?? [];
  const expected = createHmac('sha256', secret).update(`${moment}.`).update(body).digest();
  const sent = Buffer.from(signature, 'hex');
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

async function keepOne(letter: PlainLetter): Promise<void> {
  await pool.query(INSERT, letterValues(letter));
}

/** All that came while one write was under way goes into the next: the fewest statements there can be. */
function createBatches(): (letter: PlainLetter) => Promise<void> {
  let waiting: { letter: PlainLetter; resolve(): void; reject(error: unknown): void }[] = [];
  let writing = false;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const letters = batch.map(({ letter }) => letter);
      try {
        await pool.query(INSERT_ALL, [
          letters.map(({ digest }) => digest),
          letters.map(({ headers }) => headers),
          letters.map(({ body }) => body),
        ]);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    writing = false;
  }

  return letter =>
    new Promise((resolve, reject) => {
      waiting.push({ letter, resolve, reject });
      if (writing) return;
      writing = true;
      setImmediate(() => void write());
    });
}
