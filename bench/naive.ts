/** Naive: a checkout as it is first written: a transaction of six round trips behind node:http. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { announce } from './child.ts';
import { CONNECTIONS, insertInto, insertOrder, orderValues } from './plain.ts';

const [databaseUrl] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
const ACCOUNT = '01K00000000000000000000000';
const SESSION_MS = 600_000;
const INSERT_KEY = insertInto('plain.keys', [
  ...['account_id', 'key', 'digest', 'transaction_id', 'answer', 'created_at'],
]);
const INSERT_SESSION = insertInto('plain.sessions', ['id', 'account_id', 'created_at', 'expires_at']);
const INSERT_ORDER = insertOrder('plain.transactions');
const INSERT_EVENT = insertInto('plain.events', [
  ...['id', 'account_id', 'transaction_id', 'sequence', 'body', 'created_at'],
]);

announce(
  createServer(async (request, response) => {
    try {
      const answer = await checkOut(request);
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
        .end(answer);
    } catch (error) {
      console.error(error);
      response.writeHead(500, { 'content-length': 0 }).end();
    }
  }),
);

async function checkOut(request: IncomingMessage): Promise<string> {
  const text = Buffer.concat(await request.toArray()).toString();
  const order = { id: randomUUID(), sessionId: randomUUID(), at: new Date() };
  const body = JSON.parse(text) as Record<string, unknown>;
  const answer = writeAnswer(order, body);
  const event = JSON.stringify({ ...body, transactionId: order.id, status: 'new', statusDate: order.at });
  const key = request.headers['idempotency-key'];
  const digest = createHash('sha256').update(text).digest();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(INSERT_KEY, [ACCOUNT, key, digest, order.id, answer, order.at]);
    const until = new Date(order.at.getTime() + SESSION_MS);
    await client.query(INSERT_SESSION, [order.sessionId, ACCOUNT, order.at, until]);
    await client.query(INSERT_ORDER, orderValues(order));
    await client.query(INSERT_EVENT, [`${order.id}-1`, ACCOUNT, order.id, 1, event, order.at]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
  return answer;
}

/** About as long as ours. */
function writeAnswer({ id, sessionId }: { id: string; sessionId: string }, body: object): string {
  const url = `http://127.0.0.1:8080/pay/${sessionId}`;
  return JSON.stringify({
    message: { status: 'in_progress', transactionInformation: { transactionId: id, url, type: 'iframe' } },
    sessionInformation: { sessionId, ...body },
  });
}
