/** Repeats: whoever sends, byte for byte, a request that memory has just answered is answered before anything is parsed. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Envelope } from './envelope.ts';
import type { Kept } from './memory.ts';

/** A request, and what memory held for it. */
export interface Asked {
  request: IncomingMessage;
  envelope: Envelope;
  kept: Kept;
}

/** A connection over which memory has answered. */
interface Line {
  /** What it answered last. */
  last: Asked;
  /** The same with all the bytes it took, where nothing has come since. */
  known: { asked: Asked; bytes: Buffer } | undefined;
  /** Pieces in a row that were no repeats. */
  misses: number;
  isListening: boolean;
  /** Has the next piece heard before it is parsed; there from when something was asked twice. */
  listen: (() => void) | undefined;
}

type Hear = (piece: Buffer) => void;

/** Whoever does not repeat itself is left to the parser. */
const MOST_MISSES = 3;

/** What repeats must know of connections. */
export interface RepeatsOptions {
  /** Answers a request once more; false where that takes more than memory, and the parser reads those bytes as it reads any. */
  again(asked: Asked): boolean;
  /** Whether nothing is under way over a connection. */
  isIdle(socket: Socket): boolean;
}

/** What is returned must be told of each request that memory answers. */
export function createRepeats({ again, isIdle }: RepeatsOptions): (asked: Asked) => void {
  const lines = new WeakMap<Socket, Line>();

  return asked => {
    const { socket } = asked.request;
    const line = lines.get(socket);
    if (!line) {
      lines.set(socket, { last: asked, known: undefined, misses: 0, isListening: false, listen: undefined });
      return;
    }
    if (!line.listen && isSame(asked.request, line.last.request)) setImmediate(prepare, socket, line);
    line.last = asked;
    if (!line.isListening && line.misses < MOST_MISSES) line.listen?.();
  };

  /** Nobody may begin to listen while Node has a connection paused, for too much being asked at once: it would stay so. */
  function prepare(socket: Socket, line: Line): void {
    if (line.listen || socket.isPaused() || !isIdle(socket)) return;
    line.listen = createListener(socket, line);
    line.listen?.();
  }

  /** It takes the parser's place between two requests, and gives it back whenever there is something to parse. */
  function createListener(socket: Socket, line: Line): (() => void) | undefined {
    const [parse, ...others] = socket.listeners('data') as Hear[];
    // Should a version of Node read otherwise, everything goes on as it does without repeats.
    if (!parse || others.length > 0) return undefined;

    const hear: Hear = piece => {
      if (line.known?.bytes.equals(piece) && again(line.known.asked)) {
        line.misses = 0;
        return;
      }
      line.misses++;
      line.known = undefined;
      line.isListening = false;
      socket.on('data', parse).off('data', hear);
      parse.call(socket, piece);
      // It listens again when memory has answered what was in the piece.
      if (line.isListening && isWhole(piece, line.last.request)) {
        line.known = { asked: line.last, bytes: Buffer.from(piece) };
      }
    };

    return () => {
      socket.on('data', hear).off('data', parse);
      line.isListening = true;
    };
  }
}

/** Node reads a connection a little faster while nobody else listens to it, so nobody does before something comes twice. */
function isSame(request: Spelled, other: Spelled): boolean {
  if (request.url !== other.url || request.rawHeaders.length !== other.rawHeaders.length) return false;
  return request.rawHeaders.every((text, at) => text === other.rawHeaders[at]);
}

type Spelled = Pick<IncomingMessage, 'url' | 'rawHeaders'>;

/**
 * Whether a piece is one request and nothing else: it begins with its first line and ends with the empty one, and there
 * are as many lines between them as it has headers. What belongs to the one before or after it would be a line more.
 */
export function isWhole(piece: Buffer, { url, rawHeaders }: Spelled): boolean {
  const text = piece.toString('latin1');
  if (!text.startsWith(`GET ${url} HTTP/1.1\r\n`) || !text.endsWith('\r\n\r\n')) return false;
  return text.split('\n').length === rawHeaders.length / 2 + 3;
}
