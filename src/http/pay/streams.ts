/** Streams: orders followed live by the people who wait for them. */
import type { FastifyReply } from 'fastify';
import type { Pay, PayView } from '../../app/pay.ts';
import { Fault } from '../../domain/fault.ts';
import { writeJson } from '../../domain/json.ts';
import { openStream } from '../stream.ts';
import type { PayState } from './shape.ts';

export interface Streams {
  /** Answers with every change, as `stateOf` puts it, until the order has ended for good or the person goes away. */
  open(token: string, reply: FastifyReply, stateOf: StateWriter): Promise<FastifyReply>;
  /** Ends all of them, so that the service can stop. */
  close(): void;
}

type StateWriter = (view: PayView) => PayState;

/** A page that hears two of them fail to come takes its stream for dead. */
const BEAT_MS = 15_000;
/** Whoever is cut off connects again. */
const LONGEST_MS = 60 * 60_000;
const MOST = 5_000;
const MOST_OF_ONE = 10;
/** Bytes a reader may lag behind. */
const MOST_UNREAD = 256 * 1024;

export function createStreams(pay: Pick<Pay, 'view' | 'follow'>): Streams {
  const ends = new Set<() => void>();
  const counts = new Map<string, number>();

  function take(token: string): () => void {
    const count = counts.get(token) ?? 0;
    if (ends.size >= MOST || count >= MOST_OF_ONE)
      throw new Fault('tooMany', 'Too many pages follow at once');
    counts.set(token, count + 1);
    return () => {
      const left = (counts.get(token) ?? 1) - 1;
      if (left > 0) counts.set(token, left);
      else counts.delete(token);
    };
  }

  async function open(token: string, reply: FastifyReply, stateOf: StateWriter): Promise<FastifyReply> {
    const release = take(token);
    // What happens while the stream is being opened is not lost: the latest view is sent first.
    let latest: PayView | undefined;
    let onChange = (view: PayView) => {
      latest = newer(latest, view);
    };
    const stop = await pay.follow(token, view => onChange(view)).catch(failed(release));
    const first = stop && (await pay.view(token).catch(failed(release, stop)));
    if (!stop || !first) {
      release();
      stop?.();
      throw new Fault('notFound', 'There is no such order', 'token');
    }

    const { raw } = reply;
    const stream = openStream(reply);
    const beat = setInterval(() => stream.send('beat', '{}'), BEAT_MS);
    const limit = setTimeout(end, LONGEST_MS);
    ends.add(end);
    raw.on('close', end);

    function end(): void {
      if (!ends.delete(end)) return;
      clearInterval(beat);
      clearTimeout(limit);
      release();
      stop?.();
      stream.end();
    }

    let sent = -1;
    onChange = view => {
      if (view.sequence <= sent || !ends.has(end)) return;
      sent = view.sequence;
      if (raw.writableLength > MOST_UNREAD) return void raw.destroy();
      const state = stateOf(view);
      stream.send('status', writeJson(state));
      if (state.finished) end();
    };
    onChange(newer(latest, first));
    if (raw.destroyed) end();
    return reply;
  }

  return {
    open,
    close() {
      for (const end of [...ends]) end();
    },
  };
}

function newer(a: PayView | undefined, b: PayView): PayView {
  return a && a.sequence > b.sequence ? a : b;
}

/** Gives back what was taken, and passes the failure on. */
function failed(...undo: (() => void)[]): (error: unknown) => never {
  return error => {
    for (const one of undo) one();
    throw error;
  };
}
