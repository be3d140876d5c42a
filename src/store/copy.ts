/** Rows of a table in PostgreSQL's own text form, streamed out of a connection and into one. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';

/** Hands on all that a `copy … to stdout` gives, in pieces of whole rows; how many rows there were. */
export function copyOut(
  client: pg.Client,
  statement: string,
  take: (rows: Buffer) => Promise<void>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let collected: Buffer[] = [];
    let size = 0;
    let count = 0;
    let taking = Promise.resolve();
    const handOn = () => {
      const rows = Buffer.concat(collected);
      collected = [];
      size = 0;
      taking = taking.then(() => take(rows));
      taking.catch(reject);
    };
    send(client, {
      ...SILENT,
      submit: connection => connection.query(statement),
      handleCopyData({ chunk }, { stream }) {
        collected.push(Buffer.from(chunk)); // the driver uses its own again
        size += chunk.length;
        if (size < PIECE_BYTES) return;
        handOn();
        stream.pause();
        // What fails is told by `handOn`.
        void taking.then(
          () => stream.resume(),
          () => {},
        );
      },
      handleCommandComplete({ text }) {
        count = countIn(text);
      },
      handleError: reject,
      handleReadyForQuery() {
        handOn();
        taking.then(() => resolve(count), reject);
      },
    });
  });
}

/** Sends all that a `copy … from stdin` is to take; how many rows were taken. */
export function copyIn(client: pg.Client, statement: string, rows: AsyncIterable<Buffer>): Promise<number> {
  const ended = new AbortController();
  return new Promise<number>((resolve, reject) => {
    let count = 0;
    send(client, {
      ...SILENT,
      submit: connection => connection.query(statement),
      handleCopyInResponse(connection) {
        pump(connection, rows, ended.signal).catch(error => {
          reject(error);
          connection.sendCopyFail('there is no more');
        });
      },
      handleCommandComplete({ text }) {
        count = countIn(text);
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(count),
    });
  }).finally(() => ended.abort());
}

const PIECE_BYTES = 65_536;

/** As much of the driver's connection as is used here. */
interface Connection {
  stream: Socket;
  query(statement: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** What the driver calls of whatever it is given to run. */
interface Conversation {
  submit(connection: Connection): void;
  handleRowDescription(): void;
  handleDataRow(): void;
  handlePortalSuspended(): void;
  handleEmptyQuery(): void;
  handleCopyInResponse(connection: Connection): void;
  handleCopyData(message: { chunk: Buffer }, connection: Connection): void;
  handleCommandComplete(message: { text: string }): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
}

const SILENT = {
  handleRowDescription() {},
  handleDataRow() {},
  handlePortalSuspended() {},
  handleEmptyQuery() {},
  handleCopyInResponse() {},
  handleCopyData() {},
};

function send(client: pg.Client, conversation: Conversation): void {
  client.query(conversation as unknown as pg.Submittable);
}

async function pump(connection: Connection, rows: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
  for await (const piece of rows) {
    if (signal.aborted) return;
    connection.sendCopyFromChunk(piece);
    if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain', { signal });
  }
  connection.endCopyFrom();
}

/** Of `COPY 42`. */
function countIn(text: string): number {
  return Number(text.split(' ')[1] ?? 0);
}
