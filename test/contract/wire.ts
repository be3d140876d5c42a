/** The bare wire: requests byte by byte, as no well-behaved client would send them. */
import { connect } from 'node:net';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The body as JSON; undefined when it is none. */
  body: { message?: string; field?: string; errorCode?: number } | undefined;
}

const LONGEST_MS = 8_000;

/** Sends bytes and reads one answer; throws when the socket is closed without one, or nothing comes. */
export function send(url: string, bytes: string | Buffer): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    const timer = setTimeout(() => finish(() => reject(new Error('no answer'))), LONGEST_MS);
    const finish = (act: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      act();
    };
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk]);
      const answer = readAnswer(received);
      if (answer) finish(() => resolve(answer));
    });
    socket.on('error', () => {});
    socket.on('close', () =>
      finish(() => {
        const answer = readAnswer(received, true);
        if (answer) resolve(answer);
        else reject(new Error(`closed after ${received.length} bytes`));
      }),
    );
  });
}

/** Sends bytes and reads all there is until the service hangs up, or for a while. */
export function listen(url: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname);
    let received = '';
    const timer = setTimeout(() => socket.destroy(), 2_000);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', chunk => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
  });
}

/** A GET of a target exactly as it is spelled. */
export function target(path: string, headers: string[] = []): string {
  return [
    'GET ',
    path,
    ' HTTP/1.1\r\n',
    ['Host: test', ...headers, 'Connection: close', '', ''].join('\r\n'),
  ].join('');
}

/** Reads an answer; undefined while it is not whole. `ended` makes the end of the connection its end. */
export function readAnswer(bytes: Buffer, ended = false): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...rest] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    rest.map(text => {
      const colon = text.indexOf(':');
      return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()];
    }),
  );
  const raw = bytes.subarray(end + 4);
  const text =
    headers['transfer-encoding'] === 'chunked' ? unchunk(raw) : measure(raw, headers['content-length']);
  const isEmpty = line.includes(' 204 ');
  const known = text ?? (ended ? raw.toString() : isEmpty ? '' : undefined);
  return known === undefined
    ? undefined
    : { status: Number(line.split(' ')[1]), headers, text: known, body: parse(known) };
}

/** The first so many bytes; undefined while they are not there, or nobody says how many. */
function measure(raw: Buffer, length: string | undefined): string | undefined {
  const wanted = Number(length ?? Number.NaN);
  return raw.length >= wanted ? raw.subarray(0, wanted).toString() : undefined;
}

/** The chunks up to the empty one; undefined while that has not come. */
function unchunk(raw: Buffer): string | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = raw.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(raw.subarray(at, lineEnd).toString(), 16);
    if (size === 0) return Buffer.concat(parts).toString();
    parts.push(raw.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

function parse(text: string): Answer['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
